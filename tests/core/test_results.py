"""What servers answer, as Python values that show themselves."""

from __future__ import annotations

import base64
import builtins
import json
from typing import Any

import pytest

from mcpapps_jupyter.errors import McpAppsError, ToolFailed
from mcpapps_jupyter.results import PromptResult, ReadResult, ToolResult

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"0" * 20).decode()


def result(*blocks: Any, **members: Any) -> ToolResult:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return ToolResult({"content": content, **members}, app_id="shop", tool="look")


ROWS = [{"id": 1, "name": "egg"}, {"id": 2, "price": 1.5}]


@pytest.mark.parametrize(
    ("given", "data"),
    [
        (result("hello"), "hello"),
        (result("[1, 2]"), [1, 2]),
        (result("7"), 7),
        (result("a", "b"), "a\n\nb"),
        (result(), ""),
        (result("text", structuredContent={"a": 1}), {"a": 1}),
        (result(structuredContent={"result": ROWS}), ROWS),
        (result(structuredContent={"result": 1, "more": 2}), {"result": 1, "more": 2}),
        (result(structuredContent=[]), []),
        (result(structuredContent={"result": None}), None),
        (result("[" * 100_000), "[" * 100_000),
    ],
)
def test_data_is_the_value(given: ToolResult, data: Any) -> None:
    assert given.data == data
    assert isinstance(repr(given), str)
    assert isinstance(given._repr_html_(), str)


def test_raw_parts_stay_as_they_came() -> None:
    raw = {
        "content": [{"type": "text", "text": "x"}, "odd", None],
        "_meta": {"m": 1},
        "isError": False,
        "x": None,
    }
    given = ToolResult(raw, app_id="shop", tool="look")
    assert given.raw == raw
    assert given.content == [{"type": "text", "text": "x"}]
    assert given.meta == {"m": 1}
    assert not given.is_error
    assert "m" not in repr(given)
    for odd in ({}, {"content": "text"}, {"content": {"type": "text"}}, {"_meta": 5, "content": None}):
        shown = ToolResult(odd, app_id="shop", tool="look")
        assert (shown.content, shown.text, shown.meta) == ([], "", {})
        assert repr(shown) == "<empty result of shop look>"
        assert "empty result" in shown.to_html()


def test_an_error_shows_as_one_and_can_be_raised() -> None:
    bad = result("no <eggs>\nleft", isError=True, structuredContent={"why": 1})
    assert repr(bad) == "Error from shop look: no <eggs>\nleft"
    assert "no &lt;eggs&gt;" in bad.to_html()
    assert "look failed" in bad.to_html()
    with pytest.raises(ToolFailed, match=r"^shop look: no <eggs> left$"):
        bad.raise_for_error()
    assert repr(result(isError=True)) == "Error from shop look: the tool failed and gave no reason"
    good = result("fine")
    assert good.raise_for_error() is good


@pytest.mark.elsewhere("nicobailon/pi-mcp-adapter#113")
def test_structured_content_is_shown_where_there_is_no_text() -> None:
    only = result(structuredContent={"items": ROWS, "total": 2})
    assert json.loads(repr(only)) == {"items": ROWS, "total": 2}
    html = only.to_html()
    assert "<b>items</b>" in html
    assert ">egg</td>" in html
    assert ">2</td>" in html
    assert "{}" in result(structuredContent={}).to_html()


@pytest.mark.parametrize(
    "given",
    [
        result("<script>alert(1)</script>"),
        result(structuredContent={"<script>": "<script>"}),
        result(structuredContent={"result": [{"<script>": "<script>", "b": ["<script>"]}]}),
        result(structuredContent={"rows": [{"a": "<script>"}], "x": {"<script>": 1}}),
        result(json.dumps([{"a": "<script>"}])),
        result("<script>", isError=True),
        result({"type": "image", "mimeType": "image/svg+xml", "data": "<script>"}),
        result({"type": "image", "mimeType": 'image/png"><script>', "data": PNG}),
        result({"type": "image", "mimeType": "image/png", "data": '"><script>'}),
        result({"type": "resource", "resource": {"uri": "<script>", "text": "<script>"}}),
        result({"type": "resource_link", "uri": "javascript:<script>", "name": "<script>"}),
        result({"type": "<script>", "x": "<script>"}),
    ],
)
def test_nothing_foreign_is_html(given: ToolResult) -> None:
    html = given.to_html()
    assert "<script" not in html.lower()
    assert ' src="http' not in html
    assert "href" not in html


