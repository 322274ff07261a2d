"""Waiting for what a page does: its handshake, its messages, its model context."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Literal, get_args

from mcpapps_jupyter.errors import InvalidArguments, McpAppsError, RequestTimeout, did_you_mean

PageEvent = Literal["message", "model_context", "initialized"]

#: What one can wait for.
EVENTS: tuple[str, ...] = get_args(PageEvent)


def check_event(name: str) -> None:
    """Raise in words for an event that does not exist."""
    if name not in EVENTS:
        known = f"there is {', '.join(EVENTS)}.{did_you_mean(name, EVENTS)}"
        raise InvalidArguments(f"There is no event {name!r} to wait for; {known}")


class Events:
    """What happens in one view, for those who wait; on the session loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Future[Any]]] = {}
        self._over: str | None = None

    def tell(self, name: PageEvent, value: Any) -> None:
        """It has happened: everybody who waits for it gets `value`."""
        for future in self._waiting.pop(name, set()):
            if not future.done():
                future.set_result(value)

    def fail(self, error: McpAppsError, name: PageEvent | None = None) -> None:
        """It will not happen: everybody who waits (for `name`) gets `error`."""
        for each in [name] if name else list(self._waiting):
            for future in self._waiting.pop(each, set()):
                if not future.done():
                    future.set_exception(error)

    def close(self, reason: str) -> None:
        """The view is over: nothing happens any more."""
        self._over = reason
        self.fail(McpAppsError(f"The view has ended: {reason}"))

    async def wait(
        self, name: PageEvent, seconds: float | None, already: Callable[[], Any] = lambda: None
    ) -> Any:
        """Wait until it happens, and give its value.

        Parameters
        ----------
        already
            Gives the value of an event that is a state and holds now, else None.

        Raises
        ------
        RequestTimeout
            It did not happen in time.
        McpAppsError
            The view ended.
        """
        value = already()
        if value is not None:
            return value
        if self._over is not None:
            raise McpAppsError(f"The view has ended: {self._over}")
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(name, set())
        waiting.add(future)
        try:
            return await asyncio.wait_for(future, seconds)
        except asyncio.TimeoutError:
            raise RequestTimeout(f"No {name.replace('_', ' ')} within {seconds:g} s") from None
        finally:
            waiting.discard(future)
