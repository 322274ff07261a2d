"""A frozen view is text and HTML for good, in the notebook that a real kernel leaves behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

LOAD = "%load_ext mcpapps\nimport mcpapps\nhost = mcpapps.get_host()"
OPEN = "%mcpapp open grocery show_store_inventory_dashboard storeId=1 --as dash"
VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Give ``run(cell, …)``: the outputs of each cell, after all have run."""
    for name in ("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))

    def run(*cells: str) -> list[list[dict[str, Any]]]:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=90,
            resources={"metadata": {"path": str(tmp_path)}},
            store_widget_state=False,
        )
        client.execute()
        nbformat.validate(notebook)
        return [cell.outputs for cell in notebook.cells]

    return run


def kinds(outputs: list[dict[str, Any]]) -> list[list[str]]:
    return [sorted(output["data"]) for output in outputs if "data" in output]


def test_the_output_becomes_the_card(run: Any) -> None:
    _, before, _, frozen = run(LOAD, OPEN, "plain = 1", "dash.freeze()")
    assert frozen == []
    assert kinds(before) == [["text/plain"], ["text/html", "text/plain"]]
    card = before[1]["data"]
    assert "Harbour Market" in card["text/html"] or "Store 1" in card["text/html"]
    assert "A static copy of the result: run the cell to open the app." in card["text/html"]
    assert "<script" not in card["text/html"]
    assert before[0]["data"]["text/plain"] == ""


def test_what_is_not_frozen_stays_as_it_was(run: Any) -> None:
    _, outputs, other, _ = run(LOAD, OPEN, OPEN.replace("--as dash", "--as other"), "%mcpapp freeze $other")
    assert kinds(outputs) == [[VIEW, "text/plain"], ["text/html", "text/plain"]]
    assert "needs a running kernel" in outputs[1]["data"]["text/html"]
    assert kinds(other) == [["text/plain"], ["text/html", "text/plain"]]


def test_frozen_in_the_cell_that_opened_it_and_shown_again(run: Any) -> None:
    cell = "view = host['grocery'].open(); display(view); view.freeze()"
    _, outputs, again, state = run(LOAD, cell, "view", "(view.ended, view.frozen, host.views)")
    assert kinds(outputs) == [["text/plain"], ["text/html", "text/plain"]]
    assert kinds(again) == [["text/html", "text/plain"]]
    assert again[0]["data"]["text/html"] == outputs[1]["data"]["text/html"]
    assert state[0]["data"]["text/plain"] == "(True, True, [])"


def test_a_view_shown_twice_is_frozen_twice(run: Any) -> None:
    _, first, second, _ = run(LOAD, OPEN, "dash", "host.freeze()\nhost.config.max_views = 1")
    assert kinds(first) == kinds(second) == [["text/plain"], ["text/html", "text/plain"]]
