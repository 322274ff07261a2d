"""The static card: small, whatever the result is, and without secrets in either of its forms."""

from __future__ import annotations

import base64
import html
from typing import Any

import pytest

from mcpapps_jupyter.redact import redact
from mcpapps_jupyter.results import ToolResult
from mcpapps_jupyter.views.card import card

#: Most bytes of the card of one app in a saved notebook, but for images.
MOST = 10 * 1024


def saved(*content: dict[str, Any], hide: Any = str, **members: Any) -> dict[str, str]:
    result = ToolResult({"content": list(content), **members}, app_id="shop", tool="look")
    return card("Shop", "look", {}, result, None, hide)


@pytest.mark.parametrize(
    "value",
    [
        {"text": "x" * 1_000_000},
        {"text": "'\"<&" * 100_000},
        {"points": [[n, n] for n in range(50_000)]},
        {f"key {n}": n for n in range(10_000)},
        {f"table {n}": [{"a": 1}] for n in range(1_000)},
        [{f"column {n}": "y" * 1000 for n in range(40)}] * 100,
        "z" * 100_000,
    ],
    ids=["long text", "text to escape", "points", "many keys", "many tables", "wide table", "a string"],
)
def test_structured_data_of_any_size_makes_a_small_card(value: Any) -> None:
    shown = saved(structuredContent=value)
    assert sum(len(part.encode()) for part in shown.values()) < MOST


@pytest.mark.parametrize("error", [False, True])
def test_text_of_any_size_makes_a_small_card(error: bool) -> None:
    shown = saved({"type": "text", "text": "long words & " * 100_000}, isError=error)
    assert sum(len(part.encode()) for part in shown.values()) < MOST
    assert "long words" in shown["text/html"]


def test_a_picture_is_drawn_unless_it_is_too_large_to_keep() -> None:
    def picture(size: int) -> dict[str, Any]:
        data = base64.b64encode(b"0" * size).decode()
        return {"type": "image", "mimeType": "image/png", "data": data}

    assert "<img " in saved(picture(100_000))["text/html"]
    large = saved(picture(5_000_000))
    assert "<img " not in large["text/html"]
    assert "image/png" in large["text/html"]
    assert len(large["text/html"]) < MOST
    many = saved(*[picture(100_000)] * 50)
    assert 1 <= many["text/html"].count("<img ") <= 4


SECRET = "tok&en<1>'x'\""


def test_a_secret_is_masked_in_both_forms() -> None:
    def hide(text: str) -> str:
        return redact(text, [SECRET])

    shown = saved({"type": "text", "text": f"key {SECRET}"}, hide=hide, structuredContent={"key": SECRET})
    for text in shown.values():
        assert "•••" in text
        assert "tok&" not in html.unescape(text)
