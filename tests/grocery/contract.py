"""What the app promises, as checks that run over any connection.

Each takes a connected client. They may run in any order on one server, so each counts from what it finds.
"""

import json
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import PromptReference, ResourceTemplateReference

READS = {
    "get_categories": {"id"},
    "get_products": {"id", "categoryId", "supplierId"},
    "get_suppliers": {"id"},
    "get_stores": {"id"},
    "get_inventory": {"storeId", "productId"},
    "get_low_stock": {"storeId"},
    "restock_recommendations": {"storeId"},
    "show_store_inventory_dashboard": {"storeId"},
    "get_inventory_changes": {"sinceRevision"},
}
WRITES = {
    "adjust_stock": {"storeId", "productId", "delta"},
    "set_inventory": {"storeId", "productId", "quantity"},
    "guided_restock": {"storeId"},
    "transfer_stock_between_stores": {"productId", "fromStoreId", "toStoreId", "quantity"},
    "review_low_stock": {"storeId"},
}
PAGE = "ui://grocery/store-dashboard.html"


async def data(client: Client, tool: str, **arguments: Any) -> Any:
    """Call a tool that must succeed; gives its structured content, lists unwrapped."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.content[0].text.strip()
    structured = result.structured_content
    return structured["result"] if set(structured) == {"result"} else structured


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool that must refuse; gives its words."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    [words] = [item.text for item in result.content]
    assert "\n" not in words
    assert "Error executing" not in words
    return words


async def tools_are_described(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == set(READS) | set(WRITES)
    for name, arguments in (READS | WRITES).items():
        tool = tools[name]
        assert set(tool.input_schema.get("properties", {})) == arguments, name
        assert tool.description
        assert tool.title
        assert tool.output_schema["type"] == "object"
        assert tool.annotations.read_only_hint is (name in READS), name
    assert tools["adjust_stock"].annotations.destructive_hint is False
    assert tools["adjust_stock"].annotations.idempotent_hint is False
    assert tools["set_inventory"].annotations.destructive_hint is True
    assert tools["set_inventory"].annotations.idempotent_hint is True


async def one_tool_opens_the_page(client: Client) -> None:
    tools = (await client.list_tools()).tools
    [bound] = [tool for tool in tools if "resourceUri" in (tool.meta or {}).get("ui", {})]
    assert bound.name == "show_store_inventory_dashboard"
    assert bound.meta["ui"]["resourceUri"] == bound.meta["ui/resourceUri"] == PAGE
    [hidden] = [tool for tool in tools if (tool.meta or {}).get("ui", {}).get("visibility") == ["app"]]
    assert hidden.name == "get_inventory_changes"
    shown = await data(client, "show_store_inventory_dashboard", storeId=1)
    assert shown["storeId"] == 1
    assert {row["storeId"] for row in shown["rows"]} == {1}
    assert shown["totals"]["rows"] == len(shown["rows"])
    assert len(shown["stores"]) == 6


async def page_is_one_html_file(client: Client) -> None:
    listed = {str(resource.uri): resource for resource in (await client.list_resources()).resources}
    assert listed[PAGE].mime_type == "text/html;profile=mcp-app"
    [content] = (await client.read_resource(PAGE)).contents
    assert content.mime_type == "text/html;profile=mcp-app"
    assert content.text.startswith("<!doctype html>")
    for external in ("<link", "<script src", "@import", "url(http"):
        assert external not in content.text


async def catalogue_can_be_listed_and_filtered(client: Client) -> None:
    assert len(await data(client, "get_categories")) == 8
    assert len(await data(client, "get_suppliers")) == 8
    assert len(await data(client, "get_stores")) == 6
    assert len(await data(client, "get_products")) == 40
    [bakery] = await data(client, "get_categories", id=3)
    assert bakery["name"] == "Bakery"
    assert {item["categoryId"] for item in await data(client, "get_products", categoryId=3)} == {3}
    assert {item["supplierId"] for item in await data(client, "get_products", supplierId=1)} == {1}
    assert await data(client, "get_products", categoryId=3, supplierId=1) == []
    [bananas] = await data(client, "get_products", id=101)
    assert bananas["name"] == "Bananas"
    assert bananas["unitPrice"] > 0
    [station] = await data(client, "get_stores", id=6)
    assert station["openingHours"]
    [dairy] = await data(client, "get_suppliers", id=2)
    assert dairy["leadTimeDays"] == 2


async def inventory_can_be_filtered(client: Client) -> None:
    rows = await data(client, "get_inventory")
    assert len(rows) >= 200
    assert await data(client, "get_inventory", storeId=2) == [row for row in rows if row["storeId"] == 2]
    assert await data(client, "get_inventory", productId=101) == [
        row for row in rows if row["productId"] == 101
    ]
    [row] = await data(client, "get_inventory", storeId=2, productId=101)
    assert row["store"] == "Old Town Grocer"
    assert row["product"] == "Bananas"
    assert row["stockValue"] == pytest.approx(row["quantity"] * row["unitPrice"])


async def low_stock_is_what_is_at_or_below_the_reorder_point(client: Client) -> None:
    rows = await data(client, "get_inventory")
    low = await data(client, "get_low_stock")
    expected = {(r["storeId"], r["productId"]) for r in rows if r["quantity"] <= r["reorderPoint"]}
    assert {(r["storeId"], r["productId"]) for r in low} == expected
    assert {r["status"] for r in low} <= {"low", "out"}
    totals = (await data(client, "show_store_inventory_dashboard"))["totals"]
    assert (totals["low"], totals["out"]) == (len(low), sum(r["quantity"] == 0 for r in low))
    advice = await data(client, "restock_recommendations")
    assert {(r["storeId"], r["productId"]) for r in advice} == expected
    assert all(item["orderQuantity"] > 0 and item["cost"] > 0 for item in advice)
    assert {item["storeId"] for item in await data(client, "restock_recommendations", storeId=4)} == {4}


async def adjusting_adds_and_takes_away(client: Client) -> None:
    [before] = await data(client, "get_inventory", storeId=3, productId=502)
    raised = await data(client, "adjust_stock", storeId=3, productId=502, delta=5)
    assert raised["quantity"] == before["quantity"] + 5
    assert raised["stockValue"] == pytest.approx(raised["quantity"] * raised["unitPrice"])
    assert await data(client, "get_inventory", storeId=3, productId=502) == [raised]
    assert await data(client, "adjust_stock", storeId=3, productId=502, delta=-5) == before


async def stock_never_falls_below_zero(client: Client) -> None:
    [before] = await data(client, "get_inventory", storeId=1, productId=101)
    words = await refusal(client, "adjust_stock", storeId=1, productId=101, delta=-before["quantity"] - 1)
    assert "Harbour Market" in words
    assert "Bananas" in words
    assert str(before["quantity"]) in words
    words = await refusal(client, "set_inventory", storeId=1, productId=101, quantity=-1)
    assert "negative" in words
    assert await data(client, "get_inventory", storeId=1, productId=101) == [before]


async def counting_overwrites_and_adds_to_the_range(client: Client) -> None:
    counted = await data(client, "set_inventory", storeId=2, productId=303, quantity=7)
    assert counted["quantity"] == 7
    assert (await data(client, "set_inventory", storeId=2, productId=303, quantity=7))["quantity"] == 7
    assert (await data(client, "set_inventory", storeId=6, productId=801, quantity=3))["quantity"] == 3
    [new] = await data(client, "get_inventory", storeId=6, productId=801)
    assert new["product"] == "Toilet Paper"


async def unknown_ids_are_refused_in_words(client: Client) -> None:
    assert "Harbour Market" in await refusal(client, "get_inventory", storeId=99)
    assert "get_products" in await refusal(client, "get_inventory", productId=7)
    assert "Bakery" in await refusal(client, "get_categories", id=99)
    assert "no supplier 99" in await refusal(client, "get_products", supplierId=99)
    assert "no store 99" in await refusal(client, "show_store_inventory_dashboard", storeId=99)
    assert "does not carry" in await refusal(client, "adjust_stock", storeId=6, productId=401, delta=1)
    for tool in ("get_low_stock", "restock_recommendations", "guided_restock", "review_low_stock"):
        assert "no store 99" in await refusal(client, tool, storeId=99)


async def odd_arguments_are_refused_in_words(client: Client) -> None:
    words = await refusal(client, "adjust_stock", storeId=1, productId=101, delta=1.5)
    assert "delta" in words
    assert "integer" in words
    assert "delta" in await refusal(client, "adjust_stock", storeId=1, productId=101)
    assert "storeId" in await refusal(client, "get_inventory", storeId="harbour")


async def page_can_ask_for_what_changed(client: Client) -> None:
    revision = (await data(client, "show_store_inventory_dashboard"))["revision"]
    assert await data(client, "get_inventory_changes", sinceRevision=revision) == {
        "revision": revision,
        "rows": [],
    }
    row = await data(client, "adjust_stock", storeId=5, productId=705, delta=1)
    news = await data(client, "get_inventory_changes", sinceRevision=revision)
    assert news == {"revision": revision + 1, "rows": [row]}
    everything = await data(client, "get_inventory_changes", sinceRevision=revision + 1_000)
    assert len(everything["rows"]) >= 200


async def resources_tell_the_stock(client: Client) -> None:
    templates = (await client.list_resource_templates()).resource_templates
    assert {template.uri_template for template in templates} == {
        "inventory://stores/{storeId}/summary",
        "inventory://products/{productId}/details",
    }
    chain = await read(client, "inventory://summary")
    assert len(chain["stores"]) == 6
    store = await read(client, "inventory://stores/4/summary")
    assert store["store"]["name"] == "Hilltop Foods"
    assert store["lowStock"] == await data(client, "get_low_stock", storeId=4)
    assert sum(line["totals"]["units"] for line in store["categories"]) == store["totals"]["units"]
    product = await read(client, "inventory://products/202/details")
    assert product["supplier"]["name"] == "Green Valley Growers"
    assert product["stores"] == await data(client, "get_inventory", productId=202)
    for missing in ("inventory://stores/99/summary", "inventory://products/x/details"):
        with pytest.raises(MCPError, match="There is no"):
            await client.read_resource(missing)


async def read(client: Client, uri: str) -> Any:
    [content] = (await client.read_resource(uri)).contents
    assert content.mime_type == "application/json"
    return json.loads(content.text)


async def prompts_are_filled_with_figures(client: Client) -> None:
    listed = {
        prompt.name: [a.name for a in prompt.arguments] for prompt in (await client.list_prompts()).prompts
    }
    assert listed == {
        "analyze_store_performance": ["store"],
        "draft_supplier_order": ["supplier", "urgency"],
        "explain_inventory_term": ["term"],
    }
    assert "Hilltop Foods in Millbridge" in await prompt(client, "analyze_store_performance", store="hilltop")
    assert "Station Express" in await prompt(client, "analyze_store_performance", store="6")
    order = await prompt(client, "draft_supplier_order", supplier="Stone Mill Bakers", urgency="emergency")
    assert "Ruth Okafor" in order
    assert "within a day" in order
    assert "regular delivery" in await prompt(client, "draft_supplier_order", supplier="1")
    assert "before the shelf is empty" in await prompt(client, "explain_inventory_term", term="Reorder Point")
    assert "'gondola'" in await prompt(client, "explain_inventory_term", term="gondola")
    for words, name, arguments in (
        (
            "There is no store 'Nowhere'. Known are: 1 Harbour",
            "analyze_store_performance",
            {"store": "Nowhere"},
        ),
        ("no urgency 'yesterday'", "draft_supplier_order", {"supplier": "1", "urgency": "yesterday"}),
        ("supplier", "draft_supplier_order", {}),
    ):
        with pytest.raises(MCPError, match=words):
            await client.get_prompt(name, arguments)


async def prompt(client: Client, name: str, **arguments: str) -> str:
    [message] = (await client.get_prompt(name, arguments)).messages
    assert message.role == "user"
    return message.content.text


async def arguments_are_completed(client: Client) -> None:
    analyze = PromptReference(type="ref/prompt", name="analyze_store_performance")
    order = PromptReference(type="ref/prompt", name="draft_supplier_order")
    explain = PromptReference(type="ref/prompt", name="explain_inventory_term")
    store = ResourceTemplateReference(type="ref/resource", uri="inventory://stores/{storeId}/summary")
    product = ResourceTemplateReference(type="ref/resource", uri="inventory://products/{productId}/details")

    async def complete(ref: Any, name: str, value: str) -> list[str]:
        return (await client.complete(ref, {"name": name, "value": value})).completion.values

    assert (await complete(analyze, "store", "r"))[0] == "Riverside Fresh"
    assert len(await complete(analyze, "store", "")) == 6
    assert await complete(order, "supplier", "alder") == ["Alder Dairy Cooperative"]
    assert await complete(order, "urgency", "") == ["routine", "urgent", "emergency"]
    assert (await complete(explain, "term", "st"))[0] == "stock turn"
    assert await complete(store, "storeId", "harb") == ["1"]
    assert "101" in await complete(product, "productId", "1")
    assert await complete(product, "productId", "banana") == ["101"]
    assert await complete(explain, "nonsense", "x") == []


CHECKS = [
    tools_are_described,
    one_tool_opens_the_page,
    page_is_one_html_file,
    catalogue_can_be_listed_and_filtered,
    inventory_can_be_filtered,
    low_stock_is_what_is_at_or_below_the_reorder_point,
    adjusting_adds_and_takes_away,
    stock_never_falls_below_zero,
    counting_overwrites_and_adds_to_the_range,
    unknown_ids_are_refused_in_words,
    odd_arguments_are_refused_in_words,
    page_can_ask_for_what_changed,
    resources_tell_the_stock,
    prompts_are_filled_with_figures,
    arguments_are_completed,
]
