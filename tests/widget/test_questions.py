"""Questions to the person: links, downloads, approvals and forms, with real clicks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .widget_page import WidgetPage

    Open = Callable[..., WidgetPage]

_RECORD_WINDOWS = "() => { window.opened = []; window.open = (...it) => { opened.push(it); return null; }; }"
ADDRESS = "https://example.com/a?b=c"


def ask(widget: WidgetPage, method: str, params: Any) -> None:
    """Let the page ask for something; its answer will be in ``window.answer``."""
    script = """([method, params]) => {
        window.answer = null;
        request(method, params).then(({ result }) => { window.answer = result; });
    }"""
    widget.page().evaluate(script, [method, params])
    widget.strip.wait_for()


def answer(widget: WidgetPage) -> Any:
    """What the page was answered."""
    return widget.page().wait_for_function("window.answer").json_value()


def test_a_link_waits_for_a_click_on_our_bar(open_widget: Open) -> None:
    widget = open_widget()
    widget.tab.clock.install(time=0)
    widget.show()
    widget.page()
    widget.tab.evaluate(_RECORD_WINDOWS)
    widget.tab.clock.pause_at(3_600_000)
    ask(widget, "ui/open-link", {"url": ADDRESS})
    assert "https://example.com" in widget.strip.inner_text()
    button = widget.strip.get_by_role("button", name="Open", exact=True)
    button.click(force=True)  # at once, as a click that was meant for something else
    assert widget.tab.evaluate("opened") == []
    widget.tab.clock.resume()
    widget.press("Open")
    assert answer(widget) == {}
    assert widget.tab.evaluate("opened") == [[ADDRESS, "_blank", "noopener,noreferrer"]]
    assert widget.strip.count() == 0
    assert "opened (once)" in widget.logged("link")[-1]


def test_a_long_address_can_be_read_to_its_end(open_widget: Open) -> None:
    widget = open_widget().show()
    ask(widget, "ui/open-link", {"url": f"{ADDRESS}{'&x=y' * 900}&secret=1"})
    assert "secret" not in widget.strip.inner_text()
    widget.strip.get_by_role("button", name="Show all").click()
    assert widget.strip.locator("pre").inner_text().endswith("&secret=1")


def test_a_link_can_be_refused_or_allowed_for_good(open_widget: Open) -> None:
    widget = open_widget().show()
    widget.tab.evaluate(_RECORD_WINDOWS)
    ask(widget, "ui/open-link", {"url": ADDRESS})
    assert widget.page().evaluate("(url) => request('ui/open-link', { url })", ADDRESS)["result"]["isError"]
    widget.press("Cancel")
    assert answer(widget) == {"isError": True}
    ask(widget, "ui/open-link", {"url": ADDRESS})
    widget.press("Always for this origin")
    assert answer(widget) == {}
    widget.page().click("#field")
    again = widget.page().evaluate("request('ui/open-link', { url: 'https://example.com/other' })")
    assert again["result"] == {}
    ask(widget, "ui/open-link", {"url": "https://example.org"})
    assert len(widget.tab.evaluate("opened")) == 2


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "nonsense"])
def test_other_addresses_are_not_even_asked_about(open_widget: Open, url: str) -> None:
    widget = open_widget().show()
    result = widget.page().evaluate("(url) => request('ui/open-link', { url })", url)["result"]
    assert result == {"isError": True}
    assert widget.strip.count() == 0


def test_a_new_document_is_not_answered_for_the_old_ones_question(open_widget: Open) -> None:
    widget = open_widget().show()
    ask(widget, "ui/open-link", {"url": ADDRESS})
    widget.page().evaluate("setTimeout(() => location.reload())")
    widget.strip.wait_for(state="detached")


def test_a_file_is_saved_by_the_browser(open_widget: Open) -> None:
    widget = open_widget().show()
    resource = {"uri": "file:///x/a%20report.csv", "mimeType": "text/csv", "text": "ä,1\n"}
    ask(widget, "ui/download-file", {"contents": [{"type": "resource", "resource": resource}]})
    for part in ("a report.csv", "text/csv", "5 B"):
        assert part in widget.strip.inner_text()
    with widget.tab.expect_download() as download:
        widget.press("Save")
    assert download.value.suggested_filename == "a report.csv"
    assert Path(download.value.path()).read_text(encoding="utf-8") == "ä,1\n"
    assert answer(widget) == {}


def test_a_linked_file_is_read_through_its_own_server(open_widget: Open) -> None:
    widget = open_widget().show()
    widget.tab.evaluate("""() => {
        kernel.on['resources/read'] = (view, { id, params }) =>
            kernel.answer(view, id, { contents: [{ uri: params.uri, blob: btoa('bytes') }] });
    }""")
    link = {"type": "resource_link", "uri": "demo://picture", "name": "../picture.png"}
    ask(widget, "ui/download-file", {"contents": [link]})
    with widget.tab.expect_download() as download:
        widget.press("Save")
    widget.strip.wait_for(state="detached")
    assert download.value.suggested_filename == "picture.png"
    assert Path(download.value.path()).read_bytes() == b"bytes"
    ask(widget, "ui/download-file", {"contents": [link]})
    widget.press("Cancel")
    assert answer(widget) == {"isError": True}


@pytest.mark.parametrize("method", ["ui/open-link", "ui/download-file"])
def test_what_the_page_no_longer_wants_is_no_longer_asked(open_widget: Open, method: str) -> None:
    widget = open_widget().show()
    resource = {"uri": "file:///a.csv", "text": "1"}
    params = {"url": ADDRESS, "contents": [{"type": "resource", "resource": resource}]}
    page = widget.page()
    page.evaluate("([method, params]) => { void request(method, params, 'x'); }", [method, params])
    widget.strip.wait_for()
    page.evaluate("notify('notifications/cancelled', { requestId: 'other' })")
    page.evaluate("request('ping')")
    assert widget.strip.count() == 1
    page.evaluate("notify('notifications/cancelled', { requestId: 'x' })")
    widget.strip.wait_for(state="detached")
    page.evaluate("request('ping')")
    assert not page.evaluate("seen.some(({ id }) => id === 'x')"), "and not answered"
    ask(widget, method, params)


def test_a_file_that_is_being_read_is_not_saved_once_it_is_not_wanted(open_widget: Open) -> None:
    widget = open_widget().show()
    widget.tab.evaluate("""() => {
        window.saved = [];
        HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };
        kernel.on['resources/read'] = (view, { id }) => { window.give = () =>
            kernel.answer(view, id, { contents: [{ text: 'late' }] }); };
    }""")
    link = {"type": "resource_link", "uri": "demo://a", "name": "a.txt"}
    page = widget.page()
    page.evaluate("(link) => { void request('ui/download-file', { contents: [link] }, 'x'); }", link)
    widget.press("Save")
    widget.tab.wait_for_function("Boolean(window.give)")
    page.evaluate("notify('notifications/cancelled', { requestId: 'x' })")
    widget.strip.wait_for(state="detached")
    widget.tab.evaluate("give()")
    page.evaluate("request('ping')")
    assert widget.tab.evaluate("saved") == []


def test_every_question_says_which_app_asks_by_its_id(open_widget: Open) -> None:
    widget = open_widget(traits={"app_id": "other", "app_name": "Your bank"}).show()
    who = "Your bank (other)"
    resource = {"uri": "file:///a.csv", "text": "1"}
    params = {"url": ADDRESS, "contents": [{"type": "resource", "resource": resource}]}
    for method in ("ui/open-link", "ui/download-file"):
        widget.page().evaluate("([it, params]) => { void request(it, params); }", [method, params])
    for kind in ("approval", "permission", "message", "elicitation"):
        widget.push("ask", {"ask": kind, "type": kind, "app": "Your bank", "tool": "t", "text": "x"})
    widget.until(lambda: widget.strip.count() == 6, "all kinds of questions")
    assert [who in text for text in widget.strip.all_inner_texts()] == [True] * 6


def test_an_approval_moves_the_page_and_takes_no_focus(open_widget: Open) -> None:
    widget = open_widget().show()
    widget.page()
    widget.tab.click("#editor")
    arguments = {"text": "<b>bold</b> \u202e", "many": list(range(200))}
    who = {"app": "Demo", "tool": "wipe", "title": "Wipe everything"}
    widget.push("ask", {"ask": "a", "type": "approval", **who, "arguments": arguments})
    widget.strip.wait_for()
    assert widget.tab.evaluate("document.activeElement.id") == "editor"
    assert "<b>bold</b> \\u202e" in widget.strip.inner_text()
    widget.tab.keyboard.press("Enter")
    widget.press("Allow while open")
    widget.until(lambda: widget.sent("answer") == [{"ask": "a", "decision": "always"}], "the decision")


def test_a_question_comes_into_view_for_who_is_in_the_page(open_widget: Open) -> None:
    widget = open_widget(traits={"height": 2000}).show()
    page = widget.page()
    question = {"type": "message", "app": "Demo", "preview": "Hello"}
    scrolled = "document.scrollingElement.scrollTop"
    widget.tab.evaluate("scrollTo(0, 1e6)")
    widget.push("ask", {"ask": "a", **question})
    widget.strip.wait_for()
    assert widget.tab.evaluate(scrolled) > 1000, "nobody is in the page, so nothing moves"
    page.evaluate("""() => {
        const style = "position: absolute; top: 1900px";
        document.body.append(Object.assign(document.createElement("button"), { id: "low", style }));
    }""")
    page.click("#low")
    widget.push("ask", {"ask": "b", **question})
    top = "document.querySelector('.mcpapp-header').getBoundingClientRect().top"
    widget.until(lambda: -1 < widget.tab.evaluate(top) < 500, "the header is in view")
    widget.until(lambda: widget.strip.count() == 2, "both questions")


def test_a_question_that_slides_under_the_pointer_is_not_answered(open_widget: Open) -> None:
    widget = open_widget().show()
    widget.page()
    widget.push("ask", {"ask": "a", "type": "message", "app": "Demo", "preview": "Hello"})
    send = widget.strip.get_by_role("button", name="Send", exact=True)
    widget.until(send.is_enabled, "the question has stood still")
    # Another page above changes its size, so that the question gets to where somebody is about to click.
    widget.tab.evaluate("""() => {
        const above = document.createElement("div");
        document.body.prepend(above);
        let height = 0;
        window.moving = setInterval(() => { above.style.height = `${(height = 60 - height)}px`; }, 150);
    }""")
    widget.until(lambda: not send.is_enabled(), "its buttons are dead")
    send.click(force=True)
    send.focus()
    widget.tab.keyboard.press("Enter")
    assert widget.sent("answer") == []
    widget.tab.evaluate("clearInterval(moving)")
    widget.press("Send")
    widget.until(lambda: widget.sent("answer"), "it has stood still again")


def test_keys_answer_for_those_who_went_there_only(open_widget: Open) -> None:
    widget = open_widget().show()
    page = widget.page()
    page.click("#field")
    widget.push("ask", {"ask": "a", "type": "approval", "app": "Demo", "tool": "wipe", "arguments": {}})
    once = widget.strip.get_by_role("button", name="Allow once", exact=True)
    widget.until(once.is_enabled, "the question has stood still")
    for key in ("Enter", "Space", "Escape", "y"):
        widget.tab.keyboard.press(key)
    assert page.evaluate("request('ping')")["result"] == {}
    assert (widget.sent("answer"), widget.strip.count()) == ([], 1)
    page.evaluate("[...Array(9)].forEach(() => { parent.focus(); top.focus(); })")
    widget.tab.keyboard.press("Enter")
    assert widget.sent("answer") == []
    once.focus()
    widget.tab.keyboard.press("Enter")
    widget.until(lambda: widget.sent("answer") == [{"ask": "a", "decision": "once"}], "the decision")


def test_a_form_is_sent_once_it_is_right(open_widget: Open) -> None:
    widget = open_widget().show()
    schema = {
        "properties": {
            "name": {"type": "string", "title": "Your name", "minLength": 2},
            "day": {"type": "string", "format": "date", "title": "Day"},
            "size": {"type": "string", "title": "Size", "oneOf": [{"const": "l", "title": "Large"}]},
            "count": {"type": "integer", "title": "Count", "default": 3},
        },
        "required": ["name", "size"],
    }
    widget.push("ask", {"ask": "e", "type": "elicitation", "app": "Demo", "text": "Who?", "schema": schema})
    widget.press("Submit")
    assert widget.strip.locator(".mcpapp-error:not(:empty)").count() == 2
    widget.strip.get_by_label("Your name").fill("Ada")
    widget.strip.get_by_label("Day").fill("2026-02-28")
    widget.strip.get_by_label("Size").select_option("Large")
    widget.press("Submit")
    content = {"name": "Ada", "day": "2026-02-28", "size": "l", "count": 3}
    expected = [{"ask": "e", "decision": "accept", "content": content}]
    widget.until(lambda: widget.sent("answer") == expected, "the answer")


def test_a_question_without_a_page_stands_alone(open_widget: Open) -> None:
    widget = open_widget(traits={"role": "question"}).show()
    assert not widget.tab.locator(".mcpapp").is_visible()
    widget.push("ask", {"ask": "e", "type": "elicitation", "app": "Demo", "text": "Really?", "schema": {}})
    widget.strip.wait_for()
    assert "Really?" in widget.strip.inner_text()
    assert not widget.tab.locator(".mcpapp-line").is_visible()
    widget.push("ask", {"ask": "e", "closed": True})
    widget.until(lambda: not widget.tab.locator(".mcpapp").is_visible(), "nothing is left")
