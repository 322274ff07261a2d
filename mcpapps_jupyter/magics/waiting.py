"""Waiting for servers where somebody looks on: after a moment, one line says what is being waited for."""

from __future__ import annotations

import concurrent.futures
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from mcpapps_jupyter.host_thread import Submitted
from mcpapps_jupyter.views.output import emit, replace

#: What is over sooner shows nothing.
_PATIENCE = 0.7
#: Short enough for Ctrl-C on every platform.
_POLL = 0.1


def wait_for(work: Sequence[Submitted[Any]], status: Callable[[], str], *, visible: bool) -> None:
    """Block until all of `work` is over; Ctrl-C cancels it.

    Parameters
    ----------
    work
        What to wait for; its outcomes are the caller's to read.
    status
        Gives the line to show meanwhile.
    visible
        Whether there is anybody to show it to.
    """
    line = _Line() if visible else None
    futures = [each.future for each in work]
    begun = time.monotonic()
    try:
        while concurrent.futures.wait(futures, timeout=_POLL).not_done:
            if line is not None and time.monotonic() - begun > _PATIENCE:
                line.show(f"{status()} ({time.monotonic() - begun:.0f} s)")
    except KeyboardInterrupt:
        for each in work:
            each.cancel()
        raise
    finally:
        if line is not None:
            line.clear()


class _Line:
    """One line of output that changes, and is empty at the end."""

    def __init__(self) -> None:
        self._key = uuid.uuid4().hex
        self._shown = ""

    def show(self, text: str) -> None:
        if text == self._shown:
            return
        if self._shown:
            replace({"text/plain": text}, self._key)
        else:
            emit({"text/plain": text}, display_id=self._key)
        self._shown = text

    def clear(self) -> None:
        if self._shown:
            replace({"text/plain": ""}, self._key)
