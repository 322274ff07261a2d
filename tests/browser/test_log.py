"""The log table in a notebook: live, filtered, saved, and what pages are forbidden with what to declare."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.grocery.plain_host import axe_script

from .cells import LOAD

if TYPE_CHECKING:
    from collections.abc import Callable

    from .lab_page import LabPage

    OpenLab = Callable[..., LabPage]

SERVER = Path(__file__).with_name("chatty.py")
START = LOAD + f"host.add([{sys.executable!r}, {str(SERVER)!r}], id='chatty')\n'ready'"
OPEN = "%mcpapp open chatty --as view"
LOG = "%mcpapp log chatty"
TABLE = ".mcpapp-log"
AXE = """async () => {
  const { violations } = await axe.run(".mcpapp-log");
  return violations.map(({ id, nodes }) => [id, nodes[0].html, nodes[0].failureSummary]);
}"""
#: A cell that is busy until a file appears.
BUSY = """
import pathlib, time
while not pathlib.Path("go-on").exists():
    time.sleep(0.05)
"""


def rows(lab: LabPage, fits: str = "") -> list[dict[str, str]]:
    """The rows that are drawn, of which the text has `fits`."""
    found: list[dict[str, str]] = lab.page.evaluate(
        """() => [...document.querySelectorAll(".mcpapp-log tbody tr[data-level]")].map((row) => ({
          level: row.dataset.level,
          source: row.dataset.source,
          text: row.querySelector(".log-text").textContent,
        }))"""
    )
    return [row for row in found if fits in row["text"]]


def wait_for_row(lab: LabPage, fits: str, count: int = 1) -> dict[str, str]:
    return lab.wait_until(lambda: rows(lab, fits)[count - 1 :], f"a row with {fits!r}")[0]


def open_log(open_lab: OpenLab, *cells: str) -> LabPage:
    lab = open_lab(START, OPEN, LOG, *cells)
    for index in range(3):
        lab.run(index)
    wait_for_row(lab, "the page is drawn")
    return lab


def page_of(lab: LabPage) -> Any:
    return lab.app_frame("#eggs")


def test_everybody_s_lines_are_in_the_table(open_lab: OpenLab) -> None:
    lab = open_log(open_lab)
    page_of(lab).click("#say")
    assert wait_for_row(lab, "page → host tools/call say")["level"] == "debug"
    assert wait_for_row(lab, "host → page tools/call ok said hello")["source"] == "traffic"
    assert wait_for_row(lab, "ERROR: hello on stderr")["level"] == "error"
    page_of(lab).click("#fail")
    assert wait_for_row(lab, "host → page tools/call error")["level"] == "warning"
    found = {(row["source"], row["level"], row["text"]) for row in rows(lab)}
    assert ("server", "warning", "hello") in found
    assert ("stderr", "info", "INFO: chatty runs") in found
    assert ("stdout", "warning", "Starting chatty…") in found
    assert ("page", "notice", "page: the page is drawn") in found
    [forbidden] = [row for row in rows(lab) if row["source"] == "csp"]
    assert forbidden["level"] == "warning"
    assert "https://cdn.example" in forbidden["text"]
    assert "csp.resourceDomains" in forbidden["text"]


def test_it_is_live_while_a_cell_is_busy_and_messages_open(open_lab: OpenLab) -> None:
    lab = open_log(open_lab, BUSY, "[table.app.id for table in host.pages._logs._tables]")
    lab.start(3)
    lab.wait_until(lambda: page_of(lab).click("#say") or rows(lab, "said hello"), "the click is in the log")
    details = lab.page.query_selector(f"{TABLE} tr:has-text('tools/call ok said hello') details")
    details.query_selector("summary").click()
    said = details.query_selector("pre")
    lab.wait_until(lambda: '"text": "said hello"' in said.inner_text(), "all that it says")
    assert not lab.has_run(3)
    (lab.folder / "go-on").touch()
    lab.wait(3)
    # One table a cell, however often it is run.
    for _ in range(3):
        lab.run(2)
    wait_for_row(lab, "the page is drawn")
    assert lab.run(4).strip() == "['chatty']"


def test_filters_and_pausing_by_keyboard_alone(open_lab: OpenLab) -> None:
    lab = open_log(open_lab, "%mcpapp call chatty say text=eggs times=40")
    cells = lab.page.evaluate("() => lab.cellCount()")
    table = lab.page.query_selector(TABLE)
    table.query_selector("input").focus()
    lab.page.keyboard.type("drawn b d")  # letters that are the notebook's shortcuts, too
    lab.wait_until(lambda: rows(lab) == rows(lab, "drawn"), "only what fits")
    for _ in range(9):
        lab.page.keyboard.press("Backspace")
    lab.wait_until(lambda: len(rows(lab)) > 3, "everything again")
    lab.page.keyboard.press("Tab")  # Follow
    lab.page.keyboard.press("Space")
    before = len(rows(lab))
    lab.run(3)
    follow = table.query_selector("button[aria-pressed]:has-text('Follow')")
    lab.wait_until(lambda: "41 new" in follow.inner_text(), "the new ones are counted")
    assert len(rows(lab)) == before
    follow.focus()  # which went to the cell that ran
    lab.page.keyboard.press("Space")
    wait_for_row(lab, "eggs 39")
    scroll = table.query_selector(".log-scroll")
    at_end = "e => e.scrollHeight - e.scrollTop - e.clientHeight < 3"
    lab.wait_until(lambda: scroll.evaluate(at_end), "the newest is in sight")
    lab.page.keyboard.press("Tab")  # the lines
    lab.page.keyboard.press("Home")
    lab.wait_until(lambda: follow.get_attribute("aria-pressed") == "false", "the reader is not pulled away")
    lab.page.keyboard.press("End")
    lab.wait_until(lambda: follow.get_attribute("aria-pressed") == "true", "at the end it goes on")
    for _ in range(2):
        lab.page.keyboard.press("Shift+Tab")
    lab.page.keyboard.press("Shift+Tab")  # level
    lab.page.keyboard.type("Error")
    lab.wait_until(lambda: {row["level"] for row in rows(lab)} == {"error"}, "only errors")
    assert lab.page.evaluate("() => lab.cellCount()") == cells


def test_what_is_saved_needs_no_kernel(open_lab: OpenLab) -> None:
    only_errors = "%mcpapp log chatty --level error --source stderr --as found"
    lab = open_log(open_lab, "host['chatty'].log", only_errors)
    widget, static = lab.outputs(2)
    assert widget["data"]["text/plain"] == ""
    text, html = "".join(static["data"]["text/plain"]), "".join(static["data"]["text/html"])
    assert text.startswith("Log of chatty, ")
    assert "INFO: chatty runs" in text
    assert "mcpapp-log-static" in html
    assert len(html) < 14_000
    shown = lab.cell(2).query_selector(".jp-OutputArea-child:has(.mcpapp-log-static)")
    assert not shown.is_visible()  # while the live one is there
    assert len(lab.run(3)) > 50
    assert lab.cell(3).query_selector(TABLE)
    lab.run(4)
    assert lab.run_new("len(found), host['chatty'].log.filter(source='csp')[0].event").strip() == "(0, 'csp')"
    lab.reload()
    lab.wait_until(lambda: len(rows(lab)) > 5, "the table is back")


def test_a_flood_is_drawn_in_time_and_the_kernel_stays_calm(open_lab: OpenLab) -> None:
    flood = "for n in range(20_000):\n    host['chatty'].log.add('host', f'drop {n}')"
    lab = open_log(open_lab, flood, "'alive'")
    lab.run(3)
    wait_for_row(lab, "drop 19999")
    assert len(rows(lab)) <= 1000
    assert lab.run(4).strip() == "'alive'"


@pytest.mark.npm
@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_it_can_be_read_by_everybody_at_any_width(open_lab: OpenLab, theme: str) -> None:
    lab = open_log(open_lab)
    lab.set_theme(theme)
    page_of(lab).click("#say")
    wait_for_row(lab, "said hello")
    page_of(lab).click("#fail")
    wait_for_row(lab, "no eggs left")
    lab.page.evaluate(axe_script())
    for width in (1280, 640):
        lab.page.set_viewport_size({"width": width, "height": 900})
        lab.page.query_selector(TABLE).scroll_into_view_if_needed()
        assert lab.page.evaluate(AXE) == []
        assert lab.page.query_selector(TABLE).evaluate("e => e.scrollWidth - e.clientWidth") <= 0
        lab.screenshot(f"log-{theme.split()[1].lower()}-{width}")
