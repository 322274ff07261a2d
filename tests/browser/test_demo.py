"""The demo as the README starts it, up to the page of the bundled app in the demo notebook."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import pytest

from .lab_page import has_element
from .lab_server import isolated_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

PROJECT = Path(__file__).resolve().parents[2]
LAB_SCRIPT = Path(__file__).with_name("lab.js")
URL = re.compile(r"http://127\.0\.0\.1:\d+/lab/tree/notebooks/grocery\.ipynb\?token=\w+")


@pytest.fixture
def demo_url(tmp_path: Path) -> Iterator[str]:
    """Start the demo and read the URL that it prints."""
    log = tmp_path / "log"
    with log.open("wb") as output:
        more = ["--no-browser", "--LabApp.expose_app_in_browser=True"]
        command = [sys.executable, str(PROJECT / ".ci" / "demo.py"), *more]
        env = isolated_environment(tmp_path)
        process = subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
    deadline = time.monotonic() + 60
    while (
        not (found := URL.search(log.read_text())) and process.poll() is None and time.monotonic() < deadline
    ):
        time.sleep(0.05)
    try:
        assert found, log.read_text()
        yield found[0]
    finally:
        process.terminate()
        process.wait(30)


def test_the_demo_shows_the_grocery_app(demo_url: str, chromium: Browser) -> None:
    context = chromium.new_context()
    context.add_init_script(path=LAB_SCRIPT)
    page = context.new_page()
    page.goto(demo_url)
    page.wait_for_function("path => lab.isOpen(path)", arg="notebooks/grocery.ipynb", timeout=60_000)
    page.evaluate("() => lab.ready()")
    sources = [cell.source for cell in nbformat.read(PROJECT / "notebooks" / "grocery.ipynb", 4).cells]
    for start in ("%load_ext mcpapps", "%mcpapp open grocery"):
        index = next(index for index, source in enumerate(sources) if source.startswith(start))
        page.evaluate("index => lab.start(index)", index)
        page.wait_for_function("index => lab.hasRun(index)", arg=index, timeout=60_000)
    deadline = time.monotonic() + 30
    while not any(has_element(frame, "[data-testid='inventory-table']") for frame in page.frames):
        assert time.monotonic() < deadline, page.inner_text("body")
        page.wait_for_timeout(100)
    context.close()
