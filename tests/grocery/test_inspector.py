"""The app in the MCP Inspector's command line, a client that somebody else wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.npm

_PACKAGES = Path(__file__).resolve().parents[2] / "js" / "node_modules" / "@modelcontextprotocol"
_FOLDER = _PACKAGES / "inspector-cli" / "build"


def ask(method: str, *more: str) -> dict[str, Any]:
    server = [sys.executable, "-m", "mcpapps_jupyter.apps.grocery"]
    command = ["node", "cli.js", "--cli", *server, "--method", method, *more]
    # It looks for its own package.json from the working folder.
    done = subprocess.run(command, cwd=_FOLDER, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_lists_the_tools_with_their_page() -> None:
    tools = {tool["name"]: tool for tool in ask("tools/list")["tools"]}
    assert {"get_inventory", "adjust_stock", "guided_restock"} <= tools.keys()
    page = tools["show_store_inventory_dashboard"]["_meta"]["ui"]["resourceUri"]
    assert page in [resource["uri"] for resource in ask("resources/list")["resources"]]


def test_it_calls_a_tool() -> None:
    arguments = ["--tool-arg", "storeId=1", "--tool-arg", "productId=101"]
    answer = ask("tools/call", "--tool-name", "get_inventory", *arguments)
    (row,) = answer["structuredContent"]["result"]
    assert row["product"] == "Bananas"
    assert "Bananas" in answer["content"][0]["text"]
