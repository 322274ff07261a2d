"""Quantities in words."""

from .models import InventoryRow


def amount(quantity: int, unit: str) -> str:
    """Write a quantity with its unit: `12 kg`, `1 loaf`, `3 boxes of 10`."""
    if quantity == 1 or unit == "kg":
        return f"{quantity} {unit}"
    noun, *rest = unit.split(" ")
    plural = {"box": "boxes", "loaf": "loaves"}.get(noun, f"{noun}s")
    return " ".join([str(quantity), plural, *rest])


def counted(count: int, noun: str) -> str:
    """Write how many there are: `1 row`, `12 rows`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def days(count: int) -> str:
    """Write a number of days: `1 day`, `4 days`."""
    return counted(count, "day")


def on_hand(row: InventoryRow) -> str:
    """Write what a row has left: `12 kg`, `4 kg, LOW (reorder at 21)`."""
    note = {"ok": "", "low": f", LOW (reorder at {row.reorder_point})", "out": ", OUT OF STOCK"}[row.status]
    return amount(row.quantity, row.unit) + note
