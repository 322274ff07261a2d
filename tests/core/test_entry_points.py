"""Apps in the kernel's own process by a name to import: whatever their code does, only they fail."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import StartFailed
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.lifecycle import State
from tests.core.support import command

SERVER = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("named")

@server.tool()
def where() -> str:
    return "here"
"""


def named(host: Host, folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, attribute: str) -> App:
    """An app whose entry point is `attribute` of a module with this code."""
    module = f"module_{abs(hash(folder))}"
    (folder / f"{module}.py").write_text(textwrap.dedent(code))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, module, raising=False)
    path = folder / "named.json"
    path.write_text(
        json.dumps(
            {"id": "named", "version": "1", "transport": "inprocess", "entryPoint": f"{module}:{attribute}"}
        )
    )
    return host.add(path)


@pytest.mark.parametrize(
    ("code", "attribute"),
    [
        (SERVER, "server"),
        (f"{SERVER}\ndef make():\n    return server", "make"),
        (f"{SERVER}\nasync def make():\n    return server", "make"),
        (f"{SERVER}\nclass Apps:\n    class inner:\n        main = server", "Apps.inner.main"),
        (f"{SERVER}\nclass Apps:\n    @classmethod\n    def make(cls):\n        return server", "Apps.make"),
    ],
)
def test_a_server_by_its_name(
    host: Host, folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, attribute: str
) -> None:
    assert named(host, folder, monkeypatch, code, attribute).call("where").data == "here"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import sys; sys.exit('no licence')", "SystemExit: no licence"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("raise StopIteration", "StopIteration"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import sys\ndef make(): sys.exit(3)", "SystemExit: 3"),
        ("import sys\nasync def make(): sys.exit(3)", "SystemExit: 3"),
        ("async def make(): raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("import no_such_module_here", "No module named 'no_such_module_here'"),
        ("other = 1", "has no attribute 'make'"),
    ],
)
def test_code_that_ends_or_fails_fails_its_own_start_only(
    host: Host, folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, words: str
) -> None:
    other = host.add(command("by_hand"), id="other")
    pid = other.call("pid").data
    app = named(host, folder, monkeypatch, code, "make")
    with pytest.raises(StartFailed, match=f"entryPoint .* cannot be loaded: .*{words}"):
        app.astart().result(20)
    assert app.state is State.FAILED
    assert other.acall("pid").result(20).data == pid
