"""Which page is shown, why none is, and in which order it gets what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .raw_app import RawApp

SHOWN = [
    *("nested", "flat", "spaced", "quoted", "shouted", "standard", "url_safe", "unpadded", "vendor_words"),
    *("embedding", "listed_csp", "own_csp", "silent", "wrong_method"),
]
#: Why a page is not shown, in words that have to stand in its place.
REASONS = {
    "plain_html": ["text/html", "text/html;profile=mcp-app"],
    "json": ["application/json"],
    "bad_base64": ["base64"],
    "bad_utf8": ["UTF-8"],
    "empty": ["ui://raw/empty"],
    "large": ["9,437,184", "8,388,608", "max_resource_bytes"],
    "lost": ["ui://raw/nowhere"],
}
OPENED = "ui/notifications/tool-input", "ui/notifications/tool-result"
METHODS = "seen.map(({ method }) => method).filter(Boolean)"


@pytest.mark.elsewhere("PrefectHQ/fastmcp-ts#61")
def test_every_page_that_can_be_shown_is_shown_once(app: RawApp) -> None:
    app.lab.run_new("\n".join(f"%mcpapp open raw open_{name}" for name in SHOWN))
    frames = {name: app.lab.frame_titled(name) for name in SHOWN}
    for name in ("standard", "url_safe", "unpadded"):
        assert frames[name].evaluate("wide") == "ä€😀", name
    for name, page in frames.items():
        if name not in ("silent", "wrong_method"):
            app.wait(page, "seen.some(({ method }) => method === 'ui/notifications/tool-result')")
            assert len(app.called(f"open_{name}")) == 1

    granted = {
        name: frames[name].evaluate("greeting.hostCapabilities.sandbox.csp")
        for name in ("listed_csp", "own_csp")
    }
    assert granted["listed_csp"]["connectDomains"] == ["https://listed.example"]
    assert granted["own_csp"]["connectDomains"] == ["https://own.example"]
    assert granted["own_csp"]["resourceDomains"] == [], "taken whole, never merged"
    assert len(app.lab.page.query_selector_all(".mcpapp-plain")) == 1, "prefersBorder falls back alone"

    # A page that never says hello stays to be seen; a note says why it gets nothing.
    app.wait(frames["wrong_method"], "window.answer")
    assert frames["wrong_method"].evaluate("answer.error.code") == -32601
    notes = ".mcpapp-note:has-text('has not called ui/initialize')"
    app.lab.wait_until(lambda: len(app.lab.page.query_selector_all(notes)) == 2, "the notes")
    assert frames["silent"].is_visible("text=No script at all")
    assert app.logged("has not called ui/initialize")


@pytest.mark.elsewhere("jupyterhub/jupyterhub#4823")
def test_no_frame_comes_from_the_notebook_s_server(app: RawApp) -> None:
    server = app.lab.page.request.get(app.lab.server.url + "/lab")
    assert server.headers["content-security-policy"] == "frame-ancestors 'none'"
    app.open()
    frames = [frame for frame in app.lab.page.frames if frame.parent_frame]
    assert [frame.url for frame in frames] == ["about:srcdoc", "about:srcdoc"]


@pytest.mark.elsewhere("manzt/anywidget#436", "jupyter-widgets/ipywidgets#300")
def test_what_comes_before_the_page_is_shown_is_not_lost(app: RawApp) -> None:
    app.lab.run_new("view = raw.open('open_page')\nview.wait_for_result(30)\nraw.restart()")
    app.lab.run_new("view")
    page = app.lab.frame_titled("page")
    app.wait(page, f"{METHODS}.length === 2")
    assert page.evaluate(METHODS) == [*OPENED]
    assert len(app.called("open_page")) == 1
    assert app.lab.page.locator(".mcpapp-dot").get_attribute("data-tone") == "live"


def test_where_there_is_no_page_there_is_a_reason(app: RawApp) -> None:
    app.lab.run_new("\n".join(f"%mcpapp open raw open_{name}" for name in REASONS))
    panels = app.lab.page.locator(".mcpapp-reason")
    app.lab.wait_until(lambda: panels.count() == len(REASONS), "a reason for each")
    app.lab.screenshot("no-page")
    texts = panels.all_inner_texts()
    for (name, words), text in zip(REASONS.items(), texts, strict=True):
        assert all(word in text for word in words), (name, text)
        assert "%mcpapp" in text or "%config" in text, ("the next step", text)
    assert len(app.lab.page.frames) == 1, "no frame that is blank"


def test_a_page_is_sent_nothing_before_it_is_ready(app: RawApp) -> None:
    page = app.open("late")
    app.wait(page, "window.greeting")
    app.lab.wait_until(lambda: app.python("view.state") == "live", "the result is there")
    assert page.evaluate("seen.length") == 1
    page.evaluate("notify('ui/notifications/initialized', {})")
    app.wait(page, f"{METHODS}.length === 2")
    assert page.evaluate(METHODS) == [*OPENED]


@pytest.mark.elsewhere("modelcontextprotocol/ext-apps#620")
def test_a_request_before_the_greeting_is_answered_and_hurts_nothing(app: RawApp) -> None:
    page = app.open("eager")
    app.wait(page, f"{METHODS}.length === 2")
    assert page.evaluate(METHODS) == [*OPENED]
    assert page.evaluate("seen.filter(({ id }) => id === 'early').length") == 1


def test_a_call_without_a_result_is_told_as_cancelled(app: RawApp) -> None:
    page = app.open("failing", may_fail=True)
    app.wait(page, f"{METHODS}.length === 2")
    assert page.evaluate(METHODS) == [OPENED[0], "ui/notifications/tool-cancelled"]
    assert "no eggs left" in page.evaluate("seen.at(-1).params.reason")
    assert page.evaluate("request('ping')")["result"] == {}


@pytest.mark.elsewhere("manzt/anywidget#803")
def test_arguments_that_are_still_being_written(app: RawApp) -> None:
    app.lab.run_new(
        "import queue\nparts = queue.Queue()\n"
        "view = raw.open('open_page', stream=iter(parts.get, None))\nview.show_widget()"
    )
    page = app.lab.frame_titled("page")
    app.wait(page, "window.greeting")
    for count in (1, 2):
        app.lab.run_new(f"parts.put({{'text': 'x' * {count}}})")
        app.wait(page, f"{METHODS}.length === {count}")
    assert app.called("open_page") == [], "it is called when they are whole"
    app.lab.run_new("parts.put(None)")
    app.wait(page, f"{METHODS}.length === 4")
    partial = "ui/notifications/tool-input-partial"
    assert page.evaluate(METHODS) == [partial, partial, *OPENED]
    texts = page.evaluate("seen.map(({ params }) => params?.arguments?.text).filter(Boolean)")
    assert texts == ["x", "xx", "xx"]
    assert [call["arguments"] for call in app.called("open_page")] == [{"text": "xx"}]
