"""REST and MCP show the same stock."""

import asyncio

import httpx2
import pytest
from mcp import Client

from mcpapps_jupyter.apps.grocery.server import create_server

from .connections import http_server
from .contract import data


@pytest.fixture(scope="module")
def base():
    with http_server(create_server()) as url:
        yield url


def get(base, path):
    return httpx2.get(f"{base}/api/{path}")


@pytest.mark.parametrize(
    ("path", "tool", "arguments"),
    [
        ("categories", "get_categories", {}),
        ("categories?id=3", "get_categories", {"id": 3}),
        ("products?categoryId=1&supplierId=1", "get_products", {"categoryId": 1, "supplierId": 1}),
        ("suppliers", "get_suppliers", {}),
        ("stores?id=", "get_stores", {}),
        ("inventory?storeId=2", "get_inventory", {"storeId": 2}),
        ("inventory?productId=101", "get_inventory", {"productId": 101}),
    ],
)
def test_rest_and_mcp_agree(base, path, tool, arguments):
    async def ask():
        async with Client(f"{base}/mcp") as client:
            return await data(client, tool, **arguments)

    assert get(base, path).json() == asyncio.run(ask())


def test_a_change_made_over_mcp_shows_over_rest(base):
    async def change():
        async with Client(f"{base}/mcp") as client:
            return await data(client, "adjust_stock", storeId=5, productId=504, delta=3)

    assert asyncio.run(change()) in get(base, "inventory?storeId=5").json()


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("inventory?storeId=99", 404, "no store 99"),
        ("products?supplierId=99", 404, "no supplier 99"),
        ("inventory?storeId=one", 400, "whole number"),
        ("inventory?shop=1", 400, "Known are: storeId, productId"),
    ],
)
def test_what_cannot_be_answered_is_said_in_words(base, path, status, words):
    answer = get(base, path)
    assert answer.status_code == status
    assert words in answer.json()["error"]


def test_nothing_can_be_changed_over_rest(base):
    assert httpx2.post(f"{base}/api/inventory", json={}).status_code == 405
