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
import uuid
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcpapps_jupyter.app import App
from mcpapps_jupyter.catalogue import Tool
from mcpapps_jupyter.errors import McpAppsError, NoPage
from mcpapps_jupyter.lifecycle import State, Transition
from mcpapps_jupyter.ports import ServerEvent
from mcpapps_jupyter.views.asking import Asking
from mcpapps_jupyter.views.channel import Channel, Envelope
from mcpapps_jupyter.views.page import Page, load_page
from mcpapps_jupyter.views.policy import Limits, Rates
from mcpapps_jupyter.views.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    REFUSED,
    PageError,
    finite,
    valid_id,
)
from mcpapps_jupyter.views.traffic import Traffic, TrafficEntry

#: The version of the MCP Apps protocol that we speak to pages.
PROTOCOL_VERSION = "2026-01-26"

_TEARDOWN_SECONDS = 1.0
_PENDING_AFTER = 1.0
_PENDING_EVERY = 10.0


@dataclass
class Frame:
    """One document of the page; reset at each of its handshakes."""

    id: str
    initialized: bool = False
    input_sent: bool = False
    outcome_sent: bool = False
    capabilities: dict[str, Any] = field(default_factory=dict)
    running: dict[str | int | float, asyncio.Task[None]] = field(default_factory=dict)
    subscriptions: set[str] = field(default_factory=set)
    #: Names this document to the server's subscriptions.
    subscriber: str = field(default_factory=lambda: uuid.uuid4().hex)


@dataclass(frozen=True)
class PageSettings:
    """What configuration says about pages.

    Attributes
    ----------
    max_resource_bytes
        The largest page, bytes.
    permissions
        Permission → ``allow``, anything else is no.
    rates
        What a view may do, and how often.
    host_version
        Our own version, for ``hostInfo``.
    """

    max_resource_bytes: int
    permissions: Mapping[str, str]
    host_version: str
    rates: Rates = field(default_factory=Rates)


