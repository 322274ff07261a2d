"""Waiting for servers where somebody looks on: after a moment, one line says what is being waited for."""

from __future__ import annotations

import concurrent.futures
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from mcpapps_jupyter.errors import McpAppsError
from mcpapps_jupyter.host_thread import HostThread, Submitted
from mcpapps_jupyter.views.output import emit, replace

T = TypeVar("T")

#: Seconds; what is over sooner shows nothing.
_PATIENCE = 0.7
#: Seconds between two looks at what to show.
_BEAT = 0.5
#: Seconds that an interrupted start gets to clear away what it had begun.
_CLEAR_AWAY = 5.0


def wait_for(
    work: Sequence[Submitted[Any]],
    thread: HostThread,
    status: Callable[[], str],
    conclusion: Callable[[str], str],
    *,
    visible: bool,
) -> None:
    """Block until all of `work` is over; Ctrl-C cancels it.

    Parameters
    ----------
    work
        What to wait for; read each with `outcome`.
    thread
        Where it runs; the cell answers its questions meanwhile.
    status
        Gives the line to show meanwhile; an empty one is not shown.
    conclusion
        Gives the line that stays where one was shown, so that no empty output is saved with the notebook;
        gets how long it took, in words.
    visible
        Whether there is anybody to show it to.
    """
    line = _Line()
    begun = time.monotonic()
    try:
        beat = _PATIENCE
        while not thread.wait(work, beat) and not any(each.lost for each in work):
            beat = _BEAT
            if visible and (text := status()):
                line.show(f"{text} ({time.monotonic() - begun:.0f} s)")
    except KeyboardInterrupt:
        for each in work:
            each.cancel()
        for each in work:
            each.wait_over(_CLEAR_AWAY)
        raise
    finally:
        line.conclude(conclusion(f"{time.monotonic() - begun:.0f} s"))


def outcome(work: Submitted[T]) -> T:
    """What came of work that was waited for.

    Raises
    ------
    McpAppsError
        What it raised; or it was given up, because something else stopped the app or the host.
    """
    if work.done():
        try:
            return work.result()
        except concurrent.futures.CancelledError:
            pass
    raise McpAppsError("This was given up: the app was stopped meanwhile.")


def succeeded(work: Submitted[Any]) -> bool:
    """Whether it is over and came to a good end."""
    return work.done() and not work.future.cancelled() and work.future.exception() is None


class _Line:
    """One line of output that changes."""

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

    def conclude(self, text: str) -> None:
        if self._shown:
            replace({"text/plain": text}, self._key)
