"""The two streams a transport hands to ``mcp.Client``."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import Context
from types import TracebackType

import anyio
import anyio.lowlevel
from mcp.shared.message import SessionMessage
from typing_extensions import Self

Item = SessionMessage | Exception


class _Closable:
    async def aclose(self) -> None:
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class Inbox(_Closable):
    """What the peer sent, in order; filled from callbacks, read by one task.

    Only the loop that reads may call :meth:`put` and :meth:`end`; other threads go through
    ``loop.call_soon_threadsafe``.

    Parameters
    ----------
    high, low
        At `high` waiting messages `on_full` is called, back at `low` `on_low`: flow control.
    """

    def __init__(
        self,
        *,
        high: int = 512,
        low: int = 64,
        on_full: Callable[[], None] | None = None,
        on_low: Callable[[], None] | None = None,
    ) -> None:
        self._items: deque[tuple[Item, Context | None]] = deque()
        self._high, self._low, self._on_full, self._on_low = high, low, on_full, on_low
        self._full = self._ended = self._closed = False
        self._news: anyio.Event | None = None
        #: The sender's context of the message received last; the SDK runs handlers in it.
        self.last_context: Context | None = None

    def put(self, item: Item, context: Context | None = None) -> None:
        """Add a message; ignored once either side has closed."""
        if self._ended or self._closed:
            return
        self._items.append((item, context))
        if self._on_full and not self._full and len(self._items) >= self._high:
            self._full = True
            self._on_full()
        self._wake()

    def end(self) -> None:
        """Say that nothing more will come; what is waiting is still delivered."""
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        if self._news is not None:
            self._news.set()

    async def receive(self) -> Item:
        """Return the next message.

        Raises
        ------
        anyio.EndOfStream
            The peer is gone and everything it sent was delivered.
        anyio.ClosedResourceError
            This stream was closed.
        """
        await anyio.lowlevel.checkpoint()
        while not self._items:
            if self._closed:
                raise anyio.ClosedResourceError
            if self._ended:
                raise anyio.EndOfStream
            self._news = anyio.Event()
            await self._news.wait()
        item, self.last_context = self._items.popleft()
        if self._full and self._on_low and len(self._items) <= self._low:
            self._full = False
            self._on_low()
        return item

    async def aclose(self) -> None:
        """Close: nothing is kept or delivered any more."""
        self._closed = True
        self._items.clear()
        if self._full and self._on_low:
            self._full = False
            self._on_low()
        self._wake()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class Outbox(_Closable):
    """Where ``mcp.Client`` puts what goes to the peer.

    Parameters
    ----------
    deliver
        Sends one message; raises ``anyio.BrokenResourceError`` when the peer cannot be reached.
    """

    def __init__(self, deliver: Callable[[SessionMessage], Awaitable[None]]) -> None:
        self._deliver = deliver
        self._closed = False

    async def send(self, item: SessionMessage, /) -> None:
        """Send one message.

        Raises
        ------
        anyio.ClosedResourceError
            This stream was closed.
        anyio.BrokenResourceError
            The peer is gone.
        """
        if self._closed:
            raise anyio.ClosedResourceError
        await self._deliver(item)

    async def aclose(self) -> None:
        """Close: further sends are refused."""
        self._closed = True