Requests = Callable[["Relay", Frame, str, dict[str, Any], str | int | float], Coroutine[Any, Any, Any]]


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
        Answers one request of a page; raises `PageError`.
    on_state, on_end, on_hello
        Told about the header line's state, the view's end and the front end's first word.
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
    ) -> None:
        self.key = key
        self.app = app
        self.tool: Tool | None = None
        self.uri = ""
        self.arguments: dict[str, Any] = {}
        self.frames: dict[str, Frame] = {}
        self.traffic = Traffic()
        self.limits = Limits(settings.rates)
        self.asking = Asking(self.send)
        self.ended: str | None = None
        self._channel = channel
        self._settings = settings
        self._handle = handle
        self._on_state = on_state
        self._on_end = on_end
        self._on_hello = on_hello
        self._page: asyncio.Task[Page] | None = None
        self._outcome: dict[str, Any] | None = None
        self._state: dict[str, Any] = {"state": "starting", "text": f"Starting {app.name}…"}
        self._host_requests: dict[str, asyncio.Future[Any]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._undo: list[Callable[[], None]] = []

    # -- life ------------------------------------------------------------------------------------

    def attach(self, tool: Tool | None, uri: str, arguments: Mapping[str, Any]) -> None:
        """The app runs and it is known what to show: fetch the page and follow the server."""
        self.tool, self.uri, self.arguments = tool, uri, dict(arguments)
        self._load()
        loop = asyncio.get_running_loop()
        self._undo.append(self.app.listen(self._server_event))
        self._undo.append(
            self.app.lifecycle.subscribe(lambda step: loop.call_soon_threadsafe(self._app_moved, step))
        )

    def _load(self) -> None:
        settings = self._settings
        self._page = asyncio.ensure_future(
            load_page(
                self.app, self.uri, max_bytes=settings.max_resource_bytes, permissions=settings.permissions
            )
        )
        self._page.add_done_callback(lambda task: task.cancelled() or task.exception())
        for frame_id in self.frames:
            self._spawn(self._give_page(frame_id))

    def set_outcome(self, outcome: Mapping[str, Any] | None, *, cancelled: str | None = None) -> None:
        """The opening tool's result (`outcome`, a raw CallToolResult) or why there is none."""
        if outcome is not None:
            self._outcome = {"method": "ui/notifications/tool-result", "params": finite(dict(outcome))}
        else:
            self._outcome = {
                "method": "ui/notifications/tool-cancelled",
                "params": {"reason": cancelled or "cancelled"},
            }
        for frame in self.frames.values():
            self._send_data(frame)

    def set_state(self, state: str, text: str = "", hint: str = "") -> None:
        """Change the header line: ``starting``, ``calling``, ``live``, ``failed`` or ``ended``."""
        self._state = {"state": state, "text": text, "hint": hint}
        self._on_state(state, text)
        self.send("state", "", self._state)

    async def close(self, reason: str) -> None:
        """End the view: ask the page to finish, at most a second, then take its frames away."""
        if self.ended is not None:
            return
        self.ended = reason
        for undo in self._undo:
            undo()
        asked = [
            self.ask_page(frame, "ui/resource-teardown", {"reason": reason})
            for frame in self.frames.values()
            if frame.initialized
        ]
        if asked:
            await asyncio.wait([asyncio.ensure_future(each) for each in asked], timeout=_TEARDOWN_SECONDS)
        self.send("gone", "", {"reason": reason, "teardown": bool(asked)})
        for frame in list(self.frames.values()):
            self._drop(frame)
        self.asking.give_up()
        for task in tuple(self._tasks):
            task.cancel()
        if self._page is not None:
            self._page.cancel()
        self._on_end(reason)

    def _app_moved(self, step: Transition) -> None:
        if step.state is State.RUNNING and step.previous is State.LOADED:
            self._load()
            self.set_state("live")
        elif step.state in (State.FAILED, State.STOPPED):
            hint = f"%mcpapp restart {self.app.id}"
            if step.state is State.FAILED:
                self.set_state("failed", f"The server went away: {step.error or 'no reason known'}", hint)
            else:
                self.set_state("failed", "The app was stopped.", hint)
        elif step.state is State.LOADED:
            self.set_state("starting", f"Starting {self.app.name}…")

    # -- from the front end ------------------------------------------------------------------------

    def receive(self, envelope: Envelope) -> None:
        """Take one envelope; never raises."""
        handler = {
            "hello": self._hello,
            "open": self._open,
            "rpc": self._rpc,
            "state": self._front_state,
            "answer": self.asking.answer,
            "log": self._front_log,
            "gone": self._frame_gone,
        }.get(envelope.kind)
        if handler is None:
            self.note(f"unknown envelope {envelope.kind!r} from the front end", "warning")
            return
        handler(envelope)

    def _hello(self, envelope: Envelope) -> None:
        self._on_hello()
        self.send("state", "", self._state)

    def _open(self, envelope: Envelope) -> None:
        if self.ended is not None:
            self.send("gone", envelope.view, {"reason": self.ended, "teardown": False})
            return
        self._frame(envelope.view)
        self.send("state", envelope.view, self._state)
        if self._page is not None:
            self._spawn(self._give_page(envelope.view))
        self.asking.replay(envelope.view)

    async def _give_page(self, frame_id: str) -> None:
        """Send the page, or the reason why there is none."""
        assert self._page is not None
        try:
            page = await asyncio.shield(self._page)
        except NoPage as error:
            self.set_state("failed", str(error), f"%mcpapp tools {self.app.id}")
        except McpAppsError as error:
            self.set_state("failed", str(error), f"%mcpapp restart {self.app.id}")
        else:
            if frame_id in self.frames:
                self.send("open", frame_id, self._opening(page))

    def _opening(self, page: Page) -> dict[str, Any]:
        settings = self._settings
        tool = {"id": self.key, "tool": dict(self.tool.raw)} if self.tool is not None else None
        return {
            "page": page.wire(),
            "protocolVersion": PROTOCOL_VERSION,
            "hostInfo": {"name": "mcpapps_jupyter", "version": settings.host_version},
            "hostCapabilities": self._capabilities(page),
            "toolInfo": finite(tool) if tool else None,
            "limits": settings.rates.wire(),
        }

    def _capabilities(self, page: Page) -> dict[str, Any]:
        """What works here, and nothing else (host-to-page capabilities)."""
        blocks: dict[str, Any] = {"text": {}, "image": {}, "resource": {}, "resourceLink": {}}
        offered = self.app.connection().capabilities
        return {
            "openLinks": {},
            "downloadFile": {},
            "logging": {},
            **({"serverTools": {"listChanged": True}} if "tools" in offered else {}),
            **({"serverResources": {"listChanged": True}} if "resources" in offered else {}),
            "updateModelContext": {**blocks, "structuredContent": {}},
            "message": blocks,
            "sandbox": {"permissions": {name: {} for name in page.permissions}, "csp": page.csp},
        }

    def _frame(self, frame_id: str) -> Frame:
        if frame_id not in self.frames:
            self.frames[frame_id] = Frame(frame_id)
        return self.frames[frame_id]

    def _front_state(self, envelope: Envelope) -> None:
        message = envelope.message if isinstance(envelope.message, Mapping) else {}
        if message.get("event") == "initialize":
            self._begin_handshake(self._frame(envelope.view), message.get("params"))
        elif message.get("event") == "close":
            self._spawn(self.close("You closed it. Run the cell again to reopen it."))

    def _begin_handshake(self, frame: Frame, params: Any) -> None:
        """A fresh document speaks: whatever its predecessor asked is given up."""
        self._drop(frame)
        offered = params.get("appCapabilities") if isinstance(params, Mapping) else None
        self.frames[frame.id] = Frame(
            frame.id, capabilities=dict(offered) if isinstance(offered, Mapping) else {}
        )

    def _front_log(self, envelope: Envelope) -> None:
        message = envelope.message if isinstance(envelope.message, Mapping) else {}
        if self.limits.notifications.take():
            self.note(str(message.get("text", "")), str(message.get("level", "info")))

    def _frame_gone(self, envelope: Envelope) -> None:
        frame = self.frames.pop(envelope.view, None)
        if frame is not None:
            self._drop(frame)

    def _drop(self, frame: Frame) -> None:
        for task in tuple(frame.running.values()):
            task.cancel()
        frame.running.clear()
        frame.initialized = False
        for uri in frame.subscriptions:
            self._spawn(self._unsubscribe(uri, frame.subscriber))
        frame.subscriptions.clear()

    async def _unsubscribe(self, uri: str, subscriber: str) -> None:
        with contextlib.suppress(McpAppsError):
            await self.app.connection().unsubscribe(uri, subscriber)

    # -- JSON-RPC with the page --------------------------------------------------------------------

    def _rpc(self, envelope: Envelope) -> None:
        frame, message = self._frame(envelope.view), envelope.message
        self._record("in", frame.id, message, envelope.size)
        if not isinstance(message, Mapping) or message.get("jsonrpc") != "2.0":
            self._reply_error(frame, None, PageError(INVALID_REQUEST, "This is no JSON-RPC 2.0 message"))
            return
        method, request_id = message.get("method"), message.get("id")
        if "id" in message and not valid_id(request_id):
            self._reply_error(frame, None, PageError(INVALID_REQUEST, "An id is a string or a finite number"))
        elif isinstance(method, str) and "id" in message:
            self._request(frame, method, message.get("params"), request_id)
        elif isinstance(method, str):
            self._notification(frame, method, message.get("params"))
        elif "id" in message:
            self._response(message)
        else:
            self._reply_error(frame, None, PageError(INVALID_REQUEST, "A message has a method or an id"))

    def _request(self, frame: Frame, method: str, params: Any, request_id: Any) -> None:
        if request_id in frame.running:
            self._reply_error(frame, request_id, PageError(INVALID_REQUEST, f"id {request_id!r} is in use"))
            return
        if params is not None and not isinstance(params, Mapping):
            self._reply_error(frame, request_id, PageError(INVALID_PARAMS, "params must be an object"))
            return
        task = asyncio.ensure_future(self._answer_request(frame, method, dict(params or {}), request_id))
        frame.running[request_id] = task
        task.add_done_callback(lambda _: frame.running.pop(request_id, None))

    async def _answer_request(
        self, frame: Frame, method: str, params: dict[str, Any], request_id: str | int | float
    ) -> None:
        pending = asyncio.ensure_future(self._say_pending(frame, request_id))
        try:
            result = await self._handle(self, frame, method, params, request_id)
        except PageError as error:
            self._reply_error(frame, request_id, error)
        except McpAppsError as error:
            code = getattr(error, "code", REFUSED)
            self._reply_error(frame, request_id, PageError(code, str(error), getattr(error, "data", None)))
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - a page always gets an answer, and the kernel lives on
            self.note(f"{method} failed: {error!r}", "error")
            self._reply_error(frame, request_id, PageError(INTERNAL_ERROR, "The host failed to answer"))
        else:
            self._rpc_out(frame, {"jsonrpc": "2.0", "id": request_id, "result": finite(result)})
        finally:
            pending.cancel()

    async def _say_pending(self, frame: Frame, request_id: str | int | float) -> None:
        """Tell the front end that the request is in hand, so that it does not give the kernel up."""
        await asyncio.sleep(_PENDING_AFTER)
        while True:
            self.send("pending", frame.id, {"ids": [request_id]})
            await asyncio.sleep(_PENDING_EVERY)

    def _notification(self, frame: Frame, method: str, params: Any) -> None:
        if not self.limits.notifications.take():
            self.limits.dropped += 1
            return
        params = params if isinstance(params, Mapping) else {}
        if method == "ui/notifications/initialized":
            frame.initialized = True
            self._send_data(frame)
            if self._state["state"] in ("starting", "calling") and self._outcome is not None:
                self.set_state("live")
        elif method == "notifications/cancelled":
            task = frame.running.get(params.get("requestId")) if valid_id(params.get("requestId")) else None
            if task is not None:
                task.cancel()
        elif method == "notifications/message":
            data = params.get("data")
            text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
            self.app.log.add("page", self.app.hide(text), str(params.get("level", "info")))
        elif method == "ui/notifications/request-teardown":
            self._spawn(self.close("The app asked to be closed."))
        elif not method.startswith("ui/notifications/sandbox-"):
            self.note(f"unknown notification {method!r} from the page", "debug")

    def _response(self, message: Mapping[str, Any]) -> None:
        future = self._host_requests.pop(str(message.get("id")), None)
        if future is None or future.done():
            return
        error = message.get("error")
        if isinstance(error, Mapping):
            future.set_exception(
                PageError(int(error.get("code") or INTERNAL_ERROR), str(error.get("message")))
            )
        else:
            future.set_result(message.get("result"))

    def ask_page(self, frame: Frame, method: str, params: Mapping[str, Any]) -> asyncio.Future[Any]:
        """Send the page a request; the future gets its result."""
        request_id = f"host-{uuid.uuid4().hex[:8]}"
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._host_requests[request_id] = future
        self._rpc_out(frame, {"jsonrpc": "2.0", "id": request_id, "method": method, "params": dict(params)})
        return future

    def _send_data(self, frame: Frame) -> None:
        """Input once a handshake, and the outcome once it is there, never before `initialized`."""
        if not frame.initialized:
            return
        if not frame.input_sent:
            frame.input_sent = True
            self.notify(frame, "ui/notifications/tool-input", {"arguments": finite(self.arguments)})
        if self._outcome is not None and not frame.outcome_sent:
            frame.outcome_sent = True
            self.notify(frame, self._outcome["method"], self._outcome["params"])

    def notify(self, frame: Frame, method: str, params: Mapping[str, Any]) -> None:
        """Send one notification to one initialised frame."""
        if frame.initialized:
            self._rpc_out(frame, {"jsonrpc": "2.0", "method": method, "params": dict(params)})

    def _server_event(self, event: ServerEvent) -> None:
        for frame in self.frames.values():
            if event.kind == "resources/updated" and event.params.get("uri") not in frame.subscriptions:
                continue
            self.notify(frame, f"notifications/{event.kind}", event.params)

    # -- sending -----------------------------------------------------------------------------------

    def send(self, kind: str, view: str, message: Any) -> None:
        """Send one envelope to the front end."""
        self._channel.send([Envelope(kind, view, message)])

    def _rpc_out(self, frame: Frame, message: dict[str, Any]) -> None:
        if self.frames.get(frame.id) is not frame:
            return  # the document that asked is gone; its successor uses the same ids
        self._record("out", frame.id, message, 0)
        self.send("rpc", frame.id, message)

    def _reply_error(self, frame: Frame, request_id: Any, error: PageError) -> None:
        wire: dict[str, Any] = {"code": error.code, "message": str(error)}
        if error.data is not None:
            wire["data"] = finite(error.data)
        self._rpc_out(frame, {"jsonrpc": "2.0", "id": request_id, "error": wire})

    def _record(self, direction: Any, frame_id: str, message: Any, size: int) -> None:
        size = size or len(json.dumps(message, default=str))
        self.traffic.add(TrafficEntry(direction, frame_id, message, size))

    def note(self, text: str, level: str = "info") -> None:
        """Write a line into the app's log."""
        self.app.log.add("host", self.app.hide(text), level)

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
