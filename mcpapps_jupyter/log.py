"""One app's log: server messages, stderr, noise on stdout and what the host did, in one ring."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Source = Literal["server", "stderr", "stdout", "host", "page"]


@dataclass(frozen=True)
class LogEntry:
    """One line.

    Attributes
    ----------
    source
        Who said it: the ``server`` (MCP log message), its ``stderr``, noise on its ``stdout``,
        the ``host`` (us) or a ``page``.
    level
        ``debug``, ``info``, ``warning`` or ``error``.
    at
        Seconds since the epoch.
    """

    source: Source
    level: str
    text: str
    at: float = field(default_factory=time.time)


class AppLog:
    """The last lines of one app; older ones are dropped, counts stay right."""

    def __init__(self, lines: int = 2000, stderr_lines: int = 500) -> None:
        self._entries: deque[LogEntry] = deque(maxlen=lines)
        self._stderr: deque[str] = deque(maxlen=stderr_lines)

    def add(self, source: Source, text: str, level: str = "info") -> None:
        """Append one line; a line of more than 4,000 characters is cut."""
        text = text[:4000]
        self._entries.append(LogEntry(source, level, text))
        if source == "stderr":
            self._stderr.append(text)

    def stderr_tail(self, count: int = 5) -> list[str]:
        """The last non-empty lines of stderr."""
        return [line for line in self._stderr if line.strip()][-count:]

    def forget_stderr(self) -> None:
        """A new process begins: its predecessor's last words are no longer its own."""
        self._stderr.clear()

    def __iter__(self) -> Iterator[LogEntry]:
        return iter(tuple(self._entries))

    def __len__(self) -> int:
        return len(self._entries)
