"""One app's log: what its server, its pages and the host have said, in one bounded ring."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, overload

from mcpapps_jupyter.errors import InvalidArguments, did_you_mean
from mcpapps_jupyter.html import escape
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.tabular import amount, data_frame, html_table, text_table

if TYPE_CHECKING:
    import pandas

Source = Literal["server", "stderr", "stdout", "host", "page", "csp", "traffic"]

#: Who may have said a line. ``traffic`` are the messages of open pages, which tables show between the lines.
SOURCES: tuple[str, ...] = get_args(Source)

#: MCP's log levels, from the least grave to the gravest (RFC 5424).
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

_RANK = {level: rank for rank, level in enumerate(LEVELS)}
_OTHER_NAMES = {
    "trace": "debug",
    "verbose": "debug",
    "log": "info",
    "warn": "warning",
    "err": "error",
    "fatal": "critical",
    "crit": "critical",
    "panic": "emergency",
    "emerg": "emergency",
}
#: How programs mark a line of stderr: ``ERROR:…``, ``12:00 [warning] …``, ``… - server - WARNING - …``,
#: ``level=error``, ``{"level": "error"}``.
_MARK = re.compile(
    r"[\W\d_TZ]*\b(?i:(debug|info|notice|warn|warning|error|critical|fatal))\b"
    r"|.{0,60}?\blevel\W{1,4}(?i:(debug|info|notice|warn|warning|error|critical|fatal))\b"
    r"|.{0,80}?\b(DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b"
)

_LONGEST_LINE = 4000
_SHOWN_LINES = 50
_SHOWN_WIDTH = 300
#: Characters of static HTML, which is saved with the notebook.
_SHOWN_HTML = 10_000
_STYLES = {
    **dict.fromkeys(LEVELS[_RANK["error"] :], "color:var(--jp-error-color1,#c62828)"),
    "warning": "color:var(--jp-warn-color0,#b25600)",
    "debug": "opacity:.75",
}
_COLUMNS = ("at", "source", "level", "page", "event", "text")

L = TypeVar("L", bound="AppLog")


def normal_level(word: Any) -> str:
    """The MCP level that `word` means; ``info`` for one that means none."""
    folded = word.casefold() if isinstance(word, str) else ""
    folded = _OTHER_NAMES.get(folded, folded)
    return folded if folded in _RANK else "info"


def level_of_line(line: str) -> str:
    """How grave a line of stderr is, by its own mark; ``info`` without one."""
    if line.startswith("Traceback (most recent call last)"):
        return "error"
    found = _MARK.match(line[:120])
    return normal_level(found[found.lastindex or 0]) if found else "info"


def at_least(level: str) -> Callable[[str], bool]:
    """Whether a level is this grave or graver.

    Raises
    ------
    InvalidArguments
        There is no such level.
    """
    folded = _OTHER_NAMES.get(level.casefold(), level.casefold())
    if folded not in _RANK:
        hint = did_you_mean(folded, LEVELS) or f" It is one of: {', '.join(LEVELS)}"
        raise InvalidArguments(f"There is no level {level!r}.{hint}")
    return lambda other: _RANK[other] >= _RANK[folded]


def sources_of(source: str | Iterable[str]) -> frozenset[str]:
    """The sources that `source`, one word or several, names.

    Raises
    ------
    InvalidArguments
        There is no such source.
    """
    words = [source] if isinstance(source, str) else list(source)
    for word in words:
        if word not in SOURCES:
            hint = did_you_mean(word, SOURCES) or f" It is one of: {', '.join(SOURCES)}"
            raise InvalidArguments(f"There is no source {word!r}.{hint}")
    return frozenset(words)


def seconds_since_epoch(since: float | datetime | timedelta) -> float:
    """A point in time: seconds since the epoch, a datetime, or how long ago."""
    if isinstance(since, timedelta):
        return time.time() - since.total_seconds()
    return since.timestamp() if isinstance(since, datetime) else float(since)


def message_text(params: Mapping[str, Any]) -> str:
    """One ``notifications/message`` in words, behind its logger's name."""
    data, logger = params.get("data"), params.get("logger")
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
    return f"{logger}: {text}" if isinstance(logger, str) and logger else text


