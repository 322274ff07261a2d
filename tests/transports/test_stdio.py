"""Traffic with real server processes, well-behaved and not."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult

from mcpapps_jupyter.transports import Hooks, StdioTransport
from tests.transports.support import Heard, call, script, served, text_of, until

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("habit", ["banner", "glued", "tail", "latin1", "crlf", "echo"])
@pytest.mark.elsewhere("kerlenton/mcpsnoop#44")
def test_what_a_server_prints_beside_its_frames_costs_nothing(habit: str) -> None:
    async def main() -> None:
        async with served(script("noisy", habit)) as (client, _, heard):
            for number in range(5):
                assert text_of(await call(client, "echo", text=f"{number} äöü 🙂")) == f"{number} äöü 🙂"
            if habit != "crlf":
                assert heard.noise
            if habit == "echo":
                assert any("tools/call" in text for text in heard.noise)
            if habit == "latin1":
                assert any("UTF-8" in text for text in heard.warnings)
                assert any("Gr��e" in text or "fertig" in text for text in heard.noise)

    asyncio.run(main())


@pytest.mark.elsewhere("modelcontextprotocol/python-sdk#924")
def test_noise_is_told_apart_from_the_frame_glued_to_it() -> None:
    async def main() -> None:
        async with served(script("noisy", "glued", "banner")) as (client, _, heard):
            await call(client, "echo", text="x")
            assert heard.noise[:2] == ["▄▄ My Server v1 ▄▄", "Listening."]
            assert set(heard.noise[2:]) == {"Starting up..."}

    asyncio.run(main())


def test_one_foreign_byte_in_the_middle_of_a_session_does_not_end_it() -> None:
    async def main() -> None:
        async with served(script("noisy")) as (client, _, heard):
            assert text_of(await call(client, "latin1")) == "ok"
            assert text_of(await call(client, "echo", text="still here")) == "still here"
            assert heard.noise == ["caf\ufffd"]

    asyncio.run(main())


@pytest.mark.elsewhere("mcp-hangar/mcp-hangar#563")
def test_no_reply_is_lost_in_steady_noise() -> None:
    async def main() -> None:
        async with served(script("noisy", "chatter")) as (client, _, heard):
            await until(lambda: len(heard.noise) > 5, "noise")
            answers = await asyncio.gather(*(call(client, "echo", text=str(n)) for n in range(300)))
            assert [text_of(answer) for answer in answers] == [str(n) for n in range(300)]
            assert all(json.loads(text)["level"] == "info" for text in heard.noise)

    asyncio.run(main())


def test_malformed_tools_are_left_out_alone_and_calls_still_work() -> None:
    async def main() -> None:
        async with served(script("odd")) as (client, _, heard):
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools] == ["good", "nulls"]
            assert listed.tools[1].input_schema["properties"] == {"a": {"const": None}}
            assert len([text for text in heard.warnings if "left out" in text]) == 3
            assert any("'no schema at all'" in text and "inputSchema" in text for text in heard.warnings)
            assert (await client.call_tool("good", {})).content[0].text == "fine"
            assert (await call(client, "good"))["vendor"] == {"kept": True}

    asyncio.run(main())


def test_what_json_does_not_have_becomes_null_and_is_reported() -> None:
    async def main() -> None:
        async with served(script("odd")) as (client, _, heard):
            result = await call(client, "nan")
            assert result["structuredContent"] == {"values": [1, None, None, 2.5]}
            assert any("2 NaN or infinite" in text for text in heard.warnings)
            await call(client, "overflow")
            logged = [f for d, f in heard.frames if f.get("method") == "notifications/message"]
            assert logged[0]["params"]["data"] is None
            assert text_of(await call(client, "surrogate")) == "half \ufffd a smile"

    asyncio.run(main())


def test_tool_results_the_sdk_would_refuse_are_made_whole() -> None:
    async def main() -> None:
        async with served(script("odd")) as (client, _, _heard):
            first, second = (await call(client, "new_content"))["content"]
            assert json.loads(first["text"]) == {"type": "hologram", "data": 1}
            assert second["text"] == "and text"
            assert (await call(client, "no_content")) == {"structuredContent": {"a": 1}, "content": []}
            with pytest.raises(MCPError, match="malformed message"):
                await call(client, "malformed")
            assert text_of(await call(client, "good")) == "fine"

    asyncio.run(main())


def test_large_results_come_through_and_too_large_ones_fail_at_once() -> None:
    async def main() -> None:
        async with served(script("odd")) as (client, _, heard):
            assert len(text_of(await call(client, "big", size=25_000_000))) == 25_000_000
            with pytest.raises(MCPError, match="over the limit"):
                await call(client, "big", size=65 * 1024 * 1024)
            assert text_of(await call(client, "good")) == "fine"
            assert any("68 MB" in text for text in heard.warnings)

    asyncio.run(main())


def test_a_large_argument_is_written_while_the_server_reads() -> None:
    async def main() -> None:
        async with served(script("plain")) as (client, _, _heard):
            sent = "ä" * 5_000_000
            assert text_of(await call(client, "echo", text=sent)) == sent

    asyncio.run(main())


def test_numbers_our_side_cannot_send_become_null_too() -> None:
    async def main() -> None:
        async with served(script("plain")) as (client, _, heard):
            assert text_of(await call(client, "echo", text="x", other=[float("inf"), 1])) == "x"
            sent = [f for d, f in heard.frames if d == "out" and f["method"] == "tools/call"]
            assert sent[0]["params"]["arguments"]["other"] == [None, 1]

    asyncio.run(main())


def test_hooks_see_every_frame_and_a_broken_hook_breaks_nothing() -> None:
    async def main() -> None:
        async with served(script("plain")) as (client, _, heard):
            await call(client, "echo", text="seen")
            methods = [frame.get("method", "answer") for _, frame in heard.frames]
            assert methods == ["initialize", "answer", "notifications/initialized", "tools/call", "answer"]
            assert [direction for direction, _ in heard.frames] == ["out", "in", "out", "out", "in"]
            assert heard.moved
            assert not heard.warnings

        def broken(*_: object) -> None:
            raise RuntimeError("mine")

        hooks = Hooks(broken, broken, broken, broken, broken, broken, broken)
        transport = StdioTransport(script("noisy", "banner"), hooks)
        async with Client(transport, mode="legacy") as client:
            assert text_of(await call(client, "echo", text="x")) == "x"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("mode", "tool", "said"), [("legacy", "push", "accept red"), ("auto", "resolve", "resolved red")]
)
def test_a_server_asks_the_person_in_either_era(mode: str, tool: str, said: str) -> None:
    async def answer(context: object, params: object) -> ElicitResult:
        return ElicitResult(action="accept", content={"colour": "red"})

    async def main() -> None:
        what = script("asking", "stdio")
        async with served(what, mode=mode, elicitation_callback=answer) as (client, _, heard):
            assert (await client.call_tool(tool, {})).content[0].text == said
            asked = [f for d, f in heard.frames if d == "in" and f.get("method") == "elicitation/create"]
            assert bool(asked) == (mode == "legacy")

    asyncio.run(main())


@pytest.mark.elsewhere("modelcontextprotocol/python-sdk#1103", "ed-donner/agents#1343")
def test_a_server_starts_when_sys_stderr_is_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    class NotebookStream:
        def write(self, text: str) -> int:
            return len(text)

        def flush(self) -> None:
            pass

    monkeypatch.setattr(sys, "stderr", NotebookStream())

    async def main() -> Heard:
        async with served(script("leaving", "child")) as (client, _, heard):
            assert text_of(await call(client, "echo", text="x")) == "x"
            await until(lambda: heard.stderr, "a line of stderr")
        return heard

    assert asyncio.run(main()).stderr[0].startswith("child ")


def test_many_calls_at_once_and_one_of_them_given_up() -> None:
    async def main() -> None:
        async with served(script("asking", "stdio"), mode="auto") as (client, _, _heard):
            calls = [asyncio.ensure_future(call(client, "add", a=n, b=1)) for n in range(50)]
            calls[7].cancel()
            answers = await asyncio.gather(*calls, return_exceptions=True)
            assert isinstance(answers.pop(7), asyncio.CancelledError)
            assert [answer["structuredContent"]["result"] for answer in answers] == [
                n + 1 for n in range(50) if n != 7
            ]

    asyncio.run(main())


def test_nothing_depends_on_the_main_thread_or_on_an_untouched_asyncio() -> None:
    program = f"""
import asyncio, sys, threading
sys.path.insert(0, {str(ROOT)!r})
import nest_asyncio
from tests.transports.servers.asking import build
from tests.transports.support import Client, call, script, served
from mcpapps_jupyter.transports import InProcessTransport

async def main():
    for mode in ("auto", "legacy"):
        async with served(script("asking", "stdio"), mode=mode) as (client, *_):
            assert (await call(client, "add", a=1, b=2))["structuredContent"] == {{"result": 3}}
        async with Client(InProcessTransport(build()), mode=mode) as client:
            assert (await call(client, "add", a=1, b=2))["structuredContent"] == {{"result": 3}}
    done.append(True)

done = []
for patch in (lambda: None, nest_asyncio.apply):
    patch()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_until_complete, args=(main(),))
    thread.start()
    thread.join()
assert done == [True, True]
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=100)
