"""The model's door: names, visibility, arguments, what goes to a model and what does not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.results import ToolResult
from mcpapps_jupyter.tools import ToolReply, read_arguments, reply_of, safe_name


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


def test_safe_names_stay_apart_and_the_same() -> None:
    taken: set[str] = set()
    first = safe_name("a.b", "one", taken)
    taken.add(first)
    second = safe_name("a_b", "two", taken)
    assert first == "a_b"
    assert second != first
    assert second == safe_name("a_b", "two", taken)
    assert len(safe_name("x" * 200, "three", taken)) <= 64


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
