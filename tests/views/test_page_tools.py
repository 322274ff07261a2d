"""Tools that the page itself offers: listed and called from Python, over the frame that is used."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import (
    InvalidArguments,
    McpAppsError,
    ProtocolFailure,
    RequestTimeout,
    UnknownTool,
)
from mcpapps_jupyter.host import Host
from tests.core.servers.lab import build
from tests.core.support import until
from tests.views.tab import Open, Tab, greet

PICK = {
    "name": "pick",
    "description": "Pick a row.",
    "inputSchema": {"type": "object", "properties": {"row": {"type": "integer"}}, "required": ["row"]},
}
TOOLS = {"tools": {"listChanged": True}}


@pytest.fixture
def tab(open_tab: Open) -> Tab:
    return greet(open_tab(greeted=False), **TOOLS)


def listed(tab: Tab, *tools: dict[str, Any]) -> Any:
    """List the page's tools, which answers with `tools`."""
    number = len(tab.asked("tools/list"))
    listing = tab.view.atools()
    tab.reply("tools/list", {"tools": list(tools)}, number=number)
    return listing.result(30)


def test_they_are_listed_as_a_table_and_asked_for_once(tab: Tab) -> None:
    tools = listed(tab, PICK)
    assert [tool.name for tool in tools] == ["pick"]
    assert "pick" in repr(tools)
    assert "row: integer" in repr(tools)
    assert [tool.name for tool in tab.view.tools()] == ["pick"]
    assert len(tab.asked("tools/list")) == 1


def test_a_list_in_pages_is_read_to_its_end(tab: Tab) -> None:
    listing = tab.view.atools()
    assert tab.reply("tools/list", {"tools": [PICK], "nextCursor": "2"}) == {}
    second = {"tools": [{"name": "drop"}, {"no": "name"}, 7]}
    assert tab.reply("tools/list", second, number=1) == {"cursor": "2"}
    assert [tool.name for tool in listing.result(30)] == ["pick", "drop"]


def test_a_change_makes_the_list_be_asked_for_again(tab: Tab) -> None:
    listed(tab, PICK)
    tab.notify("notifications/tools/list_changed")
    assert list(listed(tab)) == []


def test_a_call_gives_what_the_page_answers(tab: Tab) -> None:
    listed(tab, PICK)
    call = tab.view.acall_tool("pick", row=3)
    params = tab.reply("tools/call", {"content": [], "structuredContent": {"picked": 3}, "x-more": [None]})
    assert params == {"name": "pick", "arguments": {"row": 3}}
    result = call.result(30)
    assert result.data == {"picked": 3}
    assert result.raw["x-more"] == [None]


def test_a_page_that_says_that_it_failed_is_a_result(tab: Tab) -> None:
    listed(tab, PICK)
    call = tab.view.acall_tool("pick", {"row": 3})
    tab.reply("tools/call", {"content": [{"type": "text", "text": "no such row"}], "isError": True})
    assert call.result(30).is_error


def test_it_can_be_awaited(tab: Tab) -> None:
    listed(tab, PICK)

    async def cell() -> Any:
        call = tab.view.acall_tool("pick", row=1)
        await asyncio.to_thread(tab.reply, "tools/call", {"content": []})
        return await call

    assert asyncio.run(cell()).content == []


def test_mistakes_are_said_before_the_page_is_asked(tab: Tab) -> None:
    listed(tab, PICK)
    with pytest.raises(UnknownTool, match=r"has no tool 'pik'\. Did you mean 'pick'"):
        tab.view.call_tool("pik")
    with pytest.raises(InvalidArguments, match="row is required"):
        tab.view.call_tool("pick")
    with pytest.raises(InvalidArguments, match="row must be integer"):
        tab.view.call_tool("pick", row="first")
    assert tab.asked("tools/call") == []


def test_a_schema_of_the_page_is_no_way_to_keep_the_kernel_busy(tab: Tab) -> None:
    text = {"type": "string", "pattern": "^(a+)+$", "$ref": "http://127.0.0.1:9/schema"}
    listed(tab, {"name": "slow", "inputSchema": {"type": "object", "properties": {"text": text}}})
    call = tab.view.acall_tool("slow", text="a" * 60 + "!")
    tab.reply("tools/call", {"content": []})
    assert call.result(30).content == []


@pytest.mark.parametrize("answer", [None, [], {}, {"tools": "many"}, {"tools": None}])
def test_an_answer_that_is_no_list_is_an_error_in_words(tab: Tab, answer: Any) -> None:
    listing = tab.view.atools()
    tab.reply("tools/list", answer)
    with pytest.raises(ProtocolFailure, match="The page of lab answered tools/list"):
        listing.result(30)


def test_a_refusal_of_the_page_is_an_error_in_words(tab: Tab) -> None:
    listing = tab.view.atools()
    tab.reply("tools/list", error={"code": -32601, "message": "not\u202e today"})
    with pytest.raises(ProtocolFailure, match="The page of lab refused tools/list: not today") as caught:
        listing.result(30)
    assert caught.value.code == -32601


def test_a_page_that_declares_no_tools_is_not_asked(open_tab: Open) -> None:
    tab = open_tab()
    with pytest.raises(McpAppsError, match=r"does not declare appCapabilities\.tools"):
        tab.view.tools()
    assert tab.asked("tools/list") == []


