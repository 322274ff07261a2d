"""Run the app on its own: `python -m mcpapps_jupyter.apps.grocery`, over stdio or with `--http PORT`."""

from __future__ import annotations

import argparse
import socket
import sys

from mcp.server.mcpserver import MCPServer

from .server import create_server


def main() -> None:
    """Serve until the client goes away (stdio) or the process is ended (HTTP)."""
    parser = argparse.ArgumentParser(
        prog="python -m mcpapps_jupyter.apps.grocery",
        description="MCP server of the grocery app, over stdio if not told otherwise.",
    )
    parser.add_argument(
        "--http",
        type=int,
        metavar="PORT",
        help="serve Streamable HTTP at /mcp and REST at /api (0: any port)",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    options = parser.parse_args()
    server = create_server()
    if options.http is None:
        server.run()
    else:
        serve_http(server, options.host, options.http)


def serve_http(server: MCPServer, host: str, port: int) -> None:
    """Serve `server` over HTTP, and say on stderr where."""
    import uvicorn  # not needed over stdio, and slow to import

    # Bound here rather than by uvicorn, so that with port 0 the port is known before anybody is told.
    with socket.create_server((host, port)) as listener:
        base = f"http://{host}:{listener.getsockname()[1]}"
        sys.stderr.write(f"Grocery app: MCP at {base}/mcp, REST at {base}/api/inventory\n")
        sys.stderr.flush()
        config = uvicorn.Config(server.streamable_http_app(host=host), log_level="warning")
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
