"""An added app becomes a manifest that finds and starts the same server."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.errors import InvalidArguments
from mcpapps_jupyter.host import Host

SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("plain")

@server.tool()
def ping() -> str:
    return "pong"

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


def test_the_saved_app_is_found_and_works(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    host.add(
        [sys.executable, "server.py"], id="mine", environment={"API_TOKEN": "s3cr3t-word", "MODE": "fast"}
    )
    path, notes = host.save("mine")
    assert path == tmp_path / "mcpapps" / "mine" / "openclaw.mcpapp.json"
    assert "s3cr3t-word" not in path.read_text()
    assert json.loads(path.read_text())["environment"] == {"API_TOKEN": "${env:API_TOKEN}", "MODE": "fast"}
    assert notes == ["environment.API_TOKEN is not in the file; set the environment variable API_TOKEN"]
    assert host.save("mine")[0] == path, "the same again is no conflict"

    monkeypatch.setenv("API_TOKEN", "another")
    other = Host(McpApps(read_files=False, trusted_paths=[str(tmp_path)]))
    try:
        assert other["mine"].definition.source == "workspace"
        assert other["mine"].call("ping").text == "pong"
    finally:
        other.close()


def test_what_cannot_be_saved_says_why(host: Host, tmp_path: Path) -> None:
    from mcp.server.mcpserver import MCPServer

    host.add(MCPServer("x"), id="object")
    with pytest.raises(InvalidArguments, match="server object"):
        host.save("object")
    host.add("https://example.org/mcp", id="remote")
    path, _ = host.save("remote", tmp_path / "elsewhere")
    path.write_text("{}")
    with pytest.raises(InvalidArguments, match="exists already"):
        host.save("remote", tmp_path / "elsewhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidArguments, match="cannot be written"):
        host.save("remote", tmp_path / "file")
