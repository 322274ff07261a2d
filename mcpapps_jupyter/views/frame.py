"""One document of a page, as the kernel knows it."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass, field
from typing import Any

from mcpapps_jupyter.views.policy import TokenBucket


@dataclass
class Frame:
    """One document in one frame element; a new handshake makes a new one.

    Attributes
    ----------
    id
        The frame element's id.
    pace
        How often the element may begin a handshake; handed on from document to document.
    initialized
        Whether the page has finished its handshake: before that nothing but answers is sent.
    capabilities
        ``appCapabilities`` of its handshake.
    running
        Its requests that are not answered yet.
    asked
        Our requests to it that are not answered yet.
    subscriptions
        Resources it wants to hear about; `subscriber` names it to the session.
    """

    id: str
    pace: TokenBucket
    initialized: bool = False
    input_sent: bool = False
    outcome_sent: bool = False
    capabilities: dict[str, Any] = field(default_factory=dict)
    running: dict[str | int | float, asyncio.Task[None]] = field(default_factory=dict)
    asked: dict[str, asyncio.Future[Any]] = field(default_factory=dict)
    subscriptions: set[str] = field(default_factory=set)
    subscriber: str = field(default_factory=lambda: uuid.uuid4().hex)

    def follows(self, uri: Any) -> bool:
        """Whether it wants to hear about `uri`, which may be a part of what it has subscribed to."""
        return isinstance(uri, str) and any(
            uri == each or uri.startswith(each.rstrip("/") + "/") for each in self.subscriptions
        )

    def give_up(self) -> None:
        """The document is gone: nobody waits for its answers, and none will come from it."""
        self.initialized = False
        for task in tuple(self.running.values()):
            task.cancel()
        self.running.clear()
        for future in self.asked.values():
            future.cancel()
        self.asked.clear()
