"""The home of MCP Apps in notebooks.

``%load_ext mcpapps`` brings the ``%mcpapp`` magic; ``mcpapps.get_host()`` is the same in Python.
"""

from typing import Any

from mcpapps_jupyter._version import __version__
from mcpapps_jupyter.errors import (
    AppDisabled,
    ConnectionLost,
    InvalidArguments,
    ManifestInvalid,
    McpAppsError,
    NoPage,
    ProtocolFailure,
    RequestTimeout,
    StartFailed,
    ToolFailed,
    UnknownApp,
    UnknownTool,
)
from mcpapps_jupyter.extension import load_ipython_extension, unload_ipython_extension
from mcpapps_jupyter.host import Host, get_host

__all__ = [
    "AppDisabled",
    "ConnectionLost",
    "Host",
    "InvalidArguments",
    "ManifestInvalid",
    "McpAppsError",
    "NoPage",
    "ProtocolFailure",
    "RequestTimeout",
    "StartFailed",
    "ToolFailed",
    "UnknownApp",
    "UnknownTool",
    "__version__",
    "configure",
    "get_host",
    "last_view",
    "load_ipython_extension",
    "unload_ipython_extension",
]


def configure(**settings: Any) -> None:
    """Set settings by name, all or none: the same as ``%config McpApps.…``."""
    get_host().config.configure(**settings)


def last_view() -> Any:
    """The page opened last that is still open, or None."""
    return get_host().pages.last()
