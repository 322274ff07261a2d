"""One connection with one MCP server, in either protocol era.

The 2025 era (handshake) and the 2026 era (``server/discover``) differ in how change events,
logs and questions travel; nothing above this module needs to know which one was negotiated.
Everything here runs on the session loop.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, cast

import mcp_types as types
from mcp import Client, MCPError
from mcp.client import advertise
from mcp.client.session import ClientRequestContext, ClientSession
from mcp.shared.dispatcher import ProgressFnT
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from mcpapps_jupyter.callbacks import ServerRequests
from mcpapps_jupyter.deadline import Deadline
from mcpapps_jupyter.errors import ConnectionLost, McpAppsError, ProtocolFailure, RequestTimeout, in_words
from mcpapps_jupyter.listener import Listener
from mcpapps_jupyter.ports import Caller, ClientTransport, Progress, ServerEvent

#: MCP Apps extension identifier and what we render (spec 2026-01-26, "Capability negotiation").
UI_EXTENSION = "io.modelcontextprotocol/ui"
UI_SETTINGS = {"mimeTypes": ["text/html;profile=mcp-app"]}

_MAX_PAGES = 100
_MAX_ITEMS = 10_000
_MAX_ROUNDS = 10
#: What the SDK says of requests that a connection's end left without an answer.
_CLOSED = "Connection closed"
#: Results are taken raw: the SDK's models would drop vendor keys and nulls, which pages rely on.
_RAW: TypeAdapter[Any] = TypeAdapter(dict[str, Any])


class _Request(types.Request[dict[str, Any], str]):
    """Any request by its wire method: answers then come back as raw dicts."""

    method: str
    params: dict[str, Any]


class Session:
    """The one connection that cells, pages and models share.

    Parameters
    ----------
    transport
        Yields the SDK's pair of streams.
    requests
        Answers what the server asks.
    mode
        ``auto``, ``legacy`` or a protocol version (`mcp.Client`'s ``mode``).
    on_event
        Gets every `ServerEvent`.
    on_lost
        Called once with a reason when the connection ends by itself.
    version
        Our own version, for ``clientInfo``.
    """

    def __init__(
        self,
        transport: ClientTransport,
        *,
        requests: ServerRequests,
        mode: str,
        on_event: Callable[[ServerEvent], None],
        on_lost: Callable[[str], None],
        version: str,
    ) -> None:
        self._transport = transport
        self._requests = requests
        self._mode = mode
        self._on_event = on_event
        self._on_lost = on_lost
        self._version = version
        self._client: Client | None = None
        self._stopping = asyncio.Event()
        self._owner: asyncio.Task[None] | None = None
        self._negotiated = ""
        self._lost: str | None = None
        self._subscribers: dict[str, set[str]] = {}
        self._subscribing = asyncio.Lock()
        self._listener: Listener | None = None
        #: The HTTP server no longer knows this session: whatever is sent is refused, unseen by it.
        self.expired = False

    # -- life -----------------------------------------------------------------------------

    async def open(self) -> None:
        """Connect and negotiate.

        Raises
        ------
        McpAppsError
            With the cause in words.
        """
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # One owner task enters and leaves the client: anyio scopes must end in the task that began them.
        self._owner = asyncio.create_task(self._own(ready), name="mcpapps-session")
        try:
            await asyncio.shield(ready)
        except asyncio.CancelledError:
            await self.close()
            raise

    async def _own(self, ready: asyncio.Future[None]) -> None:
        try:
            client = Client(
                self._transport,
                mode="legacy" if self._mode in HANDSHAKE_PROTOCOL_VERSIONS else self._mode,
                cache=None,
                log_level="info",
                client_info=types.Implementation(name="mcpapps_jupyter", version=self._version),
                extensions=[advertise(UI_EXTENSION, UI_SETTINGS)],
                elicitation_callback=self._requests.on_elicitation,
                list_roots_callback=self._requests.on_roots,
                sampling_callback=self._requests.on_sampling if self._requests.sample else None,
                message_handler=self._on_message,
            )
            async with client:
                if self._mode in MODERN_PROTOCOL_VERSIONS:
                    await self._discover(client.session, self._mode)
                self._client = client
                self._negotiated = client.protocol_version
                if not ready.done():
                    ready.set_result(None)
                await self._stopping.wait()
        except asyncio.CancelledError:
            ready.cancel()
            raise
        except BaseException as error:  # noqa: BLE001 - the SDK raises groups; each ends in one line
            reason = in_words(error)
            if not ready.done():
                ready.set_exception(ConnectionLost(reason))
            else:
                self.lost(reason)
        finally:
            self._client = None

    @staticmethod
    async def _discover(session: ClientSession, version: str) -> None:
        """Ask what the server offers: where a version is given, the SDK takes it without looking."""
        try:
            session.adopt(types.DiscoverResult.model_validate(await session.send_discover(version)))
        except (MCPError, ValidationError, RuntimeError) as error:
            raise ConnectionLost(f"the server does not speak protocol {version}: {in_words(error)}") from None

    def lost(self, reason: str) -> None:
        """Note that the connection ended by itself; tells `on_lost` once."""
        if self._lost is None and not self._stopping.is_set():
            self._lost = reason
            self._on_lost(reason)

    async def close(self, *, hurry: bool = False) -> None:
        """End the connection; returns when the server is gone, sooner and less gently with `hurry`."""
        self._stopping.set()
        if hurry:
            self.hurry()
        if self._listener is not None:
            await self._listener.close()
        owner = self._owner
        if owner is None:
            return
        if self._client is None and not owner.done():
            owner.cancel()  # still connecting: nobody waits for the stop event yet
        await asyncio.wait({owner})
        if not owner.cancelled():
            owner.exception()

    def hurry(self) -> None:
        """Be less patient with a server that is being taken leave of."""
        self._transport.hurry = True

    @property
    def alive(self) -> bool:
        """Whether requests can be sent."""
        return self._client is not None and self._lost is None and not self._stopping.is_set()

    @property
    def lost_by(self) -> str | None:
        """Why the connection ended by itself, or None."""
        return self._lost

    # -- what was negotiated ----------------------------------------------------------------

    def _connected(self) -> Client:
        if self._client is None or self._lost is not None:
            raise ConnectionLost(self._lost or "the connection is closed")
        return self._client

    @property
    def protocol_version(self) -> str:
        """The negotiated protocol version."""
        return self._negotiated

    @property
    def modern(self) -> bool:
        """Whether the 2026 era was negotiated."""
        return self.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def capabilities(self) -> dict[str, Any]:
        """The server's capabilities, as on the wire."""
        dumped = self._connected().server_capabilities.model_dump(
            by_alias=True, mode="json", exclude_none=True
        )
        return dict(dumped)

    @property
    def server_info(self) -> dict[str, Any]:
        """``{"name", "version", …}`` of the server, or an empty dict."""
        info = self._connected().server_info
        return info.model_dump(by_alias=True, mode="json", exclude_none=True) if info else {}

    @property
    def instructions(self) -> str | None:
        """The server's instructions for models."""
        return self._connected().instructions

    # -- requests ---------------------------------------------------------------------------

    @property
    def idle(self) -> bool:
        """Whether no request is under way."""
        return self._requests.idle

    async def settled(self, seconds: float) -> None:
        """Wait until no request is under way, at most `seconds`."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._requests.none_in_flight(), seconds)

    async def request(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float,
        caller: Caller = Caller(),  # noqa: B008 - frozen
        on_progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Send one request and return the server's answer as it came.

        Parameters
        ----------
        timeout
            Seconds without a sign of life; progress extends it and a question pauses it.

        Raises
        ------
        ProtocolFailure
            The server answered with a JSON-RPC error, or with something malformed.
        RequestTimeout, ConnectionLost
            No answer came.
        """
        deadline = Deadline(timeout, asked=self._requests.asked)

        async def progress(done: float, total: float | None, message: str | None) -> None:
            deadline.touch()
            if on_progress is not None:
                await on_progress(done, total, message)

        with self._requests.calling(caller):
            try:
                return await deadline.bound(self._rounds(method, dict(params or {}), progress))
            except TimeoutError:
                message = f"no answer to {method} within {timeout:g} s (requestTimeoutSeconds)"
                raise RequestTimeout(message) from None

    async def _rounds(self, method: str, params: dict[str, Any], progress: Progress) -> dict[str, Any]:
        """Send, and in the 2026 era answer what the server needs to know first, until it is done."""
        asked = params
        for _ in range(_MAX_ROUNDS):
            raw = await self._send(method, asked, progress)
            if raw.get("resultType") != "input_required":
                raw.pop("resultType", None)
                return raw
            asked = {**params, **await self._inputs(raw)}
        message = f"the server asked for input {_MAX_ROUNDS} times without finishing {method}"
        raise ProtocolFailure(message)

    async def _inputs(self, raw: dict[str, Any]) -> dict[str, Any]:
        try:
            needed = types.InputRequiredResult.model_validate(raw)
        except ValidationError as error:
            raise _malformed("what the server asks first", error) from None
        session = self._connected().session
        answers: dict[str, Any] = {}

        async def answer(key: str, request: Any) -> None:
            context = ClientRequestContext(session=session, request_id=key, meta=None)
            response = await session.dispatch_input_request(context, request)
            if isinstance(response, types.ErrorData):
                raise ProtocolFailure(response.message, response.code, response.data)
            answers[key] = response.model_dump(by_alias=True, mode="json", exclude_none=True)

        wanted = needed.input_requests or {}
        if wanted:
            asking = [asyncio.ensure_future(answer(key, request)) for key, request in wanted.items()]
            try:
                await asyncio.gather(*asking)
            finally:  # once one has failed, nobody needs the other answers
                for task in asking:
                    task.cancel()
        else:
            await asyncio.sleep(0.1)  # the server only hands its state back and forth: do not spin
        state = {"requestState": needed.request_state} if needed.request_state is not None else {}
        return {**({"inputResponses": answers} if answers else {}), **state}

    async def _send(self, method: str, params: dict[str, Any], progress: Progress | None) -> dict[str, Any]:
        client = self._connected()
        request = _Request(method=method, params=params)
        try:
            try:
                return await self._raw(client, request, progress)
            except MCPError as error:
                if error.code != types.HEADER_MISMATCH or method != "tools/call":
                    raise
                # The server mirrors arguments into headers by a schema that the SDK has not seen yet.
                async for _ in self._pages("tools/list", typed=True):
                    pass
                return await self._raw(client, request, progress)
        except MCPError as error:
            # The code alone does not tell: servers use -32000 for errors of their own.
            failure = getattr(self._transport, "failure", None)
            ours = not self.alive or error.message == _CLOSED
            if error.code == types.CONNECTION_CLOSED and (failure or ours):
                raise ConnectionLost(failure or self._lost or "the connection was closed") from None
            raise ProtocolFailure(error.message, error.code, error.data) from None
        except ValidationError as error:
            raise _malformed(f"the server's answer to {method}", error) from None
        except (ValueError, RecursionError) as error:  # pydantic goes some 250 levels deep
            raise ProtocolFailure(f"{method} carries what nests too deep: {in_words(error)}") from None

    @staticmethod
    async def _raw(client: Client, request: _Request, progress: Progress | None) -> dict[str, Any]:
        callback = cast("ProgressFnT | None", progress)
        return cast(
            "dict[str, Any]", await client.session.send_request(request, _RAW, progress_callback=callback)
        )

    async def _pages(self, method: str, *, typed: bool = False) -> AsyncIterator[dict[str, Any]]:
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            if typed:
                page = await self._connected().session.list_tools(
                    params=types.PaginatedRequestParams(cursor=cursor)
                )
                raw = page.model_dump(by_alias=True, mode="json", exclude_none=True)
            else:
                raw = await self._send(method, {"cursor": cursor} if cursor is not None else {}, None)
            yield raw
            following = raw.get("nextCursor")
            if not isinstance(following, str) or following == cursor:
                return
            cursor = following

    async def list_all(self, method: str, key: str, *, timeout: float) -> tuple[list[dict[str, Any]], bool]:
        """Every item of a listing, page by page, and whether it was cut (100 pages, 10,000 items).

        Raises
        ------
        ProtocolFailure, RequestTimeout, ConnectionLost
            The listing failed.
        """
        items: list[dict[str, Any]] = []
        pages = 0
        goes_on = False

        async def collect() -> None:
            nonlocal pages, goes_on
            async for raw in self._pages(method):
                deadline.touch()
                pages += 1
                goes_on = isinstance(raw.get("nextCursor"), str)
                entries = raw.get(key)
                items.extend(entry for entry in entries if isinstance(entry, dict)) if isinstance(
                    entries, list
                ) else None
                if len(items) >= _MAX_ITEMS:
                    return

        deadline = Deadline(timeout, asked=self._requests.asked)
        try:
            await deadline.bound(collect())
        except TimeoutError:
            raise RequestTimeout(f"no answer to {method} within {timeout:g} s") from None
        full = pages >= _MAX_PAGES or len(items) >= _MAX_ITEMS
        return items[:_MAX_ITEMS], (full and goes_on) or len(items) > _MAX_ITEMS

    # -- change events -----------------------------------------------------------------------

    async def listen(self) -> None:
        """Begin to receive change events and logs, by the way of the era."""
        if self.modern:
            self._listener = Listener(self._connected(), self._missed)
            await self._listener.follow(frozenset())
        elif "logging" in self.capabilities:
            with contextlib.suppress(McpAppsError):
                await self.request("logging/setLevel", {"level": "info"}, timeout=5)

    async def roots_changed(self) -> None:
        """Tell the server; in the 2026 era it asks anew each time it needs to know."""
        if not self.modern:
            notification = types.RootsListChangedNotification()
            with contextlib.suppress(Exception):  # a session that ends meanwhile need not know
                await self._connected().session.send_notification(notification)

    def _missed(self) -> None:
        """The stream of events was interrupted: whatever there is may have changed meanwhile."""
        for kind in ("tools", "prompts", "resources"):
            self._on_event(ServerEvent(f"{kind}/list_changed", {}))
        for uri in tuple(self._subscribers):
            self._on_event(ServerEvent("resources/updated", {"uri": uri}))

    async def subscribe(self, uri: str, subscriber: str, *, timeout: float) -> None:
        """Ask for ``resources/updated`` of `uri` on behalf of `subscriber`; once more changes nothing."""
        async with self._subscribing:
            if uri not in self._subscribers:
                await self._tell_subscription("subscribe", uri, {*self._subscribers, uri}, timeout)
            self._subscribers.setdefault(uri, set()).add(subscriber)

    async def unsubscribe(self, uri: str, subscriber: str, *, timeout: float) -> None:
        """End the subscription of `subscriber`; the last one ends it at the server."""
        async with self._subscribing:
            subscribers = self._subscribers.get(uri, set())
            subscribers.discard(subscriber)
            if subscribers or uri not in self._subscribers:
                return
            del self._subscribers[uri]
            await self._tell_subscription("unsubscribe", uri, set(self._subscribers), timeout)

    async def _tell_subscription(self, verb: str, uri: str, uris: set[str], timeout: float) -> None:
        if self._listener is not None:
            await self._listener.follow(frozenset(uris))
        else:
            await self.request(f"resources/{verb}", {"uri": uri}, timeout=timeout)

    async def _on_message(self, message: Any) -> None:
        """Pass notifications on; both eras deliver them here."""
        if isinstance(message, Exception):
            return
        try:
            wire = message.model_dump(by_alias=True, mode="json", exclude_none=True)
        except (ValueError, RecursionError):
            return  # nests too deep for anybody to read
        kind = str(wire.get("method", "")).removeprefix("notifications/")
        self._on_event(ServerEvent(kind, wire.get("params") or {}))


def _malformed(what: str, error: ValidationError) -> ProtocolFailure:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return ProtocolFailure(f"{what} is malformed: {where}: {first['msg']}")
