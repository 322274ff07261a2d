"""The messages between one page and the host, as a list that a cell can look at."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

#: Entries and bytes that one view keeps.
MAX_ENTRIES = 2000
MAX_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True)
class TrafficEntry:
    """One message.

    Attributes
    ----------
    direction
        ``in`` from the page, ``out`` to it.
    frame
        The frame it belongs to; ``""`` for every frame.
    message
        The JSON-RPC message.
    size
        Characters of its JSON.
    at
        Seconds since the epoch.
    """

    direction: Literal["in", "out"]
    frame: str
    message: Any
    size: int
    at: float = field(default_factory=time.time)

    @property
    def method(self) -> str:
        """The method, or ``""`` for a response."""
        return str(self.message.get("method", "")) if isinstance(self.message, dict) else ""

    def __repr__(self) -> str:
        what = (
            self.method or f"response to {self.message.get('id') if isinstance(self.message, dict) else '?'}"
        )
        arrow = "page → host" if self.direction == "in" else "host → page"
        return f"<{arrow} {what}, {self.size} characters>"


class Traffic:
    """A ring of messages, bounded in number and in size."""

    def __init__(self) -> None:
        self._entries: deque[TrafficEntry] = deque()
        self._bytes = 0

    def add(self, entry: TrafficEntry) -> None:
        """Append; the oldest go first."""
        self._entries.append(entry)
        self._bytes += entry.size
        while len(self._entries) > MAX_ENTRIES or (self._bytes > MAX_BYTES and len(self._entries) > 1):
            self._bytes -= self._entries.popleft().size

    def __iter__(self) -> Iterator[TrafficEntry]:
        return iter(tuple(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, at: int) -> TrafficEntry:
        return tuple(self._entries)[at]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "<no messages yet>"
