"""What users install: wheel and sdist have everything, and work without Node.js and this repository."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import mcpapps_jupyter

from .clean_environment import CleanEnvironment

PROJECT = Path(__file__).resolve().parents[2]
VERSION = importlib.metadata.version("mcpapps-jupyter")

# What a build could forget, since it is no Python module of the package.
PACKAGE_FILES = {
    "mcpapps_jupyter/py.typed",
    "mcpapps_jupyter/static/log.js",
    "mcpapps_jupyter/static/widget.js",
    "mcpapps_jupyter/apps/grocery/openclaw.mcpapp.json",
    "mcpapps_jupyter/apps/grocery/dashboard.html",
}
SERVER_CONFIG = "etc/jupyter/jupyter_server_config.d/mcpapps_jupyter.json"

# Both names load, the bundled app is found, and its page and the widget's front end are there.
TRY_OUT = """
import shutil
from IPython.core.interactiveshell import InteractiveShell

assert shutil.which("node") is None
shell = InteractiveShell.instance()
for name in ("mcpapps", "mcpapps_jupyter"):
    shell.run_line_magic("load_ext", name)
shell.run_line_magic("mcpapp", "list")

import mcpapps, mcpapps_jupyter
assert mcpapps.get_host is mcpapps_jupyter.get_host
host = mcpapps.get_host()
print(host["grocery"].call("get_inventory", storeId=1).is_error)
print(len(host["grocery"].read("ui://grocery/store-dashboard.html").text) > 1000)
shell.run_line_magic("unload_ext", "mcpapps")
print(mcpapps_jupyter.__file__)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(PROJECT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def _wheel(built: Path) -> Path:
    (wheel,) = built.glob("*.whl")
    return wheel


def test_the_wheel_has_everything_that_is_used_at_run_time(built: Path) -> None:
    names = set(zipfile.ZipFile(_wheel(built)).namelist())
    data = f"mcpapps_jupyter-{VERSION}.data/data/"
    assert names >= PACKAGE_FILES | {"mcpapps.py", data + SERVER_CONFIG}
    files = (path for path in PROJECT.glob("mcpapps_jupyter/**/*") if path.is_file())
    assert names >= {
        str(path.relative_to(PROJECT)) for path in files if not {"__pycache__", "_alias"} & set(path.parts)
    }
    outside = {name.split("/")[0] for name in names} - {"mcpapps.py", "mcpapps_jupyter"}
    assert all(name.startswith(f"mcpapps_jupyter-{VERSION}.") for name in outside)


def test_the_sdist_has_what_building_and_testing_need(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= PACKAGE_FILES
    assert names >= {"Makefile", ".ci/constraints.txt", "js/package-lock.json", "tests/conftest.py"}
    assert not [name for name in names if "node_modules" in name]


def test_the_wheel_works_in_a_clean_environment_without_node(built: Path, tmp_path: Path) -> None:
    clean = CleanEnvironment(tmp_path / "venv", "mcpapps-jupyter")
    clean.install(str(_wheel(built)))
    *answers, imported_from = clean.run(TRY_OUT).splitlines()[-3:]
    assert answers == ["False", "True"]
    assert Path(imported_from).is_relative_to(clean.packages)


def test_an_editable_installation_works_and_leaks_no_other_folder(tmp_path: Path) -> None:
    clean = CleanEnvironment(tmp_path / "venv", "mcpapps-jupyter", "hatchling", "editables")
    clean.install("--editable", str(PROJECT))
    *answers, imported_from = clean.run(TRY_OUT).splitlines()[-3:]
    assert answers == ["False", "True"]
    assert Path(imported_from).is_relative_to(PROJECT)
    beside_the_package = "from importlib.util import find_spec; print(find_spec('tests'), find_spec('js'))"
    assert clean.run(beside_the_package) == "None None\n"


def test_installing_enables_the_server_extension(built: Path, tmp_path: Path) -> None:
    clean = CleanEnvironment(tmp_path / "venv", "mcpapps-jupyter", "jupyter_server")
    clean.install(str(_wheel(built)))
    listing = clean.run("from jupyter_server.extension.serverextension import main; main(['list'])")
    assert re.search(r"mcpapps_jupyter\.server_extension\s+(\x1b\[\d+m)?OK", listing), listing


def test_the_version_is_written_the_same_everywhere() -> None:
    assert mcpapps_jupyter.__version__ == VERSION
