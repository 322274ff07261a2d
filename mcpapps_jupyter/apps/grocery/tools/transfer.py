# ruff: noqa: N803  (parameter names are the tools' argument names on the wire)
"""A tool that moves stock from one store to another, and asks for what it was not told."""

from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.types import CallToolResult
from pydantic import Field

from ..errors import NotFoundError
from ..models import InventoryRow, Outcome, Product
from ..service import GroceryService
from ..updates import Updates
from ..wording import amount, on_hand
from .changing import ADDS
from .questions import Answer, answered, choice_of, units_up_to
from .replies import reply, row_lines

ProductId = Annotated[int | None, Field(description="What to move; asked for if left out")]
FromStoreId = Annotated[int | None, Field(description="Where to take it; asked for if left out")]
ToStoreId = Annotated[int | None, Field(description="Where to bring it; asked for if left out")]
Quantity = Annotated[int | None, Field(description="How many units to move; asked for if left out")]


def register(server: MCPServer, service: GroceryService, updates: Updates) -> None:
    """Add `transfer_stock_between_stores` to `server`."""

    def ask_product(productId: int | None) -> Any:
        if productId is not None:
            return None
        # What is low somewhere comes first: that is what people move.
        low = [row.product for row in service.low_stock()]
        names = list(dict.fromkeys([*low, *(product.name for product in service.catalogue.products())]))
        return Elicit("Which product should be moved?", choice_of(names, "Product"))

    def product(productId: int | None, asked: Annotated[Answer, Resolve(ask_product)]) -> Product:
        if productId is not None:
            return service.catalogue.product(productId)
        name = answered(asked).choice
        return next(product for product in service.catalogue.products() if product.name == name)

    def ask_source(product: Annotated[Product, Resolve(product)], fromStoreId: int | None) -> Any:
        if fromStoreId is not None:
            return None
        rows = [row for row in service.inventory(product_id=product.id) if row.quantity > 0]
        if not rows:
            raise NotFoundError(f"No store has any {product.name}.")
        lines = "\n".join(f"{row.store}: {on_hand(row)}" for row in rows)
        return Elicit(
            f"Where should {product.name} be taken?\n{lines}", choice_of([r.store for r in rows], "From")
        )

    def source(
        product: Annotated[Product, Resolve(product)],
        fromStoreId: int | None,
        asked: Annotated[Answer, Resolve(ask_source)],
    ) -> InventoryRow:
        store = (
            fromStoreId
            if fromStoreId is not None
            else service.catalogue.store_named(answered(asked).choice).id
        )
        return service.row(store, product.id)

    def ask_target(source: Annotated[InventoryRow, Resolve(source)], toStoreId: int | None) -> Any:
        if toStoreId is not None:
            return None
        rows = [
            row for row in service.inventory(product_id=source.product_id) if row.store_id != source.store_id
        ]
        rows.sort(key=lambda row: row.quantity / row.target_level)
        lines = "\n".join(f"{row.store}: {on_hand(row)}" for row in rows)
        return Elicit(
            f"Which store should get {source.product} from {source.store}?\n{lines}",
            choice_of([row.store for row in rows], "To"),
        )

    def target(
        source: Annotated[InventoryRow, Resolve(source)],
        toStoreId: int | None,
        asked: Annotated[Answer, Resolve(ask_target)],
    ) -> InventoryRow:
        store = (
            toStoreId if toStoreId is not None else service.catalogue.store_named(answered(asked).choice).id
        )
        return service.row(store, source.product_id)

    def ask_units(
        source: Annotated[InventoryRow, Resolve(source)],
        target: Annotated[InventoryRow, Resolve(target)],
        quantity: int | None,
    ) -> Any:
        # Nothing to ask where the answer cannot matter: the tool's body says what is wrong.
        if quantity is not None or source.store_id == target.store_id or source.quantity == 0:
            return None
        spare = max(1, source.quantity - source.reorder_point)
        wanted = max(1, target.target_level - target.quantity)
        return Elicit(
            f"How much {source.product}? {source.store} has {amount(source.quantity, source.unit)} "
            f"(reorder at {source.reorder_point}), "
            f"{target.store} has {target.quantity} of {target.target_level}.",
            units_up_to(source.quantity, min(spare, wanted)),
        )

    @server.tool(title="Transfer between stores", annotations=ADDS)
    async def transfer_stock_between_stores(
        source: Annotated[InventoryRow, Resolve(source)],
        target: Annotated[InventoryRow, Resolve(target)],
        units: Annotated[Answer, Resolve(ask_units)],
        ctx: Context,
        productId: ProductId = None,
        fromStoreId: FromStoreId = None,
        toStoreId: ToStoreId = None,
        quantity: Quantity = None,
    ) -> Annotated[CallToolResult, Outcome]:
        """Move units of one product from one store to another, and ask for whatever is not given."""
        if quantity is None:
            form = answered(units)
            quantity = form.units if form is not None else 1
        rows = service.transfer(source.product_id, source.store_id, target.store_id, quantity)
        await updates.announce(ctx, rows)
        moved = amount(quantity, source.unit)
        message = f"Moved {moved} of {source.product} from {source.store} to {target.store}."
        return reply(Outcome(done=True, message=message, rows=rows), message, *row_lines(rows))
