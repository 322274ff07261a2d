"""What every document of a page is sent after its handshake: its model context, then input and outcome.

Whichever side is ready first waits for the other. While the input is still being written, documents get the
newest part of it; after the whole input there is never a part again (MCP Apps 2026-01-26, "Data passing").

A document that starts anew (its output was collapsed, its tab loaded again) has no storage, and would show
nothing of what the notebook still has from the one before. So the model context comes back to it, under a key
of our own in the host context; pages that do not know it lose nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mcpapps_jupyter.views.frame import Frame
from mcpapps_jupyter.views.rpc import finite

#: In ``_meta`` of the host context: parameters of the last ``ui/update-model-context``, null for none.
CONTEXT_KEY = "mcpapps-jupyter/modelContext"

Notify = Callable[[Frame, str, Mapping[str, Any]], None]


class Delivery:
    """The opening tool's input and outcome, for as many documents as come.

    Parameters
    ----------
    notify
        Sends a notification to one document.
    """

    def __init__(self, notify: Notify) -> None:
        self._notify = notify
        self._partial: dict[str, Any] | None = None
        self._input: dict[str, Any] | None = None
        self._outcome: tuple[str, dict[str, Any]] | None = None
        self._context: dict[str, Any] | None = None

    @property
    def settled(self) -> bool:
        """Whether the outcome is there."""
        return self._outcome is not None

    def write_partial(self, arguments: Mapping[str, Any]) -> None:
        """The input as far as it is written."""
        if self._input is None:
            self._partial = finite(dict(arguments))

    def write_input(self, arguments: Mapping[str, Any]) -> None:
        """The whole input."""
        self._input, self._partial = finite(dict(arguments)), None

    def write_outcome(self, method: str, params: Mapping[str, Any]) -> None:
        """The result, or why there is none."""
        if self._input is None:  # an outcome comes after an input: what is written of it by now is the whole
            self.write_input(self._partial or {})
        self._outcome = (method, dict(params))

    def write_context(self, context: Mapping[str, Any] | None) -> None:
        """What the page has told the model, for documents that come later."""
        self._context = finite(dict(context)) if context else None

    def bring_context(self, frame: Frame) -> None:
        """Tell `frame`, if it has finished its handshake, what is kept of what the page told."""
        if frame.initialized:
            context = {"_meta": {CONTEXT_KEY: self._context}}
            self._notify(frame, "ui/notifications/host-context-changed", context)

    def forget(self) -> None:
        """The view is over."""
        self._partial = self._input = self._outcome = None

    def bring(self, frame: Frame) -> None:
        """Send `frame` what it has not got yet, once it has finished its handshake."""
        if not frame.initialized:
            return
        if not frame.context_sent:
            frame.context_sent = True
            if self._context is not None:
                self.bring_context(frame)
        if self._input is None:
            if self._partial is not None and frame.visible and frame.partial_sent is not self._partial:
                frame.partial_sent = self._partial
                self._notify(frame, "ui/notifications/tool-input-partial", {"arguments": self._partial})
            return
        if not frame.input_sent:
            frame.input_sent = True
            self._notify(frame, "ui/notifications/tool-input", {"arguments": self._input})
        if self._outcome is not None and not frame.outcome_sent:
            frame.outcome_sent = True
            self._notify(frame, *self._outcome)
