"""All apps: added in cells, found on disk, looked up, replaced, hidden secrets and all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpapps_jupyter.errors import (
    AmbiguousApp,
    AppDisabled,
    ConnectionLost,
    InvalidArguments,
    ManifestInvalid,
    McpAppsError,
    ProtocolFailure,
    StartFailed,
    UnknownApp,
)
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.lifecycle import State
from tests.core.conftest import new_host
from tests.core.servers.lab import build
from tests.core.support import command, runs, until


@pytest.fixture
def found(folder: Path) -> Iterator[Host]:
    """A host that looks below the notebook's folder and trusts what lies there."""
    host = new_host(discovery_paths=["./mcpapps"], trusted_paths=[str(folder)])
    yield host
    host.close()


def manifest(folder: Path, app_id: str, text: str | None = None, **fields: Any) -> Path:
    path = folder / "mcpapps" / app_id / "openclaw.mcpapp.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    words = command("by_hand")
    content = {"id": app_id, "command": words[0], "arguments": words[1:], **fields}
    path.write_text(text if text is not None else json.dumps(content))
    return path


# -- adding in a cell --------------------------------------------------------------------------------


def test_the_same_cell_again_keeps_the_session(host: Host) -> None:
    app = host.add(command("by_hand"), id="mine", environment={"K": "one"})
    pid = app.call("pid").data
    assert host.add(command("by_hand"), id="mine", environment={"K": "one"}) is app
    assert app.call("pid").data == pid


def test_a_changed_cell_replaces_the_server_and_keeps_the_handle(host: Host) -> None:
    app = host.add(command("by_hand"), id="mine")
    pid = app.call("pid").data
    assert host.add(command("by_hand"), id="mine", requestTimeoutSeconds=7) is app
    assert app.state is State.RUNNING
    assert app.call("pid").data != pid
    assert not runs(pid)
    assert app.connection().request_seconds == 7


def test_a_changed_cell_starts_nothing_that_did_not_run(host: Host) -> None:
    app = host.add(command("by_hand"), id="mine")
    host.add(command("by_hand"), id="mine", requestTimeoutSeconds=7)
    assert app.state is State.VALIDATED
    app.start().stop()
    host.add(command("by_hand"), id="mine", requestTimeoutSeconds=8)
    assert app.state is State.VALIDATED
    assert app.last_error is None


def test_a_server_object_always_replaces_its_predecessor(host: Host) -> None:
    server = build()
    app = host.add(server, id="mine")
    assert app.call("count").data == 1
    assert host.add(server, id="mine") is app
    assert app.state is State.RUNNING
    assert app.call("count").data == 2  # the same object, on another connection
    host.add(build(), id="mine")
    assert app.call("count").data == 1


def test_a_failed_app_with_an_open_page_is_started_with_its_new_definition(host: Host) -> None:
    app = host.add(build(), id="lab")
    view = app.open("open_page")
    view.wait_for_result(30)
    transport = app.connection()._session._transport
    transport._on_peer(transport._cancel)
    until(lambda: app.state is State.FAILED, "the failure")
    host.add(build(html="<p>better</p>"), id="lab")
    assert app.state is State.RUNNING
    assert app.views == [view]
    view.close()


def test_a_new_definition_that_fails_is_said_and_the_handle_stays(host: Host) -> None:
    app = host.add(command("by_hand"), id="mine").start()
    with pytest.raises(StartFailed, match="mine did not start"):
        host.add(["there-is-no-such-program"], id="mine")
    assert app.state is State.FAILED
    host.add(command("by_hand"), id="mine")
    assert app.call("add", a=1).data == 2


@pytest.mark.parametrize(
    ("what", "fields", "words"),
    [
        (["x"], {}, "host.add needs an id"),
        ([], {"id": "a"}, "The command is empty"),
        ("ftp://x", {"id": "a"}, "no http"),
        ("node server.js", {"id": "a"}, r"give a command as a list of words: \['node', 'server.js'\]"),
        (7, {"id": "a"}, "not int"),
        (object(), {"id": "a"}, "not object"),
        ("nowhere.json", {"id": "a"}, "cannot be read: No such file"),
        (["x"], {"id": 5}, "wanted a string, got the number 5"),
        (["x"], {"id": True}, "wanted a string, got true"),
        (Path("m.mcpapp.json"), {"id": ["a"]}, "wanted a string, got a list"),
    ],
)
def test_what_cannot_be_added_is_said_in_words(
    host: Host, what: Any, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidArguments, match=words):
        host.add(what, **fields)


