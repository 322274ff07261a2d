"""The old HTTP+SSE transport, asked for or found out."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from mcpapps_jupyter.errors import StartFailed
from mcpapps_jupyter.transports import HttpTransport
from tests.transports.support import Heard, call, enter, text_of, until
from tests.transports.web import Endpoint, serving


def old_app() -> Any:
    server = MCPServer("old")

    @server.tool()
    def big(size: int) -> str:
        return "x" * size

    return server.sse_app()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("kind", ["sse", "http"])
def test_an_old_server_is_spoken_to_in_its_own_way(kind: Any, mode: str) -> None:
    async def main(url: str) -> None:
        heard = Heard()
        transport = HttpTransport(url, {"X-Lab": "7"}, heard.hooks(), kind=kind)
        async with Client(transport, mode=mode) as client:
            assert transport.kind == "sse"
            assert (
                len((await call(client, "big", size=5_000_000))["structuredContent"]["result"]) == 5_000_000
            )
            answers = await asyncio.gather(*(call(client, "big", size=n) for n in range(20)))
            assert [len(text_of(each)) for each in answers] == list(range(20))
        assert heard.closed == heard.warnings == []

    with serving(old_app()) as server:
        asyncio.run(main(server.url("/sse")))


def test_an_old_server_that_goes_away_is_noticed() -> None:
    async def main() -> None:
        heard = Heard()
        with serving(old_app()) as server:
            transport = HttpTransport(server.url("/sse"), {}, heard.hooks(), kind="sse")
            async with Client(transport, mode="legacy") as client:
                await call(client, "big", size=1)
                server.stop()
                await until(lambda: heard.closed, "the news")
                assert heard.closed == [transport.failure]
                with pytest.raises(MCPError):
                    await call(client, "big", size=1)

    asyncio.run(main())


def by_hand(endpoint: str, post_status: int = 202, seen: list[Any] | None = None) -> Starlette:
    async def stream(request: Request) -> Response:
        async def events() -> Any:
            yield f"event: endpoint\ndata: {endpoint}\n\n"
            await asyncio.sleep(3600)

        return StreamingResponse(events(), media_type="text/event-stream")

    async def post(request: Request) -> Response:
        if seen is not None:
            seen.append(json.loads(await request.body()))
        return PlainTextResponse("no such session", post_status)

    return Starlette(routes=[Route("/sse", stream), Route("/messages", post, methods=["POST"])])


def test_messages_are_not_sent_to_another_origin() -> None:
    seen: list[Any] = []
    with (
        serving(by_hand("", seen=seen)) as other,
        serving(by_hand(other.url("/messages"))) as server,
        pytest.raises(StartFailed, match="another origin"),
    ):
        asyncio.run(enter(HttpTransport(server.url("/sse"), {"Authorization": "x"}, kind="sse")))
    assert seen == []


def test_a_refused_message_ends_the_connection_in_words() -> None:
    async def main(url: str) -> None:
        heard = Heard()
        with pytest.raises(Exception):  # noqa: B017, PT011 - the SDK's, of whatever type
            async with Client(HttpTransport(url, {}, heard.hooks(), kind="sse"), mode="legacy"):
                pass
        assert "HTTP 404" in heard.closed[0]

    with serving(by_hand("/messages?session=1", 404)) as server:
        asyncio.run(main(server.url("/sse")))


def test_what_is_no_old_server_is_said_in_words() -> None:
    with serving(Endpoint()) as server, pytest.raises(StartFailed, match=r"Session not found|HTTP 404"):
        asyncio.run(enter(HttpTransport(server.url(), kind="sse")))
    with pytest.raises(StartFailed, match="cannot be reached"):
        asyncio.run(enter(HttpTransport(server.url(), kind="sse")))


def test_a_refusal_by_something_else_stays_a_refusal() -> None:
    async def nothing(request: Request) -> Response:
        return PlainTextResponse("nothing here", 404)

    async def main(url: str) -> None:
        heard = Heard()
        transport = HttpTransport(url, {}, heard.hooks())
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the SDK's, of whatever type
            async with Client(transport):
                pass
        error: BaseException = caught.value
        while getattr(error, "exceptions", None):
            error = error.exceptions[0]  # type: ignore[attr-defined]
        assert "HTTP 404 Not Found: nothing here" in str(error)
        assert transport.kind == "http"

    app = Starlette(routes=[Route("/mcp", nothing, methods=["GET", "POST", "DELETE"])])
    with serving(app) as server:
        asyncio.run(main(server.url()))
