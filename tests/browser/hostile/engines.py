"""Browsers that nobody drives: they open one address and do the rest by themselves.

Standard library only, since the set-up asks too what there is.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# No first-run pages, and nothing fetched or reported in the background.
_FIREFOX_PREFERENCES = {
    "app.normandy.enabled": False,
    "app.update.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.security.https_first": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.dns.disablePrefetch": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "browser.safebrowsing.downloads.remote.enabled": False,
}


_MAC_FIREFOX = "/Applications/Firefox.app/Contents/MacOS/firefox"


class MissingBrowserError(Exception):
    """This machine has no such browser; the text says how to get it."""


def find_firefox() -> str | None:
    """Give the path of a Firefox."""
    return shutil.which("firefox-esr") or shutil.which("firefox") or shutil.which(_MAC_FIREFOX)


def find_webkit() -> str | None:
    """Give the path of WebKitGTK's small browser, if it has a screen to draw on."""
    browsers = sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
    return str(browsers[-1]) if browsers and shutil.which("Xvfb") else None


@contextmanager
def firefox(url: str, folder: Path) -> Iterator[None]:
    """Let Firefox open an address."""
    command = find_firefox()
    if command is None:
        raise MissingBrowserError("no Firefox on this machine: apt install firefox-esr")
    lines = (f'user_pref("{name}", {str(value).lower()});\n' for name, value in _FIREFOX_PREFERENCES.items())
    (folder / "user.js").write_text("".join(lines))
    with _running([command, "--headless", "--no-remote", "--profile", str(folder), url], folder):
        yield


@contextmanager
def webkit(url: str, folder: Path) -> Iterator[None]:
    """Let WebKitGTK, the engine that Safari has too, open an address in a small browser of its own."""
    command = find_webkit()
    if command is None:
        raise MissingBrowserError("no WebKitGTK or Xvfb here: apt install libwebkit2gtk-4.1-0 xvfb")
    display, write = os.pipe()
    screen = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1024x768x24", "-nolisten", "tcp"]
    with _running(screen, folder, pass_fds=(write,)):
        os.close(write)
        with os.fdopen(display) as answer:
            number = answer.readline().strip()
        env = os.environ | {"DISPLAY": f":{number}", "WEBKIT_DISABLE_COMPOSITING_MODE": "1"}
        env |= {"XDG_DATA_HOME": str(folder), "XDG_CACHE_HOME": str(folder), "GDK_BACKEND": "x11"}
        with _running([command, "--private", url], folder, env=env):
            yield


@contextmanager
def _running(
    command: list[str], folder: Path, *, env: dict[str, str] | None = None, pass_fds: tuple[int, ...] = ()
) -> Iterator[None]:
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            command,
            env=env,
            pass_fds=pass_fds,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
