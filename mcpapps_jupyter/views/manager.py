"""Makes views and keeps them: opening, one view a cell run, eviction, the end of all of them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from mcpapps_jupyter.catalogue import Tool
from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.errors import InvalidArguments, McpAppsError
from mcpapps_jupyter.host_thread import HostThread
from mcpapps_jupyter.log import AppLog
from mcpapps_jupyter.ports import Answer, Caller, LoginPrompt, LoginRequest, PageTool, Question
from mcpapps_jupyter.views.decisions import DecidedBy, Decisions, in_words
from mcpapps_jupyter.views.front_end import FrontEnd
from mcpapps_jupyter.views.logs import LogTables
from mcpapps_jupyter.views.policy import Approvals, Rates
from mcpapps_jupyter.views.settings import PageSettings
from mcpapps_jupyter.views.stream import check_stream
from mcpapps_jupyter.views.subshell import pin, release

if TYPE_CHECKING:
    from mcpapps_jupyter.app import App
    from mcpapps_jupyter.views.question import QuestionView
    from mcpapps_jupyter.views.widget import AppView

#: A start that is over sooner shows no "starting" page, so that a typing error shows only its line.
_PATIENCE = 0.7


class Views:
    """Every open view of the kernel.

    Parameters
    ----------
    config, thread
        The host's.
    version
        Our own version, for pages.
    get_kernel
        The running kernel, or None outside one.
    """

    def __init__(
        self, config: McpApps, thread: HostThread, version: str, get_kernel: Callable[[], Any]
    ) -> None:
        self._config = config
        self._thread = thread
        self._version = version
        self._get_kernel = get_kernel
        self.decisions = Decisions()
        self._logs = LogTables(config, thread, get_kernel, self.all_views)
        self._views: dict[str, AppView] = {}
        self._lock = threading.RLock()
        self._front_end = FrontEnd(thread.handlers)
        self._cell: str | None = None
        self._of_earlier_run: list[AppView] = []

    # -- opening -----------------------------------------------------------------------------------

    def open_view(
        self, app: App, tool: str | None, arguments: Mapping[str, Any], options: Mapping[str, Any]
    ) -> AppView:
        """Start the app, check, make the view, call the tool; does not display anything.

        Raises
        ------
        McpAppsError
            In words, before anything is shown.
        """
        arguments, preparing = self._preparing(app, tool, arguments, options)
        return self._opened(app, self._thread.run(preparing), arguments, options)

    def aopen_view(
        self, app: App, tool: str | None, arguments: Mapping[str, Any], options: Mapping[str, Any]
    ) -> Awaitable[AppView]:
        """`open_view`, to be awaited: what asks the person does so before this returns."""
        arguments, preparing = self._preparing(app, tool, arguments, options)
        work = self._thread.submit(preparing)

        async def open_here() -> AppView:
            return self._opened(app, await work, arguments, options)

        return open_here()

    @staticmethod
    def _preparing(
        app: App, tool: str | None, arguments: Mapping[str, Any], options: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], Coroutine[Any, Any, tuple[Tool | None, str]]]:
        app.check_usable()
        arguments = app.opening_arguments(tool, arguments)
        stream = options.get("stream")
        if stream is not None:
            check_stream(stream)
        return arguments, prepare(app, tool, arguments, streams=stream is not None)

    def _opened(
        self,
        app: App,
        prepared: tuple[Tool | None, str],
        arguments: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> AppView:
        view = self._make(app, arguments, options)
        view.begin(*prepared, options.get("stream"))
        return view

    def show_view(
        self, app: App, tool: str | None, arguments: Mapping[str, Any], options: Mapping[str, Any]
    ) -> AppView:
        """Open and display: the live part at once, the static part when the result is there.

        Raises
        ------
        McpAppsError
            In words. What is already displayed says the reason too.
        """
        app.check_usable()
        arguments = app.opening_arguments(tool, arguments)
        preparing = self._thread.submit(prepare(app, tool, arguments))
        view: AppView | None = None
        try:
            if not self._thread.wait([preparing], _PATIENCE):
                view = self._make(app, arguments, options)
                view.show_widget()
                self._thread.wait([preparing])
            found, uri = preparing.result()
        except BaseException:
            preparing.cancel()
            if view is not None:
                view.close()
            raise
        if view is None:
            view = self._make(app, arguments, options)
            view.begin(found, uri)
            view.show_widget()
        else:
            view.begin(found, uri)
        failure: McpAppsError | None = None
        try:
            view.wait_for_result(self._config.open_wait)
        except McpAppsError as error:
            failure = error
        view.show_card(str(failure) if failure else None)
        self._expect_front_end(view)
        if failure is not None:
            raise failure
        return view

    def _make(self, app: App, arguments: Mapping[str, Any], options: Mapping[str, Any]) -> AppView:
        from mcpapps_jupyter.views.widget import AppView

        kernel = self._get_kernel()
        config = self._config
        view = AppView(
            app,
            self._thread,
            settings=self._settings(app),
            approvals=Approvals(lambda: config.approvals_for(app.id)),
            interactive=lambda: not config.is_headless(),
            patience=config.approval_timeout,
            arguments=arguments,
            on_end=self._forget,
            on_hello=self._front_end.heard,
            on_grown=self._make_room,
            on_relaunch=self._readmit,
            record=self.decisions.recorder(app.id),
            pin=lambda widget: pin(widget, kernel),
            options=options,
        )
        view.traffic.subscribe(lambda: self._logs.heard(app))
        view.open_wait = config.open_wait
        view.cell_id = self._cell
        self._admit(view)
        return view

    def _admit(self, view: AppView) -> None:
        """Count the view among the open ones; if that are too many, the oldest go."""
        limit = self._config.max_views
        with self._lock:
            self._views[view.key] = view
            crowd = list(self._views.values())[: max(len(self._views) - limit, 0)]
        for old in crowd:
            old.end_soon(
                f"More pages were open than McpApps.max_views allows ({limit}), so the oldest ended."
            )

    def _readmit(self, view: AppView) -> None:
        """The person wants an ended view back; on the session loop."""
        self._admit(view)
        view.revive()

    def _settings(self, app: App) -> PageSettings:
        config = self._config
        rates = Rates(
            calls_per_minute=config.max_calls_per_minute,
            burst=config.max_call_burst,
            notifications_per_second=config.max_notifications_per_second,
            messages_per_minute=config.max_user_messages_per_minute,
            at_once=config.max_running_calls,
            queue=config.max_queued_calls,
            message_bytes=config.max_message_bytes,
            context_bytes=config.max_context_bytes,
        )
        return PageSettings(
            config.max_resource_bytes,
            config.permissions_for(app.id),
            self._version,
            rates,
            max_view_bytes=config.max_view_bytes,
            view_ttl=config.view_ttl,
        )

    def _make_room(self, grown: AppView) -> None:
        """A view holds more than before: if all together hold too much, the oldest go."""
        limit = self._config.max_total_bytes
        views = self.all_views()
        held = sum(view.size for view in views)
        for view in (*(each for each in views if each is not grown), grown):
            if held <= limit:
                return
            if view.size:
                held -= view.size
                view.end_soon(
                    f"All open pages together held more than {limit:,} bytes (McpApps.max_total_bytes), "
                    "so the oldest ended."
                )

    def _expect_front_end(self, view: AppView) -> None:
        """The first page of a kernel says so when no front end is there to draw it."""
        if view.answers_while_busy and not self._config.is_headless():
            self._front_end.expect(view.advise)

    def show_log(
        self, app: App, *, level: str | None = None, source: str | None = None, follow: bool = False
    ) -> AppLog:
        """Show an app's log with the messages of its open pages, live where that can be.

        Raises
        ------
        InvalidArguments
            There is no such level or source.
        """
        return self._logs.show(app, level=level, source=source, follow=follow)

    # -- questions of servers ------------------------------------------------------------------------

    async def ask_person(self, app: App, question: Question) -> Answer | None:
        """Put a server's question where the person is looking; on the session loop.

        A page's call is asked above that page, a cell's call in the cell's output; where that
        cannot be known, above the app's newest page.

        Returns
        -------
        dict or None
            The answer, or None where nobody can be asked.
        """
        if self._config.is_headless():
            return None
        wire = {
            "type": "elicitation",
            "app": app.name,
            "title": app.name,
            "text": question.message,
            **({"url": question.url} if question.mode == "url" else {"schema": dict(question.schema or {})}),
        }
        caller = question.caller
        view = self._views.get(caller.view or "") if caller else None
        if view is None and (caller is None or caller.origin != "cell"):
            view = next((each for each in reversed(self.all_views()) if each.app is app), None)
        if view is not None:
            answer = await view.ask(wire)
        elif caller is not None:
            answer = await self._ask_in_cell(app, wire)
        else:
            return None
        decision = answer.get("decision")
        by: DecidedBy = "nobody" if answer.get("nobody") else "person"
        self.decisions.add(app.id, "question", question.message, str(decision), by)
        said = in_words("question", question.message, str(decision), by)
        app.log.add("host", app.hide(said), event="question")
        if decision == "accept":
            content = answer.get("content")
            return {"action": "accept", "content": content if isinstance(content, dict) else {}}
        return {"action": "cancel" if decision == "cancel" else "decline"}

    async def _ask_in_cell(self, app: App, wire: Mapping[str, Any]) -> dict[str, Any]:
        from mcpapps_jupyter.views.question import ask_in_cell

        return await ask_in_cell(lambda: self._question_view(app), self._thread, wire)

    def _question_view(self, app: App) -> QuestionView:
        from mcpapps_jupyter.views.question import QuestionView

        kernel = self._get_kernel()
        return QuestionView(app.id, app.name, self._thread, lambda widget: pin(widget, kernel))

    def login_prompt(self, app: App, request: LoginRequest) -> LoginPrompt:
        """The prompt for a login: above the page whose call needs it, else in the cell that waits."""
        from mcpapps_jupyter.views.login import LoginAbovePage, LoginInCell

        caller = request.caller
        view = self._views.get(caller.view or "") if caller and caller.origin == "page" else None
        if view is None and not self._thread.cell_waits:
            view = next((each for each in reversed(self.all_views()) if each.app is app), None)
        if view is not None:
            return LoginAbovePage(view, app.name, request)
        return LoginInCell(lambda: self._question_view(app), self._thread, app.name, request)

    # -- tools of pages ------------------------------------------------------------------------------

    async def page_tools(self) -> list[PageTool]:
        """The tools of every page that can answer now, newest page first; on the session loop."""
        listed = await asyncio.gather(*(view.offered_tools() for view in reversed(self.all_views())))
        return [tool for tools in listed for tool in tools]

    # -- keeping ------------------------------------------------------------------------------------

    def all_views(self) -> list[AppView]:
        """Every open view, oldest first."""
        with self._lock:
            return list(self._views.values())

    def last(self) -> AppView | None:
        """The view opened last that is still open."""
        views = self.all_views()
        return views[-1] if views else None

    async def end_views(self, app: App, reason: str) -> None:
        """End every open page of an app, with a word to each first; on the session loop."""
        await asyncio.gather(*(view.end_here(reason) for view in self.all_views() if view.app is app))

    def _forget(self, view: AppView) -> None:
        with self._lock:
            self._views.pop(view.key, None)

    def before_cell(self, cell_id: str | None) -> None:
        """A cell begins: views of its earlier run are to end when it is done."""
        self._cell = cell_id
        self._logs.before_cell(cell_id)
        self._of_earlier_run = [view for view in self.all_views() if cell_id and view.cell_id == cell_id]

    def after_cell(self) -> None:
        """A cell is done: one page a cell, the newest."""
        old, self._of_earlier_run = self._of_earlier_run, []
        self._cell = None
        for view in old:
            view.close()
        for view in self.all_views():
            view.skip_next_display(False)
        self._logs.after_cell()

    def close_all(self, reason: str) -> None:
        """End every view; at unload."""
        end = time.monotonic() + 2
        for view in self.all_views():
            if time.monotonic() < end:
                view.end(reason)
        self._logs.close_all()
        release(self._get_kernel())


async def prepare(
    app: App, tool: str | None, arguments: Mapping[str, Any], *, streams: bool = False
) -> tuple[Tool | None, str]:
    """Start the app and say what to show; on the session loop.

    Where the arguments are still being written (`streams`) they are checked when they are whole.

    Raises
    ------
    McpAppsError
        It does not start, has no such tool or page, or the arguments do not fit.
    """
    await app.connection().ready(Caller())
    found, uri = app.page_of(tool)
    if found is not None:
        if not streams:
            app.check_call(found.name, arguments)
    elif arguments or streams:
        raise InvalidArguments(f"{uri} is a page without a tool and takes no arguments.")
    return found, uri
