"""Reading: comments, trailing commas, lines, broken texts, overrides, anything at all."""

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcpapps_jupyter.manifest import parse_manifest, parse_mapping
from mcpapps_jupyter.manifest.jsonc import MalformedJson, read
from mcpapps_jupyter.manifest.model import KEYS
from mcpapps_jupyter.manifest.schema import SCHEMA_FILE, manifest_schema, schema_text

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["stdio", "http", "inprocess", "ui://x", "http://x", "${env:A}", "a:b", "legacy"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
MANIFESTS = st.dictionaries(
    st.sampled_from([*KEYS, "comand", "$schema"]) | st.text(max_size=5), JSON, max_size=8
)


# the reader


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, // one\n "b": 2 /* two\n lines */, }', {"a": 1, "b": 2}),
        ('["//", "/* no */", "a,]", ",}", "\\"//"]', ["//", "/* no */", "a,]", ",}", '"//']),
        ("[1, /* x */ ]", [1]),
        ("[1,\n\t]", [1]),
        ("\ufeff{}", {}),
        ("// only\n1", 1),
        ("/**/1", 1),
        ("1//", 1),
        ('{"a": [{"b": [1,],},],}', {"a": [{"b": [1]}]}),
    ],
)
def test_comments_and_trailing_commas(text, value):
    assert read(text).value == value


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "the file is empty"),
        ("  \n ", 1, "the file is empty"),
        ("// nothing\n", 1, "the file is empty"),
        ('{"a": 1,\n "b" 2}', 2, "delimiter (column 6)"),
        ('{"a": 1\n', 1, "ends too early"),
        ('{\n"a": "x\n}', 2, "not valid JSON"),
        ("{,}", 1, "not valid JSON"),
        ("[1,,]", 1, "not valid JSON"),
        ("[,]", 1, "not valid JSON"),
        ('{"a": 1}\n}', 2, "not valid JSON"),
        ("{\n/* open", 2, "never closed"),
        ("{}/*/", 1, "never closed"),
        ('{"a": NaN}', 1, "NaN is not a JSON number"),
        ('{"NaN": "NaN",\n"a": -Infinity}', 2, "-Infinity is not a JSON number"),
        ("[" * 200_000, None, "nested too deeply"),
        ("9" * 5000, None, "thousands of digits"),
        ("{'a': 1}", 1, "not valid JSON"),
    ],
)
def test_broken_text_is_explained_with_its_line(text, line, words):
    with pytest.raises(MalformedJson) as error:
        read(text)
    assert words in str(error.value)
    assert error.value.line == line


def test_lines_of_keys_and_items():
    text = '{ // 1\n "a": {\n  "b": [\n   1,\n   {"c": 2}\n  ]\n },\n "d": [[],\n [3]]\n}'
    document = read(text)
    assert document.line_of(("a",)) == 2
    assert document.line_of(("a", "b")) == 3
    assert document.line_of(("a", "b", 0)) == 4
    assert document.line_of(("a", "b", 1, "c")) == 5
    assert document.line_of(("d", 1, 0)) == 9
    assert document.line_of(("a", "missing")) == 2
    assert document.line_of(("missing",)) is None


def test_a_key_given_twice_is_noticed():
    document = read('{"a": 1, "b": {"c": 1, "c": 2}, "a": 3}')
    assert document.value == {"a": 3, "b": {"c": 2}}
    assert document.repeated == [("b", "c"), ("a",)]
    warning = parse_manifest('{"id": "x", "id": "y", "version": "1", "command": "c"}', source="m").warnings[0]
    assert warning == 'm:1: "id": given twice; the last one counts.'


@given(JSON)
def test_plain_json_reads_as_json_does(value):
    try:
        text = json.dumps(value, indent=1, allow_nan=False)
    except ValueError:
        return
    assert read(text).value == json.loads(text)


@given(JSON, st.data())
def test_every_key_has_the_line_it_stands_on(value, data):
    text = json.dumps({"top": value}, indent=1)
    try:
        document = read(text)
    except MalformedJson:
        return
    lines = text.split("\n")
    path, here = ("top",), document.value["top"]
    while isinstance(here, (dict, list)) and here:
        step = data.draw(st.sampled_from(list(here) if isinstance(here, dict) else range(len(here))))
        path, here = (*path, step), here[step]
        if isinstance(step, str):
            assert lines[document.line_of(path) - 1].strip().startswith(json.dumps(step))


@given(st.text(alphabet='{}[],:"\\/*\n a1-', max_size=60))
@example('"\\"' * 5000)
@example("/*" * 5000)
@example(", " * 5000)
def test_reading_any_text_ends_in_a_value_or_in_words(text):
    with contextlib.suppress(MalformedJson):
        read(text)


# manifests


@pytest.mark.parametrize(
    ("text", "got"), [("[]", "a list"), ("3", "the number 3"), ("null", "null"), ('"x"', 'the string "x"')]
)
def test_a_manifest_is_an_object(text, got):
    assert parse_manifest(text, source="m.json").errors == (f"m.json: wanted a JSON object, got {got}.",)


def test_every_error_is_reported_in_the_order_of_the_file():
    text = """{
      "hasUi": "yes", // wrong
      "id": "a b",
      "transport": "htp",
      /* and */
      "tags": [1],
    }"""
    parsed = parse_manifest(text, source="/x/m.json")
    assert [error.split(": ")[0] for error in parsed.errors] == [f"/x/m.json:{n}" for n in (2, 3, 4, 6)]


def test_long_and_odd_values_do_not_spoil_a_message():
    (error,) = parse_manifest(
        json.dumps({"id": "a", "version": "1", "command": "c", "tags": "x\u202e\n" * 500}), source="m"
    ).errors
    assert error.isprintable()
    assert len(error) < 200


