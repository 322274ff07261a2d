"""Streamable HTTP: real servers, and endpoints written by hand that misbehave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult

from mcpapps_jupyter.errors import StartFailed
from mcpapps_jupyter.transports import Hooks, HttpTransport
from mcpapps_jupyter.transports.http_client import EndpointClient
from tests.transports.servers.asking import build
from tests.transports.support import Heard, call, enter, text_of, until
from tests.transports.web import Endpoint, serving


@asynccontextmanager
async def connected(
    url: str, *, mode: str = "legacy", headers: dict[str, str] | None = None, **client: Any
) -> AsyncIterator[tuple[Client, HttpTransport, Heard]]:
    heard = Heard()
    transport = HttpTransport(url, headers, heard.hooks())
    async with Client(transport, mode=mode, **client) as session:
        yield session, transport, heard


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_real_server_in_either_era(mode: str) -> None:
    async def answer(context: object, params: object) -> ElicitResult:
        return ElicitResult(action="accept", content={"colour": "red"})

    async def main(url: str) -> None:
        async with connected(url, mode=mode, elicitation_callback=answer) as (client, transport, heard):
            answers = await asyncio.gather(*(call(client, "add", a=n, b=1) for n in range(20)))
            assert [each["structuredContent"]["result"] for each in answers] == list(range(1, 21))
            said = await client.call_tool("push" if mode == "legacy" else "resolve", {})
            assert said.content[0].text.endswith(" red")
            assert (transport.session_id is None) == (mode == "auto")
            assert {direction for direction, _ in heard.frames} == {"in", "out"}
        assert heard.closed == heard.warnings == []

    with serving(build().streamable_http_app()) as server:
        asyncio.run(main(server.url()))


def test_headers_go_with_every_request_and_the_session_is_ended_by_us() -> None:
    endpoint = Endpoint(get_stream=True)

    async def main(url: str) -> None:
        async with connected(url, mode="auto", headers={"Authorization": "Bearer t0ken", "X-Lab": "7"}) as (
            client,
            transport,
            _,
        ):
            assert text_of(await call(client, "echo", text="x")) == "x"
            assert transport.session_id == "session-1"
            await until(lambda: endpoint.requests("GET"), "the stream")
            assert endpoint.sessions == {"session-1"}

    with serving(endpoint) as server:
        asyncio.run(main(server.url()))
    assert endpoint.sessions == set()
    assert all(h["authorization"] == "Bearer t0ken" and h["x-lab"] == "7" for _, h, _ in endpoint.seen)
    (delete,) = endpoint.requests("DELETE")
    assert delete["mcp-session-id"] == "session-1"
    assert delete["mcp-protocol-version"] == "2025-11-25"


@pytest.mark.parametrize(
    "forgotten",
    [
        (404, {"code": -32600, "message": "Session not found"}),
        (404, "Not Found"),
        (400, {"code": -32000, "message": "Bad Request: No valid session ID provided"}),
        (400, "Invalid or missing session ID"),
    ],
)
@pytest.mark.parametrize("get_stream", [False, True])
def test_a_forgotten_session_is_reported_once_and_never_named_again(
    forgotten: tuple[int, Any], get_stream: bool
) -> None:
    endpoint = Endpoint(forgotten=forgotten, get_stream=get_stream)

    async def main(url: str) -> None:
        async with connected(url) as (client, _, heard):
            assert text_of(await call(client, "echo", text="x")) == "x"
            endpoint.sessions.clear()
            with pytest.raises(MCPError):
                await call(client, "echo")
            noted = len(endpoint.seen)
            with pytest.raises(MCPError, match="forgotten this session"):
                await call(client, "echo")
            await asyncio.gather(*(call(client, "echo") for _ in range(3)), return_exceptions=True)
            assert heard.lost == [None]
            assert heard.closed == []
        assert len(endpoint.seen) == noted
        assert endpoint.requests("DELETE") == []
        async with connected(url) as (client, transport, _):
            assert text_of(await call(client, "echo", text="again")) == "again"
            assert transport.session_id == "session-2"

    with serving(endpoint) as server:
        asyncio.run(main(server.url()))


def test_a_missing_stream_is_no_lost_session() -> None:
    endpoint = Endpoint()

    async def main(url: str) -> None:
        async with connected(url) as (client, _, heard):
            await until(lambda: endpoint.requests("GET"), "the stream")
            for _ in range(3):
                await call(client, "echo")
            with pytest.raises(MCPError, match="HTTP 404"):
                await call(client, "status", status=404, type="text/plain", body="")
            assert heard.lost == [
                None
            ]  # a POST of a session answered by 404 is what the protocol means by it

    with serving(endpoint) as server:
        asyncio.run(main(server.url()))


@pytest.mark.parametrize("sse", [False, True])
def test_large_answers_come_through_and_too_large_ones_fail_alone(sse: bool) -> None:
    async def main(url: str) -> None:
        async with connected(url) as (client, _, heard):
            assert len(text_of(await call(client, "big", size=25_000_000))) == 25_000_000
            with pytest.raises(MCPError, match=r"limit|more than 67 MB"):
                await call(client, "big", size=70 * 1024 * 1024)
            assert text_of(await call(client, "echo", text="fine")) == "fine"
            assert heard.closed == []

    with serving(Endpoint(sse=sse)) as server:
        asyncio.run(main(server.url()))


def test_repairs_happen_here_too() -> None:
    async def main(url: str) -> None:
        async with connected(url) as (client, _, heard):
            assert [tool.name for tool in (await client.list_tools()).tools] == ["echo"]
            assert "'bad'" in heard.warnings[0]
            assert (await call(client, "nan"))["structuredContent"] == {"a": None}
            assert "NaN" in heard.warnings[1]
            assert (await call(client, "echo"))["vendor"] == 1

    with serving(Endpoint()) as server:
        asyncio.run(main(server.url()))


def test_a_server_that_is_gone_in_mid_session_is_reported_in_words() -> None:
    async def main() -> None:
        with serving(Endpoint()) as server:
            async with connected(server.url()) as (client, transport, heard):
                await call(client, "echo")
                server.stop()
                with pytest.raises(MCPError, match="cannot be reached"):
                    await call(client, "echo")
                await until(lambda: heard.closed, "the news")
                assert heard.closed == [transport.failure]
                assert server.url() in heard.closed[0]
                await asyncio.sleep(0)  # the owner of the session was not cancelled

    asyncio.run(main())


def test_an_open_stream_notices_that_the_server_is_gone() -> None:
    async def main() -> None:
        endpoint = Endpoint(get_stream=True)
        with serving(endpoint) as server:
            async with connected(server.url()) as (_, _, heard):
                await until(lambda: endpoint.requests("GET"), "the stream")
                server.stop()
                await until(lambda: heard.closed, "the news")
                assert "cannot be reached" in heard.closed[0]

    asyncio.run(main())


def test_a_server_that_was_never_there_is_reported_in_words() -> None:
    async def main() -> None:
        with serving(Endpoint()) as server:
            url = server.url("/mcp?key=s3cret")
        heard = Heard()
        transport = HttpTransport(url, {}, heard.hooks())
        with pytest.raises(Exception):  # noqa: B017, PT011 - the SDK's, of whatever type
            async with Client(transport):
                pass
        assert heard.closed == [transport.failure]
        assert "cannot be reached" in heard.closed[0]
        assert "s3cret" not in heard.closed[0]

    asyncio.run(main())


def test_a_restarted_server_has_forgotten_the_session() -> None:
    async def main() -> None:
        with serving(build().streamable_http_app()) as server:
            async with connected(server.url()) as (client, _, heard):
                await call(client, "add", a=1, b=1)
                server.stop()
                server.app = build().streamable_http_app()
                server.start()
                with pytest.raises(MCPError):
                    await call(client, "add", a=1, b=1)
                assert heard.lost == [None]

    asyncio.run(main())


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_an_answer_that_breaks_off_fails_alone(kind: str) -> None:
    async def main(url: str) -> None:
        async with connected(url) as (client, _, heard):
            slow = asyncio.ensure_future(call(client, "slow", seconds=0.3, text="unhurt"))
            with pytest.raises(MCPError):
                await call(client, "break", type=kind)
            assert text_of(await slow) == "unhurt"
            assert heard.closed == []

    with serving(Endpoint()) as server:
        asyncio.run(main(server.url()))


@pytest.mark.parametrize(
    ("status", "kind", "body", "words"),
    [
        (
            401,
            "application/json",
            '{"error":"invalid_token","error_description":"The token expired"}',
            "HTTP 401 .*expired",
        ),
        (500, "text/html", "<html><style>p{}</style><h1>Oh   no</h1></html>", "HTTP 500 .*: Oh no"),
        (429, "text/plain", "slow down", "HTTP 429 .*slow down"),
        (503, "text/plain", "", "HTTP 503"),
        (
            400,
            "application/json",
            '{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"wrong shape"}}',
            "wrong shape",
        ),
    ],
)
def test_http_errors_say_what_the_server_said(status: int, kind: str, body: str, words: str) -> None:
    async def main(url: str) -> None:
        async with connected(url) as (client, _, heard):
            with pytest.raises(MCPError, match=words):
                await call(client, "status", status=status, type=kind, body=body)
            assert text_of(await call(client, "echo", text="fine")) == "fine"
            assert heard.lost == heard.closed == []

    with serving(Endpoint()) as server:
        asyncio.run(main(server.url()))


def test_a_silent_tool_is_not_cut_off_by_us() -> None:
    def nothing(*_: object) -> None:
        pass

    client = EndpointClient(
        headers={}, auth=None, on_unreachable=nothing, on_session_lost=nothing, on_activity=nothing
    )
    assert client.timeout.read is None
    assert client.timeout.connect


def test_what_cannot_be_used_for_a_connection_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StartFailed, match=r"No connection to http://127.0.0.1:9/mcp can be made: .*ascii"):
        asyncio.run(enter(HttpTransport("http://127.0.0.1:9/mcp", {"X-Name": "Gr\u00fc\u00dfe \u4f60"})))
    monkeypatch.setenv("HTTP_PROXY", "foo://nowhere")
    with pytest.raises(StartFailed, match="proxy"):
        asyncio.run(enter(HttpTransport("http://127.0.0.1:9/mcp")))


def test_a_proxy_is_not_asked_for_the_way_to_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main(url: str) -> None:
        async with connected(url) as (client, _, _heard):
            assert text_of(await call(client, "echo", text="x")) == "x"

    with serving(Endpoint()) as gone:
        pass
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, gone.url(""))
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with serving(Endpoint()) as server:
        asyncio.run(main(server.url()))


def test_hooks_are_optional() -> None:
    async def main(url: str) -> None:
        async with Client(HttpTransport(url, None, Hooks()), mode="legacy") as client:
            assert text_of(await call(client, "echo", text="x")) == "x"

    with serving(Endpoint()) as server:
        asyncio.run(main(server.url()))
