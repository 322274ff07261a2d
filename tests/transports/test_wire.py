"""Repair of frames, and the book-keeping of requests."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import anyio
import pytest
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from mcpapps_jupyter.transports import Hooks
from mcpapps_jupyter.transports.repair import Asked, repair_frame
from mcpapps_jupyter.transports.streams import Inbox, Outbox
from mcpapps_jupyter.transports.wire import Wire
from tests.transports.support import Heard

ERAS = {
    "2025-11-25": {},
    "2026-07-28": {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"},
}
LISTINGS = {
    "tools/list": ("tools", {"name": "a", "inputSchema": {"type": "object"}}, {"name": "b"}),
    "resources/list": ("resources", {"uri": "ui://a", "name": "a"}, {"name": "no uri"}),
    "resources/templates/list": ("resourceTemplates", {"uriTemplate": "a://{b}", "name": "a"}, {"name": 1}),
    "prompts/list": ("prompts", {"name": "a"}, {"arguments": 1}),
}


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("method", LISTINGS)
def test_each_entry_of_a_listing_stands_alone(method: str, version: str) -> None:
    key, good, bad = LISTINGS[method]
    warnings: list[str] = []
    fine = {"id": 1, "result": {key: [good], **ERAS[version]}}
    assert repair_frame(fine, Asked(method, version), warnings.append) is fine
    mixed = {"id": 1, "result": {key: [bad, good, None], "nextCursor": "n", "vendor": 1, **ERAS[version]}}
    repaired = repair_frame(mixed, Asked(method, version), warnings.append)
    assert repaired == {"id": 1, "result": {key: [good], "nextCursor": "n", "vendor": 1, **ERAS[version]}}
    assert len(warnings) == 2
    assert "number 1 of the list" in warnings[0]


def test_a_listing_without_its_list_and_other_answers_are_left_to_the_sdk() -> None:
    for asked, result in [
        (Asked("tools/list", "2025-11-25"), {"tool": []}),
        (Asked("tools/list", "1999-01-01"), {"tools": [{}]}),
        (Asked("completion/complete", "2025-11-25"), {"completion": 1}),
        (None, {"tools": [{}]}),
    ]:
        frame = {"id": 1, "result": result}
        assert repair_frame(frame, asked, pytest.fail) is frame


def test_contents_that_do_not_say_their_address() -> None:
    warnings: list[str] = []
    asked = Asked("resources/read", "2025-11-25", "ui://page")
    frame = {"id": 1, "result": {"contents": [{"text": "x"}, {"uri": "ui://other", "text": "y"}]}}
    repaired = repair_frame(frame, asked, warnings.append)
    assert [each["uri"] for each in repaired["result"]["contents"]] == ["ui://page", "ui://other"]
    assert len(warnings) == 1


class Bench:
    """A wire with nothing behind it."""

    def __init__(self, **hooks: Any) -> None:
        self.heard = Heard()
        told = self.heard.hooks()
        for name, hook in hooks.items():
            setattr(told, name, hook)
        self.inbox = Inbox()
        self.wire = Wire(told, self.inbox)

    def ask(self, request_id: Any, method: str, **params: Any) -> None:
        self.wire.outgoing(JSONRPCRequest(jsonrpc="2.0", id=request_id, method=method, params=params))

    def say(self, **frame: Any) -> None:
        self.wire.line(json.dumps({"jsonrpc": "2.0", **frame}).encode())

    async def received(self) -> list[Any]:
        self.inbox.end()
        return [item.message async for item in self.inbox]


def test_small_deviations_of_the_envelope_are_put_right() -> None:
    async def main() -> None:
        bench = Bench()
        bench.ask(1, "ping")
        bench.ask("two", "ping")
        bench.say(id=1.0, result={}, error=None)
        bench.say(id="two", result=None, error={"code": 1, "message": "no"})
        bench.say(method="notifications/x", id=None, params=None)
        bench.say(method="roots/list", id=5)
        bench.say(id=None, error={"code": -32700, "message": "what?"})
        answers = await bench.received()
        assert [type(each) for each in answers] == [
            JSONRPCResponse,
            JSONRPCError,
            JSONRPCNotification,
            JSONRPCRequest,
            JSONRPCError,
        ]
        assert answers[0].id == 1
        assert bench.heard.warnings == []

    asyncio.run(main())


def test_a_malformed_answer_fails_its_request_at_once() -> None:
    async def main() -> None:
        bench = Bench()
        bench.ask(1, "tools/call")
        bench.say(id=1, result=[1])
        bench.say(id=2, result=[1])
        bench.say(method=5)
        (answer,) = await bench.received()
        assert answer.id == "1"
        assert "malformed" in answer.error.message
        assert len(bench.heard.warnings) == 3

    asyncio.run(main())


def test_an_answer_that_nests_too_deep_fails_its_request_at_once() -> None:
    async def main() -> None:
        bench = Bench()
        bench.ask(1, "tools/call")
        deep = "[" * 50_000 + "]" * 50_000
        bench.wire.line(f'{{"jsonrpc":"2.0","id":1,"result":{{"structuredContent":{deep}}}}}'.encode())
        (answer,) = await bench.received()
        assert answer.id == "1"
        assert "nests too deep" in answer.error.message

    asyncio.run(main())


def test_our_own_request_echoed_is_noise() -> None:
    async def main() -> None:
        bench = Bench()
        bench.ask(1, "tools/list")
        bench.say(id=1, method="tools/list", params={})
        bench.say(id=1, method="roots/list")  # the server counts from one too
        bench.say(id=1, result={"tools": []})
        request, answer = await bench.received()
        assert request.method == "roots/list"
        assert answer.result == {"tools": []}
        assert len(bench.heard.noise) == 1

    asyncio.run(main())


def test_the_owner_may_repair_too_and_warnings_fall_back_to_noise() -> None:
    def repair(frame: dict[str, Any]) -> dict[str, Any]:
        if "result" in frame:
            return {**frame, "result": {"mine": True}}
        raise ValueError("cannot")

    async def main() -> None:
        bench = Bench(repair=repair, on_warning=None)
        bench.ask(1, "ping")
        bench.say(id=1, result={})
        bench.say(method="notifications/x")
        (answer,) = await bench.received()
        assert answer.result == {"mine": True}
        assert bench.heard.frames[-1] == ("in", {"jsonrpc": "2.0", "id": 1, "result": {"mine": True}})
        assert bench.heard.noise == ["the server sent a malformed message: cannot"]

    asyncio.run(main())


def test_the_end_answers_everything_that_waits() -> None:
    async def main() -> None:
        bench = Bench()
        for request_id in (1, 2, 3):
            bench.ask(request_id, "ping")
        bench.say(id=1, result={})
        bench.wire.outgoing(
            JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params={"requestId": 2})
        )
        bench.wire.end("it went away")
        bench.wire.end("again")
        bench.say(id=3, result={})
        first, last = await bench.received()
        assert isinstance(first, JSONRPCResponse)
        assert (last.id, last.error.message) == ("3", "it went away")

    asyncio.run(main())


def test_the_inbox_holds_back_a_flood_and_closes_cleanly() -> None:
    async def main() -> None:
        flow: list[str] = []
        inbox = Inbox(high=4, low=1, on_full=lambda: flow.append("full"), on_low=lambda: flow.append("low"))
        for number in range(6):
            inbox.put(ValueError(str(number)))
        assert flow == ["full"]
        for number in range(6):
            assert str(await inbox.receive()) == str(number)
        assert flow == ["full", "low"]
        waiting = asyncio.ensure_future(inbox.receive())
        await asyncio.sleep(0.01)
        await inbox.aclose()
        with pytest.raises(anyio.ClosedResourceError):
            await waiting
        inbox.put(ValueError("late"))
        with pytest.raises(anyio.ClosedResourceError):
            await inbox.receive()

        async def deliver(item: Any) -> None:
            flow.append(item)

        async with Outbox(deliver) as outbox:
            await outbox.send("sent")  # type: ignore[arg-type]
        with pytest.raises(anyio.ClosedResourceError):
            await outbox.send("late")  # type: ignore[arg-type]
        assert flow[-1] == "sent"

    asyncio.run(main())


def test_hooks_without_anybody() -> None:
    Hooks().warn("nobody listens")
