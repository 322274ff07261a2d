"""A time limit that knows about signs of life and about people who think."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Deadline:
    """A time limit that progress extends and a question to the person pauses.

    Parameters
    ----------
    seconds
        How long without a sign of life.
    asked
        When somebody was being asked last, in the loop's time: now, while they are. Time stands
        still for as long as people think.
    limit
        The longest time in all, however many signs of life there are; people who think do not count.
    """

    def __init__(
        self, seconds: float, *, asked: Callable[[], float] = lambda: 0.0, limit: float | None = None
    ) -> None:
        self.seconds = seconds
        self._asked = asked
        now = asyncio.get_running_loop().time()
        self._begun = self._last_sign = now
        self._limit = limit

    def touch(self) -> None:
        """A sign of life: the time starts anew."""
        self._last_sign = asyncio.get_running_loop().time()

    def _remaining(self) -> float:
        asked = self._asked()
        end = max(self._last_sign, asked) + self.seconds
        if self._limit is not None:
            end = min(end, max(self._begun, asked) + self._limit)
        return end - asyncio.get_running_loop().time()

    async def bound(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` under this limit.

        Raises
        ------
        TimeoutError
            The time is over; `work` was cancelled.
        """
        task = asyncio.ensure_future(work)
        try:
            while True:
                await asyncio.wait({task}, timeout=max(self._remaining(), 0.01))
                if task.done():
                    return task.result()
                if self._remaining() <= 0:
                    raise TimeoutError
        finally:
            if not task.done():
                task.add_done_callback(lambda task: task.cancelled() or task.exception())
                task.cancel()
                await asyncio.wait({task}, timeout=2)
