"""Requests to a server that may want a login: with the kept tokens, else with the person's help."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable

import httpx2

from mcpapps_jupyter.callbacks import ServerRequests
from mcpapps_jupyter.oauth.flow import Flow, LoginFailed, wants_login
from mcpapps_jupyter.oauth.storage import LoginFile, Stored
from mcpapps_jupyter.ports import Asker


class Login(httpx2.Auth):
    """The ``httpx2`` authentication of one connection.

    It acts only where the server answers 401, or 403 for want of a scope, or where a kept token has ended.
    Whoever is sent to log in may take their time: meanwhile the clocks of `requests` stand still.

    Parameters
    ----------
    app_id
        For messages.
    file
        Where the login is kept.
    requests
        Knows whose call a question belongs to, and that somebody is being asked.
    asker
        Brings the person to the login page.
    note
        Writes a line into the app's log.
    """

    def __init__(
        self,
        app_id: str,
        file: LoginFile,
        *,
        requests: ServerRequests,
        asker: Asker,
        note: Callable[[str], None],
    ) -> None:
        self._app_id = app_id
        self._file = file
        self._requests = requests
        self._asker = asker
        self._note = note
        self._stored = file.read()
        self._turn = asyncio.Lock()
        #: Why nobody is asked again on this connection.
        self._refusal = ""
        self._nothing_offered = False
        #: The server has taken our tokens. What fails later on may go well at the next try.
        self._welcome = False

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send `request`, with tokens where there are any, after a login where it takes one."""
        sent = self._stored.access_token
        if sent:
            request.headers["Authorization"] = f"Bearer {sent}"
        refused: httpx2.Response | None = None
        if not _must_refresh(self._stored):
            response = yield request
            if not wants_login(response):
                self._welcome = self._welcome or bool(sent and response.is_success)
                return
            if self._nothing_offered or request.method == "DELETE":
                return
            refused = response
        # The SDK's flow keeps other requests waiting for as long as one takes, so only those that need it
        # come this far.
        async with self._turn:
            if self._refusal:
                raise LoginFailed(self._refusal)
            self._stored = self._file.read()  # another kernel, or the request before us, may have new tokens
            if self._stored.access_token != sent:
                refused = None
            flow = Flow(
                self._app_id,
                self._file,
                request,
                refused,
                requests=self._requests,
                asker=self._asker,
                may_ask=self._may_ask(request),
                note=self._note,
            )
            steps = flow.run()
            try:
                outgoing = await anext(steps)
                while True:
                    outgoing = await steps.asend((yield outgoing))
            except StopAsyncIteration:
                self._welcome = self._welcome or flow.welcome
                self._nothing_offered = flow.nothing_offered
            except LoginFailed as failed:
                if failed.final or not self._welcome:
                    self._refusal = str(failed)
                raise
            finally:
                await steps.aclose()
                flow.close()
                self._stored = self._file.read()

    def _may_ask(self, request: httpx2.Request) -> bool:
        """Whether somebody waits for this request: later on nobody does for notifications and events."""
        return not self._welcome or (request.method == "POST" and _has_answer(request))


def _has_answer(request: httpx2.Request) -> bool:
    """Whether this is a JSON-RPC request."""
    try:
        frame = json.loads(request.content)
    except (ValueError, httpx2.StreamError):
        return False
    return isinstance(frame, dict) and "id" in frame and "method" in frame


def _must_refresh(stored: Stored) -> bool:
    """Whether the kept access token has ended and can be exchanged for a new one."""
    over = stored.expires_at is not None and time.time() > stored.expires_at
    return over and stored.client is not None and bool((stored.tokens or {}).get("refresh_token"))
