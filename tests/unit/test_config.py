import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from traitlets.config import Config

from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.errors import InvalidArguments


@pytest.fixture(autouse=True)
def surroundings(tmp_path, monkeypatch):
    """A notebook's folder and a Jupyter config folder of the test's own."""
    notebook, jupyter = tmp_path / "notebook", tmp_path / "jupyter"
    notebook.mkdir()
    jupyter.mkdir()
    monkeypatch.setenv("JPY_SESSION_NAME", str(notebook / "n.ipynb"))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(jupyter))
    monkeypatch.delenv("MCPAPPS_HEADLESS", raising=False)
    return notebook, jupyter


def configured(**values) -> McpApps:
    return McpApps(config=Config({"McpApps": values}))


# who may start


def reason(app_id="grocery", **values):
    return configured(**values).policy_reason(app_id)


def test_by_default_every_app_may_start():
    assert reason() is None


@pytest.mark.parametrize(
    "pattern", ["grocery", "GROCERY", "gro*", "*cery", "*", "gr?cery", "g[a-z]ocery", " grocery "]
)
def test_deny_and_allow_take_patterns_in_any_case(pattern):
    assert reason(deny=[pattern]) == f"'grocery' is denied by '{pattern}' in McpApps.deny."
    assert reason(allow=[pattern]) is None


@pytest.mark.parametrize("pattern", ["", "groc", "rocery", "?grocery", "grocery.*", "[!g]rocery"])
def test_other_patterns_do_not_fit(pattern):
    assert reason(deny=[pattern]) is None
    assert reason(allow=[pattern]) == "'grocery' is not in McpApps.allow."


def test_deny_wins():
    assert "denied" in reason(allow=["*"], deny=["grocery"])


def test_an_empty_allow_list_means_all_or_none():
    assert reason(allowlist_semantics="legacy") is None
    assert reason(allowlist_semantics=" Strict ") == (
        "McpApps.allow is empty, and with allowlist_semantics 'strict' that allows no app."
    )
    assert reason(allowlist_semantics="strict", allow=["grocery"]) is None


@pytest.mark.parametrize("word", ["", "open", "strct"])
def test_semantics_that_are_none_allow_nothing(word):
    config = configured(allowlist_semantics=word, allow=["*"])
    assert "wanted one of legacy, strict" in config.policy_reason("grocery")
    assert "no app may start" in config.problems[0]


def test_the_master_switch():
    assert reason(enabled=False) == "McpApps.enabled is off."


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"enabled": True}, None),
        ({}, None),
        ({"enabled": False}, "McpApps.entries['grocery'].enabled is off."),
        ({"Enabled": False}, "is off"),
        ({"enabled": "no"}, "wanted true or false, got 'no'"),
        ("off", "wanted an object, got str"),
    ],
)
def test_an_apps_own_entry(entry, words):
    result = reason(entries={"GROCERY": entry})
    assert (result is None) if words is None else (words in result)


def test_of_two_entries_the_exact_one_counts():
    config = configured(entries={"APP": {"enabled": False}, "app": {"enabled": True}})
    assert config.policy_reason("app") is None
    assert config.policy_reason("APP") is not None
    assert config.entry("nobody") == {}


def test_entry_keys_come_in_the_manifests_spelling():
    config = configured(entries={"a": {"ToolNamePrefix": "p.", "request_timeout_seconds": 3, "odd": 1}})
    assert config.entry("A") == {"toolNamePrefix": "p.", "requestTimeoutSeconds": 3, "odd": 1}


# pages


def test_approvals():
    assert configured().approvals_for("a") == {"*": "auto"}
    assert configured(approvals=" ASK ").approvals_for("a") == {"*": "ask"}
    entries = {"a": {"approvals": {"*": "deny", "save": "ask", "odd": "maybe"}}, "b": {"approvals": "allow"}}
    config = configured(entries=entries)
    assert config.approvals_for("A") == {"*": "deny", "save": "ask", "odd": "deny"}
    assert config.approvals_for("b") == {"*": "allow"}


