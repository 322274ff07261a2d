"""Keeps one app's session: starts it once for everybody, notices its end, brings it back by the rules.

Runs on the session loop. `App` is the handle that people hold; this is what stands behind it
and survives any number of servers.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from mcpapps_jupyter import last_words
from mcpapps_jupyter.callbacks import ServerRequests
from mcpapps_jupyter.catalogue import Catalogue
from mcpapps_jupyter.deadline import Deadline
from mcpapps_jupyter.errors import (
    AppDisabled,
    ConnectionLost,
    McpAppsError,
    ProtocolFailure,
    RequestTimeout,
    StartFailed,
    in_words,
)
from mcpapps_jupyter.lifecycle import Lifecycle, State
from mcpapps_jupyter.log import AppLog, message_text
from mcpapps_jupyter.offers import Offers
from mcpapps_jupyter.ports import Caller, ClientTransport, Progress, ServerEvent
from mcpapps_jupyter.redact import redact
from mcpapps_jupyter.session import Session
from mcpapps_jupyter.shared import SharedWork

if TYPE_CHECKING:
    from mcpapps_jupyter.transports import Hooks

T = TypeVar("T")

#: Seconds between two restarts that pages and models may cause by themselves.
_RESTART_PAUSE = 60.0
#: A server that says nothing to the 2026 probe costs the SDK this long; the next start skips it.
_SLOW_PROBE = 9.0
#: How long a change of era waits for the calls that are under way.
_SETTLE = 10.0
#: How long a session that the server has forgotten is kept for answers that are still to come.
_LAST_ANSWERS = 2.0
#: The longest start in all, however much a first installation prints.
_LONGEST_START = 120.0
_NOISE = "the server prints to stdout, which belongs to the protocol; it should print to stderr"
_SKIPS_PROBE = "the server ignores the 2026-07-28 probe; further starts skip it"
_LATE_MODEL = "whether a model is set has changed since the start; the server hears of it at the next one"
#: How many lines of a server's stderr are searched for why it did not start.
_READ_FOR_CAUSE = 200

TransportFactory = Callable[["Hooks", ServerRequests], Awaitable[ClientTransport]]


class Connection:
    """One app's server, as everybody uses it.

    Parameters
    ----------
    app_id
        For messages.
    lifecycle, log
        The app's; moved and written here.
    make_transport
        Makes a fresh transport with the given hooks, for the session with these requests; raises in words.
    make_requests
        Makes the answerer of the server's own requests.
    protocol
        ``auto``, ``legacy`` or a version.
    old
        The servers of this kernel that did not answer the 2026 probe in time, each by its `identity`; read
        and written here. An identity of None is remembered by nobody.
    startup_seconds, request_seconds
        The manifest's two limits.
    prefix
        Put before every tool name to make its local name.
    one_life
        Tells whether the server's state ends with the session, as that of a process does; gets whether
        that is one of the 2026 era.
    secrets
        What to mask in every text about this app.
    on_event
        Gets every event of the server that others may care for.
    subscriptions
        Who wants updates of which resource; kept by the app, so that it outlives this connection.
    version
        Our own version.
    clock
        Seconds, monotonic: for how often a page may restart the server.
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
        old: set[Hashable],
        identity: Hashable | None,
        startup_seconds: float,
        request_seconds: float,
        prefix: str,
        one_life: Callable[[bool], bool],
        secrets: Callable[[], list[str]],
        on_event: Callable[[ServerEvent], None],
        subscriptions: dict[str, set[str]],
        version: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app_id = app_id
        self.lifecycle = lifecycle
        self.log = log
        self.notes: list[str] = []
        self.protocol_version: str | None = None
        self.capabilities: dict[str, Any] = {}
        self.server_info: dict[str, Any] = {}
        self.request_seconds = request_seconds
        self._make_transport = make_transport
        self._make_requests = make_requests
        self._protocol = protocol
        self._old = old
        self._identity = identity
        #: The 2025 handshake is tried on suspicion; a failure takes it back.
        self._suspected = protocol == "auto" and identity in old
        if self._suspected:
            self._protocol = "legacy"
            self.notes.append(_SKIPS_PROBE)
        self._startup_seconds = startup_seconds
        self._one_life = one_life
        self._secrets = secrets
        self._version = version
        self._clock = clock
        self._subscriptions = subscriptions
        self._session: Session | None = None
        self._attempt: SharedWork | None = None
        #: Somebody stopped it, or gave up its start: only somebody may start it again.
        self._held = False
        #: What we offer the server has changed since it was told.
        self._stale = False
        #: Whether the last start replaced a session that went away by itself.
        self.recovered = False
        self._last_restart = float("-inf")
        #: Whether this server was told of already as one that prints to stdout.
        self._noisy = False
        #: How many lines the log had when the last start began.
        self._log_before = 0
        self._leaving: dict[asyncio.Task[None], Session] = {}
        self._fallback: asyncio.Task[None] | None = None
        self._background: set[asyncio.Task[Any]] = set()
        self._offers = Offers(
            prefix=prefix,
            seconds=request_seconds,
            session=self._alive,
            tell=on_event,
            note=lambda text: log.add("host", self.hide(text), "warning"),
            spawn=self._spawn,
        )

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
        if not self._starting:
            self._check_allowed()
            self._begin(recovers=False)
        await self._join()

    @property
    def _starting(self) -> bool:
        return self._attempt is not None and self._attempt.under_way

    def _begin(self, *, recovers: bool, instead_of: Session | None = None) -> None:
        """Begin an attempt, `instead_of` a session that is of no more use; the caller joins it."""
        self._held = False
        self.recovered = recovers
        self._attempt = SharedWork(self._start(instead_of))

    async def _join(self) -> None:
        attempt = self._attempt
        assert attempt is not None
        try:
            started = await attempt.join()
        finally:
            self._held = self._held or attempt.abandoned
        if not started:
            raise StartFailed(f"{self.app_id} was stopped before it had started.")

    async def _start(self, instead_of: Session | None) -> None:
        if instead_of is not None:
            # What else is under way there gets its answer, or its refusal, before the line is cut.
            await instead_of.settled(_LAST_ANSWERS)
            self._leave()
        if self.lifecycle.state is State.RUNNING:  # its session is being replaced, or died a moment ago
            self.lifecycle.to(State.FAILED, error="the connection ended")
        self.lifecycle.to(State.LOADED)
        self._stale = False
        with contextlib.suppress(ValueError):
            self.notes.remove(_LATE_MODEL)
        try:
            await self._left()
            self.log.forget_stderr()
            self._log_before = self.log.count
            self._offers.forget_pages()
            self._noisy = False
            await self._try()
        except asyncio.CancelledError:
            self._leave()
            if self.lifecycle.state is State.LOADED:
                self.lifecycle.to(State.STOPPED)
            await self._left()
            raise
        self.lifecycle.to(State.RUNNING)

    async def _try(self) -> None:
        loop, requests = asyncio.get_running_loop(), self._make_requests()
        begun, limit = loop.time(), max(_LONGEST_START, self._startup_seconds)
        deadline = Deadline(self._startup_seconds, asked=requests.asked, limit=limit)
        try:
            await deadline.bound(self._connect(deadline, requests))
        except TimeoutError:
            cause = f"no answer within {self._startup_seconds:g} s (startupTimeoutSeconds)"
            await self._fail(cause, timed_out=True)
        except Exception as error:  # noqa: BLE001 - whatever it was, the app is Failed and says why
            await self._fail(in_words(error))
        if self._session is None or not self._session.alive:
            await self._fail((self._session and self._session.lost_by) or "the connection ended")
        took = loop.time() - max(begun, requests.asked())  # a person who logs in is no slow server
        if self._protocol == "auto" and took > _SLOW_PROBE and not self._modern():
            self._skip_probe()
        self._suspected = False

    def _skip_probe(self) -> None:
        self._protocol = "legacy"
        self.notes.append(_SKIPS_PROBE)
        if self._identity is not None:
            self._old.add(self._identity)

    def _other_way(self, *, timed_out: bool) -> str:
        """What the next start does otherwise, when nothing was negotiated: a sentence for the error."""
        if self._suspected:
            self._suspected = False
            self._protocol = "auto"
            self.notes.remove(_SKIPS_PROBE)
            self._old.discard(self._identity)
        elif timed_out and self._protocol == "auto":
            self._skip_probe()
            self._suspected = True
            return " Perhaps it ignores the 2026-07-28 probe: the next start begins with the older handshake."
        return ""

    async def _fail(self, cause: str, *, timed_out: bool = False) -> None:
        spoke = self._session is not None and bool(self._session.protocol_version)
        self._leave()
        said = [entry.text for entry in self.log.after(self._log_before) if entry.source != "host"]
        cause, hint = last_words.told(
            cause, self.log.stderr_tail(_READ_FOR_CAUSE), said, self.app_id, spoke=spoke, timed_out=timed_out
        )
        other_way = "" if spoke else self._other_way(timed_out=timed_out)
        if "%mcpapp add" not in hint:  # what it does seem to speak
            hint += other_way
        cause, hint = self.hide(cause), self.hide(hint)
        self.lifecycle.to(State.FAILED, error=cause)
        await self._left()
        raise StartFailed(
            f"{self.app_id} did not start: {cause}{'' if cause.endswith('?') else '.'}{hint}"
        ) from None

    async def _connect(self, deadline: Deadline, requests: ServerRequests) -> None:
        from mcpapps_jupyter.transports import Hooks

        holder: list[Session] = []
        ended: list[str] = []

        def closed(reason: str) -> None:
            ended.append(reason)
            if holder:
                holder[0].lost(reason)

        def expired() -> None:
            if holder:
                holder[0].expired = True

        hooks = Hooks(
            on_noise=lambda text: self._noise(text, deadline),
            on_stderr=lambda line: self.log.add("stderr", self.hide(line)),
            on_warning=lambda text: self.log.add("host", self.hide(text), "warning"),
            on_closed=closed,
            on_session_lost=expired,
            on_activity=deadline.touch,
        )
        session = Session(
            await self._make_transport(hooks, requests),
            requests=requests,
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
            await self._offers.read(session)
            await session.listen()
            await self._subscribe_again(session)
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
        if not self._noisy:
            self._noisy = True
            self.log.add("host", _NOISE, "warning")

    def _modern(self) -> bool:
        return (self.protocol_version or "") >= "2026"

    async def stop(self, *, hurry: bool = False) -> None:
        """Stop the server and whatever it started; a start under way is given up."""
        self._held = True
        if self._attempt is not None:
            await self._attempt.give_up()
        self._leave(hurry=hurry)
        if self.lifecycle.state is State.RUNNING:
            self.lifecycle.to(State.STOPPED)
        await self._left(hurry=hurry)

    async def restart(self) -> None:
        """Stop and start again. Whoever calls meanwhile waits for the new server.

        Raises
        ------
        StartFailed, AppDisabled
            As `start`.
        """
        self._check_allowed()
        if self._attempt is not None:
            await self._attempt.give_up()
        self._leave()
        if self.lifecycle.state is State.RUNNING:
            self.lifecycle.to(State.STOPPED)
        self._begin(recovers=False)
        await self._join()

    def _leave(self, *, hurry: bool = False) -> None:
        """Begin to take leave of the server. It goes on by itself, whoever is interrupted meanwhile."""
        session, self._session = self._session, None
        if session is not None:
            task = asyncio.create_task(session.close(hurry=hurry))
            self._leaving[task] = session
            task.add_done_callback(self._leaving.pop)

    async def _left(self, *, hurry: bool = False) -> None:
        """Wait until every server that was taken leave of is gone."""
        while self._leaving:
            for session in self._leaving.values():
                if hurry:
                    session.hurry()
            await asyncio.wait(tuple(self._leaving))

    def _alive(self) -> Session | None:
        session = self._session
        running = session is not None and session.alive and self.lifecycle.state is State.RUNNING
        return session if running else None

    def _lost(self, session: Session, reason: str) -> None:
        """The server went away by itself: say so at once, everywhere."""
        if self._session is session and self.lifecycle.state is State.RUNNING:
            reason = self.hide(reason)
            self.log.add("host", f"connection lost: {reason}", "error")
            self._leave()
            self.lifecycle.to(State.FAILED, error=reason)

    def _spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run `work` beside everything else and hold on to it: the loop itself keeps no reference."""
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._spawned_is_over)
        return task

    def _spawned_is_over(self, task: asyncio.Task[Any]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.log.add("host", self.hide(f"something went wrong behind the scenes: {error!r}"), "error")

    # -- requests ----------------------------------------------------------------------------

    async def ready(self, caller: Caller) -> Session:
        """The running session, started where the caller may start it.

        A cell starts whatever is not running. A page or a model never starts what the user stopped, and
        restarts a crashed server at most once a minute.

        Raises
        ------
        ConnectionLost, StartFailed, AppDisabled
            It is not running and may not or cannot be started; the text says what to do.
        """
        if self._fallback is not None and not self._fallback.done():
            await asyncio.wait({self._fallback})
        session = self._alive()
        if session is not None and not session.expired and not (self._stale and session.idle):
            return session
        if not self._starting:
            if session is not None:
                if session.expired:
                    self.log.add("host", "the server forgot the HTTP session; connecting anew", "warning")
                self._begin(recovers=True, instead_of=session)
            else:
                self._check_allowed()
                if caller.origin != "cell":
                    self._check_may_restart()
                self._begin(recovers=self.lifecycle.state is State.FAILED)
        await self._join()
        session = self._alive()
        if session is None:
            raise ConnectionLost(f"{self.app_id}: {self.lifecycle.last_error or 'the connection ended'}")
        return session

    def model_changed(self) -> None:
        """A model was set, or taken away: the server hears of it when a session begins.

        Where nothing is lost by it a new one begins before the next request; else `notes` say how.
        """
        session = self._alive()
        if session is None:
            return
        if not self._one_life(session.modern):
            self._stale = True
        elif _LATE_MODEL not in self.notes:
            self.notes.append(_LATE_MODEL)

    def roots_changed(self) -> None:
        """The folders that the server may know about are others now; it is told."""
        session = self._alive()
        if session is not None:
            self._spawn(session.roots_changed())

    def _check_allowed(self) -> None:
        if self.lifecycle.state is State.DISABLED:
            why = "; ".join(self.lifecycle.policy_reasons) or "it was disabled"
            raise AppDisabled(f"{self.app_id} is disabled: {why}")

    def _check_may_restart(self) -> None:
        if self._held or self.lifecycle.state is State.STOPPED:
            raise ConnectionLost(f"{self.app_id} is stopped. Start it with: %mcpapp start {self.app_id}")
        now = self._clock()
        if now - self._last_restart < _RESTART_PAUSE:
            cause = self.lifecycle.last_error or "it failed"
            raise ConnectionLost(f"{self.app_id}: {cause}. Restart it with: %mcpapp restart {self.app_id}")
        self._last_restart = now

    async def request(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        caller: Caller = Caller(),  # noqa: B008 - frozen
        timeout: float | None = None,
        on_progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Send one request and return the server's answer as it came.

        An HTTP session that the server forgot is renewed once, unseen. Where a tool asks its
        question in the way of the 2025 era, the app is reconnected in that era.

        Raises
        ------
        ProtocolFailure, RequestTimeout, ConnectionLost, StartFailed, AppDisabled
            In words. A tool that says itself that it failed is a result, not an error.
        """
        seconds = timeout or self.request_seconds
        renewed = False
        while True:
            session = await self.ready(caller)
            try:
                raw = await session.request(
                    method, params, timeout=seconds, caller=caller, on_progress=on_progress
                )
            except (ProtocolFailure, ConnectionLost) as error:
                # A server that does not know the session has refused the request unseen. Where the
                # connection was cut meanwhile, nobody knows, and only what does no harm is sent again.
                unseen = isinstance(error, ProtocolFailure) or self._repeatable(method, params)
                if session.expired and unseen and not renewed:
                    renewed = True
                    continue
                if not (session.modern and _lacks_back_channel(str(error))):
                    raise self._worded(error, method, session, renewed=renewed) from None
            except RequestTimeout as error:
                raise RequestTimeout(f"{self.app_id}: {error}") from None
            else:
                failed = raw.get("isError") and session.modern
                if not (failed and _lacks_back_channel(str(raw.get("content")))):
                    return raw
            await self._fall_back_to_legacy(session, method, params)

    def _worded(
        self, error: McpAppsError, method: str, session: Session, *, renewed: bool = False
    ) -> McpAppsError:
        text = self.hide(str(error)).rstrip(".")
        if session.expired and renewed:
            return ConnectionLost(f"{self.app_id}: the server forgot the new session at once, too: {text}")
        if isinstance(error, ProtocolFailure):
            return ProtocolFailure(f"{self.app_id}: {self.hide(str(error))}", error.code, error.data)
        end = "" if session.alive or self._held else " It is restarted at the next use."
        return ConnectionLost(f"{self.app_id}: {text}, during {method}.{end}")

    def _repeatable(self, method: str, params: Mapping[str, Any] | None) -> bool:
        """Whether a request may be carried out twice."""
        if method != "tools/call":
            return True
        tool = self.catalogue.tool(str((params or {}).get("name")))
        return tool is not None and tool.safe_to_repeat

    async def _fall_back_to_legacy(
        self, session: Session, method: str, params: Mapping[str, Any] | None
    ) -> None:
        """Reconnect in the 2025 era; returns where the request may be sent again."""
        what = str((params or {}).get("name") or method)
        if self._protocol not in ("auto", "legacy"):
            raise ProtocolFailure(
                f"{self.app_id}: {what} asks in a way that protocol {self._protocol} does not have. "
                "Take its protocol setting away, or set it to legacy."
            )
        if self._session is session and (self._fallback is None or self._fallback.done()):
            self._fallback = self._spawn(self._reconnect_in_legacy(session))
        if self._fallback is not None:
            await asyncio.wait({self._fallback})
        if not self._repeatable(method, params):
            raise ProtocolFailure(
                f"{self.app_id}: {what} asks its question in the older way (ctx.elicit), so the app was "
                "reconnected with protocol 2025-11-25. Run it again."
            )

    async def _reconnect_in_legacy(self, session: Session) -> None:
        self._protocol = "legacy"
        self.notes.append(
            "its tools push questions (ctx.elicit), so it is connected with the 2025-11-25 handshake"
        )
        await session.settled(_SETTLE)  # calls of others that are under way are not cut off for this
        if self._session is session and not self._starting:
            self._leave()
            self._begin(recovers=True)
            with contextlib.suppress(McpAppsError):  # whoever uses it next is told
                await self._join()

    # -- what the server offers ---------------------------------------------------------------

    @property
    def catalogue(self) -> Catalogue:
        """What the server listed last."""
        return self._offers.catalogue

    @property
    def pages(self) -> dict[str, Any]:
        """Pages that were read, by address; another dict once the server says that they may have changed."""
        return self._offers.pages

    async def relist(self) -> None:
        """Read the listings again, keeping the old ones where that fails."""
        await self._offers.read_again()

    def _event(self, event: ServerEvent) -> None:
        if event.kind == "message":
            text, level = message_text(event.params), str(event.params.get("level", "info"))
            self.log.add("server", self.hide(text), level)
        else:
            self._offers.heard(event)

    async def subscribe(self, uri: str, subscriber: str, caller: Caller) -> None:
        """Ask the server for updates of `uri` on behalf of `subscriber`, through restarts."""
        session = await self.ready(caller)
        # Known before the server answers: who ends it meanwhile must not be subscribed again after a restart.
        self._subscriptions.setdefault(uri, set()).add(subscriber)
        try:
            await session.subscribe(uri, subscriber, timeout=self.request_seconds)
        except BaseException as error:
            self._forget_subscriber(uri, subscriber)
            if isinstance(error, ConnectionLost | ProtocolFailure):
                raise self._worded(error, "resources/subscribe", session) from None
            raise

    async def unsubscribe(self, uri: str, subscriber: str) -> None:
        """End the subscription of `subscriber`."""
        self._forget_subscriber(uri, subscriber)
        session = self._alive()
        if session is not None:
            await session.unsubscribe(uri, subscriber, timeout=self.request_seconds)

    def _forget_subscriber(self, uri: str, subscriber: str) -> None:
        subscribers = self._subscriptions.get(uri, set())
        subscribers.discard(subscriber)
        if not subscribers:
            self._subscriptions.pop(uri, None)

    async def _subscribe_again(self, session: Session) -> None:
        """A new server knows no subscriptions."""
        for uri, subscribers in tuple(self._subscriptions.items()):
            for subscriber in tuple(subscribers):
                try:
                    await session.subscribe(uri, subscriber, timeout=self.request_seconds)
                except ProtocolFailure as error:
                    self.log.add("host", f"updates of {uri} were lost: {self.hide(str(error))}", "warning")

    def hide(self, text: str) -> str:
        """`text` with this app's secrets masked."""
        return redact(text, self._secrets())


def _lacks_back_channel(text: str) -> bool:
    return "no back-channel" in text
