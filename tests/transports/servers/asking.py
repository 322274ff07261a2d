"""An MCPServer whose tools ask the person something, in the way of either era."""

from __future__ import annotations

import sys
from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel


class Colour(BaseModel):
    colour: str


async def ask_colour() -> Elicit[Colour]:
    return Elicit("Which colour?", Colour)


def build() -> MCPServer:
    server = MCPServer("asking")

    @server.tool()
    async def push(ctx: Context) -> str:
        answer = await ctx.elicit("Which colour?", Colour)
        return f"{answer.action} {answer.data.colour if answer.action == 'accept' else ''}"

    @server.tool()
    async def resolve(colour: Annotated[Colour, Resolve(ask_colour)]) -> str:
        return f"resolved {colour.colour}"

    @server.tool()
    def add(a: int, b: int) -> int:
        return a + b

    return server


if __name__ == "__main__":
    if "stdio" in sys.argv:
        build().run()
