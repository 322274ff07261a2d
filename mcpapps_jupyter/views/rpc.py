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


def finite(value: Any) -> Any:
    """`value` as JSON has it: numbers that it lacks (NaN, Infinity) are None, keys are text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [finite(entry) for entry in value]
    return value
