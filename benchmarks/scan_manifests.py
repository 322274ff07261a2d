"""How long finding and reading manifests takes; the aim is under a second for 1,000 of them."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from mcpapps_jupyter.discovery import MANIFEST_NAME, SearchPath, scan


def main() -> None:
    """Write manifests, scan them a few times, print the milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.count):
            place = Path(folder, f"{number:06}")
            place.mkdir()
            manifest = {
                "id": f"app-{number}",
                "version": "1.0.0",
                "command": "node",
                "arguments": ["server.js"],
            }
            (place / MANIFEST_NAME).write_text(f"// an app\n{json.dumps(manifest, indent=2)}", "utf-8")
        for _ in range(options.rounds):
            start, cpu = time.perf_counter(), time.process_time()
            found, _problems = scan([SearchPath(Path(folder), "configured")])
            wall, busy = time.perf_counter() - start, time.process_time() - cpu
            print(f"{len(found)} manifests: {wall * 1000:.0f} ms, {busy * 1000:.0f} ms of them computing")


if __name__ == "__main__":
    main()
