"""Servers do not outlive the process that started them, however that one ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from mcpapps_jupyter.transports import ProcessGuard
from tests.transports.support import all_gone, family, runs, script, served, until

ROOT = Path(__file__).parents[2]

KERNEL = """
import asyncio, os, sys
sys.path.insert(0, {root!r})
from mcp import Client
from mcpapps_jupyter.transports import ProcessGuard, StdioTransport
from tests.transports.support import family, script

async def one(guard, habits, ready):
    async with Client(StdioTransport(script("leaving", *habits), guard=guard), mode="legacy"):
        ready.append(habits)
        await asyncio.sleep(3600)

async def main():
    guard, ready = ProcessGuard(), []
    wanted = [("deaf",), ("child",), ("deaf", "child"), ()]
    tasks = [asyncio.ensure_future(one(guard, habits, ready)) for habits in wanted]
    while len(ready) < len(wanted):
        await asyncio.sleep(0.01)
    print(guard.pid, *family(os.getpid()), flush=True)
    {then}
    await asyncio.sleep(3600)

asyncio.run(main())
"""


@pytest.fixture
def kernels() -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def start_kernel(kernels: list[subprocess.Popen[str]], then: str = "pass") -> tuple[int, list[int]]:
    """Start a process with four servers; return the guard's id, and those of all the others."""
    program = KERNEL.format(root=str(ROOT), then=then)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    kernels.append(process)
    assert process.stdout
    guard, *pids = map(int, process.stdout.readline().split())
    assert len(pids) == 8  # the process, the guard, four servers and two children of theirs
    return guard, [pid for pid in pids if pid != guard]


@pytest.mark.parametrize("how", ["alone", "its group"])
def test_kill_9_leaves_no_server_and_no_guard(kernels: list[subprocess.Popen[str]], how: str) -> None:
    guard, pids = start_kernel(kernels)
    kernel = kernels[0].pid
    if how == "alone":
        os.kill(kernel, signal.SIGKILL)
    else:
        os.killpg(kernel, signal.SIGKILL)  # what a restart of a kernel does
    asyncio.run(all_gone([guard, *pids]))


def test_a_forked_child_that_holds_the_pipe_does_not_keep_servers_alive(
    kernels: list[subprocess.Popen[str]],
) -> None:
    fork = """child = os.fork()
    if child == 0:
        import time; time.sleep(3600)
    print(child, flush=True)"""
    guard, pids = start_kernel(kernels, fork)
    assert kernels[0].stdout
    forked = int(kernels[0].stdout.readline())
    try:
        os.kill(kernels[0].pid, signal.SIGKILL)
        asyncio.run(all_gone([guard, *pids]))
        assert runs(forked)
    finally:
        os.kill(forked, signal.SIGKILL)


def test_the_guard_ignores_what_ends_the_kernel_first(kernels: list[subprocess.Popen[str]]) -> None:
    guard, pids = start_kernel(kernels)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(guard, number)
    os.kill(kernels[0].pid, signal.SIGTERM)
    asyncio.run(all_gone([guard, *pids]))


def test_a_stopped_server_is_forgotten_and_a_closed_guard_is_gone() -> None:
    async def main() -> None:
        guard = ProcessGuard()
        assert guard.pid is None
        async with served(script("plain"), guard=guard):
            pid = guard.pid
            assert runs(pid)
            async with served(script("plain"), guard=guard):
                assert guard.pid == pid  # one for all
        assert runs(pid)
        guard.close()
        await all_gone([pid])

    asyncio.run(main())


def test_closing_the_guard_ends_what_is_left() -> None:
    async def main() -> None:
        guard = ProcessGuard()
        async with served(script("leaving", "deaf", "child"), guard=guard) as (_, transport, heard):
            pids = family(transport.pid)
            guard.close()
            await all_gone(pids)
            await until(lambda: heard.closed, "the news")

    asyncio.run(main())


def test_a_guard_that_was_killed_is_replaced() -> None:
    async def main() -> None:
        guard = ProcessGuard()
        async with served(script("plain"), guard=guard) as (_, first, _heard):
            psutil.Process(guard.pid).kill()
            await until(lambda: not runs(guard.pid), "the guard's end")
            async with served(script("leaving", "deaf"), guard=guard) as (_, second, _heard):
                pids = [first.pid, second.pid]
                guard.close()
                await all_gone(pids)

    asyncio.run(main())


def test_without_an_interpreter_there_is_no_guard_and_no_error() -> None:
    guard = ProcessGuard(python="/no/such/interpreter")
    guard.watch(12345678)
    guard.forget(12345678)
    assert guard.pid is None
    guard.close()
