"""The addresses of the app's resources, in one place."""

from collections.abc import Iterable

from .models import InventoryRow

DASHBOARD = "ui://grocery/store-dashboard.html"
CHAIN_SUMMARY = "inventory://summary"
STORE_SUMMARY = "inventory://stores/{storeId}/summary"
PRODUCT_DETAILS = "inventory://products/{productId}/details"


def touched_by(rows: Iterable[InventoryRow]) -> list[str]:
    """Every resource that tells something else once these rows have changed."""
    changed = {CHAIN_SUMMARY: None}  # a dict keeps the order and drops doubles
    for row in rows:
        changed[STORE_SUMMARY.format(storeId=row.store_id)] = None
        changed[PRODUCT_DETAILS.format(productId=row.product_id)] = None
    return list(changed)
