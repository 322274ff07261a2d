"""Large messages between a page and its server, through the browser, the websocket and the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .raw_app import RawApp


@pytest.mark.elsewhere("jupyter/notebook#3468", "jupyter-widgets/ipywidgets#2522")
def test_large_messages_arrive_whole_both_ways(app: RawApp) -> None:
    page = app.open()
    sent = page.evaluate(
        "request('tools/call', { name: 'echo', arguments: { text: 'é'.repeat(12_500_000) } })"
    )
    assert sent["result"]["structuredContent"] == {"length": 12_500_000}
    length = "({ result }) => result.content[0].text.length"
    got = page.evaluate(
        f"request('tools/call', {{ name: 'large', arguments: {{ size: 30e6 }} }}).then({length})"
    )
    assert got == 30_000_000
    too_large = page.evaluate(
        "request('tools/call', { name: 'echo', arguments: { text: 'x'.repeat(70_000_000) } })"
    )
    assert too_large["error"]["code"] == -32600
    assert "67108864 bytes" in too_large["error"]["message"]
    assert app.python("6 * 7") == 42, "the kernel is connected"
