"""Many calls at once on one session, one of them interrupted: the others finish."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.host import Host

SERVER = """
import anyio
from mcp.server.mcpserver import MCPServer
server = MCPServer("plain")

@server.tool()
async def wait(number: int, seconds: float) -> int:
    await anyio.sleep(seconds)
    return number

server.run("stdio")
"""


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    host = Host(McpApps(read_files=False))
    yield host
    host.close()


@pytest.mark.parametrize("protocol", ["auto", "legacy"])
@pytest.mark.elsewhere("PrefectHQ/fastmcp#622")
def test_fifty_calls_and_one_interrupted(host: Host, tmp_path: Path, protocol: str) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    app = host.add([sys.executable, "server.py"], id="plain", protocol=protocol).start()
    endless = app.acall("wait", number=-1, seconds=600)
    calls = [app.acall("wait", number=number, seconds=0.2) for number in range(50)]
    endless.cancel()
    assert [call.result(60).data for call in calls] == list(range(50))
    with pytest.raises(CancelledError):
        endless.result(10)
    assert app.call("wait", number=51, seconds=0).data == 51