@dataclass(frozen=True)
class LogEntry:
    """One line.

    Attributes
    ----------
    source
        Who said it: the ``server`` (MCP log message), its ``stderr``, noise on its ``stdout``, the
        ``host`` (us: decisions, limits, what was repaired), a ``page``, or the browser about what the
        policy of a page forbade (``csp``).
    level
        One of `LEVELS`.
    text
        What it says, secrets masked.
    at
        Seconds since the epoch.
    page
        The page it is about: its tool or address; empty for the app as a whole.
    event
        What kind of thing happened, in one word: ``approval``, ``link``, ``download``, …; often empty.
    measure
        What was measured, in words: times and sizes, which differ from run to run.
    number
        Counts the lines of one log, from 1.
    """

    source: Source
    level: str
    text: str
    at: float = field(default_factory=time.time)
    page: str = ""
    event: str = ""
    measure: str = ""
    number: int = 0


class AppLog:
    """The last lines of one app; older ones are dropped.

    In a notebook, ``app.log`` as a cell's value is the live table of ``%mcpapp log``. What `filter`
    gives is a plain list of what was there at that moment.

    Parameters
    ----------
    lines, stderr_lines
        How many are kept, and how many of the last process's stderr for messages about its end.
    title
        What stands above its tables.
    show
        Shows the live table; raises `NotImplementedError` where there is none.
    """

    def __init__(
        self,
        lines: int = 2000,
        stderr_lines: int = 500,
        *,
        title: str = "Log",
        show: Callable[[], object] | None = None,
    ) -> None:
        self.title = title
        self._entries: deque[LogEntry] = deque(maxlen=lines)
        self._stderr: deque[str] = deque(maxlen=stderr_lines)
        self._lock = threading.Lock()
        self._count = 0
        self._listeners: tuple[Callable[[], None], ...] = ()
        self._show = show

    @classmethod
    def of(cls: type[L], entries: Sequence[LogEntry], title: str = "Log") -> L:
        """A log of exactly these lines."""
        log = cls(lines=max(len(entries), 1), title=title)
        log._entries.extend(entries)
        log._count = len(entries)
        return log

    # -- writing -----------------------------------------------------------------------------------

    def add(
        self, source: Source, text: str, level: str | None = None, *, page: str = "", event: str = ""
    ) -> None:
        """Append one line; from any thread.

        Parameters
        ----------
        text
            Cut at 4,000 characters.
        level
            Any common name of a level. Without one a line of stderr has that of its own mark
            (``WARNING: …``), every other line ``info``.
        """
        text = text[:_LONGEST_LINE]
        if level is None:
            level = level_of_line(text) if source == "stderr" else "info"
        entry = LogEntry(source, normal_level(level), text, page=page, event=event)
        with self._lock:
            self._count += 1
            self._entries.append(replace(entry, number=self._count))
            if source == "stderr":
                self._stderr.append(text)
        for listener in self._listeners:
            listener()

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after each line, on the thread that wrote it; returns how to end that."""
        self._listeners = (*self._listeners, listener)

        def forget() -> None:
            self._listeners = tuple(each for each in self._listeners if each is not listener)

        return forget

    # -- reading -----------------------------------------------------------------------------------

    def stderr_tail(self, count: int = 5) -> list[str]:
        """The last non-empty lines of stderr."""
        with self._lock:
            return [line for line in self._stderr if line.strip()][-count:]

    def forget_stderr(self) -> None:
        """A new process begins: its predecessor's last words are no longer its own."""
        with self._lock:
            self._stderr.clear()

    @property
    def count(self) -> int:
        """How many lines there have been, those that were dropped included."""
        return self._count

    def after(self, number: int) -> list[LogEntry]:
        """The kept lines with a greater number."""
        with self._lock:
            fresh = min(self._count - number, len(self._entries))
            return list(islice(reversed(self._entries), fresh))[::-1] if fresh > 0 else []

    def __iter__(self) -> Iterator[LogEntry]:
        with self._lock:
            return iter(tuple(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, at: int) -> LogEntry: ...
    @overload
    def __getitem__(self, at: slice) -> AppLog: ...
    def __getitem__(self, at: int | slice) -> LogEntry | AppLog:
        """One line, or several as a log of their own."""
        entries = tuple(self)
        return AppLog.of(entries[at], self.title) if isinstance(at, slice) else entries[at]

    def filter(
        self,
        *,
        level: str | None = None,
        source: str | Iterable[str] | None = None,
        text: str | None = None,
        since: float | datetime | timedelta | None = None,
    ) -> AppLog:
        """The lines that fit, as they are now.

        Parameters
        ----------
        level
            This grave or graver.
        source
            One of `SOURCES`, or several.
        text
            Found in the line, in any case.
        since
            Seconds since the epoch, a datetime, or a timedelta ago.

        Raises
        ------
        InvalidArguments
            There is no such level or source.
        """
        grave = at_least(level) if level else None
        wanted = sources_of(source) if source else None
        folded = text.casefold() if text else None
        start = None if since is None else seconds_since_epoch(since)
        return AppLog.of(
            [
                entry
                for entry in self
                if (grave is None or grave(entry.level))
                and (wanted is None or entry.source in wanted)
                and (folded is None or folded in f"{entry.page} {entry.text}".casefold())
                and (start is None or entry.at >= start)
            ],
            self.title,
        )

    def to_pandas(self) -> pandas.DataFrame:
        """One row a line, the time (``at``, UTC) first.

        Raises
        ------
        McpAppsError
            pandas is not installed.
        """
        return data_frame([{name: getattr(entry, name) for name in _COLUMNS} for entry in self], _COLUMNS)

    # -- showing -----------------------------------------------------------------------------------

    def bundle(self) -> dict[str, str]:
        """The last lines as a static mimebundle.

        The text has no times and nothing measured, so that it is the same at every run of a notebook whose
        servers say the same; the HTML has both. They are bounded, as they are saved with the notebook.
        """
        entries = tuple(self)
        shown = entries[-_SHOWN_LINES:]
        name = f"{self.title}, the last {len(shown)} of {len(entries):,} lines"
        heading = name if len(shown) < len(entries) else f"{self.title}, {amount(len(entries), 'line')}"
        if not entries:
            text = f"{self.title}: nothing yet."
            return {"text/plain": text, "text/html": f"<i>{escape(text)}</i>"}
        return {
            "text/plain": f"{heading}\n{_text(shown)}",
            "text/html": f'<div class="mcpapp-log-static"><b>{escape(heading)}</b>{_html(shown)}</div>',
        }

    def __repr__(self) -> str:
        return self.bundle()["text/plain"]

    def _repr_html_(self) -> str:
        return self.bundle()["text/html"]

    def _ipython_display_(self, **_: Any) -> None:
        if self._show is None:
            raise NotImplementedError  # IPython then takes the other representations
        self._show()


def _cells(entries: Sequence[LogEntry], *, measured: bool = False) -> tuple[list[str], list[list[str]]]:
    """Titles and cells of a table; with the pages' names only where there are several."""
    several = len({entry.page for entry in entries if entry.page}) > 1
    head = ["source", "level", *(["page"] if several else []), "text"]
    rows = [
        [
            entry.source,
            entry.level,
            *([clean_line(entry.page, 60)] if several else []),
            clean_line(entry.text, _SHOWN_WIDTH)
            + (f" ({entry.measure})" if measured and entry.measure else ""),
        ]
        for entry in entries
    ]
    return head, rows


def _text(entries: Sequence[LogEntry]) -> str:
    head, rows = _cells(entries)
    return text_table(head, rows)


def _html(entries: Sequence[LogEntry]) -> str:
    head, rows = _cells(entries, measured=True)
    styles = [_STYLES.get(entry.level, "") for entry in entries]
    times = [datetime.fromtimestamp(entry.at).strftime("%Y-%m-%d %H:%M:%S") for entry in entries]
    rows = [[at, *row] for at, row in zip(times, rows, strict=True)]
    first = len(rows)
    room = _SHOWN_HTML
    while first > 0 and room > 0:  # the newest lines are the ones that matter
        first -= 1
        room -= len(escape("".join(rows[first]))) + 280
    return html_table(["time", *head], rows[first:], wraps=("text",), styles=styles[first:])
