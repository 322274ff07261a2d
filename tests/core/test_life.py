"""Start, stop, crash, restart: an app's server through its life."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Awaitable
from pathlib import Path

import psutil
import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import AppDisabled, ConnectionLost, McpAppsError, StartFailed
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.lifecycle import State, Transition
from mcpapps_jupyter.ports import Caller
from tests.core.conftest import MakeLab, new_host
from tests.core.servers.lab import build
from tests.core.support import command, runs, until

PAGE = Caller("page", "a view")


@pytest.fixture
def quick(host: Host) -> App:
    """A server that starts in no time."""
    return host.add(command("by_hand"), id="quick")


def states(app: App) -> list[State]:
    seen: list[State] = []
    app.lifecycle.subscribe(lambda step: seen.append(step.state))
    return seen


def page_calls(host: Host, app: App, tool: str = "add") -> dict[str, object]:
    params = {"name": tool, "arguments": {"a": 1} if tool == "add" else {}}
    return host.thread.run(app.connection().request("tools/call", params, caller=PAGE))


def test_start_stop_and_restart_by_hand(quick: App) -> None:
    app = quick
    seen = states(app)
    assert app.state is State.VALIDATED
    pid = app.start().call("pid").data
    assert app.start() is app
    app.stop()
    assert app.state is State.STOPPED
    assert not runs(pid)
    app.stop()
    again = app.restart().call("pid").data
    assert again != pid
    assert app.restart().call("pid").data != again
    assert seen == [
        State.LOADED,
        State.RUNNING,
        State.STOPPED,
        State.LOADED,
        State.RUNNING,
        State.STOPPED,
        State.LOADED,
        State.RUNNING,
    ]


def test_stop_of_an_app_that_never_started(quick: App) -> None:
    app = quick
    app.stop()
    assert app.state is State.VALIDATED


def test_concurrent_starts_share_one_attempt(quick: App, host: Host) -> None:
    app = quick
    seen = states(app)

    async def many() -> list[object]:
        starts = [app.connection().start() for _ in range(5)]
        calls = [app.call_here("pid", {}) for _ in range(5)]
        return list(await asyncio.gather(*starts, *calls))

    results = host.thread.run(many())
    assert len({result.data for result in results[5:]}) == 1
    assert seen == [State.LOADED, State.RUNNING]


def test_several_apps_start_in_parallel_and_one_failure_stops_none(host: Host) -> None:
    host.add(command("by_hand"), id="one")
    host.add(command("by_hand"), id="two")
    host.add(["there-is-no-such-program"], id="bad")
    for app in host:
        if app.definition.source != "added":
            host.disable(app.id)
    outcome = {app_id: said for app_id, said in host.start_all().items() if app_id in ("one", "two", "bad")}
    assert outcome.pop("bad").startswith("bad did not start: ")
    assert outcome == {"one": None, "two": None}
    assert host["bad"].state is State.FAILED
    assert "there-is-no-such-program" in host["bad"].last_error


def test_all_apps_can_be_started_and_stopped_by_await(host: Host) -> None:
    for app_id in ("one", "two"):
        host.add(command("by_hand"), id=app_id)
    host.add(["there-is-no-such-program"], id="bad")
    for app in host:
        if app.definition.source != "added":
            host.disable(app.id)

    async def cell() -> tuple[dict[str, str | None], list[int]]:
        outcome = await host.astart_all()
        pids = [(await host[app_id].acall("pid")).data for app_id in ("one", "two")]
        await host.astop_all()
        return outcome, pids

    outcome, pids = asyncio.run(cell())
    assert (outcome["one"], outcome["two"]) == (None, None)
    assert outcome["bad"].startswith("bad did not start: ")
    assert host["one"].state is host["two"].state is State.STOPPED
    assert not any(map(runs, pids))


def test_a_page_can_be_opened_by_await(lab: MakeLab, host: Host) -> None:
    app = lab("inprocess")

    async def cell() -> object:
        view = await app.aopen("open_page", storeId=3)
        assert (view.app, view.tool) == (app, "open_page")
        return view

    view = asyncio.run(cell())
    view.wait_for_result(30)
    assert view.result.data == {"store": 3, "opened": 1}
    assert host.views == [view]
    with pytest.raises(McpAppsError, match="no tool 'opne_page'"):
        asyncio.run(_awaited(app.aopen("opne_page")))
    host.disable("lab")
    with pytest.raises(AppDisabled):
        app.aopen("open_page")


async def _awaited(work: Awaitable[object]) -> object:
    return await work


def test_a_start_given_up_by_its_last_caller_leaves_stopped_and_no_process(host: Host, folder: Path) -> None:
    app = host.add(command("by_hand", "mute", str(folder / "journal")), id="mute")
    journal = folder / "journal"
    first, second = app.astart(), app.astart()
    pid = int(until(lambda: journal.exists() and journal.read_text().split("\n")[0], "the process"))
    first.cancel()
    assert first.wait_over(10)
    assert app.state is State.LOADED
    second.cancel()
    assert second.wait_over(20)
    assert app.state is State.STOPPED
    assert not runs(pid)


def test_giving_up_a_start_twice_over_does_not_wedge_the_app(host: Host, folder: Path) -> None:
    app = host.add(command("by_hand", "mute", str(folder / "journal")), id="mute")
    starting = app.astart()
    until((folder / "journal").exists, "the process")
    starting.cancel()
    app.stop()
    assert starting.wait_over(20)
    assert app.state is State.STOPPED
    starting = app.astart()
    until(lambda: app.state is State.LOADED, "the second start")
    app.stop()
    assert app.state is State.STOPPED


def test_whoever_waits_for_a_start_that_is_stopped_is_told(host: Host, folder: Path) -> None:
    app = host.add(command("by_hand", "mute", str(folder / "journal")), id="mute")
    starting = app.astart()
    until((folder / "journal").exists, "the process")
    app.stop()
    with pytest.raises(StartFailed, match="mute was stopped before it had started"):
        starting.result(10)


def test_a_crash_is_seen_at_once_without_a_call(quick: App) -> None:
    app = quick.start()
    seen: list[Transition] = []
    app.lifecycle.subscribe(seen.append)
    with pytest.raises(ConnectionLost) as caught:
        app.call("crash", code=7)
    assert "exited with code 7" in str(caught.value)
    assert "out of eggs" in str(caught.value)
    assert "during tools/call. It is restarted at the next use." in str(caught.value)
    until(lambda: app.state is State.FAILED, "the crash to be seen")
    assert "exited with code 7" in seen[0].error
    assert app.last_error == seen[0].error


def test_a_server_killed_from_outside_is_seen_without_a_call(quick: App) -> None:
    app = quick.start()
    psutil.Process(app.call("pid").data).kill()
    until(lambda: app.state is State.FAILED, "the death")
    assert "SIGKILL" in app.last_error or "exited" in app.last_error
    assert app.call("add", a=1).data == 2  # a cell brings it back


def test_calls_in_flight_are_told_when_the_server_dies(quick: App) -> None:
    app = quick.start()
    waiting = [app.acall("hang") for _ in range(3)]
    app.call("add", a=1)
    with pytest.raises(ConnectionLost):
        app.call("crash", code=5)
    for work in waiting:
        with pytest.raises(ConnectionLost, match="exited with code 5"):
            work.result(10)


def test_calls_in_flight_are_told_when_the_app_is_stopped(quick: App) -> None:
    app = quick.start()
    waiting = app.acall("hang")
    app.call("add", a=1)
    app.stop()
    with pytest.raises(ConnectionLost) as caught:
        waiting.result(10)
    assert "restarted at the next use" not in str(caught.value)


def test_a_page_restarts_a_crashed_server_once_a_minute(quick: App, host: Host) -> None:
    app = quick.start()
    now = [1000.0]
    app.connection()._clock = lambda: now[0]

    def crash() -> None:
        with pytest.raises(ConnectionLost):
            app.call("crash")
        until(lambda: app.state is State.FAILED, "the crash")

    crash()
    assert page_calls(host, app)["structuredContent"] == {"result": 2}
    assert app.connection().recovered
    crash()
    now[0] += 59
    with pytest.raises(ConnectionLost, match=r"exited with code 3.*Restart it with: %mcpapp restart quick"):
        page_calls(host, app)
    now[0] += 2
    assert page_calls(host, app)["structuredContent"] == {"result": 2}
    crash()
    assert app.call("add", a=1).data == 2  # a cell may always


def test_several_calls_of_a_page_share_its_restart(quick: App, host: Host) -> None:
    app = quick.start()
    with pytest.raises(ConnectionLost):
        app.call("crash")
    until(lambda: app.state is State.FAILED, "the crash")

    async def dashboard() -> list[dict[str, object]]:
        connection = app.connection()
        params = {"name": "pid", "arguments": {}}
        calls = [connection.request("tools/call", params, caller=PAGE) for _ in range(6)]
        return list(await asyncio.gather(*calls))

    pids = {str(raw["structuredContent"]) for raw in host.thread.run(dashboard())}
    assert len(pids) == 1


def test_a_page_does_not_start_what_somebody_stopped(quick: App, host: Host) -> None:
    app = quick.start()
    app.stop()
    with pytest.raises(ConnectionLost, match=r"quick is stopped\. Start it with: %mcpapp start quick"):
        page_calls(host, app)
    app.start()
    with pytest.raises(ConnectionLost):
        app.call("crash")
    until(lambda: app.state is State.FAILED, "the crash")
    app.stop()  # of a failed one: it shall stay away
    with pytest.raises(ConnectionLost, match="quick is stopped"):
        page_calls(host, app)


def test_calls_during_a_restart_wait_for_the_new_server(quick: App, host: Host) -> None:
    app = quick.start()
    pid = app.call("pid").data

    async def both() -> list[object]:
        restart = asyncio.ensure_future(app._restart())
        await asyncio.sleep(0)
        params = {"name": "pid", "arguments": {}}
        raw = await app.connection().request("tools/call", params, caller=PAGE)
        await restart
        return [raw["structuredContent"]["result"], app.state]

    new, state = host.thread.run(both())
    assert new != pid
    assert state is State.RUNNING


def test_a_restart_of_a_start_that_hangs(host: Host, folder: Path) -> None:
    app = host.add(command("by_hand", "mute", str(folder / "journal")), id="mute")
    first = app.astart()
    until((folder / "journal").exists, "the process")
    second = app.arestart()
    with pytest.raises(StartFailed, match="was stopped before"):
        first.result(20)
    assert app.state is State.LOADED
    app.stop()
    with pytest.raises(StartFailed, match="was stopped before"):
        second.result(20)


def test_a_disabled_app_is_started_by_nobody(quick: App, host: Host) -> None:
    app = quick.start()
    host.disable("quick")
    assert app.state is State.DISABLED
    with pytest.raises(AppDisabled):
        app.call("add", a=1)
    with pytest.raises(AppDisabled, match="quick is disabled"):
        page_calls(host, app)
    host.enable("quick")
    assert app.call("add", a=1).data == 2


@pytest.mark.parametrize(
    ("habit", "words"),
    [
        (
            "refuse",
            r"refuse did not start: the server exited with code 1; its last words: a licence is missing",
        ),
        ("silent", r"silent did not start: no answer within 1 s \(startupTimeoutSeconds\)"),
        ("no-list", r"no-list did not start: .*tools are away"),
    ],
)
def test_a_start_that_fails_says_why(host: Host, folder: Path, habit: str, words: str) -> None:
    app = host.add(command("by_hand", habit, str(folder / "journal")), id=habit, startupTimeoutSeconds=1)
    with pytest.raises(StartFailed, match=words) as caught:
        app.start()
    assert "\n" not in str(caught.value)
    assert app.state is State.FAILED
    pid = int((folder / "journal").read_text().split("\n")[0])
    assert not runs(pid)
    with pytest.raises(StartFailed):  # and once more, from Failed
        app.start()
    with pytest.raises(StartFailed):
        app.restart()


def test_output_while_starting_extends_the_time(host: Host, folder: Path) -> None:
    app = host.add(command("by_hand", "slow", str(folder / "journal")), id="slow", startupTimeoutSeconds=1)
    began = time.monotonic()
    assert app.start().state is State.RUNNING
    assert time.monotonic() - began > 1


def test_a_handle_survives_a_hundred_lives(lab: MakeLab) -> None:
    app = lab("inprocess")
    for _ in range(20):
        app.start()
        assert app.call("count").data >= 1
        app.stop()
    assert app.state is State.STOPPED


def test_an_in_process_server_that_ends_is_seen(lab: MakeLab) -> None:
    app = lab("inprocess").start()
    transport = app.connection()._session._transport
    transport._on_peer(transport._cancel)
    until(lambda: app.state is State.FAILED, "the end")
    assert "in-process server ended" in app.last_error
    assert app.call("add", a=1).data == 2


def test_closing_the_host_leaves_no_thread_and_no_process(folder: Path) -> None:
    before = set(threading.enumerate())
    host = new_host()
    host.add(command("by_hand"), id="quick")
    host.add(build(), id="mine")
    pid = host["quick"].call("pid").data
    host["mine"].call("add", a=1)
    host.close()
    assert not runs(pid)
    until(lambda: set(threading.enumerate()) <= before, "the threads' end")
    assert host["quick"].call("add", a=1).data == 2  # and it can be used again
    host.close()


def test_errors_are_one_line_in_ipython(quick: App) -> None:
    with pytest.raises(McpAppsError) as caught:
        quick.call("nope")
    assert caught.value._render_traceback_() == [f"UnknownTool: {caught.value}"]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("print('hello')", r"printed did not start: it ended without a word of MCP; .*\? It printed: hello"),
        (
            "import time; print('Listening on port 3001', flush=True); time.sleep(60)",
            r"no answer within 1 s .*want --stdio\? .*%mcpapp add printed http://localhost:3001/mcp",
        ),
        (
            "import sys; print('OSError: x\\n' + 9 * 'tip\\n', file=sys.stderr); sys.exit(2)",
            r"words: OSError: x\.$",
        ),
    ],
)
def test_what_is_no_stdio_server_is_said_in_words(host: Host, code: str, words: str) -> None:
    app = host.add([sys.executable, "-c", code], id="printed", startupTimeoutSeconds=1)
    with pytest.raises(StartFailed, match=words):
        app.start()


def test_a_slow_server_that_ignores_the_probe_starts_the_second_time(host: Host, folder: Path) -> None:
    journal = folder / "journal"
    words = command("by_hand", "ponderous", str(journal))
    app = host.add(words, id="slow", startupTimeoutSeconds=3)
    with pytest.raises(StartFailed, match=r"within 3 s .*the next start begins with the older handshake"):
        app.start()
    assert app.start().call("add", a=1).data == 2
    assert "further starts skip it" in repr(app.info())
    host.remove("slow")
    journal.unlink()
    again = host.add(words, id="other", startupTimeoutSeconds=3)
    assert again.call("add", a=1).data == 2, "the kernel remembers"
    assert "server/discover" not in journal.read_text()


def test_a_suspicion_that_did_not_help_is_given_up(host: Host, folder: Path) -> None:
    journal = folder / "journal"
    app = host.add(command("by_hand", "mute", str(journal)), id="mute", startupTimeoutSeconds=1)
    tried = []
    for _ in range(3):
        journal.unlink(missing_ok=True)
        with pytest.raises(StartFailed):
            app.start()
        tried.append("server/discover" in journal.read_text())
    assert tried == [True, False, True]


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_changes_of_state_are_told_in_order(quick: App, host: Host, kind: str) -> None:
    told: list[tuple[str, State, State]] = []
    other = host.add(command("by_hand"), id="other").start()

    def hear(app: App, old: State, new: State) -> None:
        assert other.call("add", a=1).data == 2, "calls work in it"
        told.append((app.id, old, new))

    async def hear_later(app: App, old: State, new: State) -> None:
        hear(app, old, new)

    forget = host.on_state(hear if kind == "def" else hear_later)
    quick.start().stop()
    host.disable("quick")
    steps = [
        (State.VALIDATED, State.LOADED),
        (State.LOADED, State.RUNNING),
        (State.RUNNING, State.STOPPED),
        (State.STOPPED, State.DISABLED),
    ]
    until(lambda: len(told) == len(steps), "the news")
    assert told == [("quick", *step) for step in steps]
    forget()
    forget()
    host.enable("quick")
    host.thread.run(asyncio.sleep(0))
    assert len(told) == len(steps)


def test_a_handler_of_states_that_fails_is_noted_and_hears_on(quick: App, host: Host) -> None:
    told = []

    def hear(app: App, old: State, new: State) -> None:
        told.append(new)
        raise LookupError("no eggs here")

    host.on_state(hear)
    quick.start()
    until(lambda: told == [State.LOADED, State.RUNNING], "the news")
    until(lambda: [entry.text for entry in quick.log if "no eggs here" in entry.text], "the note")
    assert quick.call("add", a=1).data == 2


def test_noise_on_stdout_is_explained_once_a_start(host: Host) -> None:
    app = host.add(command("by_hand", "banner"), id="noisy").start()

    def explained() -> int:
        return sum("belongs to the protocol" in entry.text for entry in app.log if entry.source == "host")

    assert [entry.text for entry in app.log if entry.source == "stdout"] == ["Starting ..."]
    assert explained() == 1
    app.restart()
    assert explained() == 2
