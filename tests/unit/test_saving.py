"""An added app becomes a manifest that finds and starts the same server."""

from __future__ import annotations

import json
import os
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
    host.add([sys.executable, "server.py"], id="mine", environment={"API_TOKEN": "s3cr3t-word", "MODE": "on"})
    path, notes = host.save("mine")
    assert path == tmp_path / "mcpapps" / "mine" / "openclaw.mcpapp.json"
    assert "s3cr3t-word" not in path.read_text()
    assert json.loads(path.read_text())["environment"] == {"API_TOKEN": "${env:API_TOKEN}", "MODE": "on"}
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


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("GITHUB_PAT", "abc", False),
        ("PWD_X", "123456", False),
        ("DB_URL", "postgres://u:pw@h/d", False),
        ("HOME_TOO", "a${env:HOME}literalsecret", False),
        ("X", "${env:A:-secret}", False),
        ("Authorization", "Basic dXNlcjpwdw==", False),
        ("X-Auth", "abcd", False),
        ("Authorization", "Bearer ${env:TOKEN}", True),
        ("DATA", "${manifestDir}/data", True),
        ("PORT", "8080", True),
        ("MODE", "dev", True),
        ("LOG_FILE", "/var/log/a.log", True),
        ("USE_AUTH", "true", True),
    ],
)
def test_only_harmless_values_are_written(
    host: Host, tmp_path: Path, name: str, value: str, kept: bool
) -> None:
    host.add(["x"], id="a", environment={name: value})
    host.add("https://example.org/mcp", id="b", headers={name: value})
    for app_id in "ab":
        path, notes = host.save(app_id)
        assert (value in path.read_text()) is kept
        assert (notes == []) is kept
        if os.name == "posix":
            assert path.stat().st_mode & 0o777 == 0o600


def test_logins_of_other_hosts_settings_are_left_out(host: Host) -> None:
    host.add(["x"], id="a", metadata={"oauth": {"clientSecret": "hush-hush", "scope": "read"}})
    path, notes = host.save("a")
    assert json.loads(path.read_text())["metadata"] == {"oauth": {"scope": "read"}}
    assert notes == ["metadata.oauth.clientSecret is not in the file"]


@pytest.mark.parametrize(
    "what",
    [
        "https://user:pass@example.org/mcp",
        "https://example.org/mcp?a=1&api_key=pass",
        ["x", "--token=pass"],
        ["x", "--api-key", "pass"],
        ["docker", "run", "-e", "GITHUB_PAT=pass"],
        ["mcp-remote", "https://example.org", "--header", "Authorization: Bearer pass"],
        ["x", "postgres://u:pass@host/db"],
    ],
)
def test_secrets_in_addresses_and_commands_are_neither_saved_nor_drawn(host: Host, what: object) -> None:
    app = host.add(what, id="mine", environment={"A": "pass"}, headers={"B": "pass"})
    with pytest.raises(InvalidArguments, match="looks like a secret") as caught:
        host.save("mine")
    for text in (str(caught.value), repr(app.definition), repr(app.manifest), str(app.manifest)):
        assert "pass" not in text
        assert "mine" in text


def test_variables_in_addresses_and_commands_are_saved(host: Host) -> None:
    host.add("https://${env:U}:${env:P}@example.org/@scope?key=${env:K}", id="remote")
    host.add(["x", "--token", "${env:T}", "--key=${env:K}", "--author", "me", "--no-auth", "--x"], id="local")
    for name in ("remote", "local"):
        assert host.save(name)[1] == []


def test_a_file_is_written_whole_and_never_elsewhere(host: Host, tmp_path: Path) -> None:
    host.add(["x"], id="a")
    folder = tmp_path / "mcpapps"
    (folder / "a" / "openclaw.mcpapp.json").mkdir(parents=True)
    with pytest.raises(InvalidArguments, match="not a regular file"):
        host.save("a")
    (folder / "a" / "openclaw.mcpapp.json").rmdir()
    (folder / "a" / "openclaw.mcpapp.json").write_bytes(b"\xff")
    with pytest.raises(InvalidArguments, match="other content"):
        host.save("a")
    host.add(["x", "\ud800"], id="half")
    with pytest.raises(InvalidArguments, match="half a character"):
        host.save("half")
    assert not (folder / "half").exists()
    with pytest.raises(InvalidArguments, match=r"manifest already: .*grocery"):
        host.save("grocery-inventory")


@pytest.mark.skipif(os.name != "posix", reason="Windows wants a privilege for links")
def test_nothing_is_written_through_links(host: Host, tmp_path: Path) -> None:
    host.add(["x"], id="a")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "mcpapps").mkdir()
    (tmp_path / "mcpapps" / "a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidArguments, match="link"):
        host.save("a")
    (tmp_path / "mcpapps" / "a").unlink()
    (tmp_path / "mcpapps" / "a").mkdir()
    (tmp_path / "mcpapps" / "a" / "openclaw.mcpapp.json").symlink_to(tmp_path / "elsewhere" / "new.json")
    with pytest.raises(InvalidArguments, match="link"):
        host.save("a")
    assert list((tmp_path / "elsewhere").iterdir()) == []
