# ruff: noqa: N803  (parameter names are the tools' argument names on the wire)
"""Tools that change the stock at once, and tell every resource that the change concerns.

They are `async` only because telling is; tools that have nothing to await are better off as plain functions.
"""

from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from ..models import InventoryRow
from ..service import GroceryService
from ..updates import Updates
from .replies import reply, row_line

StoreId = Annotated[int, Field(description="The store; get_stores lists the ids")]
ProductId = Annotated[int, Field(description="The product; get_products lists the ids")]

# The opposite change undoes it, so nothing is destroyed; but two calls add twice.
ADDS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
# What was recorded before is gone; but a second call with the same count changes nothing more.
OVERWRITES = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)


def register(server: MCPServer, service: GroceryService, updates: Updates) -> None:
    """Add the changing tools to `server`."""

    @server.tool(title="Adjust stock", annotations=ADDS)
    async def adjust_stock(
        storeId: StoreId,
        productId: ProductId,
        delta: Annotated[int, Field(description="Units to add; negative takes away, but never below zero")],
        ctx: Context,
    ) -> Annotated[CallToolResult, InventoryRow]:
        """Add to the stock of a product in a store, or take away from it; returns the row as it is then."""
        row = service.adjust(storeId, productId, delta)
        await updates.announce(ctx, [row])
        return reply(row, row_line(row))

    @server.tool(title="Set counted stock", annotations=OVERWRITES)
    async def set_inventory(
        storeId: StoreId,
        productId: ProductId,
        quantity: Annotated[int, Field(description="The counted quantity, zero or more")],
        ctx: Context,
    ) -> Annotated[CallToolResult, InventoryRow]:
        """Overwrite the recorded quantity by a counted one; a product new to the store joins its range."""
        row = service.count(storeId, productId, quantity)
        await updates.announce(ctx, [row])
        return reply(row, row_line(row))
