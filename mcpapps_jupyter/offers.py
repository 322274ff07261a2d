"""What a server offers, and what it says about changes to that."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any

from mcpapps_jupyter.catalogue import Catalogue, Tool
from mcpapps_jupyter.errors import McpAppsError, ProtocolFailure
from mcpapps_jupyter.ports import ServerEvent
from mcpapps_jupyter.session import Session


class Offers:
    """Keeps one app's catalogue: reads it, and reads it again when the server says that it changed.

    Parameters
    ----------
    prefix
        Put before every tool name to make its local name.
    seconds
        How long one listing may take.
    session
        Gives the running session, or None.
    tell
        Gets each change, once it has been read.
    note
        Takes a line for the log.
    spawn
        Runs work beside everything else.
    """

    def __init__(
        self,
        *,
        prefix: str,
        seconds: float,
        session: Callable[[], Session | None],
        tell: Callable[[ServerEvent], None],
        note: Callable[[str], None],
        spawn: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self.catalogue = Catalogue()
        #: Pages by address, as long as the server says nothing new about its resources.
        self.pages: dict[str, Any] = {}
        self._prefix = prefix
        self._seconds = seconds
        self._session = session
        self._tell = tell
        self._note = note
        self._spawn = spawn
        self._reading = asyncio.Lock()
        self._changes: dict[str, ServerEvent] = {}
        self._telling = False

    async def read(self, session: Session) -> None:
        """Read every listing of `session`.

        Raises
        ------
        ProtocolFailure, RequestTimeout, ConnectionLost
            One of them failed; what was there stays.
        """
        warnings: list[str] = []
        offered = session.capabilities

        async def listing(method: str, key: str) -> list[dict[str, Any]]:
            items, cut = await session.list_all(method, key, timeout=self._seconds)
            if cut:
                warnings.append(f"{method} did not end; the first {len(items):,} entries are shown")
            return items

        tools = await listing("tools/list", "tools") if "tools" in offered else []
        resources = await listing("resources/list", "resources") if "resources" in offered else []
        templates: list[dict[str, Any]] = []
        if "resources" in offered:
            with contextlib.suppress(ProtocolFailure):  # many servers offer resources but know no templates
                templates = await listing("resources/templates/list", "resourceTemplates")
        prompts = await listing("prompts/list", "prompts") if "prompts" in offered else []
        self.catalogue = Catalogue(
            tuple(Tool.from_wire(raw, self._prefix, warnings.append) for raw in tools),
            tuple(resources),
            tuple(templates),
            tuple(prompts),
            tuple(dict.fromkeys(warnings)),
        )

    async def read_again(self) -> None:
        """Read the listings again, keeping the old ones where that fails."""
        async with self._reading:
            session = self._session()
            if session is None:
                return
            try:
                await self.read(session)
            except McpAppsError as error:
                self._note(f"listing again failed: {error}")

    def forget_pages(self) -> None:
        """The pages may have changed; one that is being read now does not get among the new ones."""
        self.pages = {}

    def heard(self, event: ServerEvent) -> None:
        """Take in a change that the server tells."""
        if event.kind.startswith("resources/"):
            self.forget_pages()
        if event.kind.endswith("/list_changed"):
            self._changes[event.kind] = event
            if not self._telling:
                self._telling = True
                self._spawn(self._read_then_tell())
        elif event.kind == "resources/updated":
            self._tell(event)

    async def _read_then_tell(self) -> None:
        """Many changes at once are told once, after one reading; those that come meanwhile after another."""
        try:
            await asyncio.sleep(0)
            while self._changes:
                changes, self._changes = self._changes, {}
                await self.read_again()
                for event in changes.values():
                    self._tell(event)
        finally:
            self._telling = False
