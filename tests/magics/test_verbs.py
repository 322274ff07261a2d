"""The verbs, each on a real server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.lifecycle import State
from mcpapps_jupyter.magics.verbs import VERBS
from mcpapps_jupyter.views.context import ModelContext

from .support import Notebook


def test_alone_it_shows_all_verbs_on_one_screen(notebook: Notebook) -> None:
    text = repr(notebook.value("%mcpapp"))
    assert all(f"\n  {verb}" in text for verb in VERBS)
    assert len(text.splitlines()) <= 30
    assert max(map(len, text.splitlines())) <= 110


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(notebook: Notebook, verb: str) -> None:
    text = repr(notebook.value(f"%mcpapp help {verb}"))
    assert f"%mcpapp {verb}" in text
    assert all(option.name in text for option in VERBS[verb].options)
    assert repr(notebook.value(f"%mcpapp {verb} --help")) == text
    assert max(map(len, text.splitlines())) <= 110


def test_list(notebook: Notebook) -> None:
    assert [app.id for app in notebook.value("%mcpapp list")] == ["grocery-inventory"]
    assert notebook.value("%mcpapp list --state running") == []
    assert len(notebook.value("%mcpapp list --state Validated --tag demo")) == 1
    assert "No app fits" in repr(notebook.value("%mcpapp list --tag nothing"))
    assert "UsageError" in notebook.run("%mcpapp list --state Runing").line


def test_list_only_what_offers_something_or_brings_a_page(plain_app: Notebook) -> None:
    def listed(options: str) -> list[str]:
        return [app.id for app in plain_app.value(f"%mcpapp list {options}")]

    assert listed("--ui") == ["grocery-inventory"]
    assert listed("--capability tools") == ["grocery-inventory", "plain"]
    assert listed("--capability Prompts") == ["grocery-inventory"], "plain's manifest says nothing of them"
    plain_app.value("%mcpapp start plain")
    assert listed("--capability Prompts") == ["grocery-inventory", "plain"], "its server does"
    assert listed("--capability prompts --ui --state validated") == ["grocery-inventory"]
    assert "No app fits" in repr(plain_app.value("%mcpapp list --capability pigeons"))
    assert [app.id for app in plain_app.host.registry.listing(has_ui=False)] == ["plain"]


def test_scan(notebook: Notebook, tmp_path: Path) -> None:
    folder = tmp_path / "more apps" / "tiny"
    folder.mkdir(parents=True)
    (folder / "openclaw.mcpapp.json").write_text(json.dumps({"id": "tiny", "command": "x", "version": "1"}))
    notebook.names["folder"] = folder.parent
    assert notebook.value("%mcpapp scan {folder}").added == ["tiny"]
    assert "tiny" in [app.id for app in notebook.value("%mcpapp list")]
    assert "There is no folder" in notebook.run("%mcpapp scan nowhere").line


def test_call_gives_the_result_and_binds_it(notebook: Notebook) -> None:
    result = notebook.value("%mcpapp call grocery get_inventory storeId=1 productId=101 --as stock")
    assert notebook.names["stock"] is result
    assert notebook.value("_") is result
    assert notebook.value("x = %mcpapp call grocery get_inventory storeId=1") is None
    assert len(notebook.names["x"].data) > 1


def test_a_trailing_semicolon_is_a_habit(notebook: Notebook) -> None:
    assert notebook.value("%mcpapp call grocery get_stores;").data


ARGUMENTS: list[tuple[str, dict[str, Any]]] = [
    ("text=5", {"text": "5"}),
    ("number=5", {"number": 5}),
    ("flag=yes", {"flag": True}),
    ("items=[1, 2]", {"items": [1, 2]}),
    ('record={"a": {"b": "x y"}}', {"record": {"a": {"b": "x y"}}}),
    ("record='{\"a\": 1}'", {"record": {"a": 1}}),
    ('text="a=b c"', {"text": "a=b c"}),
    ("text={word} number={array[1]}", {"text": "5", "number": 2}),
    ("items={array}", {"items": [1, 2]}),
    ("items=$pair record=$record", {"items": [1, "x"], "record": {"k": 1}}),
    ("text=id-{array[0]}", {"text": "id-1"}),
    ("--args {payload}", {"text": "all", "number": 1.5}),
    ("--args payload number=2", {"text": "all", "number": 2}),
    ('--args {"text": word}', {"text": "5"}),
    ('--args {"text": "a b"}', {"text": "a b"}),
]


def test_arguments(plain_app: Notebook) -> None:
    plain_app.value(
        "import numpy as np\n"
        "word, array, pair = '5', np.array([1, 2]), (1, 'x')\n"
        "record, payload = {'k': np.int64(1)}, {'text': 'all', 'number': 1.5}"
    )
    for words, given in ARGUMENTS:
        assert plain_app.value(f"%mcpapp call plain echo {words}").data == given, words


def test_variables_of_a_function(plain_app: Notebook) -> None:
    plain_app.value(
        "def f(inner):\n    return get_ipython().run_line_magic('mcpapp', 'call plain echo text={inner}')"
    )
    assert plain_app.value("f('here')").data == {"text": "here"}


def test_open_shows_page_and_card_once(notebook: Notebook) -> None:
    outcome = notebook.run("v = %mcpapp open grocery storeId=1 --height 300 --as dash\n1")
    view = notebook.names["dash"]
    assert notebook.names["v"] is view
    assert view.arguments == {"storeId": 1}
    assert view.height == 300
    assert outcome.out.count("show_store_inventory_dashboard(storeId=1)") == 1
    assert notebook.run("%mcpapp open grocery").out.count("show_store_inventory_dashboard") == 1


def test_a_later_cell_shows_the_view_again(notebook: Notebook) -> None:
    notebook.value("%mcpapp open grocery --as dash\n1")
    assert "show_store_inventory_dashboard" in notebook.run("dash").out


def test_open_a_tool_a_resource_and_by_handle(notebook: Notebook) -> None:
    assert notebook.value("%mcpapp open grocery show_store_inventory_dashboard").tool
    assert not notebook.value("%mcpapp open grocery ui://grocery/store-dashboard.html").tool
    notebook.names["app"] = notebook.host["grocery"]
    notebook.names["view"] = notebook.host.views[-1]
    assert notebook.value("%mcpapp open {app}").app is notebook.host["grocery"]
    assert notebook.value("%mcpapp info $view").id == "grocery-inventory"


def test_read_and_prompt(plain_app: Notebook) -> None:
    assert plain_app.value("%mcpapp read plain plain://greeting --as greeting").text == "good day"
    assert plain_app.names["greeting"].text == "good day"
    prompt = plain_app.value("%mcpapp prompt plain ask topic='a b' tone=loud")
    assert "Tell me about a b in a loud tone." in prompt.text


def test_tools_resources_prompts(plain_app: Notebook) -> None:
    assert "paint" in [tool.name for tool in plain_app.value("%mcpapp tools plain")]
    assert "grocery.get_stores" in repr(plain_app.value("%mcpapp tools grocery"))
    assert [each["uri"] for each in plain_app.value("%mcpapp resources plain")] == ["plain://greeting"]
    assert [each["name"] for each in plain_app.value("%mcpapp prompts plain")] == ["ask"]


def test_start_stop_restart(plain_app: Notebook) -> None:
    app = plain_app.value("%mcpapp start plain")
    assert isinstance(app, App)
    assert app.state is State.RUNNING
    first = app.call("process").data
    assert plain_app.value("%mcpapp restart plain") is app
    assert app.call("process").data != first
    plain_app.value("%mcpapp stop plain")
    assert app.state is State.STOPPED


def test_several_servers_at_once(plain_app: Notebook) -> None:
    both = plain_app.value("%mcpapp start plain grocery")
    assert [app.state for app in both] == [State.RUNNING, State.RUNNING]
    assert len(plain_app.value("%mcpapp restart --all")) == 2
    assert {app.state for app in plain_app.value("%mcpapp stop --all")} == {State.STOPPED}
    assert "nothing to stop" in repr(plain_app.value("%mcpapp stop --all"))


def test_one_failing_server_stops_no_other(plain_app: Notebook) -> None:
    plain_app.value("%mcpapp add bad -- {python} {server} broken")
    line = plain_app.run("%mcpapp start bad plain").line
    assert line.startswith("StartFailed: bad did not start")
    assert "no such module: butter" in line
    assert plain_app.host["plain"].state is State.RUNNING
    assert plain_app.host["bad"].state is State.FAILED


def test_disable_and_enable(plain_app: Notebook) -> None:
    plain_app.value("%mcpapp start plain")
    assert plain_app.value("%mcpapp disable plain").state is State.DISABLED
    plain_app.value("%mcpapp scan")
    assert "%mcpapp enable plain" in plain_app.run("%mcpapp call plain echo").line
    assert len(plain_app.value("%mcpapp list --state disabled")) == 1
    assert plain_app.value("%mcpapp enable plain").state is State.VALIDATED
    assert plain_app.value("%mcpapp call plain echo text=a").data == {"text": "a"}


def test_enable_does_not_overrule_the_configuration(notebook: Notebook) -> None:
    notebook.value("%config McpApps.deny = ['grocery*']")
    notebook.value("%mcpapp disable grocery")
    assert "McpApps.deny" in notebook.run("%mcpapp enable grocery").line


def test_save(plain_app: Notebook, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    assert str(folder / "plain") in repr(plain_app.value(f"%mcpapp save plain {folder}"))
    assert (folder / "plain" / "openclaw.mcpapp.json").is_file()


def test_remove(plain_app: Notebook) -> None:
    plain_app.value("%mcpapp start plain")
    assert "removed" in repr(plain_app.value("%mcpapp remove plain"))
    assert "There is no app" in plain_app.run("%mcpapp info plain").line


def test_context(notebook: Notebook) -> None:
    assert notebook.value("%mcpapp context") == {}
    assert "nothing" not in repr(notebook.value("%mcpapp context grocery"))
    view = notebook.value("%mcpapp open grocery")
    view.model_context = ModelContext([{"type": "text", "text": "two rows are ticked"}], {"rows": [1, 2]})
    told = notebook.value("%mcpapp context")
    assert "two rows are ticked" in repr(told)
    assert "two rows are ticked" in told._repr_html_()
    assert next(iter(told.values())).structured == {"rows": [1, 2]}


def test_audit(notebook: Notebook) -> None:
    audit = notebook.value("%mcpapp audit")
    assert "grocery-inventory" in [app.id for app in audit.apps]
    assert "What to change" in repr(audit)


def test_freeze(notebook: Notebook) -> None:
    assert notebook.run("%mcpapp freeze").line.endswith("No page is open.")
    assert "There is no app" in notebook.run("%mcpapp freeze nothing").line
    notebook.value("%mcpapp start grocery")
    assert "No page of grocery-inventory is open." in notebook.run("%mcpapp freeze grocery").line
    first = notebook.value("%mcpapp open grocery --as dash")
    second = notebook.value("%mcpapp open grocery")
    for words, view in (("dash", first), ("grocery", second)):
        assert "is frozen" in repr(notebook.value(f"%mcpapp freeze {words}"))
        assert view.frozen
        assert view.ended
    third = notebook.value("%mcpapp open grocery")
    notebook.value("%mcpapp freeze")
    assert third.frozen
    assert notebook.host.views == []
