import json
import os
import stat
from pathlib import Path

import pytest

from mcpapps_jupyter.discovery import CodeFile, TrustStore, unconfirmed


class Config:
    def __init__(self, folder: Path, trusted=(), override=None):
        self.trusted_paths = list(trusted)
        self._folder = folder
        self._override = override

    def notebook_dir(self):
        return self._folder

    def workspace_override(self, app_id):
        return self._override if app_id == "app" else None


@pytest.fixture
def store(tmp_path):
    return TrustStore(tmp_path / "data" / "trusted.json")


@pytest.fixture
def manifest(tmp_path):
    path = tmp_path / "apps" / "x" / "openclaw.mcpapp.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}", "utf-8")
    return path


def left(config, store, path, digest="d1", source="workspace", app_id="app"):
    return unconfirmed(app_id, source, path, digest, config=config, store=store)


def test_a_workspace_manifest_is_confirmed_once_by_path_and_content(tmp_path, store, manifest):
    config = Config(tmp_path)
    assert left(config, store, manifest) == [CodeFile(manifest, "d1")]
    store.trust(manifest, "d1")
    assert left(config, store, manifest) == []
    assert left(config, store, manifest, "d2") == [CodeFile(manifest, "d2")]
    assert left(config, store, manifest.with_name("other.json")) != []


@pytest.mark.parametrize("source", ["bundled", "installed", "configured", "added"])
def test_what_the_user_chose_needs_no_confirmation(tmp_path, store, manifest, source):
    assert left(Config(tmp_path), store, manifest, source=source) == []


def test_an_app_that_a_file_beside_the_notebook_redirects_needs_it_again(tmp_path, store, manifest):
    override = (tmp_path / "mcpapps.json", "d9")
    config = Config(tmp_path, override=override)
    assert left(config, store, manifest, source="bundled") == [CodeFile(*override)]
    assert left(config, store, manifest) == [CodeFile(manifest, "d1"), CodeFile(*override)]
    assert left(config, store, manifest, source="bundled", app_id="other") == []


def test_trusted_paths_need_none(tmp_path, store, manifest, monkeypatch):
    monkeypatch.setenv("TRUSTED_APPS", str(tmp_path / "apps"))
    for trusted in ("apps", "./apps/x", str(manifest), "${env:TRUSTED_APPS}"):
        assert left(Config(tmp_path, [trusted]), store, manifest) == [], trusted
    for other in ("ap", "apps/y", "${env:MCPAPPS_TEST_UNSET}", "apps/x/../y"):
        assert left(Config(tmp_path, [other]), store, manifest) != [], other


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_into_a_trusted_folder_is_judged_by_where_it_leads(tmp_path, store, manifest):
    trusted = tmp_path / "trusted"
    trusted.mkdir()
    (trusted / "link").symlink_to(manifest.parent)
    assert left(Config(tmp_path, ["trusted"]), store, trusted / "link" / manifest.name) != []


def test_confirmations_survive_and_can_be_taken_back(store, manifest):
    store.trust(manifest, "d1")
    again = TrustStore(store.file)
    assert again.is_trusted(manifest, "d1")
    again.forget(manifest)
    again.forget(manifest)
    assert not store.is_trusted(manifest, "d1")


def test_the_file_is_the_owners_alone_and_nothing_else_is_left(store, manifest):
    store.trust(manifest, "d1")
    store.trust(manifest, "d2")
    assert [each.name for each in store.file.parent.iterdir()] == [store.file.name]
    if os.name != "nt":
        assert stat.S_IMODE(store.file.stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["", "{", "[]", '{"trusted": 3}', '{"trusted": {"x": 3}}', "[" * 100_000])
def test_a_broken_file_confirms_nothing_and_is_replaced(store, manifest, text):
    store.file.parent.mkdir(parents=True)
    store.file.write_text(text, "utf-8")
    assert not store.is_trusted(manifest, "d1")
    store.trust(manifest, "d1")
    assert store.is_trusted(manifest, "d1")
    assert json.loads(store.file.read_text("utf-8"))["version"] == 1


def test_no_content_is_never_trusted(store, manifest):
    store.trust(manifest, "")
    assert not store.is_trusted(manifest, "")


def test_it_is_kept_in_the_jupyter_data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    assert TrustStore().file == tmp_path / "mcpapps_jupyter" / "trusted.json"
