"""One thread that runs every client session, and a second one for the user's own handlers.

Client sessions live on a loop of ours and never on the kernel's, so a busy cell, a stopped
kernel loop or an applied ``nest_asyncio`` make no difference to them. Everybody else hands
work over: :meth:`HostThread.run` blocks, :meth:`HostThread.submit` gives something awaitable.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import inspect
import os
import queue
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator, Sequence
from typing import Any, Generic, TypeVar

from mcpapps_jupyter.errors import Interrupted, McpAppsError

T = TypeVar("T")

#: Seconds between two looks at the outcome: short enough for Ctrl-C on every platform.
_POLL = 0.1
#: How long an interrupted call waits for what it had begun to be cleared away.
_CLEAR_AWAY = 4.0
#: How long the end waits for worker threads that have nothing to do.
_IDLE = 0.5
#: User handlers that may block at the same time.
_WORKERS = 8
_FORKED = (
    "this process is a fork of the kernel; MCP Apps are used in the kernel itself "
    "(start processes that need them by 'spawn', with a host of their own)."
)


class Workers(concurrent.futures.ThreadPoolExecutor):
    """Worker threads that can be let go of: those of a loop's own stay to the interpreter's end."""

    def __init__(self, name: str) -> None:
        self._mine: list[threading.Thread] = []
        super().__init__(_WORKERS, name, initializer=lambda: self._mine.append(threading.current_thread()))

    def end(self, timeout: float) -> None:
        """Take no more work, and wait for the threads that are idle, at most `timeout` seconds."""
        self.shutdown(wait=False, cancel_futures=True)
        end = time.monotonic() + timeout
        for thread in self._mine:
            if thread is not threading.current_thread():
                thread.join(max(end - time.monotonic(), 0))


class LoopThread:
    """An asyncio loop on a daemon thread, started at first need.

    Parameters
    ----------
    name
        The thread's name, as a debugger or ``%subshell`` shows it.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._stopped = False
        self._pid = os.getpid()

    @property
    def forked(self) -> bool:
        """Whether this is a fork's copy: threads do not survive a fork, and nothing would ever answer."""
        return os.getpid() != self._pid

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The running loop; starts the thread when there is none yet.

        Raises
        ------
        McpAppsError
            In a fork of the process.
        """
        if self.forked:
            raise McpAppsError(_FORKED)
        with self._lock:
            if self._loop is None or self._loop.is_closed():
                loop = _new_loop()
                started = threading.Event()
                thread = threading.Thread(
                    target=self._main, args=(loop, started), name=self.name, daemon=True
                )
                thread.start()
                started.wait()
                self._loop, self._thread = loop, thread
            return self._loop

    def _main(self, loop: asyncio.AbstractEventLoop, started: threading.Event) -> None:
        asyncio.set_event_loop(loop)
        workers = Workers(f"{self.name}-worker")
        loop.set_default_executor(workers)
        loop.call_soon(started.set)
        try:
            loop.run_forever()
        finally:
            tasks = asyncio.all_tasks(loop)
            for task in tasks:
                task.cancel()
            with contextlib.suppress(RuntimeError):
                loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
                loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()
            workers.end(_IDLE)

    @property
    def started(self) -> bool:
        """Whether the thread exists; asking does not start it."""
        return self._loop is not None

    def is_current(self) -> bool:
        """Whether the caller already is on this thread."""
        return self._thread is threading.current_thread()

    def call_soon(self, function: Callable[..., Any], *args: Any) -> None:
        """Run `function` on the loop soon; from any thread. After :meth:`stop` it is dropped."""
        if not self._stopped and not self.forked:
            with contextlib.suppress(RuntimeError):
                self.loop.call_soon_threadsafe(function, *args)

    def reopen(self) -> None:
        """Take work again after :meth:`stop`."""
        self._stopped = False

    def stop(self, timeout: float = 2.0) -> None:
        """Stop the loop, cancel what runs and wait for the thread, at most `timeout` seconds."""
        if self.forked:
            return
        with self._lock:
            self._stopped = True
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(loop.stop)
        if thread is not threading.current_thread():
            thread.join(timeout)


class Submitted(Generic[T]):
    """Work handed to a loop thread: ``await`` it in a cell, or block on :meth:`result`.

    Parameters
    ----------
    coroutine
        What to run.
    loop
        Where; it may run on any thread.
    """

    def __init__(self, coroutine: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> None:
        self.future: concurrent.futures.Future[T] = concurrent.futures.Future()
        self._loop = loop
        self._pid = os.getpid()
        self._over = threading.Event()
        loop.call_soon_threadsafe(self._begin, coroutine)

    def _begin(self, coroutine: Coroutine[Any, Any, T]) -> None:
        if self.future.cancelled():
            coroutine.close()
            self._over.set()
            return
        task = self._loop.create_task(coroutine)
        task.add_done_callback(self._end)

        def given_up(future: concurrent.futures.Future[T]) -> None:
            if future.cancelled():
                with contextlib.suppress(RuntimeError):  # the loop is closed, and so is the task
                    self._loop.call_soon_threadsafe(task.cancel)

        self.future.add_done_callback(given_up)

    def _end(self, task: asyncio.Task[T]) -> None:
        error = None if task.cancelled() else task.exception()
        if task.cancelled():
            self.future.cancel()
        if self.future.set_running_or_notify_cancel():
            if error is not None:
                self.future.set_exception(error)
            else:
                self.future.set_result(task.result())
        self._over.set()

    def __await__(self) -> Generator[Any, None, T]:
        self._check_process()
        return asyncio.wrap_future(self.future).__await__()

    def result(self, timeout: float | None = None) -> T:
        """Block until the outcome is there, at most `timeout` seconds."""
        self._check_process()
        return self.future.result(timeout)

    def _check_process(self) -> None:
        if os.getpid() != self._pid and not self.future.done():
            raise McpAppsError(_FORKED)

    def done(self) -> bool:
        """Whether the outcome is there."""
        return self.future.done()

    def cancel(self) -> bool:
        """Cancel the work, also at the server."""
        return self.future.cancel()

    def wait_over(self, timeout: float) -> bool:
        """Block until the work has ended, what it does when cancelled included."""
        return self._over.wait(timeout)

    @property
    def lost(self) -> bool:
        """Whether the loop is gone and there will be no outcome."""
        return self._loop.is_closed() and not self._over.is_set()

    def __repr__(self) -> str:
        state = "done" if self.future.done() else "running"
        return f"<Submitted {state}; await it, or call .result()>"


class HostThread:
    """The kernel's one session loop, plus the loop and workers for the user's handlers.

    Notes
    -----
    A user's handler (elicitation, sampling, messages) never runs on the session loop: an
    ``async def`` goes to a second loop thread and a ``def`` to a worker thread, so that a
    blocking call of our own API inside it just works.
    """

    def __init__(self) -> None:
        self.sessions = LoopThread("mcpapps-sessions")
        self.handlers = LoopThread("mcpapps-handlers")
        self.allow_nested_calls = False
        self._workers: Workers | None = None
        self._waiting_cells: list[queue.SimpleQueue[Callable[[], object]]] = []
        self._blocked_handlers = 0

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Submitted[T]:
        """Start `coroutine` on the session loop and return at once.

        Raises
        ------
        McpAppsError
            In a fork of the process that the host belongs to.
        """
        if self.sessions.forked:
            coroutine.close()
            raise McpAppsError(_FORKED)
        for thread in (self.sessions, self.handlers):
            thread.reopen()
        return Submitted(coroutine, self.sessions.loop)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run `coroutine` on the session loop and block for its outcome.

        Ctrl-C (``KeyboardInterrupt``) cancels the coroutine, which cancels the request at the
        server too, and waits a moment until what it had begun is cleared away.

        Raises
        ------
        McpAppsError
            Called on the session loop itself, where blocking would wait for itself for ever; or
            the host was stopped meanwhile.
        """
        if self.sessions.is_current():
            return self._run_nested(coroutine)
        with self._blocking_handlers():  # before the work begins: it may lead to a handler
            work = self.submit(coroutine)
            try:
                if self.wait([work]):
                    return work.result()
            except KeyboardInterrupt:
                work.cancel()
                work.wait_over(_CLEAR_AWAY)
                raise Interrupted("interrupted; what had begun was cancelled, at the server too.") from None
            except concurrent.futures.CancelledError:
                pass
        raise McpAppsError("This call was given up: the host was stopped meanwhile.")

    def wait(self, work: Sequence[Submitted[Any]], timeout: float | None = None) -> bool:
        """Block until all of `work` is over, at most `timeout` seconds; says whether it is.

        A cell that waits here runs, between two looks, what `in_waiting_cell` was given: outputs
        belong to the thread that runs cells. Work that a stopped host has dropped is not waited for.
        """
        wake: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        for each in work:
            each.future.add_done_callback(lambda _: wake.put(_nothing))
        end = None if timeout is None else time.monotonic() + timeout
        with self._blocking_handlers(), self._taking_jobs(wake):
            while not all(each.done() for each in work):
                left = _POLL if end is None else min(_POLL, end - time.monotonic())
                if left <= 0 or any(each.lost for each in work):
                    return False
                with contextlib.suppress(queue.Empty):
                    wake.get(timeout=left)()  # never longer than _POLL, or Ctrl-C would wait on Windows
        return True

    @contextlib.contextmanager
    def _taking_jobs(self, wake: queue.SimpleQueue[Callable[[], object]]) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        self._waiting_cells.append(wake)
        try:
            yield
        finally:
            self._waiting_cells.remove(wake)

    @contextlib.contextmanager
    def _blocking_handlers(self) -> Iterator[None]:
        """Know that an ``async def`` handler blocks its loop: nothing may queue up behind it."""
        here = int(self.handlers.is_current())
        self._blocked_handlers += here
        try:
            yield
        finally:
            self._blocked_handlers -= here

    @property
    def cell_waits(self) -> bool:
        """Whether a cell waits for us."""
        return bool(self._waiting_cells)

    def in_waiting_cell(self, job: Callable[[], object]) -> bool:
        """Let the cell that waits for us run `job`; False when none does."""
        if not self._waiting_cells:
            return False
        self._waiting_cells[-1].put(job)
        return True

    def _run_nested(self, coroutine: Coroutine[Any, Any, T]) -> T:
        if not self.allow_nested_calls:
            coroutine.close()
            message = (
                "A blocking call was made on the session loop itself. Await the a… form "
                "(for example `await app.acall(…)`), or set McpApps.allow_nested_calls = True."
            )
            raise McpAppsError(message)
        # nest_asyncio patches asyncio for the whole process, hence only here and only on request.
        import nest_asyncio

        loop = self.sessions.loop
        nest_asyncio.apply(loop)
        return loop.run_until_complete(coroutine)

    async def call_handler(self, handler: Callable[..., Any], *args: Any) -> Any:
        """Call a user's handler away from the session loop and return what it returns."""
        if inspect.iscoroutinefunction(handler) and not self._blocked_handlers:
            return await Submitted(_contained(handler(*args)), self.handlers.loop)
        if self._workers is None:
            self._workers = Workers("mcpapps-handler")
        outcome = await asyncio.get_running_loop().run_in_executor(self._workers, _contain, handler, args)
        if not inspect.isawaitable(outcome):
            return outcome
        if self._blocked_handlers:
            running = asyncio.get_running_loop()
            return await running.run_in_executor(self._workers, asyncio.run, _contained(outcome))
        return await Submitted(_contained(outcome), self.handlers.loop)

    def on_sessions(self, function: Callable[..., T], *args: Any) -> T:
        """Call a plain `function` where sessions live, once they live anywhere; here otherwise."""
        if not self.sessions.started or self.sessions.is_current():
            return function(*args)

        async def call() -> T:
            return function(*args)

        return self.run(call())

    async def on_handlers(self, function: Callable[..., T], *args: Any) -> T:
        """Call a plain `function` on the handlers' thread and wait for it."""

        async def call() -> T:
            return function(*args)

        return await Submitted(call(), self.handlers.loop)

    def stop(self, timeout: float = 2.0) -> None:
        """Stop both loops and the workers; a later call starts them anew."""
        self.sessions.stop(timeout)
        self.handlers.stop(timeout)
        if self._workers is not None:
            self._workers.end(_IDLE)
            self._workers = None


def _new_loop() -> asyncio.AbstractEventLoop:
    """A loop that can start processes: on Windows ipykernel's policy makes one that cannot."""
    make = getattr(asyncio, "ProactorEventLoop", asyncio.new_event_loop)
    loop: asyncio.AbstractEventLoop = make()
    return loop


def _nothing() -> None:
    """Wake a waiting thread, no more."""


async def _contained(value: Awaitable[T]) -> T:
    """Await what a user's handler gave; what would end a whole loop ends as an ordinary error."""
    try:
        return await value
    except (Exception, asyncio.CancelledError):
        raise
    except BaseException as error:
        raise McpAppsError(f"it raised {type(error).__name__}") from error


def _contain(handler: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call a user's handler; see `_contained`. A future cannot carry a StopIteration either."""
    try:
        return handler(*args)
    except StopIteration as error:
        raise McpAppsError("it raised StopIteration") from error
    except Exception:
        raise
    except BaseException as error:
        raise McpAppsError(f"it raised {type(error).__name__}") from error
