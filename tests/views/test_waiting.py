"""A cell waits for what a page does, and observes it."""

from __future__ import annotations

import asyncio
import threading

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import InvalidArguments, McpAppsError, NoPage, RequestTimeout
from mcpapps_jupyter.host import Host
from tests.core.support import until
from tests.views.tab import Open, Tab, greet

MESSAGE = {"role": "user", "content": [{"type": "text", "text": "order eggs"}]}


def waiting(tab: Tab, event: str) -> None:
    until(lambda: tab.relay.events._waiting.get(event), f"somebody who waits for {event}")


def test_a_message_that_comes_while_a_cell_waits(open_tab: Open) -> None:
    tab = open_tab()
    got = tab.view.await_for("message", timeout=30)
    waiting(tab, "message")
    asked = tab.send("ui/message", MESSAGE)
    tab.decide("send")
    assert got.result(30) == MESSAGE
    assert tab.answer(asked)["result"] == {}
    assert tab.view.messages == [MESSAGE]


def test_the_model_context_is_there_when_the_waiting_is_over(open_tab: Open) -> None:
    tab = open_tab()

    def page() -> None:
        waiting(tab, "model_context")
        tab.request("ui/update-model-context", {"structuredContent": {"picked": 3}})

    thread = threading.Thread(target=page)
    thread.start()
    context = tab.view.wait_for("model_context", timeout=30)
    thread.join()
    assert context is tab.view.model_context
    assert context.data == {"picked": 3}


def test_a_cleared_context_is_an_event_too(open_tab: Open) -> None:
    tab = open_tab()
    got = tab.view.await_for("model_context", timeout=30)
    waiting(tab, "model_context")
    tab.request("ui/update-model-context", {})
    assert got.result(30) is None


def test_initialized_is_at_once_when_it_already_is(open_tab: Open) -> None:
    tab = open_tab(greeted=False)
    got = tab.view.await_for("initialized", timeout=30)
    waiting(tab, "initialized")
    assert not got.done()
    greet(tab, tools={"listChanged": True})
    params = {"appCapabilities": {"tools": {"listChanged": True}}}
    assert got.result(30) == params
    assert tab.view.wait_for("initialized") == params


def test_it_can_be_awaited(open_tab: Open) -> None:
    async def cell() -> None:
        assert await open_tab().view.await_for("initialized", timeout=30)

    asyncio.run(cell())


def test_what_does_not_happen_in_time_is_a_timeout(open_tab: Open) -> None:
    view = open_tab().view
    with pytest.raises(RequestTimeout, match=r"No model context within 0\.1 s"):
        view.wait_for("model_context", timeout=0.1)
    with pytest.raises(TimeoutError):
        view.wait_for("message", timeout=0.1)


def test_an_event_that_is_none_is_said(open_tab: Open) -> None:
    with pytest.raises(InvalidArguments, match="there is message, model_context, initialized"):
        open_tab().view.wait_for("mesage")


def test_the_end_of_the_view_ends_the_waiting(open_tab: Open) -> None:
    tab = open_tab()
    got = tab.view.await_for("message")
    waiting(tab, "message")
    tab.view.end("It is over.")
    with pytest.raises(McpAppsError, match="The view has ended: It is over"):
        got.result(30)
    with pytest.raises(McpAppsError, match="has ended"):
        tab.view.wait_for("message")


def test_a_view_without_a_page_never_initialises_and_says_why(open_tab: Open) -> None:
    tab = open_tab("ui://lab/plain.html", greeted=False)
    for _ in range(2):
        with pytest.raises(NoPage, match="text/html"):
            tab.view.wait_for("initialized", timeout=30)


def test_headless_nothing_can_come_so_nothing_is_waited_for(kernel: Host, app: App) -> None:
    kernel.config.headless = True
    try:
        with pytest.raises(RequestTimeout, match="nobody is there to use the page"):
            app.open("open_page").wait_for("message")
    finally:
        kernel.config.headless = False


def test_state_and_model_context_are_observed_on_the_handlers_thread(kernel: Host, open_tab: Open) -> None:
    tab = open_tab(greeted=False)
    seen = []
    tab.view.observe(
        lambda change: seen.append((change["name"], change["new"], threading.current_thread().name)),
        ["state", "model_context"],
    )
    greet(tab)
    tab.request("ui/update-model-context", {"content": [{"type": "text", "text": "hi"}]})
    tab.view.end("It is over.")
    until(lambda: ("state", "ended", "mcpapps-handlers") in seen, "the end")
    contexts = [(value, thread) for name, value, thread in seen if name == "model_context"]
    assert [(context.text, thread) for context, thread in contexts] == [("hi", "mcpapps-handlers")]


def test_an_observer_may_use_the_app_and_may_fail(open_tab: Open, app: App) -> None:
    tab = open_tab()
    sums = []

    def use(change: dict) -> None:
        sums.append(app.call("add", a=1).data)
        raise ValueError("a mistake of the user's own")

    tab.view.observe(use, "model_context")
    assert tab.request("ui/update-model-context", {"structuredContent": {"a": 1}}) == {}
    assert sums == [2]
    assert any("an observer of model_context failed" in entry.text for entry in app.log)


def test_a_handler_of_a_message_may_wait_for_the_next_thing(open_tab: Open) -> None:
    tab = open_tab()
    picked = []

    async def handler(message: dict) -> None:
        picked.append(tab.view.wait_for("model_context", timeout=30).data)

    tab.view.on_message(handler)
    asked = tab.send("ui/message", MESSAGE)
    tab.decide("send")
    waiting(tab, "model_context")
    tab.request("ui/update-model-context", {"structuredContent": {"a": 1}})
    assert tab.answer(asked)["result"] == {}
    assert picked == [{"a": 1}]
