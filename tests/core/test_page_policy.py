"""How often a page may ask, what asks the person first, and what reaches the notebook."""

from __future__ import annotations

import asyncio

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.views.policy import Rates
from tests.core.conftest import ERAS
from tests.core.pages import OpenPage
from tests.core.support import until


@pytest.fixture(params=ERAS)
def app(kernel: Host, request: pytest.FixtureRequest) -> App:
    return kernel[request.param]


@pytest.fixture
def page(kernel: Host, app: App) -> OpenPage:
    return OpenPage(kernel, app).start()


# -- limits ----------------------------------------------------------------------------------------


def test_four_run_at_once_and_the_rest_wait_their_turn(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, rates=Rates(at_once=2, queue=3)).start()
    slow = {"name": "work", "arguments": {"steps": 1, "pause": 0.4}}
    asked = [page.send("tools/call", slow) for _ in range(6)]
    answers = [page.answer(each) for each in asked]
    assert ["error" in answer for answer in answers] == [False] * 5 + [True]
    assert answers[5]["error"] == {
        "code": -32000,
        "message": "Too many requests are waiting (limit 3)",
        "data": {"limit": "concurrency"},
    }
    assert page.call("add", a=1)["structuredContent"] == {"result": 2}


def test_a_waiting_request_can_be_cancelled(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, rates=Rates(at_once=1, queue=2)).start()
    slow = {"name": "work", "arguments": {"steps": 1, "pause": 0.4}}
    first, second, third = (page.send("tools/call", slow) for _ in range(3))
    page.notify("notifications/cancelled", {"requestId": second})
    assert page.answer(first)["result"]
    assert page.answer(third)["result"]
    assert page.answers(second) == []


def test_tool_calls_have_a_rate_and_a_burst(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, rates=Rates(calls_per_minute=1, burst=3)).start()
    answers = [page.answer(page.send("tools/call", {"name": "add", "arguments": {"a": n}})) for n in range(5)]
    assert ["error" in answer for answer in answers] == [False] * 3 + [True] * 2
    assert answers[4]["error"]["data"] == {"limit": "rate"}
    assert page.request("tools/list")["tools"]


def test_a_flood_of_notifications_is_dropped_and_counted(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, rates=Rates(notifications_per_second=5)).start()
    for _ in range(50):
        page.notify("notifications/message", {"data": "flood"})
    assert page.relay.limits.dropped > 30
    assert page.request("ping") == {}


def test_a_call_that_waits_for_a_person_holds_no_slot(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, rates=Rates(at_once=1)).start()
    release = asyncio.Event()

    async def person(question: object) -> dict[str, str]:
        await asyncio.wait_for(release.wait(), 30)
        return {"colour": "red"}

    kernel.on_elicitation(person)
    try:
        asked = page.send("tools/call", {"name": "resolve", "arguments": {}})
        until(lambda: app.connection()._session._requests.open_questions, "the question")
        assert page.call("add", a=1)["structuredContent"] == {"result": 2}
        kernel.thread.handlers.call_soon(release.set)
        assert page.answer(asked)["result"]["structuredContent"] == {"result": "resolved red"}
    finally:
        kernel.on_elicitation(None)


# -- approvals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "tool", "outcome"),
    [
        ("auto", "count", "passes"),
        ("auto", "add", "passes"),
        ("auto", "destroy", "asks"),
        ("ask", "count", "asks"),
        ("ask", "add", "asks"),
        ("ask", "destroy", "asks"),
        ("allow", "destroy", "passes"),
        ("deny", "add", "passes"),
        ("deny", "count", "refused"),
        ("deny", "destroy", "refused"),
        ("what?", "count", "refused"),
    ],
)
def test_the_policy_decides_who_is_asked(
    kernel: Host, app: App, policy: str, tool: str, outcome: str
) -> None:
    page = OpenPage(kernel, app, policies={"*": policy}).start()
    asked = page.send("tools/call", {"name": tool, "arguments": {"a": 1} if tool == "add" else {}})
    if outcome == "asks":
        question = page.decide("once")
        assert (question["type"], question["tool"]) == ("approval", tool)
    answer = page.answer(asked)
    assert ("error" in answer) == (outcome == "refused")
    if outcome == "passes":
        assert page.got("ask") == []


