"""The app keeps its contract over every transport, in both protocol eras."""

import asyncio

import pytest

from .connections import ERAS, connect
from .contract import CHECKS


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_in_process(check, era):
    async def run():
        async with connect("inprocess", era) as client:
            await check(client)

    asyncio.run(run())


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_over_the_wire(transport, era):
    """All checks on one server: starting it is what takes the time."""

    async def run():
        async with connect(transport, era) as client:
            for check in CHECKS:
                await check(client)

    asyncio.run(run())
