"""The seam between the front end and the kernel: envelopes, whatever carries them.

A comm message's content is always ``{"v": 1, "batch": [envelope, …]}``. It never has a string
``id`` at the top: ipykernel would take it for a request of its own, keep it and route by it.
An envelope is ``{"kind", "view", "message"}``; a message of more than 64 KB travels as a binary
buffer (``{"kind", "view", "buffer": index}``), and what the front end sends in pieces
(``kind: "part"``) is joined here.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mcpapps_jupyter.transports.frames import Oversize

logger = logging.getLogger(__name__)

VERSION = 1
#: Characters of JSON from which a message travels as a binary buffer.
BUFFER_FROM = 64 * 1024
#: Bytes of one message after encoding, either way.
MAX_MESSAGE = 64 * 1024 * 1024
_MAX_PARTS = 64


@dataclass(frozen=True)
class Envelope:
    """One message between a view's front end and the kernel.

    Attributes
    ----------
    kind
        ``hello``, ``open``, ``rpc``, ``ask``, ``answer``, ``state``, ``log``, ``pending`` or ``gone``.
    view
        The frame's id, or ``""`` for the widget as a whole.
    message
        The payload, JSON.
    size
        Bytes or characters of the payload's JSON, as far as known.
    """

    kind: str
    view: str
    message: Any
    size: int = 0


class Channel(Protocol):
    """Carries envelopes to the front end; safe to use from any thread."""

    def send(self, envelopes: Sequence[Envelope]) -> None:
        """Send; envelopes for a front end that is gone are dropped."""
        ...

    def flush(self) -> None:
        """Send now what still waits to travel together; on the session loop."""
        ...


class EnvelopeError(ValueError):
    """The front end sent something that is no envelope."""


def encode(envelopes: Sequence[Envelope]) -> tuple[dict[str, Any], list[bytes]]:
    """The comm message's content and its buffers; a message that has no JSON is left out."""
    batch: list[dict[str, Any]] = []
    buffers: list[bytes] = []
    for envelope in envelopes:
        wire: dict[str, Any] = {"kind": envelope.kind, "view": envelope.view}
        try:
            text = json.dumps(envelope.message, ensure_ascii=False, separators=(",", ":"), default=str)
        except (TypeError, ValueError, RecursionError):
            logger.debug("a message of kind %r has no JSON and is not sent", envelope.kind, exc_info=True)
            continue
        try:
            data, small = text.encode("utf-8"), len(text) <= BUFFER_FROM
        except UnicodeEncodeError:
            # Half of a surrogate pair: the comm would lose the whole batch for it. Escaped it arrives.
            text = json.dumps(envelope.message, separators=(",", ":"), default=str)
            data, small = text.encode("ascii"), False
        if small:
            wire["message"] = envelope.message
        else:
            wire["buffer"] = len(buffers)
            buffers.append(data)
        batch.append(wire)
    return {"v": VERSION, "batch": batch}, buffers


class Decoder:
    """Reads comm messages and joins what came in parts; one for each widget."""

    def __init__(self) -> None:
        self._parts: dict[tuple[str, str], dict[int, bytes]] = {}

    def decode(self, content: Any, buffers: Sequence[Any] = ()) -> list[Envelope]:
        """The envelopes of one comm message.

        Raises
        ------
        EnvelopeError
            It is none; nothing of it is used.
        """
        if not isinstance(content, Mapping) or not isinstance(content.get("batch"), list):
            raise EnvelopeError("the message has no batch of envelopes")
        found = (self._one(wire, buffers) for wire in content["batch"])
        return [envelope for envelope in found if envelope is not None]

    def _one(self, wire: Any, buffers: Sequence[Any]) -> Envelope | None:
        if not isinstance(wire, Mapping) or not isinstance(wire.get("kind"), str):
            raise EnvelopeError("an envelope has no kind")
        kind, view = wire["kind"], str(wire.get("view") or "")
        if kind == "part":
            return self._part(wire, view, buffers)
        if "buffer" not in wire:
            return Envelope(kind, view, wire.get("message"))
        return _parsed(kind, view, _buffer(wire["buffer"], buffers))

    def _part(self, wire: Mapping[str, Any], view: str, buffers: Sequence[Any]) -> Envelope | None:
        part = wire.get("part")
        if not isinstance(part, Mapping):
            raise EnvelopeError("a part has no description")
        index, count = part.get("index"), part.get("count")
        if not (isinstance(index, int) and isinstance(count, int) and 0 <= index < count <= _MAX_PARTS):
            raise EnvelopeError("a part is numbered wrongly")
        key = (view, str(part.get("key")))
        if key not in self._parts and len(self._parts) >= 8:
            self._parts.pop(next(iter(self._parts)))  # a sender that never finishes must not fill the kernel
        pieces = self._parts.setdefault(key, {})
        pieces[index] = _buffer(wire.get("buffer"), buffers)
        if sum(map(len, pieces.values())) > MAX_MESSAGE:
            del self._parts[key]
            raise EnvelopeError(f"a message is larger than {MAX_MESSAGE // 2**20} MB")
        if len(pieces) < count:
            return None
        del self._parts[key]
        return _parsed(str(part.get("of")), view, b"".join(pieces[at] for at in range(count)))


def _buffer(index: Any, buffers: Sequence[Any]) -> bytes:
    if not isinstance(index, int) or not 0 <= index < len(buffers):
        raise EnvelopeError("an envelope names a buffer that is not there")
    return bytes(buffers[index])


def _parsed(kind: str, view: str, data: bytes) -> Envelope:
    try:
        return Envelope(kind, view, json.loads(data), len(data))
    except RecursionError:
        # The id alone, without a method: a request is then refused under its id.
        return Envelope(kind, view, {"jsonrpc": "2.0", "id": Oversize.of(data).id, "method": None}, len(data))
    except ValueError:
        raise EnvelopeError("a buffer is not JSON") from None
