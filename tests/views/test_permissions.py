"""What a page may use of the browser: granted, asked, refused, and told to the page as it is."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from mcpapps_jupyter.host import Host
from tests.core.conftest import new_host, settle_in
from tests.core.servers.lab import HTML
from tests.core.support import until
from tests.views.tab import Tab

PAGE = "ui://map/page.html"
MakeTab = Callable[..., Tab]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        settle_in(tmp_path_factory.mktemp("notebook"), monkeypatch)
        host = new_host(headless=False)
        yield host
        host.close()


@pytest.fixture
def ask_for(kernel: Host) -> Iterator[MakeTab]:
    """Give ``ask_for(permission, …)``: a tab on a page that asks for these."""
    number = itertools.count()

    def ask_for(*permissions: str) -> Tab:
        app_id = f"map{next(number)}"
        server = MCPServer(app_id)
        meta = {"ui": {"permissions": {name: {} for name in permissions}}}

        @server.tool(meta={"ui": {"resourceUri": PAGE}})
        def show() -> str:
            return "shown"

        @server.resource(PAGE, mime_type="text/html;profile=mcp-app", meta=meta)
        def page() -> str:
            return HTML

        return Tab(kernel, kernel.add(server, id=app_id).open("show"))

    yield ask_for
    for app in list(kernel):
        kernel.remove(app.id)
    kernel.decisions.clear()


def granted(opening: dict[str, Any]) -> dict[str, Any]:
    return opening["hostCapabilities"]["sandbox"]["permissions"]


def decided(kernel: Host) -> list[tuple[str, str, str]]:
    return [(each.subject, each.outcome, each.by) for each in kernel.decisions]


def test_the_clipboard_is_granted_and_told(ask_for: MakeTab) -> None:
    opening = ask_for("clipboardWrite").open()
    assert opening["page"]["allow"] == "clipboard-write"
    assert granted(opening) == {"clipboardWrite": {}}


def test_camera_and_microphone_never_are(kernel: Host, ask_for: MakeTab) -> None:
    kernel.config.permissions = {"camera": "allow", "microphone": "ask", "clipboardWrite": "allow"}
    try:
        tab = ask_for("camera", "microphone", "clipboardWrite")
        opening = tab.open()
    finally:
        kernel.config.permissions = {"clipboardWrite": "allow", "geolocation": "ask"}
    assert opening["page"]["allow"] == "clipboard-write"
    assert granted(opening) == {"clipboardWrite": {}}
    assert tab.got("ask") == []
    assert any("camera, which cannot work in its frame" in entry.text for entry in tab.app.log)


def test_a_place_is_asked_for_before_the_frame_is_built(kernel: Host, ask_for: MakeTab) -> None:
    tab = ask_for("geolocation", "clipboardWrite")
    tab.put("open", {})
    question = tab.question()
    assert question["type"] == "permission"
    assert question["text"] == "wants to know where you are"
    assert tab.got("open") == []
    tab.decide("always")
    opening = until(lambda: tab.got("open"), "the page")[0]
    assert opening["page"]["allow"] == "clipboard-write; geolocation"
    assert granted(opening) == {"clipboardWrite": {}, "geolocation": {}}
    assert decided(kernel) == [("clipboardWrite", "allow", "policy"), ("geolocation", "allow", "person")]


def test_a_no_builds_the_frame_without_it_and_is_not_asked_again(kernel: Host, ask_for: MakeTab) -> None:
    tab = ask_for("geolocation")
    tab.put("open", {})
    tab.decide("deny")
    assert until(lambda: tab.got("open"), "the page")[0]["page"]["allow"] == ""
    assert granted(tab.open("f-2")) == {}
    assert len([q for q in tab.got("ask") if "type" in q]) == 1
    assert decided(kernel) == [("geolocation", "deny", "person")]


def test_two_frames_wait_for_one_question(ask_for: MakeTab) -> None:
    tab = ask_for("geolocation")
    for frame in ("f-1", "f-2"):
        tab.put("open", {}, frame)
    tab.decide("always")
    for frame in ("f-1", "f-2"):
        assert granted(until(lambda frame=frame: tab.got("open", frame), "the page")[0]) == {
            "geolocation": {}
        }
    assert len([q for q in tab.got("ask", "") if "type" in q]) == 1


def test_another_view_is_another_question(kernel: Host, ask_for: MakeTab) -> None:
    first = ask_for("geolocation")
    first.put("open", {})
    first.decide("always")
    until(lambda: first.got("open"), "the page")
    second = Tab(kernel, first.app.open("show"))
    second.put("open", {})
    second.decide("deny")
    assert granted(until(lambda: second.got("open"), "the page")[0]) == {}


def test_no_answer_is_a_no_for_now(kernel: Host, ask_for: MakeTab) -> None:
    kernel.config.approval_timeout = 1.0
    try:
        tab = ask_for("geolocation")
    finally:
        kernel.config.approval_timeout = 120.0
    assert granted(tab.open()) == {}
    assert decided(kernel) == [("geolocation", "deny", "nobody")]
    tab.put("open", {}, "f-2")
    tab.decide("always", 1)
    assert granted(until(lambda: tab.got("open", "f-2"), "the page")[0]) == {"geolocation": {}}


def test_headless_it_is_refused_with_a_reason(kernel: Host, ask_for: MakeTab) -> None:
    kernel.config.headless = True
    try:
        tab = ask_for("geolocation")
        opening = tab.open()
    finally:
        kernel.config.headless = False
    assert granted(opening) == {}
    assert any("nobody is there to ask" in entry.text for entry in tab.app.log)


def test_a_document_from_elsewhere_has_no_grants(ask_for: MakeTab) -> None:
    tab = ask_for("geolocation")
    tab.put("open", {})
    tab.decide("always")
    until(lambda: tab.got("open"), "the page")
    tab.put("state", {"event": "navigated"})
    tab.put("open", {}, "f-2")
    tab.decide("deny", 1)
    assert granted(until(lambda: tab.got("open", "f-2"), "the page")[0]) == {}


def test_the_end_of_the_view_closes_the_question(ask_for: MakeTab) -> None:
    tab = ask_for("geolocation")
    tab.put("open", {})
    question = tab.question()
    tab.view.end("It is over.")
    until(lambda: {"ask": question["ask"], "closed": True} in tab.got("ask"), "the question's end")
    assert tab.got("open") == []
