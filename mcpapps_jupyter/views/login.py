"""A login at a remote server: where to go, shown in the cell that waits or above the page that calls."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mcpapps_jupyter.host_thread import HostThread
from mcpapps_jupyter.html import escape
from mcpapps_jupyter.ports import LoginRequest
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.views.output import emit, replace
from mcpapps_jupyter.views.question import QuestionView, in_cell, run_in_cell

if TYPE_CHECKING:
    from mcpapps_jupyter.views.widget import AppView

_FIELD = "address"
_WHERE = "Use a browser on the machine that the kernel runs on."
_ELSEWHERE = (
    "Is your browser on another machine? Log in all the same: it ends at a page that cannot be shown. "
    "Paste the address of that page here."
)


class LoginInCell:
    """The link in the cell's output, and below it a field for the address that the browser ended at.

    Parameters
    ----------
    make_form
        Makes the field's widget; called on the thread that runs cells.
    thread
        The host's.
    app_name, request
        Whose server it is, and what it wants.
    """

    def __init__(
        self,
        make_form: Callable[[], QuestionView],
        thread: HostThread,
        app_name: str,
        request: LoginRequest,
    ) -> None:
        self._make_form = make_form
        self._thread = thread
        self._app_name = clean_line(app_name, 80)
        self._request = request
        self._display_id = f"mcpapp-login-{uuid.uuid4().hex[:8]}"
        self._form: QuestionView | None = None
        self._shown = False

    async def show(self) -> None:
        """Show the link, and the field where widgets can be shown."""
        await in_cell(self._thread, self._show)

    def _show(self) -> None:
        emit(link_bundle(self._app_name, self._request), display_id=self._display_id)
        self._shown = True
        with contextlib.suppress(Exception):  # without widgets the link does, for a browser on this machine
            form = self._make_form()
            form.show()
            self._form = form

    async def ask_for_address(self, problem: str) -> str | None:
        """Wait for a pasted address; None when the person declines."""
        if self._form is None:
            await asyncio.Event().wait()
        assert self._form is not None
        answer = await self._form.asking.ask(address_question(self._app_name, problem), seconds=None)
        return _address(answer)

    def conclude(self, outcome: str) -> None:
        """Replace link and field by one line, which is also what a saved notebook keeps."""
        run_in_cell(self._thread, lambda: self._conclude(outcome))

    def _conclude(self, outcome: str) -> None:
        if self._shown:
            replace({"text/plain": concluding_line(self._app_name, self._request, outcome)}, self._display_id)
        if self._form is not None:
            self._form.conclude("")


class LoginAbovePage:
    """A button that opens the link, above the page, and then the field for the address.

    Parameters
    ----------
    view
        The page's view.
    app_name, request
        Whose server it is, and what it wants.
    """

    def __init__(self, view: AppView, app_name: str, request: LoginRequest) -> None:
        self._view = view
        self._app_name = app_name
        self._request = request
        self._opened = False

    async def show(self) -> None:
        """Nothing yet: a page has one question at a time above it."""

    async def ask_for_address(self, problem: str) -> str | None:
        """Wait for the click on the link, then for a pasted address; None when the person declines."""
        if not self._opened:
            text = f"Log in at {_host(self._request.url)} to go on. {_WHERE}"
            answer = await self._view.ask({**_asks(self._app_name, text), "url": self._request.url})
            if answer.get("decision") != "accept":
                return None
            self._opened = True
        return _address(await self._view.ask(address_question(self._app_name, problem)))

    def conclude(self, outcome: str) -> None:
        """Nothing: the questions above a page go by themselves."""


def link_bundle(app_name: str, request: LoginRequest) -> dict[str, str]:
    """The link as HTML and as text."""
    host = _host(request.url)
    html = (
        f"<div><b>{escape(app_name)}</b> wants you to log in: "
        f'<a href="{escape(request.url)}" target="_blank" rel="noopener noreferrer">'
        f"log in at {escape(host)}</a>.<br><small>{escape(_WHERE)}</small></div>"
    )
    text = f"{app_name} wants you to log in at {host}. {_WHERE} Open:\n{request.url}"
    return {"text/html": html, "text/plain": text}


def address_question(app_name: str, problem: str) -> dict[str, Any]:
    """The question for the address, in the form of an elicitation."""
    field = {"type": "string", "title": "Address that the browser ended at", "minLength": 1}
    schema = {"type": "object", "properties": {_FIELD: field}, "required": [_FIELD]}
    return {**_asks(app_name, problem or _ELSEWHERE), "schema": schema}


def concluding_line(app_name: str, request: LoginRequest, outcome: str) -> str:
    """What stays of a login."""
    return f"{app_name} ({_host(request.url)}): {clean_line(outcome, 300).rstrip('.')}."


def _asks(app_name: str, text: str) -> dict[str, Any]:
    return {"type": "elicitation", "app": app_name, "title": app_name, "text": text}


def _address(answer: dict[str, Any]) -> str | None:
    content = answer.get("content")
    if answer.get("decision") != "accept" or not isinstance(content, dict):
        return None
    return str(content.get(_FIELD, ""))


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2]
