"""How long a view lives and how much it may hold: its page, the opening arguments and the result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

Part = Literal["page", "arguments", "result"]


class Lease:
    """One view's claim on the kernel; on the session loop.

    Parameters
    ----------
    seconds
        How long it lives from `begin`; None: as long as the kernel.
    max_bytes
        The most it may hold.
    end
        Ends the view with a reason.
    grown
        Told when it holds more than before: the views together have a limit as well.
    """

    def __init__(
        self,
        seconds: float | None,
        max_bytes: int,
        *,
        end: Callable[[str], None],
        grown: Callable[[], None],
    ) -> None:
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._end = end
        self._grown = grown
        self._parts: dict[Part, int] = {}
        self._timer: asyncio.TimerHandle | None = None

    @property
    def size(self) -> int:
        """Bytes held."""
        return sum(self._parts.values())

    def begin(self) -> None:
        """The clock runs from now."""
        self.close()
        if self._seconds is not None:
            reason = f"It was open for {self._seconds:g} seconds (McpApps.view_ttl)."
            self._timer = asyncio.get_running_loop().call_later(self._seconds, self._end, reason)

    def hold(self, part: Part, size: int) -> None:
        """Say how much one part holds now, in bytes; too much ends the view."""
        grows = size > self._parts.get(part, 0)
        self._parts[part] = size
        if self.size > self._max_bytes:
            parts = ", ".join(f"{name} {count:,}" for name, count in self._parts.items() if count)
            self._end(
                f"It holds {self.size:,} bytes ({parts}); the limit is {self._max_bytes:,}. "
                f"Raise it with: %config McpApps.max_view_bytes = {self.size}"
            )
        elif grows:
            self._grown()

    def close(self) -> None:
        """Hold nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._parts.clear()
