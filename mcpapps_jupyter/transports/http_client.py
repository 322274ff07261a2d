"""The HTTP client of one MCP connection: failures come back as answers, in words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import httpx2
from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND

from mcpapps_jupyter.errors import McpAppsError
from mcpapps_jupyter.redact import shortened
from mcpapps_jupyter.transports.frames import LINE_LIMIT, is_frame

_SESSION, _VERSION = "mcp-session-id", "mcp-protocol-version"

# Seconds. No read limit: a tool may be silent for long, and whoever asked has a clock.
_TIMEOUT = httpx2.Timeout(30.0, read=None)

# Servers close idle connections after 5 s as a rule; one reused at that moment would lose its request.
_LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=4.0)

# A proxy of the environment cannot reach this machine's own servers.
_DIRECT = {"all://localhost": None, "all://127.0.0.1": None, "all://[::1]": None}

# What a server that only speaks the old HTTP+SSE transport, or a router before it, answers to a POST.
_REFUSALS = frozenset({400, 404, 405, 406, 410, 415, 422})

# Many servers answer 400 where the specification wants 404.
_SESSION_UNKNOWN = re.compile(
    r"\bsession\b.*\b(?:not found|unknown|expired|terminated)"
    r"|\b(?:no valid|invalid|missing|unknown|expired)\b.*\bsession\b"
    r"|\bserver not initialized\b",
    re.IGNORECASE,
)


class EndpointClient(httpx2.AsyncClient):
    """An ``httpx2.AsyncClient`` for one MCP endpoint.

    A request that fails never raises: it is answered with a JSON-RPC error that says why, so one lost
    request does not take the connection and the other requests with it.

    Parameters
    ----------
    headers, auth
        Sent with every request.
    on_unreachable
        The server takes no connections (any more): why, in words.
    on_session_lost
        The server does not know our session any more.
    on_activity
        Something was received.
    """

    def __init__(
        self,
        *,
        headers: dict[str, str],
        auth: httpx2.Auth | None,
        on_unreachable: Callable[[str], None],
        on_session_lost: Callable[[], None],
        on_activity: Callable[[], None],
    ) -> None:
        super().__init__(headers=headers, auth=auth, timeout=_TIMEOUT, limits=_LIMITS, mounts=_DIRECT)
        self._on_unreachable = on_unreachable
        self._on_session_lost = on_session_lost
        self._on_activity = on_activity
        self.session_id: str | None = None
        self.protocol_version: str | None = None
        self.session_lost = False
        #: The very first POST was refused by something that does not speak JSON-RPC.
        self.refused = False
        self._first_post = True
        self._listened = False

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send `request`, as ``httpx2.AsyncClient.send`` does; a failure becomes a response."""
        session = request.headers.get(_SESSION)
        if session and self.session_lost:
            return _answer(request, 404, INVALID_REQUEST, "the server has forgotten this session")
        self.protocol_version = request.headers.get(_VERSION) or self.protocol_version
        try:
            response = await super().send(request, **options)
            self._on_activity()
            if request.method == "POST":
                return await self._posted(request, response, session)
        except McpAppsError as error:  # of the authentication, in words
            return _answer(request, 401, INTERNAL_ERROR, str(error))
        except httpx2.TransportError as error:
            reason = unreachable(error, _meant(error, request))
            if isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError)):
                self._on_unreachable(reason)
            return _answer(request, 503, CONNECTION_CLOSED, reason)
        if request.method == "GET" and session:
            # 404 on a stream that worked before; without that it may mean "no such stream here".
            if response.status_code == 404 and self._listened:
                self._lose_session()
            self._listened = self._listened or response.is_success
        return response

    async def _posted(
        self, request: httpx2.Request, response: httpx2.Response, session: str | None
    ) -> httpx2.Response:
        first, self._first_post = self._first_post, False
        self.session_id = response.headers.get(_SESSION) or self.session_id
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.is_success:
            # Read here, where a connection that breaks half-way can still be answered for.
            return await _read(request, response) if kind == "application/json" else response
        if response.status_code < 400:
            return response  # a redirect: the SDK's business
        response = await _read(request, response)
        error = _rpc_error(response)
        text = error["message"] if error else _text(response)
        if session and (
            response.status_code == 404 or (response.status_code == 400 and _SESSION_UNKNOWN.search(text))
        ):
            self._lose_session()
        if error:
            return response
        if first and response.status_code in _REFUSALS:
            self.refused = True
        where = f"{place(request.url)} answered HTTP {response.status_code} {response.reason_phrase}".rstrip()
        code = METHOD_NOT_FOUND if response.status_code in (404, 405) and not session else INTERNAL_ERROR
        return _answer(
            request, response.status_code, code, f"{where}: {text}" if text else where, response.headers
        )

    def _lose_session(self) -> None:
        if not self.session_lost:
            self.session_lost = True
            self._on_session_lost()

    async def end_session(self, url: str) -> None:
        """Tell the server that we are done with our session, if there is one and it knows it."""
        if self.session_id is None or self.session_lost:
            return
        headers = {_SESSION: self.session_id}
        if self.protocol_version:
            headers[_VERSION] = self.protocol_version
        await self.send(self.build_request("DELETE", url, headers=headers), follow_redirects=False)


