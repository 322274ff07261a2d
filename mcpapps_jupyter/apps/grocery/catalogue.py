"""What the chain consists of: categories, suppliers, products, stores. None of it changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from . import data
from .errors import NotFoundError
from .models import Category, Product, Store, Supplier

_Entity = TypeVar("_Entity", Category, Product, Store, Supplier)


class Catalogue:
    """Look-up by id and by name. Each method that takes an unknown one raises `NotFoundError`, in words."""

    def __init__(self) -> None:
        self._categories = {item.id: item for item in data.CATEGORIES}
        self._suppliers = {item.id: item for item in data.SUPPLIERS}
        self._products = {item.id: item for item in data.PRODUCTS}
        self._stores = {item.id: item for item in data.STORES}

    def category(self, category_id: int) -> Category:
        """Look a category up by its id."""
        return _by_id(self._categories, category_id, "category")

    def supplier(self, supplier_id: int) -> Supplier:
        """Look a supplier up by its id."""
        return _by_id(self._suppliers, supplier_id, "supplier")

    def product(self, product_id: int) -> Product:
        """Look a product up by its id."""
        return _by_id(self._products, product_id, "product")

    def store(self, store_id: int) -> Store:
        """Look a store up by its id."""
        return _by_id(self._stores, store_id, "store")

    def categories(self, category_id: int | None = None) -> list[Category]:
        """List all categories, or the one with this id."""
        return list(self._categories.values()) if category_id is None else [self.category(category_id)]

    def suppliers(self, supplier_id: int | None = None) -> list[Supplier]:
        """List all suppliers, or the one with this id."""
        return list(self._suppliers.values()) if supplier_id is None else [self.supplier(supplier_id)]

    def stores(self, store_id: int | None = None) -> list[Store]:
        """List all stores, or the one with this id."""
        return list(self._stores.values()) if store_id is None else [self.store(store_id)]

    def products(
        self, product_id: int | None = None, category_id: int | None = None, supplier_id: int | None = None
    ) -> list[Product]:
        """List the products that fit every filter given."""
        if category_id is not None:
            self.category(category_id)
        if supplier_id is not None:
            self.supplier(supplier_id)
        return [
            product
            for product in (self._products.values() if product_id is None else [self.product(product_id)])
            if category_id in (None, product.category_id) and supplier_id in (None, product.supplier_id)
        ]

    def store_named(self, text: str) -> Store:
        """Find a store by what a person wrote: its id, its name, or the beginning of its name."""
        return _by_text(self._stores, text, "store")

    def supplier_named(self, text: str) -> Supplier:
        """Find a supplier by what a person wrote: its id, its name, or the beginning of its name."""
        return _by_text(self._suppliers, text, "supplier")


def _by_id(items: dict[int, _Entity], key: int, noun: str) -> _Entity:
    try:
        return items[key]
    except KeyError:
        raise NotFoundError(f"There is no {noun} {key}. {_known(items.values(), noun)}") from None


def _by_text(items: dict[int, _Entity], text: str, noun: str) -> _Entity:
    wanted = text.strip().casefold()
    if wanted.isdecimal():
        return _by_id(items, int(wanted), noun)
    exact = [item for item in items.values() if item.name.casefold() == wanted]
    hits = exact or [item for item in items.values() if wanted and item.name.casefold().startswith(wanted)]
    if len(hits) == 1:
        return hits[0]
    raise NotFoundError(f"There is no {noun} {text!r}. {_known(items.values(), noun)}")


def _known(items: Iterable[Category | Product | Store | Supplier], noun: str) -> str:
    known = [f"{item.id} {item.name}" for item in items]
    if len(known) > 10:
        return f"Known are {known[0]} to {known[-1]}; get_{noun}s lists all {len(known)}."
    return f"Known are: {', '.join(known)}."
