"""Keeps pages alive while a cell runs: our widgets' messages go to a kernel subshell of our own.

JupyterLab sends comm messages over a subshell, but ipykernel 7.3 and later routes them to the
shell that last published on the comm, which for a fresh widget is the busy main one. So the
kernel side creates one subshell and pins our comms to it. Every step uses private names of
ipykernel and is guarded: where one is missing, pages answer when the cell is done, as any widget.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import threading
from collections.abc import Callable
from typing import Any

_lock = threading.Lock()
_subshell: str | None = None


def _on_shell_channel(kernel: Any, work: Callable[[Any], Any]) -> Any:
    """Run `work(manager)` on the kernel's shell-channel thread, where subshells are managed."""
    thread = getattr(kernel, "shell_channel_thread", None)
    manager = getattr(thread, "manager", None)
    if thread is None or manager is None:
        return None
    outcome: concurrent.futures.Future[Any] = concurrent.futures.Future()

    def run() -> None:
        try:
            outcome.set_result(work(manager))
        except BaseException as error:  # noqa: BLE001 - handed to the waiting thread
            outcome.set_exception(error)

    thread.io_loop.add_callback(run)
    return outcome.result(timeout=2)


def pin(widget: Any, kernel: Any) -> bool:
    """Pin the comm of `widget` to our subshell, now and whenever it gets a new comm.

    Returns
    -------
    bool
        Whether its messages are answered during a blocking cell.
    """
    subshell = _ensure(kernel)

    def route(comm: Any) -> bool:
        if comm is None or not hasattr(comm, "_reply_subshell_for"):
            return False
        # Without a subshell of ours: at least undo the re-routing, which helps in Lab's default setting.
        comm._reply_subshell_for = lambda data, default: subshell or default
        return True

    widget.observe(lambda change: route(change["new"]), "comm")
    return route(widget.comm) and subshell is not None


def _ensure(kernel: Any) -> str | None:
    global _subshell
    with _lock:
        if _subshell is None and kernel is not None:
            with contextlib.suppress(Exception):
                made = _on_shell_channel(kernel, lambda manager: manager._create_subshell())
                _subshell = made if isinstance(made, str) else None
        return _subshell


def release(kernel: Any) -> None:
    """Delete our subshell, at unload."""
    global _subshell
    with _lock:
        mine, _subshell = _subshell, None
        if mine is not None:
            with contextlib.suppress(Exception):
                _on_shell_channel(kernel, lambda manager: manager._delete_subshell(mine))
