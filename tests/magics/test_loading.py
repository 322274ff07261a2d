"""The extension comes and goes: by either name, twice, and without a trace."""

from __future__ import annotations

import subprocess
import sys
import threading

import psutil
import pytest

from .support import Notebook


def ours(notebook: Notebook) -> tuple[int, int]:
    """How many magics and matchers of ours there are."""
    shell = notebook.shell
    matchers = [str(getattr(each, "matcher_identifier", "")) for each in shell.Completer.custom_matchers]
    magics = [name for kind in shell.magics_manager.magics.values() for name in kind if name == "mcpapp"]
    return len(magics), sum("mcpapps" in each for each in matchers)


@pytest.mark.parametrize("names", [("mcpapps", "mcpapps_jupyter"), ("mcpapps_jupyter", "mcpapps")])
def test_both_names_are_one_extension(bare_notebook: Notebook, names: tuple[str, str]) -> None:
    for name in (*names, *names):
        assert bare_notebook.run(f"%load_ext {name}").error is None
    assert ours(bare_notebook) == (1, 1)
    assert bare_notebook.value("%mcpapp list")
    bare_notebook.value(f"%unload_ext {names[1]}")
    assert ours(bare_notebook) == (0, 0)


def test_unloading_leaves_nothing(plain_app: Notebook) -> None:
    notebook = plain_app
    pid = notebook.value("%mcpapp call plain process").data
    notebook.value("%mcpapp call grocery get_stores")
    notebook.value("%mcpapp open grocery")
    server = psutil.Process(pid)
    notebook.value("%unload_ext mcpapps")
    assert ours(notebook) == (0, 0)
    assert not hasattr(notebook.shell.magics_manager.user_magics, "mcpapp")
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("mcpapps")]
    server.wait(timeout=20)
    assert not [child for child in psutil.Process().children(recursive=True) if child.pid == pid]
    assert "mcpapp" in notebook.run("%mcpapp list").line  # IPython's own: no such magic


def test_loading_again_after_unloading(notebook: Notebook) -> None:
    notebook.value("%mcpapp start grocery")
    notebook.value("%unload_ext mcpapps")
    notebook.value("%load_ext mcpapps")
    assert [app.id for app in notebook.value("%mcpapp list")] == ["grocery-inventory"]
    assert notebook.value("%mcpapp call grocery get_stores").data


def test_loading_leaves_the_heavy_packages_alone() -> None:
    code = (
        "import sys\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "from traitlets.config import Config\n"
        "config = Config()\n"
        "config.HistoryManager.enabled = False\n"
        "shell = InteractiveShell.instance(config=config)\n"
        "for cell in ('%load_ext mcpapps', '%mcpapp list', '%mcpapp info grocery'):\n"
        "    shell.run_cell(cell).raise_error()\n"
        "heavy = ('mcp', 'mcp_types', 'jsonschema', 'anywidget')\n"
        "sys.exit(', '.join(name for name in heavy if name in sys.modules) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr


def test_the_magic_has_a_docstring(notebook: Notebook) -> None:
    documentation = notebook.shell.magics_manager.magics["line"]["mcpapp"].__doc__
    assert "open APP [TOOL]" in documentation