def test_approvals_that_are_none_deny():
    config = configured(approvals="never")
    assert config.approvals_for("a") == {"*": "deny"}
    assert "read-only tools only" in config.problems[0]


def test_permissions():
    assert configured().permissions_for("a") == {"clipboardWrite": "allow", "geolocation": "ask"}
    entries = {"a": {"permissions": {"geolocation": "allow", "camera": "allow", "clipboardWrite": "sure"}}}
    assert configured(entries=entries).permissions_for("a") == {
        "clipboardWrite": "deny",
        "geolocation": "allow",
        "camera": "deny",
    }


# setting


def test_configure_sets_all_or_none():
    config = McpApps()
    config.configure(approvals="ask", max_views=3)
    assert (config.approvals, config.max_views) == ("ask", 3)
    with pytest.raises(InvalidArguments):
        config.configure(max_views=4, approvals="never")
    assert config.max_views == 3


@pytest.mark.parametrize(
    ("given_settings", "words"),
    [
        ({"aprovals": "ask"}, "McpApps has no setting 'aprovals'. Did you mean 'approvals'"),
        ({"approvals": "never"}, "McpApps.approvals: wanted one of auto, ask, allow, deny, got 'never'."),
        ({"allowlist_semantics": "strct"}, "got 'strct'. Did you mean 'strict'?"),
        ({"deny": "grocery"}, "McpApps.deny: wanted a list, got 'grocery'."),
        ({"max_views": 0}, "McpApps.max_views: wanted an int of at least 1, got 0."),
        ({"max_views": 0}, "wanted an int of at least 1, got 0."),
        ({"parent": None}, "no setting 'parent'"),
    ],
)
def test_configure_refuses_in_words(given_settings, words):
    with pytest.raises(InvalidArguments) as refusal:
        McpApps().configure(**given_settings)
    assert words in str(refusal.value)


@pytest.fixture
def shell(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    from IPython.core.interactiveshell import InteractiveShell

    return InteractiveShell(
        config=Config({"McpApps": {"deny": ["weather"]}, "HistoryManager": {"enabled": False}})
    )


def test_ipythons_configuration_and_the_config_magic(shell):
    config = McpApps(parent=shell)
    shell.configurables.append(config)
    assert config.deny == ["weather"]
    config.configure(allow=["a*"])
    shell.run_line_magic("config", "McpApps.approvals = 'ask'")
    assert (config.approvals, config.allow, config.deny) == ("ask", ["a*"], ["weather"])


def test_every_setting_has_a_help_text():
    for name, trait in McpApps.class_traits(config=True).items():
        assert trait.help, name


# files


def write(folder: Path, data, name="mcpapps.json") -> Path:
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data, indent=1), "utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("mcpapps.json", {"DiscoveryPaths": ["./x"], "AllowlistSemantics": "strict", "Allow": ["grocery"]}),
        ("mcpapps.json", {"discovery_paths": ["./x"], "allowlist_semantics": "strict", "allow": ["grocery"]}),
        (
            "mcpapps.json",
            {"McpApps": {"discoveryPaths": ["./x"], "allowlistSemantics": "strict", "allow": ["grocery"]}},
        ),
        (
            "appsettings.json",
            {
                "Logging": {},
                "mcpapps": {"DiscoveryPaths": ["./x"], "AllowlistSemantics": "strict", "Allow": ["grocery"]},
            },
        ),
        (
            "appsettings.json",
            {
                "OpenClaw": {
                    "McpApps": {
                        "DiscoveryPaths": ["./x"],
                        "AllowlistSemantics": "strict",
                        "Allow": ["grocery"],
                    }
                }
            },
        ),
    ],
)
def test_a_file_in_any_of_its_shapes(surroundings, name, data):
    write(surroundings[0], data, name)
    config = McpApps()
    assert config.problems == []
    assert config.discovery_paths == ["./x"]
    assert config.paths_from_workspace
    assert config.policy_reason("grocery") is None
    assert config.policy_reason("other") is not None


