"""What `info` tells, and that asking does nothing."""

from __future__ import annotations

import json
from pathlib import Path

from mcpapps_jupyter.lifecycle import State

from .support import Notebook


def test_before_the_first_start(notebook: Notebook) -> None:
    info = notebook.value("%mcpapp info grocery")
    assert (info.id, info.state, info.source) == ("grocery-inventory", "Validated", "bundled")
    assert info.protocol is None
    assert info.counts == {}
    assert info.roots == (Path.cwd().as_uri(),), "the notebook's folder"
    assert info.pages == {"": "ui://grocery/store-dashboard.html"}
    assert Path(info.file).name == "openclaw.mcpapp.json"
    assert notebook.host["grocery"].state is State.VALIDATED
    assert not notebook.host.thread.sessions.started


def test_of_a_running_app(notebook: Notebook) -> None:
    app = notebook.value("%mcpapp start grocery")
    info = notebook.value("%mcpapp info grocery")
    assert info.state == "Running"
    assert info.protocol
    assert info.counts["tools"] == len(app.tools)
    assert info.pages == {"show_store_inventory_dashboard": "ui://grocery/store-dashboard.html"}
    assert info.warnings == ()
    text = repr(info)
    for part in (info.protocol, "Grocery Inventory", f"{len(app.tools)} tools", "60 s (default)"):
        assert part in text
        assert part in info._repr_html_()


def test_where_a_timeout_comes_from(notebook: Notebook) -> None:
    notebook.value("%config McpApps.entries = {'far': {'requestTimeoutSeconds': 5}}")
    notebook.value("%mcpapp add far https://example.com/mcp")
    notebook.value("%mcpapp add near --timeout 9 -- npx x")
    notebook.value("%mcpapp add slow -- npx x")
    assert str(notebook.value("%mcpapp info far").timeouts["requestTimeoutSeconds"]) == "5 s (configuration)"
    assert (
        str(notebook.value("%mcpapp info near").timeouts["startupTimeoutSeconds"]) == "9 s (as it was added)"
    )
    assert str(notebook.value("%mcpapp info slow").timeouts["startupTimeoutSeconds"]) == "60 s (default)"


def test_of_a_broken_manifest(notebook: Notebook) -> None:
    folder = Path.cwd() / "mcpapps" / "broken"
    folder.mkdir(parents=True)
    (folder / "openclaw.mcpapp.json").write_text(json.dumps({"id": "broken", "transport": "pigeon"}))
    notebook.value("%mcpapp scan")
    info = notebook.value("%mcpapp info broken")
    assert info.state == "Invalid"
    assert "pigeon" in (info.last_error or "")
    assert "pigeon" in repr(info)


def test_what_was_declared_and_is_not_there(plain_app: Notebook) -> None:
    folder = Path.cwd() / "mcpapps" / "odd"
    folder.mkdir(parents=True)
    python, server = plain_app.names["python"], str(plain_app.names["server"])
    declared = {
        "id": "odd",
        "version": "1",
        "command": python,
        "arguments": [server],
        "capabilities": ["tools", "resources"],
        "headers": {"A": "b"},
        "iconUrl": "https://example.com/icon.png",
    }
    (folder / "openclaw.mcpapp.json").write_text(json.dumps(declared))
    plain_app.value("%config McpApps.trusted_paths = ['mcpapps']")
    plain_app.value("%mcpapp scan")
    plain_app.value("%mcpapp start odd")
    info = plain_app.value("%mcpapp info odd")
    assert any("offers prompts" in warning for warning in info.warnings)
    assert any("headers" in warning for warning in info.warnings)
    assert "<img" not in info._repr_html_()


def test_of_a_failed_server(plain_app: Notebook) -> None:
    plain_app.value("%mcpapp add bad -- {python} {server} broken")
    plain_app.run("%mcpapp start bad")
    info = plain_app.value("%mcpapp info bad")
    assert info.state == "Failed"
    assert info.last_error
    assert info.stderr == ("no such module: butter",)


def test_text_of_the_app_is_only_text(notebook: Notebook) -> None:
    notebook.value("%mcpapp add x --prefix '<b>' -- '<script>alert(1)</script>'")
    assert "<script>" not in notebook.value("%mcpapp info x")._repr_html_()
