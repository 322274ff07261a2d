"""Published MCP App servers, run by Node."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from mcpapps_jupyter.manifest import Launch
from tests.transports.support import all_gone, call, family, served

JS = Path(__file__).resolve().parents[2] / "js"
BIN = JS / "node_modules" / ".bin"

pytestmark = pytest.mark.npm


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(
    ("command", "tool"),
    [
        ((str(BIN / "mcp-server-basic-react"),), "get-time"),
        ((str(BIN / "mcp-system-monitor-server"),), "get-system-info"),
        (("npx", "--no-install", "mcp-server-basic-vanillajs"), "get-time"),
    ],
)
def test_a_published_server_lists_answers_and_leaves_nothing(
    command: tuple[str, ...], tool: str, mode: str
) -> None:
    async def main() -> None:
        what = Launch(command[0], (*command[1:], "--stdio"), str(JS), dict(os.environ))
        async with served(what, mode=mode) as (client, transport, heard):
            listed = (await client.list_tools()).tools
            assert tool in [each.name for each in listed]
            result = await call(client, tool)
            assert result["content"]
            pids = family(transport.pid)
        await all_gone(pids)
        assert heard.closed == heard.warnings == heard.noise == []

    asyncio.run(main())
