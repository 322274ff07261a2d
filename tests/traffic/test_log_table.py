"""The live table's kernel side: one line of time, news in few messages, details on demand, an end."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import InvalidArguments
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.log import AppLog
from mcpapps_jupyter.views import logs as logs_module
from mcpapps_jupyter.views.log_feed import LogFeed, as_line
from mcpapps_jupyter.views.log_table import LogTable
from mcpapps_jupyter.views.traffic import Traffic
from tests.core.support import until

Message = dict[str, Any]


class StubApp:
    """What a feed needs of an app: its log, and what masks secrets."""

    def __init__(self) -> None:
        self.log = AppLog()

    def hide(self, text: str) -> str:
        return text.replace("hunter2hunter2", "•••")


class StubView:
    def __init__(self, key: str) -> None:
        self.key = key
        self.traffic = Traffic(clock=clock)


ticks = itertools.count(2e9)  # after everything that a log stamps itself


def clock() -> float:
    return float(next(ticks))


def feed_of(app: StubApp, *views: StubView) -> LogFeed:
    return LogFeed(app, lambda: views)  # type: ignore[arg-type]


def call(request_id: int, **arguments: Any) -> Message:
    params = {"name": "buy", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def texts(lines: Any) -> list[str]:
    return [line.entry.text for line in lines]


# -- the feed ----------------------------------------------------------------------------------


def test_lines_and_messages_come_in_the_order_of_time_and_once() -> None:
    app, view, other = StubApp(), StubView("v1"), StubView("v2")
    app.log.add("server", "one")
    view.traffic.add("in", "f", call(1))
    other.traffic.add("in", "f", call(1))
    view.traffic.add("out", "f", {"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no eggs"}})
    feed = feed_of(app, view, other)
    everything = feed.everything()
    assert texts(everything) == [
        "one",
        "page → host tools/call buy",
        "page → host tools/call buy",
        "host → page tools/call error -1: no eggs",
    ]
    assert [line.entry.level for line in everything] == ["info", "debug", "debug", "warning"]
    assert len({line.key for line in everything}) == 4
    assert feed.news() == ([], 0)
    app.log.add("stderr", "two")
    assert texts(feed.news()[0]) == ["two"]
    assert len(feed.everything()) == 5  # a front end that is new gets all of it again


def test_a_page_that_is_opened_later_is_followed_too() -> None:
    app, views = StubApp(), []
    feed = LogFeed(app, lambda: views)  # type: ignore[arg-type]
    feed.everything()
    views.append(StubView("v1"))
    views[0].traffic.add("in", "f", call(1))
    assert texts(feed.news()[0]) == ["page → host tools/call buy"]


def test_too_much_news_is_counted_also_what_the_ring_dropped() -> None:
    app = StubApp()
    feed = feed_of(app)
    feed.everything()
    for number in range(5000):
        app.log.add("host", f"n{number}")
    lines, left_out = feed.news(100)
    assert (len(lines), left_out) == (100, 4900)
    assert texts(lines)[-1] == "n4999"
    assert feed.news(100) == ([], 0)


def test_measures_are_apart_from_the_words() -> None:
    ticks = itertools.count()
    traffic = Traffic(ticks=lambda: next(ticks) * 0.0123)
    traffic.add("in", "f", call(1))
    entry = traffic.add("out", "f", {"jsonrpc": "2.0", "id": 1, "result": {}}, size=1234)
    line = as_line(entry, "show", str)
    assert (line.text, line.measure) == ("host → page tools/call ok", "12.3 ms, 1.2 kB")
    assert "ms" not in AppLog.of([line]).bundle()["text/plain"]
    assert "(12.3 ms, 1.2 kB)" in AppLog.of([line]).bundle()["text/html"]


def test_a_line_on_the_wire_is_safe_bounded_and_keeps_its_breaks() -> None:
    app = StubApp()
    app.log.add("server", 'Traceback:\n  File "x.py"\n\n    \x1b[31mraise\u202e\tError' + "x" * 5000)
    [line] = feed_of(app).everything()
    text = line.to_wire()["text"]
    assert text.startswith('Traceback:\n  File "x.py"\n    raise Errorxxx')
    assert len(text) == 1000


def test_details_are_whole_masked_and_gone_with_the_page() -> None:
    app, view = StubApp(), StubView("v1")
    view.traffic.add("in", "f", call(1, key="hunter2hunter2", eggs=list(range(3))))
    feed = feed_of(app, view)
    [line] = feed.everything()
    detail = feed.detail(line.key)
    assert '"key": "•••"' in detail
    assert '\n  "id": 1' in detail
    assert feed.detail("v1:99") is None
    assert feed.detail("v1:x") is None
    assert feed.detail("log:1") is None
    view.traffic.add("in", "f", call(2, text="x" * 100_000))
    assert feed.news()[0]
    assert len(feed.detail("v1:2")) < 51_000


# -- the table ---------------------------------------------------------------------------------


class Wire:
    """The comm of a table: what it sends, and what a front end sends to it."""

    def __init__(self, table: LogTable) -> None:
        self.table = table
        self.contents: list[Message] = []
        table.send = lambda content, buffers=None: self.contents.append(_joined(content, buffers))

    def put(self, kind: str, message: Any = None) -> None:
        content = {"v": 1, "batch": [{"kind": kind, "view": "", "message": message or {}}]}
        self.table._receive(self.table, content, [])

    def got(self, kind: str) -> list[Any]:
        batches = [envelope for content in tuple(self.contents) for envelope in content["batch"]]
        return [envelope["message"] for envelope in batches if envelope["kind"] == kind]

    def texts(self) -> list[str]:
        return [line["text"] for message in self.got("lines") for line in message["lines"]]


def _joined(content: Message, buffers: Any) -> Message:
    import json

    assert set(content) == {"v", "batch"}  # a string id at the top would be taken for ipykernel's own
    for envelope in content["batch"]:
        if "buffer" in envelope:
            envelope["message"] = json.loads(buffers[envelope["buffer"]])
    return content


MakeWire = Callable[..., Wire]


@pytest.fixture
def wire(kernel: Host, app: App) -> Iterator[Wire]:
    pinned: list[Any] = []
    feed = LogFeed(app, lambda: app.views)
    table = LogTable(app, feed, kernel.thread, lambda widget: not pinned.append(widget), level="info")
    assert pinned == [table]
    yield Wire(table)
    table.close()


def test_nothing_is_sent_before_a_front_end_asks(kernel: Host, app: App, wire: Wire) -> None:
    app.log.add("host", "early")
    kernel.thread.run(_nothing())
    assert wire.contents == []
    wire.put("hello")
    assert "early" in until(wire.texts)
    assert wire.got("lines")[0]["anew"] is True


def test_a_burst_is_a_few_messages(app: App, wire: Wire) -> None:
    wire.put("hello")
    until(lambda: wire.got("lines"))
    for number in range(3000):
        app.log.add("host", f"burst {number}")
    until(lambda: "burst 2999" in wire.texts(), "the last line")
    news = wire.got("lines")[1:]
    assert len(news) < 60
    assert sum(len(message["lines"]) + message["leftOut"] for message in news) == 3000
    assert all(not message["anew"] for message in news)


def test_messages_of_pages_and_their_details(kernel: Host, app: App, wire: Wire, open_tab: Any) -> None:
    wire.put("hello")
    tab = open_tab()
    app_views = kernel.views
    assert app_views
    tab.view.traffic.subscribe(wire.table.wake)
    tab.call("add", a=1)
    until(lambda: any("host → page tools/call ok 2" in text for text in wire.texts()), "the answer")
    line = next(
        line
        for message in wire.got("lines")
        for line in message["lines"]
        if "host → page tools/call" in line["text"]
    )
    assert (line["source"], line["page"]) == ("traffic", "open_page")
    wire.put("detail", {"key": line["key"]})
    detail = until(lambda: wire.got("detail"))[0]
    assert detail["key"] == line["key"]
    assert '"structuredContent"' in detail["text"]
    wire.put("detail", {"key": "nothing"})
    assert until(lambda: wire.got("detail")[1:])[0]["text"] is None


def test_a_table_that_has_ended_says_so_and_sends_no_more(kernel: Host, app: App, wire: Wire) -> None:
    wire.put("hello")
    until(lambda: wire.got("lines"))
    wire.table.end()
    until(lambda: wire.got("ended"))
    app.log.add("host", "late")
    kernel.thread.run(_nothing())
    assert "late" not in wire.texts()
    wire.put("hello")  # of a tab that was loaded again: what there is, and that it is over
    until(lambda: wire.got("ended")[1:])
    assert "late" in wire.texts()


async def _nothing() -> None:
    """Let the session loop come round."""


# -- showing -----------------------------------------------------------------------------------


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Message]:
    """The mimebundles that a cell gets."""
    found: list[Message] = []
    monkeypatch.setattr(logs_module, "emit", lambda data, metadata=None: found.append(dict(data)))
    monkeypatch.setattr(
        "mcpapps_jupyter.views.envelope_widget.emit",
        lambda data, metadata=None, display_id=None: found.append(dict(data)),
    )
    return found


@pytest.fixture
def in_a_kernel(kernel: Host, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    tables = kernel.pages._logs
    monkeypatch.setattr(tables, "_get_kernel", lambda: object())
    yield tables
    tables.close_all()


def test_a_notebook_gets_a_live_table_and_a_static_one(
    kernel: Host, app: App, shown: list[Message], in_a_kernel: Any
) -> None:
    app.log.add("host", "hello there", "error")
    log = kernel.pages.show_log(app, level="error")
    live, static = shown
    assert "application/vnd.jupyter.widget-view+json" in live
    assert live["text/plain"] == ""
    assert "hello there" in static["text/plain"]
    assert static["text/plain"].startswith("Log of lab, ")
    assert {entry.level for entry in log} == {"error"}
    assert log._ipython_display_() is None  # as the cell's value it adds nothing
    with pytest.raises(NotImplementedError):
        log._ipython_display_()  # named in a later cell it shows itself


def test_the_log_itself_as_a_value_is_the_live_table(
    app: App, shown: list[Message], in_a_kernel: Any
) -> None:
    app.log._ipython_display_()
    assert len(shown) == 2


def test_one_table_a_cell_and_a_bounded_number_in_all(
    kernel: Host, app: App, shown: list[Message], in_a_kernel: Any
) -> None:
    pages = kernel.pages
    for _ in range(3):
        pages.before_cell("cell-1")
        pages.show_log(app)
        pages.after_cell()
    assert len(in_a_kernel._tables) == 1
    first = in_a_kernel._tables[0]
    for _ in range(16):
        pages.show_log(app)
    assert len(in_a_kernel._tables) == 16
    assert first._over


def test_headless_there_is_only_the_static_table(
    kernel: Host, app: App, shown: list[Message], in_a_kernel: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel.config, "headless", True)
    kernel.pages.show_log(app, follow=True)
    assert [sorted(data) for data in shown] == [["text/html", "text/plain"]]


def test_in_a_terminal_it_goes_on_until_ctrl_c(
    kernel: Host, app: App, shown: list[Message], monkeypatch: pytest.MonkeyPatch
) -> None:
    def emit(data: Message, metadata: Any = None) -> None:
        shown.append(dict(data))
        if len(shown) == 3:
            raise KeyboardInterrupt
        app.log.add("stderr", f"ERROR: line {len(shown)}\x1b[0m")
        app.log.add("stderr", "not grave")

    monkeypatch.setattr(logs_module, "emit", emit)
    kernel.pages.show_log(app, level="error", follow=True)
    assert shown[1]["text/plain"] == "stderr   error    ERROR: line 1"
    assert shown[2]["text/plain"] == "stderr   error    ERROR: line 2"


def test_a_slip_is_one_line(kernel: Host, app: App, shown: list[Message]) -> None:
    with pytest.raises(InvalidArguments, match="There is no level 'loud'"):
        kernel.pages.show_log(app, level="loud")
    assert shown == []
