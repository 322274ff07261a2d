"""The notebook's theme in the page, and a ground on which every page can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .widget_page import PAGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from .widget_page import WidgetPage

    Open = Callable[..., WidgetPage]

WHITE, DARK = (255, 255, 255), (17, 17, 17)
_TEXT = "() => getComputedStyle(document.body).color"


@pytest.mark.elsewhere("microsoft/vscode#287981")
def test_the_first_answer_has_the_theme_and_a_switch_follows(open_widget: Open) -> None:
    widget = open_widget()
    widget.set_theme(dark=True)
    page = widget.show().page()
    assert page.evaluate("context.theme") == "dark"
    variables = page.evaluate("context.styles.variables")
    assert len(variables) >= 60
    assert variables["--color-background-primary"] == "rgb(17, 17, 17)"
    widget.set_theme(dark=False)
    page.wait_for_function("document.documentElement.style.colorScheme === 'light'")
    assert page.evaluate(_TEXT) == "rgba(0, 0, 0, 0.87)"


@pytest.mark.parametrize(
    ("html", "ground"),
    [
        pytest.param(PAGE, DARK, id="follows the theme"),
        pytest.param(PAGE.replace("<script>", "<script>var plain = 1;"), DARK, id="uses variables only"),
        pytest.param("<!doctype html><p>Black on nothing", WHITE, id="knows of no theme"),
        pytest.param('<!doctype html><body style="background: #369">', (51, 102, 153), id="has its own"),
    ],
)
def test_a_page_can_be_read_in_the_dark(open_widget: Open, html: str, ground: tuple[int, ...]) -> None:
    widget = open_widget(html, traits={"height": 200})
    widget.set_theme(dark=True)
    widget.show()
    widget.until(lambda: widget.pages, "the page is there")
    widget.until(lambda: widget.ground() == ground, f"the ground is {ground}")


def test_a_page_in_the_light_shows_the_notebooks_ground(open_widget: Open) -> None:
    widget = open_widget(traits={"height": 200}).show()
    widget.page()
    widget.until(lambda: widget.ground() == WHITE, "the ground is white")


def test_a_page_does_not_take_the_keyboard_from_who_is_typing(open_widget: Open) -> None:
    steals = "<script>setInterval(() => document.querySelector('#field').focus(), 300)</script>"
    widget = open_widget(PAGE.replace("</body>", f"{steals}</body>"))
    widget.tab.click("#editor")
    widget.show()
    page = widget.page()
    widget.until(lambda: page.evaluate("document.activeElement.id") == "field", "the page has tried")

    def typed() -> bool:
        widget.tab.keyboard.type("x")
        return len(widget.tab.inner_text("#editor")) > 20

    widget.until(typed, "the editor gets what is typed")

    def mine() -> bool:
        page.click("#field")
        widget.tab.keyboard.type("mine")
        return page.input_value("#field").endswith("mine")

    widget.until(mine, "a click gives the page the keyboard")


def test_the_tab_key_leads_into_the_page(open_widget: Open) -> None:
    widget = open_widget().show()
    page = widget.page()
    widget.tab.get_by_role("button", name="More").focus()
    widget.tab.keyboard.press("Tab")
    widget.until(lambda: page.evaluate("document.activeElement.id") == "link", "the first thing in the page")
