"""How many requests of a page run at once."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Iterator


class QueueFull(Exception):  # noqa: N818 - says what happened
    """No room to wait either."""


class Slots:
    """Some requests run, some more wait in order, the rest are refused.

    Parameters
    ----------
    at_once, queue
        How many run, and how many wait.
    """

    def __init__(self, at_once: int, queue: int) -> None:
        self._free = at_once
        self._queue = queue
        self._waiting: deque[asyncio.Future[None]] = deque()

    @contextlib.asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Wait for a slot and hold it.

        Raises
        ------
        QueueFull
            Too many wait already.
        """
        if self._free > 0:
            self._free -= 1
        else:
            await self._turn()
        try:
            yield
        finally:
            self._give()

    async def _turn(self) -> None:
        if len(self._waiting) >= self._queue:
            raise QueueFull
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._waiting.remove(turn)
            else:
                self._give()  # it was this one's turn at the very moment
            raise

    def _give(self) -> None:
        self._free += 1
        while self._free > 0 and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                self._free -= 1
                turn.set_result(None)

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """Let another request run meanwhile: the holder of a slot waits for a person."""
        self._give()
        try:
            yield
        finally:
            self._free -= 1
