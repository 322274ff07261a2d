"""What a page posts: every request is answered, whatever it is, and a flood stays with the page."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .widget_page import WidgetPage

    Open = Callable[..., WidgetPage]

_NEXT_ANSWER = """(message) => new Promise((resolve) => {
    addEventListener('message', ({ data }) => resolve(data), { once: true });
    say(eval(`(${message})`));
})"""


@pytest.mark.parametrize(
    "message",
    [
        "null",
        "5",
        "[]",
        "undefined",
        "new Map()",
        "({ jsonrpc: '2.0', id: NaN, method: 'ping' })",
        "({ jsonrpc: '2.0', id: 1n, method: 'ping' })",
        "({ jsonrpc: '2.0', id: 'x', method: 'ping', params: [] })",
        "({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { size: 1n } })",
        "(() => { const it = { jsonrpc: '2.0', id: 'x', method: 'm' }; it.params = { it }; return it; })()",
    ],
)
def test_what_is_no_request_is_answered_as_such(open_widget: Open, message: str) -> None:
    widget = open_widget().show()
    page = widget.page()
    page.wait_for_function("seen.some((message) => message.method)")
    assert page.evaluate(_NEXT_ANSWER, message)["error"]["code"] == -32600
    assert len(widget.sent("rpc")) == 1  # ui/notifications/initialized


def test_what_the_page_says_cannot_become_what_we_are(open_widget: Open) -> None:
    widget = open_widget().show()
    arguments = """JSON.parse('{"__proto__": {"polluted": 1}}')"""
    widget.page().evaluate(f"request('tools/call', {arguments}, '__proto__')")
    assert widget.tab.evaluate("({}).polluted") is None


def test_large_messages_travel_in_pieces_and_too_large_ones_not_at_all(open_widget: Open) -> None:
    widget = open_widget(limits={"maxMessageBytes": 30_000_000}).show()
    page = widget.page()
    page.evaluate("void request('large', { text: 'y'.repeat(20_000_000) })")
    parts = "kernel.sent.filter((one) => one.part).length"
    widget.until(lambda: widget.tab.evaluate(parts) == 3, "three parts")
    answer = page.evaluate("request('larger', { text: 'é'.repeat(16_000_000) })")
    assert answer["error"]["code"] == -32600
    assert "30000000 bytes" in answer["error"]["message"]


def test_ten_thousand_random_messages(open_widget: Open) -> None:
    widget = open_widget().show()
    page = widget.page()
    page.wait_for_function("seen.some((message) => message.method)")
    messages = _random_messages(10_000)
    requests = sum(1 for each in messages if isinstance(each, dict) and "method" in each and "id" in each)
    page.evaluate("(messages) => { seen.length = 0; messages.forEach(say); }", messages)
    answered = "new Set(seen.filter((message) => message.id !== null).map((message) => message.id)).size"
    widget.until(lambda: page.evaluate(answered) >= requests, "every request is answered", 60)
    assert page.evaluate("request('ping')")["result"] == {}
    assert widget.tab.evaluate("kernel.messages") < 5000


def _random_messages(count: int) -> list[Any]:
    """Requests with fresh ids among all that resembles them."""
    dice = random.Random(7)
    methods = ["ping", "tools/call", "resources/read", "ui/request-display-mode", "nonsense", ""]
    things: list[Any] = [None, 1, "text", [], {}, {"deep": [{"er": None}]}, True, -1.5e300]
    messages: list[Any] = []
    for number in range(count):
        message = {"jsonrpc": "2.0", "id": f"r{number}", "method": dice.choice(methods), "params": {}}
        for key in dice.sample(sorted(message), dice.randrange(3)):
            if dice.random() < 0.5:
                message[key] = dice.choice(things)
            else:
                del message[key]
        whole = message if dice.random() < 0.9 else dice.choice(things)
        if isinstance(whole, dict) and not (isinstance(whole.get("id"), str) and whole["id"].startswith("r")):
            whole.pop("id", None)  # an id that repeats is a matter of its own
        messages.append(whole)
    return messages


def test_a_flood_of_notifications_stays_with_the_page(open_widget: Open) -> None:
    widget = open_widget().show()
    page = widget.page()
    page.evaluate("""() => {
        for (let i = 0; i < 30_000; i++) notify('notifications/message', { level: 'info', data: i });
    }""")
    assert page.evaluate("request('ping')")["result"] == {}
    passed = [message for message in widget.sent("rpc") if message.get("method") == "notifications/message"]
    assert len(passed) < 2000
    widget.until(lambda: any("dropped" in text for text in widget.logged("limit")), "the log counts them")
