"""How long a view lives, how much it may hold, what goes when it goes, and how it comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import McpAppsError
from mcpapps_jupyter.host import Host
from tests.core.conftest import new_host, settle_in
from tests.core.servers.lab import HTML, build
from tests.core.support import until
from tests.views.tab import Tab, greet

INPUT, RESULT = "ui/notifications/tool-input", "ui/notifications/tool-result"
UPDATED = "notifications/resources/updated"


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    settle_in(tmp_path, monkeypatch)
    host = new_host(headless=False)
    host.add(build(), id="lab")
    yield host
    host.close()


@pytest.fixture
def app(host: Host) -> App:
    return host["lab"]


def opened(host: Host, *arguments: Any, **keywords: Any) -> Tab:
    tab = Tab(host, host["lab"].open(*arguments or ("open_page",), **keywords))
    tab.view.wait_for_result(30)
    return greet(tab)


def test_a_view_lives_as_long_as_its_lease(host: Host) -> None:
    host.config.view_ttl = 1.0
    tab = opened(host)
    assert tab.wait_for_end() == "It was open for 1 seconds (McpApps.view_ttl)."
    assert host.views == []
    assert tab.view.result.data["store"] == 1  # what was there stays readable


def test_what_a_view_holds_is_page_arguments_and_result(host: Host) -> None:
    tab = opened(host, storeId=5)
    until(lambda: tab.view.size > len(HTML), "the page")
    assert tab.view.size == len(HTML) + len('{"storeId": 5}') + tab.relay.lease._parts["result"]
    tab.view.end("It is over.")
    assert tab.view.size == 0


def test_a_view_that_holds_too_much_ends_with_both_sizes(host: Host) -> None:
    host.config.max_view_bytes = 200
    tab = Tab(host, host["lab"].open("open_page"))
    tab.view.wait_for_result(30)
    reason = until(lambda: tab.relay.ended, "the end")
    assert "the limit is 200. Raise it with: %config McpApps.max_view_bytes = " in reason
    assert "result" in reason
    assert tab.view.result.data["store"] == 1
    tab.put("open", {})
    assert until(lambda: tab.got("gone", "f-1"), "the reason")[0]["reason"] == reason


def test_too_many_bytes_together_end_the_oldest(host: Host) -> None:
    first = opened(host)
    until(lambda: first.view.size > len(HTML), "the page")
    host.config.max_total_bytes = int(first.view.size * 2.5)
    second, third = opened(host), opened(host)
    reason = first.wait_for_end()
    assert "McpApps.max_total_bytes" in reason
    assert "the oldest ended" in reason
    until(lambda: host.views == [second.view, third.view], "the others stay")


def test_too_many_views_end_the_oldest(host: Host) -> None:
    host.config.max_views = 2
    first, second, third = opened(host), opened(host), opened(host)
    assert "than McpApps.max_views allows (2), so the oldest ended" in first.wait_for_end()
    until(lambda: host.views == [second.view, third.view], "the others stay")


def test_grants_context_and_subscriptions_go_with_the_view(host: Host, app: App) -> None:
    app.call("subscriptions")
    tab = opened(host)
    tab.request("resources/subscribe", {"uri": "lab://numbers"})
    tab.request("ui/update-model-context", {"structuredContent": {"picked": 1}})
    asked = tab.send("tools/call", {"name": "destroy", "arguments": {}})
    tab.decide("always")
    tab.answer(asked)
    assert len(host.context()) == 1
    tab.view.end("It is over.")
    assert host.context() == {}
    assert tab.view.model_context.data == {"picked": 1}  # still the user's to read
    assert tab.relay._handle.approvals._granted == set()
    assert not any(app._subscriptions.values())


def test_the_person_brings_an_evicted_view_back(host: Host, app: App) -> None:
    before = app.call("count").data
    host.config.max_views = 1
    tab = opened(host)
    opened(host)
    tab.wait_for_end()
    tab.put("open", {}, "f-2")  # the browser's tab was loaded again: that brings nothing back
    assert until(lambda: tab.got("gone", "f-2"), "the reason")
    tab.put("open", {"relaunch": True}, "f-3")
    until(lambda: tab.got("open", "f-3"), "the page")
    tab.handshake("f-3")
    assert tab.told_methods("f-3") == [INPUT, RESULT]
    assert tab.call("add", "f-3", a=1)["structuredContent"] == {"result": 2}
    until(lambda: host.views == [tab.view], "it took the other's place")
    until(lambda: tab.view.state == "live", "the header line")
    assert app.call("count").data == before + 3  # opened twice, and counted here


def test_a_view_comes_back_without_a_result_that_it_never_had(host: Host, app: App) -> None:
    tab = greet(Tab(host, app.open("open_page", stream=iter(lambda: {"storeId": 1}, None))))
    until(lambda: tab.told("ui/notifications/tool-input-partial"), "the first part")
    tab.view.end("It is over.")
    tab.put("open", {"relaunch": True})
    until(lambda: tab.got("open", "f-1")[1:], "the page")
    tab.handshake()
    assert tab.told_methods()[-2:] == [INPUT, "ui/notifications/tool-cancelled"]


def test_the_end_of_a_view_ends_its_call_too(host: Host, app: App, tmp_path: Path) -> None:
    server = build("slow")

    @server.tool(meta={"ui": {"resourceUri": "ui://lab/page.html"}})
    async def think() -> str:
        try:
            await asyncio.sleep(600)
        finally:
            (tmp_path / "journal").write_text("given up")
        return "never"

    view = host.add(server, id="slow").open("think")
    tab = greet(Tab(host, view))
    tab.put("state", {"event": "close"})
    with pytest.raises(McpAppsError, match="You closed it"):
        view.wait_for_result(30)
    until((tmp_path / "journal").exists, "the server heard of it")


def test_the_reason_of_an_end_is_not_overwritten(host: Host) -> None:
    tab = opened(host)
    tab.view.end("It is over.")
    said = len(tab.got("state"))
    tab.relay.set_state("live")
    assert len(tab.got("state")) == said


# -- out of sight ----------------------------------------------------------------------------------


def test_a_page_out_of_sight_is_told_the_newest_when_it_is_seen(host: Host, app: App) -> None:
    tab = opened(host)
    for uri in ("lab://numbers", "lab://number/1"):
        tab.request("resources/subscribe", {"uri": uri})
    tab.see(False)
    for uri in ("lab://numbers", "lab://number/1", "lab://numbers"):
        app.call("touch", uri=uri)
    app.call("grow", name="grown")
    until(lambda: len(tab.relay.frames["f-1"].parked) == 3, "the news")
    assert tab.told(UPDATED) == []
    assert tab.call("add", a=1)["structuredContent"] == {"result": 2}  # answers come all the same
    tab.see(True)
    assert tab.told(UPDATED) == [{"uri": "lab://number/1"}, {"uri": "lab://numbers"}]
    assert len(tab.told("notifications/tools/list_changed")) == 1
    app.call("touch", uri="lab://numbers")
    until(lambda: len(tab.told(UPDATED)) == 3, "updates as before")


def test_out_of_sight_stays_out_of_sight_through_a_new_document(host: Host, app: App) -> None:
    tab = opened(host)
    tab.see(False)
    tab.handshake()
    assert tab.told_methods()[-2:] == [INPUT, RESULT]  # what a document needs to begin comes always
    tab.request("resources/subscribe", {"uri": "lab://numbers"})
    app.call("touch", uri="lab://numbers")
    until(lambda: tab.relay.frames["f-1"].parked, "the news")
    assert tab.told(UPDATED) == []


def test_progress_is_not_for_a_page_out_of_sight(host: Host) -> None:
    tab = opened(host)
    work = {"name": "work", "arguments": {"steps": 2}, "_meta": {"progressToken": "t"}}
    tab.see(False)
    assert tab.request("tools/call", work)["content"]
    assert tab.told("notifications/progress") == []
    tab.see(True)
    tab.request("tools/call", work)
    assert tab.told("notifications/progress")


def test_data_of_a_hidden_view_stays_readable(host: Host) -> None:
    tab = opened(host)
    tab.request("ui/update-model-context", {"structuredContent": {"picked": 1}})
    tab.put("gone", {})
    assert tab.view.model_context.data == {"picked": 1}
    assert tab.view.result.data["store"] == 1
    assert next(iter(host.context().values())).data == {"picked": 1}
