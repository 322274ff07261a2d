"""The demo as the README starts it, up to the page of the bundled app in the demo notebook."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .lab_page import has_element
from .lab_server import isolated_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

DEMO = Path(__file__).resolve().parents[2] / ".ci" / "demo.py"
KERNEL_IS_IDLE = ".jp-Notebook-ExecutionIndicator[data-status='idle']"
URL = re.compile(r"http://127\.0\.0\.1:\d+/lab/tree/notebooks/grocery\.ipynb\?token=\w+")


@pytest.fixture
def demo_url(tmp_path: Path) -> Iterator[str]:
    """Start the demo and read the URL that it prints."""
    log = tmp_path / "log"
    with log.open("wb") as output:
        command = [sys.executable, str(DEMO), "--no-browser"]
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
    page = context.new_page()
    page.goto(demo_url)
    page.wait_for_selector(KERNEL_IS_IDLE, state="attached", timeout=60_000)
    page.click(".lm-MenuBar-item:has-text('Run')")
    page.click(".lm-Menu-item:has-text('Run All Cells')")
    deadline = time.monotonic() + 60
    while not any(has_element(frame, "[data-testid='inventory-table']") for frame in page.frames):
        assert time.monotonic() < deadline, page.inner_text("body")
        page.wait_for_timeout(100)
    context.close()
