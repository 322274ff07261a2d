"""Whole programs that use the host: loops, Ctrl-C, exits, imports, and nothing printed by the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.core.support import SERVERS, command, runs, until

HEAD = """
import asyncio, json, os, sys, threading
sys.path.insert(0, {servers!r})
import mcpapps_jupyter as mcpapps
from mcpapps_jupyter import McpAppsError
host = mcpapps.get_host()
quick = {quick!r}
lab = {lab!r}
"""


@pytest.fixture
def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "MCPAPPS_HEADLESS": "1"}


def script(code: str) -> list[str]:
    head = HEAD.format(servers=str(SERVERS), quick=command("by_hand"), lab=command("lab"))
    return [sys.executable, "-c", head + textwrap.dedent(code)]


def run(code: str, environment: dict[str, str], folder: Path) -> str:
    """Run a program; gives what it printed, which is all that was printed."""
    done = subprocess.run(
        script(code), cwd=folder, env=environment, capture_output=True, text=True, timeout=100
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


@pytest.mark.elsewhere("ipython/ipykernel#1289")
def test_nothing_but_the_answer_is_printed(environment: dict[str, str], folder: Path) -> None:
    code = """
    from lab import build
    one = host.add(build(), id="one", protocol="legacy")
    two = host.add(lab, id="two")
    print(one.call("add", a=1).data, two.call("add", a=2).data)
    for app in (one, two):
        app.call("say", text="x", stderr=app is two)  # the SDK warns about that, visibly by default
        assert app.call("fail").is_error              # and logs a traceback for this
        app.call("grow", name="more")
    noisy = host.add([*quick, "banner"], id="noisy")
    print(noisy.call("add", a=3).data)
    try:
        noisy.call("crash")
    except McpAppsError as error:
        print(type(error).__name__)
    """
    assert run(code, environment, folder) == "2 3\n4\nConnectionLost\n"


@pytest.mark.parametrize("when", ["before", "after", "twice"])
@pytest.mark.elsewhere("PrefectHQ/fastmcp#1080")
def test_with_nest_asyncio_applied_by_the_user(environment: dict[str, str], folder: Path, when: str) -> None:
    code = f"""
    import nest_asyncio
    from lab import build
    if {when!r} != "after":
        nest_asyncio.apply()
    app = host.add(quick, id="app").start()
    if {when!r} != "before":
        nest_asyncio.apply()
    mine = host.add(build(), id="mine")
    host.on_elicitation(lambda question: {{"colour": "red"}})

    async def cell():
        await asyncio.sleep(0)
        inner = mine.call("add", a=1).data
        return [inner, (await app.acall("add", a=2)).data, asyncio.run(again()), mine.call("resolve").data]

    async def again():
        return (await mine.acall("add", a=3)).data

    print(asyncio.run(cell()))
    app.restart()
    app.stop()
    print(app.state)
    host.close()
    """
    assert run(code, environment, folder) == "[2, 3, 4, 'resolved red']\nStopped\n"


def test_blocking_calls_on_the_session_loop(environment: dict[str, str], folder: Path) -> None:
    code = """
    app = host.add(quick, id="app").start()

    async def on_our_loop():
        return app.call("add", a=1).data

    try:
        host.thread.run(on_our_loop())
    except McpAppsError as error:
        print("acall" in str(error))
    print("nest_asyncio" in sys.modules)
    mcpapps.configure(allow_nested_calls=True)
    print(host.thread.run(on_our_loop()))
    """
    assert run(code, environment, folder) == "True\nFalse\n2\n"


def test_importing_is_light(environment: dict[str, str], folder: Path) -> None:
    code = """
    heavy = "mcp mcp_types jsonschema anywidget ipywidgets IPython nest_asyncio pandas uvicorn httpx2"
    print([name for name in heavy.split() if name in sys.modules])
    print([thread.name for thread in threading.enumerate()])
    repr(host.apps)
    print([name for name in heavy.split() if name in sys.modules])
    """
    assert run(code, environment, folder) == "[]\n['MainThread']\n[]\n"


@pytest.mark.parametrize("how", ["falls off the end", "sys.exit", "an exception"])
def test_a_program_that_ends_leaves_no_process(environment: dict[str, str], folder: Path, how: str) -> None:
    ending = {"falls off the end": "", "sys.exit": "sys.exit(0)", "an exception": "raise SystemExit(0)"}[how]
    code = f"""
    deaf = host.add([*quick, "deaf"], id="deaf")
    print(deaf.call("pid").data, host.add(quick, id="app").call("pid").data, flush=True)
    {ending}
    """
    pids = [int(word) for word in run(code, environment, folder).split()]
    assert len(pids) == 2
    until(lambda: not any(map(runs, pids)), "the end of the servers")


class Program:
    """A program that runs, to be interrupted."""

    def __init__(self, code: str, environment: dict[str, str], folder: Path) -> None:
        self.process = subprocess.Popen(
            script(code),
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def rest(self) -> str:
        """What else it prints to its end; not `communicate`, which would miss what was read ahead."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        out, err = self.process.stdout.read(), self.process.stderr.read()
        self.process.wait(60)
        assert err == ""
        return out


