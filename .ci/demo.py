"""Start JupyterLab on the demo notebook; run by ``make demo``, ended by Ctrl-C."""

import logging
import os
import re
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
URL = re.compile(r"http://127\.0\.0\.1:\S+token=\w+")


def has_display() -> bool:
    """Tell whether a browser opened from here would be seen by somebody."""
    if sys.platform == "darwin":
        return "SSH_CONNECTION" not in os.environ
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


class OneLine(logging.Filter):
    """Makes one line of the paragraph in which the server tells its URLs."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record that has the URL; let all pass."""
        if url := URL.search(record.getMessage()):
            record.msg, record.args = f"JupyterLab is at {url[0]} (Ctrl-C here stops it)", ()
        return True


def main() -> None:
    """Be JupyterLab, so that this process is the one that Ctrl-C ends."""
    arguments = [
        "--ip=127.0.0.1",
        f"--ServerApp.root_dir={PROJECT}",
        "--LabApp.default_url=/lab/tree/notebooks/grocery.ipynb",
        "--ServerApp.log_level=WARN",  # the URL and what goes wrong, nothing else
        "--ServerApp.answer_yes=True",  # one Ctrl-C is enough
    ]
    is_root = os.geteuid() == 0
    if is_root:
        arguments.append("--allow-root")
    if is_root or not has_display():  # browsers refuse to run as root
        arguments.append("--no-browser")
    # No configuration of the person's own: with a password set there, Lab would not print a URL that works.
    os.environ["JUPYTER_CONFIG_DIR"] = str(Path(sys.prefix) / "demo")
    from jupyterlab.labapp import LabApp

    logging.getLogger("LabApp").addFilter(lambda record: record.levelno >= logging.WARNING)
    logging.getLogger("ServerApp").addFilter(OneLine())
    LabApp.launch_instance([*arguments, *sys.argv[1:]])


if __name__ == "__main__":
    main()