def place(url: httpx2.URL | str) -> str:
    """Return `url` without what may be secret in it: user, password, query, fragment."""
    url = httpx2.URL(url)
    return str(url.copy_with(userinfo=b"", query=None, fragment=None))


def unreachable(error: Exception, url: httpx2.URL | str) -> str:
    """Return in words that the server behind `url` cannot be reached, and why."""
    if isinstance(error, httpx2.ConnectTimeout):
        why = "the connection timed out"
    else:
        why = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError)):
        return f"{place(url)} cannot be reached: {why}"
    return f"the connection to {place(url)} broke: {why}"


def _meant(error: httpx2.TransportError, request: httpx2.Request) -> httpx2.URL:
    """Whom the request that failed was for: in a login that is somebody else."""
    try:
        return error.request.url
    except RuntimeError:
        return request.url


async def _read(request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
    body = bytearray()
    try:
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > LINE_LIMIT:
                reason = f"the server sent more than {LINE_LIMIT / 1e6:.0f} MB in one answer; it was dropped"
                return _answer(request, 502, CONNECTION_CLOSED, reason)
    finally:
        await response.aclose()
    return httpx2.Response(
        response.status_code, headers=_headers(response.headers), content=bytes(body), request=request
    )


def _headers(headers: httpx2.Headers) -> dict[str, str]:
    """Headers that stay true of a body that was decoded and read."""
    gone = {"content-encoding", "content-length", "transfer-encoding"}
    return {key: value for key, value in headers.items() if key.lower() not in gone}


def _answer(
    request: httpx2.Request, status: int, code: int, message: str, headers: httpx2.Headers | None = None
) -> httpx2.Response:
    error = {"code": code, "message": message, "data": {"httpStatus": status}}
    frame = {"jsonrpc": "2.0", "id": None, "error": error}
    kept = {**_headers(headers or httpx2.Headers()), "content-type": "application/json"}
    return httpx2.Response(status, headers=kept, content=json.dumps(frame).encode(), request=request)


def _rpc_error(response: httpx2.Response) -> dict[str, Any] | None:
    try:
        frame = json.loads(response.content)
    except (ValueError, RecursionError):
        return None
    error = frame.get("error") if is_frame(frame) else None
    well_formed = (
        isinstance(error, dict)
        and isinstance(error.get("code"), int)
        and isinstance(error.get("message"), str)
    )
    return error if well_formed else None


def _text(response: httpx2.Response) -> str:
    """Return what an HTTP error says about itself, in one line."""
    try:
        body = json.loads(response.content)
        said = body.get("error_description") or body.get("message") or body.get("detail") or body.get("error")
        text = said if isinstance(said, str) else json.dumps(body)
    except (ValueError, AttributeError, RecursionError):
        text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", response.text[:20_000], flags=re.DOTALL)
    # The mark tells what masks secrets that one may have been cut here.
    return shortened(" ".join(text.split()), 200)
