"""`AppView`: one open page as a Python value. Display it, read it, observe it."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from mcpapps_jupyter.errors import McpAppsError
from mcpapps_jupyter.host_thread import HostThread, Submitted
from mcpapps_jupyter.ports import Caller
from mcpapps_jupyter.results import ToolResult
from mcpapps_jupyter.views.card import card, heading
from mcpapps_jupyter.views.channel import Decoder, EnvelopeError
from mcpapps_jupyter.views.comm import CommChannel
from mcpapps_jupyter.views.context import ModelContext
from mcpapps_jupyter.views.output import emit
from mcpapps_jupyter.views.relay import PageSettings, Relay
from mcpapps_jupyter.views.requests import PageRequests

if TYPE_CHECKING:
    from mcpapps_jupyter.app import App
    from mcpapps_jupyter.views.policy import Approvals
    from mcpapps_jupyter.views.traffic import Traffic


class AppView(anywidget.AnyWidget):
    """One open page of an app.

    Attributes
    ----------
    app
        The app.
    arguments
        What the tool was opened with.
    model_context
        What the page wants the notebook and a model to know: a `ModelContext`, or None.
    messages
        Messages of the page that the person let through, oldest first.
    state
        ``starting``, ``calling``, ``live``, ``failed`` or ``ended``.
    """

    _esm = Path(__file__).parent.parent / "static" / "widget.js"

    # The descriptor: small, and all that a saved notebook may hold. One writer, the kernel side.
    app_id = traitlets.Unicode().tag(sync=True)
    app_name = traitlets.Unicode().tag(sync=True)
    tool = traitlets.Unicode().tag(sync=True)
    uri = traitlets.Unicode().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(0).tag(sync=True)
    mode = traitlets.Unicode("inline").tag(sync=True)
    header = traitlets.Bool(True).tag(sync=True)

    # Plain values, to be read and observed in Python.
    state = traitlets.Unicode("starting")
    model_context: ModelContext | None = traitlets.Any(None, allow_none=True)  # type: ignore[assignment]

    def __init__(
        self,
        app: App,
        thread: HostThread,
        *,
        settings: PageSettings,
        approvals: Approvals,
        interactive: Callable[[], bool],
        patience: float,
        arguments: Mapping[str, Any],
        on_end: Callable[[AppView], None],
        on_hello: Callable[[], None],
        pin: Callable[[AppView], bool],
        options: Mapping[str, Any],
    ) -> None:
        self.key = uuid.uuid4().hex
        self.app = app
        self.arguments = dict(arguments)
        self.messages: list[dict[str, Any]] = []
        self.cell_id: str | None = None
        self._thread = thread
        self._decoder = Decoder()
        self._call: Submitted[ToolResult | None] | None = None
        self._result: ToolResult | None = None
        self._skip_display = False
        self._handlers: list[Callable[[dict[str, Any]], Any]] = []
        super().__init__(
            app_id=app.id,
            app_name=app.name,
            title=app.name,
            height=int(options.get("height") or 0),
            mode=str(options.get("mode") or "inline"),
        )
        requests = PageRequests(
            approvals,
            settings.rates,
            interactive=interactive,
            patience=patience,
            on_context=self._take_context,
            on_message=self._take_message,
        )
        self._relay = Relay(
            self.key,
            app,
            CommChannel(self, thread.sessions),
            settings,
            requests,
            on_state=lambda state, text: self._set_on_handlers("state", state),
            on_end=lambda reason: on_end(self),
            on_hello=on_hello,
        )
        self.on_msg(self._receive)
        self.answers_while_busy = pin(self)

    # -- what a cell reads -----------------------------------------------------------------------

    @property
    def result(self) -> ToolResult | None:
        """The opening tool's result, once it is there."""
        return self._result

    @property
    def traffic(self) -> Traffic:
        """The messages between page and host."""
        return self._relay.traffic

    def on_message(self, handler: Callable[[dict[str, Any]], Any]) -> None:
        """Call `handler` with each message of the page that the person lets through."""
        self._handlers.append(handler)

    def __repr__(self) -> str:
        return f"<AppView {heading(self.app.id, self.tool or None, self.arguments)}: {self.state}>"

    # -- opening ---------------------------------------------------------------------------------

    def begin(self, tool: Any, uri: str) -> None:
        """It is known what to show: describe it, fetch the page and call the tool, all at once."""
        with self.hold_sync():
            self.tool = tool.name if tool is not None else ""
            self.title = tool.title if tool is not None else self.app.name
            self.uri = uri
        self._call = self._thread.submit(self._run(tool, uri))

    async def _run(self, tool: Any, uri: str) -> ToolResult | None:
        relay = self._relay
        relay.attach(tool, uri, self.arguments)
        if tool is None:
            relay.set_state("live")
            return None
        relay.set_state("calling", f"Calling {tool.title}…")
        finished = False
        try:
            result = await self.app.call_here(tool.name, self.arguments, Caller("cell", self.key))
            finished = True
        except McpAppsError as error:
            finished = True
            relay.set_outcome(None, cancelled=str(error))
            relay.set_state("failed", str(error), f"%mcpapp restart {self.app.id}")
            raise
        finally:
            if not finished:
                relay.set_outcome(None, cancelled="The call was interrupted.")
                relay.set_state("failed", "The call was interrupted.", "Run the cell again.")
        self._result = result
        relay.set_outcome(result.raw)
        relay.set_state("live")
        return result

    def wait_for_result(self, seconds: float) -> None:
        """Block until the opening tool has answered, at most `seconds`; Ctrl-C cancels the call.

        Raises
        ------
        McpAppsError
            The call gave no result.
        """
        call = self._call
        if call is None:
            return
        try:
            self._thread.wait([call], seconds)
        except KeyboardInterrupt:
            call.cancel()
            raise
        if call.done():
            call.result()

    # -- showing -----------------------------------------------------------------------------------

    def show_widget(self) -> None:
        """Display the live part: the first of the two outputs."""
        bundle = self._repr_mimebundle_()
        if bundle is not None:
            data, metadata = bundle
            emit({**data, "text/plain": ""}, metadata)

    def show_card(self, note: str | None = None) -> None:
        """Display the static part: the second output, for every reader without a kernel."""
        bundle = card(self.app.name, self.tool or None, self.arguments, self._result, note, self.app.hide)
        emit(bundle)

    def skip_next_display(self, skip: bool = True) -> None:
        """A magic has shown the view itself: its value as the cell's last expression shows nothing.

        The cell's end takes that back: a later cell that names the view shows it.
        """
        self._skip_display = skip

    def _ipython_display_(self, **_: Any) -> None:
        if self._skip_display:
            self._skip_display = False
            return
        self.show_widget()
        note = None
        try:
            self.wait_for_result(self.open_wait)
        except McpAppsError as error:
            note = str(error)
        self.show_card(note)

    #: Seconds that a display waits for the result; set by the host from its configuration.
    open_wait: float = 10.0

    # -- from the front end ------------------------------------------------------------------------

    def _receive(self, _widget: Any, content: Any, buffers: Any) -> None:
        """Parse and hand over: this runs on whatever thread the kernel chose."""
        try:
            envelopes = self._decoder.decode(content, buffers or ())
        except EnvelopeError as error:
            self._relay.note(f"the front end sent something unreadable: {error}", "warning")
            return
        for envelope in envelopes:
            self._thread.sessions.call_soon(self._relay.receive, envelope)

    async def _take_context(self, context: ModelContext | None) -> None:
        # Observers are the user's code: they run on the handlers' thread, which is also the one writer.
        await self._thread.on_handlers(setattr, self, "model_context", context)

    async def _take_message(self, message: dict[str, Any]) -> None:
        self.messages.append(message)
        for handler in tuple(self._handlers):
            try:
                await self._thread.call_handler(handler, message)
            except Exception as error:  # noqa: BLE001 - the user's code; the page must get its answer
                self._relay.note(f"the on_message handler failed: {error!r}", "error")

    def _set_on_handlers(self, name: str, value: Any) -> None:
        self._thread.handlers.call_soon(setattr, self, name, value)

    async def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Put a server's question above the page, as long as the person thinks; on the session loop."""
        return await self._relay.asking.ask(question, seconds=None)

    # -- the end -------------------------------------------------------------------------------------

    @property
    def ended(self) -> bool:
        """Whether the view is over; its data stays readable."""
        return self._relay.ended is not None

    def end(self, reason: str) -> None:
        """End the page with a reason that stays visible in its place."""
        if not self.ended:
            if self._call is not None:
                self._call.cancel()
            self._thread.run(self._relay.close(reason))

    def close(self) -> None:
        """End the page and take it out of the notebook."""
        if getattr(self, "_relay", None) is not None and self._thread.sessions.started:
            with contextlib.suppress(McpAppsError):
                self.end("The view was closed.")
        super().close()
