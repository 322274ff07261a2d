"""Arguments of tools: described, checked, coerced from text, exemplified, for schemas of every shape."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import threading
import warnings
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from mcpapps_jupyter import arguments
from mcpapps_jupyter.app import given_arguments
from mcpapps_jupyter.errors import InvalidArguments
from tests.core.conftest import MakeLab

STORE = {
    "type": "object",
    "properties": {
        "storeId": {"type": "integer", "minimum": 1, "description": "which store"},
        "q": {"type": "string"},
        "kind": {"enum": ["fruit", "bread", 3]},
        "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "price": {"type": "number"},
        "open": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "where": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "any": {},
        "free": True,
    },
    "required": ["storeId", "kind"],
}


def test_the_signature_has_required_ones_first() -> None:
    assert arguments.signature(STORE).startswith(
        'storeId: integer, kind: one of "fruit", "bread", 3, q?: string'
    )
    assert "limit?: integer" in arguments.signature(STORE)
    assert "any?: any value" in arguments.signature(STORE)
    assert arguments.signature({}) == ""


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kind": "fruit"}, "storeId is required (integer: which store)"),
        ({"storeId": 1}, 'kind is required (one of "fruit", "bread", 3)'),
        ({"storeId": "1", "kind": "fruit"}, 'storeId must be integer, got "1"'),
        ({"storeId": 0, "kind": "fruit"}, "storeId: 0 is less than the minimum of 1"),
        ({"storeId": 1, "kind": "meat"}, 'kind must be one of "fruit", "bread", 3, got "meat"'),
        ({"storeId": 1, "kind": 3, "limit": "x"}, 'limit must be integer, got "x"'),
        ({"storeId": 1, "kind": 3, "tags": ["a", 1]}, "tags.1: 1 is not of type 'string'"),
        ({"storeId": 1, "kind": 3, "where": {}}, "where: 'city' is a required property"),
        ({"storeId": 1, "kind": 3, "stroe": 1}, "there is no argument 'stroe'; it takes storeId: integer"),
        ({"storeId": True, "kind": 3}, "storeId must be integer, got true"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        arguments.check("look", STORE, given)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        {"storeId": 1, "kind": "fruit"},
        {"storeId": 2, "kind": 3, "q": "", "limit": None, "price": 1, "open": False, "tags": []},
        {"storeId": 2, "kind": "bread", "where": {"city": "x", "more": 1}, "any": [1], "free": None},
    ],
)
def test_what_fits_passes(given: dict[str, Any]) -> None:
    arguments.check("look", STORE, given)


def test_the_line_to_paste_keeps_what_was_right() -> None:
    with pytest.raises(InvalidArguments) as caught:
        arguments.check("look", STORE, {"q": "egg", "price": "dear"})
    assert caught.value.example == {"storeId": 1, "kind": "fruit", "q": "egg", "price": 1.5}
    arguments.check("look", STORE, caught.value.example)


SHAPES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"anything": 1}),
    ({"type": "object"}, {"anything": 1}),
    ({"properties": {}, "additionalProperties": True}, {"x": 1}),
    ({"properties": {}, "additionalProperties": {"type": "integer"}}, {"x": 1}),
    ({"properties": {"a": {}}, "patternProperties": {"^x": {}}}, {"x1": 1}),
    ({"properties": {"a": {}}, "allOf": [{"properties": {"b": {"type": "integer"}}}]}, {"a": 1, "b": 2}),
    ({"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"a": {"type": "integer"}}}}}, {"a": 1}),
    ({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "integer"}}}, {"a": 1}),
    ({"properties": {"a": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}}, {"a": 1}),
    ({"properties": {"a": {"type": ["string", "null"]}}}, {"a": None}),
    ({"properties": {"a": {"const": None}}, "required": ["a"]}, {"a": None}),
    (
        {
            "properties": {"tree": {"$ref": "#/$defs/T"}},
            "$defs": {"T": {"properties": {"t": {"$ref": "#/$defs/T"}}}},
        },
        {"tree": {"t": {"t": {}}}},
    ),
]

BROKEN: list[Any] = [
    {"type": 7},
    {"properties": {"a": {"type": "integr"}}},
    {"properties": {"a": {"pattern": "("}}},
    {"properties": {"a": {"$ref": "#/nowhere"}}},
    {"properties": {"a": {"$ref": "urn:nobody:knows"}}},
    {"properties": {"a": {"$ref": "#/properties/a"}}},
    {"properties": [], "required": "a"},
    {"properties": {"a": 5}, "required": [1, {}]},
    {"properties": {"a": {"minimum": "x", "enum": 3, "anyOf": 1, "examples": 2}}},
]


@pytest.mark.parametrize(("schema", "given"), SHAPES)
def test_schemas_of_many_shapes_take_what_fits(schema: dict[str, Any], given: dict[str, Any]) -> None:
    assert arguments.problems(schema, given) == []
    assert isinstance(arguments.signature(schema), str)
    assert isinstance(arguments.example(schema), dict)


@pytest.mark.parametrize("schema", BROKEN)
def test_a_broken_schema_is_the_servers_own_mistake(schema: Any) -> None:
    arguments.problems(schema, {"a": "x"})
    arguments.signature(schema)
    arguments.example(schema)
    arguments.coerce("a", "x", schema)


@pytest.mark.parametrize(("schema", "given"), SHAPES)
def test_examples_fit(schema: dict[str, Any], given: dict[str, Any]) -> None:
    if "$ref" not in schema:
        assert arguments.problems(schema, arguments.example(schema)) == []


def test_nothing_is_fetched_for_a_reference() -> None:
    asked: list[str] = []

    class Trap(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Trap)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/schema.json"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for schema in ({"$ref": url}, {"properties": {"a": {"$ref": url}}}, {"$schema": url, "$ref": url}):
            assert arguments.problems(schema, {"a": 1}) == []
    server.shutdown()
    server.server_close()
    assert asked == []


_DOUBLING = {
    f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(40)
}
_META = "https://json-schema.org/draft/2020-12/schema"
_CATASTROPHE = {"pattern": "^(a+)+$"}

#: Each would take hours; a value that misses them is for the server to refuse.
EXPLOSIVE: list[tuple[dict[str, Any], Any]] = [
    ({"properties": {"x": _CATASTROPHE}}, "a" * 40 + "!"),
    ({"properties": {"x": {"$schema": _META, **_CATASTROPHE}}}, "a" * 40 + "!"),
    ({"properties": {"x": {"propertyNames": _CATASTROPHE}}}, {"a" * 40 + "!": 1}),
    ({"properties": {"x": {"patternProperties": {"^(a+)+$": {}}}}}, {"a" * 40 + "!": 1}),
    (
        {"properties": {"x": {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}}},
        {"a" * 40 + "!": 1},
    ),
    ({"properties": {"x": {"unevaluatedProperties": False, "patternProperties": {"^(a+)+$": {}}}}}, {"a": 1}),
    ({"properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": {**_DOUBLING, "d40": {}}}, 1),
    ({"properties": {"x": {"uniqueItems": True}}}, [{"n": n} for n in range(9000)]),
    ({"properties": {"x": {"type": "string"}}}, [[0]] * 100_000),
]


@pytest.mark.parametrize(("schema", "value"), EXPLOSIVE)
def test_no_schema_keeps_the_kernel_busy(schema: dict[str, Any], value: Any) -> None:
    assert arguments.schema_problems(schema, {"x": value}) == []


def test_a_schema_of_its_own_dialect_is_still_checked() -> None:
    schema = {
        "$schema": _META,
        "properties": {"x": {"$schema": _META, "type": "array", "items": {"$ref": "#/$defs/N"}}},
    }
    schema["$defs"] = {"N": {"type": "integer"}}
    assert arguments.schema_problems(schema, {"x": [1, "a"]}) == ["x.1: 'a' is not of type 'integer'"]
    assert arguments.schema_problems(schema, {"x": list(range(1000))}) == []


def test_what_is_soon_found_is_told_of_a_check_that_would_take_long() -> None:
    schema = {"properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": {**_DOUBLING, "d40": {"type": "null"}}}
    assert len(arguments.schema_problems(schema, {"x": 1})) == 3
    rows = {"properties": {"x": {"items": {"properties": {"n": {"type": "integer"}}}}}}
    found = arguments.schema_problems(rows, {"x": [{"n": "a", "m": 1}] * 2000})
    assert found[0] == "x.0.n: 'a' is not of type 'integer'"


def test_one_schema_is_prepared_once_and_few_are_kept() -> None:
    schema = {"properties": {"a": {"type": "integer"}}}
    first = arguments._validator(schema)
    assert arguments._validator(schema) is first
    for number in range(1000):
        arguments.problems({"properties": {f"a{number}": {"type": "integer"}}}, {})
    assert len(arguments._validators) <= 256
    assert arguments.problems(schema, {"a": "x"})


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("storeId", "3", 3),
        ("storeId", "3.0", 3),
        ("storeId", "x", "x"),
        ("q", "3", "3"),
        ("q", "null", "null"),
        ("q", "true", "true"),
        ("limit", "null", None),
        ("limit", "None", None),
        ("limit", "5", 5),
        ("price", "1e3", 1000.0),
        ("price", "nan", "nan"),
        ("price", "NaN", "NaN"),
        ("open", "yes", True),
        ("open", "False", False),
        ("open", "1", 1),
        ("tags", '["a", "b"]', ["a", "b"]),
        ("where", '{"city": "x"}', {"city": "x"}),
        ("kind", "fruit", "fruit"),
        ("kind", "3", 3),
        ("any", "5", 5),
        ("any", "hello", "hello"),
        ("any", "[1", "[1"),
        ("unknown", "true", True),
        ("unknown", "None", None),
    ],
)
def test_text_becomes_what_the_schema_wants(name: str, text: str, value: Any) -> None:
    found = arguments.coerce(name, text, STORE)
    assert (found, type(found)) == (value, type(value))


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    at: Path


def test_values_of_notebooks_become_json() -> None:
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    given = given_arguments(
        "tool",
        {"n": numpy.int64(1), "f": numpy.float32(0.5), "b": numpy.bool_(True), "a": numpy.arange(3)},
        {
            "s": pandas.Series([1, 2]),
            "t": pandas.DataFrame({"a": [1], "b": ["x"]}),
            "d": datetime.date(2026, 1, 2),
            "p": Path("x"),
            "c": Colour.RED,
            "o": Point(1, Path("y")),
            "l": (1, [None]),
        },
    )
    assert given == {
        "n": 1,
        "f": 0.5,
        "b": True,
        "a": [0, 1, 2],
        "s": [1, 2],
        "t": [{"a": 1, "b": "x"}],
        "d": "2026-01-02",
        "p": "x",
        "c": "red",
        "o": {"x": 1, "at": "y"},
        "l": [1, [None]],
    }
    assert type(given["n"]) is int


def test_a_value_without_json_is_named(lab: MakeLab) -> None:
    app = lab("inprocess")
    numpy = pytest.importorskip("numpy")
    assert app.call("add", a=numpy.int64(1)).data == 2
    with pytest.raises(InvalidArguments, match=r"add: a: a value of type object cannot be sent as JSON"):
        app.call("add", a=object())
    with pytest.raises(InvalidArguments, match="open_page: storeId"):
        app.open("open_page", storeId={1, 2})
    view = app.open("open_page", storeId=numpy.int64(7))
    view.wait_for_result(30)
    assert view.result.data["store"] == 7
    assert view.arguments == {"storeId": 7}
    view.close()
