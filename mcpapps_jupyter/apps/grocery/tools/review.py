# ruff: noqa: N803  (parameter names are the tools' argument names on the wire)
"""A tool that walks the user through the emptiest shelves, one question at a time."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from .. import reports
from ..models import Outcome
from ..service import GroceryService
from ..updates import Updates
from ..wording import amount, on_hand
from .changing import ADDS
from .questions import Answer, answered
from .replies import reply, row_lines

Resolver = Callable[..., Any]


class Decision(BaseModel):
    """What to do about one low shelf."""

    decision: Literal["Restock", "Skip", "Stop here"] = Field(default="Restock", title="What to do")


def register(server: MCPServer, service: GroceryService, updates: Updates) -> None:
    """Add `review_low_stock` to `server`."""

    def nothing_before() -> None:
        return None

    def question(position: int, before: Resolver) -> Resolver:
        """Make the question about the row at `position`, to be asked after the one `before`."""

        def ask(storeId: int | None, earlier: Annotated[Answer, Resolve(before)]) -> Any:
            last = answered(earlier)
            low = service.low_stock(storeId)
            if position >= len(low) or (last is not None and last.decision == "Stop here"):
                return last
            row = low[position]
            advice = reports.recommend(service, row)
            return Elicit(
                f"{position + 1} of {min(len(low), 3)}: {row.product} at {row.store}, {on_hand(row)}.\n"
                f"Restock {amount(advice.order_quantity, row.unit)} from {row.supplier} "
                f"for ${advice.cost:,.2f}?",
                Decision,
            )

        return ask

    first = question(0, nothing_before)
    second = question(1, first)
    third = question(2, second)

    @server.tool(title="Review low stock", annotations=ADDS)
    async def review_low_stock(
        first: Annotated[Answer, Resolve(first)],
        second: Annotated[Answer, Resolve(second)],
        third: Annotated[Answer, Resolve(third)],
        ctx: Context,
        storeId: Annotated[int | None, Field(description="Only this store; all if left out")] = None,
    ) -> Annotated[CallToolResult, Outcome]:
        """Go through the three emptiest shelves with the user, and restock those that they say."""
        low = service.low_stock(storeId)
        if not low:
            message = "Nothing is low."
            return reply(Outcome(done=False, message=message, rows=[]), message)
        rows = []
        for row, outcome in zip(low, (first, second, third), strict=False):
            decision = answered(outcome).decision
            if decision == "Stop here":
                break
            if decision == "Restock":
                rows.append(service.adjust(row.store_id, row.product_id, row.target_level - row.quantity))
        await updates.announce(ctx, rows)
        message = f"Restocked {len(rows)} of the emptiest shelves." if rows else "Nothing was changed."
        return reply(Outcome(done=bool(rows), message=message, rows=rows), message, *row_lines(rows))
