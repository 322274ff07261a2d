"""Whether anything draws widgets here at all: known by the first word of the first page's front end."""

from __future__ import annotations

import threading
import uuid

from mcpapps_jupyter.host_thread import LoopThread
from mcpapps_jupyter.views.output import emit, replace

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
        self._complaint: str | None = None

    def heard(self) -> None:
        """A front end spoke."""
        self._heard.set()
        complaint, self._complaint = self._complaint, None
        if complaint is not None:
            self._thread.call_soon(replace, {"text/plain": ""}, complaint)

    def expect(self) -> None:
        """Wait a few seconds for its first word, once a kernel, and say what to do when none comes."""
        if self._heard.is_set() or self._complaint is not None or self._heard.wait(_SECONDS):
            return
        self._complaint = f"mcpapp-front-end-{uuid.uuid4().hex[:8]}"
        emit({"text/plain": _NOBODY}, display_id=self._complaint)
