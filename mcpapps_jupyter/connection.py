"""Keeps one app's session: starts it once for everybody, notices its end, brings it back by the rules.

Runs on the session loop. `App` is the handle that people hold; this is what stands behind it
and survives any number of servers.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from mcpapps_jupyter.callbacks import ServerRequests
from mcpapps_jupyter.catalogue import Catalogue, Tool
from mcpapps_jupyter.deadline import Deadline
from mcpapps_jupyter.errors import ConnectionLost, McpAppsError, ProtocolFailure, StartFailed, in_words
from mcpapps_jupyter.lifecycle import Lifecycle, State
from mcpapps_jupyter.log import AppLog
from mcpapps_jupyter.ports import Caller, ClientTransport, Progress, ServerEvent
from mcpapps_jupyter.redact import clean_line, redact
from mcpapps_jupyter.session import Session

if TYPE_CHECKING:
    from mcpapps_jupyter.transports import Hooks

T = TypeVar("T")

#: Seconds between two restarts that a page may cause by itself.
_RESTART_PAUSE = 60.0
#: A server that says nothing to the 2026 probe costs the SDK this long; the next start skips it.
_SLOW_PROBE = 9.0
#: The longest start in all, however much a first installation prints.
_LONGEST_START = 120.0

TransportFactory = Callable[["Hooks"], Awaitable[ClientTransport]]


class Connection:
    """One app's server, as everybody uses it.

    Parameters
    ----------
    app_id
        For messages.
    lifecycle, log
        The app's; moved and written here.
    make_transport
        Makes a fresh transport with the given hooks; raises in words.
    make_requests
        Makes the answerer of the server's own requests.
    protocol
        ``auto``, ``legacy`` or a version.
    startup_seconds, request_seconds
        The manifest's two limits.
    prefix
        Put before every tool name to make its local name.
    secrets
        What to mask in every text about this app.
    on_event
        Gets every event of the server that others may care for.
    version
        Our own version.
    """

    def __init__(
        self,
        app_id: str,
        *,
        lifecycle: Lifecycle,
        log: AppLog,
        make_transport: TransportFactory,
        make_requests: Callable[[], ServerRequests],
        protocol: str,
        startup_seconds: float,
        request_seconds: float,
        prefix: str,
        secrets: Callable[[], list[str]],
        on_event: Callable[[ServerEvent], None],
        version: str,
    ) -> None:
        self.app_id = app_id
        self.lifecycle = lifecycle
        self.log = log
        self.catalogue = Catalogue()
        self.notes: list[str] = []
        #: Pages by address, as long as the server says nothing new about its resources.
        self.pages: dict[str, Any] = {}
        self.protocol_version: str | None = None
        self.capabilities: dict[str, Any] = {}
        self.server_info: dict[str, Any] = {}
        self.request_seconds = request_seconds
        self._make_transport = make_transport
        self._make_requests = make_requests
        self._protocol = protocol
        self._startup_seconds = startup_seconds
        self._prefix = prefix
        self._secrets = secrets
        self._on_event = on_event
        self._version = version
        self._session: Session | None = None
        self._attempt: asyncio.Task[None] | None = None
        self._waiting = 0
        self._expired = False
        self._last_restart = float("-inf")
        self._refresh: asyncio.Task[None] | None = None
        self._background: set[asyncio.Task[Any]] = set()

    # -- start and stop ----------------------------------------------------------------------

    async def start(self) -> None:
        """Start the server unless it runs; concurrent callers share one attempt.

        When the last caller is interrupted the attempt is given up, and nothing stays behind.

        Raises
        ------
        StartFailed
            With the cause and the last lines of stderr.
        """
        if self._alive() is not None:
            return
        if self._attempt is None or self._attempt.done():
            self._attempt = asyncio.create_task(self._start())
        attempt = self._attempt
        self._waiting += 1
        try:
            await asyncio.shield(attempt)
        except asyncio.CancelledError:
            if self._waiting == 1 and not attempt.done():
                attempt.cancel()
                await asyncio.wait({attempt})
            raise
        finally:
            self._waiting -= 1

    async def _start(self) -> None:
        if self.lifecycle.state is State.RUNNING:  # its session died and nobody has been told yet
            self.lifecycle.to(State.FAILED, error="the connection ended")
        self.lifecycle.to(State.LOADED)
        self.log.forget_stderr()
        self.pages.clear()
        self._expired = False
        begun = time.monotonic()
        deadline = Deadline(self._startup_seconds, limit=max(_LONGEST_START, self._startup_seconds))
        try:
            await deadline.bound(self._connect(deadline))
        except asyncio.CancelledError:
            await self._drop_session()
            self.lifecycle.to(State.STOPPED)
            raise
        except TimeoutError:
            await self._fail(f"no answer within {self._startup_seconds:g} s (startupTimeoutSeconds)")
        except Exception as error:  # noqa: BLE001 - whatever it was, the app is Failed and says why
            await self._fail(in_words(error))
        if self._protocol == "auto" and time.monotonic() - begun > _SLOW_PROBE and not self._modern():
            self._protocol = "legacy"
            self.notes.append("the server ignores the 2026-07-28 probe; further starts skip it")
        self.lifecycle.to(State.RUNNING)

    async def _fail(self, cause: str) -> None:
        await self._drop_session()
        tail = [] if "its last words" in cause else self.log.stderr_tail()  # an exit's cause has them already
        cause = self.hide(cause).rstrip(".")
        self.lifecycle.to(State.FAILED, error=cause)
        last = (
            f" Last lines of its stderr: {self.hide(' | '.join(clean_line(line, 160) for line in tail))}"
            if tail
            else ""
        )
        raise StartFailed(f"{self.app_id} did not start: {cause}.{last}")

    async def _connect(self, deadline: Deadline) -> None:
        from mcpapps_jupyter.transports import Hooks

        holder: list[Session] = []
        ended: list[str] = []

        def closed(reason: str) -> None:
            ended.append(reason)
            if holder:
                holder[0].lost(reason)

        hooks = Hooks(
            on_noise=lambda text: self._noise(text, deadline),
            on_stderr=lambda line: self.log.add("stderr", self.hide(line)),
            on_warning=lambda text: self.log.add("host", self.hide(text), "warning"),
            on_closed=closed,
            on_session_lost=self._session_expired,
            on_activity=deadline.touch,
        )
        session = Session(
            await self._make_transport(hooks),
            requests=self._make_requests(),
            mode=self._protocol,
            on_event=self._event,
            on_lost=lambda reason: self._lost(session, reason),
            version=self._version,
        )
        holder.append(session)
        self._session = session
        try:
            await session.open()
            self.protocol_version = session.protocol_version
            self.capabilities = session.capabilities
            self.server_info = session.server_info
            self.catalogue = await self._list(session)
            await session.listen()
        except ConnectionLost as error:
            # The stream's end is known before its cause: the process's exit code follows at once.
            for _ in range(20):
                if ended:
                    break
                await asyncio.sleep(0.02)
            raise ConnectionLost(ended[0] if ended else str(error)) from None

    def _noise(self, text: str, deadline: Deadline) -> None:
        deadline.touch()
        self.log.add("stdout", self.hide(text), "warning")

    def _modern(self) -> bool:
        return (self.protocol_version or "") >= "2026"

    async def stop(self, *, hurry: bool = False) -> None:
        """Stop the server and whatever it started; a start under way is given up."""
        if self._attempt is not None and not self._attempt.done():
            self._attempt.cancel()
            await asyncio.wait({self._attempt})
        if self.lifecycle.state is State.RUNNING:
            self.lifecycle.to(State.STOPPED)
        await self._drop_session(hurry=hurry)

    async def _drop_session(self, *, hurry: bool = False) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close(hurry=hurry)

    def _alive(self) -> Session | None:
        session = self._session
        return (
            session
            if session is not None and session.alive and self.lifecycle.state is State.RUNNING
            else None
        )

    def _lost(self, session: Session, reason: str) -> None:
        """The server went away by itself: say so at once, everywhere."""
        if self._session is not session:
            return
        if self.lifecycle.state is State.RUNNING:
            reason = self.hide(reason)
            self.log.add("host", f"connection lost: {reason}", "error")
            self.lifecycle.to(State.FAILED, error=reason)
            self._spawn(self._drop_session())

    def _session_expired(self) -> None:
        self._expired = True

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run `work` beside everything else and hold on to it: the loop itself keeps no reference."""
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    # -- requests ----------------------------------------------------------------------------

    async def ready(self, caller: Caller) -> Session:
        """The running session, started where the caller may start it.

        A cell starts whatever is not running. A page never starts what the user stopped, and
        restarts a crashed server at most once a minute.

        Raises
        ------
        ConnectionLost, StartFailed
            It is not running and may not or cannot be started; the text says what to do.
        """
        session = self._alive()
        if session is not None:
            return session
        state = self.lifecycle.state
        if caller.origin == "page" and state is State.STOPPED:
            raise ConnectionLost(f"{self.app_id} is stopped. Start it with: %mcpapp start {self.app_id}")
        if caller.origin == "page" and state is State.FAILED and not self._expired:
            now = time.monotonic()
            if now - self._last_restart < _RESTART_PAUSE:
                cause = self.lifecycle.last_error or "it failed"
                raise ConnectionLost(
                    f"{self.app_id}: {cause}. Restart it with: %mcpapp restart {self.app_id}"
                )
            self._last_restart = now
        await self.start()
        session = self._alive()
        if session is None:
            raise ConnectionLost(f"{self.app_id}: {self.lifecycle.last_error or 'the connection ended'}")
        return session

    async def request(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        caller: Caller = Caller(),  # noqa: B008 - frozen
        timeout: float | None = None,
        on_progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Send one request; an HTTP session that the server forgot is renewed once, unseen.

        Raises
        ------
        ProtocolFailure, RequestTimeout, ConnectionLost, StartFailed
            In words.
        """
        seconds = timeout or self.request_seconds
        session = await self.ready(caller)
        try:
            return await session.request(
                method, params, timeout=seconds, caller=caller, on_progress=on_progress
            )
        except (ConnectionLost, ProtocolFailure) as error:
            if not self._expired:
                raise self._worded(error, method) from None
        await self._renew(session)
        session = await self.ready(caller)
        try:
            return await session.request(
                method, params, timeout=seconds, caller=caller, on_progress=on_progress
            )
        except (ConnectionLost, ProtocolFailure) as error:
            raise self._worded(error, method) from None

    def _worded(self, error: McpAppsError, method: str) -> McpAppsError:
        text = self.hide(str(error))
        if isinstance(error, ConnectionLost):
            return ConnectionLost(f"{self.app_id}: {text}, during {method}. It is restarted at the next use.")
        if isinstance(error, ProtocolFailure):
            return ProtocolFailure(f"{self.app_id}: {text}", error.code, error.data)
        return error

    async def _renew(self, session: Session) -> None:
        """Replace a session that the HTTP server no longer knows; callers that come together share it."""
        if self._session is session and self.lifecycle.state is State.RUNNING:
            self.lifecycle.to(State.FAILED, error="the server forgot the session")
            self.log.add("host", "the server forgot the HTTP session; connecting anew", "warning")
        if self._session is session:
            await self._drop_session()

    async def call_tool(
        self,
        tool: Tool | None,
        name: str,
        arguments: Mapping[str, Any],
        *,
        caller: Caller,
        on_progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Call a tool and return the server's result as it came.

        Raises
        ------
        ProtocolFailure, RequestTimeout, ConnectionLost, StartFailed
            In words. A tool that says itself that it failed is a result, not an error.
        """
        params = {"name": name, "arguments": dict(arguments)}
        try:
            raw = await self.request("tools/call", params, caller=caller, on_progress=on_progress)
            if not (raw.get("isError") and _lacks_back_channel(str(raw.get("content")))):
                return raw
        except ProtocolFailure as error:
            if not _lacks_back_channel(str(error)):
                raise
        if self._protocol != "auto":
            raise ProtocolFailure(
                f"{self.app_id}: {name} asks in a way that protocol {self.protocol_version} does not have"
            )
        await self._fall_back_to_legacy()
        if tool is not None and tool.safe_to_repeat:
            return await self.request("tools/call", params, caller=caller, on_progress=on_progress)
        message = (
            f"{self.app_id}: {name} asks its question in the older way (ctx.elicit), so the app was "
            "reconnected with protocol 2025-11-25. Run it again."
        )
        raise ProtocolFailure(message)

    async def _fall_back_to_legacy(self) -> None:
        self._protocol = "legacy"
        self.notes.append(
            "its tools push questions (ctx.elicit), so it is connected with the 2025-11-25 handshake"
        )
        await self.stop()
        await self.start()

    # -- what the server offers ---------------------------------------------------------------

    async def _list(self, session: Session) -> Catalogue:
        warnings: list[str] = []
        offered = session.capabilities
        seconds = self.request_seconds

        async def listing(method: str, key: str) -> list[dict[str, Any]]:
            items, cut = await session.list_all(method, key, timeout=seconds)
            if cut:
                warnings.append(f"{method} did not end; the first {len(items):,} entries are shown")
            return items

        tools = await listing("tools/list", "tools") if "tools" in offered else []
        resources = await listing("resources/list", "resources") if "resources" in offered else []
        templates: list[dict[str, Any]] = []
        if "resources" in offered:
            with contextlib.suppress(ProtocolFailure):  # many servers offer resources but know no templates
                templates = await listing("resources/templates/list", "resourceTemplates")
        prompts = await listing("prompts/list", "prompts") if "prompts" in offered else []
        return Catalogue(
            tuple(Tool.from_wire(raw, self._prefix, warnings.append) for raw in tools),
            tuple(resources),
            tuple(templates),
            tuple(prompts),
            tuple(dict.fromkeys(warnings)),
        )

    async def relist(self) -> None:
        """Read the listings again, keeping the old ones where that fails."""
        session = self._alive()
        if session is None:
            return
        try:
            self.catalogue = await self._list(session)
        except McpAppsError as error:
            self.log.add("host", f"listing again failed: {error}", "warning")

    def _event(self, event: ServerEvent) -> None:
        if event.kind == "message":
            data = event.params.get("data")
            level = str(event.params.get("level", "info"))
            self.log.add("server", self.hide(data if isinstance(data, str) else repr(data)), level)
            return
        if event.kind.startswith("resources/"):
            self.pages.clear()
        if event.kind.endswith("/list_changed"):
            self._spawn(self._relist_then_tell(event))
            return
        self._on_event(event)

    async def _relist_then_tell(self, event: ServerEvent) -> None:
        await self.relist()
        self._on_event(event)

    async def subscribe(self, uri: str, caller: Caller) -> None:
        """Ask the server for updates of `uri`."""
        await (await self.ready(caller)).subscribe(uri, timeout=self.request_seconds)

    async def unsubscribe(self, uri: str) -> None:
        """Give one subscription back, where the server still runs."""
        session = self._alive()
        if session is not None:
            await session.unsubscribe(uri, timeout=self.request_seconds)

    def hide(self, text: str) -> str:
        """`text` with this app's secrets masked."""
        return redact(text, self._secrets())


def _lacks_back_channel(text: str) -> bool:
    return "no back-channel" in text
