"""The home of MCP Apps in notebooks.

``%load_ext mcpapps`` brings the ``%mcpapp`` magic; ``mcpapps.get_host()`` is the same in Python.
"""

from typing import Any

from mcpapps_jupyter._version import __version__
from mcpapps_jupyter.app import App
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
    "replay",
    "unload_ipython_extension",
]


def configure(**settings: Any) -> None:
    """Set settings by name, all or none: the same as ``%config McpApps.…``."""
    get_host().config.configure(**settings)


def replay(
    trace: Any,
    id: str | None = None,  # noqa: A002 - the manifest's own word
) -> App:
    """Add an app that shows a recorded page again, without its server.

    Parameters
    ----------
    trace
        The file that ``view.traffic.save(path)`` wrote, or the object in it.
    id
        The app's id; by default that of the recorded app with ``-replay`` behind it.

    Raises
    ------
    InvalidArguments
        It cannot be read or is no trace, in one line.

    Examples
    --------
    >>> mcpapps.replay("trace.json").open()
    """
    from mcpapps_jupyter.replaying import replay as replay_trace  # the SDK's server, which loads slowly

    return replay_trace(trace, id)


def last_view() -> Any:
    """The page opened last that is still open, or None."""
    return get_host().pages.last()
