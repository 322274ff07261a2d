"""Handing work to the host's threads, from wherever a cell may run."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from mcpapps_jupyter.errors import McpAppsError, RequestTimeout
from mcpapps_jupyter.host_thread import HostThread, LoopThread
from tests.core.support import until


@pytest.fixture
def thread() -> Iterator[HostThread]:
    host = HostThread()
    yield host
    host.stop()


async def double(value: int) -> int:
    await asyncio.sleep(0)
    return 2 * value


def ours() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name.startswith("mcpapps-")]


def test_run_blocks_and_gives_the_outcome(thread: HostThread) -> None:
    assert thread.run(double(2)) == 4


def test_nothing_runs_before_the_first_need() -> None:
    thread = HostThread()
    assert not thread.sessions.started
    thread.stop()
    assert not thread.sessions.started


def test_submitted_work_can_be_awaited_on_another_loop(thread: HostThread) -> None:
    async def cell() -> list[int]:
        return list(await asyncio.gather(*(thread.submit(double(n)) for n in range(3))))

    assert asyncio.run(cell()) == [0, 2, 4]


def test_errors_come_through_and_a_timeout_of_the_work_is_not_ours(thread: HostThread) -> None:
    async def late() -> None:
        raise RequestTimeout("too late")

    with pytest.raises(RequestTimeout, match="too late"):
        thread.run(late())


def test_blocking_on_the_session_loop_says_what_to_await(thread: HostThread) -> None:
    async def nested() -> int:
        return thread.run(double(1))

    with pytest.raises(McpAppsError, match="Await the a… form"):
        thread.run(nested())


def test_cancelling_submitted_work_cancels_the_task(thread: HostThread) -> None:
    cancelled = threading.Event()

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    work = thread.submit(wait())
    thread.run(double(1))
    assert work.cancel()
    assert cancelled.wait(10)
    assert work.wait_over(10)


def test_work_cancelled_before_it_began_leaves_no_warning(thread: HostThread) -> None:
    release = threading.Event()
    thread.sessions.call_soon(release.wait, 10)
    work = thread.submit(double(1))
    work.cancel()
    release.set()
    assert work.wait_over(10)


def test_a_blocked_async_handler_does_not_hold_up_the_next_one(thread: HostThread) -> None:
    # The handler blocks its own loop; what it waits for asks a second handler.
    async def inner(value: int) -> int:
        return value + 1

    async def outer(value: int) -> int:
        return thread.run(thread.call_handler(inner, value))

    assert thread.submit(thread.call_handler(outer, 1)).result(10) == 2


@pytest.mark.parametrize("kind", ["def", "async def", "def that returns an awaitable"])
def test_handlers_run_away_from_the_session_loop(thread: HostThread, kind: str) -> None:
    def plain() -> str:
        return threading.current_thread().name

    async def coroutine() -> str:
        return threading.current_thread().name

    def gives_awaitable() -> object:
        return coroutine()

    handler = {"def": plain, "async def": coroutine}.get(kind, gives_awaitable)
    name = thread.run(thread.call_handler(handler))
    assert name.startswith("mcpapps-handler")


def test_stop_ends_every_thread_of_ours_and_a_later_call_starts_anew() -> None:
    thread = HostThread()
    thread.run(thread.call_handler(lambda: 1))
    thread.run(thread.on_handlers(lambda: 1))
    mine = [thread.sessions._thread, thread.handlers._thread]

    async def in_default_executor() -> None:
        await asyncio.get_running_loop().run_in_executor(None, time.sleep, 0)

    thread.run(in_default_executor())
    thread.stop()
    assert not any(each.is_alive() for each in mine)
    assert not [name for name in ours() if "worker" in name or "handler_" in name]
    assert thread.run(double(1)) == 2
    thread.stop()


def test_late_news_for_a_stopped_loop_is_dropped_and_starts_nothing() -> None:
    thread = LoopThread("mcpapps-test")
    _ = thread.loop
    thread.stop()
    thread.call_soon(print, "never")
    assert not thread.started


def test_whoever_waits_when_the_host_stops_is_told() -> None:
    thread = HostThread()
    caught: list[BaseException] = []

    def cell() -> None:
        try:
            thread.run(asyncio.sleep(60))
        except BaseException as error:
            caught.append(error)

    waiting = threading.Thread(target=cell)
    waiting.start()
    until(lambda: thread.sessions.started, "the loop")
    thread.run(double(1))
    thread.stop()
    waiting.join(10)
    assert [type(error) for error in caught] == [McpAppsError]


_INTERRUPTED = """
import asyncio, sys
from mcpapps_jupyter.host_thread import HostThread
thread = HostThread()
steps = []
async def work():
    try:
        print("begun", flush=True)
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(0.05)
        steps.append("cleared away")
try:
    thread.run(work())
except KeyboardInterrupt:
    print("interrupted", steps, flush=True)
thread.stop()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_cancels_and_waits_until_it_is_cleared_away() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _INTERRUPTED], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    assert process.stderr is not None
    process.send_signal(signal.SIGINT)
    assert process.stdout.read() == "interrupted ['cleared away']\n"
    assert process.stderr.read() == ""
    process.wait(30)
