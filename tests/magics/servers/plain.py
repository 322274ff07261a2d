"""A server of its own process: tools of every kind of argument, and what tests want to see go wrong."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from typing import Any, Literal

from mcp.server.mcpserver import Context, MCPServer


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if "slow" in sys.argv:
    say("still unpacking")
    time.sleep(600)
if "broken" in sys.argv:
    say("no such module: butter")
    sys.exit(3)

server = MCPServer("plain")


@server.tool()
def echo(
    text: str = "",
    number: float | None = None,
    flag: bool = False,
    items: list[Any] | None = None,
    record: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Give the arguments back."""
    given = {"text": text, "number": number, "flag": flag, "items": items, "record": record}
    return {name: value for name, value in given.items() if value}


@server.tool()
def paint(colour: Literal["red", "green"], coats: int) -> str:
    """Paint something."""
    return f"{coats} coats of {colour}"


@server.tool()
def process() -> int:
    """The server's process."""
    return os.getpid()


@server.tool()
def whisper() -> str:
    """Write the secret to stderr."""
    say(f"the secret is {os.environ.get('SECRET')}")
    return "done"


@server.tool()
async def work(steps: int, ctx: Context, pause: float = 0.0) -> str:
    """Make progress, and a pause after each step."""
    for step in range(steps):
        await ctx.report_progress(step + 1, steps, f"step {step + 1} of {os.environ.get('SECRET')}")
        await asyncio.sleep(pause)
    return "done"


@server.resource("plain://greeting")
def greeting() -> str:
    """A greeting."""
    return "good day"


@server.prompt()
def ask(topic: str, tone: str = "plain") -> str:
    """Ask about something."""
    return f"Tell me about {topic} in a {tone} tone."


server.run("stdio")
