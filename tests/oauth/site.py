"""A remote MCP server that wants a login, and the authorization server that it trusts, on two ports."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mcp.server.apps import Apps
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    RefreshToken,
    TokenError,
    TokenVerifier,
    construct_redirect_uri,
)
from mcp.server.auth.routes import create_auth_routes
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.core.support import WAIT
from tests.transports.web import Serving

SCOPES = ["read", "write"]
_PAGE = "ui://remote/page.html"


class Authority:
    """An authorization server that lets everybody in at once; what it knows can be looked at and spoilt."""

    def __init__(self) -> None:
        #: Seconds that an access token lasts.
        self.lifetime = 3600
        self.gives_refresh_tokens = True
        self.denies = False
        #: What a login may do at most.
        self.grants = SCOPES
        self.refreshes = 0
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refresh: dict[str, RefreshToken] = {}
        #: What each login asked for.
        self.logins: list[AuthorizationParams] = []

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        self.logins.append(params)
        if self.denies:
            raise AuthorizeError("access_denied", "You said no")
        code = AuthorizationCode(
            code=secrets.token_urlsafe(32),
            scopes=[scope for scope in params.scopes or ["read"] if scope in self.grants],
            expires_at=time.time() + 300,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._issue(client.client_id, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        if self.refresh.pop(refresh_token.token, None) is None:
            raise TokenError("invalid_grant")
        self.refreshes += 1
        return self._issue(client.client_id, scopes, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        raise NotImplementedError

    def _issue(self, client_id: str, scopes: list[str], resource: str | None) -> OAuthToken:
        access = AccessToken(
            token=f"access-{secrets.token_urlsafe(24)}",
            client_id=client_id,
            scopes=scopes,
            resource=resource,
        )
        refresh = RefreshToken(
            token=f"refresh-{secrets.token_urlsafe(24)}",
            client_id=client_id,
            scopes=scopes,
            resource=resource,
        )
        self.access[access.token] = access
        if self.gives_refresh_tokens:
            self.refresh[refresh.token] = refresh
        return OAuthToken(
            access_token=access.token,
            expires_in=self.lifetime,
            scope=" ".join(scopes),
            refresh_token=refresh.token if self.gives_refresh_tokens else None,
        )

    # -- what tests do to it ------------------------------------------------------------------------

    def end_access(self) -> None:
        """Every access token is worth nothing from now on."""
        self.access.clear()

    def end_logins(self) -> None:
        """Nor is any refresh token: only a new login helps."""
        self.access.clear()
        self.refresh.clear()

    def forget_everybody(self) -> None:
        """As after a restart of one that keeps everything in memory."""
        for known in (self.clients, self.codes, self.access, self.refresh):
            known.clear()


class _Verifier(TokenVerifier):
    def __init__(self, authority: Authority) -> None:
        self._authority = authority

    async def verify_token(self, token: str) -> AccessToken | None:
        return await self._authority.load_access_token(token)


class _Knowing(Serving):
    """Serves an app that has to know its own address."""

    def __init__(self, make: Callable[[str], ASGIApp]) -> None:
        self._make = make
        self._made: ASGIApp | None = None
        super().__init__(self)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._made is None:
            self._made = self._make(self.url(""))
        await self._made(scope, receive, send)


class Site:
    """Both servers.

    Parameters
    ----------
    registration
        Whether the authorization server registers clients that it does not know.
    old
        Whether the server speaks the old transport, HTTP+SSE.
    page
        The page of its tool ``show``.
    """

    def __init__(self, *, registration: bool = True, old: bool = False, page: str = "<p>A page.") -> None:
        self.authority = Authority()
        #: What a token must allow; more can be asked for at any time.
        self.required_scopes: list[str] = []
        self._registration = registration
        self._old = old
        self._page = page
        self._journal: list[str] = []
        self._authority_server = _Knowing(self._make_authority)
        self._server = _Knowing(self._make_server)
        self.authority_url = self._authority_server.url("")
        self.url = self._server.url("/sse" if old else "/mcp")

    def close(self) -> None:
        for server in (self._server, self._authority_server):
            server.stop()

    def asked(self, request: str) -> int:
        """How often the authorization server got ``POST /token`` and the like."""
        return self._journal.count(request)

    def _make_authority(self, url: str) -> ASGIApp:
        options = ClientRegistrationOptions(
            enabled=self._registration, valid_scopes=SCOPES, default_scopes=["read"]
        )
        app = Starlette(
            routes=create_auth_routes(self.authority, AnyHttpUrl(url), client_registration_options=options)
        )

        async def noted(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                self._journal.append(f"{scope['method']} {scope['path']}")
            await app(scope, receive, send)

        return noted

    def _make_server(self, url: str) -> ASGIApp:
        apps = Apps()
        apps.add_html_resource(_PAGE, self._page)

        @apps.tool(resource_uri=_PAGE)
        def show() -> str:
            """Show the page."""
            return "shown"

        server = MCPServer(
            "remote",
            extensions=[apps],
            token_verifier=_Verifier(self.authority),
            auth=AuthSettings(
                issuer_url=AnyHttpUrl(self._authority_server.url("")),
                resource_server_url=AnyHttpUrl(f"{url}/{'sse' if self._old else 'mcp'}"),
                required_scopes=["read"],
                validate_token_resource=True,
            ),
        )

        assert server.settings.auth is not None
        self.required_scopes = server.settings.auth.required_scopes or []
        here = asyncio.Event()

        @server.tool()
        def hello() -> str:
            """Greet."""
            return "hello"

        @server.tool()
        async def wait() -> str:
            """Come back when somebody calls `come`."""
            await asyncio.wait_for(here.wait(), WAIT)
            return "met"

        @server.tool()
        async def come() -> str:
            """Let those go who wait."""
            here.set()
            return "here"

        app = server.sse_app() if self._old else server.streamable_http_app(json_response=True)

        async def saying_scopes(scope: Scope, receive: Receive, send: Send) -> None:
            async def say(message: Any) -> None:
                if message["type"] == "http.response.start" and message["status"] == 403:
                    wanted = f', scope="{" ".join(self.required_scopes)}"'.encode()
                    message["headers"] = [
                        (name, value + wanted if name == b"www-authenticate" else value)
                        for name, value in message["headers"]
                    ]
                await send(message)

            await app(scope, receive, say)

        return saying_scopes


@contextmanager
def site(**settings: Any) -> Iterator[Site]:
    """A server that wants a login, and its authorization server."""
    both = Site(**settings)
    try:
        yield both
    finally:
        both.close()
