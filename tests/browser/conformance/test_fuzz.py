"""Ten thousand random messages of a real page: each request is answered, and nothing fills up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from playwright.sync_api import Frame

    from .raw_app import RawApp

FUZZ = Path(__file__).with_name("fuzz.js").read_text()
ROUNDS, EACH = 4, 2500
MEGABYTE = 2**20


def test_ten_thousand_random_messages(app: RawApp) -> None:
    page = app.open()
    page.evaluate(f"() => {{ {FUZZ}; Object.assign(window, {{ fuzz, unanswered }}); }}")
    (pid,) = app.lab.server.kernel_pids()
    kernel = psutil.Process(pid)
    held: list[float] = []
    for seed in range(1, ROUNDS + 1):
        assert fuzzed(app, page, seed) > EACH / 2
        held.append(kernel.memory_info().rss / MEGABYTE)
    assert held[-1] - held[0] < 60, f"megabytes of the kernel after each round: {held}"
    assert app.lab.page.evaluate("({}).polluted") is None
    assert page.evaluate("request('ping')")["result"] == {}
    assert app.python("6 * 7") == 42
    bounds = app.python("[len(view.traffic), sum(entry.size for entry in view.traffic), len(raw.log)]")
    assert all(held <= most for held, most in zip(bounds, (2000, 8 * MEGABYTE, 2000), strict=True)), bounds


def fuzzed(app: RawApp, page: Frame, seed: int) -> int:
    """Let the page send a round and wait for every answer; gives how many requests it had."""
    count = page.evaluate("([seed, count]) => (window.ids = fuzz(seed, count)).length", [seed, EACH])
    app.lab.wait_until(lambda: not page.evaluate("unanswered(ids).length"), "every request is answered", 60)
    page.evaluate("seen.length = 0")
    return int(count)
