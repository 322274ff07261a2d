"""What a log table shows: an app's log and the messages of its open pages, in the order of time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakValueDictionary

from mcpapps_jupyter.app import App
from mcpapps_jupyter.log import LogEntry
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.tabular import bytes_text
from mcpapps_jupyter.trace import masked
from mcpapps_jupyter.views.traffic import ARROWS, Traffic, TrafficEntry

#: Lines of a table that is drawn anew, and of one update: more is neither read nor worth the wire.
MAX_LINES = 2000
MAX_NEWS = 300

_LONGEST_TEXT = 1000
_DEEPEST_INDENT = 24
_LONGEST_DETAIL = 50_000


class OpenView(Protocol):
    """What the feed needs of a page's view."""

    key: str

    @property
    def traffic(self) -> Traffic:
        """The messages of the page."""
        ...


@dataclass(frozen=True)
class Line:
    """One line, and the name by which its detail can be asked for.

    Attributes
    ----------
    key
        Unique in one table.
    entry
        What it says.
    """

    key: str
    entry: LogEntry

    def to_wire(self) -> dict[str, Any]:
        """The line as the front end draws it."""
        entry = self.entry
        return {
            "key": self.key,
            "at": round(entry.at * 1000),
            "source": entry.source,
            "level": entry.level,
            "page": clean_line(entry.page, 80),
            "text": _cleaned(entry.text),
            "measure": entry.measure,
        }


def _cleaned(text: str) -> str:
    """Safe to show, with its line breaks and indentation: a traceback is read by them."""
    lines = [line for line in text[: 4 * _LONGEST_TEXT].splitlines() if line.strip()]
    indents = [" " * min(len(line) - len(line.lstrip(" ")), _DEEPEST_INDENT) for line in lines]
    shown = "\n".join(
        indent + clean_line(line, _LONGEST_TEXT) for indent, line in zip(indents, lines, strict=True)
    )
    return shown if len(shown) <= _LONGEST_TEXT else shown[: _LONGEST_TEXT - 1] + "…"


def as_line(entry: TrafficEntry, page: str, hide: Callable[[str], str]) -> LogEntry:
    """A message as a line: ``page → host tools/call get_stock {"id": 1}``."""
    words = [ARROWS[entry.direction], entry.method or entry.kind, entry.status, hide(entry.brief)]
    measured = [f"{entry.duration:.1f} ms"] if entry.duration is not None else []
    return LogEntry(
        source="traffic",
        level="warning" if entry.status == "error" else "debug",
        text=" ".join(word for word in words if word),
        at=entry.at,
        page=page,
        event=entry.kind,
        measure=", ".join([*measured, bytes_text(entry.size)]),
        number=entry.number,
    )


class LogFeed:
    """Reads the rings of one app, each from where it was read last.

    Parameters
    ----------
    app
        Whose log it is.
    views
        Gives the app's open pages.
    """

    def __init__(self, app: App, views: Callable[[], Iterable[OpenView]]) -> None:
        self._app = app
        self._views = views
        self._read: dict[str, int] = {}
        #: Also of pages that have ended meanwhile, as long as somebody holds on to them.
        self._traffic: WeakValueDictionary[str, Traffic] = WeakValueDictionary()

    def everything(self, limit: int = MAX_LINES) -> list[Line]:
        """The newest lines there are; what comes later is news."""
        self._read.clear()
        return self.news(limit)[0]

    def news(self, limit: int = MAX_NEWS) -> tuple[list[Line], int]:
        """The lines since the last reading, and how many more were left out.

        Returns
        -------
        lines : list of Line
            In the order of time, the newest of too many.
        left_out : int
            How many there were before them.
        """
        lines, total = self._log_lines()
        for view in self._views():
            more, count = self._traffic_lines(view)
            lines += more
            total += count
        lines.sort(key=lambda line: line.entry.at)
        lines = lines[-limit:]
        return lines, total - len(lines)

    def _log_lines(self) -> tuple[list[Line], int]:
        entries = self._app.log.after(self._read.get("", 0))
        return [Line(f"log:{entry.number}", entry) for entry in entries], self._advance("", entries)

    def _traffic_lines(self, view: OpenView) -> tuple[list[Line], int]:
        traffic = view.traffic
        self._traffic[view.key] = traffic
        entries = traffic.after(self._read.get(view.key, 0))
        lines = [
            Line(f"{view.key}:{entry.number}", as_line(entry, traffic.page, self._app.hide))
            for entry in entries
        ]
        return lines, self._advance(view.key, entries)

    def _advance(self, key: str, entries: Sequence[LogEntry] | Sequence[TrafficEntry]) -> int:
        """Remember how far a ring was read; gives how many entries that were, dropped ones included."""
        if not entries:
            return 0
        before, newest = self._read.get(key, 0), entries[-1].number
        self._read[key] = newest
        return newest - before

    def detail(self, key: str) -> str | None:
        """All that a message says, as indented JSON with secrets masked; None when it is gone."""
        view, _, number = key.rpartition(":")
        traffic = self._traffic.get(view)
        if traffic is None or not number.isdigit():
            return None
        entry = next(iter(traffic.after(int(number) - 1)), None)
        if entry is None or entry.number != int(number):
            return None
        text = json.dumps(masked(entry.message, self._app.hide), indent=2, ensure_ascii=False, default=str)
        if len(text) > _LONGEST_DETAIL:
            text = f"{text[:_LONGEST_DETAIL]}…\n({len(text):,} characters; all of it: view.traffic)"
        return text
