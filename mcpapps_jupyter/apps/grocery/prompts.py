"""Prompts: questions about the stock, filled with today's figures."""

from typing import Annotated, get_args

from mcp.server.mcpserver import MCPServer
from pydantic import Field

from . import reports
from .errors import NotFoundError
from .glossary import TERMS
from .models import Urgency
from .service import GroceryService
from .tools.replies import row_lines
from .wording import amount, days

URGENCIES: tuple[str, ...] = get_args(Urgency)

_TONE = {
    "routine": "A friendly order for the next regular delivery.",
    "urgent": "Ask for delivery ahead of schedule, and for a confirmation today.",
    "emergency": "Shelves are empty: ask for delivery within a day, and offer to fetch the goods.",
}


def register_prompts(server: MCPServer, service: GroceryService) -> None:
    """Add the prompts to `server`."""

    @server.prompt(title="Analyze a store")
    def analyze_store_performance(
        store: Annotated[str, Field(description="Name or id of the store")],
    ) -> str:
        """Ask for an analysis of one store's stock."""
        summary = reports.store_summary(service, service.catalogue.store_named(store).id)
        shelves = "\n".join(
            f"- {line.name}: {line.totals.units} units, ${line.totals.stock_value:,.2f}, "
            f"{line.totals.low} low, {line.totals.out} of them out"
            for line in summary.categories
        )
        low = "\n".join(f"- {line}" for line in row_lines(summary.low_stock)) or "- nothing"
        return (
            f"Analyze the stock of {summary.store.name} in {summary.store.city}, worth "
            f"${summary.totals.stock_value:,.2f}.\n\nBy category:\n{shelves}\n\nLow or out:\n{low}\n\n"
            "Which category needs attention first, and why? What would you order today? What is over-stocked?"
        )

    @server.prompt(title="Draft a supplier order")
    def draft_supplier_order(
        supplier: Annotated[str, Field(description="Name or id of the supplier")],
        urgency: Annotated[str, Field(description="routine, urgent or emergency")] = "routine",
    ) -> str:
        """Ask for an order to one supplier, with all that its products need."""
        if urgency not in URGENCIES:
            raise NotFoundError(f"There is no urgency {urgency!r}. Known are: {', '.join(URGENCIES)}.")
        chosen = service.catalogue.supplier_named(supplier)
        items = [item for item in reports.recommendations(service) if item.supplier_id == chosen.id]
        lines = "\n".join(
            f"- {amount(item.order_quantity, item.unit)} of {item.product} to {item.store}, ${item.cost:,.2f}"
            for item in items
        )
        cost = sum(item.cost for item in items)
        return (
            f"Write an e-mail to {chosen.contact} of {chosen.name} <{chosen.email}> that orders:\n"
            f"{lines or '- nothing is low; ask for their current offers instead'}\n\n"
            f"Together ${cost:,.2f}; their smallest order is ${chosen.minimum_order:,.0f}, "
            f"and they need {days(chosen.lead_time_days)}. Urgency: {urgency}. {_TONE[urgency]}"
        )

    @server.prompt(title="Explain an inventory term")
    def explain_inventory_term(
        term: Annotated[str, Field(description="Such as 'reorder point'")],
    ) -> str:
        """Ask what a word of the trade means, with an example from these stores."""
        meaning = TERMS.get(term.strip().casefold())
        known = f" Our handbook says: {meaning}" if meaning else ""
        rows = service.low_stock()[:3]
        example = "\n".join(f"- {line}" for line in row_lines(rows))
        return (
            f"Explain the inventory term {term.strip()!r} to a new colleague in a few sentences.{known}\n\n"
            f"Use one of these shelves as an example:\n{example}"
        )
