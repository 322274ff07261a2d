"""The same page in Notebook 7, which has JupyterLab's parts in another shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .cells import BUSY, LOAD
from .conformance.raw_app import RawApp
from .lab_page import LabPage, lab_tabs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from .lab_server import LabServer

TABLE = "[data-testid='inventory-table']"


@pytest.fixture
def notebook(request: pytest.FixtureRequest, chromium: Browser, lab_server: LabServer) -> Iterator[LabPage]:
    """An empty notebook in Notebook 7."""
    with lab_tabs(chromium, lab_server, "notebook-7", LabPage.open_in_notebook_7) as (open_tab, tabs):
        request.node.lab_pages = tabs
        yield open_tab()


def test_the_rules_hold_in_notebook_7(notebook: LabPage) -> None:
    app = RawApp(notebook)
    assert app.check(app.open(), "greeting") == []
    notebook.screenshot("notebook-7")


def test_a_fresh_page_answers_while_a_cell_runs_in_notebook_7(notebook: LabPage) -> None:
    busy = notebook.append(f"{LOAD}%mcpapp open grocery storeId=1\n{BUSY}")
    notebook.start(busy)
    page = notebook.app_frame(TABLE)
    quantity = "[data-testid='qty-1-101']"
    page.wait_for_selector(quantity)
    before = page.inner_text(quantity)
    page.click("[data-testid='plus-1-101']")
    notebook.wait_until(lambda: page.inner_text(quantity) != before, "the page answers")
    assert not notebook.has_run(busy), "the page had to be answered while the cell was still running"
    (notebook.folder / "enough").touch()
    assert "busy no more" in notebook.wait(busy)
