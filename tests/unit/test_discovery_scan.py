import json
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcpapps_jupyter.discovery import MANIFEST_NAME, SearchPath, places, scan, search_paths
from mcpapps_jupyter.discovery.content import MAX_BYTES
from mcpapps_jupyter.manifest.model import KEYS

posix = pytest.mark.skipif(os.name == "nt", reason="links and permissions work otherwise there")


def put(folder: Path, app_id: str | None = "app", **keys) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / MANIFEST_NAME
    data = {"id": app_id or folder.name, "version": "1.0.0", "command": "node", **keys}
    path.write_text(json.dumps(data), "utf-8")
    return path


def looked(*folders: Path, source="workspace", **keywords):
    return scan([SearchPath(folder, source) for folder in folders], **keywords)


def ids(found):
    return [each.parsed.id for each in found]


def test_every_manifest_at_any_depth_in_the_order_of_paths(tmp_path):
    for name in ("b", "a/deep/er", "a", "c"):
        put(tmp_path / name, name.replace("/", "-"))
    put(tmp_path, "top")
    found, problems = looked(tmp_path)
    assert ids(found) == ["a-deep-er", "a", "b", "c", "top"]
    assert problems == []
    assert found[1].directory == tmp_path / "a"
    assert found[0].source == "workspace"
    assert len(found[0].digest) == 64


@pytest.mark.parametrize("name", ["node_modules", ".git", ".ipynb_checkpoints", "__pycache__"])
def test_folders_that_hold_no_apps_are_not_entered(tmp_path, name):
    put(tmp_path / name / "x")
    assert looked(tmp_path)[0] == []


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "conda-meta"])
def test_virtual_environments_are_not_entered_unless_they_are_what_is_asked_for(tmp_path, mark):
    environment = tmp_path / "env"
    put(environment / "share" / "jupyter" / "mcpapps" / "x")
    (environment / mark).touch()
    assert looked(tmp_path)[0] == []
    assert len(looked(environment)[0]) == 1


@posix
def test_loops_of_links_end(tmp_path):
    put(tmp_path / "a" / "b")
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "self").symlink_to(tmp_path / "a" / "self")
    found, problems = looked(tmp_path)
    assert len(found) == 1
    assert problems == []


