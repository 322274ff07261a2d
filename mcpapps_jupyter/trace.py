"""The trace of one page: all that is needed to show it again without its server, as one JSON file.

The file is an object with ``format`` and ``version``; `Trace` names the rest. Its messages are those
between page and host, each with its time, so it is also a record to read. Pure, but for the file itself.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from mcpapps_jupyter.errors import InvalidArguments

FORMAT = "mcpapps-trace"
VERSION = 1

JsonObject = Mapping[str, Any]


@dataclass(frozen=True)
class Trace:
    """One page and what was said about it.

    Attributes
    ----------
    app
        ``id``, ``name``, ``server`` (its ``serverInfo``) and ``protocolVersion`` of the app.
    tool
        The opening tool as its server listed it, or None for a bare resource.
    uri
        The page's ``ui://`` address.
    page
        ``html``, its ``_meta`` as far as it was granted, and the whole ``policy`` of its frame; or None
        where it was never loaded.
    arguments, result
        What the tool was opened with, and its ``CallToolResult``; None while there is none.
    listings
        ``tools``, ``resources``, ``resourceTemplates`` and ``prompts`` as the server listed them.
    messages
        Each with ``at`` (ISO 8601, UTC), ``direction``, ``frame``, ``kind``, ``method``, ``durationMs``,
        ``status``, ``size`` (bytes) and the JSON-RPC ``message``.
    dropped
        How many older messages were no longer kept.
    """

    app: JsonObject
    uri: str
    tool: JsonObject | None = None
    page: JsonObject | None = None
    arguments: JsonObject = field(default_factory=dict)
    result: JsonObject | None = None
    listings: Mapping[str, Sequence[JsonObject]] = field(default_factory=dict)
    messages: Sequence[JsonObject] = ()
    dropped: int = 0

    def to_wire(self) -> dict[str, Any]:
        """The whole file as a JSON object."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "saved": iso(datetime.now(timezone.utc).timestamp()),
            "app": dict(self.app),
            "tool": self.tool,
            "uri": self.uri,
            "arguments": self.arguments,
            "result": self.result,
            "page": self.page,
            "listings": self.listings,
            "dropped": self.dropped,
            "messages": list(self.messages),
        }

    @classmethod
    def from_wire(cls, wire: Any, source: str = "this") -> Trace:
        """Read what `to_wire` gave.

        Raises
        ------
        InvalidArguments
            It is no trace, or one of a newer version; the text begins with `source`.
        """
        if not isinstance(wire, Mapping) or wire.get("format") != FORMAT:
            raise InvalidArguments(f'{source} is no trace: it has no "format": "{FORMAT}"')
        version = wire.get("version")
        if not isinstance(version, int) or version < 1:
            raise InvalidArguments(f"{source}: the version of the trace is missing")
        if version > VERSION:
            raise InvalidArguments(
                f"{source}: the trace has version {version}; this version of mcpapps_jupyter reads {VERSION}"
            )
        uri = wire.get("uri")
        if not isinstance(uri, str):
            raise InvalidArguments(f"{source}: the trace names no page (uri)")
        listings = _mapping(wire.get("listings")) or {}
        dropped = wire.get("dropped")
        return cls(
            app=_mapping(wire.get("app")) or {},
            uri=uri,
            tool=_mapping(wire.get("tool")),
            page=_mapping(wire.get("page")),
            arguments=_mapping(wire.get("arguments")) or {},
            result=_mapping(wire.get("result")),
            listings={str(key): _mappings(entries) for key, entries in listings.items()},
            messages=_mappings(wire.get("messages")),
            dropped=dropped if isinstance(dropped, int) else 0,
        )


def write_trace(trace: Trace, path: str | os.PathLike[str], hide: Callable[[str], str]) -> Path:
    """Write `trace` with its secrets masked; a file that is there is replaced as a whole.

    Raises
    ------
    InvalidArguments
        It cannot be written there, in one line.
    """
    target = Path(path).expanduser()
    if target.is_dir():
        raise InvalidArguments(f"{target} is a folder; a trace is saved as a file, for example trace.json")
    if not target.parent.is_dir():
        raise InvalidArguments(f"There is no folder {target.parent} to save {target.name} in.")
    text = json.dumps(masked(trace.to_wire(), hide), ensure_ascii=False, indent=1)
    scratch = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        try:
            # A page may hold half a surrogate pair, which UTF-8 cannot.
            scratch.write_text(text, encoding="utf-8", errors="replace", newline="\n")
            scratch.replace(target)
        finally:
            scratch.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidArguments(f"{target} cannot be written: {error.strerror or error}") from None
    return target


def read_trace(what: str | os.PathLike[str] | Mapping[str, Any]) -> Trace:
    """A trace from its file, or from the object that the file holds.

    Raises
    ------
    InvalidArguments
        It cannot be read or is no trace, in one line.
    """
    if isinstance(what, Mapping):
        return Trace.from_wire(what, "This object")
    path = Path(what).expanduser()
    try:
        wire = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InvalidArguments(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidArguments(f"{path} is no trace: it is not JSON ({str(error).splitlines()[0]})") from None
    return Trace.from_wire(wire, str(path))


def masked(value: Any, hide: Callable[[str], str]) -> Any:
    """`value` with the secrets in its texts, keys and numbers masked, as JSON that every reader takes."""
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, Mapping):
        return {hide(str(key)): masked(entry, hide) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [masked(entry, hide) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        shown = hide(str(value))
        return value if shown == str(value) else shown
    return value


def iso(at: float) -> str:
    """Seconds since the epoch as ISO 8601 in UTC, to the millisecond."""
    moment = datetime.fromtimestamp(at, timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _mapping(value: Any) -> JsonObject | None:
    return value if isinstance(value, Mapping) else None


def _mappings(value: Any) -> tuple[JsonObject, ...]:
    items = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
    return tuple(item for item in items if isinstance(item, Mapping))
