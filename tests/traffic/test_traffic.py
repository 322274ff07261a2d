"""The messages of a page: what each is, how long it took, which fit, and what is shown of them."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any

import pytest

from mcpapps_jupyter.errors import InvalidArguments
from mcpapps_jupyter.views import traffic as traffic_module
from mcpapps_jupyter.views.traffic import Traffic, TrafficEntry


def request(request_id: Any, method: str, params: Any = None) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message if params is None else {**message, "params": params}


def call(request_id: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    return request(request_id, "tools/call", {"name": tool, "arguments": arguments})


def answer(request_id: Any, **result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def error(request_id: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def ticking() -> Traffic:
    """Every message comes 2 ms after the one before."""
    ticks = itertools.count()
    return Traffic(clock=lambda: 1_700_000_000.0, ticks=lambda: next(ticks) * 0.002)


def filled() -> Traffic:
    traffic = ticking()
    traffic.add("in", "f-1", call(1, "stock", storeId=1))
    traffic.add("out", "f-1", answer(1, content=[{"type": "text", "text": "12 eggs"}]))
    traffic.add("in", "f-1", request("r", "resources/read", {"uri": "lab://numbers"}))
    traffic.add("out", "f-1", error("r", -32002, "there is no such thing"))
    traffic.add("in", "f-1", {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "hi"}})
    traffic.add("out", "f-1", request("host-1", "ui/resource-teardown", {"reason": "over"}))
    traffic.add("in", "f-1", answer("host-1"))
    traffic.add("in", "f-1", "no message at all")
    return traffic


def kinds(traffic: Traffic) -> list[tuple[str, str, str, str]]:
    return [(entry.direction, entry.kind, entry.method, entry.status) for entry in traffic]


def test_each_message_is_known_for_what_it_is() -> None:
    assert kinds(filled()) == [
        ("in", "request", "tools/call", ""),
        ("out", "response", "tools/call", "ok"),
        ("in", "request", "resources/read", ""),
        ("out", "response", "resources/read", "error"),
        ("in", "notification", "notifications/message", ""),
        ("out", "request", "ui/resource-teardown", ""),
        ("in", "response", "ui/resource-teardown", "ok"),
        ("in", "invalid", "", "error"),
    ]


def test_a_response_knows_how_long_it_took() -> None:
    durations = [entry.duration for entry in filled()]
    assert durations == [None, pytest.approx(2), None, pytest.approx(2), None, None, pytest.approx(2), None]


def test_a_tool_that_failed_by_its_own_word_is_an_error() -> None:
    traffic = ticking()
    traffic.add("in", "f", call(1, "buy"))
    assert traffic.add("out", "f", answer(1, isError=True, content=[])).status == "error"


def test_equal_ids_of_other_frames_directions_and_types_are_other_requests() -> None:
    traffic = ticking()
    traffic.add("in", "f-1", call(1, "one"))
    traffic.add("in", "f-2", request(1, "prompts/get", {"name": "two"}))
    traffic.add("out", "f-1", request(1, "ui/resource-teardown"))
    assert traffic.add("out", "f-2", answer(1)).method == "prompts/get"
    assert traffic.add("in", "f-1", answer(1)).method == "ui/resource-teardown"
    assert traffic.add("out", "f-1", answer("1")).method == ""
    assert traffic.add("out", "f-1", answer(1)).method == "tools/call"
    assert traffic.add("out", "f-1", answer(1)).duration is None  # a second answer answers nothing


@pytest.mark.parametrize("odd", [None, [], 3, {"id": 1}, {"method": 4}, {"id": [1], "method": "x"}])
def test_odd_messages_are_kept_too(odd: Any) -> None:
    traffic = ticking()
    traffic.add("in", "f", odd)
    assert repr(traffic)
    assert len(traffic.to_pandas()) == 1


def test_requests_that_are_never_answered_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic_module, "_MAX_OPEN", 10)
    traffic = ticking()
    for number in range(50):
        traffic.add("in", "f", call(number, "wait"))
    assert len(traffic._open) == 10
    assert traffic.add("out", "f", answer(49)).method == "tools/call"


def test_the_ring_is_bounded_in_number_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic_module, "MAX_ENTRIES", 5)
    monkeypatch.setattr(traffic_module, "MAX_BYTES", 1000)
    traffic = Traffic()
    for number in range(9):
        traffic.add("in", "f", call(number, "x"))
    assert [entry.id for entry in traffic] == [4, 5, 6, 7, 8]
    assert (len(traffic), traffic.count) == (5, 9)
    assert [entry.number for entry in traffic.after(7)] == [8, 9]
    traffic.add("in", "f", call(9, "x" * 2000))
    assert [entry.id for entry in traffic] == [9]  # the newest stays, whatever its size


def test_sizes_are_bytes() -> None:
    traffic = Traffic()
    assert traffic.add("in", "f", {"é": "日"}).size == len('{"é":"日"}'.encode())
    assert traffic.add("in", "f", {}, size=17).size == 17


def test_filters() -> None:
    traffic = filled()
    assert kinds(traffic.filter(method="tools/call")) == kinds(traffic)[:2]
    assert len(traffic.filter(method="*/*")) == 7
    assert len(traffic.filter(direction="out")) == 3
    assert len(traffic.filter(kind="request")) == 3
    assert [entry.method for entry in traffic.filter(status="error", kind="response")] == ["resources/read"]
    assert [entry.id for entry in traffic.filter(text="12 EGGS")] == [1]
    assert len(traffic.filter(since=1_700_000_000)) == 8
    assert len(traffic.filter(since=timedelta(seconds=1))) == 0
    assert kinds(traffic.filter(direction="in").filter(kind="response")) == [kinds(traffic)[6]]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"direction": "up"}, "There is no direction 'up'. It is one of: in, out"),
        ({"kind": "respnse"}, "There is no kind 'respnse'. Did you mean 'response'"),
        ({"status": "bad"}, "There is no status 'bad'"),
    ],
)
def test_a_slip_in_a_filter_is_one_line(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArguments, match=said):
        filled().filter(**wrong)


def test_it_is_a_sequence() -> None:
    traffic = filled()
    assert isinstance(traffic[0], TrafficEntry)
    assert isinstance(traffic[-3:], Traffic)
    assert len(traffic[-3:]) == 3
    assert [entry.number for entry in traffic] == list(range(1, 9))


def test_the_table() -> None:
    lines = repr(filled()).splitlines()
    assert lines[0] == "8 messages"
    assert lines[1].split() == ["time", "direction", "kind", "method", "content", "status", "ms", "size"]
    assert "page → host" in lines[3]
    assert 'stock {"storeId": 1}' in lines[3]
    assert "12 eggs" in lines[4]
    assert "2.0" in lines[4]
    assert "-32002: there is no such thing" in lines[6]
    assert repr(Traffic()) == "No messages yet."
    assert Traffic()._repr_html_() == "<i>No messages yet.</i>"


def test_the_table_is_short_escaped_and_hides_secrets() -> None:
    traffic = Traffic(hide=lambda text: text.replace("hunter2hunter2", "•••"))
    for number in range(200):
        traffic.add("in", "f", call(number, "<script>", key="hunter2hunter2", more="\u202e" + "x" * 5000))
    html = traffic._repr_html_()
    assert "The last 50 of 200 messages" in html
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "hunter2" not in html + repr(traffic)
    assert "\u202e" not in html + repr(traffic)
    assert max(map(len, repr(traffic).splitlines())) < 300


def test_the_brief_of_a_large_message_does_not_spell_out_all_of_it() -> None:
    class Counted(dict[str, Any]):
        asked = 0

        def items(self) -> Any:
            for key, value in super().items():
                Counted.asked += 1
                yield key, value

    params = Counted({f"key {n}": n for n in range(100_000)})
    entry = Traffic().add("in", "f", request(1, "tools/list", params), size=9)
    assert entry.brief.startswith('{"key 0": 0')
    assert Counted.asked < 1000


def test_as_a_table_of_pandas() -> None:
    frame = filled().to_pandas()
    assert list(frame.columns) == [
        "at", "direction", "kind", "method", "id", "status", "duration_ms", "size", "frame", "message"
    ]  # fmt: skip
    assert str(frame["at"].dtype).endswith("UTC]")
    answers = frame[frame["kind"] == "response"]
    assert answers["duration_ms"].tolist() == pytest.approx([2, 2, 2])
    assert list(Traffic().to_pandas().columns) == list(frame.columns)


def test_listeners_hear_of_every_message_until_they_do_not() -> None:
    traffic, heard = Traffic(), []
    forget = traffic.subscribe(lambda: heard.append(traffic.count))
    traffic.add("in", "f", call(1, "x"))
    forget()
    traffic.add("in", "f", call(2, "x"))
    assert heard == [1]
