"""The model's door: every model-visible tool of the running apps, in the shapes that model APIs take.

What goes to a model is the tool's ``content``. ``structuredContent`` of a tool with a page and a
result's ``_meta`` do not: they are the page's. Tools that are for pages only are absent.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
import re
from collections.abc import Awaitable, Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from mcpapps_jupyter.catalogue import Listing, Tool
from mcpapps_jupyter.errors import McpAppsError, did_you_mean, in_words
from mcpapps_jupyter.host_thread import HostThread, Submitted
from mcpapps_jupyter.lifecycle import State
from mcpapps_jupyter.plain import NotPlainError, plain
from mcpapps_jupyter.ports import Caller, PageTool, ToolSource
from mcpapps_jupyter.results import ToolResult, block_text

if TYPE_CHECKING:
    from mcpapps_jupyter.app import App
    from mcpapps_jupyter.registry import Registry

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_MAX_NAME = 64

logger = logging.getLogger(__name__)


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
    def renamed(self) -> bool:
        """Whether another tool has the name that this one would go by."""
        plain_name = _UNSAFE.sub("_", self.name)
        return self.safe_name != plain_name and len(plain_name) <= _MAX_NAME

    @property
    def description(self) -> str:
        """What the tool does, in the server's words."""
        return self.tool.description or self.tool.title

    @property
    def parameters(self) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        schema = dict(self.tool.input_schema)
        return schema if schema.get("type") == "object" else {"type": "object", "properties": {}}

    def for_openai(self) -> dict[str, Any]:
        """As OpenAI's APIs take it."""
        function = {"name": self.safe_name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}

    def for_anthropic(self) -> dict[str, Any]:
        """As Anthropic's API takes it."""
        return {"name": self.safe_name, "description": self.description, "input_schema": self.parameters}


