"""A change is told to those who listen, in both protocol eras."""

import asyncio
import math

import anyio
import pytest
from mcp import Client
from mcp.types import ResourceUpdatedNotification

from mcpapps_jupyter.apps.grocery.server import create_server
from mcpapps_jupyter.apps.grocery.service import GroceryService

from .connections import TRANSPORTS, connect, http_server
from .contract import data

STORE = "inventory://stores/1/summary"
PRODUCT = "inventory://products/101/details"
CHAIN = "inventory://summary"


class Mail:
    """Collects the URIs of resource updates."""

    def __init__(self):
        self.uris = []
        self._arrived, self._arrivals = anyio.create_memory_object_stream(math.inf)

    async def __call__(self, message):
        if isinstance(message, ResourceUpdatedNotification):
            self.uris.append(str(message.params.uri))
            self._arrived.send_nowait(None)

    async def arrives(self, count):
        """Wait until `count` more have come."""
        with anyio.fail_after(20):
            for _ in range(count):
                await self._arrivals.receive()


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_listeners_of_the_new_era_hear_of_a_change(transport):
    async def run():
        async with (
            connect(transport, "auto") as client,
            client.listen(resource_subscriptions=[STORE, PRODUCT, CHAIN]) as subscription,
        ):
            await data(client, "adjust_stock", storeId=1, productId=101, delta=1)
            with anyio.fail_after(20):
                heard = [(await anext(subscription)).uri for _ in range(3)]
        assert set(heard) == {STORE, PRODUCT, CHAIN}

    asyncio.run(run())


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_handshake_era_caller_hears_of_its_own_change(transport):
    async def run():
        mail = Mail()
        async with connect(transport, "legacy", message_handler=mail) as client:
            await data(client, "set_inventory", storeId=1, productId=101, quantity=9)
            await mail.arrives(3)
        assert sorted(mail.uris) == sorted([STORE, PRODUCT, CHAIN])

    asyncio.run(run())


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_handshake_era_subscribers_hear_of_others_changes_until_they_unsubscribe():
    async def run():
        mail = Mail()
        with http_server(create_server()) as base:
            async with Client(f"{base}/mcp", mode="legacy", message_handler=mail) as page:
                await page.subscribe_resource(STORE)
                for era in ("legacy", "auto"):
                    async with Client(f"{base}/mcp", mode=era) as other:
                        await data(other, "adjust_stock", storeId=1, productId=101, delta=1)
                        await data(other, "adjust_stock", storeId=2, productId=101, delta=1)
                await mail.arrives(2)
                await page.unsubscribe_resource(STORE)
                async with Client(f"{base}/mcp", mode="auto") as other:
                    await data(other, "adjust_stock", storeId=1, productId=101, delta=1)
                await page.read_resource(STORE)
        assert mail.uris == [STORE, STORE]

    asyncio.run(run())


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_a_subscriber_that_is_gone_fails_nobody():
    async def run():
        server = create_server(GroceryService())
        async with Client(server, mode="legacy") as gone:
            await gone.subscribe_resource(STORE)
        async with Client(server, mode="auto") as client:
            await data(client, "adjust_stock", storeId=1, productId=101, delta=1)

    asyncio.run(run())
