"""An app's log: levels, the ring, filters, and what is shown of it."""

from __future__ import annotations

import sys
import threading
from datetime import datetime, timedelta

import pytest

from mcpapps_jupyter.errors import InvalidArguments, McpAppsError
from mcpapps_jupyter.log import LEVELS, AppLog, LogEntry, level_of_line, message_text, normal_level


def filled() -> AppLog:
    log = AppLog()
    log.add("server", "started", "notice")
    log.add("stderr", "WARNING: low on eggs")
    log.add("host", "approval of buy: once", page="show", event="approval")
    log.add("csp", "Declare https://cdn.example in csp.resourceDomains", "warning", page="show", event="csp")
    log.add("server", "out of eggs", "emergency")
    return log


def test_every_level_of_mcp_is_one_of_ours() -> None:
    assert LEVELS == ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
    assert [normal_level(level) for level in LEVELS] == list(LEVELS)


@pytest.mark.parametrize(
    ("word", "level"),
    [
        ("WARN", "warning"),
        ("Fatal", "critical"),
        ("err", "error"),
        ("trace", "debug"),
        *((odd, "info") for odd in ("odd", None, 3, [])),
    ],
)
def test_other_words_for_levels(word: object, level: str) -> None:
    assert normal_level(word) == level


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("ERROR:root:no eggs", "error"),
        ("2026-01-01 12:00:00,123 - server - WARNING - low", "warning"),
        ("2026-01-01T12:00:00Z [error] no eggs", "error"),
        ("level=warn msg=low", "warning"),
        ('{"level": "error", "msg": "no eggs"}', "error"),
        ("INFO:     Started server process", "info"),
        ("Error: Cannot find module 'eggs'", "error"),
        ("Traceback (most recent call last):", "error"),
        ("fatal: not a git repository", "critical"),
        ("GitHub MCP Server running on stdio", "info"),
        ("an error of the past", "info"),
        ("", "info"),
    ],
)
def test_lines_of_stderr_have_the_level_that_they_are_marked_with(line: str, level: str) -> None:
    assert level_of_line(line) == level
    log = AppLog()
    log.add("stderr", line)
    assert log[0].level == level


def test_a_level_is_this_grave_or_graver() -> None:
    assert [entry.level for entry in filled().filter(level="warning")] == ["warning", "warning", "emergency"]
    assert [entry.text for entry in filled().filter(level="WARN", source=["server"])] == ["out of eggs"]


def test_filters_by_source_text_and_time() -> None:
    log = filled()
    assert [entry.source for entry in log.filter(source="server")] == ["server", "server"]
    assert len(log.filter(source=("server", "csp"))) == 3
    assert [entry.source for entry in log.filter(text="EGGS")] == ["stderr", "server"]
    assert len(log.filter(text="show")) == 2  # of the page as well
    assert len(log.filter(since=timedelta(hours=1))) == 5
    assert len(log.filter(since=log[2].at)) >= 3
    assert len(log.filter(since=datetime(2000, 1, 1))) == 5
    assert len(log.filter(since=datetime(2999, 1, 1))) == 0
    assert isinstance(log.filter().filter(level="error"), AppLog)


def test_a_slip_in_a_filter_is_one_line() -> None:
    with pytest.raises(InvalidArguments, match=r"There is no level 'warnign'\. Did you mean 'warning'"):
        filled().filter(level="warnign")
    with pytest.raises(InvalidArguments, match=r"There is no source 'sever'\. Did you mean 'server'"):
        filled().filter(source="sever")


def test_the_ring_is_bounded_and_counts_on() -> None:
    log = AppLog(lines=3, stderr_lines=2)
    for number in range(5):
        log.add("stderr", f"line {number}")
    assert [entry.text for entry in log] == ["line 2", "line 3", "line 4"]
    assert [entry.number for entry in log] == [3, 4, 5]
    assert (len(log), log.count) == (3, 5)
    assert [entry.number for entry in log.after(3)] == [4, 5]
    assert [entry.number for entry in log.after(0)] == [3, 4, 5]
    assert log.after(5) == []
    assert log.stderr_tail() == ["line 3", "line 4"]
    log.forget_stderr()
    assert log.stderr_tail() == []
    log.add("host", "x" * 9000)
    assert len(log[-1].text) == 4000


