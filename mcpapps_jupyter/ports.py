"""What lower layers need of higher ones, as protocols; `host.py` injects the real things.

With these, imports only point down although ``App.open`` returns a view.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from mcpapps_jupyter.app import App

#: Called with progress, total and message of a request under way.
Progress = Callable[[float, float | None, str | None], Awaitable[None]]

#: Where a call comes from: a cell (or script), an open page, or a language model.
Origin = Literal["cell", "page", "model"]


@dataclass(frozen=True)
class Caller:
    """Who makes a call.

    Attributes
    ----------
    origin
        ``"cell"``, ``"page"`` or ``"model"``.
    view
        The view's key, for calls of a page.
    while_asked
        Entered for as long as a person is asked something on behalf of this call.
    """

    origin: Origin = "cell"
    view: str | None = None
    while_asked: Callable[[], AbstractContextManager[None]] = field(
        default=nullcontext, compare=False, repr=False
    )


@dataclass(frozen=True)
class ServerEvent:
    """Something the server tells without being asked.

    Attributes
    ----------
    kind
        ``tools/list_changed``, ``prompts/list_changed``, ``resources/list_changed``,
        ``resources/updated`` or ``message`` (a log line).
    params
        The notification's parameters, as on the wire.
    """

    kind: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """One question of a server for the person (MCP elicitation).

    Attributes
    ----------
    app_id
        The app whose server asks.
    message
        The question in words.
    mode
        ``"form"`` or ``"url"``.
    schema
        The requested JSON Schema (form mode), else empty.
    url
        The page to visit (URL mode), else empty.
    caller
        Whose call led to the question, where that can be known.
    """

    app_id: str
    message: str
    mode: Literal["form", "url"] = "form"
    schema: Mapping[str, Any] | None = None
    url: str = ""
    caller: Caller | None = None


#: ``{"action": "accept", "content": {...}}``, ``{"action": "decline"}`` or ``{"action": "cancel"}``.
Answer = dict[str, Any]


@dataclass(frozen=True)
class LoginRequest:
    """A remote server wants the person to log in (OAuth).

    Attributes
    ----------
    app_id
        The app whose server it is.
    url
        The page to log in at.
    redirect_uri
        Where the browser is sent afterwards; an address of this machine.
    caller
        Whose call led to it, where that can be known.
    """

    app_id: str
    url: str
    redirect_uri: str
    caller: Caller | None = None


class LoginPrompt(Protocol):
    """What the person sees of a login; used on the session loop."""

    async def show(self) -> None:
        """Show where to log in."""
        ...

    async def ask_for_address(self, problem: str) -> str | None:
        """Ask for the address that the browser ended at; None when the person declines.

        `problem` says what was wrong with the one before. Where nothing can be asked, it waits for ever.
        """
        ...

    def conclude(self, outcome: str) -> None:
        """Replace what is shown by one line."""
        ...


class ClientTransport(Protocol):
    """What a session needs of a transport: the SDK's pair of streams, and a way to be quick."""

    hurry: bool

    async def __aenter__(self) -> Any:
        """Connect; gives the read and the write stream."""
        ...

    async def __aexit__(self, *exc_info: Any) -> Any:
        """Disconnect."""
        ...


class Asker(Protocol):
    """Puts a server's questions to a person, a user's handler or a model."""

    async def elicit(self, question: Question) -> Answer:
        """Answer one elicitation; on the session loop."""
        ...

    @property
    def someone_there(self) -> bool:
        """Whether a person can be asked."""
        ...

    def login_prompt(self, request: LoginRequest) -> LoginPrompt:
        """Make the prompt for a login; nothing is shown yet."""
        ...

    def roots(self, app: App) -> list[dict[str, str]]:
        """``{"uri", "name"}`` of each folder the app may know about."""
        ...

    @property
    def can_sample(self) -> bool:
        """Whether a model is set."""
        ...

    async def sample(self, app: App, params: dict[str, Any], caller: Caller | None) -> dict[str, Any]:
        """Answer one ``sampling/createMessage``; on the session loop."""
        ...


@dataclass(frozen=True)
class PageTool:
    """A tool that an open page itself offers (MCP Apps ``appCapabilities.tools``).

    Attributes
    ----------
    app
        The app whose page it is.
    view
        The view's key.
    tool
        A `mcpapps_jupyter.catalogue.Tool`.
    call
        Calls it with these arguments, on the session loop; gives a `mcpapps_jupyter.results.ToolResult`.
    """

    app: App
    view: str
    tool: Any
    call: Callable[[Mapping[str, Any]], Awaitable[Any]]


class ToolSource(Protocol):
    """Where tools beside those of the servers come from."""

    async def page_tools(self) -> Sequence[PageTool]:
        """The tools of every page that can answer now, newest page first; on the session loop."""
        ...


class ViewFactory(Protocol):
    """Makes the view of a page."""

    def open_view(
        self, app: App, tool: str | None, arguments: Mapping[str, Any], options: Mapping[str, Any]
    ) -> Any:
        """Open a page and return its view; on the caller's thread."""
        ...

    def aopen_view(
        self, app: App, tool: str | None, arguments: Mapping[str, Any], options: Mapping[str, Any]
    ) -> Awaitable[Any]:
        """`open_view`, to be awaited."""
        ...

    def show_log(
        self, app: App, *, level: str | None = None, source: str | None = None, follow: bool = False
    ) -> Any:
        """Show an app's log in the running cell; on the thread that runs cells."""
        ...

    async def end_views(self, app: App, reason: str) -> None:
        """End every open page of an app, with a word to each first; on the session loop."""
        ...

    def all_views(self) -> Sequence[Any]:
        """Every open view, oldest first."""
        ...
