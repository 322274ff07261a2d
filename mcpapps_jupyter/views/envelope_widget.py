"""A widget that speaks envelopes: what every widget of ours is, whatever it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import anywidget

from mcpapps_jupyter.host_thread import HostThread
from mcpapps_jupyter.views.channel import Decoder, Envelope, EnvelopeError
from mcpapps_jupyter.views.comm import CommChannel
from mcpapps_jupyter.views.output import emit


class EnvelopeWidget(anywidget.AnyWidget):
    """Takes its front end's envelopes to the session loop, and sends others back.

    Parameters
    ----------
    thread
        The host's.
    **traits
        Its synced traits.

    Attributes
    ----------
    channel
        To the front end.
    answers_while_busy
        Whether it is answered while a cell runs.
    """

    answers_while_busy = False

    def __init__(self, thread: HostThread, **traits: Any) -> None:
        self._thread = thread
        self._decoder = Decoder()
        super().__init__(**traits)
        self.channel = CommChannel(self, thread.sessions)

    def listen(self, pin: Callable[[Any], bool]) -> None:
        """Begin to take envelopes; the last step of making a widget.

        Parameters
        ----------
        pin
            Makes its messages be answered while a cell runs; says whether it can.
        """
        self.on_msg(self._receive)
        self.answers_while_busy = pin(self)

    def take(self, envelope: Envelope) -> None:
        """Take one envelope of the front end; on the session loop."""
        raise NotImplementedError

    def unreadable(self, reason: str) -> None:
        """Take note of a message that was none; on any thread."""

    def show_live(self, *, display_id: str | None = None) -> None:
        """Display the widget in the running cell; readers without widgets see nothing of it."""
        bundle: tuple[Mapping[str, Any], Mapping[str, Any]] | None = self._repr_mimebundle_()
        if bundle is not None:
            data, metadata = bundle
            emit({**data, "text/plain": ""}, metadata, display_id=display_id)

    def close(self) -> None:
        """Close the widget, and its layout: that is a widget too, with a comm that would stay for ever."""
        layout = self.layout
        super().close()
        layout.close()

    def _receive(self, _widget: Any, content: Any, buffers: Any) -> None:
        """Parse and hand over: this runs on whatever thread the kernel chose."""
        try:
            envelopes = self._decoder.decode(content, buffers or ())
        except EnvelopeError as error:
            self.unreadable(str(error))
            return
        for envelope in envelopes:
            self._thread.sessions.call_soon(self.take, envelope)
