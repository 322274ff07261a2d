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
import queue
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from typing import Any, Generic, TypeVar

from mcpapps_jupyter.errors import McpAppsError

T = TypeVar("T")

#: Seconds between two looks at the future: short enough for Ctrl-C on every platform.
_POLL = 0.1


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

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The running loop; starts the thread when there is none yet."""
        with self._lock:
            if self._loop is None:
                loop = asyncio.new_event_loop()
                started = threading.Event()
                thread = threading.Thread(
                    target=self._main, args=(loop, started), name=self.name, daemon=True
                )
                thread.start()
                started.wait()
                self._loop, self._thread = loop, thread
            return self._loop

    @staticmethod
    def _main(loop: asyncio.AbstractEventLoop, started: threading.Event) -> None:
        asyncio.set_event_loop(loop)
        loop.call_soon(started.set)
        try:
            loop.run_forever()
        finally:
            with contextlib.suppress(RuntimeError):
                loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    @property
    def started(self) -> bool:
        """Whether the thread exists; asking does not start it."""
        return self._loop is not None

    def is_current(self) -> bool:
        """Whether the caller already is on this thread."""
        return self._thread is threading.current_thread()

    def call_soon(self, function: Callable[..., Any], *args: Any) -> None:
        """Run `function` on the loop soon; from any thread, never raises after :meth:`stop`."""
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(function, *args)

    def stop(self, timeout: float = 2.0) -> None:
        """Cancel what runs, stop the loop and wait for the thread, at most `timeout` seconds."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return

        async def wind_down() -> None:
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            loop.stop()

        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(lambda: loop.create_task(wind_down()))
        if thread is not threading.current_thread():
            thread.join(timeout)


class Submitted(Generic[T]):
    """Work handed to the host thread: ``await`` it in a cell, or block on :meth:`result`."""

    def __init__(self, future: concurrent.futures.Future[T]) -> None:
        self.future = future

    def __await__(self) -> Generator[Any, None, T]:
        return asyncio.wrap_future(self.future).__await__()

    def result(self, timeout: float | None = None) -> T:
        """Block until the outcome is there, at most `timeout` seconds."""
        return self.future.result(timeout)

    def done(self) -> bool:
        """Whether the outcome is there."""
        return self.future.done()

    def cancel(self) -> bool:
        """Cancel the work, also at the server."""
        return self.future.cancel()

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
        self._waiting_cells: list[queue.SimpleQueue[Callable[[], object]]] = []
        self._workers: concurrent.futures.ThreadPoolExecutor | None = None

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Submitted[T]:
        """Start `coroutine` on the session loop and return at once."""
        return Submitted(asyncio.run_coroutine_threadsafe(coroutine, self.sessions.loop))

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run `coroutine` on the session loop and block for its outcome.

        Ctrl-C (``KeyboardInterrupt``) cancels the coroutine, which cancels the request at the
        server too.

        Raises
        ------
        McpAppsError
            Called on the session loop itself, where blocking would wait for itself for ever.
        """
        if self.sessions.is_current():
            return self._run_nested(coroutine)
        work = self.submit(coroutine)
        try:
            self.wait([work])
        except KeyboardInterrupt:
            work.cancel()
            raise
        return work.result()

    def wait(self, work: Sequence[Submitted[Any]], timeout: float | None = None) -> bool:
        """Block until all of `work` is over, at most `timeout` seconds; says whether it is.

        A cell that waits here runs, between two looks, what `in_waiting_cell` was given: outputs
        belong to the thread that runs cells.
        """
        wake: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        for each in work:
            each.future.add_done_callback(lambda _: wake.put(_nothing))
        in_cell = threading.current_thread() is threading.main_thread()
        if in_cell:
            self._waiting_cells.append(wake)
        end = None if timeout is None else time.monotonic() + timeout
        try:
            while not all(each.done() for each in work):
                left = _POLL if end is None else min(_POLL, end - time.monotonic())
                if left <= 0:
                    return False
                with contextlib.suppress(queue.Empty):
                    wake.get(timeout=left)()  # never longer than _POLL, or Ctrl-C would wait on Windows
        finally:
            if in_cell:
                self._waiting_cells.remove(wake)
        return True

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
        if inspect.iscoroutinefunction(handler):
            future = asyncio.run_coroutine_threadsafe(handler(*args), self.handlers.loop)
            return await asyncio.wrap_future(future)
        if self._workers is None:
            self._workers = concurrent.futures.ThreadPoolExecutor(8, thread_name_prefix="mcpapps-handler")
        outcome = await asyncio.get_running_loop().run_in_executor(self._workers, handler, *args)
        if inspect.isawaitable(outcome):
            future = asyncio.run_coroutine_threadsafe(_awaited(outcome), self.handlers.loop)
            return await asyncio.wrap_future(future)
        return outcome

    async def on_handlers(self, function: Callable[..., T], *args: Any) -> T:
        """Call a plain `function` on the handlers' thread and wait for it."""

        async def call() -> T:
            return function(*args)

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(call(), self.handlers.loop))

    def stop(self, timeout: float = 2.0) -> None:
        """Stop both loops and the workers; a later call starts them anew."""
        self.sessions.stop(timeout)
        self.handlers.stop(timeout)
        if self._workers is not None:
            self._workers.shutdown(wait=False, cancel_futures=True)
            self._workers = None


def _nothing() -> None:
    """Wake a waiting thread, no more."""


async def _awaited(value: Awaitable[T]) -> T:
    return await value
