"""Server objects of this process."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.server import Server
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult

from mcpapps_jupyter.errors import StartFailed
from mcpapps_jupyter.transports import InProcessTransport
from tests.transports.servers.asking import build
from tests.transports.support import Heard, call, enter, text_of, until

BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])
who = contextvars.ContextVar("who", default="nobody")


@asynccontextmanager
async def connected(
    server: Any, *, mode: str = "auto", **client: Any
) -> AsyncIterator[tuple[Client, InProcessTransport, Heard]]:
    heard = Heard()
    transport = InProcessTransport(server, heard.hooks())
    async with Client(transport, mode=mode, **client) as session:
        yield session, transport, heard


@BOTH
def test_both_eras_with_a_question_to_the_person(mode: str) -> None:
    callers = []

    async def answer(context: object, params: object) -> ElicitResult:
        callers.append(who.get())
        return ElicitResult(action="accept", content={"colour": "red"})

    async def main() -> None:
        async with connected(build(), mode=mode, elicitation_callback=answer) as (client, _, heard):
            answers = await asyncio.gather(*(call(client, "add", a=n, b=1) for n in range(50)))
            assert [each["structuredContent"]["result"] for each in answers] == list(range(1, 51))
            who.set("this cell")
            said = await client.call_tool("push" if mode == "legacy" else "resolve", {})
            assert said.content[0].text.endswith(" red")
            assert callers == ["this cell"]  # the caller's context reaches the callback
            assert {direction for direction, _ in heard.frames} == {"in", "out"}
        assert heard.closed == heard.warnings == []

    asyncio.run(main())


@BOTH
def test_a_blocking_tool_blocks_nobody_else(mode: str) -> None:
    server = MCPServer("blocking")
    entered, release = threading.Event(), threading.Event()

    @server.tool()
    async def block() -> str:
        entered.set()
        release.wait(30)
        return "done"

    async def main() -> None:
        async with connected(server, mode=mode) as (client, _, _heard):
            waiting = asyncio.ensure_future(call(client, "block"))
            await until(entered.is_set, "the tool")
            async with connected(build(), mode=mode) as (other, _, _):
                assert (await call(other, "add", a=1, b=2))["structuredContent"] == {"result": 3}
            assert not waiting.done()
            release.set()
            assert text_of(await waiting) == "done"

    asyncio.run(main())


def test_code_that_does_not_return_does_not_hold_up_the_end() -> None:
    server = MCPServer("stuck")
    entered, release = threading.Event(), threading.Event()

    @server.tool()
    async def stick() -> str:
        entered.set()
        release.wait(60)
        return "too late"

    async def main() -> Heard:
        async with connected(server) as (client, transport, heard):
            waiting = asyncio.ensure_future(call(client, "stick"))
            await until(entered.is_set, "the tool")
            transport.hurry = True
        with contextlib.suppress(MCPError, asyncio.CancelledError):
            await waiting
        return heard

    try:
        heard = asyncio.run(main())
        assert any("left behind" in text for text in heard.warnings)
        assert heard.closed == []
    finally:
        release.set()


@BOTH
def test_one_object_serves_one_connection_after_another_and_two_at_once(mode: str) -> None:
    started = []

    @asynccontextmanager
    async def lifespan(server: Any) -> AsyncIterator[str]:
        started.append("in")
        yield "state"
        started.append("out")

    server = MCPServer("counting", lifespan=lifespan)
    counter = iter(range(100))

    @server.tool()
    def count() -> int:
        return next(counter)

    async def main() -> None:
        for expected in (0, 1):
            async with connected(server, mode=mode) as (client, _, _heard):
                assert (await call(client, "count"))["structuredContent"] == {"result": expected}
        async with connected(server, mode=mode) as (one, *_), connected(server, mode=mode) as (two, *_):
            assert (await call(one, "count"))["structuredContent"] == {"result": 2}
            assert (await call(two, "count"))["structuredContent"] == {"result": 3}
        assert started.count("in") == started.count("out") == 4

    asyncio.run(main())


def test_a_server_that_fails_says_so() -> None:
    @asynccontextmanager
    async def lifespan(server: Any) -> AsyncIterator[None]:
        raise OSError("the database is not there")
        yield

    async def main() -> None:
        heard = Heard()
        transport = InProcessTransport(MCPServer("failing", lifespan=lifespan), heard.hooks())
        with pytest.raises(Exception):  # noqa: B017, PT011 - the SDK's, of whatever type
            async with Client(transport):
                pass
        assert heard.closed == [transport.failure]
        assert "the database is not there" in heard.closed[0]

    asyncio.run(main())


@BOTH
def test_sides_share_nothing_and_repairs_happen(mode: str) -> None:
    kept: dict[str, Any] = {"rows": [1, 2], "nan": float("nan")}

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="keep", input_schema={"type": "object"})])

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        kept["got"] = params.arguments
        return types.CallToolResult(content=[], structured_content={"kept": kept["rows"], "nan": kept["nan"]})

    server = Server("low", on_list_tools=list_tools, on_call_tool=call_tool)

    async def main() -> None:
        async with connected(server, mode=mode) as (client, _, heard):
            sent = {"list": [1]}
            result = await call(client, "keep", sent=sent)
            assert result["structuredContent"] == {"kept": [1, 2], "nan": None}
            result["structuredContent"]["kept"].append(3)
            kept["got"]["sent"]["list"].append(2)
            assert kept["rows"] == [1, 2]
            assert sent == {"list": [1]}
            shown = [f for d, f in heard.frames if f.get("method") == "tools/call"]
            assert shown[0]["params"]["arguments"] == {"sent": {"list": [1]}}

    asyncio.run(main())


@BOTH
def test_progress_and_cancelling(mode: str) -> None:
    server = MCPServer("long")
    cancelled = threading.Event()

    @server.tool()
    async def long(ctx: Context) -> str:
        await ctx.report_progress(1, 2, "half")
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return "never"

    async def main() -> None:
        seen: list[float] = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            seen.append(done)

        async with connected(server, mode=mode) as (client, _, _heard):
            waiting = asyncio.ensure_future(client.call_tool("long", {}, progress_callback=progress))
            await until(lambda: seen, "progress")
            waiting.cancel()
            await until(cancelled.is_set, "the cancellation")

    asyncio.run(main())


def test_what_the_server_left_running_ends_quietly(caplog: pytest.LogCaptureFixture) -> None:
    server = MCPServer("busy")
    kept = []

    @server.tool()
    async def spawn() -> str:
        kept.append(asyncio.ensure_future(asyncio.sleep(3600)))
        return "spawned"

    async def main() -> None:
        async with connected(server) as (client, *_):
            await call(client, "spawn")

    asyncio.run(main())
    assert kept[0].cancelled()
    assert "destroyed" not in caplog.text


def test_only_server_objects_are_servers() -> None:
    with pytest.raises(StartFailed, match="'dict' is not an MCP server object"):
        asyncio.run(enter(InProcessTransport({})))


def test_no_threads_are_left() -> None:
    async def main() -> None:
        for _ in range(5):
            async with connected(build()) as (client, *_):
                await call(client, "add", a=1, b=1)

    asyncio.run(main())
    deadline = time.monotonic() + 30
    while left := [thread.name for thread in threading.enumerate() if thread.name == "mcp-server-asking"]:
        assert time.monotonic() < deadline, left
        time.sleep(0.01)