def test_fields_are_those_of_the_manifest_and_their_errors_are_said(host: Host) -> None:
    with pytest.raises(ManifestInvalid, match="startupTimeoutSeconds"):
        host.add(["x"], id="a", startupTimeoutSeconds="soon")
    with pytest.raises(ManifestInvalid, match="id"):
        host.add(["x"], id="no spaces")
    for app_id in ("../../evil", "a\x1b[2J"):
        with pytest.raises(ManifestInvalid, match="wanted only letters"):
            host.add(Path("m.mcpapp.json"), id=app_id)
    assert "a" not in host
    app = host.add(command("by_hand"), id="a", name="An app", tags=["x"], toolNamePrefix="a.")
    assert (app.name, app.prefix) == ("An app", "a.")
    assert app.call("a.add", a=1).data == 2


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless file here")
def test_a_manifest_without_end_is_refused(host: Host) -> None:
    with pytest.raises(InvalidArguments, match="not a regular file"):
        host.add(Path("/dev/zero"), id="a")


def test_a_manifest_by_its_path_is_added_and_no_scan_takes_it_away(host: Host, folder: Path) -> None:
    path = folder / "elsewhere" / "my.json"
    path.parent.mkdir()
    words = command("by_hand")
    path.write_text(json.dumps({"id": "mine", "command": words[0], "arguments": words[1:]}))
    app = host.add(path)
    assert app.id == "mine"
    assert host.add("elsewhere/my.json", id="other").id == "other"
    host.scan()
    assert host["mine"] is app
    assert "other" in host


def test_remove_stops_and_takes_out(host: Host) -> None:
    app = host.add(command("by_hand"), id="mine")
    pid = app.call("pid").data
    host.remove("mine")
    assert "mine" not in host
    assert not runs(pid)
    with pytest.raises(UnknownApp):
        host.remove("mine")


# -- looking up --------------------------------------------------------------------------------------


def test_ids_are_found_exactly_then_in_any_case_then_by_their_beginning(host: Host) -> None:
    for app_id in ("chart", "Charts-two", "other"):
        host.add(["x"], id=app_id)
    assert host["chart"].id == "chart"
    assert host["CHART"].id == "chart"
    assert host["charts"].id == "Charts-two"
    assert host["ot"].id == "other"
    with pytest.raises(AmbiguousApp, match="'ch' fits several apps: chart, Charts-two"):
        host["ch"]
    with pytest.raises(UnknownApp, match=r"^There is no app 'chrat'\. Did you mean 'chart'"):
        host["chrat"]
    with pytest.raises(KeyError):
        host[""]
    assert "nothing like it" not in host
    assert "ch" not in host


def test_the_list_shows_states_reasons_and_sources(host: Host) -> None:
    host.add(command("by_hand"), id="runs").start()
    host.add(["there-is-no-such-program"], id="fails")
    with pytest.raises(StartFailed):
        host["fails"].start()
    host.add(["x"], id="off", tags=["Mine"])
    host.disable("off")
    shown = repr(host.apps)
    assert "Running" in shown
    assert "Failed: " in shown
    assert "Disabled: " in shown
    assert [app.id for app in host.registry.listing(state="failed")] == ["fails"]
    assert [app.id for app in host.registry.listing(tag="mine")] == ["off"]
    assert "No app fits" in repr(host.registry.listing(state="Nowhere"))
    assert "<table>" in host.apps._repr_html_()


# -- scanning ----------------------------------------------------------------------------------------


def test_what_is_found_is_listed_and_starts(found: Host, folder: Path) -> None:
    manifest(folder, "one")
    manifest(folder, "bad", text='{"id": "bad", "command": 7}')
    manifest(folder, "nothing", text="{")
    report = found.scan()
    assert {"one", "bad", "nothing"} <= set(report.added)
    assert found["one"].call("add", a=1).data == 2
    assert [app.id for app in found.registry.listing(state="Invalid")] == ["bad", "nothing"]
    with pytest.raises(ManifestInvalid, match="command"):
        found["bad"].start()
    assert found.scan().added == []


