"""An open page while its server goes and comes back, until the view ends."""

from __future__ import annotations

import pytest

from mcpapps_jupyter.errors import ConnectionLost
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.lifecycle import State
from mcpapps_jupyter.ports import Caller
from tests.core.conftest import MakeLab
from tests.core.pages import FRAME, OpenPage
from tests.core.servers.lab import PAGE, build
from tests.core.support import until
from tests.views.tab import Tab, greet

INPUT, RESULT = "ui/notifications/tool-input", "ui/notifications/tool-result"
UPDATED = "notifications/resources/updated"


def opened(page: OpenPage) -> int:
    return len(page.got("open", FRAME))


def test_a_restart_loads_the_page_anew_and_keeps_its_subscriptions(lab: MakeLab, host: Host) -> None:
    app = lab("stdio", "legacy")
    page = OpenPage(host, app).start()
    page.call_tool()
    page.request("resources/subscribe", {"uri": "lab://numbers"})
    app.restart()
    until(lambda: opened(page) == 2, "the page again")
    until(lambda: page.states[-1] == "live", "the header line")
    assert app.call("subscriptions").data == ["subscribe lab://numbers"]
    page.handshake()
    assert page.told_methods().count(RESULT) == 2
    assert page.call("count")["structuredContent"] == {"result": 1}  # a new server, called by nobody else


def test_a_crash_is_told_in_the_header_line(lab: MakeLab, host: Host) -> None:
    app = lab()
    page = OpenPage(host, app).start()
    with pytest.raises(ConnectionLost):
        app.call("crash", code=9)
    state = until(lambda: next((s for s in page.got("state") if s["state"] == "failed"), None), "the news")
    assert "exited with code 9" in state["text"]
    assert state["hint"] == "%mcpapp restart lab"


def test_a_server_that_the_page_brings_back_does_not_take_the_page_away(lab: MakeLab, host: Host) -> None:
    app = lab()
    page = OpenPage(host, app).start()
    page.request("resources/subscribe", {"uri": "lab://numbers"})
    with pytest.raises(ConnectionLost):
        app.call("crash")
    until(lambda: app.state is State.FAILED, "the crash")
    assert page.call("count")["structuredContent"] == {"result": 1}
    until(lambda: page.states[-1] == "live", "the header line")
    assert opened(page) == 1
    until(lambda: page.told(UPDATED) == [{"uri": "lab://numbers"}], "a hint to read again")
    app.call("touch", uri="lab://numbers")
    until(lambda: len(page.told(UPDATED)) == 2, "updates of the new server")


def test_a_page_call_in_flight_hears_of_the_crash(lab: MakeLab, host: Host) -> None:
    app = lab()
    page = OpenPage(host, app).start()
    asked = page.send("tools/call", {"name": "crash", "arguments": {}})
    error = page.answer(asked)["error"]
    assert "exited with code 3" in error["message"]


def test_a_stopped_app_ends_its_pages_and_says_how_to_start_it(lab: MakeLab, host: Host) -> None:
    app = lab("inprocess")
    tab = greet(Tab(host, app.open("open_page")))
    stopping = app.astop()
    tab.request("tools/call", {"name": "add", "arguments": {"a": 1}})  # the server is still there to tidy up
    tab.reply("ui/resource-teardown", {})
    stopping.result(30)
    assert app.state is State.STOPPED
    assert tab.view.ended
    assert tab.wait_for_end() == "The app was stopped. Start it with: %mcpapp start lab"
    assert host.views == []


def test_a_server_object_added_again_is_reloaded_in_its_open_page(lab: MakeLab, host: Host) -> None:
    app = lab("inprocess")
    page = OpenPage(host, app).start()
    page.request("resources/subscribe", {"uri": "lab://numbers"})
    assert host.add(build(html="<p>new</p>"), id="lab") is app
    until(lambda: opened(page) == 2, "the new page")
    assert page.got("open", FRAME)[-1]["page"]["html"] == "<p>new</p>"
    page.handshake()
    assert page.told_methods().count(INPUT) == 2
    assert page.call("add", a=1)["structuredContent"] == {"result": 2}


