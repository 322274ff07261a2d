"""Whether code that came with the notebook may start: confirmed once, by path and content.

A manifest beside the notebook names a program to run, and a configuration file there may redirect an
installed app to one. Both may have come with a cloned repository. So the first start asks, and the answer is
kept for exactly that file with exactly that content.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mcpapps_jupyter.discovery.places import expanded


@dataclass(frozen=True)
class CodeFile:
    """A file that decides what is run.

    Attributes
    ----------
    path : Path
        The file.
    digest : str
        SHA-256 of its content, as it was when it was read.
    """

    path: Path
    digest: str


class Settings(Protocol):
    """The part of the configuration that trust depends on."""

    @property
    def trusted_paths(self) -> Sequence[str]:
        """Files and folders that need no confirmation."""

    def notebook_dir(self) -> Path:
        """Where relative paths start."""

    def workspace_override(self, app_id: str) -> tuple[Path, str] | None:
        """Return the file beside the notebook that redirects an app, and its digest."""


class TrustStore:
    """Remembers confirmed files, in the Jupyter data folder by default.

    Parameters
    ----------
    file : Path, optional
        Where to keep them.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file

    @property
    def file(self) -> Path:
        """Where the confirmations are kept."""
        if self._file is None:
            from jupyter_core.paths import jupyter_data_dir  # 20 ms that an import need not cost

            self._file = Path(jupyter_data_dir()) / "mcpapps_jupyter" / "trusted.json"
        return self._file

    def is_trusted(self, path: Path, digest: str) -> bool:
        """Whether this file with this content was confirmed."""
        return bool(digest) and self._read().get(_file_key(path)) == digest

    def trust(self, path: Path, digest: str) -> None:
        """Remember a confirmation; one of other content of the same file ends.

        Raises
        ------
        OSError
            The Jupyter data folder cannot be written.
        """
        self._write({**self._read(), _file_key(path): digest})

    def forget(self, path: Path) -> None:
        """Take a confirmation back."""
        known = self._read()
        if known.pop(_file_key(path), None) is not None:
            self._write(known)

    def _read(self) -> dict[str, str]:
        try:
            known = json.loads(self.file.read_text("utf-8"))["trusted"]
            return {path: digest for path, digest in known.items() if isinstance(digest, str)}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return {}  # a file that cannot be understood confirms nothing

    def _write(self, known: dict[str, str]) -> None:
        folder = self.file.parent
        folder.mkdir(parents=True, exist_ok=True)
        # Another kernel may read meanwhile; mkstemp's file is the owner's alone (0600).
        handle, name = tempfile.mkstemp(dir=folder, prefix=self.file.name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"version": 1, "trusted": known}, file, indent=1)
            os.replace(name, self.file)  # noqa: PTH105
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def unconfirmed(
    app_id: str, source: str, path: Path | None, digest: str, *, config: Settings, store: TrustStore
) -> list[CodeFile]:
    """List the files that the user has to confirm before this app may start.

    Empty for apps that are bundled, installed, configured or added by the user, unless a configuration file
    beside the notebook redirects them.
    """
    files = [CodeFile(path, digest)] if source == "workspace" and path is not None else []
    override = config.workspace_override(app_id)
    if override is not None:
        files.append(CodeFile(*override))
    places = [_key(place) for place in _trusted_places(config)]
    return [
        file
        for file in files
        if not any(_is_under(_file_key(file.path), place) for place in places)
        and not store.is_trusted(file.path, file.digest)
    ]


def _trusted_places(config: Settings) -> list[Path]:
    texts = (expanded(path, lambda _: None) for path in config.trusted_paths)
    return [config.notebook_dir() / text for text in texts if text is not None]


def _key(path: Path) -> str:
    return os.path.normcase(os.path.realpath(path))


def _file_key(path: Path) -> str:
    # Where the name lies, not what it links to: a manifest starts its server in the folder of the name.
    return os.path.join(_key(path.parent), os.path.normcase(path.name))  # noqa: PTH118


def _is_under(path: str, place: str) -> bool:
    return Path(path).is_relative_to(place)
