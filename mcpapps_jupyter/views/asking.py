"""Questions to the person: put into every front end of a widget, closed in all by the first answer."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from mcpapps_jupyter.views.channel import Envelope
from mcpapps_jupyter.views.rpc import finite

Send = Callable[[str, str, Any], None]

_NO_ANSWER = {"decision": "deny", "nobody": True}


class Asking:
    """The open questions of one widget; on the session loop.

    Parameters
    ----------
    send
        Sends one envelope: kind, frame, message.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._open: dict[str, tuple[asyncio.Future[dict[str, Any]], dict[str, Any]]] = {}

    async def ask(self, question: Mapping[str, Any], *, seconds: float | None) -> dict[str, Any]:
        """Put a question and wait for the first answer.

        Parameters
        ----------
        question
            The ``ask`` envelope's message but for its key.
        seconds
            How long to wait; None waits as long as the person thinks.

        Returns
        -------
        dict
            ``{"decision", "content"?}``; ``deny`` with ``nobody`` where no person has answered.
        """
        key = f"ask-{uuid.uuid4().hex[:8]}"
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        wire = {"ask": key, **finite(dict(question))}
        self._open[key] = (future, wire)
        self._send("ask", "", wire)
        try:
            return await asyncio.wait_for(future, seconds)
        except asyncio.TimeoutError:
            return dict(_NO_ANSWER)
        finally:
            del self._open[key]
            self._send("ask", "", {"ask": key, "closed": True})

    def replay(self, frame: str) -> None:
        """Put every open question into a front end that is new."""
        for future, wire in self._open.values():
            if not future.done():
                self._send("ask", frame, wire)

    def answer(self, envelope: Envelope) -> None:
        """Take an answer of a front end; one that comes too late changes nothing."""
        message = envelope.message if isinstance(envelope.message, Mapping) else {}
        entry = self._open.get(str(message.get("ask")))
        if entry is not None and not entry[0].done():
            entry[0].set_result(dict(message))

    def give_up(self) -> None:
        """Answer every open question with no: the widget is going."""
        for future, _ in self._open.values():
            if not future.done():
                future.set_result(dict(_NO_ANSWER))
