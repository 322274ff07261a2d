"""The chain's stock and what can be done with it. In memory, thread-safe, and without a word of MCP."""

from __future__ import annotations

from dataclasses import dataclass
from threading import RLock

from . import data
from .catalogue import Catalogue
from .errors import NotFoundError, RefusedError
from .models import InventoryRow, Status
from .wording import amount


@dataclass
class _Shelf:
    """What is recorded for one product in one store."""

    quantity: int
    reorder_point: int
    target_level: int
    revision: int = 0


class GroceryService:
    """The stock of all stores.

    Attributes
    ----------
    catalogue
        Stores, products, categories and suppliers.
    revision
        Raised by one with each change, so that a reader can ask for what is new since then.
    """

    def __init__(self) -> None:
        self.catalogue = Catalogue()
        self.revision = 0
        self._shelves = {key: _Shelf(*levels) for key, levels in data.opening_stock().items()}
        # The SDK runs `def` tools in worker threads, so two changes may come at the same moment.
        self._lock = RLock()

    def inventory(self, store_id: int | None = None, product_id: int | None = None) -> list[InventoryRow]:
        """List the rows that fit every filter given, ordered by store and product."""
        if store_id is not None:
            self.catalogue.store(store_id)
        if product_id is not None:
            self.catalogue.product(product_id)
        with self._lock:
            return [
                self._row(*key)
                for key in sorted(self._shelves)
                if store_id in (None, key[0]) and product_id in (None, key[1])
            ]

    def low_stock(self, store_id: int | None = None) -> list[InventoryRow]:
        """List the rows at or below their reorder point, emptiest first."""
        rows = [row for row in self.inventory(store_id) if row.status != "ok"]
        return sorted(rows, key=lambda row: (row.quantity / row.target_level, row.store_id, row.product_id))

    def row(self, store_id: int, product_id: int) -> InventoryRow:
        """Get one row; `NotFoundError` if the store does not carry the product."""
        store, product = self.catalogue.store(store_id), self.catalogue.product(product_id)
        with self._lock:
            if (store_id, product_id) not in self._shelves:
                raise NotFoundError(
                    f"{store.name} does not carry {product.name}. set_inventory can add it to the range."
                )
            return self._row(store_id, product_id)

    def changed_since(self, revision: int) -> tuple[int, list[InventoryRow]]:
        """List what changed after `revision`, with the revision now; everything if `revision` is not ours."""
        with self._lock:
            known = 0 <= revision <= self.revision
            keys = [
                key for key in sorted(self._shelves) if not known or self._shelves[key].revision > revision
            ]
            return self.revision, [self._row(*key) for key in keys]

    def adjust(self, store_id: int, product_id: int, delta: int) -> InventoryRow:
        """Add `delta` units (negative takes away) and return the row as it is then.

        Raises
        ------
        RefusedError
            If the stock would fall below zero; nothing has changed then.
        """
        with self._lock:
            row = self.row(store_id, product_id)
            if row.quantity + delta < 0:
                left = f"only {amount(row.quantity, row.unit)} of" if row.quantity else "no"
                raise RefusedError(
                    f"{row.store} has {left} {row.product} on hand, so {-delta} cannot be taken out. "
                    "Nothing was changed."
                )
            return self._write(store_id, product_id, row.quantity + delta)

    def count(self, store_id: int, product_id: int, quantity: int) -> InventoryRow:
        """Overwrite what was recorded by a counted `quantity`; takes the product into the range if it is new.

        Raises
        ------
        RefusedError
            If `quantity` is negative.
        """
        store, product = self.catalogue.store(store_id), self.catalogue.product(product_id)
        if quantity < 0:
            raise RefusedError(
                f"Stock cannot be negative: {quantity} was given for {product.name} at {store.name}. "
                "Nothing was changed."
            )
        with self._lock:
            return self._write(store_id, product_id, quantity)

    def transfer(self, product_id: int, from_store: int, to_store: int, quantity: int) -> list[InventoryRow]:
        """Move units between two stores. Both rows change, or neither.

        Raises
        ------
        RefusedError
            If the stores are the same one, `quantity` is not positive, or there is too little to move.
        """
        if from_store == to_store:
            raise RefusedError("A transfer needs two different stores. Nothing was changed.")
        if quantity < 1:
            raise RefusedError(f"A transfer moves at least 1 unit, not {quantity}. Nothing was changed.")
        with self._lock:
            self.row(to_store, product_id)  # fails before anything has moved
            return [
                self.adjust(from_store, product_id, -quantity),
                self.adjust(to_store, product_id, quantity),
            ]

    def _write(self, store_id: int, product_id: int, quantity: int) -> InventoryRow:
        self.revision += 1
        shelf = self._shelves.setdefault((store_id, product_id), _Shelf(0, reorder_point=5, target_level=20))
        shelf.quantity, shelf.revision = quantity, self.revision
        return self._row(store_id, product_id)

    def _row(self, store_id: int, product_id: int) -> InventoryRow:
        shelf = self._shelves[store_id, product_id]
        product = self.catalogue.product(product_id)
        return InventoryRow(
            store_id=store_id,
            store=self.catalogue.store(store_id).name,
            product_id=product_id,
            product=product.name,
            category_id=product.category_id,
            category=self.catalogue.category(product.category_id).name,
            supplier_id=product.supplier_id,
            supplier=self.catalogue.supplier(product.supplier_id).name,
            unit=product.unit,
            quantity=shelf.quantity,
            reorder_point=shelf.reorder_point,
            target_level=shelf.target_level,
            unit_price=product.unit_price,
            stock_value=round(shelf.quantity * product.unit_price, 2),
            status=_status(shelf),
        )


def _status(shelf: _Shelf) -> Status:
    if shelf.quantity == 0:
        return "out"
    return "low" if shelf.quantity <= shelf.reorder_point else "ok"
