"""Tells functions of the user's what happens: in order, one at a time, away from the session loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from mcpapps_jupyter.host_thread import HostThread

#: Called with what is done, the total (None where it is not known) and a message (None without one).
ProgressHandler = Callable[[float, float | None, str | None], Any]

#: Most pieces of news that wait for a slow handler; older ones are dropped.
_MOST = 100
#: Seconds that the handler gets for the last ones once it is all over.
_LAST = 2.0


class Feed:
    """Gives news to one function; used on the session loop.

    Parameters
    ----------
    handler
        The user's function; `def` or ``async def``.
    thread
        Where it runs.
    failed
        Told when the handler failed, and with what it had been given: ``failed(error, *news)``; says
        whether to call it again.
    """

    def __init__(self, handler: Callable[..., Any], thread: HostThread, failed: Callable[..., bool]) -> None:
        self._handler = handler
        self._thread = thread
        self._failed = failed
        self._news: deque[tuple[Any, ...]] = deque(maxlen=_MOST)
        self._giving: asyncio.Task[None] | None = None
        self._given_up = False

    def put(self, *news: Any) -> None:
        """Take one piece of news: what to call the handler with."""
        if self._given_up:
            return
        self._news.append(news)
        if self._giving is None or self._giving.done():
            self._giving = asyncio.create_task(self._give())

    async def told(self, done: float, total: float | None, message: str | None) -> None:
        """`put` for progress; a `mcpapps_jupyter.ports.Progress`."""
        self.put(done, total, message)

    async def _give(self) -> None:
        while self._news and not self._given_up:
            news = self._news.popleft()
            try:
                await self._thread.call_handler(self._handler, *news)
            except Exception as error:  # noqa: BLE001 - the user's own code
                self._given_up = not self._failed(error, *news)

    async def over(self) -> None:
        """Wait a moment until the handler has had the last of it."""
        if self._giving is not None:
            await asyncio.wait({self._giving}, timeout=_LAST)
            self._giving.cancel()
