"""One app: the handle that cells hold. It survives restarts of its server.

Every blocking verb has a twin with ``a`` in front, which returns something to ``await``.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from mcpapps_jupyter import arguments as arguments_
from mcpapps_jupyter import choosing
from mcpapps_jupyter.catalogue import (
    Catalogue,
    Listing,
    Tool,
    prompts_listing,
    resources_listing,
    tools_listing,
)
from mcpapps_jupyter.definition import Definition
from mcpapps_jupyter.entry_point import load_entry_point
from mcpapps_jupyter.errors import (
    AppDisabled,
    InvalidArguments,
)
from mcpapps_jupyter.feed import Feed, ProgressHandler
from mcpapps_jupyter.host_thread import HostThread, Submitted
from mcpapps_jupyter.lifecycle import Lifecycle, State
from mcpapps_jupyter.log import AppLog
from mcpapps_jupyter.manifest import (
    Manifest,
    resolve_endpoint,
    resolve_launch,
    secret_values,
)
from mcpapps_jupyter.oauth import LoginFile
from mcpapps_jupyter.plain import NotPlainError, plain
from mcpapps_jupyter.ports import Asker, Caller, ClientTransport, ServerEvent, ViewFactory
from mcpapps_jupyter.redact import redact
from mcpapps_jupyter.results import PromptResult, ReadResult, ToolResult, odd_spellings

if TYPE_CHECKING:
    from httpx2 import Auth

    from mcpapps_jupyter.callbacks import ServerRequests
    from mcpapps_jupyter.connection import Connection
    from mcpapps_jupyter.info import AppInfo
    from mcpapps_jupyter.transports import Hooks, HttpTransport, ProcessGuard
    from mcpapps_jupyter.transports.http import Kind

T = TypeVar("T")

_CELL = Caller()
#: The last line of a traceback, in Python or JavaScript.
_EXCEPTION = re.compile(r"[\w.]*(Error|Exception|Exit|Interrupt|Warning)\b(:|$)")


@dataclass(frozen=True)
class Services:
    """What every app shares; made once by the host.

    Attributes
    ----------
    thread
        The session loop.
    asker, views
        Where questions go and where pages are made.
    guard
        Gives the process guard, started at first need.
    may_use
        Raises in words when an app may not be used: ``may_use(definition, runs)``; one that does not
        run yet may need the person's consent.
    version
        Our own version.
    state_changed
        Told of each step of each app: ``state_changed(app, old, new)``; on whatever thread makes it.
    old_servers
        Which servers, by command and version, do not answer the 2026 probe in time.
    """

    thread: HostThread
    asker: Asker
    views: ViewFactory
    guard: Callable[[], ProcessGuard]
    may_use: Callable[[Definition, bool], None]
    version: str
    state_changed: Callable[[App, State, State], None] = field(default=lambda *_: None)
    old_servers: set[Hashable] = field(default_factory=set)


class App:
    """An MCP server with pages, as the notebook uses it.

    Examples
    --------
    >>> grocery = host["grocery"]
    >>> grocery.call("get_inventory", storeId=1).to_pandas()
    >>> view = grocery.open()
    """

    def __init__(self, definition: Definition, services: Services) -> None:
        self.id = definition.app_id
        self.lifecycle = Lifecycle()
        self.lifecycle.subscribe(lambda step: services.state_changed(self, step.previous, step.state))
        self.log = AppLog(title=f"Log of {self.id}", show=lambda: services.views.show_log(self))
        self._services = services
        self._connection: Connection | None = None
        self.definition = definition
        #: A changed manifest of a running app, taken over by its next start.
        self.pending: Definition | None = None
        self._agreed: Definition | None = None
        #: Whether the last scan did not find its manifest any more.
        self.vanished = False
        #: Manifests of the same id that do not count.
        self.shadows: list[str] = []
        self._secrets: list[str] | None = None
        self._login: LoginFile | None = None
        self._http: HttpTransport | None = None
        self._listeners: list[Callable[[ServerEvent], None]] = []
        self._subscriptions: dict[str, set[str]] = {}

    # -- what it is --------------------------------------------------------------------------

    @property
    def manifest(self) -> Manifest:
        """The app's manifest (`ManifestInvalid` when it has none that is valid)."""
        return self.definition.manifest

    @property
    def name(self) -> str:
        """The display name; the id where the manifest gives none."""
        manifest = self.definition.parsed.manifest
        return (manifest.name if manifest else None) or self.id

    @property
    def state(self) -> State:
        """Where the app is in its life."""
        return self.lifecycle.state

    @property
    def last_error(self) -> str | None:
        """Why it failed, or what is wrong with its manifest."""
        return (
            self.lifecycle.last_error
            or "; ".join([*self.lifecycle.validation_errors, *self.lifecycle.policy_reasons])
            or None
        )

    @property
    def remote(self) -> bool:
        """Whether its server is reached over the network."""
        manifest = self.definition.parsed.manifest
        return manifest is not None and manifest.transport in ("http", "sse")

    @property
    def catalogue(self) -> Catalogue:
        """What its server listed at the last start; empty before the first."""
        return self._connection.catalogue if self._connection else Catalogue()

    @property
    def capabilities(self) -> tuple[str, ...]:
        """What its server said it offers, at the last start; empty before the first."""
        return tuple(self._connection.capabilities) if self._connection else ()

    @property
    def pages_read(self) -> Mapping[str, Any] | None:
        """The pages read since the server's last start, by address; None when it has not run."""
        connection = self._connection
        return dict(connection.pages) if connection and connection.protocol_version else None

    @property
    def prefix(self) -> str:
        """What stands before its tools' local names."""
        manifest = self.definition.parsed.manifest
        return (manifest.tool_name_prefix if manifest else None) or ""

    @property
    def tools(self) -> Listing[Tool]:
        """Its tools; starts the server at first need."""
        self.start()
        return tools_listing(self.catalogue.tools)

    @property
    def resources(self) -> Listing[Mapping[str, Any]]:
        """Its resources and resource templates; starts the server at first need."""
        self.start()
        return resources_listing([*self.catalogue.resources, *self.catalogue.templates])

    @property
    def prompts(self) -> Listing[Mapping[str, Any]]:
        """Its prompts; starts the server at first need."""
        self.start()
        return prompts_listing(self.catalogue.prompts)

    def info(self) -> AppInfo:
        """Everything there is to know about the app now; starts nothing."""
        from mcpapps_jupyter.info import describe

        roots = [root["uri"] for root in self._services.asker.roots(self)]
        return describe(self, self._connection, roots)

    # -- life ----------------------------------------------------------------------------------

    def redefine(self, definition: Definition) -> None:
        """Take a changed definition; the next start uses it. The app must not run."""
        if self.state in (State.STOPPED, State.FAILED):
            self.lifecycle.to(State.VALIDATED)  # what happened was another definition's
        self.definition = definition
        self.pending = None
        self._agreed = None
        self._secrets = None
        self._login = None
        self._http = None
        self._connection = None

    async def take_over(self, definition: Definition) -> None:
        """Stop the server, if it runs, and go on with another definition."""
        await self._stop(hurry=False)
        self.redefine(definition)

    def start(self) -> App:
        """Start the server unless it runs; returns the app itself.

        Raises
        ------
        StartFailed, ManifestInvalid, AppDisabled
            With the cause, in words.
        """
        if self.state is not State.RUNNING:
            self.check_usable()
            self._run(self._start())
        return self

    def astart(self) -> Submitted[App]:
        """`start`, to be awaited."""
        self.check_usable()
        return self._services.thread.submit(self._start())

    async def _start(self) -> App:
        await self.connection().start()
        return self

    def stop(self, *, hurry: bool = False) -> None:
        """End the open pages, then stop the server and every process it started.

        Parameters
        ----------
        hurry
            Ask nobody and wait for little: the kernel ends.
        """
        if self._connection is not None:
            self._run(self._stop_for_good(hurry))

    def astop(self, *, hurry: bool = False) -> Submitted[None]:
        """`stop`, to be awaited."""
        return self._services.thread.submit(self._stop_for_good(hurry))

    async def _stop_for_good(self, hurry: bool) -> None:
        if not hurry:  # while the server still answers what they want to have tidied up
            await self._services.views.end_views(
                self, f"The app was stopped. Start it with: %mcpapp start {self.id}"
            )
        await self._stop(hurry)

    async def _stop(self, hurry: bool) -> None:
        """Stop the server; pages stay, for the one that comes after it."""
        if self._connection is not None:
            await self._connection.stop(hurry=hurry)

    def restart(self) -> App:
        """Stop and start again; handles and open pages stay valid."""
        self.check_usable(anew=True)
        self._run(self._restart())
        return self

    def arestart(self) -> Submitted[App]:
        """`restart`, to be awaited."""
        self.check_usable(anew=True)
        return self._services.thread.submit(self._restart())

    async def _restart(self) -> App:
        if self.pending is not None or self._connection is None:
            await self._stop(hurry=False)
            return await self._start()
        await self._connection.restart()
        return self

    @property
    def login(self) -> LoginFile | None:
        """Where the login at its server is kept; None where none is possible.

        Raises
        ------
        ManifestInvalid
            Its address cannot be made out.
        """
        if not self.remote:
            return None
        url, headers = resolve_endpoint(self.manifest, environ=os.environ)
        if "authorization" in map(str.lower, headers):
            return None
        if self._login is None or self._login.server_url != url:
            self._login = LoginFile(url)
        return self._login

    def forget_login(self) -> bool:
        """Stop the server and forget the login there; the next start asks to log in again.

        Returns
        -------
        bool
            Whether a login was kept. The server itself is not told.
        """
        return self._run(self._forget_login())

    def aforget_login(self) -> Submitted[bool]:
        """`forget_login`, to be awaited."""
        return self._services.thread.submit(self._forget_login())

    async def _forget_login(self) -> bool:
        await self._stop(hurry=False)
        return self.login is not None and self.login.forget()

    def check_usable(self, *, anew: bool = False) -> None:
        """Raise in words when the app may not be used, or not be started as it is defined by now.

        A manifest that changed on disk is taken over here and nowhere else, so that what was
        agreed to is what runs.

        Parameters
        ----------
        anew
            A server that runs is about to be replaced.
        """
        runs = self.state in (State.RUNNING, State.LOADED) and not anew
        definition = self.definition if runs or self.pending is None else self.pending
        if self.lifecycle.policy_reasons or self.state is State.DISABLED:
            why = "; ".join(self.lifecycle.policy_reasons) or "it was disabled"
            raise AppDisabled(f"{self.id} is disabled: {why}")
        definition.manifest  # noqa: B018 - raises in words when it is invalid
        self._services.may_use(definition, runs)
        if definition is self.pending:
            self._agreed = definition

    # -- use -----------------------------------------------------------------------------------

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        /,
        *,
        on_progress: ProgressHandler | None = None,
        **keywords: Any,
    ) -> ToolResult:
        """Call a tool on the shared session and wait for its result.

        Parameters
        ----------
        tool
            The server's name of the tool, or the local name with the app's prefix.
        arguments, **keywords
            The tool's arguments, checked against its input schema before anything is sent.
        on_progress
            Called with what is done, the total or None, and a message or None, whenever the server reports
            progress; away from the session loop, so that calls of this API work in it.

        Raises
        ------
        UnknownTool, InvalidArguments
            Before any call; the text names the nearest tools, or what the schema wants.
        ProtocolFailure, RequestTimeout, ConnectionLost, StartFailed
            The server gave no result. A tool that says itself that it failed is a result with
            ``is_error``.
        """
        self.check_usable()
        given = given_arguments(tool, arguments, keywords)
        return self._run(self.call_here(tool, given, on_progress=on_progress))

    def acall(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        /,
        *,
        on_progress: ProgressHandler | None = None,
        **keywords: Any,
    ) -> Submitted[ToolResult]:
        """`call`, to be awaited."""
        self.check_usable()
        given = given_arguments(tool, arguments, keywords)
        return self._services.thread.submit(self.call_here(tool, given, on_progress=on_progress))

    async def call_here(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller = _CELL,
        *,
        on_progress: ProgressHandler | None = None,
    ) -> ToolResult:
        """`call` for code that already is on the session loop."""
        connection = self.connection()
        await connection.ready(caller)
        tool = self.check_call(name, arguments)
        params = {"name": tool.name, "arguments": dict(arguments)}
        begun = time.time()
        feed = Feed(on_progress, self._services.thread, self._progress_failed) if on_progress else None
        told = feed.told if feed else None
        try:
            raw = await connection.request("tools/call", params, caller=caller, on_progress=told)
        finally:
            if feed is not None:
                await feed.over()
        self._check_output(tool, raw)
        result = ToolResult(raw, app_id=self.id, tool=tool.name)
        if result.is_error:
            result.hint = await self._stderr_since(begun, result.text)
        return result

    def _progress_failed(self, error: Exception, *_: Any) -> bool:
        self._note(f"on_progress failed and is not called again: {error!r}")
        return False

    def _note(self, text: str) -> None:
        self.log.add("host", self.hide(text), "warning")

    async def _stderr_since(self, begun: float, said: str) -> str:
        """What a failed call left on the server's stderr: SDKs keep an exception's own words from clients."""
        await asyncio.sleep(0.05)  # another pipe than the result's
        lines = [entry.text.strip() for entry in self.log.filter(source="stderr", since=begun)]
        news = [line for line in lines if line and not (said and said in line)]
        raised = [line for line in news if _EXCEPTION.match(line)]
        return f"{(raised or news)[-1]} (all of it: %mcpapp log {self.id})" if news else ""

    def read(self, uri: str) -> ReadResult:
        """Read a resource (``resources/read``)."""
        self.check_usable()
        return self._run(self._read(uri))

    def aread(self, uri: str) -> Submitted[ReadResult]:
        """`read`, to be awaited."""
        self.check_usable()
        return self._services.thread.submit(self._read(uri))

    async def _read(self, uri: str) -> ReadResult:
        raw = await self.connection().request("resources/read", {"uri": uri})
        return ReadResult(raw, app_id=self.id, uri=uri)

    def prompt(
        self, name: str, arguments: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> PromptResult:
        """Get a prompt (``prompts/get``); arguments are strings, as MCP wants them."""
        self.check_usable()
        return self._run(self._prompt(name, given_arguments(name, arguments, keywords)))

    def aprompt(
        self, name: str, arguments: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> Submitted[PromptResult]:
        """`prompt`, to be awaited."""
        self.check_usable()
        given = given_arguments(name, arguments, keywords)
        return self._services.thread.submit(self._prompt(name, given))

    async def _prompt(self, name: str, arguments: Mapping[str, Any]) -> PromptResult:
        connection = self.connection()
        await connection.ready(_CELL)
        choosing.check_prompt(self.id, self.catalogue, name, arguments)
        params = {"name": name, "arguments": {key: str(value) for key, value in arguments.items()}}
        return PromptResult(await connection.request("prompts/get", params), app_id=self.id, name=name)

    def open(
        self,
        tool: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        /,
        *,
        stream: Any = None,
        **keywords: Any,
    ) -> Any:
        """Open the page of a tool and return its view; display the view to see it.

        Without `tool`, the app's default page opens: the tool bound to the manifest's
        ``uiResourceUri``, else the only tool with a page that needs no arguments. A ``ui://``
        address opens that bare resource.

        Parameters
        ----------
        tool, arguments, **keywords
            What to call, and its arguments.
        stream
            Gives the arguments while they are being written, by a model say: an iterable of dicts, or an
            asynchronous one, each with all that is known so far. The page sees every one of them; when
            the last is there, the tool is called.

        Raises
        ------
        UnknownTool, InvalidArguments, NoPage, StartFailed
            In words, before anything is shown.
        """
        options = {} if stream is None else {"stream": stream}
        return self._services.views.open_view(self, tool, {**(arguments or {}), **keywords}, options)

    def aopen(
        self,
        tool: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        /,
        *,
        stream: Any = None,
        **keywords: Any,
    ) -> Awaitable[Any]:
        """`open`, to be awaited."""
        options = {} if stream is None else {"stream": stream}
        return self._services.views.aopen_view(self, tool, {**(arguments or {}), **keywords}, options)

    @property
    def views(self) -> list[Any]:
        """The app's open views, oldest first."""
        return [view for view in self._services.views.all_views() if view.app is self]

    # -- checks --------------------------------------------------------------------------------

    def check_call(self, name: str, arguments: Mapping[str, Any]) -> Tool:
        """The tool of this name, if `arguments` fit it; the server must have been listed.

        Raises
        ------
        UnknownTool, InvalidArguments
            With the nearest names, or with what the schema wants and a line to paste.
        """
        return choosing.check_call(self.id, self.catalogue, name, arguments)

    def find_tool(self, name: str) -> Tool:
        """The tool of this name.

        Raises
        ------
        UnknownTool
            With the nearest names.
        """
        return choosing.find_tool(self.id, self.catalogue, name)

    def page_of(self, tool: str | None) -> tuple[Tool | None, str]:
        """Which tool and which ``ui://`` address `open` means.

        Raises
        ------
        UnknownTool, NoPage
            In words, with the tools that do have a page.
        """
        opening = self.definition.opening
        if tool is None and opening is not None:
            tool = opening.target
        if tool is None:
            return choosing.default_page(self.id, self.catalogue, self.manifest.ui_resource_uri)
        return choosing.page_of(self.id, self.catalogue, tool)

    def opening_arguments(self, tool: str | None, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments to open `tool` with: those given, else those of a bare `open`."""
        given = given_arguments(tool or "open", given, {})
        opening = self.definition.opening
        return opening.arguments if opening is not None and tool is None and not given else given

    def _check_output(self, tool: Tool, raw: Mapping[str, Any]) -> None:
        """A result that misses its own schema, or MCP's spelling, is still the result; the log says so."""
        for odd in odd_spellings(raw):
            self.log.add("host", f"{tool.name}: the result's {odd}", "warning")
        if tool.output_schema is None or raw.get("isError"):
            return
        value = raw.get("structuredContent")
        found = (
            ["there is no structuredContent"]
            if value is None
            else arguments_.schema_problems(tool.output_schema, value)
        )
        if found:
            self.log.add(
                "host", f"{tool.name}: the result does not fit its output schema: {found[0]}", "warning"
            )

    # -- the connection ---------------------------------------------------------------------------

    def connection(self) -> Connection:
        """What stands behind the handle; made at first need, on the session loop."""
        if self._agreed is not None and self.state not in (State.RUNNING, State.LOADED):
            self.redefine(self._agreed)
        if self._connection is None:
            from mcpapps_jupyter.callbacks import ServerRequests
            from mcpapps_jupyter.connection import Connection
            from mcpapps_jupyter.quiet import hush, hush_warnings

            hush()  # again, where the host was closed in between
            hush_warnings()
            with contextlib.suppress(RuntimeError):  # off the loop the first check does it
                asyncio.get_running_loop().run_in_executor(None, arguments_.warm_up)

            manifest, services = self.manifest, self._services

            def make_requests() -> ServerRequests:
                asker = services.asker
                sample = partial(asker.sample, self) if asker.can_sample else None
                return ServerRequests(self.id, asker.elicit, partial(asker.roots, self), sample)

            if self.state is State.DISCOVERED:
                self.lifecycle.to(State.VALIDATED)
            self._connection = Connection(
                self.id,
                lifecycle=self.lifecycle,
                log=self.log,
                make_transport=self._make_transport,
                make_requests=make_requests,
                protocol=manifest.protocol or "auto",
                old=services.old_servers,
                identity=None if self.definition.server is not None else (manifest.target, manifest.version),
                startup_seconds=manifest.effective_startup_seconds,
                request_seconds=manifest.request_timeout_seconds,
                prefix=self.prefix,
                one_life=self._has_one_life,
                secrets=self.secrets,
                on_event=self._tell,
                subscriptions=self._subscriptions,
                version=services.version,
            )
        return self._connection

    @property
    def can_sample(self) -> bool:
        """Whether the user has set a model (`Host.set_model`)."""
        return self._services.asker.can_sample

    async def sample(self, params: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        """Let the user's model answer a ``sampling/createMessage`` of a page; on the session loop.

        Raises
        ------
        McpAppsError
            The person does not agree, or the model fails.
        """
        from mcpapps_jupyter.callbacks import sample_result

        answer = await self._services.asker.sample(self, dict(params), caller)
        sample_result(answer)  # it goes to the page as it is, once it is sound
        return answer

    def _has_one_life(self, modern: bool) -> bool:
        """Whether the server forgets everything when the session ends; `modern`: one of the 2026 era."""
        if self.manifest.transport == "inprocess":
            return self.definition.server is None  # an object in a cell stays; an entry point makes a new one
        return self.manifest.transport == "stdio" or not modern  # the 2026 era has no session over HTTP

    def model_changed(self) -> None:
        """A model was set or taken away (`Host.set_model`)."""
        if self._connection is not None:
            self._services.thread.sessions.call_soon(self._connection.model_changed)

    def roots_changed(self) -> None:
        """`McpApps.roots` was changed."""
        if self._connection is not None:
            self._services.thread.sessions.call_soon(self._connection.roots_changed)

    def listen(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Call `listener`, on the session loop, with every event of the server; returns how to end that."""
        self._listeners.append(listener)

        def forget() -> None:
            with contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return forget

    def _tell(self, event: ServerEvent) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception as error:  # noqa: BLE001 - one listener must not keep it from the others
                self.log.add("host", self.hide(f"a listener of {event.kind} failed: {error!r}"), "error")

    def hide(self, text: str) -> str:
        """`text` with this app's secrets masked."""
        return redact(text, self.secrets())

    def secrets(self) -> list[str]:
        """Values that must never be shown: from environment, headers, ``${env:…}`` and logins."""
        if self._secrets is None:
            manifest = self.definition.parsed.manifest
            self._secrets = secret_values(manifest, environ=os.environ) if manifest else []
        return [*self._secrets, *self._login.secrets] if self._login else self._secrets

    async def _make_transport(self, hooks: Hooks, requests: ServerRequests) -> ClientTransport:
        from mcpapps_jupyter.transports import HttpTransport, InProcessTransport, StdioTransport

        manifest, definition = self.manifest, self.definition
        if definition.server is not None:
            return InProcessTransport(definition.server, hooks)
        if manifest.transport == "inprocess":
            return InProcessTransport(await load_entry_point(manifest.entry_point or ""), hooks)
        if manifest.transport == "stdio":
            launch = resolve_launch(
                manifest, manifest_dir=definition.directory, python=sys.executable, environ=os.environ
            )
            return StdioTransport(launch, hooks, self._services.guard())
        url, headers = resolve_endpoint(manifest, environ=os.environ)
        auth: Auth | None = None
        if (login := self.login) is not None:
            from mcpapps_jupyter.oauth.login import Login

            auth = Login(self.id, login, requests=requests, asker=self._services.asker, note=self._note)
        # What the last start found out is not tried again: an older server refuses the newer way each time.
        spoken = self._http.kind if self._http is not None else "http"
        kind: Kind = "sse" if manifest.transport == "sse" else spoken
        self._http = HttpTransport(url, headers, hooks, auth=auth, kind=kind)
        return self._http

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._services.thread.run(work)

    def __repr__(self) -> str:
        return f"<App {self.id}: {self.state}>"


def given_arguments(
    what: str, arguments: Mapping[str, Any] | None, keywords: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call as JSON has them, NumPy's and pandas' values included.

    Raises
    ------
    InvalidArguments
        One of them has no JSON; the text names it.
    """
    given: dict[str, Any] = {}
    for name, value in {**(arguments or {}), **keywords}.items():
        try:
            given[str(name)] = plain(value)
        except NotPlainError as error:
            raise InvalidArguments(f"{what}: {name}: {error}") from None
    return given
