"""A stdio server that says something everywhere: in its log, on stderr, on stdout, and with a page."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TextIO

from mcp.server.apps import Apps
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

PAGE = "ui://chatty/page.html"


def say_on(stream: TextIO, text: str) -> None:
    stream.write(f"{text}\n")
    stream.flush()


apps = Apps()
apps.add_html_resource(PAGE, Path(__file__).with_name("chatty.html").read_text(encoding="utf-8"))


@apps.tool(resource_uri=PAGE)
def show(eggs: int = 12) -> dict[str, int]:
    """Show the eggs."""
    return {"eggs": eggs}


server = MCPServer("chatty", extensions=[apps])


@server.tool()
async def say(text: str, ctx: Context, times: int = 1) -> str:
    """Say something in the log and on stderr."""
    for number in range(times):
        await ctx.warning(f"{text} {number}" if times > 1 else text)
    say_on(sys.stderr, f"ERROR: {text} on stderr")
    return f"said {text}"


@server.tool()
def fail() -> str:
    """Fail."""
    raise ToolError("no eggs left")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    say_on(sys.stdout, "Starting chatty…")
    say_on(sys.stderr, "INFO: chatty runs")
    server.run()
