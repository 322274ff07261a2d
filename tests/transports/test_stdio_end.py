"""How connections to server processes end, and that nothing of them stays behind."""

from __future__ import annotations

import asyncio
import sys

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest

from mcpapps_jupyter.errors import StartFailed
from mcpapps_jupyter.transports import StdioTransport
from tests.transports.support import (
    SERVERS,
    Heard,
    all_gone,
    call,
    enter,
    family,
    launch,
    runs,
    script,
    served,
    text_of,
    until,
)

LEAVING = str(SERVERS / "leaving.py")


def test_a_polite_server_leaves_when_its_stdin_ends() -> None:
    async def main() -> None:
        async with served(script("leaving", "flush")) as (client, transport, heard):
            await call(client, "echo", text="x")
            pid = transport.pid
        assert not runs(pid)
        assert heard.stderr == ["said good-bye"]
        assert heard.closed == []
        assert transport.failure is None

    asyncio.run(main())


def test_a_server_that_exits_by_itself_is_noticed_at_once_and_in_words() -> None:
    async def main() -> None:
        async with served(script("leaving")) as (client, transport, heard):
            waiting = asyncio.ensure_future(call(client, "exit", code=3))
            with pytest.raises(MCPError, match="exited with code 3"):
                await waiting
            assert heard.closed == [transport.failure]
            assert "exited with code 3; its last words: something is wrong here" in heard.closed[0]
            assert transport.stderr_tail == ["something is wrong here", "Traceback: this is the end"]
            with pytest.raises(MCPError):
                await call(client, "echo")
        assert len(heard.closed) == 1

    asyncio.run(main())


def test_nobody_has_to_call_to_learn_that_a_server_was_killed() -> None:
    async def main() -> None:
        async with served(script("leaving")) as (client, _, heard):
            waiting = asyncio.ensure_future(call(client, "abort"))
            await until(lambda: heard.closed, "the news")
            assert "SIGKILL" in heard.closed[0]
            with pytest.raises(MCPError, match="SIGKILL"):
                await waiting

    asyncio.run(main())


def test_a_server_that_closes_its_output_is_of_no_use() -> None:
    async def main() -> None:
        async with served(script("leaving")) as (client, transport, _heard):
            with pytest.raises(MCPError, match="closed its output"):
                await call(client, "mute")
            pid = transport.pid
            assert runs(pid)
        await all_gone([pid])

    asyncio.run(main())


def test_a_server_that_never_comes_up_says_why() -> None:
    async def main() -> None:
        heard = Heard()
        transport = StdioTransport(script("leaving", "refuse"), heard.hooks())
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the SDK's, of whatever type
            async with Client(transport):
                pass
        assert caught.value is not None
        assert transport.failure == "the server exited with code 1; its last words: a licence is missing"
        assert heard.closed == [transport.failure]

    asyncio.run(main())


@pytest.mark.parametrize("habits", [("deaf",), ("child",), ("deaf", "child")])
@pytest.mark.elsewhere("modelcontextprotocol/python-sdk#555")
def test_neither_deafness_nor_orphans_survive_a_stop(habits: tuple[str, ...]) -> None:
    async def main() -> None:
        async with served(script("leaving", *habits)) as (client, transport, heard):
            await call(client, "echo", text="x")
            pids = family(transport.pid)
            assert len(pids) == 1 + ("child" in habits)
        await all_gone(pids)
        assert heard.closed == []

    asyncio.run(main())


@pytest.mark.parametrize("habits", ["", "child", "deaf child"])
@pytest.mark.elsewhere("modelcontextprotocol/python-sdk#850")
def test_a_whole_tree_behind_a_shell_goes(habits: str) -> None:
    command = f"echo starting >&2; {sys.executable} {LEAVING} {habits}; echo never mind"

    async def main() -> None:
        async with served(launch("sh", "-c", command)) as (client, transport, _heard):
            assert text_of(await call(client, "echo", text="x")) == "x"
            pids = family(transport.pid)
            assert len(pids) == 2 + ("child" in habits)
        await all_gone(pids)

    asyncio.run(main())


def test_orphans_of_a_server_that_crashed_are_swept_at_once() -> None:
    async def main() -> None:
        async with served(script("leaving", "child")) as (client, transport, heard):
            pids = family(transport.pid)
            with pytest.raises(MCPError):
                await call(client, "exit")
            await all_gone(pids)  # while the connection is still open
            assert len(heard.closed) == 1

    asyncio.run(main())


