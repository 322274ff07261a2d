"""Start JupyterLab on the demo notebook; run by ``make demo``, ended by Ctrl-C."""

import os
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def has_display() -> bool:
    """Tell whether a browser opened from here would be seen by somebody."""
    if sys.platform == "darwin":
        return "SSH_CONNECTION" not in os.environ
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def main() -> None:
    """Become JupyterLab: it prints its URL, and this process is the one that Ctrl-C ends."""
    command = [
        *(sys.executable, "-m", "jupyterlab"),
        "--ip=127.0.0.1",
        f"--ServerApp.root_dir={PROJECT}",
        "--LabApp.default_url=/lab/tree/notebooks/grocery.ipynb",
        "--ServerApp.log_level=WARN",  # the URL and what goes wrong, nothing else
    ]
    is_root = os.geteuid() == 0
    if is_root:
        command.append("--allow-root")
    if is_root or not has_display():  # browsers refuse to run as root
        command.append("--no-browser")
    # No configuration of the person's own: with a password set there, Lab would not print a URL that works.
    os.environ["JUPYTER_CONFIG_DIR"] = str(Path(sys.prefix) / "demo")
    os.execv(sys.executable, command + sys.argv[1:])


if __name__ == "__main__":
    main()
