"""Rules hold at once, and what was agreed to is what runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpapps_jupyter import consent
from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.errors import AppDisabled, ConnectionLost
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.lifecycle import State

SERVER = """
import sys
from mcp.server.mcpserver import MCPServer
server = MCPServer("plain")

@server.tool()
def who() -> str:
    return sys.argv[1]

@server.tool()
def leave() -> str:
    import os
    os._exit(3)

server.run("stdio")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that were put; each is answered with yes."""
    questions: list[str] = []

    def ask(question: str) -> str:
        questions.append(question)
        return "y"

    monkeypatch.setattr(consent.require_consent, "__defaults__", (ask,))
    return questions


@pytest.fixture
def host(folder: Path) -> Iterator[Host]:
    host = Host(McpApps(read_files=False, headless=False))
    yield host
    host.close()


def write(folder: Path, word: str) -> None:
    target = folder / "mcpapps" / "mine" / "openclaw.mcpapp.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    (target.parent / "server.py").write_text(SERVER)
    manifest: dict[str, Any] = {
        "id": "mine",
        "version": "1.0.0",
        "command": sys.executable,
        "arguments": ["server.py", word],
    }
    target.write_text(json.dumps(manifest))


@pytest.mark.parametrize("way", ["restart", "stop, start", "stop, call"])
def test_a_changed_manifest_asks_about_what_will_run(
    folder: Path, host: Host, asked: list[str], way: str
) -> None:
    write(folder, "first")
    host.scan()
    app = host["mine"]
    assert app.call("who").text == "first"
    assert len(asked) == 1
    assert "server.py first" in asked[0]

    write(folder, "second")
    host.scan()
    assert app.call("who").text == "first", "a server that runs goes on"
    assert len(asked) == 1, "and what it was started by is still agreed to"
    if way == "restart":
        app.restart()
    else:
        app.stop()
        if way == "stop, start":
            app.start()
    assert app.call("who").text == "second"
    assert len(asked) == 2
    assert "server.py second" in asked[1]


def test_a_no_leaves_everything_as_it_was(
    folder: Path, host: Host, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "first")
    host.scan()
    app = host["mine"].start()
    write(folder, "second")
    host.scan()
    monkeypatch.setattr(consent.require_consent, "__defaults__", (lambda _: "no",))
    with pytest.raises(AppDisabled, match="not confirmed"):
        app.restart()
    assert app.state is State.RUNNING
    assert app.call("who").text == "first"


def test_a_page_never_starts_what_nobody_agreed_to(folder: Path, host: Host, asked: list[str]) -> None:
    from mcpapps_jupyter.ports import Caller

    write(folder, "first")
    host.scan()
    app = host["mine"].start()
    write(folder, "second")
    host.scan()
    with pytest.raises(ConnectionLost):
        app.call("leave")
    result = host.thread.run(app.call_here("who", {}, Caller("page", "view")))
    assert result.text == "first"


@pytest.mark.parametrize(
    "rule",
    [
        {"enabled": False},
        {"allow": ["other"]},
        {"deny": ["groc*"]},
        {"allowlist_semantics": "strict"},
        {"allowlist_semantics": "nonsense"},
        {"entries": {"grocery-inventory": {"enabled": False}}},
    ],
)
@pytest.mark.parametrize("runs", [False, True])
def test_rules_set_in_a_cell_hold_at_once(host: Host, rule: dict[str, Any], runs: bool) -> None:
    grocery = host["grocery"]
    if runs:
        grocery.start()
    for name, value in rule.items():
        setattr(host.config, name, value)
    assert grocery.state is State.DISABLED
    for use in (grocery.start, grocery.restart, grocery.open, lambda: grocery.call("get_stores")):
        with pytest.raises(AppDisabled, match="disabled"):
            use()


def test_overrides_set_in_a_cell_hold_at_the_next_start(host: Host) -> None:
    host.config.entries = {"grocery-inventory": {"requestTimeoutSeconds": 7}}
    assert host["grocery"].manifest.request_timeout_seconds == 7


def test_what_a_tool_raises_can_be_found(host: Host) -> None:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("mine")

    @server.tool()
    def fails() -> str:
        raise ValueError("boom")

    app = host.add(server, id="in-cell")
    result = app.call("fails")
    assert result.is_error
    assert "ValueError: boom" in repr(result)
    assert "%mcpapp log in-cell" in repr(result)
    assert any("Traceback" in entry.text for entry in app.log.filter(source="stderr"))
