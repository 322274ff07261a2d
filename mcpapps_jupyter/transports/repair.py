"""Repair of results that the SDK would refuse as a whole because of one bad part."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcp_types.methods import parse_server_result
from pydantic import ValidationError

from mcpapps_jupyter.transports.hooks import Frame

Warn = Callable[[str], object]

#: Where each listing keeps its entries, what one is called, and which member names it.
_LISTINGS = {
    "tools/list": ("tools", "tool", "name"),
    "resources/list": ("resources", "resource", "uri"),
    "resources/templates/list": ("resourceTemplates", "resource template", "uriTemplate"),
    "prompts/list": ("prompts", "prompt", "name"),
}
_CONTENT_TYPES = frozenset({"text", "image", "audio", "resource", "resource_link"})

# A schema may say null and mean it (`"const": null`), so nulls in there stay.
_SCHEMAS = frozenset({"inputSchema", "outputSchema"})


@dataclass(frozen=True)
class Asked:
    """A request of ours that waits for its answer."""

    method: str
    version: str
    uri: str | None = None

    @classmethod
    def from_frame(cls, frame: Frame, legacy_version: str) -> Asked:
        """Remember what `frame` asked, and under which protocol version."""
        params = frame.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        version = meta.get("io.modelcontextprotocol/protocolVersion") if isinstance(meta, dict) else None
        uri = params.get("uri")
        return cls(frame["method"], version or legacy_version, uri if isinstance(uri, str) else None)


def repair_frame(frame: Frame, asked: Asked | None, warn: Warn) -> Frame:
    """Return `frame`, or a copy of it that the SDK can take.

    In a listing each entry is validated alone: one that is wrong is reported and left out, so it cannot
    take the others (and with ``tools/list`` every call) down with it. Nothing that is valid is changed.

    Parameters
    ----------
    frame
        An inbound JSON-RPC message.
    asked
        The request it answers, if it is a response to one.
    warn
        Told in words about each repair.
    """
    result = frame.get("result")
    if asked is None or not isinstance(result, dict):
        return frame
    if asked.method in _LISTINGS:
        repaired = _listing(result, asked, warn)
    elif asked.method == "tools/call":
        repaired = _content(result, warn)
    elif asked.method == "resources/read":
        repaired = _contents(result, asked, warn)
    else:
        return frame
    return frame if repaired is result else {**frame, "result": repaired}


def _listing(result: Frame, asked: Asked, warn: Warn) -> Frame:
    if _why_not(asked, result) is None:
        return result
    key, noun, name = _LISTINGS[asked.method]
    entries = result.get(key)
    if not isinstance(entries, list):
        return result  # nothing to save: the SDK's own error says what is missing
    result = {member: value for member, value in result.items() if value is not None}
    kept: list[Any] = []
    for number, entry in enumerate(entries, 1):
        entry = _without_nulls(entry)
        reason = _why_not(asked, {**result, key: [entry]})
        if reason is None:
            kept.append(entry)
            continue
        label = entry.get(name) if isinstance(entry, dict) else None
        warn(f"{noun} {label!r} (number {number} of the list) is malformed and left out: {reason}")
    return {**result, key: kept}


def _why_not(asked: Asked, result: Frame) -> str | None:
    """Why the SDK would refuse `result`; None if it would not, or if this is not its business."""
    try:
        parse_server_result(asked.method, asked.version, result)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"] if not isinstance(part, int))
        return f"{where}: {first['msg']}"
    except (KeyError, ValueError):
        return None
    return None


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: each if key in _SCHEMAS else _without_nulls(each)
            for key, each in value.items()
            if each is not None
        }
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value


def _content(result: Frame, warn: Warn) -> Frame:
    if result.get("resultType") not in (None, "complete"):
        return result
    content = result.get("content")
    if content is None:
        return {**result, "content": []}
    if not isinstance(content, list):
        return result
    if all(isinstance(item, dict) and item.get("type") in _CONTENT_TYPES for item in content):
        return result
    return {**result, "content": [_content_item(item, warn) for item in content]}


def _content_item(item: Any, warn: Warn) -> Any:
    if isinstance(item, dict) and item.get("type") in _CONTENT_TYPES:
        return item
    kind = item.get("type") if isinstance(item, dict) else type(item).__name__
    warn(f"a tool result holds content of unknown type {kind!r}; it is shown as text")
    return {"type": "text", "text": item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)}


def _contents(result: Frame, asked: Asked, warn: Warn) -> Frame:
    contents = result.get("contents")
    if not isinstance(contents, list) or asked.uri is None:
        return result
    if all(not isinstance(each, dict) or isinstance(each.get("uri"), str) for each in contents):
        return result
    warn(f"the contents of {asked.uri} do not say their uri; it was filled in")
    return {
        **result,
        "contents": [
            {**each, "uri": asked.uri}
            if isinstance(each, dict) and not isinstance(each.get("uri"), str)
            else each
            for each in contents
        ],
    }
