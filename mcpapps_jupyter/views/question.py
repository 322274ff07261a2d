"""A server's question in the output of the cell that waits for it: a form, and afterwards one line."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import traitlets

from mcpapps_jupyter.host_thread import HostThread
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.views.asking import Asking
from mcpapps_jupyter.views.channel import Envelope
from mcpapps_jupyter.views.envelope_widget import EnvelopeWidget
from mcpapps_jupyter.views.output import replace
from mcpapps_jupyter.views.packed import packed_module

T = TypeVar("T")

_SAID = {"accept": "answered", "cancel": "cancelled"}


class QuestionView(EnvelopeWidget):
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

    _esm = packed_module("widget.js")

    #: Tells the front end that there is no page to wait for.
    role = traitlets.Unicode("question").tag(sync=True)
    app_id = traitlets.Unicode().tag(sync=True)
    app_name = traitlets.Unicode().tag(sync=True)

    def __init__(self, app_id: str, app_name: str, thread: HostThread, pin: Callable[[Any], bool]) -> None:
        super().__init__(thread, app_id=app_id, app_name=app_name)
        self._display_id = f"mcpapp-question-{uuid.uuid4().hex[:8]}"
        self.asking = Asking(lambda kind, frame, message: self.channel.send([Envelope(kind, frame, message)]))
        self.listen(pin)

    def show(self) -> None:
        """Display the form in the running cell."""
        self.show_live(display_id=self._display_id)

    def conclude(self, line: str) -> None:
        """Replace the form by one line, which is also what a saved notebook keeps."""
        replace({"text/plain": line}, self._display_id)
        self.close()

    def take(self, envelope: Envelope) -> None:
        """Take an answer, or show a new front end what is asked."""
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

    def show() -> QuestionView:
        view = make()
        view.show()
        return view

    view = await in_cell(thread, show)
    answer: dict[str, Any] = {"decision": "cancel"}
    try:
        answer = await view.asking.ask(question, seconds=None)
        return answer
    finally:
        first = str(question.get("text", "")).strip().partition("\n")[0]
        said = _SAID.get(str(answer["decision"]), "declined")
        line = f"{question.get('app')} asked: {clean_line(first, 100)} → {said}"
        run_in_cell(thread, lambda: view.conclude(line))


def run_in_cell(thread: HostThread, job: Callable[[], object]) -> None:
    """Let `job` make its outputs in the cell that waits for us, soon."""
    if not thread.in_waiting_cell(job):
        thread.handlers.call_soon(job)  # an awaited call: its cell's output is the current one


async def in_cell(thread: HostThread, job: Callable[[], T]) -> T:
    """`run_in_cell`, and what `job` gives; on the session loop."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()

    def settle(value: T | None, error: Exception | None) -> None:
        if outcome.done():
            return
        if error is not None:
            outcome.set_exception(error)
        else:
            outcome.set_result(cast("T", value))

    def run() -> None:
        try:
            value = job()
        except Exception as error:  # noqa: BLE001 - whoever waits for it must not hang
            loop.call_soon_threadsafe(settle, None, error)
        else:
            loop.call_soon_threadsafe(settle, value, None)

    run_in_cell(thread, run)
    return await outcome
