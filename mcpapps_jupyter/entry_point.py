"""From ``package.module:attribute`` to the MCP server that it names or makes."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import operator
from collections.abc import Awaitable
from typing import Any

from mcpapps_jupyter.errors import StartFailed, in_words


async def load_entry_point(entry_point: str) -> Any:
    """Import ``package.module:attribute`` and return the server it names or makes.

    Raises
    ------
    StartFailed
        The module or the attribute is missing, or its code raised, be it ``SystemExit``: an app's own
        code must not end the loop that all apps live on.
    """
    module_name, _, attribute = entry_point.strip().partition(":")

    def failed(error: BaseException) -> StartFailed:
        # In words of its own: an import's error names what is missing.
        reason = str(error) if isinstance(error, (ImportError, AttributeError)) else in_words(error)
        return StartFailed(f"entryPoint {entry_point!r} cannot be loaded: {reason}")

    def load() -> Any:
        try:
            found = operator.attrgetter(attribute)(importlib.import_module(module_name))
            return found() if inspect.isroutine(found) or inspect.isclass(found) else found
        except BaseException as error:  # noqa: BLE001 - a future that carries SystemExit ends its loop
            raise failed(error) from None

    # On a worker thread: an import of seconds must not hold up the other apps.
    server = await asyncio.get_running_loop().run_in_executor(None, load)
    if isinstance(server, Awaitable):
        try:
            server = await server
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - as above
            raise failed(error) from None
    return server
