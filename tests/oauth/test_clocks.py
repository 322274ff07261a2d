"""People who think take no time."""

from __future__ import annotations

import asyncio

import pytest

from mcpapps_jupyter.deadline import Deadline


def test_a_limit_stands_still_while_somebody_is_asked() -> None:
    async def main() -> str:
        loop = asyncio.get_running_loop()
        over = loop.time() + 0.5
        deadline = Deadline(0.1, asked=lambda: min(loop.time(), over), limit=0.1)
        return await deadline.bound(asyncio.sleep(0.5, "answered"))

    assert asyncio.run(main()) == "answered"


def test_a_limit_goes_on_afterwards() -> None:
    async def main() -> None:
        now = asyncio.get_running_loop().time()
        deadline = Deadline(0.1, asked=lambda: now, limit=0.1)
        await deadline.bound(asyncio.sleep(60))

    with pytest.raises(TimeoutError):
        asyncio.run(main())
