# ruff: noqa: A002, N803  (parameter names are the tools' argument names on the wire)
"""Tools that look and change nothing."""

from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from ..models import Category, InventoryRow, Product, Store, Supplier
from ..service import GroceryService
from .replies import lines, reply, row_line

READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)

StoreId = Annotated[int | None, Field(description="Only this store (get_stores lists them)")]
ProductId = Annotated[int | None, Field(description="Only this product (get_products lists them)")]


def register(server: MCPServer, service: GroceryService) -> None:
    """Add the read-only tools to `server`."""

    @server.tool(title="Categories", annotations=READ_ONLY)
    def get_categories(
        id: Annotated[int | None, Field(description="Only this category")] = None,
    ) -> Annotated[CallToolResult, list[Category]]:
        """The departments of the shops, such as Bakery or Drinks."""
        found = service.categories(id)
        return reply(
            found, lines(f"{len(found)} categories", [f"{c.id}: {c.name} - {c.description}" for c in found])
        )

    @server.tool(title="Products", annotations=READ_ONLY)
    def get_products(
        id: Annotated[int | None, Field(description="Only this product")] = None,
        categoryId: Annotated[int | None, Field(description="Only products of this category")] = None,
        supplierId: Annotated[int | None, Field(description="Only products of this supplier")] = None,
    ) -> Annotated[CallToolResult, list[Product]]:
        """What the shops sell, with unit, price, category and supplier."""
        found = service.products(id, categoryId, supplierId)
        return reply(
            found,
            lines(
                f"{len(found)} products", [f"{p.id}: {p.name}, ${p.unit_price:.2f} a {p.unit}" for p in found]
            ),
        )

    @server.tool(title="Suppliers", annotations=READ_ONLY)
    def get_suppliers(
        id: Annotated[int | None, Field(description="Only this supplier")] = None,
    ) -> Annotated[CallToolResult, list[Supplier]]:
        """Who delivers, with contact, lead time and smallest order."""
        found = service.suppliers(id)
        return reply(
            found,
            lines(
                f"{len(found)} suppliers",
                [
                    f"{s.id}: {s.name}, {s.contact} <{s.email}>, {s.lead_time_days} days, at least ${s.minimum_order:.0f}"
                    for s in found
                ],
            ),
        )

    @server.tool(title="Stores", annotations=READ_ONLY)
    def get_stores(
        id: Annotated[int | None, Field(description="Only this store")] = None,
    ) -> Annotated[CallToolResult, list[Store]]:
        """The branches of the chain, with address, manager and opening hours."""
        found = service.stores(id)
        return reply(
            found,
            lines(
                f"{len(found)} stores",
                [f"{s.id}: {s.name}, {s.address}, {s.city} ({s.opening_hours})" for s in found],
            ),
        )

    @server.tool(title="Inventory", annotations=READ_ONLY)
    def get_inventory(
        storeId: StoreId = None, productId: ProductId = None
    ) -> Annotated[CallToolResult, list[InventoryRow]]:
        """How much of each product each store has, with reorder point, value and status (ok, low or out)."""
        found = service.inventory(storeId, productId)
        return reply(found, lines(f"{len(found)} stock rows", [row_line(row) for row in found]))

    @server.tool(title="Low stock", annotations=READ_ONLY)
    def get_low_stock(storeId: StoreId = None) -> Annotated[CallToolResult, list[InventoryRow]]:
        """The stock rows at or below their reorder point, emptiest first."""
        found = service.low_stock(storeId)
        return reply(found, lines(f"{len(found)} rows are low or out", [row_line(row) for row in found]))
