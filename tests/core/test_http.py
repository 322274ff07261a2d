"""Sessions over HTTP: forgotten ones, servers that are away, old transports."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import pytest

from mcpapps_jupyter.errors import ConnectionLost, McpAppsError, ProtocolFailure, StartFailed
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.lifecycle import State
from mcpapps_jupyter.ports import Caller
from tests.core.servers.lab import build
from tests.core.support import until
from tests.transports.web import Endpoint, Serving, serving

FORGOTTEN = [
    (404, {"code": -32600, "message": "Session not found"}),
    (404, {"code": -32000, "message": "Unknown"}),
    (404, "Not Found"),
    (400, {"code": -32000, "message": "Bad Request: No valid session ID provided"}),
]


@pytest.fixture
def endpoint() -> Endpoint:
    return Endpoint()


@pytest.fixture
def served(endpoint: Endpoint) -> Iterator[Serving]:
    with serving(endpoint) as server:
        yield server


def calls(endpoint: Endpoint) -> list[str]:
    return [
        frame["params"]["name"] for verb, _, frame in endpoint.seen if frame.get("method") == "tools/call"
    ]


@pytest.mark.parametrize("forgotten", FORGOTTEN)
@pytest.mark.elsewhere("modelcontextprotocol/python-sdk#3556")
def test_a_forgotten_session_is_renewed_once_and_unseen(
    host: Host, endpoint: Endpoint, served: Serving, forgotten: tuple[int, object]
) -> None:
    endpoint.forgotten = forgotten  # type: ignore[assignment]
    app = host.add(served.url(), id="far")
    assert app.call("echo", text="one").text == "one"
    endpoint.sessions.clear()
    assert app.call("echo", text="two").text == "two"
    assert endpoint.started == 2
    assert app.state is State.RUNNING
    assert any("forgot the HTTP session" in entry.text for entry in app.log)


@pytest.mark.elsewhere("modelcontextprotocol/typescript-sdk#1708")
def test_no_request_carries_the_forgotten_session_again(
    host: Host, endpoint: Endpoint, served: Serving
) -> None:
    app = host.add(served.url(), id="far")
    app.call("echo", text="one")
    endpoint.sessions.clear()
    before = len(endpoint.seen)
    app.call("echo", text="two")
    app.call("echo", text="three")
    app.stop()
    carried = [headers.get("mcp-session-id") for _, headers, _ in endpoint.seen[before:]]
    assert carried[0] == "session-1"  # this one is how we came to know
    assert "session-1" not in carried[1:]


def test_many_calls_that_find_the_session_forgotten_share_one_renewal(
    host: Host, endpoint: Endpoint, served: Serving
) -> None:
    app = host.add(served.url(), id="far")
    app.call("echo", text="one")
    endpoint.sessions.clear()

    async def many() -> list[str]:
        results = await asyncio.gather(*(app.call_here("echo", {"text": str(n)}) for n in range(10)))
        return [result.text for result in results]

    assert host.thread.run(many()) == [str(n) for n in range(10)]
    assert endpoint.started == 2


def test_a_page_is_not_disturbed_by_the_renewal(host: Host, endpoint: Endpoint, served: Serving) -> None:
    app = host.add(served.url(), id="far").start()
    endpoint.sessions.clear()
    params = {"name": "echo", "arguments": {"text": "x"}}
    raw = host.thread.run(app.connection().request("tools/call", params, caller=Caller("page", "v")))
    assert raw["content"][0]["text"] == "x"
    endpoint.sessions.clear()  # and once more within the minute: it is no crash
    raw = host.thread.run(app.connection().request("tools/call", params, caller=Caller("page", "v")))
    assert raw["content"][0]["text"] == "x"
    assert app.connection().recovered


def test_a_second_loss_at_once_is_an_error_in_words(host: Host, endpoint: Endpoint, served: Serving) -> None:
    app = host.add(served.url(), id="far")
    app.call("echo", text="one")

    class Amnesiac(set[str]):
        """Knows a session for its handshake and listing only."""

        def __contains__(self, session: object) -> bool:
            asked = [
                frame.get("method") for _, h, frame in endpoint.seen if h.get("mcp-session-id") == session
            ]
            return "tools/call" not in asked

    endpoint.sessions = Amnesiac()
    with pytest.raises(ConnectionLost, match="far: the server forgot the new session at once, too"):
        app.call("echo", text="two")
    assert calls(endpoint).count("echo") == 3  # the first, the refused one, its repetition
    endpoint.sessions = set()
    assert app.call("echo", text="three").text == "three"


def test_a_server_that_is_restarted_between_calls(host: Host) -> None:
    with serving(build().streamable_http_app()) as server:
        app = host.add(server.url(), id="far", protocol="legacy")
        assert app.call("add", a=1).data == 2
        server.stop()
        server.app = build().streamable_http_app()
        server.start()
        assert app.call("add", a=1).data == 2
        assert app.state is State.RUNNING
        host.close()


def test_a_server_that_is_down_is_said_in_words_and_comes_back(host: Host) -> None:
    with serving(build().streamable_http_app()) as server:
        app = host.add(server.url(), id="far")
        assert app.call("add", a=1).data == 2
        server.stop()
        with pytest.raises(McpAppsError) as caught:
            app.call("add", a=1)
        assert f"http://127.0.0.1:{server.port}/mcp" in str(caught.value)
        assert "\n" not in str(caught.value)
        until(lambda: app.state is not State.RUNNING, "the news")
        with pytest.raises(StartFailed, match=r"far did not start: .*cannot be reached"):
            app.call("add", a=1)
        server.app = build().streamable_http_app()
        server.start()
        assert app.call("add", a=1).data == 2
        host.close()


def test_nobody_there_from_the_start(host: Host) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/mcp"
    with pytest.raises(StartFailed, match=r"far did not start: .*cannot be reached"):
        host.add(url, id="far").start()
    assert host["far"].state is State.FAILED


def test_an_answer_that_breaks_off_fails_alone(host: Host, endpoint: Endpoint, served: Serving) -> None:
    app = host.add(served.url(), id="far").start()
    with pytest.raises(McpAppsError) as caught:
        host.thread.run(
            app.connection().request(
                "tools/call", {"name": "break", "arguments": {"type": "application/json"}}
            )
        )
    assert "broke" in str(caught.value)
    assert app.call("echo", text="still here").text == "still here"
    assert endpoint.started == 1


def test_an_error_page_is_said_in_words(host: Host, endpoint: Endpoint, served: Serving) -> None:
    app = host.add(served.url(), id="far").start()
    arguments = {"status": 502, "type": "text/html", "body": "<html><h1>Bad Gateway</h1></html>"}
    with pytest.raises(ProtocolFailure, match="answered HTTP 502 Bad Gateway"):
        host.thread.run(app.connection().request("tools/call", {"name": "status", "arguments": arguments}))
    assert app.call("echo", text="x").text == "x"


def test_secret_headers_are_sent_and_masked_in_what_is_shown(
    host: Host, endpoint: Endpoint, served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAR_TOKEN", "s3cret-t0ken-value")
    app = host.add(served.url(), id="far", headers={"Authorization": "Bearer ${env:FAR_TOKEN}"}).start()
    assert all(headers["authorization"] == "Bearer s3cret-t0ken-value" for _, headers, _ in endpoint.seen)
    body = "refused: Bearer s3cret-t0ken-value"
    arguments = {"status": 401, "type": "text/plain", "body": body}
    with pytest.raises(McpAppsError) as caught:
        host.thread.run(app.connection().request("tools/call", {"name": "status", "arguments": arguments}))
    shown = "\n".join([str(caught.value), repr(app.info()), repr(host.apps), *(e.text for e in app.log)])
    assert "s3cret" not in shown
    assert "•••" in str(caught.value)
