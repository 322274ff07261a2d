"""Serves a trace: an app whose page and answers are those that were recorded, without its server."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import mcp_types as types
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mcpapps_jupyter.app import App
from mcpapps_jupyter.definition import Opening
from mcpapps_jupyter.host import Host, get_host
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.trace import JsonObject, Trace, read_trace

#: The methods that are answered from the trace, with what tells one request from another.
_ASKED_BY: Mapping[str, tuple[str, ...]] = {
    "tools/call": ("name", "arguments"),
    "resources/read": ("uri",),
    "prompts/get": ("name", "arguments"),
    "completion/complete": ("ref", "argument", "context"),
}
_LISTED_AS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
_PARAMS: Mapping[str, type[types.RequestParams]] = {
    **dict.fromkeys(_LISTED_AS, types.PaginatedRequestParams),
    "tools/call": types.CallToolRequestParams,
    "resources/read": types.ReadResourceRequestParams,
    "prompts/get": types.GetPromptRequestParams,
    "completion/complete": types.CompleteRequestParams,
    "resources/subscribe": types.SubscribeRequestParams,
    "resources/unsubscribe": types.UnsubscribeRequestParams,
}
_SHOWN_CALLS = 5


def replay(
    trace: str | os.PathLike[str] | Mapping[str, Any],
    id: str | None = None,  # noqa: A002 - the manifest's own word
    *,
    host: Host | None = None,
) -> App:
    """Add an app that shows a recorded page and answers from its trace.

    Parameters
    ----------
    trace
        The file that ``view.traffic.save(path)`` wrote, or the object in it.
    id
        The app's id; by default that of the recorded app with ``-replay`` behind it.
    host
        Where to add it; the kernel's own by default.

    Returns
    -------
    App
        As every other app: ``replay("trace.json").open()`` shows the page with the recorded arguments. The
        same request gets the recorded answers in their order, and the last one for ever.

    Raises
    ------
    InvalidArguments
        It cannot be read or is no trace, in one line.
    """
    found = read_trace(trace)
    recorded_id = str(found.app.get("id") or "app")
    app_id = id or re.sub(r"[^A-Za-z0-9._-]+", "-", recorded_id)[:100] + "-replay"
    name = clean_line(f"{found.app.get('name') or recorded_id} (replay)", 120)
    fields = {"name": name, "hasUi": True, "uiResourceUri": found.uri}
    app = (host or get_host()).add(recorded_server(found), app_id, **fields)
    opens = found.uri if found.tool is None else str(found.tool.get("name"))
    app.definition = replace(app.definition, opening=Opening(opens, dict(found.arguments)))
    return app


@dataclass
class _Answers:
    """The answers to one request, in order."""

    given: list[JsonObject] = field(default_factory=list)
    used: int = 0

    def next(self) -> JsonObject:
        answer = self.given[min(self.used, len(self.given) - 1)]
        self.used += 1
        return answer


class Recorded:
    """What a trace answers to which request.

    Parameters
    ----------
    trace
        The trace.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._answers: dict[str, _Answers] = {}
        self._asked: dict[str, list[JsonObject]] = {}
        if trace.tool is not None and trace.result is not None:
            call = {"name": trace.tool.get("name"), "arguments": trace.arguments}
            self._learn("tools/call", call, {"result": trace.result})
        self._read_messages()
        self.listings = self._listings()

    def _read_messages(self) -> None:
        open_requests: dict[tuple[str, str], tuple[str, JsonObject]] = {}
        for record in self._trace.messages:
            message = record.get("message")
            if not isinstance(message, Mapping):
                continue
            key = str(record.get("frame")), json.dumps(message.get("id"), default=str)
            method = message.get("method")
            if record.get("direction") == "in" and isinstance(method, str) and method in _ASKED_BY:
                params = message.get("params")
                open_requests[key] = method, params if isinstance(params, Mapping) else {}
            elif record.get("direction") == "out" and method is None and key in open_requests:
                self._learn(*open_requests.pop(key), message)

    def _learn(self, method: str, params: JsonObject, answer: JsonObject) -> None:
        if not isinstance(answer.get("result"), Mapping) and not isinstance(answer.get("error"), Mapping):
            return
        key = _key(method, params)
        if key not in self._answers:
            self._answers[key] = _Answers()
            self._asked.setdefault(method, []).append(params)
        self._answers[key].given.append(answer)

    def _listings(self) -> dict[str, list[JsonObject]]:
        listings = {name: list(self._trace.listings.get(name, ())) for name in _LISTED_AS.values()}
        tools = {str(tool.get("name")): tool for tool in listings["tools"]}
        if self._trace.tool is not None:  # first, so that it is the one that brings the page
            tools = {str(self._trace.tool.get("name")): self._trace.tool, **tools}
        if not listings["tools"]:  # written by hand: whatever was called is there
            for call in self._asked.get("tools/call", ()):
                name = str(call.get("name"))
                tools.setdefault(name, {"name": name, "inputSchema": {"type": "object"}})
        listings["tools"] = list(tools.values())
        return listings

    @property
    def methods(self) -> set[str]:
        """The methods that this trace has something for."""
        served = {"tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read"}
        if self.listings["prompts"] or "prompts/get" in self._asked:
            served |= {"prompts/list", "prompts/get"}
        if "completion/complete" in self._asked:
            served.add("completion/complete")
        return served

    def answer(self, method: str, params: JsonObject) -> dict[str, Any]:
        """The result of one request.

        Raises
        ------
        MCPError
            The recorded error, or in words what the trace does not have.
        """
        if method in _LISTED_AS:
            return {_LISTED_AS[method]: self.listings[_LISTED_AS[method]]}
        recorded = self._answers.get(_key(method, params))
        if recorded is not None:
            return self._as_result(recorded.next())
        if method == "resources/read" and params.get("uri") == self._trace.uri:
            return self._page()
        return self._unknown(method, params)

    def _as_result(self, answer: JsonObject) -> dict[str, Any]:
        error = answer.get("error")
        if isinstance(error, Mapping):
            code = error.get("code")
            text = str(error.get("message")).removeprefix(f"{self._trace.app.get('id')}: ")
            raise MCPError(code if isinstance(code, int) else types.INTERNAL_ERROR, text, error.get("data"))
        return dict(answer["result"])

    def _page(self) -> dict[str, Any]:
        page = self._trace.page
        html = page.get("html") if page is not None else None
        if not isinstance(html, str):
            raise MCPError(types.INVALID_PARAMS, "the page was never loaded, so the trace does not have it")
        meta = page.get("_meta") if page is not None else None
        content: dict[str, Any] = {"uri": self._trace.uri, "mimeType": APP_MIME_TYPE, "text": html}
        return {"contents": [{**content, "_meta": meta} if isinstance(meta, Mapping) else content]}

    def _unknown(self, method: str, params: JsonObject) -> dict[str, Any]:
        named = [_asked_for(method, each) for each in self._asked.get(method, ())]
        if method in ("tools/call", "prompts/get"):
            name = params.get("name")
            same = [
                _asked_for(method, each) for each in self._asked.get(method, ()) if each.get("name") == name
            ]
            named = same or named
        known = "; ".join(named[:_SHOWN_CALLS]) + ("; …" if len(named) > _SHOWN_CALLS else "")
        wanted = _asked_for(method, params)
        text = f"The trace has no answer to {wanted}. It has: {known or f'none to {method}'}"
        if method == "tools/call" and any(
            tool.get("name") == params.get("name") for tool in self.listings["tools"]
        ):
            return {"content": [{"type": "text", "text": text}], "isError": True}
        raise MCPError(types.INVALID_PARAMS, text)


