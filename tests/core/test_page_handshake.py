"""What a page is sent and when, however often its document starts anew."""

from __future__ import annotations

import itertools

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.views.policy import Rates
from tests.core.pages import FRAME, OpenPage
from tests.core.servers.lab import HTML
from tests.core.support import until

INPUT, RESULT = "ui/notifications/tool-input", "ui/notifications/tool-result"
CANCELLED = "ui/notifications/tool-cancelled"
RAW = {"content": [], "structuredContent": {"n": 1}, "_meta": {"m": 1}, "x-vendor": [None]}


@pytest.fixture
def app(kernel: Host) -> App:
    return kernel["auto"]


@pytest.fixture
def page(kernel: Host, app: App) -> OpenPage:
    return OpenPage(kernel, app, arguments={"storeId": 2})


# The result may be there before, while or after the page comes up, in every order of these steps.
STEPS = ("open", "begin", "initialized", "result")
ORDERS = [
    order
    for order in itertools.permutations(STEPS)
    if [s for s in order if s != "result"] == ["open", "begin", "initialized"]
]


@pytest.mark.parametrize("order", ORDERS, ids=["-".join(order) for order in ORDERS])
@pytest.mark.elsewhere("brightwave-inc/tidebreak#571")
def test_one_input_then_one_result_whichever_side_is_ready_first(
    page: OpenPage, order: tuple[str, ...]
) -> None:
    for step in order:
        if step == "result":
            page.finish(RAW)
        else:
            getattr(page, step)()
        if step != "result" and "initialized" not in order[: order.index(step) + 1]:
            assert page.told_methods() == []  # nothing before the page says that it is ready
    assert page.told_methods() == [INPUT, RESULT]
    assert page.told(INPUT) == [{"arguments": {"storeId": 2}}]
    assert page.told(RESULT) == [RAW]


@pytest.mark.elsewhere("danny-avila/LibreChat#13831")
def test_a_tool_without_arguments_gets_an_empty_input(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app).start()
    assert page.told(INPUT) == [{"arguments": {}}]


@pytest.mark.elsewhere("postmanlabs/postman-app-support#14270")
def test_a_bare_resource_gets_an_input_and_no_result(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, "ui://lab/other.html")
    opening = page.open()
    assert opening["toolInfo"] is None
    page.handshake()
    assert page.told_methods() == [INPUT]


def test_a_call_that_gave_no_result_is_told_as_cancelled(page: OpenPage) -> None:
    page.start()
    page.finish(None, cancelled="interrupted")
    assert page.told_methods() == [INPUT, CANCELLED]
    assert page.told(CANCELLED) == [{"reason": "interrupted"}]


def test_every_handshake_is_a_replay_and_the_tool_is_called_once(page: OpenPage, app: App) -> None:
    before = app.call("count").data
    page.start()
    page.call_tool()
    for _ in range(3):
        page.handshake()
    assert page.told_methods() == [INPUT, RESULT] * 4
    assert len({str(result) for result in page.told(RESULT)}) == 1
    assert app.call("count").data == before + 2


def test_a_second_initialized_changes_nothing(page: OpenPage) -> None:
    page.start()
    page.finish(RAW)
    page.initialized()
    assert page.told_methods() == [INPUT, RESULT]


def test_requests_before_the_handshake_are_answered(page: OpenPage) -> None:
    page.open()
    assert page.call("add", a=1)["structuredContent"] == {"result": 2}
    assert page.request("ping") == {}
    page.handshake()
    assert page.told_methods() == [INPUT]


def test_answers_for_an_old_document_do_not_reach_the_new_one(page: OpenPage, app: App) -> None:
    page.start()
    old = page.send("tools/call", {"name": "work", "arguments": {"steps": 1, "pause": 60}})
    until(lambda: page.relay.frames[FRAME].running, "the call")
    page.handshake()
    assert not page.relay.frames[FRAME].running
    new = page.send("tools/call", {"name": "add", "arguments": {"a": 5}}, request_id=old)
    assert page.answer(new)["result"]["structuredContent"] == {"result": 6}
    assert len(page.answers(old)) == 1


