"""What a server wants to know is asked where the person is: in the waiting cell, or above the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cells import LOAD, OPEN_GROCERY
from .lab_page import page_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from .lab_page import LabPage

    OpenLab = Callable[..., LabPage]

STRIP = ".mcpapp-strip"
TABLE = "[data-testid='inventory-table']"
# A person may think for longer than any request may take.
HURRIED = (
    LOAD + "host.config.entries = {'grocery-inventory': {'requestTimeoutSeconds': 1.5}}\n_ = host.scan()\n"
)


def answer(lab: LabPage, question: str, *, think: int = 0) -> None:
    """Wait for a question, choose the first of what is offered, and submit."""
    strip = lab.page.wait_for_selector(f"{STRIP}:has-text('{question}')")
    strip.scroll_into_view_if_needed()
    lab.screenshot(f"elicitation-{page_name(question).lower()}")
    lab.page.wait_for_timeout(think)
    for select in strip.query_selector_all("select"):
        select.select_option(index=1)
    for box in strip.query_selector_all("input[type=checkbox]"):
        box.check()
    lab.press("Submit", question)
    lab.page.wait_for_selector(f"{STRIP}:has-text('{question}')", state="detached")


def guide(lab: LabPage) -> None:
    answer(lab, "Which store", think=2500)
    answer(lab, "What should Harbour Market restock", think=2500)
    answer(lab, "How much")
    answer(lab, "Book")


def test_a_cell_s_call_is_asked_in_the_cell(open_lab: OpenLab) -> None:
    lab = open_lab(HURRIED, "%mcpapp call grocery guided_restock")
    lab.run(0)
    lab.start(1)
    guide(lab)
    text = lab.wait(1)
    assert "Which store should be restocked" in text
    assert text.count("→ answered") == 4
    assert "Delivery booked in" in text
    assert not lab.page.query_selector(STRIP)


def test_a_page_s_call_is_asked_above_the_page(open_lab: OpenLab) -> None:
    lab = open_lab(HURRIED, OPEN_GROCERY)
    lab.run(0)
    lab.run(1)
    page = lab.app_frame(TABLE)
    page.evaluate(
        """() => {
          addEventListener("message", ({ data }) => { if (data.id === "asks") window.answer = data; });
          const params = { name: "guided_restock", arguments: {} };
          parent.postMessage({ jsonrpc: "2.0", id: "asks", method: "tools/call", params }, "*");
        }"""
    )
    guide(lab)
    lab.wait_until(lambda: page.evaluate("window.answer !== undefined"), "the page has its result")
    assert "Delivery booked in" in page.evaluate("JSON.stringify(answer.result)")


def test_declining_and_interrupting_take_the_form_away(open_lab: OpenLab) -> None:
    lab = open_lab(
        LOAD, "%mcpapp call grocery guided_restock", "%mcpapp call grocery guided_restock", "'alive'"
    )
    lab.run(0)
    lab.start(1)
    lab.page.wait_for_selector(f"{STRIP}:has-text('Which store')")
    lab.press("Decline")
    assert "→ declined" in lab.wait(1)
    lab.start(2)
    lab.page.wait_for_selector(f"{STRIP}:has-text('Which store')")
    lab.command("notebook:interrupt-kernel")
    assert "was interrupted" in lab.wait(2, may_fail=True)
    lab.page.wait_for_selector(STRIP, state="detached")
    assert lab.run(3).strip() == "'alive'"