def recorded_server(trace: Trace) -> Server[Any]:
    """An MCP server of either era that answers from `trace`."""
    recorded = Recorded(trace)
    described = trace.app.get("server")
    described = described if isinstance(described, Mapping) else {}
    server: Server[Any] = Server(
        str(described.get("name") or trace.app.get("id") or "recorded"),
        version=str(described.get("version") or ""),
        on_subscriptions_listen=ListenHandler(InMemorySubscriptionBus()),
    )
    server.extensions = {EXTENSION_ID: {}}

    async def answered(method: str, context: Any, params: Any) -> dict[str, Any]:
        return recorded.answer(method, context.params or {})

    async def nothing(context: Any, params: Any) -> types.EmptyResult:
        return types.EmptyResult()

    async def unchanged(ctx: Any, call_next: Any) -> Any:
        """Give recorded results as they are: the SDK's own way out drops what its models do not know."""
        if ctx.request_id is None or ctx.method not in recorded.methods:
            return await call_next(ctx)
        result = recorded.answer(ctx.method, ctx.params or {})
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return result
        fresh = {"ttlMs": 0, "cacheScope": "private"} if ctx.method != "tools/call" else {}
        return {"resultType": "complete", **fresh, **result}

    for method in sorted(recorded.methods):
        server.add_request_handler(method, _PARAMS[method], partial(answered, method))
    for method in ("resources/subscribe", "resources/unsubscribe"):
        server.add_request_handler(method, _PARAMS[method], nothing)
    server.middleware.append(unchanged)
    return server


def _key(method: str, params: JsonObject) -> str:
    """What equal requests share."""
    told = {name: params.get(name) or None for name in _ASKED_BY.get(method, ())}
    return json.dumps([method, _plain(told)], sort_keys=True, default=str)


def _plain(value: Any) -> Any:
    """`value` with whole numbers as such: JavaScript does not tell 1.0 from 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(entry) for entry in value]
    return value


def _asked_for(method: str, params: JsonObject) -> str:
    if method == "resources/read":
        return clean_line(str(params.get("uri")), 120)
    arguments = params.get("arguments") or {}
    shown = json.dumps(arguments, ensure_ascii=False, default=str) if arguments else ""
    return clean_line(f"{params.get('name', '')} {shown}", 120)
