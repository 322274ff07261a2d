"""A server as a child process: newline-delimited JSON-RPC over its stdin and stdout."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.message import SessionMessage

from mcpapps_jupyter.errors import StartFailed
from mcpapps_jupyter.transports.command import find_command
from mcpapps_jupyter.transports.frames import LineSplitter, Oversize, encode
from mcpapps_jupyter.transports.guard import ProcessGuard
from mcpapps_jupyter.transports.hooks import Hooks, notify
from mcpapps_jupyter.transports.leaving import Leaving, to_the_end
from mcpapps_jupyter.transports.process_tree import ProcessTree, process_tree, spawn_options
from mcpapps_jupyter.transports.streams import Inbox, Outbox
from mcpapps_jupyter.transports.wire import Wire

if TYPE_CHECKING:
    from mcpapps_jupyter.manifest import Launch

# Seconds. A server has GRACE to leave after its stdin closed, then TERM after SIGTERM, then it is killed.
_GRACE, _TERM = 2.0, 1.0
_HURRIED_GRACE, _HURRIED_TERM = 0.4, 0.4
_REAP = 1.0
_LAST_WORDS = 0.5  # for pipes to run dry after the exit; an orphan may hold them open for ever
_POLL = 0.02

_STDERR_LINES, _STDERR_LINE = 500, 4096
_TOLD_LINES = 3


class StdioTransport(Leaving):
    """Start a server, speak with it over its pipes, and leave nothing of it behind.

    Enter it as an async context manager, as ``mcp.Client(server=…)`` does. On the way out stdin is
    closed, then the whole process tree is asked to end and finally killed; that takes some seconds at
    most, and about one with :attr:`hurry`.

    Parameters
    ----------
    launch
        What to run, complete with its environment.
    hooks
        Who is told what happens.
    guard
        Ends the server if this process dies; None for none.
    """

    def __init__(self, launch: Launch, hooks: Hooks | None = None, guard: ProcessGuard | None = None) -> None:
        super().__init__()
        self._launch = launch
        self._hooks = hooks or Hooks()
        self._guard = guard
        self._inbox = Inbox(on_full=self._pause, on_low=self._resume)
        self._outbox = Outbox(self._send)
        self._wire = Wire(self._hooks, self._inbox)
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self._pipes: _Pipes | None = None
        self._tree: ProcessTree | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._closing = False
        #: Why the server went away by itself, in words; None while it has not.
        self.failure: str | None = None

    @property
    def pid(self) -> int | None:
        """The server's process id, which is its process group too; None before the start."""
        return self._tree.pid if self._tree else None

    @property
    def stderr_tail(self) -> list[str]:
        """The last lines of the server's stderr, oldest first."""
        return list(self._stderr)

    async def __aenter__(self) -> tuple[Inbox, Outbox]:
        """Start the server.

        Raises
        ------
        StartFailed
            It cannot be started; why, in words.
        """
        program, environment = find_command(self._launch)
        loop = asyncio.get_running_loop()
        pipes = self._pipes = _Pipes(self)
        try:
            await loop.subprocess_exec(
                lambda: pipes,
                program,
                *self._launch.arguments,
                cwd=self._launch.cwd,
                env=environment,
                **spawn_options(),
            )
        except NotImplementedError:
            raise StartFailed(
                "This event loop cannot start processes (Windows: a Proactor loop can)."
            ) from None
        except (OSError, ValueError) as error:
            raise StartFailed(f"{self._launch.command!r} cannot be started: {error}.") from error
        except BaseException:  # cancelled half-way: the process may exist already
            await to_the_end(self._stop())
            raise
        self._watcher = loop.create_task(self._watch(pipes))
        return self._inbox, self._outbox

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the server and everything it started, even when cancelled meanwhile."""
        await to_the_end(self._stop())

    # -- traffic ------------------------------------------------------------------------------------

    async def _send(self, message: SessionMessage) -> None:
        line = encode(self._wire.outgoing(message.message)) + b"\n"
        if self._pipes is None or not self._pipes.write(line):
            raise anyio.BrokenResourceError
        await self._pipes.writable.wait()

    def started(self, pid: int) -> None:
        """Take charge of the process; called before anything of it is read."""
        self._tree = process_tree(pid)
        if self._guard is not None:
            self._guard.watch(pid)

    def stdout_lines(self, lines: list[bytes | Oversize]) -> None:
        """Take in complete lines of the server's stdout."""
        notify(self._hooks.on_activity)
        for line in lines:
            self._wire.line(line)

    def stderr_lines(self, lines: list[bytes | Oversize]) -> None:
        """Take in complete lines of the server's stderr."""
        notify(self._hooks.on_activity)
        for line in lines:
            data = line.head + b" ..." if isinstance(line, Oversize) else line
            if text := data.decode("utf-8", "replace").rstrip():
                self._stderr.append(text)
                notify(self._hooks.on_stderr, text)

    def _pause(self) -> None:
        if self._pipes:
            self._pipes.pause_stdout()

    def _resume(self) -> None:
        if self._pipes:
            self._pipes.resume_stdout()

    # -- the end ------------------------------------------------------------------------------------

    async def _watch(self, pipes: _Pipes) -> None:
        """Wait for the server to go away by itself; then say so, and sweep up what it left."""
        await _first(pipes.exited, pipes.stdout_closed)
        with anyio.move_on_after(_LAST_WORDS):
            for event in (pipes.exited, pipes.stdout_closed, pipes.stderr_closed):
                await event.wait()
        pipes.flush()
        if self._closing:
            return
        self.failure = self._why(pipes)
        self._wire.end(self.failure)
        notify(self._hooks.on_closed, self.failure)
        if pipes.exited.is_set():
            await self._sweep(pipes)

    def _why(self, pipes: _Pipes) -> str:
        code = pipes.returncode
        if code is None:
            what = "the server closed its output but keeps running"
        elif code < 0:
            what = f"the server was ended by {_signal_name(-code)}"
        else:
            what = f"the server exited with code {code}"
        said = " | ".join(list(self._stderr)[-_TOLD_LINES:])
        return f"{what}; its last words: {said}" if said else what

    async def _stop(self) -> None:
        pipes = self._pipes
        if self._closing or pipes is None:
            return
        self._closing = True
        self._inbox.end()
        pipes.resume_stdout()  # a server that cannot write its last words does not exit
        pipes.close_stdin()
        await self._within(_GRACE, _HURRIED_GRACE, pipes.exited.wait())
        await self._sweep(pipes)
        if self._watcher is not None:
            await asyncio.wait([self._watcher], timeout=2 * _LAST_WORDS)
        pipes.close()
        self._wire.end("the connection was closed")

    async def _sweep(self, pipes: _Pipes) -> None:
        """End what is left of the process tree, the server itself included."""
        tree = self._tree
        if tree is None:
            return
        if tree.alive():
            tree.terminate()
            await self._within(_TERM, _HURRIED_TERM, _gone(tree))
        if tree.alive():
            await asyncio.to_thread(tree.kill)
        with anyio.move_on_after(_REAP):
            await pipes.exited.wait()
        if self._guard is not None:
            self._guard.forget(tree.pid)


