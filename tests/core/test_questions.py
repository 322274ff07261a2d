"""What servers ask: elicitation, sampling and roots, in both protocol eras."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import McpAppsError, ProtocolFailure, RequestTimeout, StartFailed
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.ports import Caller, Question
from mcpapps_jupyter.results import ToolResult
from tests.core.conftest import ERAS, WAYS, MakeLab
from tests.core.support import command, until


def said_by(call: Callable[[], ToolResult]) -> str:
    """What a caller is told by a call that fails, be it a result or an error."""
    try:
        result = call()
    except McpAppsError as error:
        return str(error)
    assert result.is_error
    return result.text


@pytest.mark.parametrize(("transport", "era"), WAYS)
@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_handler_answers_and_may_use_the_same_app(
    lab: MakeLab, host: Host, transport: str, era: str, kind: str
) -> None:
    app = lab(transport, era)
    asked: list[Question] = []

    def answer(question: Question) -> dict[str, Any]:
        asked.append(question)
        return {"colour": f"number {app.call('add', a=6).data}"}

    async def answer_later(question: Question) -> dict[str, Any]:
        assert (await app.acall("add", a=6)).data == 7
        return answer(question)  # and the blocking form works in here as well

    host.on_elicitation(answer if kind == "def" else answer_later)
    assert app.call("resolve").data == "resolved number 7"
    (question,) = asked
    assert (question.app_id, question.message, question.mode) == ("lab", "Which colour?", "form")
    assert question.schema["properties"]["colour"]["type"] == "string"
    assert question.caller.origin == "cell"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("answer", ["decline", "cancel", "what?"])
def test_a_handler_may_say_no(lab: MakeLab, host: Host, era: str, answer: str) -> None:
    app = lab("inprocess", era)
    host.on_elicitation(lambda question: answer)
    assert app.call("resolve").is_error
    legacy = lab("inprocess", "legacy", app_id="legacy")
    assert legacy.call("ask").text == ("cancel" if answer == "cancel" else "decline")


@pytest.mark.parametrize("era", ERAS)
def test_without_anybody_to_ask_the_answer_is_no_and_the_log_says_so(lab: MakeLab, era: str) -> None:
    app = lab("inprocess", era)
    assert app.call("resolve").is_error
    assert any("nobody is there to answer" in entry.text for entry in app.log)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", ["inprocess", "stdio"])
def test_a_handler_that_fails_is_an_error_in_words(
    lab: MakeLab, host: Host, transport: str, era: str
) -> None:
    app = lab(transport, era)

    def bad(question: Question) -> dict[str, Any]:
        raise LookupError("no colours here")

    host.on_elicitation(bad)
    assert said_by(lambda: app.call("resolve"))
    assert any("no colours here" in entry.text for entry in app.log)
    assert app.call("add", a=1).data == 2


@pytest.mark.parametrize("era", ERAS)
def test_an_answer_that_mcp_has_no_form_for_is_an_error_in_words(lab: MakeLab, host: Host, era: str) -> None:
    app = lab("inprocess", era)
    host.on_elicitation(lambda question: {"colour": {"nested": object()}})
    assert "\n" not in said_by(lambda: app.call("resolve"))
    assert app.call("add", a=1).data == 2


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", ["inprocess", "stdio", "http"])
def test_thinking_longer_than_the_request_may_take(
    lab: MakeLab, host: Host, transport: str, era: str
) -> None:
    app = lab(transport, era, requestTimeoutSeconds=1)

    async def slow(question: Question) -> dict[str, Any]:
        await asyncio.sleep(1.6)
        return {"colour": "red"}

    host.on_elicitation(slow)
    assert app.call("resolve").data == "resolved red"


def test_thinking_time_does_not_count_even_when_the_answer_comes_early(lab: MakeLab, host: Host) -> None:
    app = lab("inprocess", "legacy", requestTimeoutSeconds=1.5)
    host.on_elicitation(lambda question: time.sleep(1) or {"colour": "red"})
    assert app.call("ask", pause=1.0).data == "accept red"  # one second of the person, one of the server
    with pytest.raises(RequestTimeout):
        app.call("ask", pause=30)


@pytest.mark.parametrize("transport", ["inprocess", "stdio", "http"])
def test_a_tool_that_asks_in_the_older_way_reconnects_once(lab: MakeLab, host: Host, transport: str) -> None:
    app = lab(transport)
    host.on_elicitation(lambda question: {"colour": "blue"})
    app.start()
    assert app.connection().protocol_version >= "2026"
    with pytest.raises(ProtocolFailure, match=r"lab: ask asks its question in the older way.*Run it again"):
        app.call("ask")
    assert app.connection().protocol_version == "2025-11-25"
    assert any("ctx.elicit" in note for note in app.connection().notes)
    assert app.call("ask").data == "accept blue"
    app.restart()  # and it stays so
    assert app.call("ask").data == "accept blue"
    assert len(app.connection().notes) == 1


def test_a_tool_that_may_be_repeated_is_called_again_unseen(lab: MakeLab, host: Host) -> None:
    app = lab("inprocess")
    host.on_elicitation(lambda question: {"colour": "blue"})
    assert app.call("ask_safely").data == "accept"


def test_several_that_ask_in_the_older_way_share_the_reconnection(lab: MakeLab, host: Host) -> None:
    app = lab("inprocess")
    host.on_elicitation(lambda question: {"colour": "blue"})

    async def both() -> list[str]:
        calls = [app.call_here("ask_safely", {}) for _ in range(4)]
        return [result.data for result in await asyncio.gather(*calls)]

    assert host.thread.run(both()) == ["accept"] * 4
    assert len(app.connection().notes) == 1


def test_calls_of_others_are_not_cut_off_by_the_reconnection(lab: MakeLab, host: Host) -> None:
    app = lab("inprocess")
    host.on_elicitation(lambda question: {"colour": "blue"})
    app.start()
    other = app.acall("work", steps=4, pause=0.2)
    assert app.call("ask_safely").data == "accept"
    assert other.result(10).text == "done"


def test_a_pinned_protocol_is_kept_and_the_error_says_so(lab: MakeLab, host: Host) -> None:
    app = lab("inprocess", "2026-07-28")
    host.on_elicitation(lambda question: {"colour": "blue"})
    with pytest.raises(ProtocolFailure, match="protocol 2026-07-28 does not have"):
        app.call("ask")
    assert app.call("resolve").data == "resolved blue"


@pytest.mark.parametrize("era", ERAS)
def test_the_caller_of_a_question_is_known(lab: MakeLab, host: Host, era: str) -> None:
    app = lab("stdio", era)
    asked: list[Question] = []

    def answer(question: Question) -> dict[str, Any]:
        asked.append(question)
        return {"colour": "x"}

    host.on_elicitation(answer)
    params = {"name": "resolve", "arguments": {}}
    page = app.connection  # made at first use
    host.thread.run(page().request("tools/call", params, caller=Caller("page", "v1")))
    assert [(q.caller.origin, q.caller.view) for q in asked] == [("page", "v1")]
    app.call("resolve")
    assert asked[1].caller.origin == "cell"


@pytest.mark.parametrize("era", ERAS)
def test_a_cancelled_call_ends_its_question(lab: MakeLab, host: Host, era: str) -> None:
    app = lab("stdio", era)
    state: list[str] = []

    async def slow(question: Question) -> dict[str, Any]:
        state.append("asked")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            state.append("cancelled")
            raise
        return {}

    host.on_elicitation(slow)
    work = app.acall("resolve")
    until(lambda: state == ["asked"], "the question")
    work.cancel()
    until(lambda: state == ["asked", "cancelled"], "the question's end")
    until(lambda: app.connection()._session._requests.open_questions == 0, "the count")
    assert app.call("add", a=1).data == 2


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", ["inprocess", "stdio", "http"])
def test_sampling_is_offered_with_a_model_only(lab: MakeLab, host: Host, transport: str, era: str) -> None:
    app = lab(transport, era)
    assert "sampling" not in app.call("capabilities").data
    assert "sampling" in said_by(lambda: app.call("sample")).lower() or era == "auto"
    asked: list[dict[str, Any]] = []

    def model(params: dict[str, Any]) -> str:
        asked.append(params)
        return f"an egg, and {app.call('add', a=1).data} more"

    host.set_model(model, ask=False)
    if transport == "stdio" or (transport, era) == ("http", "legacy"):  # a new session would lose its state
        assert "sampling" not in app.call("capabilities").data
        assert "whether a model is set has changed" in repr(app.info())
        app.restart()
        assert "whether a model" not in repr(app.info())
    assert "sampling" in app.call("capabilities").data
    assert app.call("sample").data == "user: an egg, and 2 more"
    assert asked[0]["messages"][0]["content"]["text"] == "What is it?"


@pytest.mark.parametrize("era", ERAS)
def test_a_model_may_give_a_whole_result_or_fail(lab: MakeLab, host: Host, era: str) -> None:
    async def model(params: dict[str, Any]) -> types.CreateMessageResult:
        return types.CreateMessageResult(
            role="assistant", content=types.TextContent(type="text", text="yes"), model="mine"
        )

    host.set_model(model, ask=False)
    app = lab("inprocess", era)
    assert app.call("sample").data == "mine: yes"
    for bad in (lambda params: 1 / 0, lambda params: {"role": "nobody"}, lambda params: None):
        host.set_model(bad, ask=False)
        assert "\n" not in said_by(lambda: app.call("sample"))
    assert app.call("add", a=1).data == 2


class Person:
    """Answers what the host asks, in the place of the forms of a notebook."""

    def __init__(self, host: Host, action: str | None) -> None:
        self.asked: list[Question] = []
        self.gone: list[Question] = []
        self.action = action
        self.thinks = asyncio.Event()
        self.thinks.set()
        host._questions._ask_person = self.answer

    async def answer(self, question: Question) -> dict[str, Any] | None:
        self.asked.append(question)
        try:
            await self.thinks.wait()
        except asyncio.CancelledError:
            self.gone.append(question)
            raise
        return None if self.action is None else {"action": self.action, "content": {}}


def consenting(host: Host, action: str | None = "accept") -> Person:
    host.set_model(lambda params: "an egg")
    return Person(host, action)


@pytest.mark.parametrize("era", ERAS)
def test_the_model_is_used_after_a_yes_that_holds_for_the_app(lab: MakeLab, host: Host, era: str) -> None:
    person = consenting(host)
    app, other = lab("stdio", era), lab("inprocess", era, app_id="other")
    assert app.call("sample").data == "user: an egg"
    assert app.call("sample").data == "user: an egg"
    app.restart()
    assert app.call("sample").data == "user: an egg"
    (question,) = person.asked
    assert (question.app_id, question.caller.origin) == ("lab", "cell")
    assert "wants to use your model" in question.message
    assert "What is it?" in question.message
    assert other.call("sample").data == "user: an egg"
    assert [each.app_id for each in person.asked] == ["lab", "other"]
    host.set_model(lambda params: "another egg")
    assert app.call("sample").data == "user: another egg"
    assert len(person.asked) == 3, "another model is asked for anew"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_no_keeps_the_model_and_is_said(lab: MakeLab, host: Host, era: str, action: str) -> None:
    person = consenting(host, action)
    host.set_model(lambda params: pytest.fail("the person said no"))
    app = lab("inprocess", era)
    for _ in range(2):
        assert "did not let the server use the model" in said_by(lambda: app.call("sample")) or era == "auto"
    assert len(person.asked) == 2, "a no holds for one request"
    person.action = "accept"
    host._questions._model = lambda params: "an egg"
    assert app.call("sample").data == "user: an egg"


@pytest.mark.parametrize("era", ERAS)
def test_where_nobody_is_there_the_model_is_not_used(lab: MakeLab, host: Host, era: str) -> None:
    host.set_model(lambda params: pytest.fail("nobody said yes"))
    app = lab("inprocess", era)
    assert "ask=False" in said_by(lambda: app.call("sample")) or era == "auto"
    host.set_model(lambda params: "an egg", ask=False)
    assert app.call("sample").data == "user: an egg"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("action", ["accept", "decline"])
def test_requests_at_once_share_one_question(lab: MakeLab, host: Host, era: str, action: str) -> None:
    person = consenting(host, action)
    person.thinks.clear()
    app = lab("inprocess", era).start()
    calls = [app.acall("sample") for _ in range(3)]
    until(lambda: app.connection()._session._requests.open_questions == 3, "all requests")
    host.thread.sessions.call_soon(person.thinks.set)
    for call in calls:
        said = said_by(lambda call=call: call.result(30)) if action == "decline" else call.result(30).data
        assert said == "user: an egg" if action == "accept" else said
    assert len(person.asked) == 1


@pytest.mark.parametrize("era", ERAS)
def test_a_question_about_the_model_goes_with_the_last_call_that_needs_it(
    lab: MakeLab, host: Host, era: str
) -> None:
    person = consenting(host)
    person.thinks.clear()
    app = lab("inprocess", era).start()
    first, second = app.acall("sample"), app.acall("sample")
    requests = app.connection()._session._requests
    until(lambda: requests.open_questions == 2, "both requests")
    first.cancel()
    until(lambda: requests.open_questions == 1, "the first one's end")
    assert person.gone == []
    second.cancel()
    until(lambda: person.gone, "the question's end")
    host.thread.sessions.call_soon(person.thinks.set)
    assert app.call("sample").data == "user: an egg"


@pytest.mark.parametrize("era", ERAS)
def test_roots_are_the_notebooks_folder_for_local_servers_only(lab: MakeLab, host: Host, era: str) -> None:
    folder = host.config.notebook_dir()
    assert lab("stdio", era, app_id="local").call("roots").data == [folder.as_uri()]
    assert lab("http", era, app_id="remote").call("roots").data == []
    host.config.roots = ["data", str(folder.parent)]
    assert host["local"].call("roots").data == [(folder / "data").as_uri(), folder.parent.as_uri()]
    assert host["remote"].call("roots").data == [(folder / "data").as_uri(), folder.parent.as_uri()]


def test_roots_are_whole_paths(lab: MakeLab, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = host.config.notebook_dir()
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.setenv("USERPROFILE", str(folder / "home"))
    monkeypatch.setenv("DATA", str(folder / "data"))
    monkeypatch.delenv("NOT_SET_ANYWHERE", raising=False)
    host.config.roots = ["~/x", "../beside", "./a/../b", "${env:DATA}/c", "${env:NOT_SET_ANYWHERE}"]
    wanted = [folder / "home" / "x", folder.parent / "beside", folder / "b", folder / "data" / "c"]
    app = lab("inprocess")
    for _ in range(2):
        assert app.call("roots").data == [path.as_uri() for path in wanted]
    assert app.info().roots == tuple(path.as_uri() for path in wanted)
    notes = [entry.text for entry in app.log if "NOT_SET_ANYWHERE is not set" in entry.text]
    assert len(notes) == 1


def test_servers_of_the_older_era_are_told_of_other_roots(host: Host, folder: Path) -> None:
    journal, modern = folder / "journal", folder / "modern"
    host.add(command("by_hand", "", str(journal)), id="old").start()
    host.add(command("modern", str(modern)), id="new").start()
    host.add(command("by_hand"), id="idle")
    changed = "notifications/roots/list_changed"
    host.config.roots = ["data"]
    until(lambda: journal.read_text().count(changed) == 1, "the news")
    host.config.roots = ["data"]
    host.config.roots = []
    until(lambda: journal.read_text().count(changed) == 2, "the news")
    host.thread.run(host["new"].connection().relist())  # whatever was sent before has arrived by its answer
    assert changed not in modern.read_text()
    assert host["old"].call("add", a=1).data == 2


def test_the_context_of_a_call_does_not_stick_to_the_session_that_it_starts(lab: MakeLab, host: Host) -> None:
    first, second = lab("inprocess", "legacy"), lab("stdio", "legacy", app_id="second")
    asked: list[Question] = []

    async def answer(question: Question) -> dict[str, Any]:
        asked.append(question)
        if question.app_id == "lab":
            await second.astart()  # in the context of the first app's question
        return {"colour": "x"}

    host.on_elicitation(answer)
    params = {"name": "resolve", "arguments": {}}
    host.thread.run(first.connection().request("tools/call", params, caller=Caller("page", "v1")))
    second.call("resolve")
    assert [(q.app_id, q.caller.origin) for q in asked] == [("lab", "page"), ("second", "cell")]


def test_an_app_in_a_question_about_itself_does_not_deadlock(lab: MakeLab, host: Host) -> None:
    app: App = lab("inprocess", "legacy")
    depth = 0

    async def answer(question: Question) -> dict[str, Any]:
        nonlocal depth
        depth += 1
        if depth < 3:
            return {"colour": app.call("ask").data}  # blocks the handlers' loop, and asks again
        return {"colour": "deep"}

    host.on_elicitation(answer)
    assert app.call("ask").data == "accept accept accept deep"


def test_a_version_that_the_server_does_not_speak(host: Host, folder: Path) -> None:
    app = host.add(command("by_hand"), id="old", protocol="2026-07-28")
    with pytest.raises(StartFailed, match="the server does not speak protocol 2026-07-28"):
        app.start()
    assert host.add(command("by_hand"), id="old", protocol="2025-06-18").call("add", a=1).data == 2
