# ruff: noqa: N803  (parameter names are the tools' argument names on the wire)
"""Tools that change the stock, and tell every resource that the change concerns."""

from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from ..changes import Changes
from ..models import InventoryRow
from ..service import GroceryService
from .replies import reply, row_line

StoreId = Annotated[int, Field(description="The store (get_stores lists them)")]
ProductId = Annotated[int, Field(description="The product (get_products lists them)")]


def register(server: MCPServer, service: GroceryService, changes: Changes) -> None:
    """Add the changing tools to `server`."""

    # Every change can be undone by the opposite one, so it is not destructive; two calls add twice, so not idempotent.
    @server.tool(
        title="Adjust stock",
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        ),
    )
    async def adjust_stock(
        storeId: StoreId,
        productId: ProductId,
        delta: Annotated[
            int, Field(description="Units to add; negative takes away. Stock never falls below zero")
        ],
        ctx: Context,
    ) -> Annotated[CallToolResult, InventoryRow]:
        """Add to the stock of a product in a store, or take away from it, and return the row as it is then."""
        row = service.adjust(storeId, productId, delta)
        await changes.announce(ctx, [row])
        return reply(row, row_line(row))

    # The recorded quantity is overwritten and cannot be had back: destructive. Twice the same count changes nothing more.
    @server.tool(
        title="Set counted stock",
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
        ),
    )
    async def set_inventory(
        storeId: StoreId,
        productId: ProductId,
        quantity: Annotated[int, Field(description="The counted quantity, zero or more")],
        ctx: Context,
    ) -> Annotated[CallToolResult, InventoryRow]:
        """Overwrite the recorded quantity with a counted one; adds the product to the store's range if it is new there."""
        row = service.set(storeId, productId, quantity)
        await changes.announce(ctx, [row])
        return reply(row, row_line(row))
