"""Work that several callers wait for, done once."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine
from typing import Any


class SharedWork:
    """One piece of work on the running loop; when the last one who waits is interrupted, it is given up.

    Parameters
    ----------
    work
        What to do. It gets a context of its own: what belongs to the caller who happens to begin it
        must not stick to what comes of it.
    """

    def __init__(self, work: Coroutine[Any, Any, None]) -> None:
        self._task: asyncio.Task[None] = contextvars.Context().run(asyncio.create_task, work)
        self._task.add_done_callback(lambda task: task.cancelled() or task.exception())
        self._waiting = 0
        #: Whether everybody who waited for it was interrupted.
        self.abandoned = False

    @property
    def under_way(self) -> bool:
        """Whether it is not done yet."""
        return not self._task.done()

    async def join(self) -> bool:
        """Wait for it; False if somebody gave it up. Its error is raised to everybody who waits."""
        self._waiting += 1
        try:
            await asyncio.wait({self._task})
        except asyncio.CancelledError:
            if self._waiting == 1 and self.under_way:
                self.abandoned = True
                await self.give_up()
            raise
        finally:
            self._waiting -= 1
        if self._task.cancelled():
            return False
        self._task.result()
        return True

    async def give_up(self) -> None:
        """Cancel it, and wait until it has cleared away what it had begun."""
        if self.under_way:
            self._task.cancel()
            await asyncio.wait({self._task})