def test_a_server_in_the_middle_of_a_call_is_stopped() -> None:
    async def main() -> None:
        async with served(script("leaving")) as (client, transport, heard):
            waiting = asyncio.ensure_future(call(client, "hang"))
            await until(lambda: len(heard.frames) > 3, "the call")
            pid = transport.pid
        await all_gone([pid])
        with pytest.raises(MCPError):
            await waiting
        assert heard.closed == []

    asyncio.run(main())


def test_in_a_hurry_several_stubborn_servers_end_together() -> None:
    async def one(ready: list[StdioTransport], go: asyncio.Event) -> list[int]:
        async with served(script("leaving", "deaf", "child")) as (client, transport, _heard):
            await call(client, "echo")
            pids = family(transport.pid)
            ready.append(transport)
            await go.wait()
        return pids

    async def main() -> None:
        ready: list[StdioTransport] = []
        go = asyncio.Event()
        tasks = [asyncio.ensure_future(one(ready, go)) for _ in range(4)]
        await until(lambda: len(ready) == 4, "four servers")
        go.set()
        await asyncio.sleep(0)
        for transport in ready:
            transport.hurry = True  # also one that already says good-bye at leisure
        await all_gone([pid for pids in await asyncio.gather(*tasks) for pid in pids])

    asyncio.run(main())


@pytest.mark.parametrize("scope", ["task", "anyio"])
def test_being_cancelled_leaves_nothing_behind(scope: str) -> None:
    seen: list[int] = []

    async def connection() -> None:
        async with served(script("leaving", "deaf", "child")) as (client, transport, _heard):
            transport.hurry = True
            await call(client, "echo")
            seen.extend(family(transport.pid))
            await asyncio.sleep(3600)

    async def main() -> None:
        if scope == "task":
            task = asyncio.ensure_future(connection())
            await until(lambda: seen, "the server")
            task.cancel()
            await asyncio.sleep(0)
            task.cancel()  # twice, as impatient people do
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            async with anyio.create_task_group() as group:
                group.start_soon(connection)
                await until(lambda: seen, "the server")
                group.cancel_scope.cancel()
        await all_gone(seen)

    asyncio.run(main())


def test_a_start_given_up_half_way_leaves_nothing_behind() -> None:
    async def main() -> None:
        heard = Heard()
        transport = StdioTransport(
            launch(sys.executable, "-c", "import time; time.sleep(3600)"), heard.hooks()
        )

        async def connect() -> None:
            async with Client(transport):
                pass

        task = asyncio.ensure_future(connect())
        await until(lambda: transport.pid, "the process")
        transport.hurry = True
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not runs(transport.pid)
        assert heard.closed == []

    asyncio.run(main())


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("npx-that-is-not-there",), "was not found on PATH"),
        ((str(SERVERS / "nowhere"),), "does not exist"),
        ((str(SERVERS / "plain.py"),), "not executable"),
        ((sys.executable, "nul\0byte"), "cannot be started"),
    ],
)
def test_what_cannot_be_started_is_said_in_words(command: tuple[str, ...], words: str) -> None:
    with pytest.raises(StartFailed, match=words):
        asyncio.run(enter(StdioTransport(launch(*command))))


def test_a_last_frame_without_a_line_end_counts() -> None:
    program = "import sys; sys.stdin.readline(); sys.stdout.write('%s')"
    frame = '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}'

    def request(number: int) -> SessionMessage:
        return SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=number, method="tools/list"))

    async def main() -> None:
        heard = Heard()
        async with StdioTransport(launch(sys.executable, "-c", program % frame), heard.hooks()) as (
            read,
            write,
        ):
            await write.send(request(1))
            answer = await read.receive()
            assert answer.message.result == {"tools": []}
            with pytest.raises(anyio.EndOfStream):
                await read.receive()
            with pytest.raises(anyio.BrokenResourceError):
                await write.send(request(2))
        assert "exited with code 0" in heard.closed[0]

    asyncio.run(main())


def test_stderr_is_told_by_line_and_kept_in_bounds() -> None:
    program = (
        "import sys; sys.stderr.write('50%\\r100%\\nlong ' + 'x' * 9000 + '\\n' + 'line\\n' * 900);"
        "sys.stderr.buffer.write(b'\\xff end')"
    )

    async def main() -> None:
        heard = Heard()
        transport = StdioTransport(launch(sys.executable, "-c", program), heard.hooks())
        async with transport:
            await until(lambda: heard.closed, "the end")
        assert heard.stderr[:2] == ["50%", "100%"]
        assert heard.stderr[2].startswith("long xxx")
        assert max(map(len, heard.stderr)) <= 4100
        assert heard.stderr[-1] == "\ufffd end"
        assert len(transport.stderr_tail) == 500

    asyncio.run(main())
