"""How a tool answers: typed data for programs, and the same in a few lines of text for whoever reads."""

from collections.abc import Sequence

from mcp.types import CallToolResult, TextContent

from ..models import InventoryRow, Wire


def reply(data: Wire | Sequence[Wire], text: str) -> CallToolResult:
    """`data` as structured content, `text` as content.

    A list travels as `{"result": [...]}`, because structured content has to be an object.
    """
    if isinstance(data, Wire):
        structured = data.model_dump(mode="json")
    else:
        structured = {"result": [item.model_dump(mode="json") for item in data]}
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)


def row_line(row: InventoryRow) -> str:
    """One stock row as a line of text, with the ids that other tools ask for."""
    note = {"ok": "", "low": f", LOW (reorder at {row.reorder_point})", "out": ", OUT OF STOCK"}[row.status]
    return f"{row.store} [{row.store_id}] / {row.product} [{row.product_id}]: {row.quantity} {row.unit}{note}"


def lines(header: str, items: Sequence[str]) -> str:
    """A header and one line an item."""
    return "\n".join([header, *items])
