"""Whether anything draws widgets here at all: known by the first word of the first page's front end."""

from __future__ import annotations

import threading
from collections.abc import Callable

from mcpapps_jupyter.host_thread import LoopThread

_SECONDS = 5.0
_NOBODY = (
    "No widget front end answered. Reload the browser page once (it was installed after the page loaded); "
    "if Lab runs in another environment, install anywidget there."
)


class FrontEnd:
    """The kernel's front end, as far as our widgets need one.

    Parameters
    ----------
    thread
        Takes the complaint back, when a slow machine's front end answers after all.
    """

    def __init__(self, thread: LoopThread) -> None:
        self._thread = thread
        self._heard = threading.Event()
        self._complained: Callable[[str], None] | None = None

    def heard(self) -> None:
        """A front end spoke."""
        self._heard.set()
        complained, self._complained = self._complained, None
        if complained is not None:
            self._thread.call_soon(complained, "")

    def expect(self, say: Callable[[str], None]) -> None:
        """Wait a few seconds for its first word, once a kernel.

        Parameters
        ----------
        say
            Takes what to do when none comes; and nothing, when one comes after all.
        """
        if self._heard.is_set() or self._complained is not None or self._heard.wait(_SECONDS):
            return
        self._complained = say
        say(_NOBODY)
