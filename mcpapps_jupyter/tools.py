"""The model's door: every model-visible tool of the running apps, in the shapes that model APIs take.

What goes to a model is the tool's ``content``. ``structuredContent`` of a tool with a page and a
result's ``_meta`` do not: they are the page's. Tools that are for pages only are absent.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpapps_jupyter import arguments as arguments_
from mcpapps_jupyter.catalogue import Listing, Tool
from mcpapps_jupyter.errors import McpAppsError, did_you_mean
from mcpapps_jupyter.host_thread import HostThread, Submitted
from mcpapps_jupyter.lifecycle import State
from mcpapps_jupyter.ports import Caller
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
        The app's prefix and the server's name: ``grocery.get_inventory``.
    safe_name
        The same within ``[A-Za-z0-9_-]{1,64}``, unique in this kernel.
    owner
        ``mcpapp:<app id>``.
    """

    name: str
    safe_name: str
    owner: str
    app: App
    tool: Tool

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
    """``host.tools``: lists and calls the tools of all running apps.

    Parameters
    ----------
    registry, thread
        The host's.
    """

    def __init__(self, registry: Registry, thread: HostThread) -> None:
        self._registry = registry
        self._thread = thread

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
        found: list[BridgedTool] = []
        taken: set[str] = set()
        for app in chosen:
            for tool in app.catalogue.tools:
                if tool.ui.for_model:
                    safe = safe_name(tool.local_name, f"{app.id}\n{tool.name}", taken)
                    taken.add(safe)
                    found.append(BridgedTool(tool.local_name, safe, f"mcpapp:{app.id}", app, tool))
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

    async def _call(self, name: str, arguments: Mapping[str, Any] | str | None) -> ToolReply:
        listed = self.listing()
        found = next((each for each in listed if each.safe_name == name), None)
        found = found or next((each for each in listed if each.name == name), None)
        if found is None:
            names = [each.safe_name for each in listed]
            return ToolReply.error(f"There is no tool '{name}'.{did_you_mean(name, names)}")
        try:
            given = read_arguments(name, arguments)
            wrong = arguments_.problems(found.tool.input_schema, given)
            if wrong:
                return ToolReply.error(f"{name}: {'; '.join(wrong)}")
            result = await found.app.call_here(found.tool.name, given, Caller("model"))
        except McpAppsError as error:
            return ToolReply.error(str(error))
        return reply_of(result, has_page=found.tool.ui.resource_uri is not None)


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