class SafeNames:
    """Which tool goes by which name for models, for the kernel's life.

    A model may hold an older list. A name that was given is therefore never given to another app's tool,
    whether its own one runs or not. What an open page offers goes with the page, and so may its name.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._owners: dict[str, str] = {}
        self._passing: set[str] = set()

    def of(self, identity: str, name: str, *, passing: frozenset[str] | None = None) -> str:
        """The safe form of `name` for the tool of this identity.

        Parameters
        ----------
        passing
            For a tool that comes and goes: all such identities that are there now. A name of one that
            is not may be given away.
        """
        known = self._names.get(identity)
        if known is not None:
            return known
        if passing is not None:
            holder = self._owners.get(_UNSAFE.sub("_", name))
            if holder in self._passing - passing:
                del self._owners[self._names.pop(holder)]
                self._passing.remove(holder)
            self._passing.add(identity)
        safe = safe_name(name, identity, self._owners)
        self._names[identity], self._owners[safe] = safe, identity
        return safe

    def owner(self, safe: str) -> str | None:
        """The identity that a name was given to."""
        return self._owners.get(safe)


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
        self._names = SafeNames()

    def listing(self, apps: Iterable[str] | None = None) -> Listing[BridgedTool]:
        """Every tool that a model may call.

        Parameters
        ----------
        apps
            Only these apps, started where they do not run; else every app that runs.
        """
        return self._thread.run(self._listing(self._chosen(apps)))

    def alisting(self, apps: Iterable[str] | None = None) -> Submitted[Listing[BridgedTool]]:
        """`listing`, to be awaited."""
        return self._thread.submit(self._listing(self._chosen(apps)))

    def _chosen(self, apps: Iterable[str] | None) -> list[App]:
        """The apps to list; whoever has to be asked for a start is asked here."""
        if apps is None:
            return [app for app in self._registry if app.state is State.RUNNING]
        chosen = [self._registry.get(name) for name in apps]
        for app in chosen:
            app.check_usable()
        return chosen

    async def _listing(self, apps: Sequence[App]) -> Listing[BridgedTool]:
        for app in apps:
            await app.connection().ready(Caller())
        found = await self._list(apps)
        head = ("tool", "name for models", "app", "what it does")

        def row(each: BridgedTool) -> list[str]:
            return [each.name, each.safe_name, each.owner, each.description.split("\n")[0]]

        notes = [
            f"{each.name} of {each.app.id} goes by {each.safe_name}: its own name is that of another tool."
            for each in found
            if each.renamed
        ]
        empty = "No running app offers a tool to models."
        return Listing(found, head=head, row=row, empty=empty, notes=notes)

    def for_openai(self, apps: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """The tools as OpenAI's APIs take them."""
        return [each.for_openai() for each in self.listing(apps)]

    async def afor_openai(self, apps: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """`for_openai`, to be awaited."""
        return [each.for_openai() for each in await self.alisting(apps)]

    def for_anthropic(self, apps: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """The tools as Anthropic's API takes them."""
        return [each.for_anthropic() for each in self.listing(apps)]

    async def afor_anthropic(self, apps: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """`for_anthropic`, to be awaited."""
        return [each.for_anthropic() for each in await self.alisting(apps)]

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> ToolReply:
        """Call a tool for a model; whatever goes wrong is a text that begins with ``Error:``.

        Parameters
        ----------
        name
            The safe name, or the name with the app's prefix.
        arguments
            An object, or its JSON text as models give it.
        """
        try:
            return self._thread.run(self._call(name, arguments))
        except McpAppsError as error:  # the host was stopped, or this is its own loop
            return ToolReply.error(str(error))

    def acall(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> Submitted[ToolReply]:
        """`call`, to be awaited."""
        return self._thread.submit(self._call(name, arguments))

    async def _list(self, apps: Iterable[App]) -> list[BridgedTool]:
        """The tools of these apps: of the servers first, whose names no page can take."""
        chosen = list(apps)
        found = self._of_servers(chosen)
        offered = [each for each in await self._pages.page_tools() if each.app in chosen]
        there = frozenset(map(_identity_on_page, offered))
        for each in offered:
            name = f"{each.app.prefix or f'{each.app.id}.'}page.{each.tool.name}"
            safe = self._names.of(_identity_on_page(each), name, passing=there)
            owner = f"mcpapp-page:{each.app.id}"
            found.append(BridgedTool(name, safe, owner, each.app, each.tool, each.call))
        return found

    def _of_servers(self, apps: Iterable[App]) -> list[BridgedTool]:
        found: list[BridgedTool] = []
        for app in apps:
            for tool in app.catalogue.tools:
                if tool.ui.for_model:
                    safe = self._names.of(_identity(app, tool), tool.local_name)
                    run = partial(app.call_here, tool.name, caller=Caller("model"))
                    found.append(BridgedTool(tool.local_name, safe, f"mcpapp:{app.id}", app, tool, run))
        return found

    async def _call(self, name: str, arguments: Mapping[str, Any] | str | None) -> ToolReply:
        try:
            found = await self._find(name)
            result = await found.run(read_arguments(name, arguments))
            return reply_of(result, has_page=found.tool.ui.resource_uri is not None)
        except McpAppsError as error:
            return ToolReply.error(str(error))
        except Exception as error:  # a model's loop goes on, whatever it was
            logger.debug("a call of %r for a model failed", name, exc_info=True)
            return ToolReply.error(f"the call failed: {in_words(error)}")

    async def _find(self, name: str) -> BridgedTool:
        """The tool of this name: of the apps that run, else of those that ran and were listed then."""
        running = [app for app in self._registry if app.state is State.RUNNING]
        listed = self._of_servers(running)
        found = self._named(name, listed)
        if found is None:  # pages are asked for theirs only when it can matter: they may be slow
            listed = await self._list(running)
            found = self._named(name, listed)
        if found is None:
            listed += self._of_servers(app for app in self._registry if app not in running)
            found = self._named(name, listed)
        if found is None:
            names = [each.safe_name for each in listed]
            raise McpAppsError(f"There is no tool '{name}'.{did_you_mean(name, names)}")
        return found

    def _named(self, name: str, tools: Iterable[BridgedTool]) -> BridgedTool | None:
        listed = list(tools)
        by_safe = next((each for each in listed if each.safe_name == name), None)
        if by_safe is not None or self._names.owner(name) is not None:
            return by_safe  # a name for models means one tool, and none while that one is away
        return next((each for each in listed if each.name == name), None)


def _identity(app: App, tool: Tool) -> str:
    return f"{app.id}\n{tool.name}"


def _identity_on_page(offered: PageTool) -> str:
    return f"{offered.app.id}\n{offered.view}\n{offered.tool.name}"


def safe_name(name: str, identity: str, taken: Container[str]) -> str:
    """`name` within what model APIs allow; a digest of `identity` keeps collisions apart."""
    safe = _UNSAFE.sub("_", name)
    if safe and len(safe) <= _MAX_NAME and safe not in taken:
        return safe
    for number in itertools.count():  # a server may have named a tool after the digest of another's
        digest = hashlib.sha256(f"{identity}{number or ''}".encode()).hexdigest()[:8]
        candidate = f"{safe[: _MAX_NAME - 9]}_{digest}"
        if candidate not in taken:
            break
    return candidate


def read_arguments(name: str, arguments: Mapping[str, Any] | str | None) -> dict[str, Any]:
    """What a model gave as arguments, as a dict.

    Raises
    ------
    McpAppsError
        It is not JSON, or no object.
    """
    start = f"Invalid JSON arguments for MCP App tool '{name}'"
    try:
        if isinstance(arguments, str):
            arguments = json.loads(arguments) if arguments.strip() else {}
        given = plain(arguments)
    except RecursionError:
        raise McpAppsError(f"{start}: nested too deeply") from None
    except (ValueError, NotPlainError) as error:
        raise McpAppsError(f"{start}: {error}") from None
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise McpAppsError(f"{start}: wanted an object, got {json.dumps(given, default=str)[:80]}")
    return given


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
    except (ValueError, RecursionError):
        return False
