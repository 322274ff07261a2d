"""From a server's progress to a function of the user's."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from mcpapps_jupyter.host_thread import HostThread

#: Called with what is done, the total (None where it is not known) and a message (None without one).
ProgressHandler = Callable[[float, float | None, str | None], Any]

#: Most reports that wait for a slow handler; older ones are dropped.
_MOST = 100
#: Seconds that the handler gets for the last reports once the call is over.
_LAST = 2.0


class ProgressFeed:
    """Gives the progress of one call to its handler: in order, one at a time, away from the session loop.

    Parameters
    ----------
    handler
        The user's function; `def` or ``async def``. One that fails is not called again.
    thread
        Where it runs.
    failed
        Told why the handler failed; the call goes on.
    """

    def __init__(self, handler: ProgressHandler, thread: HostThread, failed: Callable[[str], None]) -> None:
        self._handler: ProgressHandler | None = handler
        self._thread = thread
        self._failed = failed
        self._news: deque[tuple[float, float | None, str | None]] = deque(maxlen=_MOST)
        self._giving: asyncio.Task[None] | None = None

    async def told(self, done: float, total: float | None, message: str | None) -> None:
        """Take one report; a `mcpapps_jupyter.ports.Progress`."""
        self._news.append((done, total, message))
        if self._giving is None or self._giving.done():
            self._giving = asyncio.create_task(self._give())

    async def _give(self) -> None:
        while self._news and self._handler is not None:
            try:
                await self._thread.call_handler(self._handler, *self._news.popleft())
            except Exception as error:  # noqa: BLE001 - the user's own code
                self._handler = None
                self._failed(f"on_progress failed: {error!r}")

    async def over(self) -> None:
        """Wait a moment until the handler has had the last reports."""
        if self._giving is not None:
            await asyncio.wait({self._giving}, timeout=_LAST)
            self._giving.cancel()