def test_ctrl_c_during_a_start_leaves_stopped_and_no_process(
    environment: dict[str, str], folder: Path
) -> None:
    journal = folder / "journal"
    code = f"""
    app = host.add([*quick, "mute", {str(journal)!r}], id="mute")
    print("ready", flush=True)
    try:
        app.start()
    except KeyboardInterrupt:
        print(app.state, flush=True)
    app.stop()
    print(app.state)
    """
    program = Program(code, environment, folder)
    assert program.line() == "ready"
    pid = int(until(lambda: journal.exists() and journal.read_text().partition("\n")[0], "the server"))
    until(lambda: "server/discover" in journal.read_text(), "the first request")
    program.interrupt()
    assert program.line() == "Stopped"
    assert not runs(pid)
    assert program.rest() == "Stopped\n"


def test_ctrl_c_during_a_call_cancels_it_at_the_server(environment: dict[str, str], folder: Path) -> None:
    journal = folder / "journal"
    code = f"""
    app = host.add([*quick, "", {str(journal)!r}], id="app").start()
    try:
        app.call("hang")
    except KeyboardInterrupt:
        print("interrupted", app.call("add", a=1).data, flush=True)
    """
    program = Program(code, environment, folder)
    until(lambda: journal.exists() and '"hang"' in journal.read_text(), "the call")
    program.interrupt()
    assert program.rest() == "interrupted 2\n"
    frames = [json.loads(line) for line in journal.read_text().splitlines() if line.startswith("{")]
    (asked,) = [f["id"] for f in frames if f.get("params", {}).get("name") == "hang"]
    assert [f["params"]["requestId"] for f in frames if f.get("method") == "notifications/cancelled"] == [
        asked
    ]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("way", ["os.fork", "multiprocessing"])
@pytest.mark.parametrize("started", [True, False])
def test_a_fork_of_the_kernel_is_told_and_ends_nothing(
    environment: dict[str, str], folder: Path, way: str, started: bool
) -> None:
    code = """
    import gc, multiprocessing
    from lab import build
    host.add(quick, id="quick")
    host.add(build(), id="mine")
    apps = host["quick"], host["mine"]
    pids = [app.call("count" if app.id == "mine" else "pid").data for app in apps] if STARTED else []
    under_way = host["quick"].acall("hang") if STARTED else None

    def child():
        gc.disable()
        for app in apps:
            for use in (lambda: app.call("add", a=1), lambda: app.astart(), lambda: app.restart(), app.stop):
                try:
                    use()
                except McpAppsError as error:
                    assert str(error).startswith("this process is a fork of the kernel; "), error
                else:
                    assert not STARTED and use == app.stop, "it had to raise"
        if under_way is not None:
            try:
                under_way.result()
            except McpAppsError as error:
                assert "fork" in str(error)
        assert host.tools.call("add", {"a": 1}).startswith("Error: this process is a fork")
        repr(host.apps), repr(apps[0].info()), repr(host)
        host.close()
        gc.enable()
        gc.collect()
        print("the child is done", flush=True)

    sys.stdout.flush()
    if WAY == "os.fork":
        if not (pid := os.fork()):
            child()
            sys.exit(0)  # with all that runs at an exit
        assert os.waitpid(pid, 0)[1] == 0
    else:
        process = multiprocessing.get_context("fork").Process(target=child)
        process.start()
        process.join()
        assert process.exitcode == 0
    for app in apps:
        assert app.call("add", a=1).data == 2
    if STARTED:
        assert apps[0].call("pid").data == pids[0]
        assert apps[1].call("count").data == 2, "the same session"
    """
    told = run(code.replace("STARTED", str(started)).replace("WAY", repr(way)), environment, folder)
    assert told == "the child is done\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_that_lives_on_keeps_no_server_of_a_killed_kernel_alive(
    environment: dict[str, str], folder: Path
) -> None:
    code = """
    import time
    server = host.add([*quick, "deaf"], id="deaf").call("pid").data
    if not (pid := os.fork()):
        time.sleep(600)
        os._exit(0)
    print(server, pid, flush=True)
    time.sleep(600)
    """
    kernel = subprocess.Popen(script(code), cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    assert kernel.stdout is not None
    server, fork = map(int, kernel.stdout.readline().split())
    try:
        kernel.kill()
        kernel.wait(30)
        until(lambda: not runs(server), "the server's end")
        assert runs(fork)
    finally:
        kernel.kill()
        os.kill(fork, signal.SIGKILL)
        kernel.stdout.close()
