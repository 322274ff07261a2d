"""The tools that ask: the questions, what the answers do, and that a refusal changes nothing."""

import asyncio
from typing import Any

import pytest
from mcp.types import ElicitResult

from .connections import ERAS, TRANSPORTS, connect
from .contract import data, refusal


class Person:
    """Answers the questions in turn with the fields given, on top of the form's defaults."""

    def __init__(self, *answers: dict[str, Any] | str):
        self.answers = list(answers)
        self.questions: list[Any] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        self.questions.append(params)
        answer = self.answers.pop(0) if self.answers else {}
        if isinstance(answer, str):
            return ElicitResult(action=answer)
        defaults = {
            name: field["default"]
            for name, field in params.requested_schema["properties"].items()
            if "default" in field
        }
        return ElicitResult(action="accept", content=defaults | answer)


def talk(person, run, era, transport="inprocess"):
    async def session():
        async with connect(transport, era, elicitation_callback=person) as client:
            await run(client)

    asyncio.run(session())


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_guided_restock_asks_four_questions(transport, era):
    person = Person(
        {"choice": "Hilltop Foods"}, {"choice": "Ground Coffee"}, {"units": 30}, {"confirm": True}
    )

    async def run(client):
        outcome = await data(client, "guided_restock")
        assert outcome["done"] is True
        assert await data(client, "get_inventory", storeId=4, productId=703) == outcome["rows"]
        assert outcome["rows"][0]["quantity"] == 30

    talk(person, run, era, transport)
    store, product, units, confirmation = person.questions
    assert store.requested_schema["properties"]["choice"]["enum"][0] == "Harbour Market"
    assert "Ground Coffee" in product.requested_schema["properties"]["choice"]["enum"]
    assert "OUT OF STOCK" in product.message
    assert units.requested_schema["properties"]["units"]["default"] == 58
    assert "Book 30 packs of Ground Coffee" in confirmation.message


@pytest.mark.parametrize("era", ERAS)
def test_guided_restock_asks_no_more_than_it_must(era):
    person = Person({"choice": "Ground Coffee"}, {"units": 30}, {"confirm": False})

    async def run(client):
        outcome = await data(client, "guided_restock", storeId=4)
        assert outcome == {"done": False, "message": "Not booked. Nothing was changed.", "rows": []}
        [row] = await data(client, "get_inventory", storeId=4, productId=703)
        assert row["quantity"] == 0

    talk(person, run, era)
    assert len(person.questions) == 3


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("action", "words"), [("decline", "was declined"), ("cancel", "closed without an answer")]
)
@pytest.mark.parametrize("tool", ["guided_restock", "transfer_stock_between_stores", "review_low_stock"])
def test_a_question_that_is_not_answered_ends_the_tool(tool, action, words, era):
    async def run(client):
        before = await data(client, "get_inventory")
        refused = await refusal(client, tool)
        assert words in refused
        assert "Nothing was changed" in refused
        assert await data(client, "get_inventory") == before

    talk(Person(action), run, era)


@pytest.mark.parametrize("era", ERAS)
def test_an_answer_that_is_not_on_offer_is_refused(era):
    async def run(client):
        await refusal(client, "guided_restock")

    talk(Person({"choice": "Atlantis"}), run, era)


@pytest.mark.parametrize("era", ERAS)
def test_transfer_asks_for_what_it_was_not_told(era):
    person = Person(
        {"choice": "Free-Range Eggs"}, {"choice": "Harbour Market"}, {"choice": "Riverside Fresh"}
    )

    async def run(client):
        source, target = [
            row for row in await data(client, "get_inventory", productId=202) if row["storeId"] in (1, 3)
        ]
        outcome = await data(client, "transfer_stock_between_stores")
        moved = source["quantity"] - outcome["rows"][0]["quantity"]
        assert moved > 0
        assert outcome["rows"][1]["quantity"] == target["quantity"] + moved
        assert f"Moved {moved} boxes of 10" in outcome["message"]

    talk(person, run, era)
    assert len(person.questions) == 4
    assert person.questions[3].requested_schema["properties"]["units"]["maximum"] == 55


@pytest.mark.parametrize("era", ERAS)
def test_transfer_that_was_told_everything_asks_nothing(era):
    person = Person()

    async def run(client):
        route = {"productId": 202, "fromStoreId": 1, "toStoreId": 3}
        outcome = await data(client, "transfer_stock_between_stores", **route, quantity=2)
        assert [row["quantity"] for row in outcome["rows"]] == [53, 2]
        before = await data(client, "get_inventory")
        tool = "transfer_stock_between_stores"
        assert "has only 53" in await refusal(client, tool, **route, quantity=54)
        assert "at least 1" in await refusal(client, tool, **route, quantity=0)
        assert "two different stores" in await refusal(
            client, tool, productId=202, fromStoreId=1, toStoreId=1
        )
        assert "does not carry" in await refusal(
            client, tool, productId=401, fromStoreId=1, toStoreId=6, quantity=1
        )
        assert await data(client, "get_inventory") == before

    talk(person, run, era)
    assert person.questions == []


@pytest.mark.parametrize("era", ERAS)
def test_review_goes_from_the_emptiest_shelf_on(era):
    person = Person({"decision": "Restock"}, {"decision": "Skip"}, {"decision": "Restock"})

    async def run(client):
        low = await data(client, "get_low_stock", storeId=4)
        outcome = await data(client, "review_low_stock", storeId=4)
        assert [row["productId"] for row in outcome["rows"]] == [low[0]["productId"], low[2]["productId"]]
        assert all(row["quantity"] == row["targetLevel"] for row in outcome["rows"])

    talk(person, run, era)
    assert [question.message[:6] for question in person.questions] == ["1 of 3", "2 of 3", "3 of 3"]


@pytest.mark.parametrize("era", ERAS)
def test_review_stops_when_told_to(era):
    person = Person({"decision": "Restock"}, {"decision": "Stop here"})

    async def run(client):
        assert len((await data(client, "review_low_stock"))["rows"]) == 1

    talk(person, run, era)
    assert len(person.questions) == 2
