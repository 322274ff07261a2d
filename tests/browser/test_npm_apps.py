"""Apps that others wrote, from npm, added with a command line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .cells import LOAD

if TYPE_CHECKING:
    from collections.abc import Callable

    from .lab_page import LabPage

pytestmark = pytest.mark.npm

_PACKAGES = Path(__file__).resolve().parents[2] / "js" / "node_modules" / "@modelcontextprotocol"


def _add(app_id: str, package: str) -> str:
    return f"%mcpapp add {app_id} -- node '{_PACKAGES / package / 'dist' / 'index.js'}' --stdio"


def test_basic_react(open_lab: Callable[..., LabPage]) -> None:
    lab = open_lab(LOAD, _add("react", "server-basic-react"), "%mcpapp open react")
    lab.run_all()
    time = "code >> nth=0"
    page = lab.app_frame("button:has-text('Get Server Time')")
    first = lab.wait_until(lambda: _date(page.inner_text(time)), "the page shows the time of its tool result")
    page.click("button:has-text('Get Server Time')")
    lab.wait_until(lambda: _date(page.inner_text(time)) not in (None, first), "a click brings a newer time")
    lab.screenshot("npm-react", cell=2)


def test_system_monitor(open_lab: Callable[..., LabPage]) -> None:
    lab = open_lab(LOAD, _add("monitor", "server-system-monitor"), "%mcpapp open monitor")
    lab.run_all()
    page = lab.app_frame("#info-hostname")
    lab.wait_until(lambda: page.inner_text("#info-hostname") != "--", "the page shows its tool result")
    lab.wait_until(lambda: page.inner_text("#memory-percent") != "--%", "the page polls the server")
    lab.screenshot("npm-system-monitor", cell=2)


def _date(text: str) -> str | None:
    found = re.search(r"\d{4}-\d\d-\d\dT[\d:.]+Z", text)
    return found and found[0]