def test_slices_are_logs() -> None:
    log = filled()
    assert isinstance(log[1:3], AppLog)
    assert [entry.source for entry in log[1:3]] == ["stderr", "host"]
    assert isinstance(log[-1], LogEntry)


def test_it_may_be_written_from_many_threads_while_it_is_read() -> None:
    log, told = AppLog(lines=100), []
    forget = log.subscribe(lambda: told.append(1))
    threads = [threading.Thread(target=lambda: [log.add("host", "x") for _ in range(300)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        numbers = [entry.number for entry in log]
        assert numbers == sorted(numbers)
    assert (log.count, len(told)) == (1200, 1200)
    forget()
    log.add("host", "y")
    assert len(told) == 1200


def test_the_text_has_no_times_and_is_the_same_every_time() -> None:
    assert repr(filled()) == repr(filled())
    assert repr(filled()).splitlines() == [
        "Log, 5 lines",
        "source  level      text",
        "------  ---------  --------------------------------------------------",
        "server  notice     started",
        "stderr  warning    WARNING: low on eggs",
        "host    info       approval of buy: once",
        "csp     warning    Declare https://cdn.example in csp.resourceDomains",
        "server  emergency  out of eggs",
    ]
    assert repr(AppLog()) == "Log: nothing yet."


def test_pages_are_named_where_there_are_several() -> None:
    log = filled()
    log.add("page", "drawn", page="other")
    assert "page" in repr(log).splitlines()[1].split()
    assert "other" in repr(log)


def test_only_the_end_of_a_long_log_is_shown_and_little_html() -> None:
    log = AppLog(title="Log of eggs")
    for number in range(300):
        log.add("stderr", f"{number} " + "<" * 1000)
    bundle = log.filter(source="stderr").bundle()
    assert bundle["text/plain"].startswith("Log of eggs, the last 50 of 300 lines\n")
    assert "299 <" in bundle["text/plain"]
    assert "\n249 " not in bundle["text/plain"]
    assert len(bundle["text/html"]) < 12_000
    assert "299 &lt;" in bundle["text/html"]


def test_foreign_text_is_escaped_and_stays_on_its_line() -> None:
    log = AppLog()
    log.add("stderr", "\x1b[31mred\x1b[0m <img src=x onerror=alert(1)>\nnext\u202egnp", "error")
    bundle = log.bundle()
    assert "red <img src=x onerror=alert(1)> nextgnp" in bundle["text/plain"]
    assert "<img" not in bundle["text/html"]
    assert "\x1b" not in "".join(bundle.values())
    assert "--jp-error-color1" in bundle["text/html"]


def test_a_log_message_of_a_server_in_words() -> None:
    assert message_text({"data": "low on eggs", "logger": "stock"}) == "stock: low on eggs"
    assert message_text({"data": {"eggs": 0}}) == '{"eggs": 0}'
    assert message_text({}) == "null"


def test_as_a_table_of_pandas() -> None:
    frame = filled().to_pandas()
    assert list(frame.columns) == ["at", "source", "level", "page", "event", "text"]
    assert str(frame["at"].dtype).endswith("UTC]")
    assert frame.query("level == 'warning'")["source"].tolist() == ["stderr", "csp"]
    assert list(AppLog().to_pandas().columns) == list(frame.columns)


def test_without_pandas_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(McpAppsError, match=r"pip install 'mcpapps-jupyter\[pandas\]'"):
        filled().to_pandas()


def test_displaying_it_is_the_live_table_where_there_is_one() -> None:
    shown: list[int] = []
    AppLog(show=lambda: shown.append(1))._ipython_display_()
    assert shown == [1]
    with pytest.raises(NotImplementedError):  # what IPython takes for "use the other representations"
        filled()._ipython_display_()
