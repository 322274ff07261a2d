"""Where an app comes from: its manifest or server object, and what a bare `open` of it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcpapps_jupyter.errors import ManifestInvalid
from mcpapps_jupyter.manifest import Manifest, ParsedManifest


@dataclass(frozen=True)
class Opening:
    """What a bare ``open()`` opens, where whoever made the app knows better than its manifest.

    Attributes
    ----------
    target
        A tool, or a ``ui://`` address.
    arguments
        The tool's arguments.
    """

    target: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Definition:
    """Where an app comes from.

    Attributes
    ----------
    app_id
        Its id.
    parsed
        The manifest as read, with what is wrong with it.
    directory
        What relative paths in the manifest are relative to.
    source
        ``bundled``, ``installed``, ``configured``, ``workspace`` or ``added``.
    path, digest
        The manifest's file, if there is one, and the SHA-256 of what was read.
    server
        A server object, for apps written in a cell.
    opening
        What a bare `App.open` opens; None leaves it to the manifest and the server's list.
    """

    app_id: str
    parsed: ParsedManifest
    directory: Path
    source: str
    path: Path | None = None
    digest: str = ""
    server: Any = None
    opening: Opening | None = None

    @property
    def manifest(self) -> Manifest:
        """The valid manifest.

        Raises
        ------
        ManifestInvalid
            With every error of the manifest.
        """
        if self.parsed.manifest is None:
            raise ManifestInvalid(
                f"{self.app_id}: {'; '.join(self.parsed.errors) or 'the manifest is invalid'}"
            )
        return self.parsed.manifest

    def __repr__(self) -> str:
        manifest = self.parsed.manifest
        target = f"{manifest.transport} {manifest.masked_target}".strip() if manifest else "invalid"
        return f"<Definition {self.app_id}: {target} ({self.source})>"

    def same_as(self, other: Definition) -> bool:
        """Whether starting either gives the same server; a server object never is the same."""
        if self.server is not None or other.server is not None:
            return False
        return (self.parsed.manifest, self.directory) == (other.parsed.manifest, other.directory)
