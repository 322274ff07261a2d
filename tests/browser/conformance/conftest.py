"""One JupyterLab with the hand-written app for all of these tests: a tab for each would take too long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.lab_page import lab_tabs

from .raw_app import RawApp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from tests.browser.lab_server import LabServer


@pytest.fixture(scope="package")
def shared_app(chromium: Browser, lab_server: LabServer) -> Iterator[RawApp]:
    """The app in its JupyterLab."""
    with lab_tabs(chromium, lab_server, "conformance") as (open_lab, _):
        yield RawApp(open_lab())


@pytest.fixture
def app(request: pytest.FixtureRequest, shared_app: RawApp) -> RawApp:
    """The app, no view of it open; a test that fails leaves a picture."""
    request.node.lab_pages = [shared_app.lab]
    shared_app.reset()
    return shared_app
