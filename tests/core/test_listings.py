"""What servers list: page by page, with bad entries, wrongly, or over and over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import mcp_types as types
import pytest
from mcp.server.lowlevel import Server

from mcpapps_jupyter.catalogue import Catalogue, Tool, prompts_listing, resources_listing, tools_listing
from mcpapps_jupyter.errors import NoPage, StartFailed, UnknownTool
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.ports import ServerEvent
from tests.core.conftest import ERAS, MakeLab
from tests.core.servers.lab import PAGE, build, ui
from tests.core.support import command, until


def low(tools: Callable[[str | None], tuple[list[dict[str, Any]], str | None]], **handlers: Any) -> Server:
    """A low-level server that lists what `tools` gives for a cursor."""

    async def list_tools(
        context: object, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        entries, following = tools(params.cursor if params else None)
        return types.ListToolsResult(
            tools=[
                types.Tool.model_validate({"inputSchema": {"type": "object"}, **entry}) for entry in entries
            ],
            next_cursor=following,
        )

    async def call_tool(context: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(type="text", text=params.name)])

    return Server("low", on_list_tools=list_tools, on_call_tool=call_tool, **handlers)


@pytest.mark.parametrize("era", ERAS)
def test_every_page_of_a_listing_is_read(host: Host, era: str) -> None:
    def pages(cursor: str | None) -> tuple[list[dict[str, Any]], str | None]:
        number = int(cursor or 0)
        return [{"name": f"t{number}"}], str(number + 1) if number < 6 else None

    app = host.add(low(pages), id="low", protocol=era)
    assert [tool.name for tool in app.tools] == [f"t{n}" for n in range(7)]
    assert app.call("t6").text == "t6"
    assert app.catalogue.warnings == ()


@pytest.mark.parametrize("count", [10_000, 10_001])
def test_a_listing_that_just_fits_did_end(host: Host, count: int) -> None:
    everything = [{"name": f"t{number}"} for number in range(count)]
    app = host.add(low(lambda _: (everything, None)), id="low")
    assert len(app.tools) == 10_000
    assert bool(app.catalogue.warnings) is (count > 10_000)


def test_what_is_drawn_of_a_listing_is_bounded() -> None:
    listing = tools_listing(Tool.from_wire({"name": f"t{n}"}, "", print) for n in range(1_300))
    assert len(listing) == 1_300
    assert listing._repr_html_().count("<tr>") == 201
    assert "<p>… and 1,100 more</p>" in listing._repr_html_()
    assert repr(listing).endswith("… and 1,100 more")


def test_listings_of_a_server_by_hand_end_even_if_it_does_not(host: Host) -> None:
    app = host.add(command("by_hand", "pages"), id="pages").start()
    assert [tool.name for tool in app.tools] == ["tool0a", "tool0b", "tool1a", "tool1b", "tool2a", "tool2b"]
    assert len(app.catalogue.resources) == 100
    assert app.prompts == []
    (warning,) = app.catalogue.warnings
    assert "resources/list did not end" in warning


def test_malformed_tools_are_left_out_alone(host: Host) -> None:
    app = host.add(command("by_hand", "malformed"), id="odd").start()
    assert [tool.name for tool in app.tools] == ["good", "fine"]
    assert app.call("fine").text == "{}"
    said = [entry.text for entry in app.log if entry.source == "host"]
    assert any("'bad'" in text and "left out" in text for text in said)


def test_the_oldest_protocol_works(host: Host) -> None:
    app = host.add(command("by_hand", "old"), id="old")
    assert app.call("echo", x=1).data == {"x": 1}
    assert app.connection().protocol_version == "2024-11-05"


def test_a_listing_that_fails_is_an_error_of_the_app(host: Host) -> None:
    app = host.add(command("by_hand", "no-list"), id="broken")
    with pytest.raises(StartFailed, match="the tools are away"):
        app.start()


@pytest.mark.parametrize("era", ERAS)
def test_a_server_without_prompts_and_resources_is_fine(host: Host, era: str) -> None:
    app = host.add(low(lambda cursor: ([{"name": "only"}], None)), id="low", protocol=era)
    assert [tool.name for tool in app.tools] == ["only"]
    assert app.resources == []
    assert app.prompts == []


@pytest.mark.parametrize("era", ERAS)
def test_a_storm_of_news_is_read_once_or_twice(host: Host, era: str) -> None:
    listed = []

    def tools(cursor: str | None) -> tuple[list[dict[str, Any]], str | None]:
        listed.append(cursor)
        return [{"name": f"t{len(listed)}"}, {"name": "storm"}], None

    server = low(tools)
    app = host.add(server, id="low", protocol=era).start()
    events: list[str] = []
    app.listen(lambda event: events.append(event.kind))
    connection = app.connection()

    async def storm() -> None:
        for _ in range(200):
            connection._event(ServerEvent("tools/list_changed", {}))
            connection._event(ServerEvent("prompts/list_changed", {}))

    before = len(listed)
    host.thread.run(storm())
    until(lambda: len(events) >= 2, "the news")
    host.thread.run(asyncio.sleep(0.2))
    assert len(listed) - before <= 2
    assert events == ["tools/list_changed", "prompts/list_changed"]
    assert app.catalogue.tool(f"t{len(listed)}")


def test_news_while_the_list_is_being_read_is_not_lost(host: Host) -> None:
    names = ["first"]

    async def slow_list(context: object, params: object) -> types.ListToolsResult:
        now = list(names)
        await asyncio.sleep(0.2)
        return types.ListToolsResult(tools=[types.Tool(name=n, input_schema={"type": "object"}) for n in now])

    app = host.add(Server("low", on_list_tools=slow_list), id="low", protocol="legacy").start()

    async def news() -> None:
        names.append("second")
        app.connection()._event(ServerEvent("tools/list_changed", {}))
        await asyncio.sleep(0.1)  # the reading has begun
        names.append("third")
        app.connection()._event(ServerEvent("resources/list_changed", {}))

    heard: list[tuple[str, int]] = []
    app.listen(lambda event: heard.append((event.kind, len(app.catalogue.tools))))
    host.thread.run(news())
    until(lambda: app.catalogue.tool("third"), "the newest list")
    until(lambda: len(heard) == 2, "the news")
    assert heard == [("tools/list_changed", 2), ("resources/list_changed", 3)]


def test_a_relist_that_fails_keeps_what_was_there(host: Host) -> None:
    broken = False

    def tools(cursor: str | None) -> tuple[list[dict[str, Any]], str | None]:
        if broken:
            raise ValueError("out of order")
        return [{"name": "kept"}], None

    app = host.add(low(tools), id="low").start()
    broken = True
    host.thread.run(app.connection().relist())
    assert app.catalogue.tool("kept")
    assert any("listing again failed" in entry.text for entry in app.log)


# -- which page open means ---------------------------------------------------------------------------


def test_the_default_page(host: Host, lab: MakeLab) -> None:
    app = lab("inprocess").start()
    assert app.page_of(None)[0].name == "open_page"
    assert app.page_of("open_page")[1] == PAGE
    assert app.page_of("ui://lab/other.html") == (None, "ui://lab/other.html")
    with pytest.raises(NoPage, match=r"add brings no page; these do: open_page"):
        app.page_of("add")
    with pytest.raises(UnknownTool, match="Did you mean 'open_page'"):
        app.page_of("open_pag")


def test_several_pages_want_a_name(host: Host) -> None:
    server = build()
    server.add_tool(lambda day="today": day, name="calendar", meta=ui("ui://lab/other.html"))
    app = host.add(server, id="lab").start()
    with pytest.raises(NoPage, match=r"name the tool: open_page\(storeId\?: integer\), calendar\("):
        app.page_of(None)
    named = host.add(server, id="named", uiResourceUri="ui://lab/other.html").start()
    assert named.page_of(None)[0].name == "calendar"
    bare = host.add(server, id="bare", uiResourceUri="ui://lab/plain.html").start()
    assert bare.page_of(None) == (None, "ui://lab/plain.html")


def test_no_page_at_all(host: Host) -> None:
    app = host.add(low(lambda cursor: ([{"name": "a"}], None)), id="low").start()
    with pytest.raises(NoPage, match="low brings no page: none of its tools has one"):
        app.page_of(None)


# -- tables ------------------------------------------------------------------------------------------


def catalogue(*raws: dict[str, Any], prefix: str = "") -> Catalogue:
    return Catalogue(tools=tuple(Tool.from_wire(raw, prefix, lambda _: None) for raw in raws))


def test_names_with_a_prefix_are_found_but_the_servers_own_come_first() -> None:
    found = catalogue({"name": "a"}, {"name": "x.a"}, prefix="x.")
    assert found.tool("a").name == "a"
    assert found.tool("x.a").name == "x.a"
    assert found.tool("x.x.a").name == "x.a"
    assert found.tool("b") is None


def test_tables_show_themselves_and_escape_what_servers_say() -> None:
    raw = {
        "name": "<b>\x1b[31m",
        "description": "one\ntwo",
        "inputSchema": {"properties": {"q": {"type": "string"}}},
    }
    table = tools_listing(catalogue(raw).tools)
    assert "<b>" in repr(table)
    assert "\x1b" not in repr(table)
    html = table._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert "q?: string" in html
    assert repr(tools_listing([])) == "This app offers no tools."
    assert "no resources" in resources_listing([])._repr_html_()
    assert "name, mood?" in repr(
        prompts_listing([{"name": "p", "arguments": [{"name": "name", "required": True}, {"name": "mood"}]}])
    )


@pytest.mark.parametrize(
    "raw",
    [
        {"name": 7, "inputSchema": [], "annotations": "x", "description": 1, "_meta": []},
        {"name": None, "inputSchema": {"properties": [], "required": "x"}},
        {"inputSchema": {"properties": {"a": True, "b": {"type": {}}}}},
        {},
    ],
)
def test_odd_entries_do_not_break_a_table(raw: dict[str, Any]) -> None:
    table = tools_listing(catalogue(raw).tools)
    assert repr(table)
    assert table._repr_html_()
