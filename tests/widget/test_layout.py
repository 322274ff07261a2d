"""Sizes and display modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .widget_page import PAGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import FloatRect

    from .widget_page import WidgetPage

    Open = Callable[..., WidgetPage]

_COUNT_HEIGHTS = """() => {
    window.heights = [];
    const last = (entries) => heights.push(entries.at(-1).contentRect.height);
    new ResizeObserver(last).observe(document.querySelector('.mcpapp-frame'));
}"""


def test_the_frame_is_as_high_as_the_page_asks(open_widget: Open) -> None:
    widget = open_widget().show()
    page = widget.page()
    wishes = {"333.3": 334, "10": 60, "1e9": 5000, "0": 5000, "NaN": 5000}
    for wish, height in wishes.items():
        page.evaluate(f"notify('ui/notifications/size-changed', {{ height: {wish} }}); request('ping')")
        widget.until(lambda: widget.height == height, f"{wish} gives {height}")  # noqa: B023


def test_a_height_of_the_notebook_stays(open_widget: Open) -> None:
    widget = open_widget(traits={"height": 222}).show()
    page = widget.page()
    assert page.evaluate("context.containerDimensions.height") == 222
    page.evaluate("notify('ui/notifications/size-changed', { height: 500 }); request('ping')")
    assert widget.height == 222


@pytest.mark.parametrize(("height", "shown"), [(0, 400), (222, 222), (1234, 1234)])
def test_a_page_that_never_says_a_height(open_widget: Open, height: int, shown: int) -> None:
    widget = open_widget("<!doctype html><p>No script", traits={"height": height}).show()
    widget.until(lambda: widget.pages and widget.pages[-1].query_selector("p"), "the page is there")
    widget.until(lambda: widget.height == shown, "its height")


@pytest.mark.elsewhere("agent0ai/agent-zero#1408")
def test_a_storm_of_sizes_is_a_few_layouts(open_widget: Open) -> None:
    widget = open_widget().show()
    page = widget.page()
    widget.tab.evaluate(_COUNT_HEIGHTS)
    page.evaluate("""async () => {
        for (let i = 0; i < 400; i++) {
            notify('ui/notifications/size-changed', { height: 200 + (i * 37) % 101 });
            await new Promise((resolve) => setTimeout(resolve, 2));
        }
        notify('ui/notifications/size-changed', { height: 321 });
    }""")
    widget.until(lambda: widget.height == 321, "the last size")
    assert widget.tab.evaluate("heights.length") < 100


def test_a_page_that_grows_with_its_frame_stops_growing(open_widget: Open) -> None:
    widget = open_widget().show()
    page = widget.page()
    page.evaluate("""() => {
        const grow = () => notify('ui/notifications/size-changed', { height: innerHeight + 20 });
        addEventListener('resize', grow);
        grow();
    }""")
    seen: list[int] = []

    def resting() -> bool:
        seen.append(widget.height)
        return len(seen) > 100 and len(set(seen[-100:])) == 1

    widget.until(resting, "the height rests", 30)
    assert widget.height < 1000


def test_the_page_is_told_of_its_width_and_of_nothing_else(open_widget: Open) -> None:
    widget = open_widget().show()
    page = widget.page()
    width = page.evaluate("[innerWidth, context.containerDimensions.width]")
    assert width[0] == width[1]
    page.evaluate("notify('ui/notifications/size-changed', { height: 400, width: 100 }); request('ping')")
    widget.tab.set_viewport_size({"width": 600, "height": 700})
    narrower = "seen.find(({ method, params }) => method?.endsWith('host-context-changed') && params)"
    page.wait_for_function(narrower)
    assert (
        page.evaluate(narrower)["params"]["containerDimensions"]["width"] == page.evaluate("innerWidth") < 600
    )


def test_the_page_is_told_of_its_height_where_it_is_given_one(open_widget: Open) -> None:
    widget = open_widget().show()
    page = widget.page()
    page.evaluate("request('ui/request-display-mode', { mode: 'fullscreen' })")
    told = (
        "seen.filter(({ method }) => method?.endsWith('host-context-changed'))"
        ".map(({ params }) => params.containerDimensions)"
    )
    widget.until(lambda: page.evaluate("innerHeight") > 600, "the page has the window")
    widget.tab.set_viewport_size({"width": 900, "height": 500})
    widget.until(lambda: page.evaluate("innerHeight") < 500, "it has less of it")
    last = f"{told}.at(-1).height === innerHeight"
    page.wait_for_function(last)
    heights = page.evaluate(told)
    assert {each["width"] for each in heights[-2:]} == {page.evaluate("innerWidth")}


def test_the_page_is_told_of_another_language(open_widget: Open) -> None:
    widget = open_widget().show()
    page = widget.page()
    page.wait_for_function("seen.some((message) => message.method)")
    widget.tab.evaluate("""() => {
        Object.defineProperty(navigator, 'language', { value: 'de-AT' });
        dispatchEvent(new Event('languagechange'));
    }""")
    page.wait_for_function("seen.some(({ params }) => params?.locale === 'de-AT')")
    assert page.evaluate("seen.at(-1).params") == {"locale": "de-AT"}


@pytest.mark.parametrize("height", [0, 300])
def test_the_notebook_does_not_jump_while_a_page_is_loaded(open_widget: Open, height: int) -> None:
    widget = open_widget(traits={"height": height}).show()
    page = widget.page()
    page.evaluate("notify('ui/notifications/size-changed', { height: 300 })")
    widget.until(lambda: widget.height == 300, "its height")
    whole = "document.querySelector('.mcpapp').offsetHeight"
    before = widget.tab.evaluate(whole)
    widget.tab.evaluate("() => { window.opening = kernel.opening; kernel.opening = null; }")
    widget.tab.get_by_role("button", name="Reload the page").first.click()
    widget.tab.locator(".mcpapp-loading").wait_for()
    widget.until(lambda: not widget.pages, "the frame is gone")
    assert widget.tab.evaluate(whole) == before


def test_full_screen_fills_the_window_without_a_new_document(open_widget: Open) -> None:
    widget = open_widget().show()
    page = widget.page()
    page.fill("#field", "typed")
    button = widget.tab.get_by_role("button", name="Full screen").first
    button.click()
    widget.until(lambda: page.evaluate("innerWidth") > 860, "the page has the window")
    box = widget.tab.locator(".mcpapp").bounding_box()
    assert box is not None
    assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 900, 700)
    widget.tab.keyboard.press("Escape")
    widget.until(lambda: widget.mode == "inline", "Escape leaves")
    assert page.input_value("#field") == "typed"
    assert widget.tab.evaluate("document.activeElement.title") == "Full screen"
    modes = [message["mode"] for message in widget.sent("state") if message["event"] == "display"]
    assert modes == ["fullscreen", "inline"]


def test_escape_in_the_page_leaves_full_screen_unless_the_page_uses_it(open_widget: Open) -> None:
    widget = open_widget().show()
    page = widget.page()
    page.evaluate("request('ui/request-display-mode', { mode: 'fullscreen' })")
    page.click("#field")
    page.evaluate("addEventListener('keydown', (it) => it.preventDefault(), { capture: true, once: true })")
    widget.tab.keyboard.press("Escape")
    page.evaluate("request('ping')")
    assert widget.mode == "fullscreen"
    widget.tab.keyboard.press("Escape")
    widget.until(lambda: widget.mode == "inline", "Escape leaves")


@pytest.mark.parametrize("declared", [None, ["inline"], ["inline", "pip"]])
def test_a_page_gets_the_modes_that_it_declared(open_widget: Open, declared: list[str] | None) -> None:
    widget = open_widget().show()
    page = widget.page()
    capabilities = {} if declared is None else {"availableDisplayModes": declared}
    page.evaluate("(it) => request('ui/initialize', { ...HELLO, appCapabilities: it })", capabilities)
    got = page.evaluate("request('ui/request-display-mode', { mode: 'pip' })")["result"]["mode"]
    assert got == widget.mode == ("pip" if declared is None or "pip" in declared else "inline")


def declaring(modes: list[str]) -> str:
    """The page, with these display modes in its greeting."""
    return PAGE.replace("appCapabilities: {}", f"appCapabilities: {{ availableDisplayModes: {modes} }}")


@pytest.mark.parametrize("modes", [["inline"], ["inline", "fullscreen"], ["inline", "pip"]])
def test_only_modes_that_the_page_declared_are_offered(open_widget: Open, modes: list[str]) -> None:
    widget = open_widget(declaring(modes)).show()
    page = widget.page()
    assert page.evaluate("context.availableDisplayModes") == ["inline", "fullscreen", "pip"]
    large = widget.tab.get_by_role("button", name="Full screen", exact=True)
    assert large.is_visible() == ("fullscreen" in modes)
    widget.tab.get_by_role("button", name="More").click()
    items = widget.tab.get_by_role("menuitem").all_inner_texts()
    assert ("Full screen" in items) == ("fullscreen" in modes)
    assert ("Small window" in items) == ("pip" in modes)


@pytest.mark.parametrize("modes", [["inline"], ["inline", "fullscreen"]])
def test_a_page_that_is_opened_full_screen_has_to_know_it(open_widget: Open, modes: list[str]) -> None:
    widget = open_widget(declaring(modes), traits={"mode": "fullscreen"}).show()
    page = widget.page()
    mode = modes[-1]
    assert page.evaluate("context.displayMode") == widget.mode == mode


@pytest.mark.parametrize("width", [320, 420, 900])
def test_a_header_is_one_line_and_a_question_stands_beside_its_icon(open_widget: Open, width: int) -> None:
    widget = open_widget(traits={"app_name": "An app", "title": "What it shows " * 3})
    widget.tab.set_viewport_size({"width": width, "height": 700})
    widget.show().page()
    widget.push("ask", {"ask": "a", "type": "message", "app": "Demo", "preview": "Hello " * 30})
    widget.strip.wait_for()

    def box(selector: str) -> FloatRect:
        found = widget.tab.locator(selector).first.bounding_box()
        assert found is not None
        return found

    line, icon, words = box(".mcpapp-line"), box(".mcpapp-strip > svg"), box(".mcpapp-words")
    assert line["height"] < 40
    whole = "(name) => name.scrollWidth <= name.clientWidth"
    assert widget.tab.locator(".mcpapp-app").evaluate(whole), "the tool gives way to the app's name"
    assert words["x"] > icon["x"] + icon["width"]
    root = box(".mcpapp")
    for part in (box("button[title=More]"), box(".mcpapp-actions button:last-child")):
        assert part["x"] + part["width"] <= root["x"] + root["width"]


def test_without_a_header_there_is_one_while_there_is_something_to_say(open_widget: Open) -> None:
    widget = open_widget(traits={"header": False}).show()
    page = widget.page()
    header = widget.tab.locator(".mcpapp-header")
    height = "document.querySelector('.mcpapp-header').offsetHeight"
    assert widget.tab.evaluate(height) == 0
    widget.push("state", {"state": "failed", "text": "No eggs left", "hint": "%mcpapp restart demo"})
    assert header.get_by_text("No eggs left").is_visible()
    assert 0 < widget.tab.evaluate(height) < 50
    widget.push("state", {"state": "live", "text": ""})
    assert widget.tab.evaluate(height) == 0
    widget.push("ask", {"ask": "a", "type": "message", "app": "Demo", "preview": "Hello"})
    assert widget.strip.is_visible()
    widget.push("ask", {"ask": "a", "closed": True})
    assert widget.tab.evaluate(height) == 0
    page.evaluate("request('ui/request-display-mode', { mode: 'fullscreen' })")
    widget.until(lambda: widget.mode == "fullscreen", "full screen")
    assert widget.tab.get_by_role("button", name="Leave full screen").is_visible()
    page.evaluate("request('ui/request-display-mode', { mode: 'inline' })")
    widget.push("gone", {"reason": "The app was stopped.", "teardown": True})
    widget.until(lambda: "The app was stopped." in widget.body, "the reason")


def test_the_card_shows_where_the_page_does_not(open_widget: Open) -> None:
    widget = open_widget().show()
    widget.page()
    card = widget.tab.locator(".mcpapp-card")
    assert not card.is_visible()
    widget.push("gone", {"reason": "The app was stopped.", "teardown": True})
    widget.until(card.is_visible, "the card")
    assert "The app was stopped." in widget.body
