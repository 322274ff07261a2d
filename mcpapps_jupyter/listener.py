"""Change events of the 2026 era: they travel only inside an open ``subscriptions/listen`` stream."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

import mcp_types as types
from mcp import Client, MCPError

logger = logging.getLogger(__name__)


class Listener:
    """Keeps the 2026 era's ``subscriptions/listen`` stream open for the wanted URIs.

    A new stream is open before the old one is given up, so that no change falls between.

    Parameters
    ----------
    client
        The connected client.
    on_gap
        Called when a stream that was lost is open again: what changed meanwhile was not told.
    """

    def __init__(self, client: Client, on_gap: Callable[[], None]) -> None:
        self._client = client
        self._on_gap = on_gap
        self._task: asyncio.Task[None] | None = None
        self._supported = True

    async def follow(self, uris: frozenset[str]) -> None:
        """Listen to `uris` and to list changes; returns when the server has acknowledged it."""
        if not self._supported:
            return
        acknowledged = asyncio.Event()
        previous, self._task = self._task, asyncio.create_task(self._listen(uris, acknowledged))
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(acknowledged.wait(), 5)
        if previous is not None:
            previous.cancel()

    async def _listen(self, uris: frozenset[str], acknowledged: asyncio.Event) -> None:
        pause, lost = 0.2, False
        while True:
            try:
                async with self._client.listen(
                    tools_list_changed=True,
                    prompts_list_changed=True,
                    resources_list_changed=True,
                    resource_subscriptions=sorted(uris),
                ) as stream:
                    acknowledged.set()
                    if lost:
                        self._on_gap()
                    pause, lost = 0.2, False
                    async for _ in stream:  # the session's message handler sees the same events
                        pass
                return
            except MCPError as error:
                if error.code in (types.METHOD_NOT_FOUND, types.INVALID_PARAMS, types.INVALID_REQUEST):
                    self._supported = False
                    acknowledged.set()
                    return
                if error.code == types.CONNECTION_CLOSED:
                    return
            except Exception:  # a lost stream, whatever its type, is opened again
                logger.debug("the stream of change events was lost", exc_info=True)
            acknowledged.set()
            lost = True
            await asyncio.sleep(pause)
            pause = min(pause * 2, 10)

    async def close(self) -> None:
        """Give the stream up."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=1)
