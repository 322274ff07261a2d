"""A server of the older HTTP way is found out once, and remembered for later starts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp.server.mcpserver import MCPServer
from starlette.types import ASGIApp, Receive, Scope, Send

from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.host import Host
from tests.transports.web import serving


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    host = Host(McpApps(read_files=False))
    yield host
    host.close()


def test_the_newer_way_is_tried_once(host: Host) -> None:
    server = MCPServer("old")

    @server.tool()
    def ping() -> str:
        return "pong"

    inner = server.sse_app()
    refused: list[str] = []

    async def counting(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"] == "/sse":
            refused.append(scope["path"])
        await inner(scope, receive, send)

    app_: ASGIApp = counting
    with serving(app_) as serving_:
        app = host.add(serving_.url("/sse"), id="old")
        assert app.call("ping").text == "pong"
        tried = len(refused)
        assert tried >= 1
        app.restart()
        assert app.call("ping").text == "pong"
        assert len(refused) == tried, "the second start speaks the older way at once"
        app.stop()
