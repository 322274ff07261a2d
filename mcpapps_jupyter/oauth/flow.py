"""One request that takes more than the tokens that are there: a refresh, or the person's login.

The SDK's ``OAuthClientProvider`` knows the protocol: discovery, registration, PKCE, exchange, refresh. Here
is what it leaves to others: what is remembered from kernel to kernel, and the person.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, OAuthFlowError
from mcp.client.auth.exceptions import OAuthRegistrationError
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, BaseModel, ValidationError

from mcpapps_jupyter.callbacks import ServerRequests
from mcpapps_jupyter.errors import McpAppsError, in_words
from mcpapps_jupyter.oauth.loopback import Loopback, Returned, port_of
from mcpapps_jupyter.oauth.storage import Json, LoginFile
from mcpapps_jupyter.ports import Asker, LoginPrompt, LoginRequest
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.transports.http_client import place

M = TypeVar("M", bound=BaseModel)

#: What we call ourselves where the person is asked to let us in.
_CLIENT_NAME = "Jupyter notebook (mcpapps_jupyter)"
#: Stands in until there is a port; nobody is ever sent there.
_NOWHERE = "http://127.0.0.1/callback"
#: In the past, and no zero, which would mean "never ends".
_ENDED = 1.0
_UNKNOWN_CLIENT = ("invalid_client", "unauthorized_client")
_WRONG_ADDRESS = "That is not where this login ended. Paste the whole address of the page you were sent to."


class LoginFailed(McpAppsError):  # noqa: N818 - says what happened
    """The server wants a login, and there is none.

    Parameters
    ----------
    message
        The reason, in words.
    final
        Whether nobody is to be asked again on this connection.
    """

    def __init__(self, message: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.final = final


def wants_login(response: httpx2.Response) -> bool:
    """Whether a server refuses for want of a token, or of one that may do more (RFC 6750, section 3.1)."""
    challenge = response.headers.get("www-authenticate", "")
    return response.status_code == 401 or (response.status_code == 403 and "insufficient_scope" in challenge)


class Flow:
    """Drives the SDK's flow for one request.

    Parameters
    ----------
    app_id, file, requests, asker, note
        As for `mcpapps_jupyter.oauth.login.Login`.
    request
        What is to be sent.
    refused
        The server's refusal of it, if it was sent already, with the token that is kept.
    may_ask
        Whether the person may be brought in for it.
    """

    def __init__(
        self,
        app_id: str,
        file: LoginFile,
        request: httpx2.Request,
        refused: httpx2.Response | None,
        *,
        requests: ServerRequests,
        asker: Asker,
        may_ask: bool,
        note: Callable[[str], None],
    ) -> None:
        self._app_id = app_id
        self._file = file
        self._request = request
        self._refused = refused
        self._requests = requests
        self._asker = asker
        self._may_ask = may_ask
        self._note = note
        self._server = place(file.server_url)
        self._authority = self._server
        self._loopback: Loopback | None = None
        self._prompt: LoginPrompt | None = None
        self._begun = self._unknown_client = False
        self._outcome = "not logged in: the login was given up"
        self._url = ""
        #: The server took our tokens.
        self.welcome = False
        #: The server refuses us and has no login to offer either.
        self.nothing_offered = False
        self._provider = self._make_provider()

    # -- the SDK's side ---------------------------------------------------------------------------------

    def _make_provider(self) -> OAuthClientProvider:
        """A provider that knows what is kept: what it learned last may be another kernel's by now."""
        provider = OAuthClientProvider(
            self._file.server_url,
            OAuthClientMetadata(redirect_uris=[AnyUrl(_NOWHERE)], client_name=_CLIENT_NAME),
            self,
            self._take_link,
            self._answer,
        )
        stored, context = self._file.read(), provider.context
        context.token_expiry_time = stored.expires_at
        if self._refused is not None and self._refused.status_code == 401:
            context.token_expiry_time = _ENDED  # it is refreshed, if it can be, before anybody is asked
        context.oauth_metadata = _model(OAuthMetadata, stored.authorization_server)
        context.protected_resource_metadata = _model(ProtectedResourceMetadata, stored.resource)
        if context.protected_resource_metadata is not None:
            context.auth_server_url = str(context.protected_resource_metadata.authorization_servers[0])
        return provider

    async def get_tokens(self) -> OAuthToken | None:
        """The kept tokens (the SDK's ``TokenStorage``)."""
        return _model(OAuthToken, self._file.read().tokens)

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep new tokens, with the registration they were given to and what a later kernel needs."""
        context = self._provider.context
        parts: dict[str, Any] = {
            "tokens": _json(tokens),
            "expires_at": None if tokens.expires_in is None else time.time() + tokens.expires_in,
            "client": _json(context.client_info),
            "resource": _json(context.protected_resource_metadata),
            "authorization_server": _json(context.oauth_metadata),
        }
        if self._loopback is not None:
            parts["redirect_uri"] = self._loopback.redirect_uri
        try:
            self._file.update(**parts)
        except OSError as error:
            self._note(f"the login lasts as long as this kernel only: {in_words(error)}")

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """How the authorization server knows us (the SDK's ``TokenStorage``)."""
        client = _model(OAuthClientInformationFull, self._file.read().client)
        ends = client.client_secret_expires_at if client is not None else None
        return None if ends and ends < time.time() else client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Nothing: a registration is kept with the tokens that it was for."""

    async def run(self) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Give what is to be sent, the request itself included, and take the answers.

        Raises
        ------
        LoginFailed
            In words.
        """
        flow = self._provider.async_auth_flow(self._request)
        try:
            outgoing = await anext(flow)
            if outgoing is not self._request:
                self._refused = None  # a refresh comes first, and then the request is sent anew
            while not self._in_vain(outgoing):
                answer, self._refused = self._refused, None
                if answer is None:
                    answer = yield outgoing
                if self._registers(outgoing) and not self._offers_login and not _is_json(answer):
                    break
                if outgoing is not self._request:
                    await self._look_at(outgoing, answer)
                elif not wants_login(answer):
                    self.welcome, self._outcome = answer.is_success, "logged in"
                elif not self._may_ask:
                    return
                else:
                    await self._prepare(answer)
                outgoing = await flow.asend(answer)
            self.nothing_offered = True
            self._note(
                f"{self._server} offers no login (OAuth); a token of your own belongs into its headers"
            )
            yield self._request  # once more: it is this answer that is to be reported
        except StopAsyncIteration:
            return
        except LoginFailed as failed:
            self._outcome = f"not logged in: {failed}"
            raise
        except (OAuthFlowError, ValueError, httpx2.InvalidURL) as error:
            if self._begun:
                self._register_anew_next_time()
            text = self._worded(error)
            self._outcome = f"not logged in: {text}"
            raise LoginFailed(text) from None
        finally:
            await flow.aclose()

    # -- on the way -------------------------------------------------------------------------------------

    def _registers(self, outgoing: httpx2.Request) -> bool:
        """Whether this request registers us with the authorization server."""
        posts = outgoing.method == "POST" and outgoing is not self._request
        return posts and self._provider.context.client_info is None

    @property
    def _offers_login(self) -> bool:
        """Whether the server described its login; one of the old kind may have one all the same."""
        context = self._provider.context
        return context.oauth_metadata is not None or context.protected_resource_metadata is not None

    def _in_vain(self, outgoing: httpx2.Request) -> bool:
        """Whether there is no login to begin; raises where there is one, but nobody to log in."""
        if not self._registers(outgoing) or self._asker.someone_there:
            return False
        if self._offers_login:
            raise self._nobody_there()
        return True

    async def _look_at(self, outgoing: httpx2.Request, answer: httpx2.Response) -> None:
        """Notice where the authorization server has forgotten us, which refuses a refresh too."""
        if outgoing.method == "POST" and answer.is_error:
            await answer.aread()
            with contextlib.suppress(ValueError, AttributeError):
                self._unknown_client = answer.json().get("error") in _UNKNOWN_CLIENT

    async def _prepare(self, refusal: httpx2.Response) -> None:
        """A login begins: have an address that the browser can return to."""
        if self._begun:
            why = f"HTTP {refusal.status_code}"
            raise LoginFailed(f"{self._server} refuses the new login as well ({why})", final=True)
        self._begun = True
        context = self._provider.context
        if self._unknown_client or refusal.status_code == 403:  # registered for less than is wanted now
            context.client_info = None
        if not self._asker.someone_there:
            return  # refused later, when it is known whether there is a login at all
        # The address is registered with its port, so a port that is taken takes a new registration.
        port = port_of(self._file.read().redirect_uri) if context.client_info else 0
        loopback = Loopback(port)
        try:
            await loopback.open()
        except OSError:
            port, loopback = 0, Loopback()
            await loopback.open()
        if not port:
            context.client_info = None
        context.client_metadata.redirect_uris = [AnyUrl(loopback.redirect_uri)]
        self._loopback = loopback

    def _register_anew_next_time(self) -> None:
        """What the authorization server has against us may be how it knows us."""
        with contextlib.suppress(OSError):
            self._file.update(client=None, redirect_uri=None)

    # -- the person -------------------------------------------------------------------------------------

    async def _take_link(self, url: str) -> None:
        """The SDK knows where the person is to log in."""
        if self._loopback is None:
            raise self._nobody_there()
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https"):
            raise LoginFailed(f"{self._server} names no web page to log in at: {clean_line(url, 100)}")
        self._authority = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        self._loopback.expect(parse_qs(parts.query)["state"][0])
        self._url = url

    async def _answer(self) -> AuthorizationCodeResult:
        """The SDK waits for the person."""
        loopback, caller = self._loopback, self._requests.caller()
        assert loopback is not None
        asked = LoginRequest(self._app_id, self._url, loopback.redirect_uri, caller)
        self._prompt = prompt = self._asker.login_prompt(asked)
        returned = await self._requests.ask(self._person(prompt, loopback), caller)
        if returned is None:
            raise LoginFailed(f"the login at {self._authority} was given up")
        if returned.error:
            if returned.error != "access_denied":
                self._register_anew_next_time()
            said = clean_line(returned.description, 200) or clean_line(returned.error, 60).replace("_", " ")
            raise LoginFailed(f"{self._authority} did not let you in: {said.rstrip('.')}", final=True)
        return AuthorizationCodeResult(code=returned.code, state=returned.state, iss=returned.iss)

    async def _person(self, prompt: LoginPrompt, loopback: Loopback) -> Returned:
        """Wait for the browser's return, or for the address that it ended at; whichever comes first."""
        await prompt.show()
        pasted = asyncio.ensure_future(self._pasted(prompt, loopback))
        try:
            await asyncio.wait({loopback.returned, pasted}, return_when=asyncio.FIRST_COMPLETED)
            return loopback.returned.result() if loopback.returned.done() else pasted.result()
        finally:
            pasted.cancel()

    async def _pasted(self, prompt: LoginPrompt, loopback: Loopback) -> Returned:
        problem = ""
        while True:
            address = await prompt.ask_for_address(problem)
            if address is None:
                raise LoginFailed(f"the login at {self._authority} was declined", final=True)
            returned = loopback.read(address)
            if returned is not None:
                return returned
            problem = _WRONG_ADDRESS

    def close(self) -> None:
        """Nobody waits for the browser any more; what was shown becomes one line."""
        if self._loopback is not None:
            self._loopback.close()
        if self._prompt is not None:
            self._prompt.conclude(self._outcome)

    # -- words ------------------------------------------------------------------------------------------

    def _nobody_there(self) -> LoginFailed:
        return LoginFailed(
            f"{self._server} wants a login, and nobody is here to log in. Start {self._app_id} once in a "
            "notebook: the login is kept, and serves runs like this one too"
        )

    def _worded(self, error: Exception) -> str:
        text = clean_line(str(error), 300) or type(error).__name__
        if isinstance(error, OAuthRegistrationError):
            return (
                f"{self._server} wants a login, but its authorization server does not register us ({text}). "
                "If it gives tokens in another way, put one into the app's headers: "
                "Authorization: Bearer ${env:TOKEN}"
            )
        return f"the login at {self._authority} failed: {text}"


def _is_json(response: httpx2.Response) -> bool:
    return response.is_success and "json" in response.headers.get("content-type", "")


def _model(kind: type[M], value: Json | None) -> M | None:
    """What was kept, if the SDK still understands it."""
    try:
        return kind.model_validate(value) if value is not None else None
    except ValidationError:
        return None


def _json(model: BaseModel | None) -> Json | None:
    return None if model is None else model.model_dump(mode="json", exclude_none=True)
