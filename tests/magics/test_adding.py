"""Adding apps: commands, addresses, and other hosts' files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from mcpapps_jupyter.apps.grocery.server import create_server
from mcpapps_jupyter.lifecycle import State
from tests.core.support import until
from tests.grocery.connections import http_server

from .support import Notebook


def manifest(notebook: Notebook, app_id: str) -> Any:
    return notebook.host[app_id].manifest


def test_a_command_with_everything(notebook: Notebook) -> None:
    notebook.names["port"] = 80
    app = notebook.value(
        "%mcpapp add mine --env A=1=2 --env 'B=x y' --prefix m. --protocol legacy --cwd sub --timeout 7.5 "
        "-- node 'my server.js' --env C=3 --port {port}"
    )
    found = manifest(notebook, "mine")
    assert app.state is State.VALIDATED
    assert (found.command, list(found.arguments)) == (
        "node",
        ["my server.js", "--env", "C=3", "--port", "80"],
    )
    assert found.environment == {"A": "1=2", "B": "x y"}
    assert (found.tool_name_prefix, found.protocol, found.working_directory) == ("m.", "legacy", "sub")
    assert (found.startup_timeout_seconds, found.request_timeout_seconds) == (7.5, 7.5)


def test_an_address_with_a_header(notebook: Notebook) -> None:
    notebook.value(
        "%mcpapp add far https://example.com/mcp --transport sse "
        "--header 'Authorization: Bearer ${env:TOKEN}'"
    )
    found = manifest(notebook, "far")
    assert (found.transport, found.url) == ("sse", "https://example.com/mcp")
    assert found.headers == {"Authorization": "Bearer ${env:TOKEN}"}


def test_the_same_cell_again_keeps_the_session(plain_app: Notebook) -> None:
    pid = plain_app.value("%mcpapp call plain process").data
    again = "%mcpapp add plain --env SECRET=hunter2hunter2 -- {python} {server}"
    plain_app.value(again)
    assert plain_app.value("%mcpapp call plain process").data == pid
    plain_app.value(f"{again} other")
    assert plain_app.value("%mcpapp call plain process").data != pid


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("add", "add needs ID"),
        ("add x", "add needs a command or an address"),
        (
            "add x npx -y server --stdio",
            "Put '--' before the command: %mcpapp add x -- npx -y server --stdio",
        ),
        ("add x example.org/mcp", "%mcpapp add x https://example.org/mcp"),
        ("add x localhost:8000", "%mcpapp add x http://localhost:8000"),
        ("add x server.py", "Put '--' before the command"),
        ("add x --", "There is no command after '--'"),
        ("add x y -- z", "'y' is one word too many before '--'"),
        ("add x http://h/mcp y", "'y' is one word too many"),
        ("add x http://h/mcp --env A=1", "--env is for a command"),
        ("add x --header 'A: b' -- y", "--header is for an address"),
        ("add x --env A -- y", "--env NAME=VALUE"),
        ("add x --header A=b http://h/mcp", "--header 'NAME: VALUE'"),
        ("add x --protocol modern -- y", "--protocol: there is no 'modern'"),
        ("add x --timeout 0 -- y", "greater than 0"),
        ("add x --from mcp.json", "--from takes nothing beside it"),
        ("add 'a b' -- y", "Did you mean"),
        ("add --from nothing.json", "cannot be read"),
    ],
)
def test_mistakes(notebook: Notebook, line: str, says: str) -> None:
    assert says in notebook.run(f"%mcpapp {line}").line
    assert len(notebook.host) == 1


def test_what_it_replaces_and_what_comes_back_is_said(notebook: Notebook) -> None:
    outcome = notebook.run("%mcpapp remove grocery")
    assert repr(outcome.value) == "grocery-inventory is removed. %mcpapp scan brings it back."
    notebook.value("%mcpapp scan")
    outcome = notebook.run("%mcpapp add grocery-inventory -- node mine.js")
    assert outcome.value.id == "grocery-inventory"
    assert "in the place of the bundled app" in outcome.out
    assert "in the place" not in notebook.run("%mcpapp add grocery-inventory -- node mine.js").out
    assert repr(notebook.value("%mcpapp remove grocery")) == "grocery-inventory is removed."


def test_another_hosts_file(notebook: Notebook) -> None:
    servers = {
        "grocery-inventory": {"command": "node", "args": ["a.js"], "env": {"KEY": "${KEY}"}},
        "far": {"type": "sse", "url": "https://example.com/sse", "headers": {"X": "y"}},
        "asks": {"command": "node", "args": ["${input:token}"]},
        "odd": {"command": ""},
    }
    path = Path.cwd() / "mcp.json"
    path.write_text(json.dumps({"mcpServers": servers}))
    added = notebook.value("%mcpapp add --from mcp.json")
    assert "far" in added
    assert "grocery-inventory-2" in added  # the bundled app keeps its id
    assert manifest(notebook, "grocery-inventory-2").environment == {"KEY": "${env:KEY}"}
    assert manifest(notebook, "far").transport == "sse"
    assert any("asks the user for 'token'" in problem for problem in added.problems)
    assert "Not added: odd" in repr(added)
    assert all(app.state is not State.RUNNING for app in notebook.host)


@pytest.mark.elsewhere("anthropics/claude-code#88881")
def test_apps_of_another_hosts_file_have_their_pages(notebook: Notebook) -> None:
    with http_server(create_server()) as base:
        servers = {
            "local": {"command": sys.executable, "args": ["-m", "mcpapps_jupyter.apps.grocery"]},
            "served": {"url": f"{base}/mcp"},
        }
        Path("mcp.json").write_text(json.dumps({"mcpServers": servers}))
        assert list(notebook.value("%mcpapp add --from mcp.json")) == ["local", "served"]
        for name in servers:
            view = notebook.value(f"%mcpapp open {name} storeId=1")
            assert view.result.structured["storeId"] == 1
            until(lambda: view.size > 100_000, "the page is there")  # noqa: B023
            notebook.value(f"%mcpapp stop {name}")


def test_the_same_file_again(notebook: Notebook) -> None:
    path = Path.cwd() / "mcp.json"
    path.write_text(json.dumps({"servers": {"one": {"command": "a"}, "grocery-inventory": {"command": "b"}}}))
    first = list(notebook.value("%mcpapp add --from mcp.json"))
    path.write_text(json.dumps({"servers": {"one": {"command": "changed"}}}))
    assert list(notebook.value("%mcpapp add --from mcp.json")) == ["one"]
    assert manifest(notebook, "one").command == "changed"
    assert len(notebook.host) == 1 + len(first)
