"""The shapes of everything that the app hands out: camelCase on the wire, snake_case in Python."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Status = Literal["ok", "low", "out"]


class Wire(BaseModel):
    """A frozen value with camelCase names on the wire."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        frozen=True,
        serialize_by_alias=True,
        validate_by_name=True,
        validate_by_alias=True,
    )


class Category(Wire):
    """A department, such as Bakery."""

    id: int
    name: str
    description: str


class Supplier(Wire):
    """Who delivers a product."""

    id: int
    name: str
    contact: str
    email: str
    lead_time_days: int = Field(description="Days from order to delivery")
    minimum_order: float = Field(description="Smallest order value, in US dollars")


class Product(Wire):
    """Something that a store can sell."""

    id: int
    name: str
    category_id: int
    supplier_id: int
    unit: str = Field(description="What one piece of stock is, such as 'kg' or 'pack'")
    unit_price: float = Field(description="Price of one unit, in US dollars")


class Store(Wire):
    """A branch of the chain."""

    id: int
    name: str
    city: str
    address: str
    manager: str
    opening_hours: str


class InventoryRow(Wire):
    """How much of one product one store has, with the names, so that a row can be read alone."""

    store_id: int
    store: str
    product_id: int
    product: str
    category_id: int
    category: str
    supplier_id: int
    supplier: str
    unit: str
    quantity: int = Field(ge=0)
    reorder_point: int = Field(description="At this quantity or below the row counts as low")
    target_level: int = Field(description="What the shelf and the back room hold when full")
    unit_price: float = Field(description="In US dollars")
    stock_value: float = Field(description="quantity * unitPrice, in US dollars")
    status: Status


class Totals(Wire):
    """The key figures of some stock rows."""

    rows: int = Field(description="Stock rows, one for each product in each store")
    units: int
    stock_value: float = Field(description="In US dollars")
    low: int = Field(description="Rows at or below the reorder point, but not empty")
    out: int = Field(description="Rows with nothing left")


class Dashboard(Wire):
    """Everything that the page shows."""

    revision: int = Field(description="Raised by every change of stock")
    store_id: int | None = Field(description="The store that was asked for; null means all")
    stores: list[Store]
    categories: list[Category]
    totals: Totals
    rows: list[InventoryRow]
