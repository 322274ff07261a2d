"""The old HTTP+SSE transport of protocol 2024-11-05: one event stream in, one POST a message out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import anyio
import httpx2

from mcpapps_jupyter.errors import StartFailed
from mcpapps_jupyter.transports.frames import LINE_LIMIT, encode
from mcpapps_jupyter.transports.hooks import Frame
from mcpapps_jupyter.transports.http_client import EndpointClient, place


class OldSse:
    """A connection to a server that speaks the old transport.

    Parameters
    ----------
    client, url
        The HTTP client, and the address of the event stream.
    """

    def __init__(self, client: EndpointClient, url: str) -> None:
        self._client = client
        self._url = httpx2.URL(url)
        self._stack = AsyncExitStack()
        self._events: AsyncIterator[httpx2.ServerSentEvent] | None = None
        self._post_url: httpx2.URL | None = None

    async def open(self, seconds: float) -> None:
        """Open the event stream and wait for the address to post to, at most `seconds`.

        Raises
        ------
        StartFailed
            There is no such server; why, in words.
        """
        try:
            with anyio.fail_after(seconds):
                await self._open()
        except TimeoutError:
            raise StartFailed(f"{place(self._url)} opened no SSE session.") from None

    async def _open(self) -> None:
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
        response = await self._stack.enter_async_context(
            self._client.stream("GET", self._url, headers=headers)
        )
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if not response.is_success:
            raise StartFailed(await _refusal(response, self._url))
        if kind != "text/event-stream":
            raise StartFailed(f"{place(self._url)} is no SSE server: it answered with {kind or 'no type'}.")
        self._events = aiter(httpx2.EventSource(response, max_event_size=LINE_LIMIT))
        async for event in self._events:
            if event.event == "endpoint":
                post_url = self._url.join(event.data.strip())
                if (post_url.scheme, post_url.host, post_url.port) != (
                    self._url.scheme,
                    self._url.host,
                    self._url.port,
                ):  # our headers may hold a token, and it is meant for one origin
                    raise StartFailed(f"{place(self._url)} wants messages sent to another origin; refused.")
                self._post_url = post_url
                return
        raise StartFailed(f"{place(self._url)} ended the SSE session before it began.")

    async def events(self) -> AsyncIterator[str]:
        """Yield the text of each message event until the stream ends."""
        assert self._events is not None
        async for event in self._events:
            if event.event == "message" and event.data:
                yield event.data

    async def post(self, frame: Frame) -> str | None:
        """Send one frame; return why it was refused, or None."""
        assert self._post_url is not None
        request = self._client.build_request(
            "POST", self._post_url, content=encode(frame), headers={"content-type": "application/json"}
        )
        response = await self._client.send(request, follow_redirects=False)
        return None if response.is_success else await _refusal(response, self._post_url)

    async def aclose(self) -> None:
        """Close the event stream."""
        await self._stack.aclose()


async def _refusal(response: httpx2.Response, url: httpx2.URL) -> str:
    await response.aread()
    try:
        return str(response.json()["error"]["message"])
    except (ValueError, LookupError, TypeError):
        return f"{place(url)} answered HTTP {response.status_code} {response.reason_phrase}"
