"""A server behind a URL: Streamable HTTP, or the old HTTP+SSE transport."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Literal

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest

from mcpapps_jupyter.errors import StartFailed, in_words
from mcpapps_jupyter.transports.frames import LINE_LIMIT, make_json, not_numbers
from mcpapps_jupyter.transports.hooks import Hooks, notify
from mcpapps_jupyter.transports.http_client import EndpointClient, place, unreachable
from mcpapps_jupyter.transports.leaving import Leaving, to_the_end
from mcpapps_jupyter.transports.old_sse import OldSse
from mcpapps_jupyter.transports.streams import Inbox, Outbox
from mcpapps_jupyter.transports.wire import Wire, as_frame

Kind = Literal["http", "sse"]

_GRACE, _HURRIED_GRACE = 2.0, 0.4
_OPEN_SECONDS, _TRIAL_SECONDS = 10.0, 3.0


class HttpTransport(Leaving):
    """Speak with a server over HTTP.

    A request that gets no answer fails alone, with the reason. A server that takes no connections is
    reported as gone, a forgotten session as lost; after either this transport is of no more use: enter a
    new one. Session ids exist in the handshake era only.

    Parameters
    ----------
    url
        The endpoint.
    headers
        Sent with every request; names in any case.
    hooks
        Who is told what happens.
    auth
        An ``httpx2`` authentication flow, such as the SDK's OAuth provider.
    kind
        ``"http"`` for Streamable HTTP, with one try of the old transport where the first POST is refused;
        ``"sse"`` for the old transport. Afterwards `kind` says which one is spoken.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        hooks: Hooks | None = None,
        *,
        auth: httpx2.Auth | None = None,
        kind: Kind = "http",
    ) -> None:
        super().__init__()
        self.kind: Kind = kind
        self._url = url
        self._hooks = hooks or Hooks()
        self._inbox = Inbox()
        self._wire = Wire(self._hooks, self._inbox)
        self._headers = dict(headers or {})
        self._auth = auth
        self._connection: EndpointClient | None = None
        self._deliver: Callable[[SessionMessage], Awaitable[None]] | None = None
        self._first: SessionMessage | None = None
        self._ready = asyncio.Event()
        self._speaking: asyncio.Task[None] | None = None
        self._refusal: StartFailed | None = None
        self._closing = False
        #: Why the connection was lost, in words; None while it was not.
        self.failure: str | None = None

    @property
    def session_id(self) -> str | None:
        """The server's session id, in the handshake era."""
        return self._connection.session_id if self._connection else None

    async def __aenter__(self) -> tuple[Inbox, Outbox]:
        """Open the connection.

        Raises
        ------
        StartFailed
            The headers, the proxy or the certificates cannot be used; or, for ``kind="sse"``, there is no
            such server. Streamable HTTP connects with its first message.
        """
        try:
            self._connection = EndpointClient(
                headers=self._headers,
                auth=self._auth,
                on_unreachable=self._unreachable,
                on_session_lost=lambda: notify(self._hooks.on_session_lost),
                on_activity=lambda: notify(self._hooks.on_activity),
            )
        except (ValueError, ImportError, OSError) as error:
            raise StartFailed(
                f"No connection to {place(self._url)} can be made: {in_words(error)}"
            ) from error
        self._speaking = asyncio.get_running_loop().create_task(self._speak(self._connection))
        try:
            await self._ready.wait()
            if self._refusal is not None:
                raise self._refusal
        except BaseException:
            await to_the_end(self._close())
            raise
        return self._inbox, Outbox(self._send)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection; the server is told to forget the session."""
        await to_the_end(self._close())

    async def _close(self) -> None:
        self._closing = True
        if self._speaking is not None:
            self._speaking.cancel()
            await self._within(_GRACE, _HURRIED_GRACE, _finish(self._speaking))
        if self._connection is not None:
            if self.failure is None:
                await self._within(_GRACE, _HURRIED_GRACE, self._connection.end_session(self._url))
            await self._within(_GRACE, _HURRIED_GRACE, self._connection.aclose())
        self._wire.end("the connection was closed")

    # -- traffic --------------------------------------------------------------------------------------

    async def _send(self, message: SessionMessage) -> None:
        if self.failure is not None or self._deliver is None:
            raise anyio.BrokenResourceError
        if self._first is None:
            self._first = message
        self._wire.outgoing(message.message)
        await self._deliver(message)

    def _receive(self, item: SessionMessage | Exception) -> None:
        if isinstance(item, Exception):
            self._hooks.warn(f"the server sent something unreadable: {in_words(item)}")
            return
        frame = as_frame(item.message)
        if replaced := make_json(frame):
            self._hooks.warn(not_numbers(replaced))
        self._wire.incoming(frame, item.metadata)

    def _unreachable(self, reason: str) -> None:
        # Later, so that the answer to the very request that noticed it arrives first.
        asyncio.get_running_loop().call_soon(self._lost, reason)

    def _lost(self, reason: str) -> None:
        if self._closing or self.failure is not None:
            return
        self.failure = reason
        self._wire.end(reason)
        self._ready.set()
        notify(self._hooks.on_closed, reason)

    # -- the two transports ---------------------------------------------------------------------------

    async def _speak(self, client: EndpointClient) -> None:
        """Run the connection; a task of its own, so that no failure in here reaches the session's owner."""
        try:
            if self.kind == "http":
                await self._speak_streamable(client)
            if self.kind == "sse":
                await self._speak_old(OldSse(client, self._url))
            self._lost(f"{place(self._url)} ended the connection")
        except StartFailed as error:
            self._refusal = error
        except httpx2.TransportError as error:
            self._lost(unreachable(error, self._url))
        except Exception as error:  # noqa: BLE001 - whatever it was, the owner gets it in words
            self._lost(f"the connection to {place(self._url)} failed: {in_words(error)}")
        finally:
            self._ready.set()

    async def _speak_streamable(self, client: EndpointClient) -> None:
        async with streamable_http_client(
            self._url, http_client=client, max_sse_event_size=LINE_LIMIT, terminate_on_close=False
        ) as (read, write):
            self._deliver = write.send
            self._ready.set()
            async for item in read:
                if client.refused and self._answers_first(item):
                    client.refused = False
                    if await self._speaks_old(client):
                        return
                self._receive(item)

    def _answers_first(self, item: SessionMessage | Exception) -> bool:
        return (
            isinstance(item, SessionMessage)
            and isinstance(item.message, JSONRPCError)
            and self._first is not None
            and isinstance(self._first.message, JSONRPCRequest)
        )

    async def _speaks_old(self, client: EndpointClient) -> bool:
        """Whether the server that refused our first POST is one of the old transport."""
        trial = OldSse(client, self._url)
        try:
            await trial.open(_TRIAL_SECONDS)
        except StartFailed:
            return False
        finally:
            with contextlib.suppress(Exception):
                await trial.aclose()
        self.kind = "sse"
        return True

    async def _speak_old(self, old: OldSse) -> None:
        async def deliver(message: SessionMessage) -> None:
            frame = message.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
            if reason := await old.post(frame):
                self._lost(reason)

        try:
            await old.open(_OPEN_SECONDS)
            self._deliver = deliver
            self._ready.set()
            if self._first is not None:  # the message that was refused before
                await deliver(self._first)
            async for text in old.events():
                self._wire.line(text.encode("utf-8", "surrogatepass"))
        finally:
            await old.aclose()


async def _finish(task: asyncio.Task[None]) -> None:
    await asyncio.wait([task])
