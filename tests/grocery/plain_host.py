"""The app's page in a web page that is nothing but the official host side (`AppBridge`), in Chromium."""

import asyncio
import functools
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Frame, Locator, Page, async_playwright
from starlette.responses import HTMLResponse, Response

from mcpapps_jupyter.apps.grocery.server import create_server
from mcpapps_jupyter.apps.grocery.service import GroceryService
from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium

from .connections import http_server

JS = Path(__file__).parents[2] / "js"
GROUNDS = {"light": "#ffffff", "dark": "#111111"}
DASHBOARD = "show_store_inventory_dashboard"


def chromium() -> str:
    """Find the browser, or skip the test."""
    found = find_chromium()
    if found is None:
        pytest.skip("no Chromium or Chrome on this machine")
    return found


@functools.cache
def host_script() -> str:
    """Bundle the host's script."""
    esbuild = JS / "node_modules" / ".bin" / ("esbuild.cmd" if sys.platform == "win32" else "esbuild")
    if not esbuild.exists():
        pytest.skip("the npm packages of js/ are not installed")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "host.js"
        source = JS / "tests" / "plain-host" / "host.ts"
        command = [esbuild, source, "--bundle", "--format=iife", f"--outfile={target}", "--log-level=error"]
        subprocess.run(command, check=True)
        return target.read_text("utf-8")


@functools.cache
def axe_script() -> str:
    """Read the accessibility checker."""
    return (JS / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


@dataclass
class Opened:
    """An open page."""

    page: Page
    app: Frame
    service: GroceryService
    errors: list[str]

    def get(self, test_id: str) -> Locator:
        """Find an element of the app."""
        return self.app.get_by_test_id(test_id)

    async def told(self, what: str) -> Any:
        """Read what the host has been told: `contexts`, `messages`, `downloads`, `modes`."""
        return await self.page.evaluate(f"host.{what}")

    async def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool beside the page, as a cell or a model would."""
        return await self.page.evaluate("([tool, args]) => host.call(tool, args)", [tool, arguments])

    async def change_context(self, **context: Any) -> None:
        """Send a change of the host's context."""
        await self.page.evaluate("change => host.bridge.sendHostContextChange(change)", context)

    async def violations(self) -> list[str]:
        """Let axe look at the app; gives what is serious."""
        await self.app.evaluate(axe_script())
        found = await self.app.evaluate("async () => (await axe.run()).violations")
        return [
            f"{item['id']}: {node['html']}"
            for item in found
            if item["impact"] in ("serious", "critical")
            for node in item["nodes"]
        ]


class PlainHost:
    """One Chromium for many pages, on an event loop that runs while a test does.

    Parameters
    ----------
    loop
        The loop.
    browser
        The Chromium, which belongs to it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, browser: Browser) -> None:
        self._loop = loop
        self._browser = browser

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a test's work."""
        self._loop.run_until_complete(work)

    @asynccontextmanager
    async def open_app(
        self,
        *,
        width: int = 900,
        theme: str = "light",
        bare: bool = False,
        variables: dict[str, str] | None = None,
        **arguments: Any,
    ) -> AsyncIterator[Opened]:
        """Open the dashboard with these arguments of its tool."""
        service = GroceryService()
        server = create_server(service)

        @server.custom_route("/", ["GET"])
        async def index(request: Any) -> Response:
            ground = f"margin:0;background:{GROUNDS[theme]}"
            return HTMLResponse(
                f"<!doctype html><title>host</title><body style='{ground}'><script src=host.js></script>"
            )

        @server.custom_route("/host.js", ["GET"])
        async def script(request: Any) -> Response:
            return Response(host_script(), media_type="text/javascript")

        with http_server(server) as base:
            tab = await self._browser.new_context(viewport={"width": width, "height": 900})
            try:
                page = await tab.new_page()
                errors: list[str] = []
                page.on("pageerror", lambda error: errors.append(str(error)))
                await page.goto(base)
                context = {
                    "theme": theme,
                    "styles": {"variables": variables or {}},
                    "displayMode": "inline",
                    "availableDisplayModes": ["inline", "fullscreen"],
                }
                options = {"tool": DASHBOARD, "args": arguments, "context": context, "bare": bare}
                await page.evaluate("options => openApp(options)", options)
                frame = await (await page.wait_for_selector("iframe")).content_frame()
                await frame.wait_for_selector("tbody tr")
                yield Opened(page, frame, service, errors)
            finally:
                await tab.close()
            assert errors == []


@contextmanager
def plain_host() -> Iterator[PlainHost]:
    """Start a Chromium."""
    path, loop = chromium(), asyncio.new_event_loop()
    try:
        playwright = loop.run_until_complete(async_playwright().start())
        browser = loop.run_until_complete(
            playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        )
        yield PlainHost(loop, browser)
        loop.run_until_complete(browser.close())
        loop.run_until_complete(playwright.stop())
    finally:
        loop.close()
