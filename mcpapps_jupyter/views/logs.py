"""Shows logs: a live table in a notebook, a static one everywhere, lines as they come in a terminal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from mcpapps_jupyter.app import App
from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.host_thread import HostThread
from mcpapps_jupyter.log import AppLog, LogEntry, at_least, sources_of
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.views.log_feed import LogFeed
from mcpapps_jupyter.views.output import emit
from mcpapps_jupyter.views.subshell import pin

if TYPE_CHECKING:
    from mcpapps_jupyter.views.log_table import LogTable
    from mcpapps_jupyter.views.widget import AppView

#: Live tables at a time; the oldest then stops following.
_MAX_TABLES = 16
#: Seconds between two looks for new lines, in a terminal.
_LOOK = 0.25


class ShownLog(AppLog):
    """A log that a magic has shown: as the cell's last value it shows nothing more."""

    shown = False

    def _ipython_display_(self, **_: Any) -> None:
        if not self.shown:
            raise NotImplementedError
        self.shown = False


class LogTables:
    """The live log tables of the kernel.

    Parameters
    ----------
    config, thread
        The host's.
    get_kernel
        The running kernel, or None outside one.
    all_views
        Every open page.
    """

    def __init__(
        self,
        config: McpApps,
        thread: HostThread,
        get_kernel: Callable[[], Any],
        all_views: Callable[[], list[AppView]],
    ) -> None:
        self._config = config
        self._thread = thread
        self._get_kernel = get_kernel
        self._all_views = all_views
        self._tables: list[LogTable] = []
        self._lock = threading.Lock()
        self._cell: str | None = None
        self._of_earlier_run: list[LogTable] = []
        self._last: ShownLog | None = None

    def show(
        self, app: App, *, level: str | None = None, source: str | None = None, follow: bool = False
    ) -> AppLog:
        """Show the log in the running cell and give its lines.

        Parameters
        ----------
        level, source
            Only this grave or graver, only from there.
        follow
            In a terminal: go on with what comes, until Ctrl-C. A notebook's table does so by itself.

        Raises
        ------
        InvalidArguments
            There is no such level or source.
        """
        fits = _fitting(level, source)
        feed = LogFeed(app, lambda: self._views_of(app))
        entries = [line.entry for line in feed.everything() if fits(line.entry)]
        log = ShownLog.of(entries, app.log.title)
        kernel = self._get_kernel()
        headless = self._config.is_headless()
        if kernel is not None and not headless:
            self._add_table(app, kernel, level or "", source or "")
        emit(log.bundle())
        if kernel is None and follow and not headless:
            self._follow(feed, fits)
        log.shown = True
        self._last = log
        return log

    def _views_of(self, app: App) -> Iterable[AppView]:
        return [view for view in self._all_views() if view.app is app]

    def _add_table(self, app: App, kernel: Any, level: str, source: str) -> None:
        from mcpapps_jupyter.views.log_table import LogTable

        table = LogTable(
            app,
            LogFeed(app, lambda: self._views_of(app)),
            self._thread,
            lambda widget: pin(widget, kernel),
            level=level,
            source=source,
        )
        table.cell_id = self._cell
        with self._lock:
            self._tables.append(table)
            crowd = self._tables[:-_MAX_TABLES]
            self._tables = self._tables[-_MAX_TABLES:]
        for old in crowd:
            old.end()
        table.show_live()

    def _follow(self, feed: LogFeed, fits: Callable[[LogEntry], bool]) -> None:
        pause = threading.Event()
        try:
            while True:
                news = [line.entry for line in feed.news()[0] if fits(line.entry)]
                if news:
                    emit({"text/plain": "\n".join(map(_in_words, news))})
                pause.wait(_LOOK)
        except KeyboardInterrupt:
            return

    def heard(self, app: App) -> None:
        """A page of `app` has a new message."""
        for table in self._tables:
            if table.app is app:
                table.wake()

    # -- cells ---------------------------------------------------------------------------------------

    def before_cell(self, cell_id: str | None) -> None:
        """A cell begins: tables of its earlier run are to go when it is done."""
        self._cell = cell_id
        self._of_earlier_run = [each for each in self._tables if cell_id and each.cell_id == cell_id]

    def after_cell(self) -> None:
        """A cell is done: the tables that its outputs no longer have are closed."""
        old, self._of_earlier_run = self._of_earlier_run, []
        self._cell = None
        with self._lock:
            self._tables = [table for table in self._tables if table not in old]
        for table in old:
            table.close()
        if self._last is not None:
            self._last.shown, self._last = False, None

    def close_all(self) -> None:
        """End every table; at unload."""
        with self._lock:
            tables, self._tables = self._tables, []
        for table in tables:
            table.end()


def _in_words(entry: LogEntry) -> str:
    return f"{entry.source:7}  {entry.level:7}  {clean_line(entry.text)}"


def _fitting(level: str | None, source: str | None) -> Callable[[LogEntry], bool]:
    grave = at_least(level) if level else None
    sources = sources_of(source) if source else None

    def fits(entry: LogEntry) -> bool:
        return (grave is None or grave(entry.level)) and (sources is None or entry.source in sources)

    return fits
