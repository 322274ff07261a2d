"""The kernel side of one open page: handshakes, what the page is sent, whom its requests reach.

Runs on the session loop. The truth is here and frames come and go: an output collapsed and
expanded, a cell moved, a tab reloaded each load a fresh document. So every ``ui/initialize``
begins a new handshake for its frame, and input, result and open questions are sent again; the
tool is never called again for it (MCP Apps 2026-01-26, "Lifecycle").
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Protocol

from mcpapps_jupyter.app import App
from mcpapps_jupyter.catalogue import Tool
from mcpapps_jupyter.errors import McpAppsError, NoPage
from mcpapps_jupyter.lifecycle import State, Transition
from mcpapps_jupyter.log import Source, message_text, normal_level
from mcpapps_jupyter.ports import ServerEvent
from mcpapps_jupyter.views.asking import Asking
from mcpapps_jupyter.views.channel import Channel, Envelope
from mcpapps_jupyter.views.context import ModelContext
from mcpapps_jupyter.views.decisions import DecidedBy, Record
from mcpapps_jupyter.views.delivery import Delivery
from mcpapps_jupyter.views.dialogue import Dialogue
from mcpapps_jupyter.views.events import Events
from mcpapps_jupyter.views.frame import Frame
from mcpapps_jupyter.views.lease import Lease
from mcpapps_jupyter.views.opening import opening
from mcpapps_jupyter.views.page import Page, load_page
from mcpapps_jupyter.views.permissions import Ask, Permissions
from mcpapps_jupyter.views.policy import Limits, upstream_meta
from mcpapps_jupyter.views.recording import Recording
from mcpapps_jupyter.views.rpc import finite, valid_id
from mcpapps_jupyter.views.settings import PageSettings
from mcpapps_jupyter.views.traffic import Traffic

_TEARDOWN_SECONDS = 1.0


class Requests(Protocol):
    """Answers what pages ask."""

    async def __call__(
        self, relay: Relay, frame: Frame, method: str, params: dict[str, Any], request_id: str | int | float
    ) -> Any:
        """Answer one request; raises `PageError`."""
        ...

    def forget_grants(self) -> None:
        """Take back what the person has allowed the page."""
        ...


def _nobody_there() -> Ask | None:
    return None


class Relay:
    """Between one page's frames and the app's session.

    Parameters
    ----------
    key
        The view's key.
    app, tool, uri, arguments
        What is open; `tool` is None for a bare resource.
    channel
        To the front end.
    settings
        Limits of pages.
    handle
        Answers the requests of the page.
    on_state, on_end, on_hello
        Told about the header line's state, the view's end and the front end's first word.
    on_grown
        Told when the view holds more than before.
    on_relaunch
        Told when the person wants the ended view back; `revive` does it.
    ask
        Gives what asks the person for a permission; None where nobody can be asked.
    record
        Takes decisions, for the audit.
    """

    def __init__(
        self,
        key: str,
        app: App,
        channel: Channel,
        settings: PageSettings,
        handle: Requests,
        *,
        on_state: Callable[[str, str], None],
        on_end: Callable[[str], None],
        on_hello: Callable[[], None],
        on_grown: Callable[[], None] = lambda: None,
        on_relaunch: Callable[[], None] = lambda: None,
        ask: Callable[[], Ask | None] = _nobody_there,
        record: Record = lambda *_: None,
    ) -> None:
        self.key = key
        self.app = app
        self.tool: Tool | None = None
        self.uri = ""
        self.arguments: dict[str, Any] = {}
        self.recording = Recording(app)
        self.traffic = Traffic(self.recording, app.hide)
        self.limits = Limits(settings.rates)
        self.dialogue = Dialogue(
            self.send,
            partial(handle, self),
            self._told,
            traffic=self.traffic,
            limits=self.limits,
            note=self.note,
            ended=lambda: self.ended,
        )
        self.frames = self.dialogue.frames
        self.asking = Asking(self.send)
        self.events = Events()
        self.ended: str | None = None
        self.lease = Lease(settings.view_ttl, settings.max_view_bytes, end=self.end_soon, grown=on_grown)
        self.permissions = Permissions(
            lambda: settings.permissions, ask, note=lambda text: self.note(text, "warning"), record=record
        )
        self._channel = channel
        self._settings = settings
        self._handle = handle
        #: Browser permissions that the newest frame has.
        self.granted: tuple[str, ...] = ()
        self._on_state = on_state
        self._on_end = on_end
        self._on_hello = on_hello
        self._on_relaunch = on_relaunch
        self._gone = False
        self._greeted = False
        self._record_decision = record
        self._page: asyncio.Task[Page] | None = None
        self._delivery = Delivery(self.dialogue.notify)
        self._state: dict[str, Any] = {"state": "starting", "text": f"Starting {app.name}…"}
        self._shown: dict[str, tuple[Page, tuple[str, ...]]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._leaving: set[asyncio.Task[Any]] = set()
        self._undo: list[Callable[[], None]] = []

    # -- life ------------------------------------------------------------------------------------

    def attach(
        self, tool: Tool | None, uri: str, arguments: Mapping[str, Any], *, streams: bool = False
    ) -> None:
        """The app runs and it is known what to show: fetch the page and follow the server.

        With `streams` the arguments are still being written; see `write_partial` and `write_input`.
        """
        self.tool, self.uri, self.arguments = tool, uri, dict(arguments)
        self.recording.begin(tool, uri)
        self.lease.begin()
        if not streams:
            self.write_input(arguments)
        self._load()
        loop = asyncio.get_running_loop()
        self._undo.append(self.app.listen(self._server_event))
        self._undo.append(
            self.app.lifecycle.subscribe(lambda step: loop.call_soon_threadsafe(self._app_moved, step))
        )

    def _load(self, *, anew: bool = True) -> None:
        """Fetch the page and give it to every frame; those that show it already keep it, unless `anew`."""
        settings = self._settings
        self._page = asyncio.ensure_future(
            load_page(self.app, self.uri, max_bytes=settings.max_resource_bytes)
        )
        self._page.add_done_callback(self._loaded)
        if anew:
            self._shown.clear()
        for frame_id in self.frames:
            self._spawn(self._give_page(frame_id))

    def _loaded(self, task: asyncio.Task[Page]) -> None:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, NoPage):
            self.events.fail(error, "initialized")
        elif error is None and not task.cancelled() and self.ended is None:
            self.recording.page = page = task.result()
            self.lease.hold("page", page.size)

    def write_partial(self, arguments: Mapping[str, Any]) -> None:
        """The opening arguments as far as they are written (``tool-input-partial``)."""
        self._delivery.write_partial(arguments)
        self._bring()

    def write_input(self, arguments: Mapping[str, Any]) -> None:
        """The whole opening arguments (``tool-input``)."""
        self.arguments = dict(arguments)
        self.recording.arguments = self.arguments
        self.lease.hold("arguments", json_size(arguments))
        self._delivery.write_input(arguments)
        self._bring()

    def set_outcome(self, outcome: Mapping[str, Any] | None, *, cancelled: str | None = None) -> None:
        """The opening tool's result (`outcome`, a raw CallToolResult) or why there is none."""
        if self.ended is not None:
            return
        if outcome is None:
            self._delivery.write_outcome(
                "ui/notifications/tool-cancelled", {"reason": cancelled or "cancelled"}
            )
        else:
            clean = finite(dict(outcome))
            if clean != outcome:
                self.note("the result has numbers that JSON does not have; the page gets null", "warning")
            self.recording.result = clean
            self.lease.hold("result", json_size(clean))
            self._delivery.write_outcome("ui/notifications/tool-result", clean)
        self._bring()

    def _bring(self) -> None:
        for frame in self.frames.values():
            self._delivery.bring(frame)

    def set_context(self, context: ModelContext | None, *, by_page: bool = True) -> None:
        """What the page told the model is this now; where that was not its own doing, it is told."""
        self._delivery.write_context(context.wire if context is not None else None)
        if not by_page:
            for frame in self.frames.values():
                self._delivery.bring_context(frame)

    def set_state(self, state: str, text: str = "", hint: str = "") -> None:
        """Change the header line: ``starting``, ``calling``, ``live``, ``failed`` or ``ended``."""
        if self.ended is not None:
            return
        self._state = {"state": state, "text": text, "hint": hint}
        self._on_state(state, text)
        self.send("state", "", self._state)

    def end_soon(self, reason: str) -> None:
        """Begin to close."""
        self._spawn(self.close(reason), self._leaving)

    async def close(self, reason: str) -> None:
        """End the view: ask the page to finish, at most a second, then take its frames away."""
        if self.ended is not None:
            return
        self.ended = reason
        while self._undo:
            self._undo.pop()()
        self.lease.close()
        self.events.close(reason)
        asked = [
            self.dialogue.ask(frame, "ui/resource-teardown", {"reason": reason})
            for frame in self.frames.values()
            if frame.initialized
        ]
        if asked:  # meanwhile the page may still call what it needs for that
            await asyncio.wait(asked, timeout=_TEARDOWN_SECONDS)
        self._state = {"state": "ended", "text": reason, "hint": ""}
        self._on_state("ended", reason)
        self.send("gone", "", {"reason": reason, "teardown": bool(asked)})
        for frame in tuple(self.frames.values()):
            self._drop(frame)
        self.frames.clear()
        self.asking.give_up()
        self._handle.forget_grants()
        self.permissions.forget()
        self.granted = ()
        self._delivery.forget()
        self._shown.clear()
        for task in self._tasks - {asyncio.current_task()}:
            task.cancel()
        if self._page is not None:
            self._page.cancel()
            self._page = None
        self._channel.flush()
        self._gone = True
        self._on_end(reason)

    def revive(self, outcome: Mapping[str, Any] | None) -> None:
        """Bring an ended view back, with what the opening tool answered then; it is not called again."""
        self.ended, self._gone = None, False
        self.events = Events()
        self.attach(self.tool, self.uri, self.arguments)
        if self.tool is not None:
            self.set_outcome(outcome, cancelled="The view had ended before the result came.")
        self.set_state("live")

    def _app_moved(self, step: Transition) -> None:
        if self.ended is not None or step.state is not self.app.state:
            return  # it has moved on since
        hint = f"%mcpapp restart {self.app.id}"
        if step.state is State.RUNNING:
            # A server that came back by itself is no reason to take the page from the person's hands.
            self._load(anew=not self.app.connection().recovered)
            self.set_state("live")
            for frame in self.frames.values():
                for uri in frame.subscriptions:
                    self.dialogue.inform(frame, "notifications/resources/updated", {"uri": uri})
        elif step.state is State.FAILED:
            self.set_state("failed", f"The server went away: {step.error or 'no reason known'}", hint)
        elif step.state in (State.STOPPED, State.DISABLED):
            self.set_state("failed", f"The app was {step.state.lower()}.", hint)
        elif step.state is State.LOADED:
            self.set_state("starting", f"Starting {self.app.name}…")

    # -- from the front end ------------------------------------------------------------------------

    def receive(self, envelope: Envelope) -> None:
        """Take one envelope; never raises."""
        handler = {
            "hello": self._hello,
            "open": self._open,
            "rpc": self.dialogue.receive,
            "state": self._front_state,
            "answer": self.asking.answer,
            "log": self._front_log,
            "seen": self._write_down,
            "gone": self._frame_gone,
        }.get(envelope.kind)
        if handler is None:
            self.note(f"unknown envelope {envelope.kind!r} from the front end", "warning")
            return
        try:
            handler(envelope)
        except Exception as error:  # noqa: BLE001 - whatever a page sends, the next envelope is read
            self.note(f"an envelope of kind {envelope.kind!r} was dropped: {error!r}", "error")

    def _hello(self, envelope: Envelope) -> None:
        self._on_hello()
        self.send("state", "", self._state)

    def _open(self, envelope: Envelope) -> None:
        wish = envelope.message if isinstance(envelope.message, Mapping) else {}
        if self._gone and wish.get("relaunch") is True:
            self._on_relaunch()
        if self.ended is not None:
            self.send("gone", envelope.view, {"reason": self.ended, "teardown": False})
            return
        if envelope.view:
            self._shown.pop(envelope.view, None)
            self._new_document(envelope.view)
        self.send("state", envelope.view, self._state)
        if self._page is not None:
            self._spawn(self._give_page(envelope.view))
        self.asking.replay(envelope.view)

    @property
    def no_page(self) -> NoPage | None:
        """Why there is no page to show, if that is known."""
        page = self._page
        failed = page is not None and page.done() and not page.cancelled()
        error = page.exception() if failed and page is not None else None
        return error if isinstance(error, NoPage) else None

    async def _give_page(self, frame_id: str) -> None:
        """Send the page, or the reason why there is none."""
        task = self._page
        assert task is not None
        try:
            page = await asyncio.shield(task)
        except NoPage as error:
            self.set_state("failed", str(error), f"%mcpapp tools {self.app.id}")
        except McpAppsError as error:
            self.set_state("failed", str(error), f"%mcpapp restart {self.app.id}")
        else:
            shown = page, await self.permissions.grant(page.permissions_asked)
            # Another page may be on its way by now, and what a frame shows already needs no loading.
            current = task is self._page and frame_id in self.frames and self.ended is None
            if current and self._shown.get(frame_id) != shown:
                self._shown[frame_id] = shown
                self.granted = shown[1]
                offered = self.app.connection().capabilities
                samples = self.app.can_sample
                told = opening(self.key, self.tool, *shown, self._settings, offered, samples=samples)
                self.send("open", frame_id, told)

    def _front_state(self, envelope: Envelope) -> None:
        message = envelope.message if isinstance(envelope.message, Mapping) else {}
        event = message.get("event")
        if event == "close":
            self._spawn(self.close("You closed it. Run the cell again to reopen it."))
        elif event == "log":
            self.set_state(str(self._state["state"]), f"Its log: %mcpapp log {self.app.id}")
        elif event == "initialize" and envelope.view in self.frames:
            self._begin_handshake(self.frames[envelope.view], message)
        elif event == "visible" and envelope.view in self.frames:
            self._seen(self.frames[envelope.view], message.get("visible") is not False)
        elif event == "navigated" and envelope.view in self.frames:
            # What stands there now is not what the person has allowed something.
            self._handle.forget_grants()
            self.permissions.forget()
            self._new_document(envelope.view)

    def _begin_handshake(self, frame: Frame, message: Mapping[str, Any]) -> None:
        """A fresh document speaks: whatever its predecessor asked is given up."""
        if not frame.pace.take():
            self._spawn(self.close("The page kept restarting, so it was ended. Run the cell again."))
            return
        fresh = self._new_document(frame.id)
        params, request_id = message.get("params"), message.get("id")
        fresh.greeting = dict(params) if isinstance(params, Mapping) else {}
        if self._greeted and not any(each.greeting for each in self.frames.values() if each is not fresh):
            self.note("the page was loaded anew; what was typed into it is gone", "debug", event="anew")
        self._greeted = True
        greeting: dict[str, Any] = {"jsonrpc": "2.0", "method": "ui/initialize", "params": fresh.greeting}
        if valid_id(request_id):
            greeting["id"] = request_id
        self.traffic.add("in", frame.id, greeting, kind="request")

    def _write_down(self, envelope: Envelope) -> None:
        """What page and browser have said without us: for the traffic alone."""
        told = envelope.message if isinstance(envelope.message, Mapping) else {}
        message = told.get("message")
        if envelope.view in self.frames and isinstance(message, Mapping) and self.limits.seen.take():
            self.traffic.add("in" if told.get("way") == "in" else "out", envelope.view, dict(message))

    def _new_document(self, frame_id: str) -> Frame:
        before = self.frames.get(frame_id)
        if before is None:
            frame = Frame(frame_id, self.limits.handshakes())
        else:
            self._drop(before)
            frame = Frame(frame_id, before.pace, before.visible)
        self.frames[frame_id] = frame
        return frame

    def _seen(self, frame: Frame, visible: bool) -> None:
        """The frame has come into the person's sight, or gone out of it."""
        frame.visible = visible
        if visible:
            frame.spoke = next(self.dialogue.counter)
            parked, frame.parked = list(frame.parked.values()), {}
            for method, params in parked:
                self.dialogue.notify(frame, method, params)
            self._delivery.bring(frame)

    def _front_log(self, envelope: Envelope) -> None:
        message = envelope.message if isinstance(envelope.message, Mapping) else {}
        data, event = message.get("data"), str(message.get("event", ""))[:20]
        if event in ("link", "download") and isinstance(data, Mapping):
            self._record_front_decision(event, data)
        if self.limits.notifications.take():
            source: Source = "csp" if event == "csp" else "host"
            text, level = str(message.get("text", "")), normal_level(message.get("level"))
            self.note(text, level, source=source, event=event)

    def _record_front_decision(self, kind: Any, data: Mapping[str, Any]) -> None:
        """Links and downloads are decided on in the browser, where the click is."""
        files = data.get("files")
        names = [str(file.get("name")) for file in files or () if isinstance(file, Mapping)]
        outcome = str(data.get("decision"))
        by: DecidedBy = "policy" if outcome == "refused" else "person"
        self._record_decision(kind, ", ".join(names) or str(data.get("url", "")), outcome, by)

    def _frame_gone(self, envelope: Envelope) -> None:
        self._shown.pop(envelope.view, None)
        frame = self.frames.pop(envelope.view, None)
        if frame is not None:
            self._drop(frame)

    def _drop(self, frame: Frame) -> None:
        frame.give_up()
        for uri in frame.subscriptions:
            self._spawn(self._unsubscribe(uri, frame.subscriber), self._leaving)
        frame.subscriptions.clear()

    async def _unsubscribe(self, uri: str, subscriber: str) -> None:
        with contextlib.suppress(McpAppsError):
            await self.app.connection().unsubscribe(uri, subscriber)

    def _told(self, frame: Frame, method: str, params: Mapping[str, Any]) -> None:
        """Take what a page tells without asking."""
        if method == "ui/notifications/initialized":
            frame.initialized = True
            self._delivery.bring(frame)
            self.events.tell("initialized", frame.greeting)
            if self._state["state"] in ("starting", "calling") and self._delivery.settled:
                self.set_state("live")
        elif method == "notifications/message":
            self.note(message_text(params), normal_level(params.get("level")), source="page")
        elif method == "notifications/tools/list_changed":
            frame.tools = None
        elif method == "ui/notifications/request-teardown":
            self._spawn(self.close("The app asked to be closed."))
        elif not method.startswith("ui/notifications/sandbox-"):
            self.note(f"unknown notification {method!r} from the page", "debug")

    def _server_event(self, event: ServerEvent) -> None:
        params = dict(event.params)
        meta = upstream_meta(params.pop("_meta", None))  # what is between client and server stays there
        if meta is not None:
            params["_meta"] = meta
        for frame in self.frames.values():
            if event.kind != "resources/updated" or frame.follows(params.get("uri")):
                self.dialogue.inform(frame, f"notifications/{event.kind}", params)

    # -- sending -----------------------------------------------------------------------------------

    def send(self, kind: str, view: str, message: Any) -> None:
        """Send one envelope to the front end."""
        self._channel.send([Envelope(kind, view, message)])

    def note(self, text: str, level: str = "info", *, source: Source = "host", event: str = "") -> None:
        """Write a line about this page into the app's log."""
        self.app.log.add(source, self.app.hide(text), level, page=self.recording.label, event=event)

    def _spawn(self, work: Coroutine[Any, Any, Any], tasks: set[asyncio.Task[Any]] | None = None) -> None:
        """Run `work` beside everything else, to the view's end unless `tasks` are others."""
        tasks = self._tasks if tasks is None else tasks
        task = asyncio.ensure_future(work)
        tasks.add(task)

        def over(task: asyncio.Task[Any]) -> None:
            tasks.discard(task)
            if not task.cancelled() and (error := task.exception()) is not None:
                self.note(f"something went wrong behind the page: {error!r}", "error")

        task.add_done_callback(over)


def json_size(value: Any) -> int:
    """Characters of `value` as JSON, about as many as bytes; 0 for what JSON cannot say."""
    try:
        return len(json.dumps(value, ensure_ascii=False, default=str))
    except (TypeError, ValueError, RecursionError):
        return 0
