"""Keeps the SDK's own logging and warnings out of the user's cells.

The SDK logs a traceback for every line of noise a server prints, to loggers that nobody has
configured, which Python then writes to the running cell; and it warns, visibly by default, about
calls that older servers need. Both go to the debug level of our own logger instead. What the SDK
says while it runs a server that was made in this process, such as the traceback of a tool, is that
server's stderr: it has no other.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from contextvars import ContextVar

#: Takes the lines of the server object whose code is running, if any.
server_stderr: ContextVar[Callable[[str], object] | None] = ContextVar("mcpapps_server_stderr", default=None)

_NAMES = ("mcp", "client", "httpx2", "httpcore2")
_saved: dict[str, tuple[bool, list[logging.Handler]]] = {}


class _Aside(logging.Handler):
    """Hands records on to the server object they are about, else to our own logger, at debug level."""

    def emit(self, record: logging.LogRecord) -> None:
        take = server_stderr.get()
        if take is not None and record.levelno >= logging.WARNING:
            for line in self.format(record).splitlines():
                take(line)
            return
        logging.getLogger("mcpapps_jupyter.sdk").debug("%s: %s", record.name, record.getMessage())


def hush() -> None:
    """Take the SDK's loggers aside; what the user has configured for them stays."""
    for name in _NAMES:
        logger = logging.getLogger(name)
        if name in _saved or logger.handlers:
            continue
        _saved[name] = (logger.propagate, list(logger.handlers))
        logger.addHandler(_Aside())
        logger.propagate = False


def hush_warnings() -> None:
    """Ignore the SDK's deprecation warnings; called where the SDK is imported anyway."""
    from mcp.shared.exceptions import MCPDeprecationWarning

    warnings.filterwarnings("ignore", category=MCPDeprecationWarning)


def restore() -> None:
    """Undo `hush`."""
    for name, (propagate, handlers) in _saved.items():
        logger = logging.getLogger(name)
        logger.propagate = propagate
        logger.handlers[:] = handlers
    _saved.clear()
