"""The JSON-RPC side of one connection: what was asked, what came back, and who is told."""

from __future__ import annotations

from contextvars import Context
from typing import Any

from mcp.shared.message import MessageMetadata, SessionMessage
from mcp_types import (
    CONNECTION_CLOSED,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from mcpapps_jupyter.redact import shortened
from mcpapps_jupyter.transports.frames import NOISE_LIMIT, Oversize, encode, parse_line
from mcpapps_jupyter.transports.hooks import Frame, Hooks, notify
from mcpapps_jupyter.transports.repair import Asked, repair_frame
from mcpapps_jupyter.transports.streams import Inbox

_OLDEST_SHAPE = "2025-11-25"  # the SDK checks every handshake-era version against this one


class Wire:
    """Frames of one connection, on their way through the hooks.

    Parameters
    ----------
    hooks
        Who is told.
    inbox
        Where inbound messages go.
    """

    def __init__(self, hooks: Hooks, inbox: Inbox) -> None:
        self._hooks = hooks
        self._inbox = inbox
        self._asked: dict[str, Asked] = {}

    def outgoing(self, message: JSONRPCMessage) -> Frame:
        """Return `message` as the frame to send; a request is remembered until it is answered."""
        frame: Frame = message.model_dump(by_alias=True, mode="json", exclude_unset=True)
        method = frame.get("method")
        if method is not None and "id" in frame:
            self._asked[str(frame["id"])] = Asked.from_frame(frame, _OLDEST_SHAPE)
        elif method == "notifications/cancelled":
            self._asked.pop(str((frame.get("params") or {}).get("requestId")), None)
        notify(self._hooks.tap, "out", frame)
        return frame

    def line(self, line: bytes | Oversize) -> None:
        """Take in one line or event: its frames, and the noise around them."""
        if isinstance(line, Oversize):
            self._drop(
                line, f"the server sent a line of {line.size / 1e6:.0f} MB, over the limit; it was dropped"
            )
            return
        parsed = parse_line(line)
        for text in parsed.warnings:
            self._hooks.warn(text)
        if parsed.too_deep is not None:
            self._drop(parsed.too_deep, "the server sent a message that nests too deep; it was dropped")
        for text in parsed.noise:
            notify(self._hooks.on_noise, text)
        for frame in parsed.frames:
            self.incoming(frame)

    def incoming(
        self, frame: Frame, metadata: MessageMetadata = None, context: Context | None = None
    ) -> None:
        """Repair one inbound frame, show it to the hooks and pass it on."""
        request_id = frame.get("id")
        asked = None if request_id is None else self._asked.get(str(_whole(request_id)))
        if asked is not None and frame.get("method") == asked.method:
            # A server that logs what it reads: our own request, echoed.
            notify(self._hooks.on_noise, encode(frame).decode()[:NOISE_LIMIT])
            return
        try:
            frame = repair_frame(_tidy(frame), asked, self._hooks.warn)
            if self._hooks.repair is not None:
                frame = self._hooks.repair(frame)
            message = parse_message(frame)
        except Exception as error:  # noqa: BLE001 - one bad frame must not end the connection
            reason = f"the server sent a malformed message: {_first_line(error)}"
            self._hooks.warn(reason)
            if asked is not None and "method" not in frame:
                self.answer(str(_whole(request_id)), reason)
            return
        if asked is not None and not isinstance(message, (JSONRPCRequest, JSONRPCNotification)):
            del self._asked[str(_whole(request_id))]
        notify(self._hooks.tap, "in", frame)
        self._inbox.put(SessionMessage(message, metadata), context)

    def answer(self, request_id: str, reason: str, code: int = CONNECTION_CLOSED) -> None:
        """Answer a waiting request of ours with an error; nothing happens if it does not wait."""
        if self._asked.pop(request_id, None) is None:
            return
        # The SDK matches "7" with 7, so the text form of an id will do.
        error = JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=reason))
        self._inbox.put(SessionMessage(error))

    def end(self, reason: str) -> None:
        """Answer everything that waits with `reason`, and end the inbox."""
        for request_id in list(self._asked):
            self.answer(request_id, reason)
        self._inbox.end()

    def _drop(self, line: Oversize, reason: str) -> None:
        self._hooks.warn(reason)
        if line.request_id is not None:
            self.answer(line.request_id, reason)


def _whole(request_id: Any) -> Any:
    return int(request_id) if isinstance(request_id, float) and request_id.is_integer() else request_id


def _tidy(frame: Frame) -> Frame:
    """Undo harmless deviations of the envelope: ``"error": null`` beside a result, ``1.0`` as an id."""
    if "method" in frame:
        drop = {key for key in frame if key in ("id", "params") and frame[key] is None}
    else:
        drop = {"error" if frame.get("error") is None else "result"} & frame.keys()
    request_id = frame.get("id")
    if not drop and not isinstance(request_id, float):
        return frame
    frame = {key: value for key, value in frame.items() if key not in drop}
    if isinstance(request_id, float):
        frame["id"] = _whole(request_id)
    return frame


def as_frame(message: JSONRPCMessage) -> Frame:
    """Return `message` as parsed JSON; what it holds is shared, not copied."""
    given = message.model_fields_set
    frame = {name: getattr(message, name) for name in type(message).model_fields if name in given}
    if isinstance(message, JSONRPCError):
        frame["error"] = message.error.model_dump(exclude_unset=True)
    return frame


def parse_message(frame: Frame) -> JSONRPCMessage:
    """Validate `frame` and return it as the message the SDK wants."""
    if "method" in frame:
        return (JSONRPCRequest if "id" in frame else JSONRPCNotification).model_validate(frame)
    if "error" in frame:
        return JSONRPCError.model_validate(frame)
    return JSONRPCResponse.model_validate(frame)


def _first_line(error: Exception) -> str:
    return shortened(" ".join(str(error).split()), 300)
