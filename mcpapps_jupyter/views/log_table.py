"""The live log table: a small widget that follows one app's log and the messages of its pages."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import traitlets

from mcpapps_jupyter.app import App
from mcpapps_jupyter.host_thread import HostThread
from mcpapps_jupyter.views.channel import Envelope
from mcpapps_jupyter.views.envelope_widget import EnvelopeWidget
from mcpapps_jupyter.views.log_feed import LogFeed
from mcpapps_jupyter.views.packed import packed_module

#: Seconds between two updates: a flood of lines is drawn ten times a second.
_INTERVAL = 0.1


class LogTable(EnvelopeWidget):
    """One live table.

    Front end → kernel: ``hello`` (give me all there is) and ``detail`` (all that one message says).
    Kernel → front end: ``lines`` (``{"lines", "leftOut", "anew"}``), ``detail`` (``{"key", "text"}``)
    and ``ended``.

    Parameters
    ----------
    app
        Whose log it is.
    feed
        Reads what there is.
    thread
        The host's.
    pin
        Makes its messages be answered while a cell runs.
    level, source
        What is shown at first; empty for everything.
    """

    _esm = packed_module("log.js")

    app_id = traitlets.Unicode().tag(sync=True)
    app_name = traitlets.Unicode().tag(sync=True)
    level = traitlets.Unicode().tag(sync=True)
    source = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        app: App,
        feed: LogFeed,
        thread: HostThread,
        pin: Callable[[Any], bool],
        *,
        level: str = "",
        source: str = "",
    ) -> None:
        super().__init__(thread, app_id=app.id, app_name=app.name, level=level, source=source)
        self.app = app
        self.cell_id: str | None = None
        self._feed = feed
        self._lock = threading.Lock()
        self._scheduled = False
        self._not_before = 0.0
        #: Nothing is read or sent before a front end is there.
        self._watched = False
        self._over = False
        self._forget = app.log.subscribe(self.wake)
        self.listen(pin)

    # -- news --------------------------------------------------------------------------------------

    def wake(self) -> None:
        """There is something new; from any thread."""
        with self._lock:
            if self._scheduled or not self._watched or self._over:
                return
            self._scheduled = True
        self._thread.sessions.call_soon(self._when_due)

    def _when_due(self) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(max(self._not_before - loop.time(), 0), self._tell_news)

    def _tell_news(self) -> None:
        with self._lock:
            self._scheduled = False  # what comes from now on is told next time
        self._not_before = asyncio.get_running_loop().time() + _INTERVAL
        if self._over:
            return
        lines, left_out = self._feed.news()
        if lines:
            message = {"lines": [line.to_wire() for line in lines], "leftOut": left_out, "anew": False}
            self.channel.send([Envelope("lines", "", message)])

    # -- from the front end ------------------------------------------------------------------------

    def take(self, envelope: Envelope) -> None:
        """Give a new front end everything, or all that one message says."""
        if envelope.kind == "hello":
            self._watched = True
            lines = [line.to_wire() for line in self._feed.everything()]
            self.channel.send([Envelope("lines", "", {"lines": lines, "leftOut": 0, "anew": True})])
            if self._over:
                self.channel.send([Envelope("ended", "", {})])
        elif envelope.kind == "detail" and isinstance(envelope.message, dict):
            key = str(envelope.message.get("key"))
            text = self._feed.detail(key)
            self.channel.send([Envelope("detail", "", {"key": key, "text": text})])

    # -- the end -----------------------------------------------------------------------------------

    def end(self) -> None:
        """Follow no longer; what is drawn stays readable."""
        if not self._over:
            self._over = True
            self._forget()
            self.channel.send([Envelope("ended", "", {})])

    def close(self) -> None:
        """End, and take the table out of the notebook."""
        if getattr(self, "channel", None) is not None:
            self.end()
        super().close()
