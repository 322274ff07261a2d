"""Reading all manifests. Nothing is started, imported or expanded, and no broken file hides another one."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mcpapps_jupyter.discovery.content import file_content
from mcpapps_jupyter.discovery.places import MANIFEST_NAME, SearchPath
from mcpapps_jupyter.manifest import ParsedManifest, parse_document
from mcpapps_jupyter.manifest.jsonc import MalformedJson, read

MAX_FOLDERS = 20_000
"""Most folders that one scan enters: a home folder as a search path should not take minutes."""

_SKIPPED = frozenset({"node_modules", ".git", ".hg", ".svn", ".ipynb_checkpoints", "__pycache__"})
# Files that mark the root of a virtual environment.
_ENVIRONMENT_MARKS = frozenset({"pyvenv.cfg", "conda-meta"})

Overrides = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Found:
    """One manifest that was found.

    Attributes
    ----------
    path : Path or None
        The file; None for an app that has none.
    directory : Path
        Its folder, where its relative paths start.
    source : str
        As in `SearchPath`.
    parsed : ParsedManifest
        What it says, or what is wrong with it.
    shadowed_by : Path or None
        The file of the same id that counts instead.
    digest : str
        SHA-256 of the content that was parsed.
    """

    path: Path | None
    directory: Path
    source: str
    parsed: ParsedManifest
    shadowed_by: Path | None = None
    digest: str = ""


def scan(
    paths: Sequence[SearchPath],
    overrides: Overrides | None = None,
    *,
    is_trusted: Callable[[Path, str], bool] = lambda _path, _digest: False,
) -> tuple[list[Found], list[str]]:
    """Read every manifest under `paths`.

    Parameters
    ----------
    paths : sequence of SearchPath
        Where to look; of two apps with one id, that of the earlier place counts.
    overrides : mapping, optional
        The configuration's entries by app id, in any case.
    is_trusted : callable, optional
        Whether the user has confirmed a workspace manifest (path, digest): then it counts before bundled
        and installed ones of its id.

    Returns
    -------
    found : list of Found
        All of them, invalid and shadowed ones too, by place and path.
    problems : list of str
        Folders that could not be read.
    """
    entries = {str(name).casefold(): entry for name, entry in (overrides or {}).items()}
    problems: list[str] = []
    found: list[Found] = []
    seen: set[str] = set()
    walker = _Walker(problems)
    for place in paths:
        for path in walker.manifests(place):
            real = os.path.normcase(os.path.realpath(path))
            if real not in seen:
                seen.add(real)
                found.append(read_manifest(path, place.source, entries))
    return _shadowed(found, is_trusted), problems


def read_manifest(path: Path, source: str, overrides: Overrides | None = None) -> Found:
    """Read one manifest file; `overrides` by app id in lower case."""
    try:
        data = file_content(path)
        document = read(data.decode("utf-8-sig"))
    except OSError as error:
        return _unreadable(path, source, f"{path}: cannot be read: {error.strerror or error}.")
    except UnicodeDecodeError as error:
        kind = "UTF-16" if error.object[:2] in (b"\xff\xfe", b"\xfe\xff") else "not UTF-8"
        line = error.object.count(b"\n", 0, error.start) + 1
        return _unreadable(path, source, f"{path}:{line}: {kind} text; save it as UTF-8.")
    except MalformedJson as error:
        place = f"{path}:{error.line}" if error.line else str(path)
        return _unreadable(path, source, f"{place}: {error}.")
    app_id = document.value.get("id") if isinstance(document.value, Mapping) else None
    entry = (overrides or {}).get(app_id.casefold()) if isinstance(app_id, str) else None
    parsed = parse_document(
        document, source=str(path), overrides=entry if isinstance(entry, Mapping) else None
    )
    return Found(path, path.parent, source, parsed, digest=hashlib.sha256(data).hexdigest())


def _unreadable(path: Path, source: str, error: str) -> Found:
    return Found(path, path.parent, source, ParsedManifest(None, None, (error,)))


def _shadowed(found: list[Found], is_trusted: Callable[[Path, str], bool]) -> list[Found]:
    """Mark all but one valid manifest of each id; an invalid one neither shadows nor is shadowed."""
    ranked = [each for each in found if each.parsed.manifest is not None]
    ranked.sort(
        key=lambda each: (
            not (each.source == "workspace" and each.path is not None and is_trusted(each.path, each.digest))
        )
    )
    winners: dict[str, Found] = {}
    for each in ranked:
        winners.setdefault((each.parsed.id or "").casefold(), each)
    return [
        replace(each, shadowed_by=winner.path)
        if each.parsed.manifest is not None
        and (winner := winners[(each.parsed.id or "").casefold()]) is not each
        else each
        for each in found
    ]


class _Walker:
    """Finds manifest files; enters no folder twice, however it is linked."""

    def __init__(self, problems: list[str]) -> None:
        self._problems = problems
        self._entered: set[tuple[int, int]] = set()
        self._full = False

    def manifests(self, place: SearchPath) -> list[Path]:
        """Return the manifests under a place, by path."""
        root = Path(os.path.abspath(place.path))  # noqa: PTH100 - links stay as the user wrote them
        try:
            mode = root.stat().st_mode
        except FileNotFoundError:
            if place.required:
                self._problems.append(f"{root}: no such folder.")
            return []
        except (OSError, ValueError) as error:
            self._problem(root, error)
            return []
        if not stat.S_ISDIR(mode):
            return [root]
        return sorted(self._walk(root), key=lambda path: path.parts)

    def _walk(self, root: Path) -> Iterator[Path]:
        pending = [root]
        while pending:
            folder = pending.pop()
            try:
                if not self._enter(folder):
                    continue
                with os.scandir(folder) as listing:
                    entries = list(listing)
            except OSError as error:
                self._problem(folder, error)
                continue
            if folder is not root and any(entry.name in _ENVIRONMENT_MARKS for entry in entries):
                continue
            for entry in entries:
                if entry.name in _SKIPPED:
                    continue
                if _is_folder(entry):
                    pending.append(Path(entry.path))
                elif entry.name == MANIFEST_NAME:
                    yield Path(entry.path)

    def _enter(self, folder: Path) -> bool:
        if len(self._entered) >= MAX_FOLDERS:
            if not self._full:
                self._full = True
                self._problems.append(f"{folder}: the search ends here, after {MAX_FOLDERS} folders.")
            return False
        status = folder.stat()
        key = (status.st_dev, status.st_ino)
        if key in self._entered:
            return False
        self._entered.add(key)
        return True

    def _problem(self, folder: Path, error: Exception) -> None:
        reason = error.strerror if isinstance(error, OSError) else None
        self._problems.append(f"{folder}: cannot be read: {reason or error}.")


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False
