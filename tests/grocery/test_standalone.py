"""The app as a program of its own, and as a part that is not loaded before it is needed."""

import asyncio
import json
import logging
import re
import subprocess
import sys
from importlib.resources import files

import httpx2
from mcp import Client

from mcpapps_jupyter.apps.grocery.server import create_server

from .contract import data

COMMAND = [sys.executable, "-m", "mcpapps_jupyter.apps.grocery"]


def test_http_serves_mcp_and_rest():
    process = subprocess.Popen([*COMMAND, "--http", "0"], stderr=subprocess.PIPE, text=True)
    try:
        said = process.stderr.readline()
        base = re.search(r"http://127\.0\.0\.1:\d+", said).group()

        async def change():
            async with Client(f"{base}/mcp") as client:
                return await data(client, "adjust_stock", storeId=1, productId=101, delta=1)

        assert asyncio.run(change()) in httpx2.get(f"{base}/api/inventory?productId=101").json()
    finally:
        process.terminate()
        process.wait(10)


def test_stdout_carries_nothing_but_the_protocol():
    done = subprocess.run(
        COMMAND, input="not json\n", capture_output=True, text=True, timeout=60, check=False
    )
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in done.stdout.splitlines())


def test_the_package_does_not_load_it():
    code = "import sys, mcpapps_jupyter; print([m for m in sys.modules if 'grocery' in m])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_the_manifest_names_what_is_there():
    manifest = json.loads(
        files("mcpapps_jupyter.apps.grocery").joinpath("openclaw.mcpapp.json").read_text("utf-8")
    )
    assert manifest["id"] == "grocery-inventory"
    assert manifest["toolNamePrefix"] == "grocery."
    module, _, attribute = manifest["entryPoint"].partition(":")
    server = getattr(__import__(module, fromlist=[attribute]), attribute)()
    uris = [str(resource.uri) for resource in asyncio.run(server.list_resources())]
    assert manifest["uiResourceUri"] in uris


def test_building_a_server_leaves_the_root_logger_alone():
    before = list(logging.getLogger().handlers)
    create_server()
    assert logging.getLogger().handlers == before


def test_two_servers_do_not_share_stock():
    async def run():
        async with Client(create_server()) as one, Client(create_server()) as other:
            before = await data(other, "get_inventory", storeId=1)
            await data(one, "adjust_stock", storeId=1, productId=101, delta=1)
            assert await data(other, "get_inventory", storeId=1) == before

    asyncio.run(run())
