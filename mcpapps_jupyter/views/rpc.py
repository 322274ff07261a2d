"""JSON-RPC 2.0 as pages speak it: error codes, ids, and numbers that JSON does not have. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REFUSED = -32000

#: Levels of lists and objects; the SDK's models take some 250.
_DEEPEST = 200


class PageError(Exception):
    """A JSON-RPC error for the page."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


def valid_id(value: Any) -> bool:
    """Whether `value` may be a JSON-RPC id: a string or a finite number."""
    if isinstance(value, bool):
        return False
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def id_of(message: Any) -> Any:
    """The JSON-RPC id of what may be a message; None where it has no valid one."""
    found = message.get("id") if isinstance(message, Mapping) else None
    return found if valid_id(found) else None


def too_deep(value: Any) -> bool:
    """Whether `value` nests deeper than messages may; what copies or writes it would fail half-way."""
    level = [value]
    for _ in range(_DEEPEST):
        inside = [each.values() if isinstance(each, Mapping) else each for each in level if _holds(each)]
        level = [each for entries in inside for each in entries]
        if not level:
            return False
    return any(map(_holds, level))


def _holds(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple)


def finite(value: Any) -> Any:
    """`value` as JSON has it: numbers that it lacks (NaN, Infinity) are None, keys are text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [finite(entry) for entry in value]
    return value
