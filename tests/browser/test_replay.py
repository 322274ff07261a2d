"""A page that was recorded is shown again in Lab, without its server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cells import LOAD, OPEN_GROCERY
from .test_log import open_log, page_of, wait_for_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from .lab_page import LabPage

    OpenLab = Callable[..., LabPage]

TABLE = "[data-testid='inventory-table']"


def test_a_recorded_page_answers_as_it_did(open_lab: OpenLab) -> None:
    lab = open_log(open_lab, "view.traffic.save('trace.json').name", "host.remove('chatty')")
    page_of(lab).click("#say")
    wait_for_row(lab, "said hello")
    assert lab.run(3).strip() == "'trace.json'"
    lab.run(4)
    lab.wait_until(lambda: not lab.app_frames("#eggs"), "the page is gone")
    lab.run_new("mcpapps.replay('trace.json').open()")
    page = page_of(lab)
    lab.wait_until(lambda: page.inner_text("#eggs") == "12 eggs", "the recorded result")
    lab.run_new("%mcpapp log chatty-replay")
    page.click("#say")
    wait_for_row(lab, "host → page tools/call ok said hello")
    page.click("#fail")
    wait_for_row(lab, "The trace has no answer to fail. It has: show; say")
    running = lab.run_new("[app.id for app in host if str(app.state) == 'Running']")
    assert running.strip() == "['chatty-replay']"


def test_the_grocery_page_too(open_lab: OpenLab) -> None:
    lab = open_lab(LOAD, OPEN_GROCERY, "dash.traffic.save('trace.json').stat().st_size")
    lab.run(0)
    lab.run(1)
    before = lab.app_frame(TABLE).inner_text(TABLE)
    assert before
    assert int(lab.run(2)) > 10_000
    lab.run_new("host.disable('grocery'); dash.close()")
    lab.wait_until(lambda: not lab.app_frames(TABLE), "the page is gone")
    lab.run_new("v = mcpapps.replay('trace.json').open(); v")
    page = lab.app_frame(TABLE)
    lab.wait_until(lambda: page.inner_text(TABLE) == before, "the same table")