class _Pipes(asyncio.SubprocessProtocol):
    """The pipes of one server. Its exit is seen when it happens, whoever still holds the pipes."""

    def __init__(self, owner: StdioTransport) -> None:
        self._owner = owner
        self._process: asyncio.SubprocessTransport | None = None
        self._out = LineSplitter()
        self._err = LineSplitter(limit=_STDERR_LINE, ends=b"\n\r")
        self.exited = asyncio.Event()
        self.stdout_closed = asyncio.Event()
        self.stderr_closed = asyncio.Event()
        self.writable = asyncio.Event()
        self.writable.set()

    @property
    def returncode(self) -> int | None:
        """The exit code, negative for a signal; None while the server runs."""
        return self._process.get_returncode() if self._process else None

    def write(self, data: bytes) -> bool:
        """Send `data` to the server; False if its stdin is gone."""
        stdin = self._pipe(0)
        if stdin is None or stdin.is_closing():
            return False
        stdin.write(data)
        return True

    def close_stdin(self) -> None:
        """End the server's input once what is buffered was written."""
        if (stdin := self._pipe(0)) is not None:
            stdin.close()

    def pause_stdout(self) -> None:
        """Read no further: the server has to wait."""
        if (stdout := self._pipe(1)) is not None:
            stdout.pause_reading()

    def resume_stdout(self) -> None:
        """Read on."""
        if (stdout := self._pipe(1)) is not None:
            stdout.resume_reading()

    def flush(self) -> None:
        """Take the last lines, which may lack their ends."""
        self._owner.stdout_lines(self._out.flush())
        self._owner.stderr_lines(self._err.flush())

    def close(self) -> None:
        """Let go of all pipes, those that an orphan of the server still holds included."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                self._process.close()

    def _pipe(self, number: int) -> Any:
        return self._process.get_pipe_transport(number) if self._process else None

    # asyncio calls the following

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._process = transport
        self._owner.started(transport.get_pid())

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._owner.stdout_lines(self._out.feed(data))
        else:
            self._owner.stderr_lines(self._err.feed(data))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 0:
            self.writable.set()
        else:
            (self.stdout_closed if fd == 1 else self.stderr_closed).set()

    def process_exited(self) -> None:
        self.exited.set()

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()


async def _first(*events: asyncio.Event) -> None:
    waiting = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()


async def _gone(tree: ProcessTree) -> None:
    while tree.alive():  # noqa: ASYNC110 - nothing tells when a group is empty
        await asyncio.sleep(_POLL)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
