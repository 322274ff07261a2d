"""Completion: from what is known, in every place, without starting anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcpapps_jupyter.lifecycle import State
from mcpapps_jupyter.magics.verbs import VERBS

from .support import Notebook


def test_verbs(notebook: Notebook) -> None:
    assert notebook.completions("%mcpapp |") == [f"%mcpapp {verb}" for verb in VERBS]
    assert notebook.completions("%mcpapp op|") == ["%mcpapp open"]
    assert notebook.completions("%mcpapp help res|") == [
        "%mcpapp help resources",
        "%mcpapp help restart",
    ]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("%mcpapp open g|", "%mcpapp open grocery-inventory"),
        ("%mcpapp open grocery-in|", "%mcpapp open grocery-inventory"),
        ("x = %mcpapp open g|", "x = %mcpapp open grocery-inventory"),
        ("  x.y = %mcpapp open GRO|", "  x.y = %mcpapp open grocery-inventory"),
        ("mcpapp open g|", "mcpapp open grocery-inventory"),
        ("a = 1\n%mcpapp open g|\nb = 2", "a = 1\n%mcpapp open grocery-inventory\nb = 2"),
        ("%mcpapp open g| storeId=1", "%mcpapp open grocery-inventory storeId=1"),
        ("%mcpapp open \\\n  g|", "%mcpapp open \\\n  grocery-inventory"),
        ("%mcpapp open grocery --mode f|", "%mcpapp open grocery --mode fullscreen"),
        ("%mcpapp open grocery --mode=f|", "%mcpapp open grocery --mode=fullscreen"),
        ("%mcpapp open grocery --he|", "%mcpapp open grocery --height"),
        ("%mcpapp list --tag re|", "%mcpapp list --tag retail"),
        ("%mcpapp list --capability res|", "%mcpapp list --capability resources"),
        ("%mcpapp list --u|", "%mcpapp list --ui"),
        ("%mcpapp list --state R|", "%mcpapp list --state Running"),
        ("%mcpapp add x --prot|", "%mcpapp add x --protocol"),
    ],
)
def test_places(notebook: Notebook, typed: str, offered: str) -> None:
    assert notebook.completions(typed) == [offered]


def test_nothing_is_started_for_it(notebook: Notebook) -> None:
    for typed in (
        "call grocery |",
        "call grocery get|",
        "open grocery |",
        "read grocery |",
        "prompt grocery |",
    ):
        notebook.completions(f"%mcpapp {typed}")
    assert notebook.host["grocery"].state is State.VALIDATED
    assert not notebook.host.thread.sessions.started


def test_what_a_listed_app_offers(plain_app: Notebook) -> None:
    plain_app.value("%mcpapp start plain grocery")
    complete = plain_app.completions
    assert complete("%mcpapp call plain pa|") == ["%mcpapp call plain paint"]
    assert complete("%mcpapp call plain paint c|") == [
        "%mcpapp call plain paint colour=",
        "%mcpapp call plain paint coats=",
    ]
    assert complete("%mcpapp call plain paint coats=1 c|") == ["%mcpapp call plain paint coats=1 colour="]
    assert complete("%mcpapp call plain paint colour=|") == [
        "%mcpapp call plain paint colour=red",
        "%mcpapp call plain paint colour=green",
    ]
    assert complete("%mcpapp call plain echo flag=t|") == ["%mcpapp call plain echo flag=true"]
    assert complete("%mcpapp prompt plain a|") == ["%mcpapp prompt plain ask"]
    assert complete("%mcpapp prompt plain ask to|") == [
        "%mcpapp prompt plain ask topic=",
        "%mcpapp prompt plain ask tone=",
    ]
    assert complete("%mcpapp read plain pl|") == ["%mcpapp read plain plain://greeting"]
    assert complete("%mcpapp prompt plain ask topic=x |") == ["%mcpapp prompt plain ask topic=x tone="]
    assert complete("%mcpapp prompt grocery explain_inventory_term |") == [
        "%mcpapp prompt grocery explain_inventory_term term="
    ]
    assert complete("%mcpapp open grocery st|") == ["%mcpapp open grocery storeId="]
    assert complete("%mcpapp open grocery sho|") == ["%mcpapp open grocery show_store_inventory_dashboard"]
    plain_app.value("%mcpapp stop --all")
    assert complete("%mcpapp call plain pa|") == ["%mcpapp call plain paint"]
    assert plain_app.host["plain"].state is State.STOPPED


def test_an_app_is_offered_once(plain_app: Notebook) -> None:
    assert plain_app.completions("%mcpapp start plain |") == ["%mcpapp start plain grocery-inventory"]


@pytest.mark.parametrize(
    "typed",
    [
        "%mcpapp call grocery get_inventory storeId=|",
        "%mcpapp call grocery get_inventory supplier=|",
        "%mcpapp read grocery inventory://|",
        "%mcpapp read grocery pr|",
        "%mcpapp nonsense pr|",
        "%mcpapp open pr|",
        "%mcpapp list --state pr|",
        "x = %mcpapp info pr|",
    ],
)
def test_where_nothing_is_known_nothing_else_is_offered(notebook: Notebook, typed: str) -> None:
    assert notebook.completions(typed) == []


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (
            "%mcpapp call grocery get_inventory storeId={payl|",
            "%mcpapp call grocery get_inventory storeId={payload",
        ),
        ("%mcpapp add --from mcp.js|", "%mcpapp add --from mcp.json"),
        ("%mcpapp scan fol|", "%mcpapp scan folder/"),
        ("%mcpapp add x -- mcp.js|", "%mcpapp add x -- mcp.json"),
    ],
)
def test_where_variables_and_files_may_stand_they_are_offered(
    notebook: Notebook, typed: str, offered: str
) -> None:
    notebook.names["payload"] = {}
    Path("mcp.json").write_text("{}")
    Path("folder").mkdir()
    assert offered in notebook.completions(typed)


@pytest.mark.parametrize(
    "typed",
    [
        "mcpapp = open_g|",
        "print('%mcpapp open g|')",
        "# %mcpapp open g|",
        "%mcpapps open g|",
        "%mcpapp add x -- g|",
        "%mcpapp nonsense g|",
        "%mcpapp call nothing g|",
        "%mcpapp open grocery 'unclosed g|",
    ],
)
def test_elsewhere_it_stays_away(notebook: Notebook, typed: str) -> None:
    assert not [line for line in notebook.completions(typed) if "grocery-inventory" in line]
