"""Jupyter Server extension: send kernel messages to the browser without Nagle's delay.

Jupyter Server leaves Nagle's algorithm on for the kernel websocket. Together with the browser's delayed
acknowledgements that holds each small reply back for about 40 ms, and a click in an app's page waits for one.
Installing the package enables this extension for the environment (``etc/jupyter/jupyter_server_config.d``).
Everything works without it, only slower.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

_CONNECTION_CLASS = "kernel_websocket_connection_class"


def without_delay(configured: type) -> type:
    """Derive a kernel websocket connection that sets ``TCP_NODELAY`` when it connects.

    Parameters
    ----------
    configured : type
        The server's ``kernel_websocket_connection_class``, whichever its admin has chosen. It stays the base
        class, so its behaviour and its configuration hold.
    """

    class NoDelayKernelWebsocketConnection(configured):  # type: ignore[misc]
        def connect(self) -> Any:  # a future, a coroutine or None, as the base class likes
            try:
                self.websocket_handler.set_nodelay(True)
            except Exception as error:  # noqa: BLE001 - a faster socket is never worth a broken kernel connection
                self.log.debug("TCP_NODELAY was not set on a kernel websocket: %r", error)
            return super().connect()

    return NoDelayKernelWebsocketConnection


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(app: ServerApp) -> None:
    # The websocket handler looks its connection class up here, at each new websocket.
    settings = app.web_app.settings
    configured = settings.get(_CONNECTION_CLASS)
    if not isinstance(configured, type):
        app.log.debug("mcpapps_jupyter: no %s here, kernel websockets stay as they are", _CONNECTION_CLASS)
        return
    settings[_CONNECTION_CLASS] = without_delay(configured)
