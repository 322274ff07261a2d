"""Cutting and reading lines."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpapps_jupyter.transports.frames import LineSplitter, Oversize, encode, make_json, parse_line

FRAME = {"jsonrpc": "2.0", "id": 1, "result": {"text": 'a "quoted" {brace} ü 🙂'}}
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(st.lists(st.binary(max_size=20), max_size=8), st.integers(1, 7))
def test_lines_are_the_same_however_the_bytes_arrive(lines: list[bytes], step: int) -> None:
    lines = [line.replace(b"\n", b"") for line in lines]
    data = b"\n".join(lines)
    splitter = LineSplitter()
    seen: list[Any] = []
    for start in range(0, len(data), step):
        seen += splitter.feed(data[start : start + step])
    seen += splitter.flush()
    assert [line for line in seen if line] == [line for line in lines if line]


@given(st.integers(0, 40), st.integers(1, 9))
def test_a_line_over_the_limit_is_dropped_and_the_next_one_is_not(length: int, step: int) -> None:
    data = b"x" * length + b"\nnext\n"
    splitter = LineSplitter(limit=20)
    seen: list[Any] = []
    for start in range(0, len(data), step):
        seen += splitter.feed(data[start : start + step])
    assert seen[1] == b"next"
    if length > 20:
        assert isinstance(seen[0], Oversize)
        assert seen[0].size == length
        assert seen[0].head.startswith(b"x")
    else:
        assert seen[0] == b"x" * length


def test_stderr_ends_its_lines_in_several_ways() -> None:
    splitter = LineSplitter(ends=b"\n\r")
    assert splitter.feed(b"10%\r20%\r\nend") == [b"10%", b"20%", b""]
    assert splitter.flush() == [b"end"]
    assert splitter.flush() == []


@pytest.mark.parametrize(
    ("line", "request_id"),
    [
        (b'{"jsonrpc":"2.0","id":7,"result":{"a":"%s"}}', "7"),
        (b'banner {"jsonrpc": "2.0", "id": "a-b", "result": {"a":"%s"}}', "a-b"),
        (b'{"id":7,"jsonrpc":"2.0","result":{"a":"%s"}}', "7"),
        (b'{"result":{"id":3,"a":"%s"},"jsonrpc":"2.0","id":9}', "9"),
        (b'{"result":{"a":"%s"},"id":9,"jsonrpc":"2.0"}', "9"),
        (b'{"jsonrpc":"2.0","method":"notifications/message","params":{"a":"%s","id":4,"z":1}}', None),
    ],
)
def test_the_request_a_dropped_line_answered_is_found(line: bytes, request_id: str | None) -> None:
    splitter = LineSplitter(limit=3000)
    (dropped,) = splitter.feed(line % (b"x" * 4000) + b"\n")
    assert isinstance(dropped, Oversize)
    assert dropped.request_id == request_id


@given(JSON)
def test_what_we_write_is_read_back(value: Any) -> None:
    frame = {"jsonrpc": "2.0", "id": 1, "result": {"value": value}}
    line = encode(frame)
    assert b"\n" not in line
    parsed = parse_line(line)
    assert parsed.frames == [frame]
    assert parsed.noise == parsed.warnings == []


@given(
    st.text(st.characters(exclude_characters="{[")),
    st.text(st.characters(exclude_characters="{[")),
    st.integers(1, 3),
)
def test_frames_are_found_between_anything(before: str, after: str, count: int) -> None:
    glue = json.dumps(FRAME, ensure_ascii=False)
    parsed = parse_line((before + glue * count + after).encode("utf-8", "replace"))
    assert parsed.frames == [FRAME] * count


@pytest.mark.parametrize(
    ("text", "noise"),
    [
        ("hello", ["hello"]),
        ("", []),
        ("  \r", []),
        ("{not json", ["{not json"]),
        ('{"level":"info","message":"a log"}', ['{"level":"info","message":"a log"}']),
        # A log that quotes a frame is not that frame.
        ('{"level":"debug","frame":{"jsonrpc":"2.0","id":1,"result":{}}}',) * 1
        + (['{"level":"debug","frame":{"jsonrpc":"2.0","id":1,"result":{}}}'],),
        ('{"jsonrpc":"1.0","id":1}', ['{"jsonrpc":"1.0","id":1}']),
        ("[1, 2]", ["[1, 2]"]),
        ("42", ["42"]),
        ("null", ["null"]),
        ('{"jsonrpc": ' * 500, ['{"jsonrpc": ' * 500]),
    ],
)
def test_noise(text: str, noise: list[str]) -> None:
    parsed = parse_line(text.encode())
    assert parsed.frames == []
    assert parsed.noise == [each[:4096].rstrip() if len(each) <= 4096 else each[:4096] for each in noise]


def test_a_batch_a_mark_and_two_frames_on_one_line() -> None:
    one, two = FRAME, {"jsonrpc": "2.0", "method": "notifications/x"}
    assert parse_line(json.dumps([one, two]).encode()).frames == [one, two]
    assert parse_line(b"\xef\xbb\xbf" + json.dumps(one).encode()).frames == [one]
    parsed = parse_line(f"a{json.dumps(one)}b{json.dumps(two)}c".encode())
    assert parsed.frames == [one, two]
    assert parsed.noise == ["a", "b", "c"]


def test_a_foreign_byte_inside_a_frame_costs_one_character() -> None:
    parsed = parse_line('{"jsonrpc":"2.0","id":1,"result":{"name":"Größe"}}'.encode("latin-1"))
    assert parsed.frames[0]["result"] == {"name": "Gr\ufffd\ufffde"}
    assert len(parsed.warnings) == 1


def test_deep_nesting_and_huge_numbers_are_noise_not_errors() -> None:
    for text in ("[" * 100_000, '{"jsonrpc":"2.0","a":' * 5000, '{"jsonrpc":"2.0","id":' + "9" * 6000 + "}"):
        assert parse_line(text.encode()).frames == []


def test_an_answer_that_nests_too_deep_is_known_by_its_id() -> None:
    deep = "[" * 50_000 + "]" * 50_000
    for line in (
        f'{{"jsonrpc":"2.0","id":7,"result":{deep}}}',
        f'ready {{"jsonrpc":"2.0","id":7,"result":{deep}}}',
        f'{{"result":{deep},"jsonrpc":"2.0","id":7}}',
    ):
        parsed = parse_line(line.encode())
        assert parsed.frames == []
        assert parsed.too_deep is not None
        assert parsed.too_deep.request_id == "7"
        assert parsed.too_deep.id == 7


def test_numbers_that_json_does_not_have() -> None:
    parsed = parse_line(b'{"jsonrpc":"2.0","id":1,"result":{"a":[NaN,-Infinity,1e999,-1e999,1e5,0.5]}}')
    assert parsed.frames[0]["result"]["a"] == [None, None, None, None, 1e5, 0.5]
    assert parsed.warnings == [
        "the server sent 4 NaN or infinite number(s), which JSON does not have; replaced by null"
    ]
    value = {"a": [math.inf, {"b": math.nan}, 1.5], "c": -math.inf}
    assert make_json(value) == 3
    assert value == {"a": [None, {"b": None}, 1.5], "c": None}


def test_half_characters_do_not_get_through() -> None:
    parsed = parse_line(rb'{"jsonrpc":"2.0","id":1,"result":{"\ud800":"\udc00 \ud83d\ude42 \\ud800"}}')
    assert parsed.frames[0]["result"] == {"\ufffd": "\ufffd 🙂 \\ud800"}
    assert encode({"text": "\ud800"}) == b'{"text":"?"}'
