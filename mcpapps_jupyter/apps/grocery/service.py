"""What can be known and done about the chain's stock. In memory, thread-safe, and without a word of MCP."""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock
from typing import TypeVar

from . import data
from .errors import NotFound, Refused
from .models import Category, Dashboard, InventoryRow, Product, Status, Store, Supplier, Totals

_Entity = TypeVar("_Entity", Category, Product, Store, Supplier)


class GroceryService:
    """The chain: its catalogue, which stays, and its stock, which changes.

    Every change raises `revision` by one, so that a reader can tell at once whether there is anything new.
    """

    def __init__(self) -> None:
        # The SDK runs `def` tools in worker threads, so two changes may come at the same moment.
        self._lock = RLock()
        self._stock = data.opening_stock()
        self.revision = 1
        self._categories = {item.id: item for item in data.CATEGORIES}
        self._products = {item.id: item for item in data.PRODUCTS}
        self._suppliers = {item.id: item for item in data.SUPPLIERS}
        self._stores = {item.id: item for item in data.STORES}

    # -- the catalogue ---------------------------------------------------------------------------------------------

    def categories(self, category_id: int | None = None) -> list[Category]:
        """All categories, or the one with this id."""
        return list(self._categories.values()) if category_id is None else [self.category(category_id)]

    def suppliers(self, supplier_id: int | None = None) -> list[Supplier]:
        """All suppliers, or the one with this id."""
        return list(self._suppliers.values()) if supplier_id is None else [self.supplier(supplier_id)]

    def stores(self, store_id: int | None = None) -> list[Store]:
        """All stores, or the one with this id."""
        return list(self._stores.values()) if store_id is None else [self.store(store_id)]

    def products(
        self, product_id: int | None = None, category_id: int | None = None, supplier_id: int | None = None
    ) -> list[Product]:
        """Products that fit every filter given."""
        if category_id is not None:
            self.category(category_id)
        if supplier_id is not None:
            self.supplier(supplier_id)
        return [
            product
            for product in (self._products.values() if product_id is None else [self.product(product_id)])
            if category_id in (None, product.category_id) and supplier_id in (None, product.supplier_id)
        ]

    def category(self, category_id: int) -> Category:
        """The category with this id; `NotFound` names the ones there are."""
        return _find(self._categories, category_id, "category")

    def supplier(self, supplier_id: int) -> Supplier:
        """The supplier with this id; `NotFound` names the ones there are."""
        return _find(self._suppliers, supplier_id, "supplier")

    def store(self, store_id: int) -> Store:
        """The store with this id; `NotFound` names the ones there are."""
        return _find(self._stores, store_id, "store")

    def product(self, product_id: int) -> Product:
        """The product with this id."""
        try:
            return self._products[product_id]
        except KeyError:
            raise NotFound(
                f"There is no product {product_id}. get_products lists the {len(self._products)} there are."
            ) from None

    # -- the stock -------------------------------------------------------------------------------------------------

    def inventory(self, store_id: int | None = None, product_id: int | None = None) -> list[InventoryRow]:
        """Stock rows that fit every filter given, ordered by store and product."""
        if store_id is not None:
            self.store(store_id)
        if product_id is not None:
            self.product(product_id)
        with self._lock:
            return [
                self._row(*key)
                for key in sorted(self._stock)
                if store_id in (None, key[0]) and product_id in (None, key[1])
            ]

    def row(self, store_id: int, product_id: int) -> InventoryRow:
        """One stock row; `NotFound` if the store does not carry the product."""
        store, product = self.store(store_id), self.product(product_id)
        with self._lock:
            if (store_id, product_id) not in self._stock:
                raise NotFound(
                    f"{store.name} does not carry {product.name}. set_inventory can add it to the range."
                )
            return self._row(store_id, product_id)

    def low_stock(self, store_id: int | None = None) -> list[InventoryRow]:
        """Rows at or below their reorder point, emptiest first."""
        rows = [row for row in self.inventory(store_id) if row.status != "ok"]
        return sorted(rows, key=lambda row: (row.quantity / row.target_level, row.store_id, row.product_id))

    def dashboard(self, store_id: int | None = None) -> Dashboard:
        """Everything the page shows, taken at one moment."""
        with self._lock:
            rows = self.inventory(store_id)
            return Dashboard(
                revision=self.revision,
                store_id=store_id,
                stores=self.stores(),
                categories=self.categories(),
                totals=totals(rows),
                rows=rows,
            )

    def adjust(self, store_id: int, product_id: int, delta: int) -> InventoryRow:
        """Add `delta` units (negative takes away) and return the row as it is then.

        Raises
        ------
        Refused
            If the stock would fall below zero; nothing has changed then.
        """
        with self._lock:
            row = self.row(store_id, product_id)
            if row.quantity + delta < 0:
                raise Refused(
                    f"{row.store} has only {row.quantity} ({row.unit}) of {row.product} on hand, "
                    f"so {-delta} cannot be taken out. Nothing was changed."
                )
            return self._write(row.store_id, row.product_id, row.quantity + delta)

    def set(self, store_id: int, product_id: int, quantity: int) -> InventoryRow:
        """Put the counted `quantity` in place of what was recorded; adds the product to the store's range if needed."""
        store, product = self.store(store_id), self.product(product_id)
        if quantity < 0:
            raise Refused(
                f"Stock cannot be negative: {quantity} was given for {product.name} at {store.name}. Nothing was changed."
            )
        with self._lock:
            return self._write(store_id, product_id, quantity)

    def transfer(self, product_id: int, from_store: int, to_store: int, quantity: int) -> list[InventoryRow]:
        """Move units between two stores: both rows change, or neither."""
        if from_store == to_store:
            raise Refused("A transfer needs two different stores. Nothing was changed.")
        if quantity < 1:
            raise Refused(f"A transfer moves at least 1 unit; {quantity} was given. Nothing was changed.")
        with self._lock:
            self.row(to_store, product_id)
            return [
                self.adjust(from_store, product_id, -quantity),
                self.adjust(to_store, product_id, quantity),
            ]

    def _write(self, store_id: int, product_id: int, quantity: int) -> InventoryRow:
        _, reorder_point, target = self._stock.get((store_id, product_id), (0, 5, 20))
        self._stock[store_id, product_id] = (quantity, reorder_point, target)
        self.revision += 1
        return self._row(store_id, product_id)

    def _row(self, store_id: int, product_id: int) -> InventoryRow:
        store, product = self._stores[store_id], self._products[product_id]
        quantity, reorder_point, target = self._stock[store_id, product_id]
        return InventoryRow(
            store_id=store_id,
            store=store.name,
            product_id=product_id,
            product=product.name,
            category_id=product.category_id,
            category=self._categories[product.category_id].name,
            supplier_id=product.supplier_id,
            supplier=self._suppliers[product.supplier_id].name,
            unit=product.unit,
            quantity=quantity,
            reorder_point=reorder_point,
            target_level=target,
            unit_price=product.unit_price,
            stock_value=round(quantity * product.unit_price, 2),
            status=_status(quantity, reorder_point),
        )


def totals(rows: Sequence[InventoryRow]) -> Totals:
    """The key figures of `rows`."""
    return Totals(
        rows=len(rows),
        units=sum(row.quantity for row in rows),
        stock_value=round(sum(row.stock_value for row in rows), 2),
        low=sum(row.status == "low" for row in rows),
        out=sum(row.status == "out" for row in rows),
    )


def _status(quantity: int, reorder_point: int) -> Status:
    if quantity == 0:
        return "out"
    return "low" if quantity <= reorder_point else "ok"


def _find(items: dict[int, _Entity], key: int, noun: str) -> _Entity:
    try:
        return items[key]
    except KeyError:
        known = ", ".join(f"{item.id} {item.name}" for item in items.values())
        raise NotFound(f"There is no {noun} {key}. There are: {known}.") from None
