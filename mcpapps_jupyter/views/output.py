"""Emits outputs into the running cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def emit(
    data: Mapping[str, Any], metadata: Mapping[str, Any] | None = None, *, display_id: str | None = None
) -> None:
    """Display a ready mimebundle; one with a `display_id` can be replaced later."""
    from IPython.display import display  # a notebook has it already, a plain import need not

    more = {"display_id": display_id} if display_id else {}
    cast("Any", display)(dict(data), metadata=dict(metadata or {}), raw=True, **more)


def replace(data: Mapping[str, Any], display_id: str) -> None:
    """Replace what was displayed under `display_id`, wherever it stands by now."""
    from IPython.display import update_display

    cast("Any", update_display)(dict(data), raw=True, display_id=display_id)