@posix
def test_the_same_file_through_two_paths_counts_once(tmp_path):
    put(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    other = tmp_path / "other"
    other.mkdir()
    (other / MANIFEST_NAME).symlink_to(tmp_path / "real" / MANIFEST_NAME)
    found, _ = looked(tmp_path / "real", tmp_path / "link", tmp_path)
    assert len(found) == 1
    assert found[0].shadowed_by is None


@contextmanager
def _nobody():
    """Leave root's powers, to which no folder is closed."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@posix
def test_what_cannot_be_read_is_reported_and_hides_nothing_else():
    top = Path(tempfile.mkdtemp())
    try:
        top.chmod(0o755)
        put(top / "good", "good")
        (put(top / "closed" / "x", "closed").parent.parent).chmod(0)
        put(top / "file", "file").chmod(0)
        with _nobody():
            found, problems = looked(top)
    finally:
        (top / "closed").chmod(0o700)
        shutil.rmtree(top)
    assert [(each.parsed.id, each.directory.name) for each in found] == [(None, "file"), ("good", "good")]
    assert found[0].parsed.errors == (f"{top / 'file' / MANIFEST_NAME}: cannot be read: Permission denied.",)
    assert problems == [f"{top / 'closed'}: cannot be read: Permission denied."]


@posix
def test_a_search_path_that_is_a_loop_is_reported(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    _, problems = looked(loop)
    assert len(problems) == 1
    assert str(loop) in problems[0]


def test_a_missing_folder_is_a_problem_only_where_somebody_named_it(tmp_path):
    missing = tmp_path / "missing"
    assert scan([SearchPath(missing, "workspace")]) == ([], [])
    assert scan([SearchPath(missing, "configured", required=True)]) == ([], [f"{missing}: no such folder."])


def test_a_search_path_may_be_a_manifest_of_any_name(tmp_path):
    path = put(tmp_path).rename(tmp_path / "mine.json")
    found, _ = looked(path)
    assert [(each.path, each.parsed.id) for each in found] == [(path, "app")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"id": "a"', ":1: the text ends too early"),
        (b'{"id":\n"\xff"}', ":2: not UTF-8 text"),
        ('{"id": "a"}'.encode("utf-16"), ":1: UTF-16 text; save it as UTF-8"),
        (b"[]", ": wanted a JSON object, got a list"),
        (b" " * (MAX_BYTES + 1), ": cannot be read: larger than 1024 KiB"),
        (b"", ":1: the file is empty"),
    ],
)
def test_a_broken_file_is_listed_with_its_reason_and_hides_no_other(tmp_path, content, reason):
    put(tmp_path / "good", "good")
    broken = put(tmp_path / "broken")
    broken.write_bytes(content)
    found, _ = looked(tmp_path)
    assert ids(found) == [None, "good"]
    assert found[0].parsed.errors[0].startswith(f"{broken}{reason}")


@posix
def test_a_pipe_and_a_dead_link_are_no_manifests_and_do_not_hang(tmp_path):
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / MANIFEST_NAME)
    (tmp_path / "dead").mkdir()
    (tmp_path / "dead" / MANIFEST_NAME).symlink_to(tmp_path / "nowhere")
    found, _ = looked(tmp_path)
    assert ["No such file" in each.parsed.errors[0] for each in found] == [True, False]
    assert "not a regular file" in found[1].parsed.errors[0]


def test_a_byte_order_mark_is_fine(tmp_path):
    path = put(tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert ids(looked(tmp_path)[0]) == ["app"]


def test_overrides_find_their_app_in_any_case_and_can_repair(tmp_path):
    put(tmp_path, "My-App", requestTimeoutSeconds="long")
    assert looked(tmp_path)[0][0].parsed.manifest is None
    found, _ = looked(tmp_path, overrides={"my-APP": {"requestTimeoutSeconds": 7}, "x": None})
    assert found[0].parsed.manifest.request_timeout_seconds == 7
    assert found[0].parsed.overridden == {"requestTimeoutSeconds"}


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.sampled_from(["stdio", "a", "ui://x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
MANIFEST = st.dictionaries(st.sampled_from([*KEYS]), JSON).map(lambda data: json.dumps(data).encode())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80, deadline=None)
@given(MANIFEST | st.binary(max_size=80), st.dictionaries(st.text(max_size=3), JSON, max_size=2))
def test_no_content_raises_out_of_a_scan_or_hides_another_app(tmp_path, content, overrides):
    put(tmp_path / "good", "good-app")
    put(tmp_path / "odd").write_bytes(content)
    found, problems = looked(tmp_path, overrides={"a": overrides, **overrides})
    assert len(found) == 2
    assert found[0].parsed.manifest is not None
    assert (found[1].parsed.manifest is None) == bool(found[1].parsed.errors)
    assert problems == []


# who counts when an id is there twice


def two(tmp_path, first="app", second="app", **second_keys):
    one = put(tmp_path / "bundled", first)
    other = put(tmp_path / "mine", second, **second_keys)
    return one, other, [SearchPath(one.parent, "bundled"), SearchPath(other.parent, "workspace")]


def shadows(found):
    return [each.shadowed_by for each in found]


def test_bundled_and_installed_apps_come_before_workspace_ones(tmp_path):
    one, _, where = two(tmp_path)
    assert shadows(scan(where)[0]) == [None, one]


def test_ids_that_differ_in_case_only_are_one(tmp_path):
    one, _, where = two(tmp_path, second="APP")
    assert shadows(scan(where)[0]) == [None, one]


def test_then_the_order_of_paths_decides(tmp_path):
    first, second = put(tmp_path / "a"), put(tmp_path / "b")
    found, _ = looked(tmp_path)
    assert [each.path for each in found] == [first, second]
    assert shadows(found) == [None, first]


def test_a_workspace_manifest_that_the_user_confirmed_comes_first(tmp_path):
    _, other, where = two(tmp_path)
    digest = scan(where)[0][1].digest
    found, _ = scan(where, is_trusted=lambda path, seen: (path, seen) == (other, digest))
    assert shadows(found) == [other, None]


def test_an_invalid_manifest_neither_shadows_nor_is_shadowed(tmp_path):
    _, _, where = two(tmp_path, tags=3)
    assert shadows(scan(where)[0]) == [None, None]
    assert shadows(scan(where[::-1])[0]) == [None, None]


def test_a_thousand_manifests(tmp_path):
    for n in range(1000):
        put(tmp_path / f"{n:04}", f"app-{n}")
    found, problems = looked(tmp_path)
    assert len(found) == 1000
    assert problems == []
    assert all(each.parsed.manifest for each in found)


def test_a_search_that_never_ends_is_cut(tmp_path, monkeypatch):
    monkeypatch.setattr("mcpapps_jupyter.discovery.manifests.MAX_FOLDERS", 5)
    for n in range(10):
        put(tmp_path / str(n), f"a{n}")
    found, problems = looked(tmp_path)
    assert len(found) == 4
    assert "after 5 folders" in problems[0]
    assert len(problems) == 1


# where to look


class Config:
    def __init__(self, *paths, from_workspace=False):
        self.discovery_paths = list(paths)
        self.paths_from_workspace = from_workspace


def own(config, folder, problem=lambda _: None):
    every = search_paths(config, folder, problem)
    return [(each.path, each.source) for each in every if each.source not in ("bundled", "installed")]


def test_the_bundled_apps_are_found(tmp_path):
    found, problems = scan(search_paths(Config(), tmp_path)[:1])
    assert ids(found) == ["grocery-inventory"]
    assert found[0].parsed.errors == ()
    assert found[0].source == "bundled"
    assert problems == []


def test_the_order_of_places(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "data"))
    absolute = tmp_path / "elsewhere"
    sources = [each.source for each in search_paths(Config("./mcpapps", str(absolute)), tmp_path)]
    assert sources == sorted(sources, key=["bundled", "installed", "configured", "workspace"].index)
    assert sources[0] == "bundled"
    assert sources[-2:] == ["configured", "workspace"]


def test_relative_paths_start_at_the_notebooks_folder(tmp_path):
    assert own(Config("./mcpapps", "../shared"), tmp_path / "n") == [
        (tmp_path / "n" / "mcpapps", "workspace"),
        (tmp_path / "shared", "workspace"),
    ]


def test_home_and_variables_are_expanded(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("APPS_HERE", str(tmp_path / "there"))
    assert own(Config("~/apps", "${env:APPS_HERE}/x"), tmp_path / "n") == [
        (tmp_path / "apps", "configured"),
        (tmp_path / "there" / "x", "configured"),
    ]


def test_an_unset_variable_is_reported(tmp_path):
    problems = []
    assert own(Config("${env:MCPAPPS_TEST_UNSET}/x"), tmp_path, problems.append) == []
    assert "MCPAPPS_TEST_UNSET is not set" in problems[0]


def test_paths_that_a_file_beside_the_notebook_names_are_of_the_workspace(tmp_path):
    assert own(Config(str(tmp_path / "x"), from_workspace=True), tmp_path) == [(tmp_path / "x", "workspace")]


def test_jupyters_data_paths(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    put(tmp_path / "mcpapps" / "weather", "weather")
    found, _ = scan(search_paths(Config(), tmp_path))
    assert ("weather", "installed") in [(each.parsed.id, each.source) for each in found]


def install(site: Path, name: str, value: str, group: str = places.ENTRY_POINT_GROUP) -> None:
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {value}\n", "utf-8")


@pytest.mark.parametrize(
    ("value", "folder"),
    [
        ("weather_pkg", "weather_pkg"),
        ("weather_pkg.apps", "weather_pkg/apps"),
        ("weather_pkg:apps.x", "weather_pkg/apps/x"),
    ],
)
def test_an_installed_package_is_found_by_its_entry_point_and_not_imported(
    tmp_path, monkeypatch, value, folder
):
    install(tmp_path, "weather-app", value)
    put(tmp_path / folder, "weather")
    (tmp_path / "weather_pkg" / "__init__.py").write_text("raise RuntimeError('imported')", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    problems = []
    found, _ = scan(search_paths(Config(), tmp_path, problems.append))
    assert ("weather", "installed") in [(each.parsed.id, each.source) for each in found]
    assert "weather_pkg" not in sys.modules
    assert problems == []


@pytest.mark.parametrize("value", ["no_such_package_here", "json.no.such"])
def test_an_entry_point_that_leads_nowhere_is_reported(tmp_path, monkeypatch, value):
    install(tmp_path, "ghost-app", value)
    monkeypatch.syspath_prepend(tmp_path)
    problems = []
    search_paths(Config(), tmp_path, problems.append)
    assert problems == [f"Entry point 'ghost-app = {value}' of mcpapps.apps: no such folder."]
