"""The model's door: every model-visible tool of the running apps, in the shapes that model APIs take.

What goes to a model is the tool's ``content``. ``structuredContent`` of a tool with a page and a
result's ``_meta`` do not: they are the page's. Tools that are for pages only are absent.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from mcpapps_jupyter.catalogue import Listing, Tool
from mcpapps_jupyter.errors import McpAppsError, did_you_mean
from mcpapps_jupyter.host_thread import HostThread, Submitted
from mcpapps_jupyter.lifecycle import State
from mcpapps_jupyter.ports import Caller, ToolSource
from mcpapps_jupyter.results import ToolResult, block_text

if TYPE_CHECKING:
    from mcpapps_jupyter.app import App
    from mcpapps_jupyter.registry import Registry

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_MAX_NAME = 64


class ToolReply(str):
    """What a model gets back from a call: its text, with the content blocks beside it.

    Attributes
    ----------
    content
        The MCP content blocks, for models that take images or other media.
    is_error
        Whether the call failed; the text then begins with ``Error:``.
    """

    content: list[dict[str, Any]]
    is_error: bool

    def __new__(
        cls, text: str, content: Iterable[Mapping[str, Any]] = (), *, is_error: bool = False
    ) -> ToolReply:
        """Make a reply of `text`."""
        reply = super().__new__(cls, text)
        reply.content = [dict(block) for block in content] or [{"type": "text", "text": text}]
        reply.is_error = is_error
        return reply

    @classmethod
    def error(cls, text: str) -> ToolReply:
        """Make the reply of a failed call."""
        return cls(f"Error: {text}", is_error=True)


@dataclass(frozen=True)
class BridgedTool:
    """One tool as a model sees it.

    Attributes
    ----------
    name
        The app's prefix and the server's name: ``grocery.get_inventory``; for a tool that an open page
        itself offers ``page.`` is between them.
    safe_name
        The same within ``[A-Za-z0-9_-]{1,64}``, unique in this kernel.
    owner
        ``mcpapp:<app id>``, or ``mcpapp-page:<app id>`` for a page's own.
    app, tool
        Whose it is, and what its list says of it.
    run
        Calls it, on the session loop.
    """

    name: str
    safe_name: str
    owner: str
    app: App
    tool: Tool
    run: Callable[[Mapping[str, Any]], Awaitable[ToolResult]] = field(compare=False, repr=False)

    @property
    def description(self) -> str:
        """What the tool does, in the server's words."""
        return self.tool.description or self.tool.title

    @property
    def parameters(self) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        schema = dict(self.tool.input_schema)
        return schema if schema.get("type") == "object" else {"type": "object", "properties": {}}


