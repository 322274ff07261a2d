"""How a page looks in the notebook: its theme is the notebook's, and it can have the whole window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cells import LOAD, OPEN_GROCERY

if TYPE_CHECKING:
    from collections.abc import Callable

    from .lab_page import LabPage

TABLE = '[data-testid="inventory-table"]'


def test_the_page_follows_the_notebooks_theme(open_lab: Callable[..., LabPage]) -> None:
    lab = open_lab(LOAD, OPEN_GROCERY)
    lab.run_all()
    page = lab.app_frame(TABLE)
    scheme = "() => document.documentElement.style.colorScheme"
    for theme, expected in (("JupyterLab Dark", "dark"), ("JupyterLab Light", "light")):
        lab.set_theme(theme)
        lab.wait_until(lambda: page.evaluate(scheme) == expected, f"the page is {expected}")  # noqa: B023
        lab.screenshot(f"grocery-{expected}")


def test_full_screen_and_back_keeps_the_page(open_lab: Callable[..., LabPage]) -> None:
    lab = open_lab(LOAD, OPEN_GROCERY)
    lab.run_all()
    page = lab.app_frame(TABLE)
    page.evaluate("() => { window.marker = 'same document'; }")
    button = lab.page.locator(".mcpapp-line button[title='Full screen']")
    button.click()
    lab.wait_until(lambda: page.evaluate("() => innerWidth") > 1200, "the page has the whole window")
    lab.screenshot("grocery-fullscreen")
    lab.page.keyboard.press("Escape")
    lab.wait_until(lambda: page.evaluate("() => innerWidth") < 1000, "the page is back in its cell")
    assert page.evaluate("() => window.marker") == "same document"