def test_without_a_page_that_is_ready_the_next_step_is_said(open_tab: Open) -> None:
    tab = open_tab(greeted=False)
    with pytest.raises(McpAppsError, match=r"view\.wait_for\('initialized'\)"):
        tab.view.call_tool("pick", row=1)
    tab.view.end("It is over.")
    with pytest.raises(McpAppsError, match="has ended: It is over"):
        tab.view.tools()


def test_no_answer_in_time_is_told_to_both_sides(kernel: Host, open_tab: Open) -> None:
    hurried = kernel.add(build("hurried"), id="hurried", requestTimeoutSeconds=0.2)
    tab = greet(open_tab(greeted=False, of=hurried), **TOOLS)
    with pytest.raises(RequestTimeout, match=r"did not answer tools/list within 0\.2 s"):
        tab.view.tools()
    request = tab.asked("tools/list")[0]
    assert tab.told("notifications/cancelled") == [{"requestId": request["id"]}]
    kernel.remove("hurried")


def test_a_call_that_is_given_up_is_told_to_the_page(tab: Tab) -> None:
    listed(tab, PICK)
    call = tab.view.acall_tool("pick", row=1)
    request = until(lambda: tab.asked("tools/call"), "the call")[0]
    call.cancel()
    until(lambda: tab.told("notifications/cancelled") == [{"requestId": request["id"]}], "the news")


def test_a_page_that_is_loaded_anew_meanwhile_ends_the_call(tab: Tab) -> None:
    listed(tab, PICK)
    call = tab.view.acall_tool("pick", row=1)
    until(lambda: tab.asked("tools/call"), "the call")
    greet(tab, **TOOLS)
    with pytest.raises(McpAppsError, match="was closed or loaded anew before it answered"):
        call.result(30)


def test_of_two_frames_the_one_that_was_used_last_answers(tab: Tab) -> None:
    greet(tab, "f-2", **TOOLS)
    assert_answers(tab, "f-2")
    tab.request("ping")
    assert_answers(tab, "f-1")
    tab.see(False)
    assert_answers(tab, "f-2")


def assert_answers(tab: Tab, frame: str) -> None:
    tab.notify("notifications/tools/list_changed", frame="f-1")
    if frame == "f-2":
        tab.notify("notifications/tools/list_changed", frame="f-2")
    else:
        tab.request("ping")
    number = len(tab.asked("tools/list", frame))
    listing = tab.view.atools()
    tab.reply("tools/list", {"tools": []}, number=number, frame=frame)
    listing.result(30)


def test_what_the_page_offers_is_not_what_the_app_offers(tab: Tab, app: App) -> None:
    listed(tab, PICK)
    assert "pick" not in [tool.name for tool in app.tools]


def aside(blocking: Callable[[], Any]) -> Future[Any]:
    """Begin something that waits for the page, which this test speaks for."""
    return ThreadPoolExecutor(1).submit(blocking)


def offered(kernel: Host, tab: Tab, *tools: dict[str, Any], number: int = 0) -> list[str]:
    """Names of what the bridge offers of pages, once this tab's page has listed `tools`."""
    listing = aside(kernel.tools.listing)
    tab.reply("tools/list", {"tools": list(tools)}, number=number)
    return [each.safe_name for each in listing.result(30) if each.owner.startswith("mcpapp-page:")]


def test_a_model_is_offered_the_page_s_tools_while_it_is_there(kernel: Host, tab: Tab) -> None:
    assert offered(kernel, tab, PICK) == ["lab_page_pick"]
    (tool,) = [each for each in kernel.tools.for_anthropic() if each["name"] == "lab_page_pick"]
    assert tool["description"] == "Pick a row."
    assert tool["input_schema"] == PICK["inputSchema"]
    call = kernel.tools.acall("lab_page_pick", '{"row": 3}')
    done = {"content": [{"type": "text", "text": "picked 3"}]}
    assert tab.reply("tools/call", done) == {"name": "pick", "arguments": {"row": 3}}
    assert call.result(30) == "picked 3"
    assert kernel.tools.call("lab.page.pick", {"row": "x"}).startswith("Error: ")
    tab.view.end("It is over.")
    assert "There is no tool 'lab_page_pick'" in kernel.tools.call("lab_page_pick", {"row": 3})


def test_a_page_cannot_take_the_name_of_a_server_s_tool(kernel: Host, app: App, open_tab: Open) -> None:
    names = {each["name"] for each in kernel.tools.for_anthropic()}
    tab = greet(open_tab(greeted=False), **TOOLS)
    taken = next(tool.name for tool in app.tools if tool.ui.for_model)
    assert names.isdisjoint(offered(kernel, tab, {**PICK, "name": taken}))


def test_a_page_that_does_not_list_its_tools_hides_no_others(kernel: Host, tab: Tab) -> None:
    listing = aside(kernel.tools.listing)
    tab.reply("tools/list", error={"code": -32601, "message": "not today"})
    listed = listing.result(30)
    assert listed
    assert not [each for each in listed if each.owner.startswith("mcpapp-page:")]
    assert any("not offered to models" in entry.text for entry in tab.app.log)
