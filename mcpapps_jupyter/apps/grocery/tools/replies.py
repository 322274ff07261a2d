"""How a tool answers: typed data for programs, and the same in a few lines of text for whoever reads."""

from collections.abc import Iterable, Sequence
from typing import Any

from mcp.types import CallToolResult, TextContent

from ..models import InventoryRow, Wire
from ..wording import on_hand


def reply(data: Wire | Sequence[Wire], *text: str) -> CallToolResult:
    """Answer with `data` as structured content and the lines of `text` as content.

    A list travels as `{"result": [...]}`, because structured content has to be an object.
    """
    structured: dict[str, Any]
    if isinstance(data, Wire):
        structured = data.model_dump(mode="json")
    else:
        structured = {"result": [item.model_dump(mode="json") for item in data]}
    return CallToolResult(
        content=[TextContent(type="text", text="\n".join(text))], structured_content=structured
    )


def row_lines(rows: Iterable[InventoryRow]) -> list[str]:
    """Write each row as a line, with the ids that other tools ask for."""
    return [row_line(row) for row in rows]


def row_line(row: InventoryRow) -> str:
    """Write one row as a line, with the ids that other tools ask for."""
    return f"{row.product} [{row.product_id}] at {row.store} [{row.store_id}]: {on_hand(row)}"
