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


ICON = "data:image/png;base64,iVBORw0KGgo="


def test_where_everything_comes_from(notebook: Notebook) -> None:
    folder = Path.cwd() / "mcpapps" / "mine"
    folder.mkdir(parents=True)
    written = {"id": "mine", "version": "1", "command": "node", "toolNamePrefix": "its.", "category": "data"}
    (folder / "openclaw.mcpapp.json").write_text(
        json.dumps({**written, "iconUrl": "https://x.example/i.png"})
    )
    notebook.value("%mcpapp scan")
    text = repr(notebook.value("%mcpapp info mine"))
    rows = {line.split("  ")[0]: line.split("  ")[-1].strip() for line in text.splitlines()}
    assert rows["prefix"] == "its."
    assert rows["negotiation"] == "auto (default)"
    assert rows["category"] == "data"
    assert rows["icon"] == "https://x.example/i.png"
    assert "(configuration)" not in text
    notebook.names["entry"] = {
        "arguments": ["-v"],
        "environment": {"TOKEN": "hunter2"},
        "toolNamePrefix": "",
        "protocol": "legacy",
        "workingDirectory": "there",
        "requestTimeoutSeconds": 5,
    }
    notebook.host.config.entries = {"mine": notebook.names["entry"]}
    info = notebook.value("%mcpapp info mine")
    text = repr(info)
    rows = {line.split("  ")[0]: line.split("  ")[-1].strip() for line in text.splitlines()}
    assert rows["server"] == "node -v (arguments: configuration)"
    assert rows["is given"] == "TOKEN (environment: configuration)"
    assert rows["prefix"] == "none (configuration)"
    assert rows["negotiation"] == "legacy (configuration)"
    assert rows["runs in"] == "there (configuration)"
    assert str(info.timeouts["requestTimeoutSeconds"]) == "5 s (configuration)"
    assert "hunter2" not in text + info._repr_html_()


def test_what_was_given_beside_a_file(notebook: Notebook) -> None:
    path = Path.cwd() / "mine.json"
    path.write_text(json.dumps({"id": "mine", "version": "1", "command": "x", "requestTimeoutSeconds": 7}))
    info = notebook.host.add(path, startupTimeoutSeconds=8).info()
    assert str(info.timeouts["startupTimeoutSeconds"]) == "8 s (as it was added)"
    assert str(info.timeouts["requestTimeoutSeconds"]) == "7 s (manifest)"


def test_the_list_draws_icon_link_and_author(notebook: Notebook) -> None:
    add = notebook.host.add
    add(["x"], id="fine", iconUrl=ICON, homepageUrl="https://x.example/?a=1&b", author="A <b>")
    add(["x"], id="large", iconUrl="data:image/png;base64," + "A" * 70_000)
    add(["x"], id="odd", iconUrl="https://x.example/i.png", homepageUrl="javascript:alert(1)")
    add(["x"], id="svg", iconUrl="data:image/svg+xml;base64,PHN2Zz4=")
    listing = notebook.value("%mcpapp list")
    drawn = listing._repr_html_()
    assert f'<img src="{ICON}" style="width:16px" alt="">' in drawn
    assert drawn.count("<img") == 1
    link = '<a href="https://x.example/?a=1&amp;b" target="_blank" rel="noopener noreferrer">fine</a>'
    assert f"{link}<br><small>A &lt;b&gt;</small>" in drawn
    assert "javascript:" not in drawn
    assert "<" not in repr(listing).replace("A <b>", "")
