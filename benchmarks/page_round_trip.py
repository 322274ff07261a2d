"""How long a page waits for its server, through a real JupyterLab: python -m benchmarks.page_round_trip.

The page is that of the tests' hand-written app; its tool answers at once, so what is measured is the way.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium
from tests.browser.conformance.raw_app import RawApp
from tests.browser.lab_page import lab_tabs
from tests.browser.lab_server import LabServer

ONE_BY_ONE = """async (count) => {
    const times = [];
    for (let i = 0; i < count; i++) {
        const start = performance.now();
        await request("tools/call", { name: "echo", arguments: { text: "x" } });
        times.push(performance.now() - start);
    }
    return times;
}"""
AT_ONCE = """async (count) => {
    const start = performance.now();
    const call = () => request("tools/call", { name: "echo", arguments: {} });
    await Promise.all(Array.from({ length: count }, call));
    return performance.now() - start;
}"""
FROM_PYTHON = """
import statistics, time
times = []
for _ in range({count}):
    start = time.perf_counter()
    _ = raw.call("echo", text="x")
    times.append(time.perf_counter() - start)
print(statistics.median(times) * 1000)
"""


def main() -> None:
    """Print medians in milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    count = parser.parse_args().count
    path = find_chromium()
    if path is None:
        parser.exit(1, "There is no Chromium or Chrome on this machine.\n")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        server = LabServer(Path(folder))
        server.start()
        try:
            with lab_tabs(browser, server, "benchmark") as (open_lab, _):
                app = RawApp(open_lab())
                page = app.open()
                times = sorted(page.evaluate(ONE_BY_ONE, count))
                direct = float(app.lab.run_new(FROM_PYTHON.format(count=count)))
                print(f"a call from Python      {direct:7.1f} ms")
                middle, most = statistics.median(times), times[count * 9 // 10]
                print(f"a call from the page    {middle:7.1f} ms  (nine of ten: {most:.1f})")
                print(f"{count} calls at once      {page.evaluate(AT_ONCE, count):7.0f} ms")
        finally:
            server.stop()
            browser.close()


if __name__ == "__main__":
    main()
