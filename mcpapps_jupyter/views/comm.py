"""The comm as carrier of envelopes: works in every Jupyter front end."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Sequence
from typing import Any

from mcpapps_jupyter.host_thread import LoopThread
from mcpapps_jupyter.views.channel import Envelope, encode

#: Seconds between two comm messages of one view: Jupyter drops what exceeds 1,000 a second.
_INTERVAL = 0.01


class CommChannel:
    """Sends envelopes through a widget's comm; what comes close together travels together.

    Parameters
    ----------
    widget
        Any widget; its ``send`` may be called from every thread.
    thread
        The loop on which batches are made up.
    """

    def __init__(self, widget: Any, thread: LoopThread) -> None:
        self._widget = widget
        self._thread = thread
        self._queue: list[Envelope] = []
        self._lock = threading.Lock()
        self._scheduled = False
        self._not_before = 0.0

    def send(self, envelopes: Sequence[Envelope]) -> None:
        """Queue and return; order is kept."""
        with self._lock:
            self._queue.extend(envelopes)
            if self._scheduled:
                return
            self._scheduled = True
        self._thread.call_soon(self._when_due)

    def _when_due(self) -> None:
        loop = asyncio.get_running_loop()
        wait = self._not_before - loop.time()
        if wait > 0:
            loop.call_later(wait, self.flush)
        else:
            self.flush()

    def flush(self) -> None:
        """Send what is queued."""
        self._not_before = asyncio.get_running_loop().time() + _INTERVAL
        with self._lock:
            batch, self._queue = self._queue, []
            self._scheduled = False
        if not batch:
            return
        content, buffers = encode(batch)
        with contextlib.suppress(Exception):  # the front end or the whole kernel channel is gone
            self._widget.send(content, buffers)
