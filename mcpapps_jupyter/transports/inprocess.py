"""A server object of this process, run on a loop thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

import anyio
from mcp.shared.message import SessionMessage

from mcpapps_jupyter.errors import StartFailed, in_words
from mcpapps_jupyter.quiet import server_stderr
from mcpapps_jupyter.transports.hooks import Frame, Hooks, notify
from mcpapps_jupyter.transports.leaving import Leaving, to_the_end
from mcpapps_jupyter.transports.streams import Inbox, Outbox
from mcpapps_jupyter.transports.wire import Wire, parse_message

_GRACE, _HURRIED_GRACE = 2.0, 0.4
_CANCEL = 1.0


class InProcessTransport(Leaving):
    """Run a server object, an ``MCPServer`` or a low-level ``Server``, and speak with it by messages.

    The server gets a thread with a loop of its own, so that a blocking call in one of its tools stops
    nobody else. Messages cross as plain JSON values: neither side can change what the other one holds.
    The sender's context variables go with them, in both directions.

    Parameters
    ----------
    server
        The server object. It may be used again for a later connection.
    hooks
        Who is told what happens.
    """

    def __init__(self, server: Any, hooks: Hooks | None = None) -> None:
        super().__init__()
        self._server = server
        self._hooks = hooks or Hooks()
        self._inbox = Inbox()
        self._wire = Wire(self._hooks, self._inbox)
        self._peer = Inbox()  # read on the server's loop only
        self._loop: asyncio.AbstractEventLoop | None = None
        self._peer_loop: asyncio.AbstractEventLoop | None = None
        self._serving: asyncio.Task[None] | None = None
        self._done = asyncio.Event()
        self._closing = False
        #: Why the server ended by itself, in words; None while it has not.
        self.failure: str | None = None

    async def __aenter__(self) -> tuple[Inbox, Outbox]:
        """Start the server's thread.

        Raises
        ------
        StartFailed
            The object is not an MCP server.
        """
        # MCPServer keeps the server that has `run` in a private attribute; the SDK's own client reads it too.
        server = getattr(self._server, "_lowlevel_server", self._server)
        if not hasattr(server, "run") or not hasattr(server, "create_initialization_options"):
            raise StartFailed(f"{type(self._server).__name__!r} is not an MCP server object.")
        self._loop = asyncio.get_running_loop()
        self._peer_loop = asyncio.new_event_loop()
        name = f"mcp-server-{getattr(server, 'name', '')}"
        threading.Thread(target=self._main, args=(server, self._peer_loop), name=name, daemon=True).start()
        return self._inbox, Outbox(self._send)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the server; its thread is left behind if its code does not come back."""
        await to_the_end(self._stop())

    async def _stop(self) -> None:
        self._closing = True
        self._on_peer(self._peer.end)
        if not await self._within(_GRACE, _HURRIED_GRACE, self._done.wait()):
            self._on_peer(self._cancel)
            if not await self._within(_CANCEL, _HURRIED_GRACE, self._done.wait()):
                self._hooks.warn("code of the in-process server does not return; its thread is left behind")
        self._wire.end("the connection was closed")

    # -- on the session's loop ------------------------------------------------------------------------

    async def _send(self, message: SessionMessage) -> None:
        self._wire.outgoing(message.message)
        # A second copy: what the hooks were shown and what the server may change share nothing.
        frame = message.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
        item, context = SessionMessage(parse_message(frame)), contextvars.copy_context()
        context.run(server_stderr.set, self._stderr)
        if self._done.is_set() or not self._on_peer(self._peer.put, item, context):
            raise anyio.BrokenResourceError

    def _stderr(self, line: str) -> None:
        """Take a line that was logged while the server's code ran, on whatever thread."""
        self._on_session(notify, self._hooks.on_stderr, line)

    def _receive(self, frame: Frame, context: contextvars.Context) -> None:
        notify(self._hooks.on_activity)
        self._wire.incoming(frame, context=context)

    def _finished(self, reason: str) -> None:
        self._done.set()
        if self._closing:
            return
        self.failure = reason
        self._wire.end(reason)
        notify(self._hooks.on_closed, reason)

    def _on_peer(self, function: Callable[..., object], *args: Any) -> bool:
        try:
            assert self._peer_loop is not None
            self._peer_loop.call_soon_threadsafe(function, *args)
        except RuntimeError:  # the loop is closed
            return False
        return True

    # -- on the server's thread -----------------------------------------------------------------------

    def _main(self, server: Any, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        reason = "the in-process server ended"
        try:
            loop.run_until_complete(self._serve(server))
        except BaseException as error:  # noqa: BLE001 - whatever ends the server, its owner is told
            if not isinstance(error, asyncio.CancelledError):
                reason = f"the in-process server failed: {in_words(error)}"
        finally:
            with contextlib.suppress(Exception):
                loop.run_until_complete(_wind_down(loop))
            loop.close()
            self._on_session(self._finished, reason)

    async def _serve(self, server: Any) -> None:
        self._serving = asyncio.current_task()
        await server.run(self._peer, Outbox(self._reply), server.create_initialization_options())

    def _cancel(self) -> None:
        if self._serving is not None:
            self._serving.cancel()

    async def _reply(self, message: SessionMessage) -> None:
        frame = message.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
        self._on_session(self._receive, frame, contextvars.copy_context())

    def _on_session(self, function: Callable[..., object], *args: Any) -> None:
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # the session's loop is gone, and nobody is left to be told
            self._loop.call_soon_threadsafe(function, *args)


async def _wind_down(loop: asyncio.AbstractEventLoop) -> None:
    """End what the server's code left running, or asyncio would complain about it in somebody's cell."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await loop.shutdown_asyncgens()
