"""Fixtures of the front end's browser tests: a Chromium and a small web server, which also is the trap."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium

from .widget_page import WidgetPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

_HERE = Path(__file__).parent
_FILES = {
    "/": (_HERE / "kernel.html", "text/html"),
    "/kernel.js": (_HERE / "kernel.js", "text/javascript"),
    "/widget.js": (_HERE.parents[1] / "mcpapps_jupyter" / "static" / "widget.js", "text/javascript"),
    "/elsewhere": (_HERE / "page.html", "text/html"),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker("browser")


class Site:
    """Serves the test's own files and remembers every other request: nothing of an app may get here."""

    def __init__(self) -> None:
        self.trapped: list[str] = []
        trapped = self.trapped

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.split("?")[0]
                if path not in _FILES and path != "/favicon.ico":
                    trapped.append(self.path)
                file, kind = _FILES.get(path, (None, "text/plain"))
                self.send_response(200 if file else 404)
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(file.read_bytes() if file else b"")

            do_POST = do_GET  # noqa: N815 - the name is http.server's

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


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


@pytest.fixture
def site() -> Iterator[Site]:
    """The web server of one test."""
    site = Site()
    yield site
    site.close()


@pytest.fixture
def open_widget(chromium: Browser, site: Site) -> Iterator[Callable[..., WidgetPage]]:
    """Give ``open_widget(html, traits=…, page=…, limits=…)``: a tab that can show such a widget."""
    opened: list[WidgetPage] = []

    def open_widget(*args: Any, **options: Any) -> WidgetPage:
        widget = WidgetPage(chromium, site.url, *args, **options)
        opened.append(widget)
        return widget

    yield open_widget
    for widget in opened:
        widget.tab.close()
