"""A server's question in the output of the cell that waits for it: a form, and afterwards one line."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from mcpapps_jupyter.host_thread import HostThread
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.views.asking import Asking
from mcpapps_jupyter.views.channel import Decoder, Envelope, EnvelopeError
from mcpapps_jupyter.views.comm import CommChannel
from mcpapps_jupyter.views.output import emit, replace

_SAID = {"accept": "answered", "cancel": "cancelled"}


class QuestionView(anywidget.AnyWidget):
    """One question of a server, without a page.

    Parameters
    ----------
    app_id, app_name
        Who asks.
    thread
        The host's.
    pin
        Makes its messages be answered while the cell is blocked.
    """

    _esm = Path(__file__).parent.parent / "static" / "widget.js"

    #: Tells the front end that there is no page to wait for.
    role = traitlets.Unicode("question").tag(sync=True)
    app_id = traitlets.Unicode().tag(sync=True)
    app_name = traitlets.Unicode().tag(sync=True)

    def __init__(self, app_id: str, app_name: str, thread: HostThread, pin: Callable[[Any], bool]) -> None:
        super().__init__(app_id=app_id, app_name=app_name)
        self._thread = thread
        self._decoder = Decoder()
        self._channel = CommChannel(self, thread.sessions)
        self._display_id = f"mcpapp-question-{uuid.uuid4().hex[:8]}"
        self.asking = Asking(
            lambda kind, frame, message: self._channel.send([Envelope(kind, frame, message)])
        )
        self.on_msg(self._receive)
        pin(self)

    def show(self) -> None:
        """Display the form in the running cell."""
        bundle = self._repr_mimebundle_()
        if bundle is not None:
            data, metadata = bundle
            emit({**data, "text/plain": ""}, metadata, display_id=self._display_id)

    def conclude(self, line: str) -> None:
        """Replace the form by one line, which is also what a saved notebook keeps."""
        replace({"text/plain": line}, self._display_id)
        self.close()

    def _receive(self, _widget: Any, content: Any, buffers: Any) -> None:
        try:
            envelopes = self._decoder.decode(content, buffers or ())
        except EnvelopeError:
            return
        for envelope in envelopes:
            self._thread.sessions.call_soon(self._take, envelope)

    def _take(self, envelope: Envelope) -> None:
        if envelope.kind == "answer":
            self.asking.answer(envelope)
        elif envelope.kind in ("open", "hello"):
            self.asking.replay(envelope.view)


async def ask_in_cell(
    make: Callable[[], QuestionView], thread: HostThread, question: Mapping[str, Any]
) -> dict[str, Any]:
    """Ask in the output of the cell that waits; on the session loop.

    Parameters
    ----------
    make
        Makes the view; called on the thread that runs cells, where widgets belong.
    question
        The ``ask`` envelope's message.
    """
    loop = asyncio.get_running_loop()
    shown: asyncio.Future[QuestionView] = loop.create_future()

    def show() -> None:
        try:
            view = make()
            view.show()
        except Exception as error:  # noqa: BLE001 - the question must not hang; it counts as declined
            loop.call_soon_threadsafe(_settle, shown, None, error)
        else:
            loop.call_soon_threadsafe(_settle, shown, view, None)

    if not thread.in_waiting_cell(show):
        thread.handlers.call_soon(show)  # an awaited call: its cell's output is the current one
    view = await shown
    answer: dict[str, Any] = {"decision": "cancel"}
    try:
        answer = await view.asking.ask(question, seconds=None)
        return answer
    finally:
        first = str(question.get("text", "")).strip().partition("\n")[0]
        said = _SAID.get(str(answer["decision"]), "declined")
        line = f"{question.get('app')} asked: {clean_line(first, 100)} → {said}"
        if not thread.in_waiting_cell(lambda: view.conclude(line)):
            thread.handlers.call_soon(view.conclude, line)


def _settle(future: asyncio.Future[QuestionView], view: QuestionView | None, error: Exception | None) -> None:
    if future.done():
        return
    if view is not None:
        future.set_result(view)
    else:
        future.set_exception(error or RuntimeError("the form could not be shown"))
