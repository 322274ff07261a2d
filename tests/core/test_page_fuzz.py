"""A page that sends anything: each request is answered once, nothing raises, memory stays bounded."""

from __future__ import annotations

import random
import sys
from typing import Any

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.views import traffic
from mcpapps_jupyter.views.channel import Envelope
from mcpapps_jupyter.views.policy import Rates
from mcpapps_jupyter.views.rpc import valid_id
from tests.core.pages import FRAME, OpenPage
from tests.core.support import until

METHODS = [
    "ping",
    "tools/call",
    "tools/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "prompts/get",
    "completion/complete",
    "sampling/createMessage",
    "ui/initialize",
    "ui/message",
    "ui/update-model-context",
    "ui/open-link",
    "ui/notifications/initialized",
    "ui/notifications/size-changed",
    "notifications/cancelled",
    "notifications/message",
    "nope",
    "",
    "constructor",
    "__class__",
]
#: Tools that neither wait for anybody nor end the server.
TOOLS = ["add", "count", "show", "fail", "model_only", "app_only", "destroy", "nope", "", "lab.add"]


def anything(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(10 if depth < 4 else 7)
    if kind == 7:
        return [anything(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind >= 8:
        keys = [
            "name",
            "arguments",
            "uri",
            "_meta",
            "progressToken",
            "content",
            "role",
            "requestId",
            "__proto__",
        ]
        return {rng.choice(keys): anything(rng, depth + 1) for _ in range(rng.randrange(4))}
    return [
        None,
        rng.random() < 0.5,
        rng.randrange(-5, 5),
        rng.random() * 1e9,
        float("nan"),
        rng.choice(["", "add", "lab://numbers", "ui://lab/page.html", "user", "\ud83d", "\u0000", "x" * 300]),
        rng.choice(TOOLS),
    ][kind]


def params(rng: random.Random, method: str) -> Any:
    if rng.random() < 0.4:
        return anything(rng)
    if method == "tools/call":
        return {"name": rng.choice(TOOLS), "arguments": rng.choice([None, {}, {"a": 1}, anything(rng)])}
    return {"uri": rng.choice(["lab://numbers", "lab://nowhere", 7]), "structuredContent": anything(rng)}


def message(rng: random.Random, number: int) -> Any:
    if rng.random() < 0.08:
        return anything(rng)
    method = rng.choice(METHODS)
    made: dict[str, Any] = {"jsonrpc": rng.choice(["2.0"] * 20 + ["1.0", 2, None]), "method": method}
    if rng.random() < 0.75 and not method.startswith(("notifications/", "ui/notifications/")):
        made["id"] = rng.choice([number, str(number), number + 0.5] * 8 + [None, True, [], float("inf")])
    if rng.random() < 0.85:
        made["params"] = params(rng, method)
    if rng.random() < 0.03:
        del made["method"]
        made["result"] = anything(rng)
    if rng.random() < 0.01:
        made["error"] = anything(rng)
    return made


@pytest.mark.parametrize("seed", range(3))
def test_a_thousand_messages_of_any_kind(
    kernel: Host, seed: int, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    rng = random.Random(seed)
    app: App = kernel[("auto", "legacy")[seed % 2]]
    rates = Rates(calls_per_minute=10**6, burst=10**6, notifications_per_second=10**6, queue=10**6)
    page = OpenPage(kernel, app, interactive=False, rates=rates).start()
    sent = [message(rng, 1000 + number) for number in range(1000)]

    async def flood() -> None:
        for each in sent:
            page.relay.receive(Envelope("rpc", FRAME, each))

    kernel.thread.run(flood())
    asked = [
        each["id"]
        for each in sent
        if isinstance(each, dict)
        and each.get("jsonrpc") == "2.0"
        and isinstance(each.get("method"), str)
        and "id" in each
        and valid_id(each["id"])
    ]
    assert len(asked) > 400

    def unanswered() -> list[Any]:
        answered = [m.get("id") for m in page.got("rpc", FRAME) if "method" not in m]
        return [each for each in asked if answered.count(each) == 0]

    # What a random notification cancels gets no answer: that is the protocol.
    cancelled = {
        repr((each.get("params") or {}).get("requestId"))
        for each in sent
        if isinstance(each, dict)
        and each.get("method") == "notifications/cancelled"
        and isinstance(each.get("params"), dict)
    }
    until(lambda: not [each for each in unanswered() if repr(each) not in cancelled], "every answer")
    answers = [m for m in page.got("rpc", FRAME) if "method" not in m]
    assert all(("result" in m) != ("error" in m) for m in answers)
    by_id = [m["id"] for m in answers if m["id"] is not None]
    assert len(by_id) == len(set(map(repr, by_id)))
    assert not page.relay.frames[FRAME].running
    assert page.request("ping") == {}
    assert page.call("add", a=1)["structuredContent"] == {"result": 2}
    assert capfd.readouterr() == ("", "")
    assert not [record for record in caplog.records if record.name == "asyncio"]


def test_memory_stays_bounded_however_much_is_said(kernel: Host) -> None:
    page = OpenPage(kernel, kernel["auto"], rates=Rates(burst=10**6)).start()
    big = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 50_000}}

    async def flood() -> None:
        for number in range(3000):
            page.relay.receive(Envelope("rpc", FRAME, {**big, "n": number}))
            page.relay.receive(Envelope("rpc", f"f-{number}", big))
            page.relay.receive(Envelope("state", f"f-{number}", {"event": "initialize"}))

    kernel.thread.run(flood())
    assert len(page.relay.traffic) <= traffic.MAX_ENTRIES
    assert sum(entry.size for entry in page.relay.traffic) <= traffic.MAX_BYTES
    assert len(page.relay.frames) == 1
    assert len(kernel["auto"].log) <= 2000
    assert sum(sys.getsizeof(entry.text) for entry in kernel["auto"].log) < 2000 * 5000
