"""The messages between one page and the host, as a table that a cell can look into."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, overload

from mcpapps_jupyter.errors import InvalidArguments, did_you_mean
from mcpapps_jupyter.html import escape
from mcpapps_jupyter.log import seconds_since_epoch
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.results import block_text
from mcpapps_jupyter.tabular import amount, bytes_text, data_frame, html_table, text_table
from mcpapps_jupyter.trace import iso, write_trace
from mcpapps_jupyter.views.recording import Recording
from mcpapps_jupyter.views.rpc import valid_id

if TYPE_CHECKING:
    import pandas

Direction = Literal["in", "out"]
Kind = Literal["request", "response", "notification", "invalid"]
Status = Literal["", "ok", "error"]

#: Messages and bytes that one view keeps.
MAX_ENTRIES = 2000
MAX_BYTES = 8 * 1024 * 1024

ARROWS = {"in": "page → host", "out": "host → page"}

#: Requests whose answer is still awaited; a page that floods must not grow this without end.
_MAX_OPEN = 1024
_SHOWN = 50
_BRIEF = 120
_COLUMNS = (
    "at", "direction", "kind", "method", "id", "status", "duration_ms", "size", "frame", "message"
)  # fmt: skip

C = TypeVar("C", bound=str)


@dataclass(frozen=True)
class TrafficEntry:
    """One message.

    Attributes
    ----------
    direction
        ``in`` from the page, ``out`` to it.
    frame
        The frame it belongs to.
    message
        The JSON-RPC message as it was.
    kind
        ``request``, ``response``, ``notification``, or ``invalid`` for what is no JSON-RPC message.
    method
        The method; for a response that of its request, as far as that was seen.
    status
        Of a response: ``ok`` or ``error`` (a JSON-RPC error, or a tool that says itself that it failed).
    duration
        Of a response: milliseconds since its request, or None.
    size
        Bytes of its JSON.
    at
        Seconds since the epoch.
    number
        Counts the messages of one view, from 1.
    """

    direction: Direction
    frame: str
    message: Any = field(repr=False)
    kind: Kind
    method: str
    status: Status = ""
    duration: float | None = None
    size: int = 0
    at: float = 0.0
    number: int = 0

    @property
    def id(self) -> Any:
        """The JSON-RPC id, or None."""
        return self.message.get("id") if isinstance(self.message, Mapping) else None

    @property
    def brief(self) -> str:
        """What it says, on one short line."""
        return clean_line(_said(self), _BRIEF)

    def to_record(self) -> dict[str, Any]:
        """The entry as a trace has it."""
        return {
            "at": iso(self.at),
            "direction": self.direction,
            "frame": self.frame,
            "kind": self.kind,
            "method": self.method,
            "durationMs": None if self.duration is None else round(self.duration, 3),
            "status": self.status,
            "size": self.size,
            "message": self.message,
        }


class Traffic:
    """The last messages between a page and the host, oldest first; older ones are dropped.

    What the browser answers by itself (the handshake, sizes, display modes) does not come by here, but
    for the ``ui/initialize`` request that begins a handshake.

    Parameters
    ----------
    recording
        What is known about the page, for `save`.
    hide
        Masks the app's secrets in what is shown and saved.
    clock, ticks
        Seconds since the epoch, and seconds that never jump, for durations.

    Examples
    --------
    >>> view.traffic.filter(method="tools/*", kind="response").to_pandas()
    >>> view.traffic.save("trace.json")
    """

    def __init__(
        self,
        recording: Recording | None = None,
        hide: Callable[[str], str] = str,
        *,
        clock: Callable[[], float] = time.time,
        ticks: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._recording = recording or Recording()
        self._hide = hide
        self._clock = clock
        self._ticks = ticks
        self._entries: deque[TrafficEntry] = deque()
        self._bytes = 0
        self._count = 0
        self._open: dict[tuple[str, str, Any], tuple[str, float]] = {}
        self._lock = threading.Lock()
        self._listeners: tuple[Callable[[], None], ...] = ()

    # -- writing -----------------------------------------------------------------------------------

    def add(
        self, direction: Direction, frame: str, message: Any, *, size: int = 0, kind: Kind | None = None
    ) -> TrafficEntry:
        """Append one message; on the session loop.

        Parameters
        ----------
        size
            Bytes of its JSON, where they are known.
        kind
            Where the message alone does not tell.
        """
        kind = kind or _kind(message)
        method, duration = _method(message), None
        if kind == "request":
            self._begun(direction, frame, message, method)
        elif kind == "response":
            method, duration = self._ended(direction, frame, message)
        with self._lock:
            self._count += 1
            entry = TrafficEntry(
                direction=direction,
                frame=frame,
                message=message,
                kind=kind,
                method=method,
                status=_status(message, kind),
                duration=duration,
                size=size or _size(message),
                at=self._clock(),
                number=self._count,
            )
            self._keep(entry)
        for listener in self._listeners:
            listener()
        return entry

    def _begun(self, direction: str, frame: str, message: Any, method: str) -> None:
        request_id = message.get("id")
        if valid_id(request_id):
            self._open[direction, frame, request_id] = method, self._ticks()
            if len(self._open) > _MAX_OPEN:
                del self._open[next(iter(self._open))]

    def _ended(self, direction: str, frame: str, message: Any) -> tuple[str, float | None]:
        asked = "out" if direction == "in" else "in"
        request_id = message.get("id")
        method, begun = (
            self._open.pop((asked, frame, request_id), ("", None)) if valid_id(request_id) else ("", None)
        )
        return method, None if begun is None else (self._ticks() - begun) * 1000

    def _keep(self, entry: TrafficEntry) -> None:
        self._entries.append(entry)
        self._bytes += entry.size
        while len(self._entries) > MAX_ENTRIES or (self._bytes > MAX_BYTES and len(self._entries) > 1):
            self._bytes -= self._entries.popleft().size

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after each message, on the session loop; returns how to end that."""
        self._listeners = (*self._listeners, listener)

        def forget() -> None:
            self._listeners = tuple(each for each in self._listeners if each is not listener)

        return forget

    # -- reading -----------------------------------------------------------------------------------

    @property
    def page(self) -> str:
        """The page: its tool, else its address."""
        return self._recording.label

    @property
    def count(self) -> int:
        """How many messages there have been, those that were dropped included."""
        return self._count

    def after(self, number: int) -> list[TrafficEntry]:
        """The kept messages with a greater number."""
        with self._lock:
            fresh = min(self._count - number, len(self._entries))
            return list(islice(reversed(self._entries), fresh))[::-1] if fresh > 0 else []

    def __iter__(self) -> Iterator[TrafficEntry]:
        with self._lock:
            return iter(tuple(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, at: int) -> TrafficEntry: ...
    @overload
    def __getitem__(self, at: slice) -> Traffic: ...
    def __getitem__(self, at: int | slice) -> TrafficEntry | Traffic:
        """One message, or several as a table of their own."""
        entries = tuple(self)
        return self._with(entries[at]) if isinstance(at, slice) else entries[at]

    def _with(self, entries: Sequence[TrafficEntry]) -> Traffic:
        chosen = Traffic(self._recording, self._hide)
        chosen._entries.extend(entries)
        chosen._bytes = sum(entry.size for entry in entries)
        chosen._count = self._count
        return chosen

    def filter(
        self,
        *,
        method: str | None = None,
        direction: Direction | None = None,
        kind: Kind | None = None,
        status: Literal["ok", "error"] | None = None,
        text: str | None = None,
        since: float | datetime | timedelta | None = None,
    ) -> Traffic:
        """The messages that fit, as they are now.

        Parameters
        ----------
        method
            A method, or a pattern such as ``tools/*``. The responses to it fit too.
        direction, kind, status
            As `TrafficEntry` has them.
        text
            Found in the message's JSON, in any case.
        since
            Seconds since the epoch, a datetime, or a timedelta ago.

        Raises
        ------
        InvalidArguments
            There is no such direction, kind or status.
        """
        _check("direction", direction, get_args(Direction))
        _check("kind", kind, get_args(Kind))
        _check("status", status, ("ok", "error"))
        folded = text.casefold() if text else None
        start = None if since is None else seconds_since_epoch(since)
        return self._with(
            [
                entry
                for entry in self
                if (method is None or fnmatchcase(entry.method, method))
                and direction in (None, entry.direction)
                and kind in (None, entry.kind)
                and status in (None, entry.status)
                and (start is None or entry.at >= start)
                and (folded is None or folded in _json(entry.message).casefold())
            ]
        )

    def to_pandas(self) -> pandas.DataFrame:
        """One row a message, its time (``at``, UTC) first; ``duration_ms`` and ``status`` of responses.

        Raises
        ------
        McpAppsError
            pandas is not installed.
        """
        records = [
            {
                **{name: getattr(entry, name, None) for name in _COLUMNS},
                "duration_ms": entry.duration,
            }
            for entry in self
        ]
        return data_frame(records, _COLUMNS)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a trace: the page, what opened it and these messages; `mcpapps.replay` shows it again.

        The app's secrets are masked; everything else that page and server said to each other is in it.
        A filtered table saves what it holds.

        Returns
        -------
        Path
            The file, which replaces one of that name.

        Raises
        ------
        InvalidArguments
            It cannot be written there, in one line.
        """
        records = [entry.to_record() for entry in self]
        trace = self._recording.trace(records, dropped=self._count - len(records))
        return write_trace(trace, path, self._hide)

    # -- showing -----------------------------------------------------------------------------------

    def __repr__(self) -> str:
        heading, head, rows = self._table()
        return f"{heading}\n{text_table(head, rows)}" if rows else heading

    def _repr_html_(self) -> str:
        heading, head, rows = self._table()
        if not rows:
            return f"<i>{escape(heading)}</i>"
        return f"<div><b>{escape(heading)}</b>{html_table(head, rows, wraps=('content',))}</div>"

    def _table(self) -> tuple[str, list[str], list[list[str]]]:
        entries = tuple(self)
        shown = entries[-_SHOWN:]
        if not entries:
            return "No messages yet.", [], []
        heading = amount(len(entries), "message")
        if len(shown) < len(entries):
            heading = f"The last {len(shown)} of {len(entries):,} messages"
        head = ["time", "direction", "kind", "method", "content", "status", "ms", "size"]
        return heading, head, [self._row(entry) for entry in shown]

    def _row(self, entry: TrafficEntry) -> list[str]:
        return [
            datetime.fromtimestamp(entry.at).strftime("%H:%M:%S.%f")[:-3],
            ARROWS[entry.direction],
            entry.kind,
            clean_line(entry.method, 60),
            self._hide(entry.brief),
            entry.status,
            "" if entry.duration is None else f"{entry.duration:.1f}",
            bytes_text(entry.size),
        ]


def _check(name: str, value: str | None, known: Sequence[str]) -> None:
    if value is not None and value not in known:
        hint = did_you_mean(value, known) or f" It is one of: {', '.join(known)}"
        raise InvalidArguments(f"There is no {name} {value!r}.{hint}")


def _kind(message: Any) -> Kind:
    if not isinstance(message, Mapping):
        return "invalid"
    if isinstance(message.get("method"), str):
        return "request" if "id" in message else "notification"
    return "response" if "id" in message and ("result" in message or "error" in message) else "invalid"


def _method(message: Any) -> str:
    method = message.get("method") if isinstance(message, Mapping) else None
    return method if isinstance(method, str) else ""


def _status(message: Any, kind: Kind) -> Status:
    if kind == "invalid":
        return "error"
    if kind != "response":
        return ""
    result = message.get("result")
    failed = "error" in message or (isinstance(result, Mapping) and result.get("isError") is True)
    return "error" if failed else "ok"


def _size(message: Any) -> int:
    text = _json(message)
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (TypeError, ValueError, RecursionError):
        return str(value)


def _start(value: Any, limit: int = 2 * _BRIEF) -> str:
    """The beginning of a value's JSON; the rest of a large one is never made."""
    text = ""
    try:
        for piece in json.JSONEncoder(ensure_ascii=False, default=str).iterencode(value):
            text += piece[:limit]
            if len(text) >= limit:
                break
    except (TypeError, ValueError, RecursionError):
        text = text or str(type(value).__name__)
    return text


def _said(entry: TrafficEntry) -> str:
    message = entry.message
    if not isinstance(message, Mapping):
        return _start(message)
    if entry.kind == "response":
        return _answered(message)
    params = message.get("params")
    if not isinstance(params, Mapping):
        return "" if params is None else _start(params)
    if entry.method in ("tools/call", "prompts/get"):
        arguments = params.get("arguments")
        return f"{params.get('name')} {_start(arguments) if arguments else ''}"
    if list(params) == ["uri"]:
        return str(params["uri"])
    return _start(params) if params else ""


def _answered(message: Mapping[str, Any]) -> str:
    error, result = message.get("error"), message.get("result")
    if isinstance(error, Mapping):
        return f"{error.get('code')}: {error.get('message')}"
    if not isinstance(result, Mapping):
        return _start(result)
    content = result.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str) and content:
        first = content[0]
        if isinstance(first, Mapping):
            return block_text(first)[: 2 * _BRIEF]
    return _start(result) if result else ""