@given(st.text())
def test_any_text_as_a_manifest_never_raises(text):
    parsed = parse_manifest(text, source="m")
    assert (parsed.manifest is None) == bool(parsed.errors)


@given(MANIFESTS, JSON)
def test_any_json_as_a_manifest_never_raises(data, overrides):
    text = json.dumps(data)
    parsed = parse_manifest(text, source="m", overrides=overrides if isinstance(overrides, dict) else None)
    assert (parsed.manifest is None) == bool(parsed.errors)
    assert all(isinstance(each, str) and "\n" not in each for each in parsed.errors + parsed.warnings)
    mapped = parse_mapping(data, source="m")
    assert (mapped.manifest is None) == bool(mapped.errors)


# overrides


def parsed_with(overrides, **keys):
    data = {"id": "app", "version": "1.0.0", "command": "node", **keys}
    return parse_manifest(json.dumps(data), source="m.json", overrides=overrides)


@pytest.mark.parametrize(
    ("key", "value", "field"),
    [
        ("transport", " HTTP ", "transport"),
        ("command", "deno", "command"),
        ("arguments", ["a"], "arguments"),
        ("workingDirectory", "/x", "working_directory"),
        ("toolNamePrefix", "p.", "tool_name_prefix"),
        ("startupTimeoutSeconds", 3, "startup_timeout_seconds"),
        ("requestTimeoutSeconds", 4, "request_timeout_seconds"),
        ("protocol", "legacy", "protocol"),
    ],
)
def test_an_override_replaces(key, value, field):
    parsed = parsed_with({key: value}, url="http://x")
    expected = {"transport": "http", "arguments": ("a",)}.get(field, value)
    assert getattr(parsed.manifest, field) == expected
    assert parsed.overridden == {key}
    assert key not in parsed.provided or key == "command"


@pytest.mark.parametrize("spelling", ["ToolNamePrefix", "tool_name_prefix", "toolnameprefix"])
def test_override_keys_in_any_spelling(spelling):
    assert parsed_with({spelling: "p."}).manifest.tool_name_prefix == "p."


def test_environment_and_headers_are_added_to():
    parsed = parsed_with({"environment": {"B": "2", "C": "3"}}, environment={"A": "1", "B": "1"})
    assert parsed.manifest.environment == {"A": "1", "B": "2", "C": "3"}
    http = {"transport": "http", "url": "http://x", "headers": {"X-A": "1", "X-B": "1"}}
    parsed = parsed_with({"headers": {"x-b": "2"}}, **http)
    assert parsed.manifest.headers == {"X-A": "1", "x-b": "2"}


def test_an_empty_prefix_takes_the_prefix_away():
    assert parsed_with({"toolNamePrefix": ""}, toolNamePrefix="p.").manifest.tool_name_prefix is None


def test_overrides_come_before_validation_and_can_repair():
    broken = {"startupTimeoutSeconds": "soon", "environment": 3, "transport": "tcp"}
    repair = {"StartupTimeoutSeconds": 5, "Environment": {"A": "1"}, "Transport": "stdio"}
    assert parsed_with(None, **broken).manifest is None
    assert parsed_with(repair, **broken).errors == ()


def test_a_bad_override_is_blamed_on_the_configuration():
    parsed = parsed_with({"requestTimeoutSeconds": "x", "headers": 3, "comand": "y"})
    blamed = "McpApps.entries['app']: "
    assert any(each.startswith(f'{blamed}"requestTimeoutSeconds": wanted a number') for each in parsed.errors)
    assert any(each.startswith(f'{blamed}"headers": wanted an object') for each in parsed.errors)
    assert (
        "McpApps.entries['app']: \"comand\": not a key that can be overridden. Did you mean 'command'?"
        in (parsed.warnings)
    )


def test_entry_keys_that_are_no_overrides_are_left_to_others():
    parsed = parsed_with({"enabled": False, "approvals": "ask", "permissions": {}, "protocol": None})
    assert (parsed.errors, parsed.warnings, parsed.overridden) == ((), (), frozenset())


# mappings


def test_python_values_count_as_the_json_they_stand_for():
    parsed = parse_mapping({"id": "a", "command": Path("/x/y"), "arguments": (Path("a"), "b")}, source="cell")
    assert parsed.manifest.command == str(Path("/x/y"))
    assert parsed.manifest.arguments == ("a", "b")


def test_errors_of_a_mapping_name_their_source():
    parsed = parse_mapping({"id": "a", "command": "x", "tags": object()}, source="host.add")
    assert parsed.errors == ('host.add: "tags": wanted a list of strings, got a object.',)


# schema


def test_the_shipped_schema_is_current():
    assert SCHEMA_FILE.read_text("utf-8") == schema_text(), (
        "python -m mcpapps_jupyter.manifest.schema writes it anew"
    )


def test_the_schema_describes_every_key():
    schema = manifest_schema()
    assert set(schema["properties"]) == {*KEYS, "$schema"}
    assert all(each.get("description") for each in schema["properties"].values())


def test_the_schema_takes_what_the_parser_takes():
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(manifest_schema())
    validator = Draft202012Validator(manifest_schema())
    good = {"id": "a", "command": "x", "tags": None, "name": None, "transport": "stdio", "anything": 1}
    assert validator.is_valid(good)
    for key, value in {
        "id": "a b",
        "tags": [1],
        "hasUi": 1,
        "transport": "tcp",
        "requestTimeoutSeconds": 0,
    }.items():
        assert not validator.is_valid({**good, key: value}), key