def test_pictures_are_drawn_if_they_are_raster_images() -> None:
    drawn = result("a picture", {"type": "image", "mimeType": "image/PNG", "data": PNG}).to_html()
    assert f'<img src="data:image/png;base64,{PNG}"' in drawn
    assert "a picture" in drawn
    svg = result({"type": "image", "mimeType": "image/svg+xml", "data": PNG})
    assert "<img" not in svg.to_html()
    assert "[image image/svg+xml, " in repr(svg)
    with_table = result(
        {"type": "image", "mimeType": "image/png", "data": PNG}, structuredContent={"result": ROWS}
    )
    assert "<img" in with_table.to_html()
    assert "<table>" in with_table.to_html()


def test_long_tables_and_texts_are_cut() -> None:
    rows = [{"n": number} for number in range(1000)]
    html = result(structuredContent={"result": rows}).to_html()
    assert html.count("<tr>") == 21
    assert "and 980 more rows" in html
    assert len(result("x" * 100_000).to_html()) < 10_000


@pytest.mark.parametrize(
    ("given", "key", "shape"),
    [
        (result(structuredContent={"result": ROWS}), None, (2, 3)),
        (result(structuredContent={"items": ROWS, "total": 2}), None, (2, 3)),
        (result(json.dumps(ROWS)), None, (2, 3)),
        (result(structuredContent={"a": ROWS, "b": ROWS[:1]}), "b", (1, 2)),
        (result(structuredContent={"result": []}), None, (0, 0)),
        (result(structuredContent={"items": [], "total": 0}), None, (0, 0)),
        (result(structuredContent={"a": [], "b": ROWS}), "a", (0, 0)),
    ],
)
def test_tables_become_data_frames(given: ToolResult, key: str | None, shape: tuple[int, int]) -> None:
    assert given.to_pandas(key).shape == shape


@pytest.mark.parametrize(
    ("given", "key", "words"),
    [
        (result(structuredContent={"a": ROWS, "b": ROWS}), None, r"pick one, to_pandas\(key\): 'a', 'b'"),
        (result("hello"), None, "is no list of objects"),
        (result(structuredContent={"a": ROWS}), "c", "no list of objects under 'c'; there is 'a'"),
        (result(structuredContent={"result": [1, 2]}), None, "is no list of objects"),
        (result(structuredContent={"result": [{"a": 1}, 2]}), None, "is no list of objects"),
    ],
)
def test_what_is_no_table_is_said_with_what_there_is(given: ToolResult, key: str | None, words: str) -> None:
    with pytest.raises(McpAppsError, match=words):
        given.to_pandas(key)


def test_pandas_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.split(".")[0] == "pandas":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(McpAppsError, match=r"pip install 'mcpapps-jupyter\[pandas\]'"):
        result(structuredContent={"result": ROWS}).to_pandas()


def read(*items: Any) -> ReadResult:
    return ReadResult({"contents": list(items)}, app_id="shop", uri="x://y")


def test_a_resource_is_text_json_or_bytes() -> None:
    assert read({"uri": "x://y", "text": "[1]", "mimeType": "application/json"}).data == [1]
    assert read({"text": "a"}, {"text": "b"}).text == "a\n\nb"
    assert read({"text": "plain"}).data == "plain"
    binary = read({"blob": base64.b64encode(b"\x00\x01").decode(), "mimeType": "image/png"})
    assert (binary.blob, binary.data, binary.mime_type) == (b"\x00\x01", b"\x00\x01", "image/png")
    assert repr(binary) == "<x://y: image/png, 2 bytes>"
    with pytest.raises(McpAppsError, match="broken base64"):
        _ = read({"blob": "!"}).blob
    assert read().data is None
    assert read("odd", None).contents == []
    assert "characters)" in repr(read({"text": "x" * 5000}))
    assert len(repr(read({"text": "x" * 5000}))) < 2100


def test_a_prompt_is_its_messages() -> None:
    raw = {
        "messages": [
            {"role": "user", "content": {"type": "text", "text": "hi"}},
            {"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "image", "data": PNG}]},
        ]
    }
    given = PromptResult(raw, app_id="shop", name="p")
    assert given.text == "user: hi\n\nassistant: a\n[image of unknown type, 28 bytes]".replace(
        "28", str(len(PNG) * 3 // 4)
    )
    assert repr(given) == given.text
    assert repr(PromptResult({}, app_id="shop", name="p")) == "<empty prompt p>"
