"""What a notebook shows and keeps beside the page: one-line errors, the card, nothing after unloading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cells import LOAD, OPEN_GROCERY

if TYPE_CHECKING:
    from collections.abc import Callable

    from .lab_page import LabPage

    OpenLab = Callable[..., LabPage]

TABLE = "[data-testid='inventory-table']"


def test_bad_input_is_one_line_each(open_lab: OpenLab) -> None:
    lab = open_lab(
        LOAD + "grocery = host['grocery']",
        "%mcpapp opne grocery",
        "%mcpapp open grocry",
        "%mcpapp call grocery get_inventry",
        "%mcpapp call grocery adjust_stock storeId=1",
        "%mcpapp call grocery get_inventory stoerId=1",
        "%mcpapp call grocery get_inventory storeId=many",
        "grocery.call('adjust_stock', storeId=1)",
        "host['nope']",
    )
    lab.run(0)
    wanted = {
        1: "open",
        2: "grocery-inventory",
        3: "get_inventory",
        4: "%mcpapp call grocery",
        5: "storeId",
        6: "integer",
        7: "delta",
        8: "nope",
    }
    for index, word in wanted.items():
        text = lab.run(index, may_fail=True)
        assert word in text, text
        assert "Traceback" not in text
        shown = [
            line
            for output in lab.outputs(index)
            for line in output.get("traceback", [output.get("text", "")])
            if str(line).strip()
        ]
        assert len("".join(map(str, shown)).strip().splitlines()) == 1, shown


def test_the_card_hides_while_the_page_lives_and_is_saved(open_lab: OpenLab) -> None:
    lab = open_lab(LOAD, OPEN_GROCERY)
    lab.run(0)
    lab.run(1)
    lab.app_frame(TABLE)
    cards = lab.page.query_selector_all(".mcpapp-card")
    assert len(cards) == 1
    assert not cards[0].is_visible()
    saved = lab.saved_outputs(1)
    assert [sorted(output["data"]) for output in saved] == [
        ["application/vnd.jupyter.widget-view+json", "text/plain"],
        ["text/html", "text/plain"],
    ]
    assert "Harbour Market" in "".join(saved[1]["data"]["text/html"])
    assert len(str(saved)) < 10_000


def test_unload_stops_everything(open_lab: OpenLab) -> None:
    lab = open_lab(
        LOAD,
        OPEN_GROCERY,
        "%unload_ext mcpapps",
        "import threading\nsorted(t.name for t in threading.enumerate() if 'mcpapps' in t.name)",
        "%mcpapp list",
    )
    for index in range(3):
        lab.run(index)
    assert lab.run(3).strip() == "[]"
    assert "not found" in lab.run(4, may_fail=True)
