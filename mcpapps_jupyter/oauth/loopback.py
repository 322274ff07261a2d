"""The small web server on this machine that the person's browser returns to after a login (RFC 8252)."""

from __future__ import annotations

import asyncio
import contextlib
import html
import secrets
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

_HOST, _PATH = "127.0.0.1", "/callback"
_LONGEST_HEAD = 32 * 1024
#: Browsers open connections that they never use; each is closed after so many seconds.
_PATIENCE = 10.0

_HEADERS = (
    "Content-Type: text/html; charset=utf-8",
    "Cache-Control: no-store",
    "Referrer-Policy: no-referrer",
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "X-Content-Type-Options: nosniff",
    "Connection: close",
)
_PAGE = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>"
    "<meta name=viewport content='width=device-width'>"
    "<style>body{{font:18px/1.5 system-ui,sans-serif;max-width:34em;margin:18vh auto;padding:0 1em;"
    "color-scheme:light dark}}</style><h1>{title}</h1><p>{text}</p></html>"
)


@dataclass(frozen=True)
class Returned:
    """What the authorization server sent the browser back with (RFC 6749, sections 4.1.2 and 4.1.2.1).

    Attributes
    ----------
    code, state, iss
        Of a login that was granted.
    error, description
        Of one that was not.
    """

    code: str = ""
    state: str = ""
    iss: str | None = None
    error: str = ""
    description: str = ""


class Loopback:
    """Waits on this machine for the browser's return.

    An address that does not carry the `state` of the login under way is answered and otherwise ignored:
    anybody can call a port of this machine.

    Parameters
    ----------
    port
        The port to listen on; 0 takes any that is free.
    """

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._state: str | None = None
        self._server: asyncio.Server | None = None
        self._callers: set[asyncio.Task[None]] = set()
        #: The browser's return.
        self.returned: asyncio.Future[Returned] = asyncio.get_running_loop().create_future()

    @property
    def redirect_uri(self) -> str:
        """Where browsers are to return to."""
        return f"http://{_HOST}:{self._port}{_PATH}"

    async def open(self) -> None:
        """Begin to listen.

        Raises
        ------
        OSError
            The port is taken.
        """
        self._server = await asyncio.start_server(self._accept, _HOST, self._port, limit=_LONGEST_HEAD)
        self._port = self._server.sockets[0].getsockname()[1]

    def close(self) -> None:
        """Stop listening and drop whoever is connected."""
        if self._server is not None:
            self._server.close()
        for caller in tuple(self._callers):
            caller.cancel()

    def expect(self, state: str) -> None:
        """Wait for the login with this `state`, and no other."""
        self._state = state

    def read(self, address: str) -> Returned | None:
        """What an address that a browser ended at says; None where it is not of this login."""
        query = urlsplit(address.strip()).query or address.strip().partition("?")[2] or address.strip()
        try:
            given = {key: values[0] for key, values in parse_qs(query, max_num_fields=50).items()}
        except ValueError:
            return None
        if self._state is None or not secrets.compare_digest(
            given.get("state", "").encode(), self._state.encode()
        ):
            return None
        if not given.get("code") and not given.get("error"):
            return None
        return Returned(
            code=given.get("code", ""),
            state=given["state"],
            iss=given.get("iss"),
            error=given.get("error", ""),
            description=given.get("error_description", ""),
        )

    # -- the browser ----------------------------------------------------------------------------------

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        caller = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._callers.add(caller)
        caller.add_done_callback(self._callers.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        returned: Returned | None = None
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _PATIENCE)
            method, target = (*head.split(b"\r\n", 1)[0].decode("latin-1").split(" "), "", "")[:2]
            here = urlsplit(target).path == _PATH
            if method == "GET" and here:
                returned = self.read(target)
            writer.write(_answer(here, returned))
            await writer.drain()
        except (OSError, ValueError, EOFError, asyncio.LimitOverrunError, asyncio.TimeoutError):
            pass  # no HTTP, or a browser that went away; what it brought counts all the same
        finally:
            writer.close()
            if returned is not None and not self.returned.done():
                self.returned.set_result(returned)
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def _answer(here: bool, returned: Returned | None) -> bytes:
    if not here:
        return _response("404 Not Found", "Nothing here", "This address takes browsers back from a login.")
    if returned is None:
        return _response(
            "400 Bad Request",
            "Not this login",
            "The notebook does not wait for this login (any more). Start it again from the notebook.",
        )
    if returned.error:
        return _response(
            "200 OK",
            "Not logged in",
            f"The server said: {returned.description or returned.error}. "
            "You can close this tab; the notebook knows.",
        )
    return _response(
        "200 OK", "Back to the notebook", "It has what it needs and goes on. You can close this tab."
    )


def _response(status: str, title: str, text: str) -> bytes:
    body = _PAGE.format(title=html.escape(title), text=html.escape(text[:500])).encode()
    head = "\r\n".join([f"HTTP/1.1 {status}", *_HEADERS, f"Content-Length: {len(body)}", "", ""])
    return head.encode("latin-1") + body


def port_of(redirect_uri: str | None) -> int:
    """The port of a registered address of ours; 0 where there is none."""
    try:
        return urlsplit(redirect_uri or "").port or 0
    except ValueError:
        return 0
