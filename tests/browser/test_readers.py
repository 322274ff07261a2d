"""Who reads a saved notebook: a Lab whose kernel is another, one that does not trust it, an export, Voilà."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from .cells import LOAD
from .lab_page import ARTIFACTS, LabPage, has_element, lab_tabs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from .lab_server import LabServer

OPEN = "%mcpapp open grocery storeId=1"
TABLE = "[data-testid='inventory-table']"
#: What the card has to say: app, tool, arguments, and of the result.
SUMMARY = ("show_store_inventory_dashboard", "storeId=1", "Harbour Market")


@pytest.fixture(scope="module")
def saved(chromium: Browser, lab_server: LabServer) -> Path:
    """A notebook that was saved with an open page, its cell run twice, and whose kernel has ended."""
    with lab_tabs(chromium, lab_server, "readers") as (open_lab, _):
        lab = open_lab(LOAD, OPEN)
        lab.run_all()
        lab.run(1)
        lab.app_frame(TABLE)
        lab.save()
        return lab.path


@pytest.fixture
def open_saved(
    request: pytest.FixtureRequest, chromium: Browser, lab_server: LabServer
) -> Iterator[Callable[[str], LabPage]]:
    """Give ``open_saved(name)``: a tab with JupyterLab on a notebook that is there."""
    tabs: list[LabPage] = []
    request.node.lab_pages = tabs

    def open_saved(name: str) -> LabPage:
        tabs.append(LabPage(chromium, lab_server, name, None))
        tabs[-1].open()
        return tabs[-1]

    yield open_saved
    for tab in tabs:
        tab.close()
    lab_server.shut_down_kernels()


def assert_card(page: Page) -> None:
    page.wait_for_selector(".mcpapp-card")
    (card,) = page.query_selector_all(".mcpapp-card")
    assert card.is_visible()
    text = card.inner_text()
    assert all(part in text for part in SUMMARY), text


@pytest.mark.elsewhere(
    "widgetti/ipyreact#40", "jupyter-widgets/ipywidgets#3422", "jupyter-widgets/ipywidgets#624"
)
def test_a_notebook_opened_with_another_kernel_shows_the_card(
    saved: Path, open_saved: Callable[[str], LabPage]
) -> None:
    lab = open_saved(saved.stem)
    assert_card(lab.page)
    assert len(lab.page.frames) == 1
    lab.screenshot("reopened")
    lab.run_all()
    lab.app_frame(TABLE)
    assert not lab.page.locator(".mcpapp-card").is_visible(), "the page is there again"


def test_a_notebook_that_is_not_trusted_shows_the_card(
    saved: Path, lab_server: LabServer, open_saved: Callable[[str], LabPage]
) -> None:
    copy = lab_server.root / "from-somebody" / "from-somebody.ipynb"
    copy.parent.mkdir()
    copy.write_text(saved.read_text().replace("%load_ext mcpapps", "# changed on the way"))
    lab = open_saved(copy.stem)
    assert_card(lab.page)
    lab.screenshot("untrusted")


@pytest.mark.elsewhere("anthropics/claude-code#95149")
def test_an_export_shows_the_card(saved: Path, chromium: Browser, tmp_path: Path) -> None:
    export = [sys.executable, "-m", "nbconvert", "--to", "html", "--output-dir", str(tmp_path), str(saved)]
    subprocess.run(export, check=True, capture_output=True)
    (html,) = tmp_path.glob("*.html")
    page = chromium.new_page()
    page.route("http*://**", lambda route: route.abort())
    page.goto(html.as_uri())
    assert_card(page)
    page.close()
    assert "_esm" not in html.read_text(), "nothing of the widget"


def test_voila_serves_the_living_page(saved: Path, chromium: Browser, lab_server: LabServer) -> None:
    page = chromium.new_page()
    page.goto(f"{lab_server.url}/voila/render/{saved.relative_to(lab_server.root)}", timeout=60_000)
    quantity = "[data-testid='qty-1-101']"
    deadline = time.monotonic() + 60
    while not (frames := [each for each in page.frames if each.parent_frame and has_element(each, quantity)]):
        assert time.monotonic() < deadline, page.content()
        page.wait_for_timeout(50)
    (frame,) = frames
    before = frame.inner_text(quantity)
    frame.click("[data-testid='plus-1-101']")
    while frame.inner_text(quantity) == before:
        assert time.monotonic() < deadline, "the page does not answer"
        page.wait_for_timeout(50)
    page.screenshot(path=ARTIFACTS / "voila.png")
    page.close()