def test_a_rescan_keeps_running_apps_and_takes_changes_at_their_next_start(found: Host, folder: Path) -> None:
    manifest(folder, "one")
    found.scan()
    app = found["one"]
    pid = app.call("pid").data
    manifest(folder, "one", requestTimeoutSeconds=9)
    assert found.scan().changed == ["one"]
    assert found.scan().changed == []
    assert app.call("pid").data == pid
    assert app.connection().request_seconds == 60
    app.restart()
    assert app.connection().request_seconds == 9
    manifest(folder, "one", requestTimeoutSeconds=10)
    found.scan()
    with pytest.raises(ConnectionLost):
        app.call("crash")
    until(lambda: app.state is State.FAILED, "the crash")
    app.call("pid")  # a start by use takes the change as well
    assert app.connection().request_seconds == 10


def test_a_change_that_was_taken_back_is_none(found: Host, folder: Path) -> None:
    manifest(folder, "one")
    found.scan()
    app = found["one"].start()
    manifest(folder, "one", requestTimeoutSeconds=9)
    found.scan()
    manifest(folder, "one")
    found.scan()
    assert app.pending is None
    assert app.restart().connection().request_seconds == 60


def test_vanished_apps_go_and_running_ones_are_marked(found: Host, folder: Path) -> None:
    running, idle = manifest(folder, "running"), manifest(folder, "idle")
    found.scan()
    app = found["running"].start()
    running.unlink()
    idle.unlink()
    assert set(found.scan().vanished) == {"running", "idle"}
    assert "idle" not in found
    assert found["running"] is app
    assert app.call("add", a=1).data == 2
    assert "workspace, gone" in repr(found.apps)
    manifest(folder, "running")
    assert found.scan().vanished == []
    assert "gone" not in repr(found.apps)


@pytest.mark.parametrize("state", ["Failed", "Stopped", "Disabled"])
def test_an_app_that_was_used_stays_with_its_reason_when_its_manifest_goes(
    found: Host, folder: Path, state: str
) -> None:
    path = manifest(folder, "one")
    found.scan()
    app = found["one"].start()
    if state == "Failed":
        with pytest.raises(ConnectionLost):
            app.call("crash")
        until(lambda: app.state is State.FAILED, "the crash")
    elif state == "Stopped":
        app.stop()
    else:
        found.disable("one")
    path.unlink()
    for _ in range(2):
        assert found.scan().vanished == ["one"]
    assert found["one"] is app
    shown = repr(found.apps)
    assert f"one: {state}" in f"one: {app.state}"
    assert "workspace, gone" in shown
    assert (app.last_error or "") in shown
    if state != "Disabled":
        assert app.call("add", a=1).data == 2
    found.remove("one")
    assert "one" not in found


def test_a_repaired_manifest_is_usable_again_and_a_broken_one_is_not(found: Host, folder: Path) -> None:
    manifest(folder, "one")
    found.scan()
    app = found["one"].start()
    app.stop()
    manifest(folder, "one", text='{"id": "one", "command": 7}')
    found.scan()
    assert found["one"] is app
    assert app.state is State.DISCOVERED
    with pytest.raises(ManifestInvalid):
        app.call("add", a=1)
    manifest(folder, "one")
    found.scan()
    assert app.call("add", a=1).data == 2


def test_a_shadowed_manifest_is_named(found: Host, folder: Path) -> None:
    first, second = manifest(folder, "a"), manifest(folder, "b")
    for path in (first, second):
        path.write_text(first.read_text())
    report = found.scan()
    said = f"a: {second} is shadowed by {first}"
    assert report.shadowed == [said]
    assert said in repr(report)
    assert said in repr(found.apps)
    assert str(second) in repr(found["a"].info())
    second.unlink()
    assert found.scan().shadowed == []
    assert "is shadowed" not in repr(found.apps)
    assert "shadows " not in repr(found["a"].info())


def test_a_manifest_that_an_added_app_stands_in_for_is_named(found: Host, folder: Path) -> None:
    path = manifest(folder, "a")
    found.add(path)
    assert found.scan().shadowed == [], "it is that manifest"
    found.add(command("by_hand"), id="a")
    assert found.scan().shadowed == [f"a: {path} is shadowed by the app that was added here"]
    found.remove("a")
    assert found.scan().shadowed == []


