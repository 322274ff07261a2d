"""Views on the stock that are computed from its rows: totals, summaries, what to order."""

from __future__ import annotations

from collections.abc import Sequence

from .models import (
    CategorySummary,
    ChainSummary,
    Dashboard,
    InventoryRow,
    ProductDetails,
    Recommendation,
    StoreSummary,
    StoreTotals,
    Totals,
    Urgency,
)
from .service import GroceryService


def totals(rows: Sequence[InventoryRow]) -> Totals:
    """Add the rows up to key figures."""
    return Totals(
        rows=len(rows),
        units=sum(row.quantity for row in rows),
        stock_value=round(sum(row.stock_value for row in rows), 2),
        low=sum(row.status != "ok" for row in rows),
        out=sum(row.status == "out" for row in rows),
    )


def dashboard(service: GroceryService, store_id: int | None) -> Dashboard:
    """Collect everything that the page shows first."""
    revision = service.revision  # read first: a change that comes between is then shown twice, not lost
    rows = service.inventory(store_id)
    return Dashboard(
        revision=revision,
        store_id=store_id,
        stores=service.catalogue.stores(),
        categories=service.catalogue.categories(),
        totals=totals(rows),
        rows=rows,
    )


def chain_summary(service: GroceryService) -> ChainSummary:
    """Sum up all stores, with a line for each."""
    revision = service.revision
    rows = service.inventory()
    return ChainSummary(
        revision=revision,
        totals=totals(rows),
        stores=[
            StoreTotals(
                id=store.id, name=store.name, totals=totals([r for r in rows if r.store_id == store.id])
            )
            for store in service.catalogue.stores()
        ],
    )


def store_summary(service: GroceryService, store_id: int) -> StoreSummary:
    """Sum up one store by category, with the rows that need somebody."""
    rows = service.inventory(store_id)
    return StoreSummary(
        store=service.catalogue.store(store_id),
        totals=totals(rows),
        categories=[
            CategorySummary(
                id=category.id,
                name=category.name,
                totals=totals([r for r in rows if r.category_id == category.id]),
            )
            for category in service.catalogue.categories()
        ],
        low_stock=service.low_stock(store_id),
    )


def product_details(service: GroceryService, product_id: int) -> ProductDetails:
    """Collect what there is to know about one product, with its stock in every store."""
    product = service.catalogue.product(product_id)
    rows = service.inventory(product_id=product_id)
    return ProductDetails(
        product=product,
        category=service.catalogue.category(product.category_id),
        supplier=service.catalogue.supplier(product.supplier_id),
        totals=totals(rows),
        stores=rows,
    )


def recommendations(service: GroceryService, store_id: int | None = None) -> list[Recommendation]:
    """Say what to order for every low row: as much as fills the shelf, the most pressing first."""
    return [recommend(service, row) for row in service.low_stock(store_id)]


def recommend(service: GroceryService, row: InventoryRow) -> Recommendation:
    """Say what to order for one row."""
    supplier = service.catalogue.supplier(row.supplier_id)
    missing = max(1, row.target_level - row.quantity)
    return Recommendation(
        store_id=row.store_id,
        store=row.store,
        product_id=row.product_id,
        product=row.product,
        unit=row.unit,
        quantity=row.quantity,
        reorder_point=row.reorder_point,
        order_quantity=missing,
        supplier_id=supplier.id,
        supplier=supplier.name,
        lead_time_days=supplier.lead_time_days,
        cost=round(missing * row.unit_price, 2),
        urgency=_urgency(row),
    )


def _urgency(row: InventoryRow) -> Urgency:
    if row.status == "out":
        return "emergency"
    return "urgent" if row.quantity * 2 <= row.reorder_point else "routine"
