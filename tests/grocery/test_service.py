"""What is below MCP: the opening data, and changes from several threads."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from mcpapps_jupyter.apps.grocery import data
from mcpapps_jupyter.apps.grocery.errors import RefusedError
from mcpapps_jupyter.apps.grocery.service import GroceryService
from mcpapps_jupyter.apps.grocery.wording import amount, days


def test_the_opening_data_is_plentiful_and_believable():
    rows = GroceryService().inventory()
    assert len(data.STORES) >= 5
    assert len(data.CATEGORIES) == len(data.SUPPLIERS) == 8
    assert len(data.PRODUCTS) == 40
    assert len(rows) >= 200
    low = [row for row in rows if row.status != "ok"]
    assert 15 <= len(low) <= 40
    assert {row.store_id for row in low} == {store.id for store in data.STORES}
    assert any(row.status == "out" for row in rows)
    assert all(row.quantity <= row.target_level for row in rows)
    assert {product.supplier_id for product in data.PRODUCTS} == {supplier.id for supplier in data.SUPPLIERS}


def test_every_start_is_the_same():
    assert GroceryService().inventory() == GroceryService().inventory()


def test_changes_from_many_threads_all_count():
    service = GroceryService()
    before = service.row(1, 101).quantity
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda delta: service.adjust(1, 101, delta), [1, 2, -1] * 100))
    assert service.row(1, 101).quantity == before + 200
    assert service.revision == 300


def test_of_two_who_want_the_last_units_one_is_refused():
    service = GroceryService()
    service.count(1, 101, 5)

    def take(_):
        try:
            return service.adjust(1, 101, -5).quantity
        except RefusedError:
            return None

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(take, range(4)), key=str) == [0, None, None, None]


def test_a_transfer_that_fails_half_way_changes_nothing():
    service = GroceryService()
    before = service.inventory()
    with pytest.raises(RefusedError):
        service.transfer(202, 3, 1, 1)
    assert service.inventory() == before


@pytest.mark.parametrize(
    ("quantity", "unit", "words"),
    [(3, "kg", "3 kg"), (1, "loaf", "1 loaf"), (2, "loaf", "2 loaves"), (0, "box of 10", "0 boxes of 10")],
)
def test_amounts_read_like_words(quantity, unit, words):
    assert amount(quantity, unit) == words


def test_days_read_like_words():
    assert [days(1), days(3)] == ["1 day", "3 days"]
