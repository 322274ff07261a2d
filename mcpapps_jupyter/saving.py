"""From an app that was added in a cell to a manifest file, so that it is there the next time."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcpapps_jupyter.discovery import MANIFEST_NAME, file_content
from mcpapps_jupyter.errors import InvalidArguments
from mcpapps_jupyter.manifest.secrets import arguments_without_secrets, harmless, telling, without_secrets

if TYPE_CHECKING:
    from mcpapps_jupyter.app import App
    from mcpapps_jupyter.manifest import Manifest


def save_manifest(app: App, folder: Path) -> tuple[Path, list[str]]:
    """Write the app's manifest below `folder`, readable by its owner only.

    Parameters
    ----------
    folder
        Gets a folder of the app's id with the manifest in it.

    Returns
    -------
    path, notes
        The file, and what the user should know: a value of the environment or a header that may be a
        secret is written as ``${env:NAME}`` and has to be set there.

    Raises
    ------
    InvalidArguments
        The app was made from a server object or has its manifest already, its address or command has a
        secret in it, there is another manifest already, or the file cannot be written.
    """
    definition = app.definition
    if definition.server is not None:
        raise InvalidArguments(f"{app.id} is a server object of this notebook; there is no command to save.")
    if definition.source in ("bundled", "installed"):
        raise InvalidArguments(f"{app.id} needs no saving; there is a manifest already: {definition.path}")
    _refuse_secrets(app.manifest)
    path = folder / app.id / MANIFEST_NAME
    mapping, notes = _without_secrets(app.manifest.to_mapping())
    cwd = mapping.get("workingDirectory")
    if mapping.get("transport", "stdio") == "stdio" and not (cwd and Path(cwd).is_absolute()):
        # A manifest starts its server in its own folder; this app's starts elsewhere.
        mapping["workingDirectory"] = str((definition.directory / (cwd or "")).resolve())
    text = json.dumps(mapping, indent=2, ensure_ascii=False) + "\n"
    try:
        _write(path, text.encode("utf-8"))
    except UnicodeEncodeError as error:
        character = ascii(error.object[error.start])
        raise InvalidArguments(f"{path} cannot be written: {character} is half a character.") from None
    except (OSError, ValueError) as error:
        if isinstance(error, InvalidArguments):
            raise
        reason = getattr(error, "strerror", None) or error
        raise InvalidArguments(f"{path} cannot be written: {reason}") from None
    return path, notes


def _write(path: Path, data: bytes) -> None:
    """Put `data` there as a whole or not at all."""
    for place in (path.parent, path):
        if place.is_symlink():
            raise InvalidArguments(f"{place} is a link to another place; nothing is written through it.")
    if path.exists() and file_content(path) != data:
        raise InvalidArguments(
            f"{path} exists already with other content; remove it or choose another folder."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=path.parent)  # mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _refuse_secrets(manifest: Manifest) -> None:
    """Only the user can give a part of an address or of a command line a name."""
    advice = "looks like a secret; add the app again with '${env:NAME}' in its place."
    if manifest.url and without_secrets(manifest.url) != manifest.url:
        raise InvalidArguments(f"{manifest.id}: a part of the address {advice}")
    masked = arguments_without_secrets(manifest.arguments)
    for number, (argument, shown) in enumerate(zip(manifest.arguments, masked, strict=True), start=1):
        if argument != shown:
            raise InvalidArguments(f"{manifest.id}: argument {number} of the command {advice}")


def _without_secrets(mapping: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    notes: list[str] = []
    for key in ("environment", "headers"):
        values = mapping.get(key)
        if not isinstance(values, dict):
            continue
        kept = dict(values)
        for name, value in values.items():
            if not harmless(name, value):
                variable = re.sub(r"\W", "_", name).upper()
                kept[name] = f"${{env:{variable}}}"
                notes.append(f"{key}.{name} is not in the file; set the environment variable {variable}")
        mapping = {**mapping, key: kept}
    if "metadata" in mapping:  # other hosts' settings are kept there, logins too
        mapping = {**mapping, "metadata": _without_telling(mapping["metadata"], "metadata", notes)}
    return mapping, notes


def _without_telling(value: Any, place: str, notes: list[str]) -> Any:
    if isinstance(value, list):
        return [_without_telling(each, place, notes) for each in value]
    if not isinstance(value, Mapping):
        return value
    kept = {}
    for name, each in value.items():
        if isinstance(each, str) and telling(name):
            notes.append(f"{place}.{name} is not in the file")
        else:
            kept[name] = _without_telling(each, f"{place}.{name}", notes)
    return kept
