"""Mistakes: one line with what is right, never a traceback, and nothing done."""

from __future__ import annotations

import pytest
from IPython.core.error import UsageError

from mcpapps_jupyter.errors import McpAppsError
from mcpapps_jupyter.lifecycle import State

from .support import Notebook


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("opne grocery", "There is no verb 'opne'. Did you mean 'open'?"),
        ("grocery", "Did you mean: %mcpapp open grocery-inventory"),
        ("help opne", "Did you mean 'open'?"),
        ("xyz", "%mcpapp alone lists them"),
        ("open", "open needs APP: %mcpapp open APP [TOOL] [key=value…]"),
        ("call grocery storeId=1", "call needs TOOL"),
        ("open grocery --heigth 3", "open has no option --heigth. Did you mean '--height'?"),
        ("open grocery --store 1", "has no option --store. Arguments are key=value words: store=1"),
        ("list --store 1", "Did you mean '--state'?"),
        (
            "call get_inventory storeId=1",
            "The form is: %mcpapp call APP TOOL",
        ),
        ("call grocery get_inventory --args {storeId: 1}", 'keys need quotes: --args {"storeId": 1}'),
        ("call grocery get_inventory --args {storeId: nope.x}", "keys need quotes"),
        ("call grocery get_inventory --args '{a: [true], b: {c: \"x\"}}'", '{"a": [true], "b": {"c": "x"}}'),
        ("open grocery --height", "--height needs a value: --height N"),
        ("open grocery --height --as x", "--height needs a value"),
        ("open grocery --height tall", "wanted a whole number greater than 0, got 'tall'"),
        ("open grocery --height -5", "got '-5'"),
        ("open grocery --mode full", "Did you mean 'fullscreen'?"),
        ("open grocery --as 3x", "'3x' cannot be the name of a variable"),
        ("open grocery --as class", "'class' cannot be"),
        ("open grocery --as print", "'print' is Python's own name"),
        ("open grocery --as __builtins__", "'__builtins__' is Python's own name"),
        ("open grocery --as a --as b", "--as is given twice"),
        ("call grocery get_inventory storeId = 1", "without spaces around '='"),
        ("call grocery get_inventory storeId=1 storeId=2", "storeId is given twice"),
        ("call grocery get_inventory storeId={nope}", "there is no variable 'nope'"),
        ('call grocery get_inventory --args {"storeId": }', "neither JSON"),
        ("call grocery get_inventory storeId={{1, 2}: 3}", "TypeError"),
        ("call grocery get_inventory q='x", "A quote is not closed"),
        ("list grocery", "'grocery' is one word too many"),
        ("list --x", "list has no option --x. It takes --state, --tag, --capability, --ui"),
        ("info --x grocery", "info has no option --x. It takes none."),
        ("start", "start needs APP, or --all"),
        ("start --all grocery", "either apps or --all"),
        ("start --all=yes grocery", "--all takes no value"),
    ],
)
def test_bad_lines_are_usage_errors(notebook: Notebook, line: str, says: str) -> None:
    outcome = notebook.run(f"%mcpapp {line}")
    assert type(outcome.error) is UsageError  # IPython prints one line for exactly this class
    assert says in outcome.line
    assert notebook.host["grocery"].state is State.VALIDATED


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("open grocry", "UnknownApp: There is no app 'grocry'. Did you mean 'grocery-inventory'?"),
        (
            "call grocery get_inventroy",
            "UnknownTool: grocery-inventory has no tool 'get_inventroy'. Did you mean",
        ),
        ("open grocery get_stores", "brings no page; these do: show_store_inventory_dashboard"),
        ("prompt grocery explain", "Did you mean 'explain_inventory_term'?"),
        ("prompt grocery explain_inventory_term", "Paste: %mcpapp prompt"),
        ("read grocery inventory://nothing", "inventory://nothing"),
        ("read grocery inventory://summry", "Did you mean 'inventory://summary'"),
    ],
)
def test_failures_are_errors_of_ours(notebook: Notebook, line: str, says: str) -> None:
    outcome = notebook.run(f"%mcpapp {line}")
    assert isinstance(outcome.error, McpAppsError)
    assert says in outcome.line


@pytest.mark.parametrize(
    ("line", "paste"),
    [
        ("call grocery adjust_stock", "%mcpapp call grocery adjust_stock storeId=1 productId=1 delta=1"),
        (
            "call grocery adjust_stock storeId=2 delta=x",
            "%mcpapp call grocery adjust_stock storeId=2 delta=1 ",
        ),
        ("call grocery get_inventory storId=7", "%mcpapp call grocery get_inventory storeId=7"),
        ("open grocery storeID=2", "%mcpapp open grocery storeId=2"),
        ("open grocery storeID=x", "%mcpapp open grocery storeId=1"),
        ("open grocery storeId=one", "%mcpapp open grocery storeId=1"),
        ("call grocery.inventory get_stores", None),
    ],
)
def test_wrong_arguments_come_with_a_line_to_paste(notebook: Notebook, line: str, paste: str | None) -> None:
    outcome = notebook.run(f"%mcpapp {line}")
    if paste is None:
        assert "Did you mean" in outcome.line
    else:
        assert paste.strip() in outcome.line.split("Paste: ")[1] or set(paste.split()) <= set(
            outcome.line.split("Paste: ")[1].split()
        )


def test_the_line_to_paste_works(plain_app: Notebook) -> None:
    line = plain_app.run("%mcpapp call plain paint colour=blue").line
    assert 'one of "red", "green"' in line or "coats is required" in line
    assert plain_app.value(line.split("Paste: ")[1]).text == "1 coats of red"


def test_what_is_known_of_a_listed_app_is_said(plain_app: Notebook) -> None:
    plain_app.value("%mcpapp start plain grocery")
    assert "key=value words: storeId=1" in plain_app.run("%mcpapp open grocery --store 1").line
    assert "key=value words: storeId=1" in plain_app.run("%mcpapp call grocery get_inventory --store=1").line
    for line in ("call paint", "open paint colour=red"):
        assert "That is a tool of plain." in plain_app.run(f"%mcpapp {line}").line


def test_the_python_line_keeps_a_value_under_the_name_that_was_meant(notebook: Notebook) -> None:
    notebook.names["app"] = notebook.host["grocery"]
    line = notebook.run("app.call('get_inventory', storeID='2')").line
    assert line.endswith("Paste: host['grocery-inventory'].call('get_inventory', storeId=2)")


def test_a_failing_tool_is_a_result(notebook: Notebook) -> None:
    result = notebook.value("%mcpapp call grocery adjust_stock storeId=1 productId=999999 delta=1")
    assert result.is_error


def test_a_server_that_does_not_start_says_why(plain_app: Notebook) -> None:
    plain_app.value("%mcpapp add bad -- {python} {server} broken")
    for verb in ("open bad", "call bad echo text=1"):
        assert "no such module: butter" in plain_app.run(f"%mcpapp {verb}").line
    assert [app.id for app in plain_app.value("%mcpapp list --state failed")] == ["bad"]


def test_secrets_stay_hidden(plain_app: Notebook) -> None:
    plain_app.value("%mcpapp call plain whisper")
    shown = repr(plain_app.value("%mcpapp info plain"))
    assert "SECRET" in shown
    assert "hunter2" not in shown
    assert "•••" in shown
    assert "hunter2" not in plain_app.run("%mcpapp add x --env hunter2 -- y").line