def test_a_policy_for_one_tool_wins(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, policies={"*": "deny", "count": "allow"}).start()
    assert page.call("count")["structuredContent"]
    assert page.refused("tools/call", {"name": "destroy"})["code"] == -32000


def test_the_question_shows_what_would_be_done(page: OpenPage, app: App) -> None:
    asked = page.send("tools/call", {"name": "destroy", "arguments": {"what": "<b>eggs</b>"}})
    question = page.decide("once")
    assert question["arguments"] == {"what": "<b>eggs</b>"}
    assert (question["app"], question["title"]) == (app.name, "Empty the store")
    assert page.answer(asked)["result"]["content"][0]["text"] == "destroyed <b>eggs</b>"
    assert page.got("ask")[-1] == {"ask": question["ask"], "closed": True}


def test_deny_is_said_to_the_page_and_the_server_never_sees_the_call(page: OpenPage, app: App) -> None:
    asked = page.send("tools/call", {"name": "destroy", "arguments": {"what": "the denied"}})
    page.decide("deny")
    assert page.answer(asked)["error"] == {"code": -32000, "message": "The call of destroy was not approved"}
    assert "destroyed the denied" not in app.call("subscriptions").data


def test_always_holds_for_that_tool_in_that_view(kernel: Host, page: OpenPage, app: App) -> None:
    asked = page.send("tools/call", {"name": "destroy", "arguments": {}})
    page.decide("always")
    page.answer(asked)
    assert page.call("destroy")
    other = OpenPage(kernel, app).start()
    other.send("tools/call", {"name": "destroy", "arguments": {}})
    other.decide("deny")


def test_a_document_from_elsewhere_has_no_grants(page: OpenPage) -> None:
    asked = page.send("tools/call", {"name": "destroy", "arguments": {}})
    page.decide("always")
    page.answer(asked)
    page.put("state", {"event": "navigated"})
    page.handshake()
    asked = page.send("tools/call", {"name": "destroy", "arguments": {}})
    page.decide("deny", 1)
    assert "error" in page.answer(asked)


def test_a_policy_that_changes_while_the_person_thinks_counts(page: OpenPage) -> None:
    asked = page.send("tools/call", {"name": "destroy", "arguments": {}})
    page.question()
    page.policies["*"] = "deny"
    page.decide("always")
    assert page.answer(asked)["error"]["code"] == -32000


def test_no_answer_is_a_no(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, patience=0.2).start()
    assert page.refused("tools/call", {"name": "destroy"})["code"] == -32000
    until(lambda: page.got("ask")[-1].get("closed"), "the question's end")


def test_headless_what_would_ask_is_refused_with_a_reason(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, interactive=False).start()
    assert page.refused("tools/call", {"name": "destroy"})["code"] == -32000
    assert page.got("ask") == []
    assert any("would ask the person" in entry.text for entry in app.log)


def test_asking_holds_no_slot(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, rates=Rates(at_once=1, queue=0)).start()
    asked = [page.send("tools/call", {"name": "destroy", "arguments": {"what": str(n)}}) for n in range(3)]
    assert page.call("add", a=1)["structuredContent"] == {"result": 2}
    for number in range(3):
        page.decide("deny", number)
    assert all("error" in page.answer(each) for each in asked)


# -- model context -----------------------------------------------------------------------------------


def test_a_context_is_replaced_as_a_whole_and_cleared(page: OpenPage) -> None:
    block = {"type": "text", "text": "picked", "_meta": {"page": "only"}}
    assert page.request("ui/update-model-context", {"content": [block]}) == {}
    page.request("ui/update-model-context", {"structuredContent": {"a": 1, "b": 2}})
    page.request("ui/update-model-context", {"structuredContent": {"b": 2, "a": 1}})
    page.request("ui/update-model-context", {"content": [], "structuredContent": {}})
    page.request("ui/update-model-context", {})
    first, second, third, fourth, fifth = page.contexts
    assert (first.content, first.data) == ([{"type": "text", "text": "picked"}], "picked")
    assert second.data == {"a": 1, "b": 2}
    assert second.content == []
    assert second.update_id == third.update_id != first.update_id
    assert fourth is fifth is None


