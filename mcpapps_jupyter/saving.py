"""From an app that was added in a cell to a manifest file, so that it is there the next time."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcpapps_jupyter.discovery import MANIFEST_NAME
from mcpapps_jupyter.errors import InvalidArguments

if TYPE_CHECKING:
    from mcpapps_jupyter.app import App

#: Names whose values are taken for secrets: they do not go into a file as they are.
_SECRET_NAME = re.compile(r"TOKEN|SECRET|KEY|PASS|CREDENTIAL|AUTHORIZATION|COOKIE", re.IGNORECASE)


def save_manifest(app: App, folder: Path) -> tuple[Path, list[str]]:
    """Write the app's manifest below `folder`.

    Parameters
    ----------
    folder
        Gets a folder of the app's id with the manifest in it.

    Returns
    -------
    path, notes
        The file, and what the user should know: a value that looks like a secret is written as
        ``${env:NAME}`` and has to be set there.

    Raises
    ------
    InvalidArguments
        The app was made from a server object, there is another manifest already, or the folder
        cannot be written.
    """
    if app.definition.server is not None:
        raise InvalidArguments(f"{app.id} is a server object of this notebook; there is no command to save.")
    path = folder / app.id / MANIFEST_NAME
    mapping, notes = _without_secrets(app.manifest.to_mapping())
    cwd = mapping.get("workingDirectory")
    if mapping.get("transport", "stdio") == "stdio" and not (cwd and Path(cwd).is_absolute()):
        # A manifest starts its server in its own folder; this app's starts elsewhere.
        mapping["workingDirectory"] = str((app.definition.directory / (cwd or "")).resolve())
    text = json.dumps(mapping, indent=2, ensure_ascii=False) + "\n"
    if path.exists() and path.read_text(encoding="utf-8") != text:
        raise InvalidArguments(
            f"{path} exists already with other content; remove it or choose another folder."
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidArguments(f"{path} cannot be written: {error.strerror or error}") from None
    return path, notes


def _without_secrets(mapping: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    notes = []
    for key in ("environment", "headers"):
        values = mapping.get(key)
        if not isinstance(values, dict):
            continue
        kept = dict(values)
        for name, value in values.items():
            if _SECRET_NAME.search(name) and "${env:" not in value:
                variable = re.sub(r"\W", "_", name).upper()
                kept[name] = f"${{env:{variable}}}"
                notes.append(f"{key}.{name} is not in the file; set the environment variable {variable}")
        mapping = {**mapping, key: kept}
    return mapping, notes
