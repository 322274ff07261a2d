"""A server's process with all its descendants, and how to end them.

Run as a script this file is the guard: a small process that outlives the kernel just long enough to end
the servers the kernel left behind. Therefore it imports nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol


class ProcessTree(Protocol):
    """A process and what it started."""

    pid: int

    def alive(self) -> bool:
        """Whether any of it is known to run."""

    def terminate(self) -> None:
        """Ask it to end."""

    def kill(self) -> None:
        """End it."""


class PosixGroup:
    """A process group, led by the server: a signal reaches every member, orphans included.

    A member that starts a session of its own leaves the group and is not followed.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def alive(self) -> bool:
        """Whether the group has members; a dead one that nobody has reaped yet counts."""
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass  # somebody is there, and it is not ours to signal
        return True

    def terminate(self) -> None:
        """Send SIGTERM to every member."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL to every member."""
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


class WindowsTree:
    """A process tree on Windows, ended by ``taskkill /T``.

    Windows has no groups that outlive their leader: once the server itself is gone, what it started can
    no longer be found.

    Parameters
    ----------
    pid
        The server's process id.
    run, running
        How commands are run and processes looked up.
    """

    def __init__(
        self,
        pid: int,
        run: Callable[..., Any] = subprocess.run,
        running: Callable[[int], bool] | None = None,
    ) -> None:
        self.pid = pid
        self._run = run
        self._running = running or _runs_on_windows

    def alive(self) -> bool:
        """Whether the server itself runs."""
        return self._running(self.pid)

    def terminate(self) -> None:
        """Do nothing: a console process on Windows cannot be asked."""

    def kill(self) -> None:
        """End the server and what it started."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._run(
                ["taskkill", "/T", "/F", "/PID", str(self.pid)],
                capture_output=True,
                timeout=5,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                check=False,
            )


def _runs_on_windows(pid: int) -> bool:
    import ctypes

    synchronize, wait_timeout = 0x0010_0000, 0x102
    kernel32 = vars(ctypes)["windll"].kernel32
    handle = kernel32.OpenProcess(synchronize, False, pid)
    if not handle:
        return False
    try:
        return bool(kernel32.WaitForSingleObject(handle, 0) == wait_timeout)
    finally:
        kernel32.CloseHandle(handle)


def process_tree(pid: int, platform: str = os.name) -> ProcessTree:
    """Return the tree led by `pid`, a process started with :func:`spawn_options`."""
    return WindowsTree(pid) if platform == "nt" else PosixGroup(pid)


def spawn_options(platform: str = os.name) -> dict[str, Any]:
    """Return the ``subprocess`` options that make a server the leader of its own tree."""
    if platform == "nt":
        flags = ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW")  # no Ctrl-C of the kernel's, no console
        return {"creationflags": sum(getattr(subprocess, flag, 0) for flag in flags)}
    return {"start_new_session": True}


def end_trees(trees: list[ProcessTree], grace: float) -> None:
    """Ask all `trees` to end, and kill what is left after `grace` seconds."""
    for tree in trees:
        tree.terminate()
    deadline = time.monotonic() + grace
    while (trees := [tree for tree in trees if tree.alive()]) and time.monotonic() < deadline:
        time.sleep(0.02)
    for tree in trees:
        tree.kill()


def _guard(parent: int, grace: float = 0.5) -> None:
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # what ends the kernel must not end its guard first
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    watched: set[int] = set()
    done = threading.Event()

    def listen() -> None:
        for line in sys.stdin.buffer:
            with contextlib.suppress(ValueError):
                pid = int(line[1:])
                (watched.add if line[:1] == b"+" else watched.discard)(pid)
        done.set()

    threading.Thread(target=listen, daemon=True).start()
    # A child that the kernel forked may keep our pipe open: look at the parent as well.
    while not done.wait(1.0) and (os.name == "nt" or os.getppid() == parent):
        pass
    end_trees([process_tree(pid) for pid in sorted(watched)], grace)


if __name__ == "__main__":
    _guard(int(sys.argv[1]))
    os._exit(0)  # the listening thread may still sit in a read