def test_what_was_in_the_way_of_a_scan_stands_under_the_list(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOT_SET_ANYWHERE", raising=False)
    host = new_host(discovery_paths=["${env:NOT_SET_ANYWHERE}/apps", str(folder / "nowhere")])
    shown = repr(host.apps)
    assert "the environment variable NOT_SET_ANYWHERE is not set" in shown
    assert f"{folder / 'nowhere'}: no such folder" in shown
    assert "no such folder" in host.apps._repr_html_()
    host.config.discovery_paths = []
    assert "no such folder" not in repr(host.apps)
    host.close()


def test_further_folders_are_remembered(host: Host, folder: Path) -> None:
    manifest(folder, "one")
    host.config.trusted_paths = [str(folder)]
    host.scan("mcpapps")
    assert "one" in host
    host.scan()
    assert "one" in host
    with pytest.raises(InvalidArguments, match="There is no folder"):
        host.scan("nowhere")


def test_policy_refuses_and_allows_again(found: Host, folder: Path) -> None:
    manifest(folder, "one")
    found.scan()
    found.config.deny = ["o*"]
    found.scan()
    found.scan()
    app = found["one"]
    assert app.state is State.DISABLED
    assert len(app.lifecycle.policy_reasons) == 1
    with pytest.raises(AppDisabled, match="one is disabled: 'one' is denied by 'o\\*'"):
        app.start()
    found.config.deny = []
    found.scan()
    assert app.call("add", a=1).data == 2
    pid = app.call("pid").data
    found.config.deny = ["*"]  # holds at once
    assert app.state is State.DISABLED
    assert not runs(pid)


@pytest.mark.parametrize(
    ("refusal", "lifted"),
    [
        ({"deny": ["o*"]}, {"deny": []}),
        ({"enabled": False}, {"enabled": True}),
        ({"allow": ["x"]}, {"allow": []}),
    ],
)
@pytest.mark.parametrize("used", ["idle", "runs", "stopped", "failed"])
def test_policy_holds_for_added_apps_too_and_is_lifted(
    host: Host, refusal: dict[str, Any], lifted: dict[str, Any], used: str
) -> None:
    app = host.add(command("by_hand"), id="one")
    pid = app.call("pid").data if used != "idle" else 0
    if used == "stopped":
        app.stop()
    elif used == "failed":
        with pytest.raises(ConnectionLost):
            app.call("crash")
        until(lambda: app.state is State.FAILED, "the crash")
    host.config.configure(**refusal)
    assert app.state is State.DISABLED
    assert "Disabled: " in repr(host.apps)
    assert not pid or not runs(pid)
    with pytest.raises(AppDisabled):
        app.call("add", a=1)
    host.config.configure(**lifted)
    assert app.state is State.VALIDATED
    assert app.call("add", a=1).data == 2


def test_nothing_is_started_or_expanded_by_looking(found: Host, folder: Path) -> None:
    manifest(folder, "one", environment={"K": "${env:NOT_SET_ANYWHERE}"})
    found.scan()
    assert repr(found.apps)
    assert found["one"].info()
    assert found["one"].state is State.VALIDATED
    assert not found.thread.sessions.started
    with pytest.raises(StartFailed, match="NOT_SET_ANYWHERE"):
        found["one"].start()


# -- secrets -----------------------------------------------------------------------------------------

SECRET = "s3cret-t0ken-value"


def everything_shown(host: Host, app_id: str) -> str:
    app = host[app_id]
    parts = [repr(host.apps), host.apps._repr_html_(), repr(app), str(app.last_error), str(app.info())]
    parts += [entry.text for entry in app.log]
    return "\n".join(parts)


def test_secrets_are_masked_in_everything_about_an_app(
    host: Host, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_TOKEN", SECRET)
    app = host.add(
        command("lab"), id="lab", environment={"TOKEN": "${env:LAB_TOKEN}", "OTHER": "another-secret"}
    )
    assert app.call("environment", name="TOKEN").data == SECRET  # what a tool answers is the user's own act
    app.call("say", text=f"token={SECRET} other=another-secret")
    until(lambda: [e for e in app.log if e.source == "stderr" and "token=" in e.text], "stderr")
    until(lambda: [e for e in app.log if e.source == "server"], "the log line")
    texts = []
    for name, arguments in (("fail", {}), ("crash", {})):
        try:
            texts.append(app.call(name, arguments).text)
        except McpAppsError as error:
            texts.append(str(error))
    until(lambda: app.state is State.FAILED, "the crash")
    shown = "\n".join([everything_shown(host, "lab"), *texts])
    assert SECRET not in shown
    assert "another-secret" not in shown
    assert "•••" in shown


def test_secrets_are_masked_in_why_a_start_failed(host: Host, folder: Path) -> None:
    words = ["sh", "-c", f"echo 'bad token {SECRET}' >&2; exit 4"]
    app = host.add(words, id="bad", environment={"TOKEN": SECRET})
    with pytest.raises(StartFailed) as caught:
        app.start()
    assert "bad token •••" in str(caught.value)
    assert SECRET not in everything_shown(host, "bad")


def test_secrets_are_masked_in_errors_of_the_server(host: Host) -> None:
    app = host.add(command("by_hand"), id="mine", environment={"RULE": "a rule of the house"})
    with pytest.raises(ProtocolFailure) as caught:
        app.call("-32000")
    assert "•••" in str(caught.value)
    assert "a rule of the house" not in str(caught.value)


@pytest.mark.parametrize("levels", [300, 900, 30_000])
def test_an_answer_that_nests_too_deep_fails_its_call_in_words(host: Host, levels: int) -> None:
    app = host.add(command("by_hand"), id="mine")
    with pytest.raises(ProtocolFailure, match="nests too deep"):
        app.call("deep", levels=levels)
    assert app.call("add", a=1).data == 2


def test_a_child_gets_a_small_environment_and_what_it_is_given(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_OTHER_TOKEN", "must-not-leak")
    app = host.add(command("lab"), id="lab", environment={"MINE": "given"})
    assert app.call("environment", name="SOME_OTHER_TOKEN").data == ""
    assert app.call("environment", name="MINE").data == "given"
    assert app.call("environment", name="PATH").data == os.environ["PATH"]


# -- overrides of added apps ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["command", "server", "file", "file with an id"])
@pytest.mark.parametrize("first", ["entries", "add"])
def test_entries_hold_for_added_apps_of_every_kind(host: Host, folder: Path, kind: str, first: str) -> None:
    entries = {"MINE": {"requestTimeoutSeconds": 7, "toolNamePrefix": "its."}}

    def add() -> Any:
        if kind == "command":
            return host.add(command("by_hand"), id="mine")
        if kind == "server":
            return host.add(build(), id="mine")
        if kind == "file":
            return host.add(manifest(folder, "mine"))
        return host.add(manifest(folder, "other"), id="mine")

    if first == "entries":
        host.config.entries = entries
        app = add()
    else:
        app = add()
        host.config.entries = entries
    assert (app.manifest.request_timeout_seconds, app.prefix) == (7, "its.")
    assert app.call("its.add", a=1).data == 2
    host.config.entries = {}
    assert app.connection().request_seconds == 7, "a server that runs takes it at its next start"
    app.restart()
    assert app.connection().request_seconds == 60
    assert app.prefix == ""


def test_an_added_app_whose_entry_changed_keeps_its_session_when_its_cell_runs_again(host: Host) -> None:
    app = host.add(command("by_hand"), id="mine")
    pid = app.call("pid").data
    host.config.entries = {"mine": {"requestTimeoutSeconds": 7}}
    host.add(command("by_hand"), id="mine")
    assert app.call("pid").data == pid
    app.restart()
    assert app.connection().request_seconds == 7


def test_an_entry_that_breaks_an_added_app_is_said_and_taken_back(host: Host) -> None:
    app = host.add(command("by_hand"), id="mine")
    host.config.entries = {"mine": {"requestTimeoutSeconds": "soon"}}
    assert app.state is State.DISCOVERED
    assert "McpApps.entries['mine']" in (app.last_error or "")
    host.config.entries = {}
    assert app.state is State.VALIDATED


def test_any_field_may_be_given_beside_a_manifest_file(host: Host, folder: Path) -> None:
    path = manifest(folder, "mine", environment={"A": "1"}, name="As written", tags=["x"])
    app = host.add(
        path,
        name="As given",
        tags=["y"],
        uiResourceUri="ui://x/y",
        category="data",
        environment={"B": "2"},
        hasUi=True,
    )
    found = app.manifest
    assert (app.name, found.tags, found.ui_resource_uri, found.category) == (
        "As given",
        ("y",),
        "ui://x/y",
        "data",
    )
    assert found.environment == {"A": "1", "B": "2"}
    assert not [each for each in app.definition.parsed.warnings if "overridden" in each]
    with pytest.raises(ManifestInvalid, match=r'json: "uiResourceUri": wanted'):
        host.add(path, uiResourceUri="http://x")
    assert any(
        "not a key of a manifest" in each for each in host.add(path, tag="y").definition.parsed.warnings
    )
