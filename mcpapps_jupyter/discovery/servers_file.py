"""Other hosts' files: ``mcpServers`` and ``servers`` maps of Claude, Cursor, VS Code and ``.mcp.json``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mcpapps_jupyter.discovery.content import file_content
from mcpapps_jupyter.errors import ManifestInvalid
from mcpapps_jupyter.manifest.jsonc import Document, KeyPath, MalformedJson, read

# Other hosts keep more than servers in these files, their history for example.
_MAX_BYTES = 64 * 1024 * 1024
_MAPS: tuple[KeyPath, ...] = (("mcpServers",), ("servers",), ("mcp", "servers"), ("mcp", "mcpServers"))
_KEYS = {
    "command": "command",
    "args": "arguments",
    "env": "environment",
    "cwd": "workingDirectory",
    "url": "url",
    "serverUrl": "url",
    "httpUrl": "url",
    "headers": "headers",
    "description": "description",
}
_TRANSPORTS = {"streamable-http": "http", "streamablehttp": "http", "streamable_http": "http", "http": "http"}
# Folders of settings inside the project that the paths in the file mean.
_SETTINGS_FOLDERS = frozenset({".vscode", ".cursor", ".claude", ".gemini", ".roo"})
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_SHELL_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(:-.*)?", re.DOTALL)


def read_servers_file(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Read a file that lists servers.

    Parameters
    ----------
    path : Path
        The file; JSON, comments allowed.

    Returns
    -------
    list of (id, mapping)
        Mappings by manifest keys, for `parse_mapping`. Names become valid ids, ``-2`` is added to one that
        is taken in the same file; settings that a manifest does not have are kept in ``metadata``.
        ``${VAR}`` and ``${workspaceFolder}`` become what manifests know.

    Raises
    ------
    ManifestInvalid
        The file cannot be read or has no such map.
    """
    document = _read(path)
    where, servers = _servers(path, document)
    folder = path.absolute().parent
    project = folder.parent if folder.name in _SETTINGS_FOLDERS else folder
    taken: set[str] = set()
    result = []
    for name, server in servers.items():
        if not isinstance(server, Mapping):
            raise _invalid(path, document, (*where, name), "wanted an object.")
        app_id = _free_id(name, taken)
        mapping = _mapping(server, project)
        result.append((app_id, {"id": app_id, **({"name": name} if name != app_id else {}), **mapping}))
    return result


def _read(path: Path) -> Document:
    try:
        return read(file_content(path, _MAX_BYTES).decode("utf-8-sig"))
    except OSError as error:
        raise ManifestInvalid(f"{path}: cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError as error:
        raise ManifestInvalid(f"{path}: not UTF-8 text (byte {error.start}).") from None
    except MalformedJson as error:
        raise ManifestInvalid(f"{path}{f':{error.line}' if error.line else ''}: {error}.") from None


def _servers(path: Path, document: Document) -> tuple[KeyPath, Mapping[str, Any]]:
    for where in _MAPS:
        value = document.value
        for step in where:
            value = value.get(step) if isinstance(value, Mapping) else None
        if isinstance(value, Mapping):
            return where, value
        if value is not None:
            raise _invalid(path, document, where, "wanted an object with a server for each name.")
    raise ManifestInvalid(f'{path}: wanted an object with "mcpServers" or "servers".')


def _invalid(path: Path, document: Document, where: KeyPath, text: str) -> ManifestInvalid:
    line = document.line_of(where)
    place = str(path) if line is None else f"{path}:{line}"
    return ManifestInvalid(f'{place}: "{".".join(map(str, where))}": {text}')


def _free_id(name: str, taken: set[str]) -> str:
    base = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:120] or "server"
    app_id, number = base, 1
    while app_id.casefold() in taken:
        number += 1
        app_id = f"{base}-{number}"
    taken.add(app_id.casefold())
    return app_id


def _mapping(server: Mapping[str, Any], project: Path) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    for key, value in server.items():
        if key in _KEYS:
            mapping.setdefault(_KEYS[key], _texts(value, lambda text: _translated(text, project)))
        elif key not in ("type", "transport"):
            metadata[key] = value
    transport = server.get("type") or server.get("transport")
    if isinstance(transport, str):
        mapping["transport"] = _TRANSPORTS.get(transport.strip().lower(), transport)
    elif "url" in mapping and "command" not in mapping:
        mapping["transport"] = "http"
    for key in ("workingDirectory", "command"):
        mapping = _rooted(mapping, key, project)
    if metadata:
        mapping["metadata"] = metadata
    return mapping


def _rooted(mapping: dict[str, Any], key: str, project: Path) -> dict[str, Any]:
    """Make a path relative to the project absolute: the app's own folder will be another one."""
    text = mapping.get(key)
    if not isinstance(text, str) or text.startswith(("~", "${")) or Path(text).is_absolute():
        return mapping
    if key == "command" and "/" not in text and "\\" not in text:
        return mapping
    return {**mapping, key: str(project / text)}


def _texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_texts(item, change) for item in value]
    if isinstance(value, Mapping):
        return {key: _texts(item, change) for key, item in value.items()}
    return value


def _translated(text: str, project: Path) -> str:
    """Put other hosts' variables into the manifest's."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        known = {
            "workspaceFolder": str(project),
            "workspaceFolderBasename": project.name,
            "userHome": str(Path.home()),
        }.get(name)
        if known is not None:
            return known
        if name in ("python", "manifestDir"):
            return match[0]
        shell = _SHELL_NAME.fullmatch(name)
        return f"${{env:{name}}}" if shell else match[0]

    return _VARIABLE.sub(value, text)
