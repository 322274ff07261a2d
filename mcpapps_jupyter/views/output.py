"""Emits one output into the running cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from IPython.display import display


def emit(data: Mapping[str, Any], metadata: Mapping[str, Any] | None = None) -> None:
    """Display a ready mimebundle."""
    cast("Any", display)(dict(data), metadata=dict(metadata or {}), raw=True)