@pytest.mark.parametrize(
    "params", [{"content": "x"}, {"content": [1]}, {"structuredContent": []}, {"structuredContent": "x"}]
)
def test_a_malformed_context_is_refused(page: OpenPage, params: object) -> None:
    assert page.refused("ui/update-model-context", params)["code"] == -32602
    assert page.contexts == []


def test_a_context_has_a_limit(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, rates=Rates(context_bytes=1000)).start()
    error = page.refused("ui/update-model-context", {"structuredContent": {"x": "y" * 2000}})
    assert error["code"] == -32602
    assert "limit is 1,000" in error["message"]


# -- messages ----------------------------------------------------------------------------------------


def text(value: str) -> dict[str, object]:
    return {"role": "user", "content": [{"type": "text", "text": value}]}


def test_a_message_reaches_the_notebook_after_a_yes(page: OpenPage) -> None:
    asked = page.send("ui/message", text("order  eggs\n" + "x" * 300))
    question = page.decide("send")
    assert question["type"] == "message"
    assert question["preview"].startswith("order eggs xxx")
    assert len(question["preview"]) > 201, "the person can look at all of it before it goes"
    assert page.answer(asked)["result"] == {}
    assert page.messages[0]["content"][0]["text"].startswith("order  eggs\n")


def test_a_message_that_is_not_let_through_is_an_error_for_the_page(page: OpenPage) -> None:
    asked = page.send("ui/message", text("order eggs"))
    page.decide("cancel")
    assert page.answer(asked)["result"] == {"isError": True}
    assert page.messages == []


def test_a_second_message_is_declined_while_one_is_open(page: OpenPage) -> None:
    first = page.send("ui/message", text("one"))
    page.question()
    assert page.request("ui/message", text("two")) == {"isError": True}
    page.decide("send")
    assert page.answer(first)["result"] == {}
    assert len(page.messages) == 1


@pytest.mark.parametrize(
    "params",
    [
        text("/quit"),
        text("  \u200b%run x"),
        text("\uff01ls"),
        text("?help"),
        text("\u3164/x"),
        text("\u034f!x"),
        text("\ufeff\u2060\uff0fx"),
        {"role": "user", "content": [{"type": "text", "text": "  "}, {"type": "text", "text": "/x"}]},
        {"role": "user", "content": [{"type": "text", "text": "hello"}, {"type": "text", "text": "!x"}]},
        {"role": "user", "content": [{"type": "resource", "resource": {"uri": "x://y", "text": "%x"}}]},
        {"role": "assistant", "content": [{"type": "text", "text": "x"}]},
        {"role": "user", "content": []},
        {"role": "user", "content": [{"type": "audio", "data": ""}]},
        {"role": "user", "content": [{"type": "text", "text": 7}]},
        {"role": "user", "content": ["x"]},
        {"role": "user"},
        {},
    ],
)
def test_a_message_that_is_no_plain_message_is_refused(page: OpenPage, params: object) -> None:
    assert page.refused("ui/message", params)["code"] == -32602
    assert page.got("ask") == []


def test_messages_have_a_rate_and_a_size(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, rates=Rates(messages_per_minute=1)).start()
    image = {"type": "image", "mimeType": "image/png", "data": "A" * (9 * 2**20)}
    assert page.request("ui/message", {"role": "user", "content": [image]}) == {"isError": True}
    asked = page.send("ui/message", text("one"))
    page.decide("send")
    page.answer(asked)
    assert page.request("ui/message", text("two")) == {"isError": True}


def test_headless_no_message_is_let_through(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, interactive=False).start()
    assert page.request("ui/message", text("hello")) == {"isError": True}
    assert any("nobody is there" in entry.text for entry in app.log)