class ToolBridge:
    """``host.tools``: lists and calls the tools of all running apps, and those of their open pages.

    Parameters
    ----------
    registry, thread
        The host's.
    pages
        Where the tools of open pages come from.
    """

    def __init__(self, registry: Registry, thread: HostThread, pages: ToolSource) -> None:
        self._registry = registry
        self._thread = thread
        self._pages = pages

    def listing(self, apps: Iterable[str] | None = None) -> Listing[BridgedTool]:
        """Every tool that a model may call.

        Parameters
        ----------
        apps
            Only these apps, started where they do not run; else every app that runs.
        """
        if apps is None:
            chosen = [app for app in self._registry if app.state is State.RUNNING]
        else:
            chosen = [self._registry.get(name).start() for name in apps]
        found = self._thread.run(self._list(chosen)) if chosen else []
        head = ("tool", "name for models", "app", "what it does")

        def row(each: BridgedTool) -> list[str]:
            return [each.name, each.safe_name, each.owner, each.description.split("\n")[0]]

        return Listing(found, head=head, row=row, empty="No running app offers a tool to models.")

    def for_openai(self, apps: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """The tools as OpenAI's APIs take them."""
        return [
            {
                "type": "function",
                "function": {
                    "name": each.safe_name,
                    "description": each.description,
                    "parameters": each.parameters,
                },
            }
            for each in self.listing(apps)
        ]

    def for_anthropic(self, apps: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """The tools as Anthropic's API takes them."""
        return [
            {"name": each.safe_name, "description": each.description, "input_schema": each.parameters}
            for each in self.listing(apps)
        ]

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> ToolReply:
        """Call a tool for a model; whatever goes wrong is a text that begins with ``Error:``.

        Parameters
        ----------
        name
            The safe name, or the name with the app's prefix.
        arguments
            An object, or its JSON text as models give it.
        """
        return self._thread.run(self._call(name, arguments))

    def acall(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> Submitted[ToolReply]:
        """`call`, to be awaited."""
        return self._thread.submit(self._call(name, arguments))

    async def _list(self, apps: Iterable[App]) -> list[BridgedTool]:
        """The tools of running apps: of the servers first, whose names no page can take."""
        chosen = list(apps)
        found = _of_servers(chosen)
        taken = {each.safe_name for each in found}
        for each in await self._pages.page_tools():
            if each.app in chosen:
                prefix = each.app.prefix or f"{each.app.id}."
                name = f"{prefix}page.{each.tool.name}"
                safe = safe_name(name, f"{each.view}\n{each.tool.name}", taken)
                taken.add(safe)
                owner = f"mcpapp-page:{each.app.id}"
                found.append(BridgedTool(name, safe, owner, each.app, each.tool, each.call))
        return found

    async def _call(self, name: str, arguments: Mapping[str, Any] | str | None) -> ToolReply:
        running = [app for app in self._registry if app.state is State.RUNNING]
        listed = _of_servers(running)
        found = _named(name, listed)
        if found is None:  # pages are asked for theirs only when it can matter: they may be slow
            listed = await self._list(running)
            found = _named(name, listed)
        if found is None:
            names = [each.safe_name for each in listed]
            return ToolReply.error(f"There is no tool '{name}'.{did_you_mean(name, names)}")
        try:
            given = read_arguments(name, arguments)
            result = await found.run(given)
        except McpAppsError as error:
            return ToolReply.error(str(error))
        return reply_of(result, has_page=found.tool.ui.resource_uri is not None)


def _of_servers(apps: Iterable[App]) -> list[BridgedTool]:
    found: list[BridgedTool] = []
    taken: set[str] = set()
    for app in apps:
        for tool in app.catalogue.tools:
            if tool.ui.for_model:
                safe = safe_name(tool.local_name, f"{app.id}\n{tool.name}", taken)
                taken.add(safe)
                run = partial(app.call_here, tool.name, caller=Caller("model"))
                found.append(BridgedTool(tool.local_name, safe, f"mcpapp:{app.id}", app, tool, run))
    return found


def _named(name: str, tools: Iterable[BridgedTool]) -> BridgedTool | None:
    listed = list(tools)
    by_safe = next((each for each in listed if each.safe_name == name), None)
    return by_safe or next((each for each in listed if each.name == name), None)


def safe_name(name: str, identity: str, taken: set[str]) -> str:
    """`name` within what model APIs allow; a digest of `identity` keeps collisions apart."""
    safe = _UNSAFE.sub("_", name)
    if safe and len(safe) <= _MAX_NAME and safe not in taken:
        return safe
    digest = hashlib.sha256(identity.encode()).hexdigest()[:8]
    return f"{safe[: _MAX_NAME - 9]}_{digest}"


def read_arguments(name: str, arguments: Mapping[str, Any] | str | None) -> dict[str, Any]:
    """What a model gave as arguments, as a dict.

    Raises
    ------
    McpAppsError
        It is not JSON, or no object.
    """
    start = f"Invalid JSON arguments for MCP App tool '{name}'"
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments) if arguments.strip() else {}
        except ValueError as error:
            raise McpAppsError(f"{start}: {error}") from None
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise McpAppsError(f"{start}: wanted an object, got {json.dumps(arguments, default=str)[:80]}")
    return dict(arguments)


def reply_of(result: ToolResult, *, has_page: bool) -> ToolReply:
    """A tool's result as a model gets it."""
    parts = [block_text(block) for block in result.content]
    text = "\n\n".join(part for part in parts if part)
    if result.is_error:
        return ToolReply.error(text or "the tool failed and gave no reason")
    if result.structured is not None and not has_page:
        as_json = json.dumps(result.structured, ensure_ascii=False, default=str)
        # Servers often give the same twice, once as text for clients that know no structured content.
        if as_json not in text and not _same_json(text, result.structured):
            text = f"{text}\n\n{as_json}" if text else as_json
    blocks = [{key: value for key, value in block.items() if key != "_meta"} for block in result.content]
    return ToolReply(text or "(no output)", blocks)


def _same_json(text: str, value: Any) -> bool:
    try:
        return bool(json.loads(text) == value)
    except ValueError:
        return False
