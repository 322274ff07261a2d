"""Transports: how a server is reached. Each yields the streams that ``mcp.Client`` drives.

They are loaded at first use: they bring the SDK along, which an import of the package need not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcpapps_jupyter.transports.guard import ProcessGuard
    from mcpapps_jupyter.transports.hooks import Hooks
    from mcpapps_jupyter.transports.http import HttpTransport
    from mcpapps_jupyter.transports.inprocess import InProcessTransport
    from mcpapps_jupyter.transports.stdio import StdioTransport

__all__ = ["Hooks", "HttpTransport", "InProcessTransport", "ProcessGuard", "StdioTransport"]

_HOMES = {
    "Hooks": "hooks",
    "HttpTransport": "http",
    "InProcessTransport": "inprocess",
    "ProcessGuard": "guard",
    "StdioTransport": "stdio",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
