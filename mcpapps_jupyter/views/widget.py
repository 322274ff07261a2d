"""`AppView`: one open page as a Python value. Display it, read it, observe it."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from functools import partial
from typing import TYPE_CHECKING, Any

import traitlets

from mcpapps_jupyter.errors import McpAppsError, RequestTimeout
from mcpapps_jupyter.host_thread import HostThread, Submitted
from mcpapps_jupyter.ports import Caller, PageTool
from mcpapps_jupyter.results import ToolResult
from mcpapps_jupyter.views.card import card, heading
from mcpapps_jupyter.views.channel import Envelope
from mcpapps_jupyter.views.context import ModelContext
from mcpapps_jupyter.views.decisions import DecidedBy, DecisionKind, Record, in_words
from mcpapps_jupyter.views.envelope_widget import EnvelopeWidget
from mcpapps_jupyter.views.events import PageEvent, check_event
from mcpapps_jupyter.views.output import emit, replace
from mcpapps_jupyter.views.packed import packed_module
from mcpapps_jupyter.views.page_tools import PageTools, page_tools_listing
from mcpapps_jupyter.views.relay import Relay
from mcpapps_jupyter.views.requests import PageRequests
from mcpapps_jupyter.views.settings import PageSettings
from mcpapps_jupyter.views.stream import ArgumentStream, read_parts

if TYPE_CHECKING:
    from mcpapps_jupyter.app import App
    from mcpapps_jupyter.catalogue import Listing, Tool
    from mcpapps_jupyter.views.policy import Approvals
    from mcpapps_jupyter.views.traffic import Traffic


#: How long a page's request waits for the observers of what it changed.
_OBSERVERS_SECONDS = 2.0


class AppView(EnvelopeWidget):
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

    _esm = packed_module("widget.js")

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
        on_grown: Callable[[AppView], None],
        on_relaunch: Callable[[AppView], None],
        record: Record,
        pin: Callable[[AppView], bool],
        options: Mapping[str, Any],
    ) -> None:
        self.key = uuid.uuid4().hex
        self.app = app
        self.arguments = dict(arguments)
        self.messages: list[dict[str, Any]] = []
        self.cell_id: str | None = None
        self.frozen = False
        self._interactive = interactive
        self._patience = patience
        self._call: Submitted[ToolResult | None] | None = None
        self._result: ToolResult | None = None
        self._skip_display = False
        self._note: str | None = None
        #: `ModelContext.update_id` of what a model has got.
        self._taken: str | None = None
        self._handlers: list[Callable[[dict[str, Any]], Any]] = []
        super().__init__(
            thread,
            app_id=app.id,
            app_name=app.name,
            title=app.name,
            height=int(options.get("height") or 0),
            mode=str(options.get("mode") or "inline"),
        )

        def decided(kind: DecisionKind, subject: str, outcome: str, by: DecidedBy) -> None:
            record(kind, subject, outcome, by)
            # The front end tells of its own decisions, and who refuses because nobody is there says why.
            if kind not in ("link", "download") and (by != "nobody" or interactive()):
                level = "info" if by == "person" or outcome == "allow" else "warning"
                self._relay.note(in_words(kind, subject, outcome, by), level, event=kind)

        requests = PageRequests(
            approvals,
            settings.rates,
            interactive=interactive,
            patience=patience,
            on_context=self._hear_context,
            on_message=self._take_message,
            record=decided,
        )
        self._relay = Relay(
            self.key,
            app,
            self.channel,
            settings,
            requests,
            on_state=lambda state, text: self._set_on_handlers("state", state),
            on_end=lambda reason: self._over(on_end),
            on_hello=on_hello,
            on_grown=lambda: on_grown(self),
            on_relaunch=lambda: on_relaunch(self),
            ask=lambda: self._ask_permission if interactive() else None,
            record=decided,
        )
        self._page_tools = PageTools(self._relay)
        self.listen(pin)

    # -- what a cell reads -----------------------------------------------------------------------

    @property
    def result(self) -> ToolResult | None:
        """The opening tool's result, once it is there."""
        return self._result

    @property
    def traffic(self) -> Traffic:
        """The messages between page and host."""
        return self._relay.traffic

    @property
    def permissions(self) -> tuple[str, ...]:
        """The browser permissions that the page has (``clipboardWrite``, ``geolocation``)."""
        return self._relay.granted

    def forget_context(self) -> None:
        """Take away what the page has told the model; the page is told that it was."""
        self._thread.run(self._forget_context())

    async def _forget_context(self) -> None:
        if self.model_context is not None:
            self._relay.set_context(None, by_page=False)
            self._taken = None
            await self._hear_context(None)

    def take_context(self) -> ModelContext | None:
        """What the page has told since this was last called, else None: for the next turn of a model.

        It is data of the page, and nothing that a model should obey. `model_context` stays what it is.
        """
        context = self.model_context
        news = context if context is not None and context.update_id != self._taken else None
        self._taken = context.update_id if context is not None else None
        return news

    def on_message(self, handler: Callable[[dict[str, Any]], Any]) -> None:
        """Call `handler` with each message of the page that the person lets through."""
        self._handlers.append(handler)

    def wait_for(self, event: PageEvent, timeout: float | None = None) -> Any:
        """Block until the page does something, while it goes on; Ctrl-C ends the waiting.

        Parameters
        ----------
        event
            ``"message"``: the next message that the person lets through; gives the message.
            ``"model_context"``: the next change of what the page tells; gives the `ModelContext` or None.
            ``"initialized"``: the page has finished its handshake, now or before; gives the parameters
            of its ``ui/initialize``.
        timeout
            Seconds; None waits for ever.

        Raises
        ------
        RequestTimeout
            It did not happen in time, or cannot happen: nobody is there to use the page (headless).
        McpAppsError
            The view ended, or there is no page.
        """
        self._check_can_happen(event)
        return self._thread.run(self._wait(event, timeout))

    def await_for(self, event: PageEvent, timeout: float | None = None) -> Submitted[Any]:
        """`wait_for`, to be awaited."""
        self._check_can_happen(event)
        return self._thread.submit(self._wait(event, timeout))

    def _check_can_happen(self, event: str) -> None:
        check_event(event)
        if not self._interactive() and not self._relay.frames:
            raise RequestTimeout(f"No {event.replace('_', ' ')} can come: nobody is there to use the page.")

    async def _wait(self, event: PageEvent, timeout: float | None) -> Any:
        def greeting() -> dict[str, Any] | None:
            frames = self._relay.frames.values()
            return next((frame.greeting for frame in frames if frame.initialized), None)

        if event != "initialized":
            return await self._relay.events.wait(event, timeout)
        if self._relay.no_page is not None:
            raise self._relay.no_page
        return await self._relay.events.wait(event, timeout, greeting)

    # -- what the page offers ----------------------------------------------------------------------

    def tools(self) -> Listing[Tool]:
        """The tools that the page itself offers (MCP Apps ``appCapabilities.tools``), as a table.

        Raises
        ------
        McpAppsError
            No page is there, it offers none, or it does not answer.
        """
        return self._thread.run(self._list_tools())

    def atools(self) -> Submitted[Listing[Tool]]:
        """`tools`, to be awaited."""
        return self._thread.submit(self._list_tools())

    async def _list_tools(self) -> Listing[Tool]:
        return page_tools_listing(await self._page_tools.list())

    def call_tool(
        self, tool: str, arguments: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> ToolResult:
        """Call a tool of the page itself and wait for its result; the frame used last answers.

        Raises
        ------
        UnknownTool, InvalidArguments
            Before any call.
        ProtocolFailure, RequestTimeout, McpAppsError
            The page gave no result. One that says that it failed is a result with ``is_error``.
        """
        return self._thread.run(self._page_tools.call(tool, {**(arguments or {}), **keywords}))

    def acall_tool(
        self, tool: str, arguments: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> Submitted[ToolResult]:
        """`call_tool`, to be awaited."""
        return self._thread.submit(self._page_tools.call(tool, {**(arguments or {}), **keywords}))

    async def offered_tools(self) -> list[PageTool]:
        """The page's own tools as others call them, none while no page can answer; on the session loop."""
        return [
            PageTool(self.app, self.key, tool, partial(self._page_tools.call, tool.name))
            for tool in await self._page_tools.list_soon()
        ]

    def __repr__(self) -> str:
        return f"<AppView {heading(self.app.id, self.tool or None, self.arguments)}: {self.state}>"

    # -- opening ---------------------------------------------------------------------------------

    def begin(self, tool: Any, uri: str, stream: ArgumentStream | None = None) -> None:
        """It is known what to show: describe it, fetch the page and call the tool, all at once.

        A `stream` gives the arguments bit by bit; then the tool is called when they are whole.
        """
        with self.hold_sync():
            self.tool = tool.name if tool is not None else ""
            self.title = tool.title if tool is not None else self.app.name
            self.uri = uri
        self._call = self._thread.submit(self._run(tool, uri, stream))

    async def _run(self, tool: Any, uri: str, stream: ArgumentStream | None) -> ToolResult | None:
        relay = self._relay
        relay.attach(tool, uri, self.arguments, streams=stream is not None)
        if tool is None:
            relay.set_state("live")
            return None
        finished = False
        try:
            if stream is not None:
                relay.set_state("calling", f"Writing the arguments of {tool.title}…")
                await self._write_arguments(stream)
            relay.set_state("calling", f"Calling {tool.title}…")
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

    async def _write_arguments(self, stream: ArgumentStream) -> None:
        arguments = given = dict(self.arguments)
        async with contextlib.aclosing(read_parts(self._thread, stream)) as parts:
            async for part in parts:
                arguments = {**given, **part}
                self._relay.write_partial(arguments)
        self.arguments = arguments
        self._relay.write_input(arguments)

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
            try:
                call.result()
            except CancelledError:
                raise McpAppsError(self._relay.ended or "The call was given up.") from None

    # -- showing -----------------------------------------------------------------------------------

    def show_widget(self) -> None:
        """Display the live part: the first of the two outputs."""
        self.show_live(display_id=f"mcpapp-{self.key}")

    def show_card(self, note: str | None = None) -> None:
        """Display the static part: the second output, for every reader without a kernel."""
        self._note = note
        emit(self._card(note), display_id=f"mcpapp-{self.key}-card")

    def advise(self, advice: str) -> None:
        """Put what to do into the static part, which shows where no live one does; nothing takes it out."""
        replace(self._card(self._note, advice), f"mcpapp-{self.key}-card")

    def _card(self, note: str | None, advice: str = "") -> dict[str, str]:
        return card(
            self.app.name,
            self.tool or None,
            self.arguments,
            self._result,
            note,
            self.app.hide,
            frozen=self.frozen,
            advice=advice,
        )

    def freeze(self) -> None:
        """Turn what this view shows into its static card, for good.

        The page ends. Wherever the view stands, its output becomes text and HTML that every reader shows: a
        notebook opened without a kernel, an exported one, a page of a code host.
        """
        if self.frozen:
            return
        self.frozen = True
        self.close()
        note = None if self._result is not None or not self.tool else "It was frozen before its result came."
        replace(self._card(note), f"mcpapp-{self.key}-card")
        replace({"text/plain": ""}, f"mcpapp-{self.key}")

    def skip_next_display(self, skip: bool = True) -> None:
        """A magic has shown the view itself: its value as the cell's last expression shows nothing.

        The cell's end takes that back: a later cell that names the view shows it.
        """
        self._skip_display = skip

    def _ipython_display_(self, **_: Any) -> None:
        if self._skip_display:
            self._skip_display = False
            return
        if self.comm is None:  # closed: no front end could draw the live part
            self.show_card()
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

    def take(self, envelope: Envelope) -> None:
        """Hand one envelope of the front end to the relay."""
        self._relay.receive(envelope)

    def unreadable(self, reason: str) -> None:
        """Note a message that was none in the app's log."""
        self._relay.note(f"the front end sent something unreadable: {reason}", "warning")

    async def _hear_context(self, context: ModelContext | None) -> None:
        self._relay.set_context(context)
        # Observers are the user's code: they run on the handlers' thread, which is also the one writer. The
        # page waits for them only a little, and so does who waits for the event on that very thread.
        setting = asyncio.ensure_future(self._thread.on_handlers(self._set, "model_context", context))
        await asyncio.wait({setting}, timeout=_OBSERVERS_SECONDS)
        self._relay.events.tell("model_context", context)

    async def _take_message(self, message: dict[str, Any]) -> None:
        self.messages.append(message)
        self._relay.events.tell("message", message)
        if not self._handlers and self.state == "live":
            self._relay.set_state("live", "The message is in view.messages")
        for handler in tuple(self._handlers):
            try:
                await self._thread.call_handler(handler, message)
            except Exception as error:  # noqa: BLE001 - the user's code; the page must get its answer
                self._relay.note(f"the on_message handler failed: {error!r}", "error")

    def _set_on_handlers(self, name: str, value: Any) -> None:
        self._thread.handlers.call_soon(self._set, name, value)

    def _set(self, name: str, value: Any) -> None:
        try:
            setattr(self, name, value)
        except Exception as error:  # noqa: BLE001 - an observer is the user's code
            self._relay.note(f"an observer of {name} failed: {error!r}", "error")

    async def _ask_permission(self, question: Mapping[str, Any]) -> dict[str, Any]:
        wire = {"app": self.app.name, "title": self.app.name, **question}
        return await self._relay.asking.ask(wire, seconds=self._patience)

    async def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Put a server's question above the page, as long as the person thinks; on the session loop."""
        return await self._relay.asking.ask(question, seconds=None)

    # -- the end -------------------------------------------------------------------------------------

    @property
    def ended(self) -> bool:
        """Whether the view is over; its data stays readable."""
        return self._relay.ended is not None

    @property
    def size(self) -> int:
        """Bytes that the view holds: its page, the opening arguments and the result."""
        return self._relay.lease.size

    def _over(self, on_end: Callable[[AppView], None]) -> None:
        if self._call is not None and self._result is None:
            self._call.cancel()
        on_end(self)

    def revive(self) -> None:
        """Take the ended page up again as it was opened; on the session loop."""
        self._relay.revive(self._result.raw if self._result is not None else None)

    def end_soon(self, reason: str) -> None:
        """`end`, without waiting for the page; from any thread."""
        if self._call is not None:
            self._call.cancel()
        self._thread.sessions.call_soon(self._relay.end_soon, reason)

    def end(self, reason: str) -> None:
        """End the page with a reason that stays visible in its place."""
        self._thread.run(self.end_here(reason))

    async def end_here(self, reason: str) -> None:
        """`end` for code that already is on the session loop."""
        if not self.ended:
            if self._call is not None:
                self._call.cancel()
            await self._relay.close(reason)

    def close(self) -> None:
        """End the page and take it out of the notebook."""
        if getattr(self, "_relay", None) is not None and self._thread.sessions.started:
            with contextlib.suppress(McpAppsError):
                self.end("The view was closed.")
        super().close()
