"""The grocery app in JupyterLab: cells and page work on one session, and every control of the page works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .cells import BUSY, LOAD

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Frame

    from .lab_page import LabPage
    from .lab_server import LabServer

    OpenLab = Callable[..., LabPage]

START = LOAD + (
    """
grocery = host["grocery"]

def on_hand(store, product):
    row, = grocery.call("get_inventory", storeId=store, productId=product).to_pandas().to_dict("records")
    return row["quantity"]
"""
)
OPEN = "%mcpapp open grocery storeId=1 --as dash"
TABLE = "[data-testid='inventory-table']"


def by_id(name: str) -> str:
    return f"[data-testid='{name}']"


def quantity(frame: Frame, key: str) -> int:
    return int(frame.inner_text(by_id(f"qty-{key}")).split()[0].replace(",", ""))


def rows(frame: Frame) -> list[str]:
    # All at once: rows that are drawn anew meanwhile could not be read one by one, and that would be slow.
    return frame.eval_on_selector_all(f"{TABLE} tbody tr", "rows => rows.map((row) => row.innerText)")


def all_have(frame: Frame, text: str) -> bool:
    shown = rows(frame)
    return bool(shown) and all(text in row for row in shown)


def opened(open_lab: OpenLab, *cells: str) -> tuple[LabPage, Frame]:
    lab = open_lab(START, OPEN, *cells)
    lab.run(0)
    lab.run(1)
    page = lab.app_frame(TABLE)
    lab.wait_until(lambda: rows(page), "the page has its rows")
    return lab, page


def test_a_click_changes_what_the_next_cell_reads(open_lab: OpenLab) -> None:
    lab, page = opened(open_lab, "print(on_hand(1, 101))")
    before = quantity(page, "1-101")
    page.click(by_id("plus-1-101"))
    lab.wait_until(lambda: quantity(page, "1-101") == before + 1, "the page shows one more")
    for shown in (before, before - 1):
        page.click(by_id("minus-1-101"))
        lab.wait_until(lambda: quantity(page, "1-101") == shown, "the page shows one less")  # noqa: B023
    assert lab.run(2).strip() == str(before - 1)


def test_a_cell_s_change_shows_in_the_page(open_lab: OpenLab) -> None:
    lab, page = opened(open_lab, "_ = grocery.call('adjust_stock', storeId=1, productId=101, delta=7)")
    before = quantity(page, "1-101")
    assert lab.run(2) == ""
    lab.wait_until(lambda: quantity(page, "1-101") == before + 7, "the page follows the cell")


@pytest.mark.elsewhere("alpic-ai/skybridge#663")
def test_a_selection_is_a_python_value(open_lab: OpenLab) -> None:
    lab, page = opened(
        open_lab, "dash.model_context is None", "dash.model_context.structured", "%mcpapp context"
    )
    assert lab.run(2).strip() == "True"
    page.check(by_id("select-1-102"))
    lab.wait_until(lambda: "Gala Apples" in lab.run(3, may_fail=True), "the selection reached the kernel")
    assert "Gala Apples" in lab.run(4)
    lab.collapse_outputs(1)
    lab.wait_until(lambda: not lab.app_frames(TABLE), "the page is away")
    lab.expand_outputs(1)
    page = lab.app_frame(TABLE)
    chosen = by_id("select-1-102")
    lab.wait_until(lambda: page.is_checked(chosen), "the new document goes on with the selection")
    lab.run_new("%mcpapp context --clear")
    lab.wait_until(lambda: not page.is_checked(chosen), "the page is told that it was taken away")
    assert lab.run(2).strip() == "True"


@pytest.mark.parametrize("setting", ["perCommTarget", "disabled"])
@pytest.mark.elsewhere("jupyterlab/jupyterlab#17363")
def test_a_fresh_page_answers_while_a_cell_runs(
    open_lab: OpenLab, lab_server: LabServer, setting: str
) -> None:
    kernels = "@jupyterlab/apputils-extension:kernels-settings"
    lab_server.change_setting(kernels, commsOverSubshells=setting)
    lab = open_lab(START, f"{OPEN}\n{BUSY}")
    lab.run(0)
    lab.start(1)
    page = lab.app_frame(TABLE)
    lab.wait_until(lambda: rows(page), "the page has its rows")
    before = quantity(page, "1-101")
    page.click(by_id("plus-1-101"))
    lab.wait_until(lambda: quantity(page, "1-101") == before + 1, "the page answers")
    assert not lab.has_run(1), "the page had to be answered while the cell was still running"
    (lab.folder / "enough").touch()
    assert "busy no more" in lab.wait(1)


# What makes ipykernel route a page's messages to the busy main shell: the last who published was the cell.
PUBLISH = """
import threading
thread = threading.Thread(target=setattr, args=(dash, "height", 501))
dash.height = 500
_ = grocery.call("adjust_stock", storeId=1, productId=101, delta=1)
thread.start()
thread.join()
"""


@pytest.mark.parametrize("setting", ["perCommTarget", "disabled"])
def test_a_page_that_was_told_something_answers_while_a_cell_runs_or_asks(
    open_lab: OpenLab, lab_server: LabServer, setting: str
) -> None:
    kernels = "@jupyterlab/apputils-extension:kernels-settings"
    lab_server.change_setting(kernels, commsOverSubshells=setting)
    lab, page = opened(open_lab, PUBLISH, f"{PUBLISH}\n{BUSY}", "%mcpapp call grocery guided_restock")

    def one_more_while(cell: int) -> None:
        before = quantity(page, "1-101")
        page.click(by_id("plus-1-101"))
        lab.wait_until(lambda: quantity(page, "1-101") == before + 1, "the page answers")
        assert not lab.has_run(cell), "the page had to be answered while the cell was still running"

    before = quantity(page, "1-101")
    lab.run(2)
    lab.start(3)
    lab.wait_until(lambda: quantity(page, "1-101") == before + 2, "the page follows both cells")
    one_more_while(3)
    (lab.folder / "enough").touch()
    assert "busy no more" in lab.wait(3)
    lab.start(4)
    lab.page.wait_for_selector(".mcpapp-strip:has-text('Which store')")
    one_more_while(4)
    lab.press("Decline", "Which store")
    assert "→ declined" in lab.wait(4)


def test_filters_search_and_order(open_lab: OpenLab) -> None:
    lab, page = opened(open_lab)
    everything = len(rows(page))
    lab.fill(page, by_id("search"), "milk")
    lab.wait_until(lambda: 0 < len(rows(page)) < everything, "the search narrows the table")
    assert all("milk" in row.casefold() for row in rows(page))
    lab.fill(page, by_id("search"), "no such thing")
    lab.wait_until(lambda: page.is_visible(by_id("empty")), "an empty table says so")
    page.click(by_id("clear-filters"))
    # Every store and category again: more than the one store that the page was opened with.
    lab.wait_until(lambda: len(rows(page)) > everything, "all rows are back")
    page.select_option(by_id("category-filter"), label="Bakery")
    lab.wait_until(lambda: all_have(page, "Bakery"), "one category is left")
    page.select_option(by_id("store-filter"), label="Old Town Grocer")
    lab.wait_until(lambda: len(rows(page)) == 5, "one category of one store is left")
    page.click(by_id("sort-product"))
    lab.wait_until(lambda: (now := rows(page)) == sorted(now), "in the order of the alphabet")
    page.click(by_id("sort-product"))
    lab.wait_until(lambda: (now := rows(page)) == sorted(now, reverse=True), "and against it")


def test_what_the_page_cannot_do_it_says_kindly(open_lab: OpenLab) -> None:
    lab, page = opened(open_lab, "on_hand(1, 303)")
    assert lab.run(2).strip() == "0"
    page.evaluate(
        """() => {
          addEventListener("message", (event) => { if (event.data.id === "t") window.answer = event.data; });
          const params = { name: "adjust_stock", arguments: { storeId: 1, productId: 303, delta: -1 } };
          parent.postMessage({ jsonrpc: "2.0", id: "t", method: "tools/call", params }, "*");
        }"""
    )
    lab.wait_until(lambda: page.evaluate("window.answer !== undefined"), "the page is answered")
    assert page.evaluate("answer.result.isError") is True
    assert "Butter Croissants" in page.evaluate("answer.result.content[0].text")
    assert lab.run(2).strip() == "0", "nothing changed"


def test_a_count_asks_in_the_page_and_in_the_notebook(open_lab: OpenLab) -> None:
    lab, page = opened(open_lab, "print(on_hand(1, 101))")
    page.click(by_id("qty-1-101"))
    lab.fill(page, by_id("count-input"), "55")
    page.click(by_id("count-save"))
    strip = lab.page.wait_for_selector(".mcpapp-strip:has-text('set_inventory')")
    assert '"quantity": 55' in strip.inner_text(), "the person sees the arguments"
    lab.screenshot("approval")
    lab.press("Allow once", "set_inventory")
    lab.wait_until(lambda: quantity(page, "1-101") == 55, "the page shows the count")
    assert lab.run(2).strip() == "55"
    page.click(by_id("qty-1-101"))
    lab.fill(page, by_id("count-input"), "66")
    page.click(by_id("count-save"))
    lab.press("Deny", "set_inventory")
    lab.wait_until(lambda: page.is_visible(by_id("notice")), "the page says that it was not allowed")
    assert lab.run(2).strip() == "55"


def test_an_order_is_a_message_that_the_person_sends(open_lab: OpenLab) -> None:
    lab, page = opened(open_lab, "[m['content'][0]['text'] for m in dash.messages]")
    page.click(by_id("draft-order"))
    lab.press("Send", "message")
    lab.page.wait_for_selector(".mcpapp-strip", state="detached")
    assert "Butter Croissants" in lab.wait_until(
        lambda: text if (text := lab.run(2)).strip() != "[]" else "", "the message is in Python"
    )


def test_the_table_is_saved_as_csv(open_lab: OpenLab) -> None:
    lab, page = opened(open_lab)
    page.click(by_id("download-csv"))
    with lab.page.expect_download() as download:
        lab.press("Save", "csv")
    saved = download.value
    assert saved.suggested_filename.endswith(".csv")
    text = saved.path().read_text("utf-8-sig")
    assert "Bananas" in text
    assert len(text.splitlines()) == len(rows(page)) + 1