def test_openclaws_own_example_works(surroundings):
    text = """{
      // gateway settings
      "McpApps": {
        "Enabled": true,
        "DiscoveryPaths": ["./mcpapps"],
        "AllowlistSemantics": "legacy",
        "Allow": ["*"],
        "Deny": [],
        "Entries": {
          "grocery-inventory": {
            "Enabled": true, "Url": "https://localhost:5001/mcp",
            "ToolNamePrefix": "grocery.", "StartupTimeoutSeconds": 15,
          }
        }
      }
    }"""
    write(surroundings[1], text, "appsettings.json")
    config = McpApps()
    assert config.problems == []
    assert config.entry("grocery-inventory")["toolNamePrefix"] == "grocery."


def test_python_before_ipython_before_the_notebooks_file_before_jupyters(surroundings):
    notebook, jupyter = surroundings
    write(jupyter, {"maxViews": 1, "openWait": 1, "maxViewBytes": 1, "maxTotalBytes": 1})
    write(notebook, {"maxViews": 2, "openWait": 2, "maxViewBytes": 2})
    config = McpApps(config=Config({"McpApps": {"max_views": 3, "open_wait": 3}}))
    config.configure(max_views=4)
    got = (config.max_views, config.open_wait, config.max_view_bytes, config.max_total_bytes)
    assert got == (4, 3, 2, 1)


def test_entries_of_both_files_add_up_and_so_does_deny(surroundings):
    notebook, jupyter = surroundings
    write(jupyter, {"deny": ["a"], "entries": {"x": {"enabled": False, "toolNamePrefix": "j."}}})
    write(notebook, {"deny": ["b"], "entries": {"X": {"toolNamePrefix": "n."}, "y": {"protocol": "legacy"}}})
    config = McpApps()
    assert config.deny == ["a", "b"]
    assert config.entry("x") == {"enabled": False, "toolNamePrefix": "n."}
    assert config.entry("y") == {"protocol": "legacy"}


def test_mcpapps_json_goes_before_appsettings_json(surroundings):
    write(surroundings[0], {"maxViews": 5})
    write(surroundings[0], {"McpApps": {"maxViews": 6}}, "appsettings.json")
    assert McpApps().max_views == 5


def test_unknown_and_wrong_settings_are_named_with_file_and_line(surroundings):
    path = write(surroundings[1], '{\n "alow": [],\n "maxViews": "many",\n "openWait": 5\n}')
    config = McpApps()
    assert config.problems == [
        f"{path}:2: \"alow\": not a setting. Did you mean 'allow'?",
        f"{path}:3: \"max_views\": wanted an int of at least 1, got 'many'.",
    ]
    assert config.open_wait == 5
    assert config.policy_reason("a") is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mcpapps.json", "{"),
        ("mcpapps.json", "[]"),
        ("mcpapps.json", '{"McpApps": 3}'),
        ("mcpapps.json", '{"deny": "grocery"}'),
        ("mcpapps.json", '{"enabled": "no"}'),
        ("mcpapps.json", '{"entries": []}'),
        ("appsettings.json", '{"McpApps": {"Deny": ["x"]}'),
    ],
)
def test_a_file_that_cannot_be_understood_forbids(surroundings, name, text):
    path = write(surroundings[1], text, name)
    reason = McpApps().policy_reason("grocery")
    assert "before the configuration is repaired" in reason
    assert str(path) in reason


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"Logging": {}}', '"x"'])
def test_another_programs_appsettings_are_left_alone(surroundings, text):
    write(surroundings[0], text, "appsettings.json")
    config = McpApps()
    assert config.problems == []
    assert config.policy_reason("a") is None


