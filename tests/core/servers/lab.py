"""An MCPServer with a tool for everything that the core has to cope with; over stdio when run as a script."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

PAGE = "ui://lab/page.html"
OTHER = "ui://lab/other.html"
HTML = "<!doctype html><title>lab</title><p>A page.</p>"


class Colour(BaseModel):
    colour: str


async def ask_colour() -> Elicit[Colour]:
    return Elicit("Which colour?", Colour)


async def ask_model() -> Sample:
    text = types.TextContent(type="text", text="What is it?")
    return Sample([types.SamplingMessage(role="user", content=text)], max_tokens=10)


async def ask_roots() -> ListRoots:
    return ListRoots()


def jot(journal: str, text: str) -> None:
    with Path(journal).open("a") as file:
        file.write(f"{text}\n")


def ui(uri: str | None = None, visibility: list[str] | None = None) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    if uri is not None:
        meta["resourceUri"] = uri
    if visibility is not None:
        meta["visibility"] = visibility
    return {"ui": meta}


def build(name: str = "lab", html: str = HTML) -> MCPServer:
    server = MCPServer(name, version="3.1")
    state = {"count": 0, "log": []}

    @server.tool(annotations=types.ToolAnnotations(read_only_hint=True))
    def add(a: int, b: int = 1) -> int:
        """Add two numbers."""
        return a + b

    @server.tool()
    def count() -> int:
        """Count the calls."""
        state["count"] += 1
        return state["count"]

    @server.tool()
    async def work(steps: int, ctx: Context, pause: float = 0.0) -> str:
        """Make progress."""
        for step in range(steps):
            await ctx.report_progress(step + 1, steps, f"step {step + 1}")
            await asyncio.sleep(pause)
        return "done"

    @server.tool()
    async def wait(journal: str) -> str:
        """Wait for ever, and write down what happens."""
        jot(journal, "begun")
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            jot(journal, "cancelled")
            raise
        return "never"

    @server.tool()
    async def ask(ctx: Context, pause: float = 0.0) -> str:
        """Ask in the way of the 2025 era."""
        answer = await ctx.elicit("Which colour?", Colour)
        await asyncio.sleep(pause)
        return f"{answer.action} {answer.data.colour if answer.action == 'accept' else ''}".strip()

    @server.tool(annotations=types.ToolAnnotations(read_only_hint=True))
    async def ask_safely(ctx: Context) -> str:
        """Ask in the way of the 2025 era, in a tool that may be called twice."""
        return (await ctx.elicit("Which colour?", Colour)).action

    @server.tool()
    async def visit(url: str, ctx: Context) -> str | types.InputRequiredResult:
        """Ask to visit a page, in the way of the era."""
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return (await ctx.elicit_url("Log in there", url, "visit-1")).action
        if ctx.input_responses:
            return ctx.input_responses["visit"].action
        asked = types.ElicitRequest(params=types.ElicitRequestURLParams(message="Log in there", url=url))
        return types.InputRequiredResult(input_requests={"visit": asked})

    @server.tool()
    def resolve(colour: Annotated[Colour, Resolve(ask_colour)]) -> str:
        """Ask in the way that works in both eras."""
        return f"resolved {colour.colour}"

    @server.tool()
    def sample(answer: Annotated[types.CreateMessageResult, Resolve(ask_model)]) -> str:
        """Ask the user's model."""
        return f"{answer.model}: {answer.content.text}"

    @server.tool()
    def roots(found: Annotated[types.ListRootsResult, Resolve(ask_roots)]) -> list[str]:
        """Ask for the folders."""
        return [str(root.uri) for root in found.roots]

    @server.tool()
    async def capabilities(ctx: Context) -> dict[str, Any]:
        """What the client says it can do."""
        declared = ctx.client_capabilities
        return declared.model_dump(by_alias=True, mode="json", exclude_none=True) if declared else {}

    @server.tool()
    async def say(ctx: Context, text: str, stderr: bool = True) -> str:
        """Write into the log, and on stderr."""
        await ctx.info(text)
        if stderr:
            sys.stderr.write(f"{text} on stderr\n")
            sys.stderr.flush()
        return "said"

    @server.tool()
    async def grow(name: str, ctx: Context) -> str:
        """Offer one more tool."""
        server.add_tool(lambda: name, name=name, description="a new one")
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            await ctx.notify_tools_changed()
        else:
            await ctx.session.send_tool_list_changed()
        return name

    @server.tool()
    async def touch(uri: str, ctx: Context) -> str:
        """Say that a resource has changed."""
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            await ctx.notify_resource_updated(uri)
        else:
            await ctx.session.send_resource_updated(uri)
        return uri

    @server.tool()
    def subscriptions() -> list[str]:
        """What clients have subscribed to and unsubscribed from."""
        return list(state["log"])

    @server.tool()
    def crash(code: int = 3) -> str:
        """End the process."""
        sys.stderr.write("out of eggs\n")
        sys.stderr.flush()
        os._exit(code)

    @server.tool()
    def pid() -> int:
        return os.getpid()

    @server.tool()
    def environment(name: str) -> str:
        return os.environ.get(name, "")

    @server.tool()
    def fail() -> str:
        """Fail by its own word."""
        raise ToolError("no eggs left")

    @server.tool()
    def show() -> types.CallToolResult:
        """A result with everything."""
        return types.CallToolResult(
            content=[types.TextContent(type="text", text="shown")],
            structured_content={"items": [{"id": 1}]},
            _meta={"secret": "for the page"},
        )

    @server.tool(meta=ui(PAGE))
    def open_page(storeId: int = 1) -> dict[str, Any]:  # noqa: N803
        """Bring a page."""
        state["count"] += 1
        return {"store": storeId, "opened": state["count"]}

    @server.tool(meta=ui(visibility=["model"]))
    def model_only() -> str:
        state["log"].append("model_only was called")
        return "for models"

    @server.tool(meta=ui(visibility=["app"]))
    def app_only() -> str:
        return "for pages"

    @server.tool(annotations=types.ToolAnnotations(destructive_hint=True), title="Empty the store")
    def destroy(what: str = "everything") -> str:
        state["log"].append(f"destroyed {what}")
        return f"destroyed {what}"

    @server.resource(PAGE, mime_type="text/html;profile=mcp-app")
    def page() -> str:
        return html

    @server.resource(OTHER, mime_type="text/html;profile=mcp-app")
    def other() -> str:
        return html.replace("page", "page beside it")

    @server.resource("ui://lab/plain.html", mime_type="text/html")
    def plain() -> str:
        return html

    @server.resource("lab://numbers", mime_type="application/json")
    def numbers() -> str:
        return "[1, 2, 3]"

    @server.resource("lab://number/{n}")
    def number(n: str) -> str:
        return n

    @server.prompt()
    def greet(name: str, mood: str = "glad") -> str:
        """Greet somebody."""
        return f"Say hello to {name}, {mood}."

    # MCPServer serves only the way of the 2026 era; what older clients send is answered here.
    low_level = server._lowlevel_server

    async def subscribe(context: Any, params: types.SubscribeRequestParams) -> types.EmptyResult:
        state["log"].append(f"subscribe {params.uri}")
        return types.EmptyResult()

    async def unsubscribe(context: Any, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        state["log"].append(f"unsubscribe {params.uri}")
        return types.EmptyResult()

    low_level.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
    low_level.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, unsubscribe)
    return server


if __name__ == "__main__":
    build().run()
