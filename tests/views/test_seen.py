"""What page and browser settle without the kernel is in the traffic all the same."""

from __future__ import annotations

from typing import Any

from tests.views.tab import Open


def test_it_is_written_down_with_its_method_and_outcome(open_tab: Open) -> None:
    tab = open_tab(greeted=False)
    tab.open()
    tab.put("state", {"event": "initialize", "params": {}, "id": 0})

    def see(way: str, **message: Any) -> None:
        tab.put("seen", {"way": way, "message": {"jsonrpc": "2.0", **message}})

    see("out", id=0, result={"protocolVersion": "2026-01-26"})
    see("in", id="l", method="ui/open-link", params={"url": "https://example.org"})
    see("out", id="l", result={"isError": True})
    see("in", method="ui/notifications/size-changed", params={"height": 7})
    entries = list(tab.view.traffic)
    assert [(entry.direction, entry.kind, entry.method) for entry in entries] == [
        ("in", "request", "ui/initialize"),
        ("out", "response", "ui/initialize"),
        ("in", "request", "ui/open-link"),
        ("out", "response", "ui/open-link"),
        ("in", "notification", "ui/notifications/size-changed"),
    ]
    assert entries[1].duration is not None


def test_it_is_bounded_and_only_ever_written_down(open_tab: Open) -> None:
    tab = open_tab()
    counted = tab.call("count")["structuredContent"]["result"]
    before = len(tab.view.traffic)
    call = {"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {"name": "count"}}
    for _ in range(500):
        tab.put("seen", {"way": "in", "message": call})
    assert 1 <= len(tab.view.traffic) - before < 400
    for odd in (None, 7, {}, {"message": "x"}, {"way": [], "message": []}):
        tab.put("seen", odd)
    assert tab.answers("x") == []
    assert tab.call("count")["structuredContent"] == {"result": counted + 1}
