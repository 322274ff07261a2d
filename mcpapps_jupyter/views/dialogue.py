"""JSON-RPC between the host and the documents of one view: every request is answered, once.

Runs on the session loop. What a request means is for others to say.
"""

from __future__ import annotations

import asyncio
import itertools
import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcpapps_jupyter.errors import McpAppsError
from mcpapps_jupyter.views.channel import Envelope
from mcpapps_jupyter.views.frame import Frame
from mcpapps_jupyter.views.policy import Limits
from mcpapps_jupyter.views.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    REFUSED,
    PageError,
    finite,
    id_of,
    too_deep,
    valid_id,
)
from mcpapps_jupyter.views.traffic import Traffic

_PENDING_AFTER = 1.0
_PENDING_EVERY = 10.0

Answer = Callable[[Frame, str, dict[str, Any], str | int | float], Awaitable[Any]]


class Dialogue:
    """What is said between the host and a view's documents.

    Parameters
    ----------
    send
        Sends one envelope to the front end: kind, frame, message.
    answer
        Answers a request; raises `PageError` or `McpAppsError` for what the page is told instead.
    on_notification
        Gets what a page only tells, but for cancellations.
    traffic, limits
        Where messages are written down, and how many a page may send.
    note
        Writes into the app's log: text, level.
    ended
        Gives the reason why the view is over, or None.

    Attributes
    ----------
    frames
        The documents by their frame element's id.
    counter
        Counts what pages say, to know which of them did last.
    """

    def __init__(
        self,
        send: Callable[[str, str, Any], None],
        answer: Answer,
        on_notification: Callable[[Frame, str, Mapping[str, Any]], None],
        *,
        traffic: Traffic,
        limits: Limits,
        note: Callable[[str, str], None],
        ended: Callable[[], str | None],
    ) -> None:
        self.frames: dict[str, Frame] = {}
        self.counter = itertools.count(1)
        self._send = send
        self._answer = answer
        self._on_notification = on_notification
        self._traffic = traffic
        self._limits = limits
        self._note = note
        self._ended = ended

    # -- from pages ----------------------------------------------------------------------------------

    def receive(self, envelope: Envelope) -> None:
        """Take one message of a page; whatever it is, a request is answered."""
        frame, message = self.frames.get(envelope.view), envelope.message
        if frame is None:
            self._refuse_stray(envelope.view, message)
            return
        frame.spoke = next(self.counter)
        if envelope.size > (limit := self._limits.rates.message_bytes):
            problem = PageError(INVALID_REQUEST, f"The message is larger than {limit} bytes")
            self._reply_error(frame, id_of(message), problem)
            return
        if too_deep(message):
            problem = PageError(INVALID_REQUEST, "The message nests too deep")
            self._reply_error(frame, id_of(message), problem)
            return
        self._traffic.add("in", frame.id, message, size=envelope.size)
        if not isinstance(message, Mapping) or message.get("jsonrpc") != "2.0":
            self._reply_error(frame, None, PageError(INVALID_REQUEST, "This is no JSON-RPC 2.0 message"))
            return
        method, request_id = message.get("method"), message.get("id")
        if "id" in message and not valid_id(request_id):
            self._reply_error(frame, None, PageError(INVALID_REQUEST, "An id is a string or a finite number"))
        elif "method" in message and not isinstance(method, str):
            self._reply_error(frame, request_id, PageError(INVALID_REQUEST, "A method is a string"))
        elif isinstance(method, str) and "id" in message:
            self._request(frame, method, message.get("params"), request_id)
        elif isinstance(method, str):
            self._notification(frame, method, message.get("params"))
        elif "id" in message:
            self._response(frame, message)
        else:
            self._reply_error(frame, None, PageError(INVALID_REQUEST, "A message has a method or an id"))

    def _refuse_stray(self, frame_id: str, message: Any) -> None:
        """Something late of a frame that is gone; a request gets its answer all the same."""
        if isinstance(message, Mapping) and "method" in message and valid_id(message.get("id")):
            error = {"code": REFUSED, "message": self._ended() or "This page is gone"}
            self._send("rpc", frame_id, {"jsonrpc": "2.0", "id": message["id"], "error": error})

    def _request(self, frame: Frame, method: str, params: Any, request_id: Any) -> None:
        if request_id in frame.running:
            self._reply_error(frame, request_id, PageError(INVALID_REQUEST, f"id {request_id!r} is in use"))
            return
        if params is not None and not isinstance(params, Mapping):
            self._reply_error(frame, request_id, PageError(INVALID_PARAMS, "params must be an object"))
            return
        task = asyncio.ensure_future(self._work(frame, method, dict(params or {}), request_id))
        frame.running[request_id] = task
        task.add_done_callback(lambda _: frame.running.pop(request_id, None))

    async def _work(
        self, frame: Frame, method: str, params: dict[str, Any], request_id: str | int | float
    ) -> None:
        pending = asyncio.ensure_future(self._say_pending(frame, request_id))
        try:
            result = finite(await self._answer(frame, method, params, request_id))
        except PageError as error:
            self._reply_error(frame, request_id, error)
        except McpAppsError as error:
            code = getattr(error, "code", REFUSED)
            self._reply_error(frame, request_id, PageError(code, str(error), getattr(error, "data", None)))
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - a page always gets an answer, and the kernel lives on
            self._note(f"{method} failed: {error!r}", "error")
            self._reply_error(frame, request_id, PageError(INTERNAL_ERROR, "The host failed to answer"))
        else:
            self._tell(frame, {"jsonrpc": "2.0", "id": request_id, "result": result})
        finally:
            pending.cancel()

    async def _say_pending(self, frame: Frame, request_id: str | int | float) -> None:
        """Tell the front end that the request is in hand, so that it does not give the kernel up."""
        await asyncio.sleep(_PENDING_AFTER)
        while True:
            self._send("pending", frame.id, {"ids": [request_id]})
            await asyncio.sleep(_PENDING_EVERY)

    def _notification(self, frame: Frame, method: str, params: Any) -> None:
        if not self._limits.notifications.take():
            self._limits.dropped += 1
            if self._limits.may_tell():
                self._note(f"{self._limits.dropped} notifications of the page were dropped so far", "warning")
            return
        params = params if isinstance(params, Mapping) else {}
        if method != "notifications/cancelled":
            self._on_notification(frame, method, params)
            return
        task = frame.running.get(params.get("requestId")) if valid_id(params.get("requestId")) else None
        if task is not None:
            task.cancel()

    def _response(self, frame: Frame, message: Mapping[str, Any]) -> None:
        future = frame.asked.pop(str(message.get("id")), None)
        if future is None or future.done():
            return
        error = message.get("error")
        if isinstance(error, Mapping):
            code = error.get("code")
            code = code if isinstance(code, int) else INTERNAL_ERROR
            future.set_exception(PageError(code, str(error.get("message")), error.get("data")))
        else:
            future.set_result(message.get("result"))

    # -- to pages ------------------------------------------------------------------------------------

    def ask(
        self, frame: Frame, method: str, params: Mapping[str, Any], request_id: str | None = None
    ) -> asyncio.Future[Any]:
        """Send the page a request; the future gets its result, and is cancelled when its document goes."""
        request_id = request_id or f"host-{uuid.uuid4().hex[:8]}"
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        frame.asked[request_id] = future
        self._tell(frame, {"jsonrpc": "2.0", "id": request_id, "method": method, "params": dict(params)})
        return future

    def notify(self, frame: Frame, method: str, params: Mapping[str, Any]) -> None:
        """Send one notification to one initialised frame."""
        if frame.initialized:
            self._tell(frame, {"jsonrpc": "2.0", "method": method, "params": dict(params)})

    def inform(self, frame: Frame, method: str, params: Mapping[str, Any]) -> None:
        """`notify`, but a frame out of sight is told when it is seen again, and only the newest."""
        if frame.initialized and not frame.visible:
            frame.park(method, params)
        else:
            self.notify(frame, method, params)

    def _tell(self, frame: Frame, message: dict[str, Any]) -> None:
        if self.frames.get(frame.id) is not frame:
            return  # the document that asked is gone; its successor uses the same ids
        self._traffic.add("out", frame.id, message)
        self._send("rpc", frame.id, message)

    def _reply_error(self, frame: Frame, request_id: Any, error: PageError) -> None:
        wire: dict[str, Any] = {"code": error.code, "message": str(error)}
        if error.data is not None:
            wire["data"] = finite(error.data)
        self._tell(frame, {"jsonrpc": "2.0", "id": request_id, "error": wire})
