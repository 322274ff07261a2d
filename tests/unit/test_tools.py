"""The model's door: names, visibility, arguments, what goes to a model and what does not."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.lifecycle import State
from mcpapps_jupyter.results import ToolResult
from mcpapps_jupyter.tools import ToolReply, read_arguments, reply_of, safe_name
from tests.core.support import command, until


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    host = Host(McpApps(read_files=False))
    yield host
    host.close()


def test_only_running_apps_offer_tools(host: Host) -> None:
    assert host.tools.for_openai() == []
    host["grocery"].start()
    names = [tool["function"]["name"] for tool in host.tools.for_openai()]
    assert "grocery_get_inventory" in names
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)
    assert "grocery_get_inventory_changes" not in names, "a tool for pages only is absent"
    assert [tool["name"] for tool in host.tools.for_anthropic()] == names
    assert all(tool["input_schema"]["type"] == "object" for tool in host.tools.for_anthropic())
    assert {tool.owner for tool in host.tools.listing()} == {"mcpapp:grocery-inventory"}


@pytest.mark.parametrize("name", ["grocery_get_stores", "grocery.get_stores"])
@pytest.mark.parametrize("arguments", [{"id": 1}, '{"id": 1}'])
def test_both_names_and_both_kinds_of_arguments(host: Host, name: str, arguments: Any) -> None:
    host["grocery"].start()
    reply = host.tools.call(name, arguments)
    assert "Harbour Market" in reply
    assert not reply.is_error
    assert reply.content[0]["type"] == "text"


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("grocery_get_storse", {}, "grocery_get_stores"),
        ("grocery_get_stores", "{", "Invalid JSON arguments for MCP App tool 'grocery_get_stores': "),
        ("grocery_get_stores", "[1]", "wanted an object, got [1]"),
        ("grocery_get_stores", {"id": "x"}, "id must be integer"),
        ("grocery_adjust_stock", {"storeId": 1}, "productId is required"),
        ("grocery_adjust_stock", {"storeId": 1, "productId": 101, "delta": -10_000}, "Bananas"),
        ("grocery_get_inventory_changes", {}, "There is no tool"),
    ],
)
def test_whatever_goes_wrong_is_a_text(host: Host, name: str, arguments: Any, words: str) -> None:
    host["grocery"].start()
    reply = host.tools.call(name, arguments)
    assert reply.startswith("Error: ")
    assert words in reply
    assert reply.is_error


def test_cells_and_models_share_one_session(host: Host) -> None:
    grocery = host["grocery"].start()
    host.tools.call("grocery_adjust_stock", {"storeId": 1, "productId": 101, "delta": 3})
    row = grocery.call("get_inventory", storeId=1, productId=101).data[0]
    before = row["quantity"]
    host.tools.call("grocery_adjust_stock", '{"storeId": 1, "productId": 101, "delta": 2}')
    assert grocery.call("get_inventory", storeId=1, productId=101).data[0]["quantity"] == before + 2


@pytest.mark.parametrize(
    "arguments",
    ["[" * 100_000, '{"a":' * 100_000, {1: 2}, {"id": {1, 2}}, {"id": object()}, [1], 7, {None: 1}, "\ud800"],
)
def test_no_arguments_raise_into_a_model_s_loop(host: Host, arguments: Any) -> None:
    host["grocery"].start()
    assert host.tools.call("grocery_get_stores", arguments).startswith("Error: ")


@pytest.mark.parametrize("name", [None, 7, ["a"], "", "\ud800"])
def test_no_name_raises_into_a_model_s_loop(host: Host, name: Any) -> None:
    host["grocery"].start()
    assert host.tools.call(name, {}).startswith("Error: ")
    assert host.tools.acall(name, {}).result(30).startswith("Error: ")


def test_a_text_that_nests_deep_is_a_text() -> None:
    deep = "[" * 100_000
    answer = result(content=[{"type": "text", "text": deep}], structuredContent={"n": 1})
    assert reply_of(answer, has_page=False).startswith("[[[")


def test_a_call_after_a_crash_restarts_the_server_once_a_minute(host: Host) -> None:
    app = host.add(command("by_hand"), id="mine").start()
    now = [1000.0]
    app.connection()._clock = lambda: now[0]
    for done in (True, False):
        assert host.tools.call("crash").startswith("Error: mine: ")
        until(lambda: app.state is State.FAILED, "the crash")
        reply = host.tools.call("add", {"a": 1})
        assert reply.is_error is not done, reply
    assert "Restart it with: %mcpapp restart mine" in reply
    now[0] += 61
    assert host.tools.call("add", {"a": 1}) == '{"result": 2}'
    app.stop()
    assert host.tools.call("add", {"a": 1}) == "Error: mine is stopped. Start it with: %mcpapp start mine"


def test_a_name_stays_that_of_one_app(host: Host) -> None:
    beta = host.add(command("by_hand"), id="beta").start()
    assert "add" in [tool["name"] for tool in host.tools.for_anthropic()]
    pid = host.tools.call("pid")
    host.add(command("by_hand"), id="alpha").start()
    assert host.tools.call("pid") == pid
    names = {tool.owner: tool.safe_name for tool in host.tools.listing() if tool.name == "pid"}
    assert names["mcpapp:beta"] == "pid"
    assert names["mcpapp:alpha"].startswith("pid_")
    assert host.tools.call(names["mcpapp:alpha"]) not in ("", pid)
    assert f"pid of alpha goes by {names['mcpapp:alpha']}" in repr(host.tools.listing())
    beta.stop()
    assert "beta is stopped" in host.tools.call("pid"), "not the other app's tool of this name"
    assert {tool.safe_name for tool in host.tools.listing() if tool.name == "pid"} == {names["mcpapp:alpha"]}
    host.remove("beta")
    assert "There is no tool 'pid'" in host.tools.call("pid")


def test_the_model_s_door_can_be_awaited(host: Host) -> None:
    async def cell() -> list[Any]:
        return [
            await host.tools.alisting(["grocery"]),  # which starts it
            await host.tools.afor_openai(),
            await host.tools.afor_anthropic(),
            await host.tools.acall("grocery_get_stores", {"id": 1}),
        ]

    listed, openai, anthropic, reply = asyncio.run(cell())
    assert list(listed) == list(host.tools.listing())
    assert openai == host.tools.for_openai()
    assert anthropic == host.tools.for_anthropic()
    assert "Harbour Market" in reply


def test_safe_names_stay_apart_and_the_same() -> None:
    taken: set[str] = set()
    first = safe_name("a.b", "one", taken)
    taken.add(first)
    second = safe_name("a_b", "two", taken)
    assert first == "a_b"
    assert second != first
    assert second == safe_name("a_b", "two", taken)
    assert len(safe_name("x" * 200, "three", taken)) <= 64
    third = safe_name("a_b", "two", {*taken, second})
    assert third not in {*taken, second}, "a tool may be called like the digest of another"


def result(**raw: Any) -> ToolResult:
    return ToolResult(raw, app_id="a", tool="t")


def test_structured_content_goes_to_the_model_only_without_a_page() -> None:
    answer = result(
        content=[{"type": "text", "text": "two"}], structuredContent={"n": 2}, _meta={"secret": 1}
    )
    assert reply_of(answer, has_page=True) == "two"
    assert reply_of(answer, has_page=False) == 'two\n\n{"n": 2}'
    assert "secret" not in str(reply_of(answer, has_page=False).content)
    same = result(content=[{"type": "text", "text": '{"n":   2}'}], structuredContent={"n": 2})
    assert reply_of(same, has_page=False) == '{"n":   2}', "the same is not said twice"


def test_other_blocks_are_kept_and_described() -> None:
    image = {"type": "image", "mimeType": "image/png", "data": "AAAA", "_meta": {"x": 1}}
    reply = reply_of(result(content=[{"type": "text", "text": "look"}, image]), has_page=False)
    assert reply == "look\n\n[image image/png, 3 bytes]"
    assert reply.content[1] == {"type": "image", "mimeType": "image/png", "data": "AAAA"}
    assert reply_of(result(content=[]), has_page=False) == "(no output)"
    failed = reply_of(result(content=[{"type": "text", "text": "no"}], isError=True), has_page=False)
    assert (failed, failed.is_error) == ("Error: no", True)


def test_arguments_of_models() -> None:
    assert read_arguments("t", None) == read_arguments("t", "") == read_arguments("t", " {} ") == {}
    assert read_arguments("t", json.dumps({"a": [1]})) == {"a": [1]}
    assert isinstance(ToolReply("x"), str)
