# ruff: noqa: A002, N803  (parameter names are the tools' argument names on the wire)
"""Tools that look and change nothing."""

from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from .. import reports
from ..models import Category, InventoryRow, Product, Recommendation, Store, Supplier
from ..service import GroceryService
from ..wording import amount, counted, days
from .replies import reply, row_lines

READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)

StoreFilter = Annotated[int | None, Field(description="Only this store; get_stores lists the ids")]
ProductFilter = Annotated[int | None, Field(description="Only this product; get_products lists the ids")]


def register(server: MCPServer, service: GroceryService) -> None:
    """Add the read-only tools to `server`."""
    catalogue = service.catalogue

    @server.tool(title="Categories", annotations=READ_ONLY)
    def get_categories(
        id: Annotated[int | None, Field(description="Only this category")] = None,
    ) -> Annotated[CallToolResult, list[Category]]:
        """List the departments of the shops, such as Bakery or Drinks."""
        found = catalogue.categories(id)
        return reply(found, *(f"{item.id}: {item.name} - {item.description}" for item in found))

    @server.tool(title="Products", annotations=READ_ONLY)
    def get_products(
        id: Annotated[int | None, Field(description="Only this product")] = None,
        categoryId: Annotated[int | None, Field(description="Only products of this category")] = None,
        supplierId: Annotated[int | None, Field(description="Only products of this supplier")] = None,
    ) -> Annotated[CallToolResult, list[Product]]:
        """List what the shops sell, with unit, price, category and supplier."""
        found = catalogue.products(id, categoryId, supplierId)
        return reply(
            found,
            counted(len(found), "product"),
            *(f"{item.id}: {item.name}, ${item.unit_price:.2f} a {item.unit}" for item in found),
        )

    @server.tool(title="Suppliers", annotations=READ_ONLY)
    def get_suppliers(
        id: Annotated[int | None, Field(description="Only this supplier")] = None,
    ) -> Annotated[CallToolResult, list[Supplier]]:
        """List who delivers, with contact, lead time and smallest order."""
        found = catalogue.suppliers(id)
        return reply(
            found,
            *(
                f"{item.id}: {item.name}, {item.contact} <{item.email}>, "
                f"{days(item.lead_time_days)}, at least ${item.minimum_order:.0f}"
                for item in found
            ),
        )

    @server.tool(title="Stores", annotations=READ_ONLY)
    def get_stores(
        id: Annotated[int | None, Field(description="Only this store")] = None,
    ) -> Annotated[CallToolResult, list[Store]]:
        """List the branches of the chain, with address, manager and opening hours."""
        found = catalogue.stores(id)
        return reply(
            found,
            *(
                f"{item.id}: {item.name}, {item.address}, {item.city} ({item.opening_hours})"
                for item in found
            ),
        )

    @server.tool(title="Inventory", annotations=READ_ONLY)
    def get_inventory(
        storeId: StoreFilter = None, productId: ProductFilter = None
    ) -> Annotated[CallToolResult, list[InventoryRow]]:
        """List how much of each product each store has, with reorder point, value and status."""
        found = service.inventory(storeId, productId)
        return reply(found, counted(len(found), "row"), *row_lines(found))

    @server.tool(title="Low stock", annotations=READ_ONLY)
    def get_low_stock(storeId: StoreFilter = None) -> Annotated[CallToolResult, list[InventoryRow]]:
        """List the rows at or below their reorder point, emptiest first."""
        found = service.low_stock(storeId)
        return reply(found, f"{counted(len(found), 'row')} low or out of stock", *row_lines(found))

    @server.tool(title="Restock recommendations", annotations=READ_ONLY)
    def restock_recommendations(
        storeId: StoreFilter = None,
    ) -> Annotated[CallToolResult, list[Recommendation]]:
        """Recommend what to order for every low row, the most pressing first."""
        found = reports.recommendations(service, storeId)
        return reply(
            found,
            f"{counted(len(found), 'order')} recommended, ${sum(item.cost for item in found):,.2f} together",
            *(
                f"{item.urgency.upper()}: {amount(item.order_quantity, item.unit)} of {item.product} "
                f"for {item.store} from {item.supplier}, {days(item.lead_time_days)}, ${item.cost:,.2f}"
                for item in found
            ),
        )
