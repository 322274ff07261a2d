"""A real IPython shell with the extension loaded, one a test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from .support import SERVER, Notebook


@pytest.fixture
def bare_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Notebook]:
    """A shell without the extension, in a folder of its own."""
    for name in ("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
        folder = tmp_path / name.lower()
        folder.mkdir()
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("MCPAPPS_HEADLESS", "1")
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    folder = tmp_path / "notebook"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # the shell puts its own there
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = InteractiveShell.instance(config=config)
    try:
        yield Notebook(shell, capsys)
    finally:
        for name in ("mcpapps", "mcpapps_jupyter"):
            shell.extension_manager.unload_extension(name)
        InteractiveShell.clear_instance()


@pytest.fixture
def notebook(bare_notebook: Notebook) -> Notebook:
    """A shell with the extension loaded."""
    assert bare_notebook.run("%load_ext mcpapps").error is None
    return bare_notebook


@pytest.fixture
def plain_app(notebook: Notebook) -> Notebook:
    """A shell that knows the app ``plain``, a server of its own process."""
    notebook.names["python"], notebook.names["server"] = sys.executable, SERVER
    notebook.value("%mcpapp add plain --env SECRET=hunter2hunter2 -- {python} {server}")
    return notebook
