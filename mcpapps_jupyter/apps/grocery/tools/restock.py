# ruff: noqa: N803  (parameter names are the tools' argument names on the wire)
"""A tool that asks its way to a delivery: which store, which product, how much, and is that right."""

from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from .. import reports
from ..errors import NotFoundError
from ..models import InventoryRow, Outcome, Store
from ..service import GroceryService
from ..updates import Updates
from ..wording import amount, days, on_hand
from .changing import ADDS
from .questions import Answer, answered, choice_of, units_up_to
from .replies import reply, row_line

MOST_UNITS = 999


class Confirmation(BaseModel):
    """Book the delivery in, or not."""

    confirm: bool = Field(default=True, title="Book this delivery")


def register(server: MCPServer, service: GroceryService, updates: Updates) -> None:
    """Add `guided_restock` to `server`."""

    def ask_store(storeId: int | None) -> Any:
        if storeId is not None:
            return None
        low = [row.store for row in service.low_stock()]
        if not low:
            raise NotFoundError("Nothing is low in any store.")
        names = [store.name for store in service.catalogue.stores() if store.name in low]
        counts = ", ".join(f"{name} ({low.count(name)} low)" for name in names)
        return Elicit(f"Which store should be restocked? {counts}", choice_of(names, "Store"))

    def store(storeId: int | None, asked: Annotated[Answer, Resolve(ask_store)]) -> Store:
        if storeId is not None:
            return service.catalogue.store(storeId)
        return service.catalogue.store_named(answered(asked).choice)

    def ask_product(store: Annotated[Store, Resolve(store)]) -> Any:
        low = service.low_stock(store.id)
        if not low:
            raise NotFoundError(f"Nothing is low at {store.name}.")
        lines = "\n".join(f"{row.product}: {on_hand(row)}" for row in low)
        return Elicit(
            f"What should {store.name} restock?\n{lines}", choice_of([row.product for row in low], "Product")
        )

    def row(
        store: Annotated[Store, Resolve(store)], asked: Annotated[Answer, Resolve(ask_product)]
    ) -> InventoryRow:
        name = answered(asked).choice
        return next(row for row in service.inventory(store.id) if row.product == name)

    def ask_units(row: Annotated[InventoryRow, Resolve(row)]) -> Any:
        advice = reports.recommend(service, row)
        return Elicit(
            f"How much {row.product} for {row.store}? {amount(row.quantity, row.unit)} on hand, "
            f"{row.target_level} when full. {row.supplier} delivers in {days(advice.lead_time_days)} "
            f"at ${row.unit_price:.2f} a {row.unit}.",
            units_up_to(MOST_UNITS, advice.order_quantity),
        )

    def ask_confirmation(
        row: Annotated[InventoryRow, Resolve(row)], units: Annotated[Answer, Resolve(ask_units)]
    ) -> Any:
        count = answered(units).units
        return Elicit(
            f"Book {amount(count, row.unit)} of {row.product} from {row.supplier} into {row.store} "
            f"for ${count * row.unit_price:,.2f}?",
            Confirmation,
        )

    @server.tool(title="Guided restock", annotations=ADDS)
    async def guided_restock(
        row: Annotated[InventoryRow, Resolve(row)],
        units: Annotated[Answer, Resolve(ask_units)],
        confirmation: Annotated[Answer, Resolve(ask_confirmation)],
        ctx: Context,
        storeId: Annotated[
            int | None, Field(description="The store to restock; asked for if left out")
        ] = None,
    ) -> Annotated[CallToolResult, Outcome]:
        """Restock one low product: asks for store, product, quantity and confirmation."""
        if not answered(confirmation).confirm:
            return reply(
                Outcome(done=False, message="Not booked. Nothing was changed.", rows=[]), "Not booked."
            )
        changed = service.adjust(row.store_id, row.product_id, answered(units).units)
        await updates.announce(ctx, [changed])
        message = f"Delivery booked in. {row_line(changed)}"
        return reply(Outcome(done=True, message=message, rows=[changed]), message)
