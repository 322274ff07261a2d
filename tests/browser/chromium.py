"""Find the Chromium that the browser tests drive; standard library only, since the set-up asks too."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MAC_APPS = ("Chromium.app/Contents/MacOS/Chromium", "Google Chrome.app/Contents/MacOS/Google Chrome")

# What a container needs (no sandbox as root, no GPU), and nothing fetched or reported in the background.
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_chromium() -> str | None:
    """Give the path of a Chromium or Chrome: the one named in ``$CHROMIUM``, else one of this machine."""
    if named := os.environ.get("CHROMIUM"):
        return shutil.which(named)
    on_path = (shutil.which(command) for command in _COMMANDS)
    mac_apps = (str(Path("/Applications") / app) for app in _MAC_APPS)
    return next((found for found in on_path if found), None) or next(filter(os.path.exists, mac_apps), None)
