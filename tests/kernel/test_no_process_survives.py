"""Servers and the kernel's end: whatever ends it, no process of ours stays."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

from tests.core.support import SERVERS
from tests.lean import lean

SERVER = """
import runpy, subprocess, sys

# A child of its own that nobody ends: what a wrapper such as npx leaves behind.
subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)  # {mark}"])
runpy.run_path({by_hand!r}, run_name="__main__")
"""
JS = Path(__file__).resolve().parents[2] / "js"
NPX = ["npx", "--no-install", "mcp-server-basic-vanillajs", "--stdio"]
#: How the apps are started; those by npx need Node.js.
WAYS = ["by-hand", pytest.param("npx", marks=pytest.mark.npm)]


@pytest.fixture
def mark(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A word in the command lines of this test's processes."""
    return f"mcpapps-test-{os.getpid()}-{tmp_path.name}"


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    env = {
        **lean(os.environ),
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
    }
    manager, client = start_new_kernel(kernel_name="python3", env=env, cwd=str(tmp_path))
    yield manager, client
    client.stop_channels()
    if manager.is_alive():
        manager.shutdown_kernel(now=True)


def run(client: BlockingKernelClient, code: str) -> None:
    reply = client.execute_interactive(
        textwrap.dedent(code), timeout=60, output_hook=lambda _: None, allow_stdin=False
    )
    assert reply["content"]["status"] == "ok", "\n".join(reply["content"].get("traceback", []))


def processes(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        words = " ".join(process.info["cmdline"] or [])
        if mark in words and process.info["status"] != psutil.STATUS_ZOMBIE and process.pid != os.getpid():
            found.append(process)
    return found


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 15) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.05)


def start_servers(client: BlockingKernelClient, mark: str, tmp_path: Path, way: str = "by-hand") -> None:
    """Three apps: a server, one deaf to SIGTERM, one behind a shell; each with a child. Or all by npx."""
    script = tmp_path / f"server-{mark}.py"
    script.write_text(SERVER.format(mark=mark, by_hand=str(SERVERS / "by_hand.py")))
    server = [sys.executable, str(script)]
    commands = {
        "plain": server,
        "deaf": [*server, "deaf"],
        "shell": ["sh", "-c", f"{shlex.join(server)}; true"],
    }
    fields = {}
    if way == "npx":
        commands, fields = {app_id: [*NPX, mark] for app_id in commands}, {"workingDirectory": str(JS)}
    run(
        client,
        f"""
        import mcpapps_jupyter as mcpapps
        host = mcpapps.get_host()
        for app_id, command in {commands!r}.items():
            host.add(command, id=app_id, **{fields!r})
        failed = {{k: v for k, v in host.start_all().items() if v and k in {list(commands)!r}}}
        assert not failed, failed
        assert host["plain"].tools
        """,
    )
    wait_until(lambda: len(processes(mark)) >= 6, "three servers and their children run")


@pytest.mark.parametrize("way", WAYS)
def test_kill_9_of_the_kernel(
    kernel: tuple[KernelManager, BlockingKernelClient], mark: str, tmp_path: Path, way: str
) -> None:
    manager, client = kernel
    start_servers(client, mark, tmp_path, way)
    os.kill(manager.provisioner.pid, signal.SIGKILL)
    wait_until(lambda: not processes(mark), "every process of the killed kernel is gone")


@pytest.mark.parametrize("way", WAYS)
def test_sigterm_of_the_kernel(
    kernel: tuple[KernelManager, BlockingKernelClient], mark: str, tmp_path: Path, way: str
) -> None:
    manager, client = kernel
    start_servers(client, mark, tmp_path, way)
    os.kill(manager.provisioner.pid, signal.SIGTERM)
    wait_until(lambda: not processes(mark), "every process of the ended kernel is gone")


@pytest.mark.timeout(300)
def test_ten_restarts_of_the_kernel(
    kernel: tuple[KernelManager, BlockingKernelClient], mark: str, tmp_path: Path
) -> None:
    manager, client = kernel
    for _ in range(10):
        start_servers(client, mark, tmp_path)
        manager.restart_kernel()
        client.wait_for_ready(timeout=60)
    wait_until(lambda: not processes(mark), "every process of ten restarted kernels is gone")


@pytest.mark.parametrize("way", WAYS)
def test_stop_restart_and_unload(
    kernel: tuple[KernelManager, BlockingKernelClient], mark: str, tmp_path: Path, way: str
) -> None:
    _, client = kernel
    start_servers(client, mark, tmp_path, way)
    before = {process.pid for process in processes(mark)}
    run(client, "host['plain'].restart(); host['deaf'].stop(); host['shell'].stop()")
    wait_until(
        lambda: not before & {process.pid for process in processes(mark)}, "none of the first ones is left"
    )
    assert len(processes(mark)) >= 2, "the restarted server and its child"
    run(client, "from mcpapps_jupyter.host import drop_host; drop_host()")
    wait_until(lambda: not processes(mark), "nothing is left after unloading")
