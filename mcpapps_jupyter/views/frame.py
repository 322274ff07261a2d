"""One document of a page, as the kernel knows it."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mcpapps_jupyter.catalogue import Tool
from mcpapps_jupyter.views.policy import TokenBucket

_MOST_PARKED = 500


@dataclass
class Frame:
    """One document in one frame element; a new handshake makes a new one.

    Attributes
    ----------
    id
        The frame element's id.
    pace
        How often the element may begin a handshake; handed on from document to document.
    visible
        Whether the person can see the element; handed on as well.
    initialized
        Whether the page has finished its handshake: before that nothing but answers is sent.
    greeting
        Parameters of its ``ui/initialize``.
    spoke
        When it last said something, counted over all frames of the view.
    context_sent, partial_sent, input_sent, outcome_sent
        What it has got of the page's model context and of the opening tool's input and outcome.
    parked
        What it is told when it can be seen again: the newest of each kind.
    tools
        The tools that it offers itself, once it was asked for them and until it says that they changed.
    running
        Its requests that are not answered yet.
    asked
        Our requests to it that are not answered yet.
    subscriptions
        Resources it wants to hear about; `subscriber` names it to the session.
    """

    id: str
    pace: TokenBucket
    visible: bool = True
    initialized: bool = False
    greeting: dict[str, Any] = field(default_factory=dict)
    spoke: int = 0
    context_sent: bool = False
    partial_sent: dict[str, Any] | None = None
    input_sent: bool = False
    outcome_sent: bool = False
    parked: dict[tuple[str, str], tuple[str, dict[str, Any]]] = field(default_factory=dict)
    tools: tuple[Tool, ...] | None = None
    running: dict[str | int | float, asyncio.Task[None]] = field(default_factory=dict)
    asked: dict[str, asyncio.Future[Any]] = field(default_factory=dict)
    subscriptions: set[str] = field(default_factory=set)
    subscriber: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """``appCapabilities`` of its handshake."""
        offered = self.greeting.get("appCapabilities")
        return offered if isinstance(offered, Mapping) else {}

    def park(self, method: str, params: Mapping[str, Any]) -> None:
        """Keep a notification until the frame can be seen; a newer one about the same replaces it."""
        about = (method, str(params.get("uri", "")))
        self.parked.pop(about, None)
        self.parked[about] = (method, dict(params))
        if len(self.parked) > _MOST_PARKED:
            del self.parked[next(iter(self.parked))]

    def follows(self, uri: Any) -> bool:
        """Whether it wants to hear about `uri`, which may be a part of what it has subscribed to."""
        return isinstance(uri, str) and any(
            uri == each or uri.startswith(each.rstrip("/") + "/") for each in self.subscriptions
        )

    def give_up(self) -> None:
        """The document is gone: nobody waits for its answers, and none will come from it."""
        self.initialized = False
        self.parked.clear()
        for task in tuple(self.running.values()):
            task.cancel()
        self.running.clear()
        for future in self.asked.values():
            future.cancel()
        self.asked.clear()
