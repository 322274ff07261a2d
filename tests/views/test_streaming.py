"""Arguments that are written while the page looks on."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import InvalidArguments, McpAppsError
from tests.core.support import until
from tests.views.tab import Open, Tab, greet

PARTIAL, INPUT = "ui/notifications/tool-input-partial", "ui/notifications/tool-input"
RESULT, CANCELLED = "ui/notifications/tool-result", "ui/notifications/tool-cancelled"


class Writer:
    """A stream that gives what it is told to, one part after the other."""

    def __init__(self) -> None:
        self._parts: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.threads: set[str] = set()
        self.closed = threading.Event()

    def write(self, **arguments: Any) -> None:
        self._parts.put(arguments)

    def end(self, error: Exception | None = None) -> None:
        self._parts.put(error)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        try:
            while (part := self._next()) is not None:
                yield part
        finally:
            self.closed.set()

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        try:
            while (part := await asyncio.to_thread(self._next)) is not None:
                yield part
        finally:
            self.closed.set()

    def _next(self) -> Any:
        self.threads.add(threading.current_thread().name)
        part = self._parts.get(timeout=30)
        if isinstance(part, Exception):
            raise part
        return part


class AsyncWriter(Writer):
    __iter__ = None  # type: ignore[assignment]


class SyncWriter(Writer):
    __aiter__ = None  # type: ignore[assignment]


@pytest.fixture(params=[SyncWriter, AsyncWriter])
def writer(request: pytest.FixtureRequest) -> Writer:
    return request.param()


def wait_for_partial(tab: Tab, **arguments: Any) -> None:
    until(lambda: tab.told(PARTIAL)[-1:] == [{"arguments": arguments}], f"the part {arguments}")


def test_every_part_then_the_whole_then_the_call(open_tab: Open, app: App, writer: Writer) -> None:
    before = app.call("count").data
    tab = open_tab("open_page", stream=writer)
    assert tab.told_methods() == []
    writer.write()
    wait_for_partial(tab)
    writer.write(storeId=3)
    wait_for_partial(tab, storeId=3)
    assert app.call("count").data == before + 1
    assert tab.view.state == "calling"
    writer.end()
    until(lambda: tab.told(RESULT), "the result")
    assert tab.told_methods() == [PARTIAL, PARTIAL, INPUT, RESULT]
    assert tab.told(INPUT) == [{"arguments": {"storeId": 3}}]
    tab.view.wait_for_result(30)
    assert tab.view.result.data["store"] == 3
    assert tab.view.arguments == {"storeId": 3}
    assert writer.closed.wait(30)
    assert "mcpapps-sessions" not in writer.threads


def test_a_late_frame_gets_only_the_newest_part(open_tab: Open, writer: Writer) -> None:
    tab = open_tab("open_page", stream=writer)
    for store in range(1, 4):
        writer.write(storeId=store)
    wait_for_partial(tab, storeId=3)
    greet(tab, "f-2")
    assert tab.told_methods("f-2") == [PARTIAL]
    assert tab.told(PARTIAL, "f-2") == [{"arguments": {"storeId": 3}}]
    writer.end()
    until(lambda: tab.told(RESULT, "f-2"), "the result")
    greet(tab, "f-3")
    assert tab.told_methods("f-3") == [INPUT, RESULT]


def test_given_arguments_are_part_of_every_part(open_tab: Open) -> None:
    writer = SyncWriter()
    tab = open_tab("open_page", {"storeId": 7}, stream=writer)
    writer.write()
    wait_for_partial(tab, storeId=7)
    writer.end()
    tab.view.wait_for_result(30)
    assert tab.view.result.data["store"] == 7


def test_a_list_will_do(open_tab: Open) -> None:
    tab = open_tab("open_page", stream=[{}, {"storeId": 2}], greeted=False)
    tab.view.wait_for_result(30)
    greet(tab)
    assert tab.told_methods() == [INPUT, RESULT]


def test_a_frame_out_of_sight_gets_the_newest_part_when_it_is_seen(open_tab: Open) -> None:
    writer = SyncWriter()
    tab = open_tab("open_page", stream=writer)
    writer.write(storeId=1)
    wait_for_partial(tab, storeId=1)
    tab.see(False)
    writer.write(storeId=2)
    until(lambda: tab.relay._delivery._partial == {"storeId": 2}, "the second part")
    assert len(tab.told(PARTIAL)) == 1
    tab.see(True)
    wait_for_partial(tab, storeId=2)
    writer.end()
    until(lambda: tab.told(RESULT), "the result")


def test_a_stream_that_fails_cancels_the_call_and_says_so(open_tab: Open, app: App, writer: Writer) -> None:
    before = app.call("count").data
    tab = open_tab("open_page", stream=writer)
    writer.write(storeId=3)
    wait_for_partial(tab, storeId=3)
    writer.end(ValueError("the model is gone"))
    with pytest.raises(McpAppsError, match="The stream of arguments failed: ValueError"):
        tab.view.wait_for_result(30)
    assert tab.told_methods() == [PARTIAL, INPUT, CANCELLED]
    assert "the model is gone" in tab.state()["text"]
    assert app.call("count").data == before + 1


def test_whole_arguments_that_do_not_fit_are_not_sent_to_the_server(open_tab: Open, app: App) -> None:
    before = app.call("count").data
    tab = open_tab("open_page", stream=[{"storeId": "three"}])
    with pytest.raises(InvalidArguments, match="storeId must be integer"):
        tab.view.wait_for_result(30)
    until(lambda: tab.told(CANCELLED), "the news")
    assert tab.told_methods()[-2:] == [INPUT, CANCELLED]
    assert app.call("count").data == before + 1


def test_a_part_that_is_no_object_is_an_error_in_words(open_tab: Open) -> None:
    tab = open_tab("open_page", stream=["storeId"], greeted=False)
    with pytest.raises(InvalidArguments, match="gave str; each part is a dict"):
        tab.view.wait_for_result(30)


@pytest.mark.parametrize("stream", [7, "text", {"storeId": 1}])
def test_what_is_no_stream_is_said_at_once(app: App, stream: Any) -> None:
    with pytest.raises(InvalidArguments, match="stream wants an iterable of dicts"):
        app.open("open_page", stream=stream)


def test_a_bare_resource_takes_no_stream(app: App) -> None:
    with pytest.raises(InvalidArguments, match="takes no arguments"):
        app.open("ui://lab/other.html", stream=[{}])


def test_the_end_of_the_view_ends_the_stream(open_tab: Open, writer: Writer) -> None:
    tab = open_tab("open_page", stream=writer)
    writer.write(storeId=1)
    wait_for_partial(tab, storeId=1)
    tab.view.end("It is over.")
    writer.write(storeId=2)  # a generator that waits can only be closed when it comes back
    writer.end()
    assert writer.closed.wait(30)