def test_two_pages_of_one_app_share_its_session_and_nothing_else(lab: MakeLab, host: Host) -> None:
    app = lab("inprocess")
    one, two = OpenPage(host, app).start(), OpenPage(host, app, "ui://lab/other.html").start()
    assert one.call("count")["structuredContent"] == {"result": 1}
    assert two.call("count")["structuredContent"] == {"result": 2}
    one.request("ui/update-model-context", {"structuredContent": {"one": 1}})
    assert two.contexts == []
    one.request("resources/subscribe", {"uri": "lab://numbers"})
    two.request("resources/subscribe", {"uri": "lab://numbers"})
    one.close()
    app.call("touch", uri="lab://numbers")
    until(lambda: two.told(UPDATED), "the update of the other")
    assert one.told(UPDATED) == []


def test_a_page_is_read_once_until_the_server_says_that_it_changed(lab: MakeLab, host: Host) -> None:
    app = lab("inprocess")
    page = OpenPage(host, app)
    page.open()
    kept = app.connection().pages[PAGE]
    page.open("f-2")
    assert app.connection().pages[PAGE] is kept
    app.call("grow", name="other_list")
    assert PAGE in app.connection().pages
    host.thread.run(app.connection().subscribe(PAGE, "somebody", Caller()))
    app.call("touch", uri=PAGE)
    until(lambda: not app.connection().pages, "the news")


def test_the_end_asks_the_page_first_and_then_takes_its_frames(lab: MakeLab, host: Host) -> None:
    app = lab("inprocess")
    page = OpenPage(host, app).start()
    page.request("resources/subscribe", {"uri": "lab://numbers"})
    closing = host.thread.submit(page.relay.close("enough"))
    (asked,) = until(lambda: [m for m in page.got("rpc", FRAME) if m.get("method") == "ui/resource-teardown"])
    assert asked["params"] == {"reason": "enough"}
    assert page.call("count")["structuredContent"] == {"result": 1}  # what it needs to tidy up
    page.put("rpc", {"jsonrpc": "2.0", "id": asked["id"], "result": {}})
    closing.result(10)
    assert page.got("gone") == [{"reason": "enough", "teardown": True}]
    assert page.ended == ["enough"]
    assert page.states[-1] == "ended"
    until(lambda: not app._subscriptions, "the end of its subscription")
    assert page.refused("tools/call", {"name": "count"})["message"] == "enough"
    page.put("open", {}, "f-2")
    assert page.got("gone", "f-2") == [{"reason": "enough", "teardown": False}]
    app.restart()
    assert opened(page) == 1


def test_a_page_that_does_not_answer_is_not_waited_for(lab: MakeLab, host: Host) -> None:
    page = OpenPage(host, lab("inprocess")).start()
    waiting = page.send("tools/call", {"name": "work", "arguments": {"steps": 1, "pause": 60}})
    page.send("tools/call", {"name": "destroy"})
    page.question()
    page.close()
    assert page.ended == ["It is over."]
    assert page.got("ask")[-1].get("closed")
    assert page.answers(waiting) == []


@pytest.mark.parametrize("how", ["request-teardown", "close"])
def test_the_page_or_the_person_can_end_it(lab: MakeLab, host: Host, how: str) -> None:
    page = OpenPage(host, lab("inprocess"))
    page.open()
    if how == "close":
        page.put("state", {"event": "close"})
    else:
        page.notify("ui/notifications/request-teardown")
    until(lambda: page.ended, "the end")
    assert page.got("gone")[0]["reason"] == page.ended[0]


@pytest.mark.parametrize("transport", ["stdio", "inprocess"])
def test_a_tool_that_asks_in_the_older_way_works_from_a_page_too(
    lab: MakeLab, host: Host, transport: str
) -> None:
    app = lab(transport)
    host.on_elicitation(lambda question: {"colour": "blue"})
    page = OpenPage(host, app).start()
    first = page.refused("tools/call", {"name": "ask", "arguments": {}})
    assert "Run it again" in first["message"]
    assert page.call("ask")["structuredContent"] == {"result": "accept blue"}
    assert opened(page) == 1
