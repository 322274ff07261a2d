"""How a line is cut into words, and what the words stand for."""

from __future__ import annotations

import datetime
import json
import math
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.error import UsageError

from mcpapps_jupyter.magics.values import Names, expand, mapping_of, written
from mcpapps_jupyter.magics.words import UnclosedQuoteError, split
from mcpapps_jupyter.plain import NotPlainError, plain


def texts(line: str) -> list[str]:
    return [word.text for word in split(line)]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", []),
        ("  a   b ", ["a", "b"]),
        ('q="a b" r=\'c d\' "e f"', ["q=a b", "r=c d", "e f"]),
        (r"C:\new\table.txt", [r"C:\new\table.txt"]),
        (r'"C:\Program Files\app\" next', ["C:\\Program Files\\app\\", "next"]),
        (r'"say \"hello\""', ['say "hello"']),
        ("don't can't", ["don't", "can't"]),
        ('""', [""]),
        ("q=", ["q="]),
        ('--args {"a": {"b": "x y"}} c', ["--args", '{"a": {"b": "x y"}}', "c"]),
        ('--args {"a": "} {"} c', ["--args", '{"a": "} {"}', "c"]),
        ("ids=[1, 2, 3] x", ["ids=[1, 2, 3]", "x"]),
        ("n={len(ids) + 1}", ["n={len(ids) + 1}"]),
        ("{unclosed a", ["{unclosed", "a"]),
        ("-- [ -f x ]", ["--", "[", "-f", "x", "]"]),
        ("list # all of them", ["list"]),
        ("colour=#fff #x", ["colour=#fff", "#x"]),
        ("url=http://h/?q=a&b=c", ["url=http://h/?q=a&b=c"]),
    ],
)
def test_words(line: str, words: list[str]) -> None:
    assert texts(line) == words


@pytest.mark.parametrize("line", ['"a', "q='a b", '"'])
def test_a_quote_that_is_never_closed(line: str) -> None:
    with pytest.raises(UnclosedQuoteError):
        split(line)
    assert split(line, strict=False)


@given(st.text())
def test_any_line_can_be_cut(line: str) -> None:
    words = split(line, strict=False)
    assert [word.start for word in words] == sorted({word.start for word in words})


@given(st.lists(st.text(st.characters(exclude_characters="'", exclude_categories=("Cc",)), min_size=0)))
def test_single_quotes_keep_everything(parts: list[str]) -> None:
    assert texts(" ".join(f"'{part}'" for part in parts)) == parts


class Shade(Enum):
    DARK = "dark"


@pytest.fixture
def names() -> Names:
    return Names(
        {
            "ids": [7, 8],
            "name": "milk and honey",
            "count": np.int64(3),
            "payload": {"storeId": 1},
            "text": '{"storeId": 2}',
            "file": "stock",
            "shade": Shade.DARK,
            "__builtins__": __builtins__,
        }
    )


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("plain", "plain"),
        ("{ids}", [7, 8]),
        ("$ids", [7, 8]),
        ("{ids[0] + 1}", 8),
        ("{name}", "milk and honey"),
        ("$shade.value", "dark"),
        ("{{name}}", "{name}"),
        ("$$name", "$name"),
        ("'$name'", "$name"),
        ("'{name}'", "milk and honey"),
        ('"about {name}"', "about milk and honey"),
        ("about-$name", "about-milk and honey"),
        ("$file.csv", "stock.csv"),
        ("{{{file}}}", "{stock}"),
        ("id-{count}", "id-3"),
        ("{ids}{count}", "[7, 8]3"),
        ("${env:TOKEN}", "${env:TOKEN}"),
        ('"Bearer ${env:TOKEN:-x}"', "Bearer ${env:TOKEN:-x}"),
        ("${python}", "${python}"),
        ('{"a": 1}', '{"a": 1}'),
        ('{"a": {"b": []}}', '{"a": {"b": []}}'),
        ('{"a": count}', {"a": 3}),
        ('{"a": "$name {name}"}', '{"a": "$name {name}"}'),
        ("{}", "{}"),
        ("US$5", "US$5"),
        ("a{b", "a{b"),
    ],
)
def test_what_a_word_stands_for(names: Names, word: str, value: Any) -> None:
    assert expand(split(word)[0], names) == value


def test_whole_expressions_keep_their_object(names: Names) -> None:
    (word,) = split("{ids}")
    assert expand(word, names) is expand(word, names)


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("{nmae}", "there is no variable 'nmae'. Did you mean 'name'?"),
        ("$nmae", "For the text itself write $$nmae"),
        ("{nmae}", "For the text itself write {{nmae}}"),
        ("a{1/0}", "{1/0}: ZeroDivisionError"),
        ("{id}", "{id} is a function, not a value"),
        ("{int}", "a class"),
    ],
)
def test_expressions_that_fail_say_so_in_one_line(names: Names, word: str, says: str) -> None:
    with pytest.raises(UsageError) as failure:
        expand(split(word)[0], names)
    assert says in str(failure.value)
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ('{"storeId": 1}', {"storeId": 1}),
        ("'{\"storeId\": 1}'", {"storeId": 1}),
        ("{payload}", {"storeId": 1}),
        ("$payload", {"storeId": 1}),
        ("payload", {"storeId": 1}),
        ("text", {"storeId": 2}),
        ("{'storeId': ids[0], 'n': count}", {"storeId": 7, "n": 3}),
        ("{dict(storeId=count)}", {"storeId": 3}),
        ("{}", {}),
    ],
)
def test_arguments_at_once(names: Names, word: str, value: dict[str, Any]) -> None:
    given = mapping_of(split(word)[0], names)
    assert given == value
    json.dumps(given)


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("nothing", "neither JSON"),
        ("[1,2]", "wanted a JSON object or a dict, got list"),
        ("{ids}", "got list"),
        ('{"a": {count}}', "a set cannot be sent"),
        ("'{\"a\": 1'", "neither JSON"),
    ],
)
def test_arguments_that_are_none(names: Names, word: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        mapping_of(split(word)[0], names)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(json_values)
def test_a_line_to_paste_means_the_same(value: Any) -> None:
    words = split(f"call app tool key={written(value)} --as x")
    assert len(words) == 6
    pair = words[3].pair()
    assert pair is not None
    read = expand(pair[1], Names({"__builtins__": __builtins__}))
    assert read == value if isinstance(value, str) or not isinstance(read, str) else json.loads(read) == value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.float64(1.5), 1.5),
        (np.bool_(True), True),
        (np.array([[1, 2]]), [[1, 2]]),
        (pd.Series([1, 2]), [1, 2]),
        (pd.DataFrame({"a": [1], "b": ["x"]}), [{"a": 1, "b": "x"}]),
        (pd.Timestamp("2026-01-02"), "2026-01-02T00:00:00"),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (Path("a") / "b", str(Path("a") / "b")),
        ((1, range(2)), [1, [0, 1]]),
        ({1: {"x": None}}, {"1": {"x": None}}),
        (Shade.DARK, "dark"),
    ],
)
def test_values_as_json_says_them(value: Any, said: Any) -> None:
    assert plain(value) == said
    assert json.loads(json.dumps(plain(value))) == said


@pytest.mark.parametrize("value", [{1, 2}, object(), b"x", [math.sin], int])
def test_values_that_json_cannot_say(value: Any) -> None:
    with pytest.raises(NotPlainError):
        plain(value)
