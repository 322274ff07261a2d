"""The two frames around a page: what it can reach, and that it comes back whatever the notebook does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .widget_page import PAGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Site
    from .widget_page import WidgetPage

    Open = Callable[..., WidgetPage]


@pytest.mark.elsewhere("Boise-State-Development/agentcore-public-stack#352")
def test_a_page_is_heard_from_its_first_line_on(open_widget: Open) -> None:
    widget = open_widget().show()
    for count in range(1, 21):
        widget.page()
        widget.until(lambda: widget.events().count("initialize") == count, "a handshake")  # noqa: B023
        widget.tab.evaluate("() => { endView(); return null; }")
        widget.until(lambda: not widget.pages, "the frame is gone")
        widget.show()


@pytest.mark.elsewhere("a2ui-project/a2ui#1064")
def test_a_page_is_alone(open_widget: Open) -> None:
    page = open_widget().show().page()
    assert page.evaluate("[top.length, parent.length]") == [0, 0]
    names = page.evaluate("""() => ['localStorage', 'sessionStorage'].map((name) => {
        try { return window[name]; } catch (error) { return error.name; }
    })""")
    assert names == ["SecurityError", "SecurityError"]
    reached = "() => { try { return String(parent.document); } catch (error) { return error.name; } }"
    assert page.evaluate(reached) == "SecurityError"
    assert page.evaluate("[document.referrer, document.baseURI]") == ["", "about:srcdoc"]


def test_nothing_of_another_page_arrives(open_widget: Open) -> None:
    widget = open_widget().show()
    first = widget.page()
    widget.tab.evaluate("""async () => {
        const slot = document.body.appendChild(document.createElement('div'));
        window.other = new Kernel({ html: kernel.opening.page.html });
        await other.show(slot);
        return null;
    }""")
    widget.until(lambda: len(widget.pages) == 2, "two pages")
    second = widget.page()
    before = first.evaluate("seen.length"), len(widget.sent("rpc"))
    second.evaluate("""() => {
        const spoof = { jsonrpc: '2.0', id: 'spoof', method: 'tools/call', params: {} };
        const windows = [top, parent, ...Array.from({ length: top.length }, (_, i) => top[i])];
        for (const each of windows) each.postMessage(spoof, '*');
    }""")
    second.evaluate("request('ping')")
    assert (first.evaluate("seen.length"), len(widget.sent("rpc"))) == before


def test_nothing_gets_out_and_the_log_says_what_to_declare(open_widget: Open, site: Site) -> None:
    widget = open_widget().show()
    page = widget.page()
    page.evaluate(
        """(url) => {
            const add = (tag, properties) => {
                document.body.append(Object.assign(document.createElement(tag), properties));
            };
            fetch(`${url}/fetch`).catch(() => {});
            navigator.sendBeacon(`${url}/beacon`);
            new WebSocket(`${url.replace('http', 'ws')}/socket`);
            add('img', { src: `${url}/image` });
            add('script', { src: `${url}/script` });
            add('link', { rel: 'stylesheet', href: `${url}/style` });
            add('iframe', { src: `${url}/frame` });
            add('video', { src: `${url}/video` });
            open(`${url}/popup`);
            import(`${url}/module`).catch(() => {});
        }""",
        site.url,
    )
    for key in ("connectDomains", "resourceDomains", "frameDomains"):
        declare = f"declare {site.url} in csp.{key}"
        widget.until(lambda: any(declare in text for text in widget.logged("csp")), key)  # noqa: B023
    assert page.evaluate("typeof RTCPeerConnection") == "undefined"
    assert site.trapped == []


@pytest.mark.parametrize("way", ["location.href = url", "form.submit()"])
def test_a_page_that_goes_elsewhere_is_stopped(open_widget: Open, site: Site, way: str) -> None:
    widget = open_widget().show()
    script = "(url) => { const form = document.createElement('form'); form.action = url;"
    widget.page().evaluate(f"{script} document.body.append(form); {way}; }}", f"{site.url}/away")
    widget.until(lambda: "may not" in widget.body, "the reason")
    widget.until(lambda: widget.pages == [], "the frame is gone")
    assert site.trapped == []
    widget.tab.get_by_role("button", name="Relaunch").click()
    widget.page()


def test_a_page_from_a_declared_origin_is_not_the_one_that_was_trusted(open_widget: Open, site: Site) -> None:
    policy = f"default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; frame-src {site.url}"
    widget = open_widget(page={"csp": policy}).show()
    widget.page().evaluate("(url) => { location.href = url; }", f"{site.url}/elsewhere")
    widget.until(lambda: "navigated" in widget.events(), "the kernel knows")
    assert "left for another address" in widget.note


def test_links_to_a_part_of_the_page_stay_in_it(open_widget: Open) -> None:
    page = open_widget().show().page()
    page.evaluate("window.marker = 1")
    page.click("#link")
    assert page.evaluate("[location.hash, window.marker]") == ["#part", 1]
    page.evaluate("location.hash = '#other'")
    assert page.evaluate("[location.hash, window.marker]") == ["#other", 1]


def test_forms_of_a_page_can_be_submitted_to_its_own_script(open_widget: Open) -> None:
    page = open_widget().show().page()
    page.evaluate("""() => {
        document.body.innerHTML = '<form><button>Go</button></form>';
        addEventListener('submit', (event) => { event.preventDefault(); window.submitted = true; });
    }""")
    page.click("button")
    assert page.evaluate("window.submitted")


def test_a_page_that_the_notebook_takes_out_and_puts_back_greets_again(open_widget: Open) -> None:
    widget = open_widget().show()
    widget.page().evaluate("void request('slow/one')")
    widget.tab.evaluate("""() => {
        const output = document.querySelector('.jp-OutputArea-child');
        const next = output.nextSibling;
        const cell = output.parentNode;
        output.remove();
        setTimeout(() => cell.insertBefore(output, next), 50);
    }""")
    widget.until(lambda: widget.events().count("initialize") == 2, "a second handshake")
    page = widget.page()
    page.wait_for_function("seen.some((message) => message.method === 'ui/notifications/tool-input')")
    assert page.evaluate("seen.filter((message) => !message.method).length") == 1
    assert len(widget.sent("open")) == 1


def test_a_page_that_reloads_itself_greets_again_but_not_for_ever(
    open_widget: Open,
) -> None:
    widget = open_widget().show()
    page = widget.page()
    page.evaluate("setTimeout(() => location.reload())")
    widget.until(lambda: widget.events().count("initialize") == 2, "a second handshake")
    assert widget.note == ""
    # Later, as the page will be gone before an answer of it could come.
    script = "void setTimeout(() => { for (let i = 0; i < 10; i++) request('ui/initialize', HELLO); })"
    widget.until(lambda: widget.pages, "the page is there")
    widget.page().evaluate(script)
    widget.until(lambda: "kept restarting" in widget.body, "the reason")
    assert "%mcpapp log demo" in widget.body
    widget.until(lambda: widget.pages == [], "the frame is gone")


@pytest.mark.parametrize(
    "html",
    [
        f"\ufeff{PAGE}",
        f"<!-- <head> -->\n{PAGE}",
        PAGE.replace("<!doctype html>", '<?xml version="1.0"?>\n<!DOCTYPE html>'),
        PAGE.replace("<head>", "").replace("</head>", ""),
        PAGE.replace("<head>", '<head data-x="<head>">'),
    ],
)
def test_odd_documents_stay_what_they_are(open_widget: Open, html: str) -> None:
    page = open_widget(html).show().page()
    facts = page.evaluate("[document.compatMode, document.title, document.documentElement.lang]")
    assert facts == ["CSS1Compat", "A page", "de"]
    assert page.evaluate("document.documentElement.outerHTML").count("<script>") == 1


@pytest.mark.parametrize(
    ("html", "missing"),
    [
        ("<!doctype html><p>No script", "has not called ui/initialize"),
        (
            PAGE.replace("<script>", "<script>var hold = true;"),
            "has called ui/initialize but not sent ui/notifications/initialized",
        ),
    ],
    ids=["silent", "half way"],
)
def test_a_page_that_does_not_finish_its_handshake_is_told_about(
    open_widget: Open, html: str, missing: str
) -> None:
    widget = open_widget(html)
    widget.tab.clock.install()
    widget.show()
    widget.until(lambda: widget.pages and widget.pages[-1].query_selector("p"), "the page is there")
    if "hold" in html:
        widget.page()
    widget.tab.clock.fast_forward(10_000)
    widget.until(lambda: missing in widget.note, "the note")
    widget.until(lambda: any(missing in text for text in widget.logged("handshake")), "the log")
    if "hold" in html:
        widget.page().evaluate("notify('ui/notifications/initialized', {})")
        widget.until(lambda: widget.note == "", "it has")


# A page with something to save before it goes.
_SAVES = """<script>addEventListener("message", ({ data }) => {
    const { method, params } = data ?? {};
    if (method === "ui/resource-teardown") request("tools/call", { name: "save", arguments: params });
})</script>"""


@pytest.mark.parametrize("way", ["reload", "replaced"])
@pytest.mark.parametrize("stays", [False, True], ids=["answers", "stays"])
def test_a_page_may_finish_before_it_goes(open_widget: Open, way: str, stays: bool) -> None:
    widget = open_widget(PAGE.replace("<script>", f"{_SAVES}<script>", 1)).show()
    page = widget.page()
    page.evaluate("(stays) => { window.marker = 1; window.stays = stays; }", stays)
    page.wait_for_function("seen.some((message) => message.method)")
    if way == "reload":
        widget.tab.get_by_role("button", name="Reload the page").first.click()
    else:
        frame = widget.tab.evaluate("kernel.sent.find(({ kind }) => kind === 'open').view")
        widget.tab.evaluate("(frame) => kernel.push('open', frame, kernel.opening)", frame)
    widget.until(lambda: widget.events().count("initialize") == 2, "another handshake")
    calls = [message for message in widget.sent("rpc") if message.get("method") == "tools/call"]
    assert len(calls) == 1
    assert "The page is loaded again" in str(calls) or way == "replaced"
    assert len(widget.sent("gone")) == (way == "reload")
    assert all("method" in message for message in widget.sent("rpc")), "the answer was ours to take"


def test_a_page_that_is_not_there_yet_is_not_asked(open_widget: Open) -> None:
    widget = open_widget(PAGE.replace("<script>", "<script>var hold = true;")).show()
    widget.page()
    widget.tab.get_by_role("button", name="Reload the page").first.click()
    assert len(widget.sent("gone")) == 1


def test_a_closed_view_leaves_nothing(open_widget: Open) -> None:
    widget = open_widget().show()
    widget.page()
    widget.tab.evaluate("() => { endView(); return null; }")
    widget.until(lambda: not widget.pages and widget.sent("gone"), "it is gone")
    listeners = "() => { kernel.end(); return Object.values(kernel.listeners).map((each) => each.size); }"
    assert set(widget.tab.evaluate(listeners)) == {0}


@pytest.mark.parametrize("more", ["", "target=_blank", "target=_top", "download"])
def test_a_plain_link_asks_and_the_page_stays(open_widget: Open, more: str) -> None:
    link = f"<a id=out href='https://example.org/a' {more}>out</a>"
    widget = open_widget(PAGE.replace("</body>", f"{link}</body>")).show()
    page = widget.page()
    page.click("#out")
    widget.strip.wait_for()
    assert "Open https://example.org in a new tab?" in widget.strip.inner_text()
    page.evaluate("""() => {
        document.querySelector("#out").onclick = (event) => { event.preventDefault(); window.own = 1; };
    }""")
    widget.press("Cancel")
    widget.until(lambda: widget.strip.count() == 0, "the page is back in its place")
    page.click("#out")
    assert page.evaluate("[window.own, request('ping') && 1]") == [1, 1]
    assert widget.strip.count() == 0, "the app has handled the click itself"
