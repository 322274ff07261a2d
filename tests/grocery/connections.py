"""Ways to reach the grocery app, each in both protocol eras."""

import socket
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import MCPServer

from mcpapps_jupyter.apps.grocery.server import create_server

ERAS = ("legacy", "auto")
TRANSPORTS = ("inprocess", "stdio", "http")
STDIO = StdioServerParameters(command=sys.executable, args=["-m", "mcpapps_jupyter.apps.grocery"])


@contextmanager
def http_server(server: MCPServer) -> Iterator[str]:
    """Serve over HTTP on a free port; gives the base URL."""
    config = uvicorn.Config(server.streamable_http_app(), log_level="warning", timeout_graceful_shutdown=1)
    runner = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=runner.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        # The socket listens already, so a request that comes early waits for the server instead of failing.
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        runner.should_exit = True
        thread.join(10)
        listener.close()


@asynccontextmanager
async def connect(transport: str, era: str, **options: Any) -> AsyncIterator[Client]:
    """Connect a client to a fresh app."""
    if transport == "http":
        with http_server(create_server()) as base:
            async with Client(f"{base}/mcp", mode=era, **options) as client:
                yield client
    else:
        target = create_server() if transport == "inprocess" else STDIO
        async with Client(target, mode=era, **options) as client:
            yield client
