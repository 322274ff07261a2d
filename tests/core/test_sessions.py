"""One session an app, over every transport and in both protocol eras."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import (
    InvalidArguments,
    ProtocolFailure,
    RequestTimeout,
    UnknownTool,
)
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.lifecycle import State
from mcpapps_jupyter.ports import Caller
from tests.core.conftest import ERAS, MakeLab
from tests.core.support import until


def logged(app: App) -> list[tuple[str, str]]:
    return [(entry.source, entry.text) for entry in app.log]


def test_what_a_cell_does_most(any_lab: App) -> None:
    assert any_lab.call("add", a=1, b=2).data == 3
    assert any_lab.state is State.RUNNING
    assert "add" in [tool.name for tool in any_lab.tools]
    assert any_lab.read("lab://numbers").data == [1, 2, 3]
    assert any_lab.read("lab://number/7").text == "7"
    assert any_lab.prompt("greet", name="Ada").text == "user: Say hello to Ada, glad."
    assert [prompt["name"] for prompt in any_lab.prompts] == ["greet"]
    listed = [entry.get("uri") or entry.get("uriTemplate") for entry in any_lab.resources]
    assert "lab://numbers" in listed
    assert "lab://number/{n}" in listed


@pytest.mark.elsewhere("modelcontextprotocol/ext-apps#481")
def test_every_caller_works_on_one_session(any_lab: App) -> None:
    before = any_lab.call("count").data
    callers = [threading.Thread(target=any_lab.call, args=("count",)) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(30)
    assert any_lab.call("count").data == before + 9


def test_the_extension_is_advertised_on_every_connection(any_lab: App) -> None:
    declared = any_lab.call("capabilities").data
    assert declared["extensions"]["io.modelcontextprotocol/ui"] == {
        "mimeTypes": ["text/html;profile=mcp-app"]
    }
    assert "elicitation" in declared
    assert "roots" in declared
    assert "sampling" not in declared


def test_a_tool_that_fails_by_its_own_word_is_a_result(any_lab: App) -> None:
    result = any_lab.call("fail")
    assert result.is_error
    assert "no eggs left" in result.text


def test_results_keep_what_the_server_sent(any_lab: App) -> None:
    raw = any_lab.call("show").raw
    assert raw["structuredContent"] == {"items": [{"id": 1}]}
    assert raw["_meta"]["secret"] == "for the page"
    assert "resultType" not in raw


def test_unknown_tools_and_bad_arguments_are_said_before_any_call(any_lab: App) -> None:
    with pytest.raises(UnknownTool, match=r"lab has no tool 'ad'\. Did you mean 'add'"):
        any_lab.call("ad")
    with pytest.raises(InvalidArguments, match=r"a must be integer, got \"x\""):
        any_lab.call("add", a="x")
    with pytest.raises(InvalidArguments, match="no argument 'c'"):
        any_lab.call("add", a=1, c=2)
    with pytest.raises(InvalidArguments, match=r"Paste: host\['lab'\]\.call\('add', a=1\)"):
        any_lab.call("add")
    with pytest.raises(InvalidArguments, match="no prompt 'gret'"):
        any_lab.prompt("gret")


def test_a_missing_resource_is_an_error_of_the_server_in_words(any_lab: App) -> None:
    with pytest.raises(ProtocolFailure, match=r"^lab: "):
        any_lab.read("lab://nowhere")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", ["stdio", "http", "inprocess"])
def test_progress_extends_the_time_and_silence_ends_it(lab: MakeLab, transport: str, era: str) -> None:
    app = lab(transport, era, requestTimeoutSeconds=1)
    assert app.call("work", steps=8, pause=0.25).text == "done"
    with pytest.raises(RequestTimeout, match=r"lab: no answer to tools/call within 1 s"):
        app.call("work", steps=1, pause=30)
    assert app.call("add", a=1).data == 2


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", ["stdio", "http", "inprocess"])
@pytest.mark.parametrize("kind", ["def", "async def"])
def test_progress_is_given_to_who_asks_for_it(lab: MakeLab, transport: str, era: str, kind: str) -> None:
    app = lab(transport, era)
    told: list[tuple[float, float | None, str | None]] = []

    def listen(done: float, total: float | None, message: str | None) -> None:
        assert app.call("add", a=1).data == 2, "calls work in it"
        told.append((done, total, message))

    async def listen_later(done: float, total: float | None, message: str | None) -> None:
        assert (await app.acall("add", a=1)).data == 2
        told.append((done, total, message))

    listener = listen if kind == "def" else listen_later
    assert app.call("work", steps=3, on_progress=listener).text == "done"
    wanted = [(step, 3, f"step {step}") for step in (1, 2, 3)]
    assert told == wanted
    assert app.acall("work", {"steps": 3}, on_progress=listener).result(30).text == "done"
    assert told == wanted * 2


def test_a_listener_to_progress_that_fails_is_noted_and_the_call_goes_on(lab: MakeLab) -> None:
    app = lab("inprocess")
    told = []

    def listen(*news: object) -> None:
        told.append(news)
        raise LookupError("no eggs here")

    assert app.call("work", steps=3, pause=0.05, on_progress=listen).text == "done"
    assert len(told) == 1
    assert len([text for _, text in logged(app) if "on_progress failed" in text and "no eggs" in text]) == 1


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", ["stdio", "http", "inprocess"])
def test_a_cancelled_call_is_cancelled_at_the_server(
    lab: MakeLab, folder: Path, transport: str, era: str
) -> None:
    app, journal = lab(transport, era), folder / "journal.txt"
    work = app.acall("wait", journal=str(journal))
    until(lambda: journal.exists() and journal.read_text(), "the call")
    work.cancel()
    until(lambda: "cancelled" in journal.read_text(), "the cancellation")
    assert app.call("add", a=1).data == 2


def test_a_timed_out_call_is_cancelled_at_the_server(lab: MakeLab, folder: Path) -> None:
    app, journal = lab(requestTimeoutSeconds=1), folder / "journal.txt"
    with pytest.raises(RequestTimeout):
        app.call("wait", journal=str(journal))
    until(lambda: "cancelled" in journal.read_text(), "the cancellation")


def test_a_changed_tool_list_is_read_again(any_lab: App) -> None:
    before = len(any_lab.tools)
    any_lab.call("grow", name="novelty")
    until(lambda: any_lab.catalogue.tool("novelty"), "the new tool")
    assert len(any_lab.tools) == before + 1
    assert any_lab.call("novelty").text == "novelty"


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_server_log_and_stderr_go_into_the_log_and_nowhere_else(
    any_lab: App, capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    any_lab.call("say", text="fresh eggs")
    until(lambda: ("server", "fresh eggs") in logged(any_lab), "the log line")
    if "stdio" in request.node.name:
        until(lambda: ("stderr", "fresh eggs on stderr") in logged(any_lab), "the line on stderr")
        assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("era", ERAS)
def test_updates_reach_listeners_after_a_subscription_that_is_counted(
    lab: MakeLab, host: Host, era: str
) -> None:
    app = lab("stdio", era).start()
    heard: list[str] = []
    app.listen(lambda event: heard.append(event.params["uri"]) if event.kind == "resources/updated" else None)
    connection = app.connection()
    for subscriber in ("a", "b", "a"):
        host.thread.run(connection.subscribe("lab://numbers", subscriber, Caller()))
    app.call("touch", uri="lab://numbers")
    until(lambda: heard == ["lab://numbers"], "the update")
    host.thread.run(connection.unsubscribe("lab://numbers", "a"))
    app.call("touch", uri="lab://numbers")
    until(lambda: len(heard) == 2, "the second update")
    host.thread.run(connection.unsubscribe("lab://numbers", "b"))
    if era == "legacy":
        assert app.call("subscriptions").data == ["subscribe lab://numbers", "unsubscribe lab://numbers"]
    else:
        app.call("touch", uri="lab://numbers")
        app.call("touch", uri="lab://else")
        assert app.call("add", a=1).data == 2
        assert len(heard) == 2


def test_calls_work_inside_asyncio_run(lab: MakeLab) -> None:
    app = lab("inprocess")

    async def cell() -> list[int]:
        blocking = app.call("add", a=1).data
        awaited = await app.acall("add", a=2)
        several = await asyncio.gather(app.acall("add", a=3), app.aread("lab://numbers"))
        await app.arestart()
        return [blocking, awaited.data, several[0].data, len(several[1].data)]

    assert asyncio.run(cell()) == [2, 3, 4, 3]
