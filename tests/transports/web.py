"""HTTP servers for the tests: a thread that serves an ASGI app, and an MCP endpoint written by hand."""

from __future__ import annotations

import asyncio
import json
import math
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import ASGIApp

from tests.transports.support import WAIT

Frame = dict[str, Any]


class Serving:
    """An ASGI app on a port of its own; it can go down and come back on the same port."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.port = 0
        self.start()

    def start(self) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", self.port))
        self.port = self._socket.getsockname()[1]
        config = uvicorn.Config(self.app, log_config=None, timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self._thread.start()
        deadline = time.monotonic() + WAIT
        while not self._server.started:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def stop(self) -> None:
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(WAIT)
        self._socket.close()

    def url(self, path: str = "/mcp") -> str:
        return f"http://127.0.0.1:{self.port}{path}"


@contextmanager
def serving(app: ASGIApp) -> Iterator[Serving]:
    server = Serving(app)
    try:
        yield server
    finally:
        server.stop()


@dataclass
class Endpoint:
    """A handshake-era MCP endpoint, written by hand, that keeps every request it got.

    `forgotten` is the answer to a request of a session that it does not know.
    """

    sse: bool = False
    get_stream: bool = False
    forgotten: tuple[int, str | Frame] = (404, {"code": -32600, "message": "Session not found"})
    seen: list[tuple[str, dict[str, str], Frame]] = field(default_factory=list)
    sessions: set[str] = field(default_factory=set)
    started: int = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        response = await self.respond(request)
        await response(scope, receive, send)

    def requests(self, verb: str) -> list[dict[str, str]]:
        return [headers for seen, headers, _ in self.seen if seen == verb]

    async def respond(self, request: Request) -> Response:
        body = await request.body()
        frame: Frame = json.loads(body) if body else {}
        self.seen.append((request.method, dict(request.headers), frame))
        session = request.headers.get("mcp-session-id")
        if request.method == "POST" and frame.get("method") == "initialize":
            self.started += 1
            session = f"session-{self.started}"
            self.sessions.add(session)
            result = {
                "protocolVersion": frame["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "by hand", "version": "1"},
            }
            return self.reply(frame, {"result": result}, {"mcp-session-id": session})
        if session is None and frame.get("method") == "server/discover":
            return JSONResponse(
                rpc(None, {"error": {"code": -32000, "message": "Bad Request: no session"}}), 400
            )
        if session not in self.sessions:
            status, error = self.forgotten
            if isinstance(error, str):
                return PlainTextResponse(error, status)
            return JSONResponse(rpc(None, {"error": error}), status)
        if request.method == "DELETE":
            self.sessions.discard(session)
            return Response(status_code=204)
        if request.method == "GET":
            return self.stream() if self.get_stream else Response(status_code=405)
        if "id" not in frame or "method" not in frame:
            return Response(status_code=202)
        if frame["method"] == "tools/call":
            return await self.call(frame)
        if frame["method"] == "tools/list":
            tools = [{"name": "echo", "inputSchema": {"type": "object"}}, {"name": "bad"}]
            return self.reply(frame, {"result": {"tools": tools}})
        return self.reply(frame, {"error": {"code": -32601, "message": "unknown"}})

    async def call(self, frame: Frame) -> Response:
        name, arguments = frame["params"]["name"], frame["params"].get("arguments") or {}
        if name == "status":
            headers = {"content-type": arguments["type"]}
            return Response(arguments["body"], arguments["status"], headers)
        if name == "break":
            return StreamingResponse(self.broken(), media_type=arguments["type"])
        if name == "nan":
            text = json.dumps(
                rpc(frame["id"], {"result": {"content": [], "structuredContent": {"a": math.nan}}})
            )
            return Response(text, media_type="application/json")
        if name == "slow":
            await asyncio.sleep(arguments["seconds"])
        text = "x" * arguments["size"] if name == "big" else arguments.get("text", "")
        return self.reply(frame, {"result": {"content": [{"type": "text", "text": text}], "vendor": 1}})

    def reply(self, frame: Frame, answer: Frame, headers: dict[str, str] | None = None) -> Response:
        full = rpc(frame["id"], answer)
        if not self.sse:
            return JSONResponse(full, headers=headers)
        text = f"event: message\ndata: {json.dumps(full)}\n\n"
        return Response(text, media_type="text/event-stream", headers=headers)

    def stream(self) -> Response:
        async def forever() -> Any:
            yield ": hello\n\n"
            while True:
                await asyncio.sleep(0.05)
                yield ": still here\n\n"

        return StreamingResponse(forever(), media_type="text/event-stream")

    @staticmethod
    async def broken() -> Any:
        yield b'{"jsonrpc": "2.0", '
        raise ConnectionResetError("on purpose")


def rpc(request_id: Any, answer: Frame) -> Frame:
    return {"jsonrpc": "2.0", "id": request_id, **answer}
