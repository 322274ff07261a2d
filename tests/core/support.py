"""What the tests of the core share: waiting for a condition, and a host of its own for each test."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

SERVERS = Path(__file__).with_name("servers")
WAIT = 60.0


def until(condition: Callable[[], Any], what: str = "the condition") -> Any:
    """Wait for `condition`; gives what it gave."""
    deadline = time.monotonic() + WAIT
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {WAIT} s in vain for {what}"
        time.sleep(0.01)
    return value


def command(script: str, *arguments: str) -> list[str]:
    """The command line of one of our server scripts."""
    return [sys.executable, str(SERVERS / f"{script}.py"), *arguments]


def runs(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
