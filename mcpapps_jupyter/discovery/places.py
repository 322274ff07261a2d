"""Where manifests may lie: this package, installed ones, Jupyter's data folders, configured folders."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Protocol

MANIFEST_NAME = "openclaw.mcpapp.json"
"""Name of a manifest file."""

DATA_FOLDER = "mcpapps"
"""Folder of apps inside each Jupyter data path, and beside a notebook."""

ENTRY_POINT_GROUP = "mcpapps.apps"
"""Entry points that name a package with a manifest in it."""

_BUNDLED = Path(__file__).parent.parent / "apps"
_VARIABLE = re.compile(r"\$\{env:([^}]+)\}")


@dataclass(frozen=True)
class SearchPath:
    """A folder to look for manifests in, or one manifest.

    Attributes
    ----------
    path : Path
        The folder or file.
    source : str
        ``bundled``, ``installed``, ``configured``, ``workspace`` or ``added``.
    required : bool
        Whether it is a problem when the path does not exist.
    """

    path: Path
    source: str
    required: bool = False


class Settings(Protocol):
    """The part of the configuration that says where to look."""

    @property
    def discovery_paths(self) -> Sequence[str]:
        """Folders as the user wrote them."""

    @property
    def paths_from_workspace(self) -> bool:
        """Whether a file beside the notebook named them."""


def search_paths(
    config: Settings, notebook_dir: Path, problem: Callable[[str], None] = lambda _: None
) -> list[SearchPath]:
    """List where to look, first the places that win when an id is there twice.

    Parameters
    ----------
    config : Settings
        Gives the configured folders.
    notebook_dir : Path
        Where relative ones start.
    problem : callable, optional
        Told about what cannot be made a path.
    """
    configured, workspace = [], []
    for written in config.discovery_paths:
        text = expanded(written, problem)
        if text is None:
            continue
        required = Path(written) != Path(DATA_FOLDER)
        if not os.path.isabs(text):  # noqa: PTH117
            workspace.append(SearchPath(Path(os.path.normpath(notebook_dir / text)), "workspace", required))
        elif config.paths_from_workspace:
            workspace.append(SearchPath(Path(text), "workspace", required))
        else:
            configured.append(SearchPath(Path(text), "configured", required))
    return [SearchPath(_BUNDLED, "bundled"), *_installed(problem), *configured, *workspace]


def expanded(path: str, problem: Callable[[str], None]) -> str | None:
    """Expand ``~`` and ``${env:NAME}``; None, and a word to `problem`, when a variable is not set."""
    unset = [name for name in _VARIABLE.findall(path) if name not in os.environ]
    if unset:
        problem(f"'{path}' is passed over: the environment variable {unset[0]} is not set.")
        return None
    text = _VARIABLE.sub(lambda match: os.environ[match[1]], path.strip())
    if not text or "\0" in text:
        problem(f"'{path}' is passed over: it is no path.")
        return None
    return os.path.expanduser(text)  # noqa: PTH111 - a relative text stays one


def _installed(problem: Callable[[str], None]) -> Iterator[SearchPath]:
    from jupyter_core.paths import jupyter_path  # 20 ms that an import need not cost

    for folder in jupyter_path(DATA_FOLDER):
        yield SearchPath(Path(folder), "installed")
    for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda each: (each.name, each.value)):
        folders = list(_folders(point))
        if not folders:
            problem(f"Entry point '{point.name} = {point.value}' of {ENTRY_POINT_GROUP}: no such folder.")
        yield from (SearchPath(folder, "installed") for folder in folders)


def _folders(point: EntryPoint) -> Iterator[Path]:
    """Find the package's folder without importing it: looking for apps runs nobody's code.

    Importlib imports parents of a dotted name, so only the first part goes through it.
    """
    top, *rest = f"{point.module}.{point.attr or ''}".rstrip(".").split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError, AttributeError):
        return
    if spec is None:
        return
    for location in spec.submodule_search_locations or ():
        folder = Path(location, *rest)
        if folder.is_dir():
            yield folder
