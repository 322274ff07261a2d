"""The tools that a page itself offers to the host (``appCapabilities.tools``)."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from mcpapps_jupyter import arguments as arguments_
from mcpapps_jupyter.catalogue import Listing, Tool
from mcpapps_jupyter.errors import McpAppsError, ProtocolFailure, RequestTimeout, UnknownTool, did_you_mean
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.results import ToolResult
from mcpapps_jupyter.views.frame import Frame
from mcpapps_jupyter.views.relay import Relay
from mcpapps_jupyter.views.rpc import PageError, finite

#: Lists that do not end are cut here.
_MOST_PAGES = 20
_MOST_TOOLS = 1000
#: Seconds in which a page has to list its tools for models, who do not know of it.
_SOON = 5.0


class PageTools:
    """Asks a view's page for its tools and calls them; on the session loop.

    Of several frames the one that was used last answers.

    Parameters
    ----------
    relay
        The view's.
    """

    def __init__(self, relay: Relay) -> None:
        self._relay = relay

    async def list(self) -> tuple[Tool, ...]:
        """The tools that the page offers now; kept until it says that they changed.

        Raises
        ------
        McpAppsError
            No page is there, it offers none, or it does not answer; in words.
        """
        return await self._list(self._frame())

    async def list_soon(self) -> tuple[Tool, ...]:
        """The tools, for somebody who asks every page: none where there are none, or the page is slow."""
        frame = self._newest()
        if self._relay.ended is not None or frame is None or not offers_tools(frame):
            return ()
        try:
            return await asyncio.wait_for(self._list(frame), _SOON)
        except (McpAppsError, asyncio.TimeoutError) as error:
            why = str(error) or f"not within {_SOON:g} s"
            self._relay.note(f"the page's tools are not offered to models: {why}", "warning")
            return ()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call one, its arguments checked by name and type.

        Raises
        ------
        UnknownTool, InvalidArguments
            Before the call.
        ProtocolFailure, RequestTimeout, McpAppsError
            The page gave no result.
        """
        frame = self._frame()
        tools = {tool.name: tool for tool in await self._list(frame)}
        if name not in tools:
            hint = did_you_mean(name, tools) or f" It has: {', '.join(list(tools)[:12]) or 'none'}"
            raise UnknownTool(f"The page of {self._relay.app.id} has no tool {name!r}.{hint}")
        arguments_.check(name, _simple(tools[name].input_schema), arguments)
        params = {"name": name, "arguments": finite(dict(arguments))}
        raw = await self._request(frame, "tools/call", params)
        return ToolResult(raw, app_id=self._relay.app.id, tool=name)

    def _frame(self) -> Frame:
        """The frame that is meant."""
        relay = self._relay
        app = relay.app.id
        if relay.ended is not None:
            raise McpAppsError(f"The view of {app} has ended: {relay.ended}")
        frame = self._newest()
        if frame is None:
            raise McpAppsError(
                f"The page of {app} is not open in any browser tab, or not ready yet. "
                "Display the view; view.wait_for('initialized') waits for it."
            )
        if not offers_tools(frame):
            raise McpAppsError(
                f"The page of {app} offers no tools of its own: it does not declare appCapabilities.tools."
            )
        return frame

    def _newest(self) -> Frame | None:
        """The frame that was used last, of those that are ready."""
        ready = [frame for frame in self._relay.frames.values() if frame.initialized]
        return max(ready, key=lambda frame: (frame.visible, frame.spoke), default=None)

    async def _list(self, frame: Frame) -> tuple[Tool, ...]:
        if frame.tools is not None:
            return frame.tools
        raw: list[Any] = []
        cursor: Any = None
        for _ in range(_MOST_PAGES):
            params = {} if cursor is None else {"cursor": cursor}
            answer = await self._request(frame, "tools/list", params)
            some = answer.get("tools")
            if not isinstance(some, list):
                raise ProtocolFailure(f"The page of {self._relay.app.id} answered tools/list without a list.")
            raw += some
            cursor = answer.get("nextCursor")
            if not isinstance(cursor, str) or len(raw) >= _MOST_TOOLS:
                break
        named = [each for each in raw if isinstance(each, Mapping) and isinstance(each.get("name"), str)]
        if len(named) < len(raw):
            self._relay.note("the page listed tools without a name; they are left out", "warning")
        frame.tools = tuple(Tool.from_wire(each, "", lambda _: None) for each in named[:_MOST_TOOLS])
        return frame.tools

    async def _request(self, frame: Frame, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        relay = self._relay
        request_id = f"host-{uuid.uuid4().hex[:8]}"
        seconds = relay.app.connection().request_seconds
        answer = relay.dialogue.ask(frame, method, params, request_id)
        try:
            await asyncio.wait({answer}, timeout=seconds)
        finally:
            if not answer.done():  # nobody waits any more: the page may stop
                frame.asked.pop(request_id, None)
                relay.dialogue.notify(frame, "notifications/cancelled", {"requestId": request_id})
        about = f"The page of {relay.app.id}"
        if not answer.done():
            raise RequestTimeout(f"{about} did not answer {method} within {seconds:g} s.")
        if answer.cancelled():
            raise McpAppsError(f"{about} was closed or loaded anew before it answered {method}.")
        try:
            result = answer.result()
        except PageError as error:
            text = clean_line(str(error)) or "no reason given"
            raise ProtocolFailure(f"{about} refused {method}: {text}", error.code, error.data) from None
        if not isinstance(result, Mapping):
            raise ProtocolFailure(f"{about} answered {method} with something that is no result.")
        return dict(result)


def offers_tools(frame: Frame) -> bool:
    """Whether the page in this frame has declared tools of its own."""
    return isinstance(frame.capabilities.get("tools"), Mapping)


def page_tools_listing(tools: Iterable[Tool]) -> Listing[Tool]:
    """The page's tools as a table."""
    return Listing(
        tools,
        head=("tool", "arguments", "what it does"),
        row=lambda tool: [
            tool.name,
            arguments_.signature(tool.input_schema),
            tool.description.split("\n")[0],
        ],
        empty="This page offers no tools now.",
    )


def _simple(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The names and types of a page's schema: a pattern of its own could keep the whole kernel busy."""
    declared = {
        name: {key: spec[key] for key in ("type", "enum", "description") if key in spec}
        for name, spec in arguments_.properties(schema).items()
    }
    kept = {key: schema[key] for key in ("required", "additionalProperties") if key in schema}
    if isinstance(kept.get("additionalProperties"), Mapping):
        kept["additionalProperties"] = True
    return {**kept, **({"properties": declared} if "properties" in schema else {})}