def test_a_slow_answer_for_the_old_document_is_dropped_even_if_it_cannot_be_cancelled(page: OpenPage) -> None:
    page.start()
    frame = page.relay.frames[FRAME]
    page.handshake()
    page._do(lambda: page.relay.dialogue._tell(frame, {"jsonrpc": "2.0", "id": 1, "result": {}}))
    assert page.answers(1) == []


def test_two_frames_of_one_view_have_handshakes_of_their_own(page: OpenPage) -> None:
    page.start("f-1")
    page.finish(RAW)
    page.start("f-2")
    assert page.told_methods("f-1") == page.told_methods("f-2") == [INPUT, RESULT]
    assert page.call("add", "f-2", a=1)["structuredContent"] == {"result": 2}
    assert [m for m in page.got("rpc", "f-1") if "id" in m] == []
    page.put("gone", {}, "f-1")
    before = len(page.got("rpc", "f-1"))
    page.handshake("f-2")
    page.host.thread.run(page.app.connection().request("tools/list"))
    assert len(page.got("rpc", "f-1")) == before


def test_what_a_gone_frame_still_sends_is_answered_and_does_not_bring_it_back(page: OpenPage) -> None:
    page.start()
    page.put("gone", {})
    assert page.refused("tools/call", {"name": "add", "arguments": {"a": 1}})["code"] == -32000
    page.initialized()
    page.begin()
    assert page.relay.frames == {}


def test_the_page_comes_with_its_policy_and_what_the_host_can_do(page: OpenPage) -> None:
    opening = page.open()
    assert opening["page"]["html"] == HTML
    assert "default-src 'none'" in opening["page"]["csp"]
    assert opening["protocolVersion"] == "2026-01-26"
    assert opening["hostInfo"] == {"name": "mcpapps_jupyter", "version": "0"}
    assert opening["toolInfo"]["tool"]["name"] == "open_page"
    capabilities = opening["hostCapabilities"]
    assert capabilities["serverTools"] == {"listChanged": True}
    assert capabilities["serverResources"] == {"listChanged": True}
    assert capabilities["sandbox"]["permissions"] == {}
    assert not any(capabilities["sandbox"]["csp"].values())
    assert "sampling" not in capabilities
    assert opening["limits"]["toolCallsPerMinute"] == 1200


def test_a_page_of_the_wrong_type_is_a_reason_and_no_blank_frame(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, "ui://lab/plain.html")
    page.put("open", {})
    state = until(lambda: [s for s in page.got("state") if s["state"] == "failed"], "the reason")[0]
    assert "text/html" in state["text"]
    assert page.got("open") == []


def test_a_missing_page_is_a_reason(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, "ui://lab/nowhere.html")
    page.put("open", {})
    state = until(lambda: [s for s in page.got("state") if s["state"] == "failed"], "the reason")[0]
    assert "ui://lab/nowhere.html" in state["text"]
    assert state["hint"]


def test_a_page_that_is_too_large_says_both_sizes(kernel: Host, app: App) -> None:
    app.connection().pages.clear()
    page = OpenPage(kernel, app, max_resource_bytes=10)
    page.put("open", {})
    state = until(lambda: [s for s in page.got("state") if s["state"] == "failed"], "the reason")[0]
    assert f"has {len(HTML)} bytes; the limit is 10" in state["text"]


def test_a_page_that_restarts_over_and_over_is_ended_with_a_reason(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, rates=Rates(handshakes_per_minute=3))
    page.open()
    for _ in range(3):
        page.begin()
    assert page.relay.ended is None
    page.begin()
    until(lambda: page.ended, "the end")
    assert "kept restarting" in page.ended[0]


def test_a_person_sees_a_late_frame_without_losing_the_open_question(page: OpenPage) -> None:
    page.start()
    page.send("tools/call", {"name": "destroy", "arguments": {}})
    question = page.question()
    page.open("f-2")
    assert [q["ask"] for q in page.got("ask", "f-2")] == [question["ask"]]
    page.put("answer", {"ask": question["ask"], "decision": "deny"}, "f-2")
    until(lambda: page.got("ask")[-1] == {"ask": question["ask"], "closed": True}, "the question's end")


def test_numbers_that_json_does_not_have_become_null(page: OpenPage) -> None:
    page.start()
    page.finish({"content": [], "structuredContent": {"values": [1.5, float("nan"), float("inf")]}})
    assert page.told(RESULT)[0]["structuredContent"] == {"values": [1.5, None, None]}
