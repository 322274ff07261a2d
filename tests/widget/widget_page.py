"""A browser tab that shows the widget, in the words of a test."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Frame, Locator, Page

PAGE = (Path(__file__).parent / "page.html").read_text()


class WidgetPage:
    """One tab with one widget.

    Parameters
    ----------
    browser, url
        Chromium, and where ``kernel.html`` is served.
    html : str
        The app's page.
    traits, page, limits : dict
        What the kernel says about the widget, the page and its limits, where it is not the usual.
    """

    def __init__(self, browser: Browser, url: str, html: str = PAGE, **options: Any) -> None:
        self.tab: Page = browser.new_page(viewport={"width": 900, "height": 700})
        self.tab.goto(url)
        self.tab.wait_for_function("window.ready")
        self.tab.evaluate("(options) => { window.kernel = new Kernel(options); }", {"html": html, **options})

    def show(self) -> WidgetPage:
        """Show the widget, without waiting for its page."""
        slot = "document.querySelector('#slot')"
        self.tab.evaluate(f"async () => {{ window.endView = await kernel.show({slot}); return null; }}")
        return self

    @property
    def pages(self) -> list[Frame]:
        """The apps' documents: the frames within the shells' frames."""
        return [each for each in self.tab.frames if each.parent_frame and each.parent_frame.parent_frame]

    def page(self) -> Frame:
        """The app's document, once it is initialized."""
        self.until(lambda: self.pages, "the page is there")
        page = self.pages[-1]
        page.wait_for_function("window.context")
        return page

    def until(self, condition: Callable[[], Any], what: str, timeout: float = 20) -> Any:
        """Wait until ``condition()`` is true and give its value."""
        deadline = time.monotonic() + timeout
        while not (value := condition()):
            assert time.monotonic() < deadline, f"not within {timeout} s: {what}"
            self.tab.wait_for_timeout(20)
        return value

    # The kernel

    def sent(self, kind: str) -> list[Any]:
        """The messages of one kind that reached the kernel."""
        return list(self.tab.evaluate("(kind) => kernel.of(kind)", kind))

    def events(self) -> list[str]:
        """The events of ``state`` messages."""
        return [message["event"] for message in self.sent("state")]

    def logged(self, event: str) -> list[str]:
        """The texts of one kind of log entry."""
        return [entry["text"] for entry in self.sent("log") if entry["event"] == event]

    def push(self, kind: str, message: Any) -> None:
        """Let the kernel say something about the widget as a whole."""
        self.tab.evaluate("([kind, message]) => kernel.push(kind, '', message)", [kind, message])

    # What is to be seen

    @property
    def strip(self) -> Locator:
        """The questions in the header."""
        return self.tab.locator(".mcpapp-strip")

    def press(self, label: str) -> None:
        """Press a button of a question as soon as it acts."""
        self.strip.get_by_role("button", name=label, exact=True).click()

    @property
    def note(self) -> str:
        """The note in the header line."""
        return self.tab.locator(".mcpapp-note").inner_text()

    @property
    def body(self) -> str:
        """The text in the page's place."""
        return self.tab.locator(".mcpapp-body").inner_text()

    @property
    def mode(self) -> str | None:
        """How the view is shown."""
        return self.tab.locator(".mcpapp").get_attribute("data-mode")

    @property
    def height(self) -> int:
        """The frame's height, pixels."""
        return int(self.tab.evaluate("() => document.querySelector('.mcpapp-frame').offsetHeight"))

    def set_theme(self, dark: bool) -> None:
        """Switch the notebook's theme."""
        self.tab.evaluate("(light) => { document.body.dataset.jpThemeLight = light; }", str(not dark).lower())

    def ground(self) -> tuple[int, ...]:
        """The colour near the frame's lower right corner, where our pages have nothing but their ground."""
        box = self.tab.locator(".mcpapp-frame").bounding_box()
        assert box is not None
        clip = {
            "x": box["x"] + box["width"] - 12,
            "y": box["y"] + box["height"] - 12,
            "width": 4,
            "height": 4,
        }
        picture = Image.open(io.BytesIO(self.tab.screenshot(clip=clip)))  # type: ignore[arg-type]
        return tuple(picture.convert("RGB").getpixel((1, 1)))  # type: ignore[arg-type]
