"""Fixtures of the browser tests: one JupyterLab and one Chromium a test process, a fresh tab a test.

They have the scope of this package, so that both have ended when other tests run in the same process:
Playwright's synchronous interface keeps an event loop running, beside which `asyncio.run` refuses to work.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from .chromium import CHROMIUM_FLAGS, find_chromium
from .lab_page import ARTIFACTS, MOST_USES, LabPage, lab_tabs, page_name
from .lab_server import LabServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

_HERE = Path(__file__).parent
_LOG_LINES = 30


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker("browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Leave a picture of each tab where a test failed, and say what the server last said."""
    report = yield
    if report.when == "call" and report.failed:
        for number, lab in enumerate(getattr(item, "lab_pages", ())):
            picture = lab.screenshot(f"failed-{page_name(item.nodeid)}-{number}")
            log = lab.server.log.read_text(errors="replace").splitlines()[-_LOG_LINES:]
            report.sections.append(("picture", str(picture.relative_to(ARTIFACTS.parent))))
            report.sections.append(("browser console", "\n".join(lab.console[-_LOG_LINES:])))
            report.sections.append(("JupyterLab", "\n".join(log)))
            lab.uses = MOST_USES  # nobody knows what the next test would find
    return report


@pytest.fixture(scope="package")
def lab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """A JupyterLab server with Lab's own defaults, which lets nobody frame it, as JupyterHub's do."""
    headers = {"headers": {"Content-Security-Policy": "frame-ancestors 'none'"}}
    server = LabServer(tmp_path_factory.mktemp("lab"), f"--ServerApp.tornado_settings={headers}")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """A headless Chromium."""
    path = find_chromium()
    if path is None:
        pytest.skip("no Chromium or Chrome on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def spare_tabs(chromium: Browser, lab_server: LabServer) -> Iterator[list[LabPage]]:
    """Tabs that a test is done with, for the next one."""
    tabs: list[LabPage] = []
    yield tabs
    for tab in tabs:
        tab.close()


@pytest.fixture
def open_lab(
    request: pytest.FixtureRequest, chromium: Browser, lab_server: LabServer, spare_tabs: list[LabPage]
) -> Iterator[Callable[..., LabPage]]:
    """Give ``open_lab(cell, …)``: a tab with JupyterLab on a new notebook of those cells, its kernel running.

    Lab's settings are those of the start again, and the kernels about to end, when the test is over.
    """
    with lab_tabs(chromium, lab_server, page_name(request.node.nodeid), spare=spare_tabs) as (
        open_lab,
        tabs,
    ):
        request.node.lab_pages = tabs
        yield open_lab
