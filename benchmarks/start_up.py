"""How long a notebook waits for us: importing, loading the extension, the first call; in fresh processes."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys

STEPS = {
    "import mcpapps_jupyter": ("", "import mcpapps_jupyter"),
    "%load_ext mcpapps": (
        "from IPython.core.interactiveshell import InteractiveShell\nshell = InteractiveShell.instance()",
        "shell.run_line_magic('load_ext', 'mcpapps')",
    ),
    "first call of the bundled app": (
        "import mcpapps_jupyter\nhost = mcpapps_jupyter.get_host()",
        "host['grocery'].call('get_stores')",
    ),
    "the next call": (
        "import mcpapps_jupyter\ngrocery = mcpapps_jupyter.get_host()['grocery']\ngrocery.call('get_stores')",
        "grocery.call('get_stores')",
    ),
}
TIMED = "{before}\nimport time\nstart = time.perf_counter()\n{what}\nprint(time.perf_counter() - start)"


def main() -> None:
    """Print the median milliseconds of each step; the first run of each warms the disk and does not count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    for name, (before, what) in STEPS.items():
        command = [sys.executable, "-c", TIMED.format(before=before, what=what)]
        runs = [
            subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(rounds + 1)
        ]
        seconds = [float(run.stdout.split()[-1]) for run in runs[1:]]
        print(f"{name:32} {statistics.median(seconds) * 1000:7.1f} ms  (best {min(seconds) * 1000:.1f})")


if __name__ == "__main__":
    main()
