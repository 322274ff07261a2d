"""The shapes of everything that the app hands out: camelCase on the wire, snake_case in Python."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Status = Literal["ok", "low", "out"]
Urgency = Literal["routine", "urgent", "emergency"]


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
    low: int = Field(description="Rows at or below the reorder point")
    out: int = Field(description="Those of the low rows that have nothing left")


class Dashboard(Wire):
    """Everything that the page shows."""

    revision: int = Field(description="Raised by every change of stock")
    store_id: int | None = Field(description="The store that was asked for; null means all")
    stores: list[Store]
    categories: list[Category]
    totals: Totals
    rows: list[InventoryRow]


class Changes(Wire):
    """What is new since a revision."""

    revision: int
    rows: list[InventoryRow] = Field(description="The rows that changed, as they are now")


class StoreTotals(Wire):
    """One store's line in the chain's summary."""

    id: int
    name: str
    totals: Totals


class ChainSummary(Wire):
    """All stores at a glance."""

    revision: int
    totals: Totals
    stores: list[StoreTotals]


class CategorySummary(Wire):
    """One category's line in a store's summary."""

    id: int
    name: str
    totals: Totals


class StoreSummary(Wire):
    """One store at a glance."""

    store: Store
    totals: Totals
    categories: list[CategorySummary]
    low_stock: list[InventoryRow] = Field(description="Emptiest first")


class ProductDetails(Wire):
    """One product, with its stock in every store that carries it."""

    product: Product
    category: Category
    supplier: Supplier
    totals: Totals
    stores: list[InventoryRow]


class Recommendation(Wire):
    """What to order for one row of the stock."""

    store_id: int
    store: str
    product_id: int
    product: str
    unit: str
    quantity: int = Field(description="On hand now")
    reorder_point: int
    order_quantity: int = Field(description="Fills up to the target level")
    supplier_id: int
    supplier: str
    lead_time_days: int
    cost: float = Field(description="orderQuantity * unitPrice, in US dollars")
    urgency: Urgency = Field(description="emergency: nothing left; urgent: half the reorder point or less")


class Outcome(Wire):
    """What came of a conversation with the user."""

    done: bool = Field(description="False if the user decided against it, and nothing was changed")
    message: str
    rows: list[InventoryRow] = Field(description="The rows that changed, as they are now")