@pytest.mark.parametrize(
    "data",
    [
        {"trustedPaths": ["."]},
        {"approvals": "allow"},
        {"permissions": {"geolocation": "allow"}},
        {"headless": False},
        {"allowNestedCalls": True},
        {"roots": ["/"]},
        {"entries": {"a": {"approvals": "allow"}}},
        {"entries": {"a": {"permissions": {"geolocation": "allow"}}}},
    ],
)
def test_a_file_beside_the_notebook_cannot_loosen_what_guards_the_user(surroundings, data):
    notebook, jupyter = surroundings
    path = write(notebook, data)
    config, plain = McpApps(), McpApps(read_files=False)
    for name in ("trusted_paths", "approvals", "permissions", "headless", "allow_nested_calls", "roots"):
        assert getattr(config, name) == getattr(plain, name)
    assert config.approvals_for("a") == {"*": "auto"}
    assert config.permissions_for("a")["geolocation"] == "ask"
    assert config.problems[0].startswith(f"{path}:")
    path.rename(jupyter / path.name)
    assert McpApps().problems == []


def test_an_app_that_such_a_file_redirects_is_known(surroundings):
    entries = {"A": {"command": "evil"}, "b": {"toolNamePrefix": "b.", "enabled": True}}
    path = write(surroundings[0], {"entries": entries})
    config = McpApps()
    override = config.workspace_override("a")
    assert override is not None
    assert override[0] == path
    assert len(override[1]) == 64
    assert config.workspace_override("b") is None
    config.configure(entries={"a": {"command": "mine"}})
    assert config.workspace_override("a") is None


def test_paths_are_the_users_own_once_he_sets_them(surroundings):
    write(surroundings[0], {"discoveryPaths": ["/x"]})
    config = McpApps()
    assert config.paths_from_workspace
    config.discovery_paths = ["/y"]
    assert not config.paths_from_workspace
    assert not McpApps(config=Config({"McpApps": {"discovery_paths": ["/z"]}})).paths_from_workspace


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
SETTINGS = st.sampled_from(
    ["enabled", "allow", "Deny", "entries", "approvals", "max_views", "McpApps", "OpenClaw"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.dictionaries(SETTINGS, ANY, max_size=4) | ANY, st.booleans())
def test_any_file_is_read_or_refused_in_words(surroundings, data, beside_notebook):
    path = write(surroundings[0 if beside_notebook else 1], data)
    try:
        config = McpApps()
        assert config.policy_reason("a") is None or isinstance(config.policy_reason("a"), str)
        assert config.approvals_for("a")["*"] in ("auto", "ask", "allow", "deny")
        config.permissions_for("a")
        assert all(isinstance(each, str) for each in config.problems)
    finally:
        path.unlink()


# where and who


def test_the_notebooks_folder_is_that_of_the_notebook(surroundings, tmp_path, monkeypatch):
    config = McpApps()
    monkeypatch.chdir(tmp_path)
    assert config.notebook_dir() == surroundings[0]


@pytest.mark.parametrize("session", ["", "n.ipynb", "/no/such/folder/n.ipynb"])
def test_or_else_the_current_folder_at_load(tmp_path, monkeypatch, session):
    monkeypatch.setenv("JPY_SESSION_NAME", session)
    monkeypatch.chdir(tmp_path)
    config = McpApps()
    monkeypatch.chdir(os.sep)
    assert config.notebook_dir() == tmp_path


def test_without_a_kernel_nobody_can_be_asked():
    assert McpApps().is_headless()


@pytest.mark.parametrize(
    ("word", "headless"), [("1", True), ("true", True), ("0", False), ("No", False), ("", True)]
)
def test_the_environment_decides_and_the_setting_before_it(monkeypatch, word, headless):
    monkeypatch.setenv("MCPAPPS_HEADLESS", word)
    config = McpApps()
    assert config.is_headless() is headless
    config.headless = not headless
    assert config.is_headless() is not headless


def test_in_a_kernel_it_is_the_front_end_that_decides():
    from jupyter_client.manager import start_new_kernel

    code = "from mcpapps_jupyter.config import McpApps\nMcpApps().is_headless()"
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        answers = []

        def collect(message):
            if message["msg_type"] == "execute_result":
                answers.append(message["content"]["data"]["text/plain"])

        for allow_stdin in (True, False):
            reply = client.execute_interactive(
                code, allow_stdin=allow_stdin, output_hook=collect, stdin_hook=print, timeout=60
            )
            assert reply["content"]["status"] == "ok", reply["content"]
        assert answers == ["False", "True"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
