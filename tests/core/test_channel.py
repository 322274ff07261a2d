"""Envelopes between front end and kernel, whatever carries them."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from mcpapps_jupyter.host_thread import LoopThread
from mcpapps_jupyter.views.channel import BUFFER_FROM, Decoder, Envelope, EnvelopeError, encode
from mcpapps_jupyter.views.comm import CommChannel
from mcpapps_jupyter.views.rpc import finite
from tests.core.support import until


def test_a_buffer_that_nests_too_deep_keeps_its_id() -> None:
    deep = "[" * 50_000 + "]" * 50_000
    data = f'{{"jsonrpc":"2.0","id":"7","method":"tools/call","params":{{"arguments":{{"a":{deep}}}}}}}'
    content = {"v": 1, "batch": [{"kind": "rpc", "view": "f", "buffer": 0}]}
    (envelope,) = Decoder().decode(content, [data.encode()])
    assert envelope.message == {"jsonrpc": "2.0", "id": "7", "method": None}


def test_small_messages_travel_as_they_are_and_big_ones_as_buffers() -> None:
    small, big = {"a": [1, None, "ü"]}, {"x": "€" * BUFFER_FROM}
    content, buffers = encode(
        [Envelope("rpc", "f", small), Envelope("rpc", "f", big), Envelope("state", "", 1)]
    )
    assert content["v"] == 1
    assert "id" not in content
    assert [sorted(wire) for wire in content["batch"]] == [
        ["kind", "message", "view"],
        ["buffer", "kind", "view"],
        ["kind", "message", "view"],
    ]
    assert len(buffers) == 1
    decoded = Decoder().decode(content, [memoryview(buffers[0])])
    assert [(e.kind, e.view, e.message) for e in decoded] == [
        ("rpc", "f", small),
        ("rpc", "f", big),
        ("state", "", 1),
    ]
    assert decoded[1].size == len(buffers[0])


def test_half_a_surrogate_pair_arrives_and_takes_nothing_with_it() -> None:
    odd, plain = {"error": "Method not found: \ud83d"}, {"a": "€"}
    content, buffers = encode([Envelope("rpc", "f", odd), Envelope("rpc", "f", plain)])
    json.dumps(content, ensure_ascii=False).encode("utf-8")
    assert [envelope.message for envelope in Decoder().decode(content, buffers)] == [odd, plain]


def parts(
    data: bytes, count: int, key: str = "k", kind: str = "rpc"
) -> list[tuple[dict[str, Any], list[bytes]]]:
    size = -(-len(data) // count)
    return [
        (
            {
                "v": 1,
                "batch": [
                    {
                        "kind": "part",
                        "view": "f",
                        "part": {"of": kind, "key": key, "index": n, "count": count},
                        "buffer": 0,
                    }
                ],
            },
            [data[n * size : (n + 1) * size]],
        )
        for n in range(count)
    ]


def test_what_comes_in_parts_is_joined_in_any_order() -> None:
    message = {"jsonrpc": "2.0", "id": 1, "params": {"x": "ü" * 1000}}
    pieces = parts(json.dumps(message, ensure_ascii=False).encode(), 5)
    decoder = Decoder()
    found = [envelope for piece in reversed(pieces) for envelope in decoder.decode(*piece)]
    assert [(e.kind, e.view, e.message) for e in found] == [("rpc", "f", message)]


def test_parts_that_never_end_do_not_fill_the_kernel() -> None:
    decoder = Decoder()
    for number in range(100):
        assert decoder.decode(*parts(b"x" * 10, 2, key=str(number))[0]) == []
    assert len(decoder._parts) <= 8


def test_a_message_of_parts_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcpapps_jupyter.views.channel.MAX_MESSAGE", 100)
    decoder = Decoder()
    pieces = parts(b"x" * 300, 3)
    decoder.decode(*pieces[0])
    with pytest.raises(EnvelopeError, match="larger than"):
        decoder.decode(*pieces[1])


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        {},
        {"batch": {}},
        {"batch": [1]},
        {"batch": [{}]},
        {"batch": [{"kind": 1}]},
        {"batch": [{"kind": "rpc", "buffer": 0}]},
        {"batch": [{"kind": "rpc", "buffer": -1}]},
        {"batch": [{"kind": "rpc", "buffer": "0"}]},
        {"batch": [{"kind": "part"}]},
        {"batch": [{"kind": "part", "part": {"index": 2, "count": 2}, "buffer": 0}]},
        {"batch": [{"kind": "part", "part": {"index": 0, "count": 9999}, "buffer": 0}]},
    ],
)
def test_what_is_no_envelope_is_an_error_in_words(content: Any) -> None:
    with pytest.raises(EnvelopeError):
        Decoder().decode(content, [])


def test_a_buffer_that_is_no_json_is_an_error_in_words() -> None:
    for data in (b"{", b"\xff\xfe"):
        with pytest.raises(EnvelopeError):
            Decoder().decode({"batch": [{"kind": "rpc", "buffer": 0}]}, [data])


def test_a_message_that_nests_too_deep_keeps_its_id_and_nothing_else() -> None:
    for inside in (b"[" * 100_000 + b"]" * 100_000, b"[" * 100_000):
        data = b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": ' + inside + b"}"
        (envelope,) = Decoder().decode({"batch": [{"kind": "rpc", "view": "f", "buffer": 0}]}, [data])
        assert envelope.message["id"] == 7
        assert envelope.message["method"] is None


def test_an_empty_batch_is_fine() -> None:
    assert Decoder().decode({"v": 1, "batch": []}) == []


class Widget:
    def __init__(self) -> None:
        self.sent: list[tuple[dict[str, Any], list[bytes]]] = []

    def send(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        self.sent.append((content, buffers))


def test_what_comes_close_together_travels_together_and_in_order() -> None:
    thread, widget = LoopThread("mcpapps-test"), Widget()
    channel = CommChannel(widget, thread)
    callers = [
        threading.Thread(target=lambda n=n: [channel.send([Envelope("rpc", str(n), m)]) for m in range(200)])
        for n in range(4)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()

    def arrived() -> list[dict[str, Any]]:
        return [wire for content, _ in tuple(widget.sent) for wire in content["batch"]]

    until(lambda: len(arrived()) == 800, "all messages")
    for n in range(4):
        assert [wire["message"] for wire in arrived() if wire["view"] == str(n)] == list(range(200))
    assert len(widget.sent) < 400
    thread.stop()


def test_flush_sends_what_waits() -> None:
    thread, widget = LoopThread("mcpapps-test"), Widget()
    channel = CommChannel(widget, thread)

    async def burst() -> None:
        for n in range(3):
            channel.send([Envelope("rpc", "f", n)])
            channel.flush()
        channel.flush()

    asyncio.run_coroutine_threadsafe(burst(), thread.loop).result(10)
    assert [content["batch"][0]["message"] for content, _ in widget.sent] == [0, 1, 2]
    thread.stop()


def test_one_message_that_has_no_json_does_not_take_the_others_with_it() -> None:
    thread, widget = LoopThread("mcpapps-test"), Widget()
    channel = CommChannel(widget, thread)
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    channel.send([Envelope("rpc", "f", "before"), Envelope("rpc", "f", deep), Envelope("rpc", "f", "after")])
    until(lambda: widget.sent, "the batch")
    assert [wire["message"] for content, _ in widget.sent for wire in content["batch"]] == ["before", "after"]
    thread.stop()


def test_a_front_end_that_is_gone_is_no_error() -> None:
    thread = LoopThread("mcpapps-test")
    tried = threading.Event()

    class Gone:
        def send(self, content: object, buffers: object) -> None:
            tried.set()
            raise RuntimeError("comm closed")

    channel = CommChannel(Gone(), thread)
    channel.send([Envelope("rpc", "f", 1)])
    assert tried.wait(10)
    thread.stop()


def test_finite_makes_json_of_python_values() -> None:
    value = {1: float("nan"), "a": (1, float("-inf")), "b": [{"c": 1e300}], ("t", 1): True, None: None}
    assert finite(value) == {"1": None, "a": [1, None], "b": [{"c": 1e300}], "('t', 1)": True, "None": None}
