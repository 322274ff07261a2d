"""A page that means harm, in a real notebook: nothing of it gets out, and nobody else believes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from .cells import LOAD
from .hostile.support import ATTACKS, HOSTILE, PAGE, adding, page
from .hostile.trap import Trap
from .lab_page import lab_tabs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Frame

    from .lab_page import LabPage
    from .lab_server import LabServer

#: What no server could notice even of a page that nothing holds back: names that are looked up, connections
#: without a request, what only a document at the top does.
UNHEARD = {"dns-prefetch", "preconnect", "manifest", "prerender", "web-transport", "policy-report"}
#: How a page may try to leave. Then it is taken away, or it stays, perhaps with a question to the person.
GONE = ["href", "replace", "link-in-the-dark", "download", "refresh", "form", "open-here"]
DEPARTURES = {**dict.fromkeys(GONE, "gone"), "link": "asks", "base-and-link": "stays"}


class Notebook:
    """One notebook for all of these tests."""

    def __init__(self, lab: LabPage) -> None:
        self.lab = lab
        lab.run_new(f"{LOAD}\nimport json")
        lab.run_new(adding("evil", HOSTILE))
        lab.run_new(adding("victim", page("victim")))

    def reset(self) -> None:
        """Close every view."""
        self.lab.run_new("for each in host.views: each.close()\nfor each in counts.values(): each.clear()")
        self.lab.command("notebook:clear-all-cell-outputs")
        self.lab.wait_until(lambda: len(self.lab.page.frames) == 1, "no frame is left")

    def add(self, app_id: str, html: str, **ui: object) -> None:
        """Add an app."""
        self.lab.run_new(adding(app_id, html, **ui))

    def open(self, app_id: str = "evil", title: str = "") -> Frame:
        """Open an app and give its page, once it has its result."""
        self.lab.run_new(f"%mcpapp open {app_id} --as view")
        title = title or ("hostile" if app_id == "evil" else app_id)
        frame = self.lab.frame_titled(title)
        result = "seen.some((message) => message?.method === 'ui/notifications/tool-result')"
        self.lab.wait_until(lambda: frame.evaluate(result), "its result")
        return frame

    def python(self, expression: str) -> Any:
        """The value of a Python expression in the kernel."""
        return json.loads(self.lab.run_new(f"print(json.dumps({expression}, default=str))"))


@pytest.fixture(scope="module")
def module_notebook(chromium: Browser, lab_server: LabServer) -> Iterator[Notebook]:
    """The notebook of this module."""
    with lab_tabs(chromium, lab_server, "hostile") as (open_lab, _):
        yield Notebook(open_lab())


@pytest.fixture
def notebook(request: pytest.FixtureRequest, module_notebook: Notebook) -> Notebook:
    """The notebook, no page open."""
    request.node.lab_pages = [module_notebook.lab]
    module_notebook.reset()
    return module_notebook


@pytest.fixture
def trap() -> Iterator[Trap]:
    """Where nothing may arrive."""
    trap = Trap()
    yield trap
    trap.close()


def test_the_attacks_are_real(chromium: Browser) -> None:
    """The same page without a notebook around it: the trap hears all of it that can be heard."""
    trap = Trap(HOSTILE.encode())
    tab = chromium.new_page()
    tab.goto(f"{trap.url}/page.html")
    names = set(tab.evaluate("Object.keys(ATTACKS)"))
    tab.evaluate("(trap) => attackAll(ATTACKS, trap)", trap.url)
    while missing := names - UNHEARD - trap.names():
        tab.wait_for_timeout(50)
        assert names, missing
    assert set(tab.evaluate("Object.keys(DEPARTURES)")) == set(DEPARTURES)
    for name in DEPARTURES:
        tab.close()
        tab = chromium.new_page()
        tab.goto(f"{trap.url}/page.html")
        tab.evaluate("([name, trap]) => setTimeout(depart, 0, name, trap)", [name, trap.url])
        while not {name, "relative"} & trap.names():
            tab.wait_for_timeout(50)
    tab.close()
    trap.close()


def test_nothing_gets_out(notebook: Notebook, trap: Trap) -> None:
    evil = notebook.open()
    evil.click("#field")  # some of it needs a click
    evil.evaluate("(trap) => attackAll(ATTACKS, trap)", trap.url)
    evil.evaluate("(trap) => attackAll(ASCENTS, trap)", trap.url)
    assert evil.evaluate("document.title") == "hostile", "it is still there"
    for text in ("csp.connectDomains", "csp.resourceDomains", "csp.frameDomains"):
        wanted = f"any('declare {trap.url} in {text}' in entry.text for entry in host['evil'].log)"
        notebook.lab.wait_until(lambda: notebook.python(wanted), f"the log says {text}")  # noqa: B023
    assert trap.requests == []
    # The trap does hear, and the browser can reach it: the notebook itself does.
    notebook.lab.page.evaluate("(url) => fetch(url, { mode: 'no-cors' })", f"{trap.url}/notebook")
    assert trap.names() == {"notebook"}


@pytest.mark.parametrize("way", DEPARTURES)
def test_a_page_that_goes_away_takes_nothing_along(notebook: Notebook, trap: Trap, way: str) -> None:
    evil = notebook.open()
    evil.evaluate("([name, trap]) => setTimeout(depart, 0, name, trap)", [way, trap.url])
    if DEPARTURES[way] == "gone":
        notebook.lab.page.wait_for_selector(".mcpapp-reason:has-text('another address')")
        notebook.lab.page.click(".mcpapp-reason button:has-text('Relaunch')")
        notebook.lab.frame_titled("hostile")
    if DEPARTURES[way] == "asks":
        notebook.lab.page.wait_for_selector(f".mcpapp-strip:has-text('Open {trap.url} in a new tab?')")
        notebook.lab.press("Cancel")
    if DEPARTURES[way] != "gone":
        assert evil.evaluate("request('ping')")["result"] == {}
    assert trap.requests == []


def test_nobody_else_believes_it(notebook: Notebook) -> None:
    evil, victim = notebook.open(), notebook.open("victim")
    before = victim.evaluate("seen.length")
    # Page and browser greet and measure by themselves, and the kernel hears of that when there is time.
    told = ("size-changed", "host-context-changed")
    settled = ("ping", "ui/initialize", *(f"ui/notifications/{name}" for name in told))
    traffic = (
        "[entry.method for view in host.views if view.app.id == 'victim' "
        f"for entry in view.traffic if entry.method not in {settled}]"
    )
    quiet = notebook.python(traffic)
    assert evil.evaluate("spoof()") == 2, "its own shell, and the notebook"
    nested = f"<script>const HELLO = {{}};{ATTACKS};parent.postMessage(spoof(), '*')</script>"
    evil.evaluate("(srcdoc) => add('iframe', { srcdoc })", nested)
    notebook.lab.wait_until(lambda: evil.evaluate("seen.includes(3)"), "a frame in it has spoken as well")
    assert victim.evaluate("request('ping')")["result"] == {}
    assert evil.evaluate("request('ping')")["result"] == {}
    assert victim.evaluate("seen.length") == before + 1
    assert notebook.python(traffic) == quiet
    assert notebook.python("counts['victim']") == []
    assert [victim.evaluate("document.title"), evil.evaluate("document.title")] == ["victim", "hostile"]
    assert victim.evaluate("greeting.hostContext.theme") == "light"


def test_known_open_webrtc_reaches_out(notebook: Notebook, trap: Trap) -> None:
    """No Content Security Policy closes WebRTC, and what we take from the page a page can get back.

    This is the one hole that is known, as the documentation says. Should this test fail because nothing
    arrives any more, it is closed: say so there.
    """
    evil = notebook.open()
    assert evil.evaluate("typeof RTCPeerConnection") == "undefined", "not by accident"
    evil.evaluate(
        """(address) => {
            const script = `
                const turn = { urls: "turn:${address}?transport=tcp", username: "u", credential: "secret" };
                const peer = new RTCPeerConnection({ iceServers: [turn] });
                peer.createDataChannel("x");
                peer.createOffer().then((offer) => peer.setLocalDescription(offer));`;
            const frame = document.body.appendChild(document.createElement("iframe"));
            frame.srcdoc = `<script>${script}</` + "script>";
        }""",
        trap.url.removeprefix("http://"),
    )
    notebook.lab.wait_until(lambda: trap.heard, "a connection")


def test_known_open_a_refused_navigation_connects(notebook: Notebook, trap: Trap) -> None:
    """Chromium connects for a navigation before it asks the policy, and then sends nothing.

    So a page can say something by the names of hosts that it makes the browser look up. As above: should this
    fail, it is closed.
    """
    evil = notebook.open()
    evil.evaluate("(url) => ATTACKS.frame(url)", f"{trap.url}/frame")
    notebook.lab.wait_until(lambda: trap.heard, "a connection")
    assert trap.requests == []


@pytest.mark.elsewhere("PostHog/posthog#76899", "modelcontextprotocol/ext-apps#387", "openai/codex#29483")
def test_what_is_declared_works_and_nothing_beside_it(notebook: Notebook, trap: Trap) -> None:
    good = Trap(b"<!doctype html><script>parent.postMessage('from the frame', '*')</script>")
    csp = {"connectDomains": [good.url], "resourceDomains": [good.url], "frameDomains": [good.url]}
    notebook.add("open", page("open"), csp=csp)
    frame = notebook.open("open")
    assert frame.evaluate("(url) => fetch(url).then((answer) => answer.json())", f"{good.url}/data.json") == [
        1
    ]
    frame.evaluate(
        """(url) => {
            const add = (tag, more) => document.body.append(Object.assign(document.createElement(tag), more));
            add("img", { id: "image", src: `${url}/x.svg` });
            add("script", { src: `${url}/x.js` });
            add("link", { rel: "stylesheet", href: `${url}/x.css` });
            add("iframe", { src: `${url}/x.html` });
        }""",
        good.url,
    )
    for condition in (
        "document.querySelector('#image').naturalWidth === 9",
        "globalThis.loaded",
        "getComputedStyle(document.body).letterSpacing === '7px'",
        "seen.includes('from the frame')",
    ):
        notebook.lab.wait_until(lambda: frame.evaluate(condition), condition)  # noqa: B023
    frame.evaluate("(url) => fetch(url).catch(() => 0)", f"{trap.url}/other")
    assert frame.evaluate("greeting.hostCapabilities.sandbox.csp.connectDomains") == [good.url]
    assert trap.requests == []
    good.close()


def test_a_document_from_a_declared_origin_has_no_grants(notebook: Notebook) -> None:
    calls = "setInterval(() => request('tools/call', { name: 'destroy', arguments: {} }), 200)"
    good = Trap(PAGE.replace("</body>", f"<script>onload = () => {calls}</script></body>").encode())
    notebook.add("roaming", page("roaming"), csp={"frameDomains": [good.url]})
    frame = notebook.open("roaming")
    destroy = (
        "void request('tools/call', { name: 'destroy', arguments: {} }).then((it) => { window.done = it; })"
    )
    frame.evaluate(destroy)
    notebook.lab.press("Allow while open")
    notebook.lab.wait_until(lambda: frame.evaluate("window.done"), "it was allowed")
    frame.evaluate("(url) => { location.href = url; }", f"{good.url}/elsewhere.html")
    notebook.lab.page.wait_for_selector(".mcpapp-note:has-text('left for another address')")
    notebook.lab.page.wait_for_selector(".mcpapp-strip:has-text('destroy')")
    assert notebook.python("counts['roaming']") == ["destroyed"]
    good.close()


def test_a_page_that_loads_itself_over_and_over_is_stopped(notebook: Notebook) -> None:
    notebook.add("looping", page("looping", "greeted.then(() => location.reload())"))
    notebook.lab.run_new("%mcpapp open looping --as view")
    notebook.lab.page.wait_for_selector(".mcpapp-reason:has-text('kept restarting')")
    notebook.lab.wait_until(lambda: len(notebook.lab.page.frames) == 1, "its frames are gone")
    assert notebook.python("6 * 7") == 42


def test_the_browser_s_permissions_are_those_that_were_granted(notebook: Notebook) -> None:
    evil = notebook.open()
    use = """async () => {
        const works = (attempt) => attempt.then(() => true, () => false);
        const { clipboard, geolocation, mediaDevices } = navigator;
        return {
            fullscreen: await works(document.body.requestFullscreen()),
            write: await works(clipboard.writeText("rm -rf /")),
            read: await works(clipboard.readText()),
            hear: await works(mediaDevices.getUserMedia({ audio: true })),
            locate: await works(new Promise((...ends) => geolocation.getCurrentPosition(...ends))),
        };
    }"""
    evil.click("#field")
    nothing = dict.fromkeys(("fullscreen", "write", "read", "hear", "locate"), False)
    assert evil.evaluate(use) == nothing
    notebook.add("writer", page("writer"), permissions={"clipboardWrite": {}, "camera": {}})
    writer = notebook.open("writer")
    assert writer.evaluate("greeting.hostCapabilities.sandbox.permissions") == {"clipboardWrite": {}}
    writer.click("#field")
    assert writer.evaluate(use) == {**nothing, "write": True}
