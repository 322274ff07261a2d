"""Taking leave of a server: patient when a user stops an app, quick when the kernel exits."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import anyio


class Leaving:
    """A transport that can be told to hurry, while it closes as well as before."""

    def __init__(self) -> None:
        self._hurried = asyncio.Event()

    @property
    def hurry(self) -> bool:
        """Whether closing is cut short, to about a second in all: the kernel is about to exit."""
        return self._hurried.is_set()

    @hurry.setter
    def hurry(self, value: bool) -> None:
        if value:
            self._hurried.set()
        else:
            self._hurried.clear()

    async def _within(self, seconds: float, hurried: float, event: Coroutine[Any, Any, object]) -> bool:
        """Wait for `event`, at most `seconds`, or `hurried` once somebody is in a hurry; True if it came."""
        waiting = asyncio.ensure_future(event)
        hurry = asyncio.ensure_future(self._hurried.wait())
        try:
            await asyncio.wait([waiting, hurry], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if self.hurry and not waiting.done():
                await asyncio.wait([waiting], timeout=min(seconds, hurried))
            return waiting.done()
        finally:
            waiting.cancel()
            hurry.cancel()


async def to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Await bounded `work` to its end, whoever cancels meanwhile; the cancellation follows after it."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    with anyio.CancelScope(shield=True):
        while not task.done():
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError as error:
                cancelled = error
    if cancelled is not None:
        raise cancelled
    task.result()
