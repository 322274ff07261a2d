"""Arguments that are still being written: an iterable of parts, read away from the session loop."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable, Iterator, Mapping
from typing import Any, Union

from mcpapps_jupyter.errors import InvalidArguments, McpAppsError
from mcpapps_jupyter.host_thread import HostThread

#: Gives the arguments as far as they are known, again and again; the last of them are the whole.
ArgumentStream = Union[Iterable[Mapping[str, Any]], AsyncIterable[Mapping[str, Any]]]  # noqa: UP007

_END: Any = object()


def check_stream(stream: Any) -> None:
    """Raise in words for what gives no parts."""
    iterable = isinstance(stream, Iterable | AsyncIterable)
    if not iterable or isinstance(stream, str | bytes | Mapping):
        raise InvalidArguments(
            "stream wants an iterable of dicts, each with the arguments known so far; "
            f"got {type(stream).__name__}. A tool's own argument of this name goes into a dict: "
            "app.open(tool, {'stream': …})."
        )


async def read_parts(thread: HostThread, stream: ArgumentStream) -> AsyncGenerator[dict[str, Any], None]:
    """Read `stream` on a worker, or on the handlers' loop if it is asynchronous; on the session loop.

    Raises
    ------
    McpAppsError
        It failed, or gave something that is no object.
    """
    next_part, close = _reader(stream)
    try:
        while True:
            try:
                part = await thread.call_handler(next_part)
            except Exception as error:
                raise McpAppsError(f"The stream of arguments failed: {error!r}") from error
            if part is _END:
                return
            if not isinstance(part, Mapping):
                raise InvalidArguments(
                    f"The stream of arguments gave {type(part).__name__}; each part is a dict of the "
                    "arguments known so far."
                )
            yield dict(part)
    finally:
        if close is not None:
            with contextlib.suppress(Exception):  # what it does at its end is its own matter
                await thread.call_handler(close)


def _reader(stream: ArgumentStream) -> tuple[Callable[[], Any], Callable[[], Any] | None]:
    """What gives the next part, or `_END`, and what ends the stream early."""
    if isinstance(stream, AsyncIterable):
        parts = aiter(stream)

        async def next_part() -> Any:
            return await anext(parts, _END)

        return next_part, getattr(parts, "aclose", None)
    items = _Items(iter(stream))
    return items.next, items.close


class _Items:
    """A plain iterator, that can be given up while a worker waits for its next part."""

    def __init__(self, items: Iterator[Mapping[str, Any]]) -> None:
        self._items = items
        self._given_up = False

    def next(self) -> Any:
        try:
            return next(self._items, _END)
        finally:
            if self._given_up:
                self.close()

    def close(self) -> None:
        self._given_up = True
        with contextlib.suppress(ValueError):  # a generator at work: `next` closes it when it comes back
            getattr(self._items, "close", lambda: None)()
