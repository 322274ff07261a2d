"""The parent's side of the guard that ends servers when the kernel dies."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

from mcpapps_jupyter.transports import process_tree

logger = logging.getLogger(__name__)


class ProcessGuard:
    """One small process per kernel that ends the kernel's servers when the kernel is gone.

    A kernel may be killed without a chance to clean up, and its servers live in sessions of their own.
    The guard hears about them through a pipe; the pipe's end means that the kernel is gone, however it
    went. It starts with the first server. All methods may be called from any thread.

    Parameters
    ----------
    python
        The interpreter that runs the guard; this one by default.
    """

    def __init__(self, python: str | None = None) -> None:
        self._python = python or sys.executable
        self._process: subprocess.Popen[bytes] | None = None
        self._watched: set[int] = set()
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The guard's process id, or None while there is none."""
        return self._process.pid if self._process else None

    def watch(self, pgid: int) -> None:
        """End the tree led by `pgid` if this process dies."""
        with self._lock:
            self._watched.add(pgid)
            self._tell(f"+{pgid}\n")

    def forget(self, pgid: int) -> None:
        """Stop watching `pgid`; its number may soon belong to somebody else."""
        with self._lock:
            if pgid in self._watched:
                self._watched.discard(pgid)
                self._tell(f"-{pgid}\n")

    def close(self, timeout: float = 1.5) -> None:
        """End what is still watched, and the guard; wait for that at most `timeout` seconds."""
        with self._lock:
            process, self._process, self._closed = self._process, None, True
            self._watched.clear()
        if process is None or os.getpid() != self._owner:
            return
        with contextlib.suppress(OSError):
            if process.stdin:
                process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):  # still busy ending servers: let it
            process.wait(timeout)

    def _tell(self, message: str) -> None:
        if self._closed or os.getpid() != self._owner:  # a forked copy of us owns no servers
            return
        if self._process is None or self._process.poll() is not None:
            message = "".join(f"+{pgid}\n" for pgid in sorted(self._watched))
            self._process = self._start() if message else None
        if self._process is None or self._process.stdin is None:
            return
        try:
            self._process.stdin.write(message.encode())
            self._process.stdin.flush()
        except OSError:
            logger.debug("the process guard does not listen", exc_info=True)

    def _start(self) -> subprocess.Popen[bytes] | None:
        script = Path(process_tree.__file__)
        try:
            return subprocess.Popen(  # noqa: S603 - our own file, by this interpreter
                [self._python, "-I", "-S", str(script), str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                **process_tree.spawn_options(),
            )
        except (OSError, ValueError):
            logger.debug("the process guard cannot be started", exc_info=True)
            return None
