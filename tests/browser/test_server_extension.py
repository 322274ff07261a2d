"""The Jupyter Server extension, in a server whose admin has chosen a kernel websocket connection class."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from mcpapps_jupyter.server_extension import without_delay

from .lab_page import LabPage
from .lab_server import LabServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

# The admin's own class: it writes down what TCP_NODELAY was when a tab had connected to a kernel.
ADMIN_CONFIG = """
import pathlib, socket
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

class AdminConnection(ZMQChannelsWebsocketConnection):
    def connect(self):
        tcp = self.websocket_handler.ws_connection.stream.socket
        nodelay = tcp.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        pathlib.Path({seen!r}).write_text("on" if nodelay else "off")
        return super().connect()

c.ServerApp.kernel_websocket_connection_class = AdminConnection
c.ServerApp.jpserver_extensions = {extensions}
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LabServer]:
    """Give a server that is not started yet."""
    server = LabServer(tmp_path)
    yield server
    server.stop()


def _configure(server: LabServer, text: str) -> None:
    (server.config_folder / "jupyter_server_config.py").write_text(text)


def _run_a_cell(server: LabServer, chromium: Browser) -> str:
    lab = LabPage(chromium, server, "notebook", ["6 * 7"])
    lab.open()
    output = lab.run(0)
    lab.close()
    return output


@pytest.mark.parametrize(("enabled", "nodelay"), [(True, "on"), (False, "off")])
def test_nodelay_is_set_by_the_extension_and_the_admins_class_stays(
    server: LabServer, chromium: Browser, tmp_path: Path, enabled: bool, nodelay: str
) -> None:
    seen = tmp_path / "nodelay"
    extensions = {"mcpapps_jupyter.server_extension": enabled}
    _configure(server, ADMIN_CONFIG.format(seen=str(seen), extensions=extensions))
    server.start()
    assert _run_a_cell(server, chromium) == "42\n"
    assert seen.read_text() == nodelay, server.log.read_text()


def test_a_server_runs_on_when_the_package_is_gone_and_its_file_is_not(
    server: LabServer, chromium: Browser
) -> None:
    _configure(server, "c.ServerApp.jpserver_extensions = {'mcpapps_gone.server_extension': True}")
    server.start()
    assert _run_a_cell(server, chromium) == "42\n"


def test_a_connection_that_has_no_socket_to_set_still_connects(caplog: pytest.LogCaptureFixture) -> None:
    class OddConnection:
        log = logging.getLogger("odd")

        def connect(self) -> str:
            return "connected"

    caplog.set_level(logging.DEBUG)
    assert without_delay(OddConnection)().connect() == "connected"
    assert "TCP_NODELAY" in caplog.text
