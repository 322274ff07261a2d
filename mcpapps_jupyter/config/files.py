"""``mcpapps.json`` and ``appsettings.json``: the same settings as the traits, in a file.

A file may hold the settings themselves or, as OpenClaw.NET's does, have them in a section ``McpApps``
(perhaps inside ``OpenClaw``). Names are taken in any spelling: ``discovery_paths``, ``discoveryPaths``,
``DiscoveryPaths``.

A file beside the notebook may have come with the notebook, from anybody. So it cannot loosen what guards
the user, and an app whose server it redirects has to be trusted like a manifest from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcpapps_jupyter.errors import did_you_mean
from mcpapps_jupyter.manifest import ENTRY_KEYS, canonical
from mcpapps_jupyter.manifest.jsonc import Document, KeyPath, MalformedJson, read

FILE_NAMES = ("mcpapps.json", "appsettings.json")

# Settings that a file beside the notebook has no say in.
GUARDS = frozenset(
    {"trusted_paths", "approvals", "permissions", "headless", "allow_nested_calls", "roots"}
    | {"max_calls_per_minute", "max_call_burst", "max_user_messages_per_minute", "max_message_bytes"}
    | {"max_notifications_per_second", "max_running_calls", "max_queued_calls"}
)
_GUARD_ENTRY_KEYS = frozenset({"approvals", "permissions"})
# An entry with one of these makes another program run, or sends requests elsewhere.
LAUNCH_KEYS = frozenset(
    {"transport", "command", "arguments", "workingDirectory", "entryPoint", "url", "headers", "environment"}
)


@dataclass
class FileSettings:
    """What one file says.

    Attributes
    ----------
    path : Path
        The file.
    digest : str
        SHA-256 of its content.
    values : dict
        Settings by trait name.
    places : dict of str to str
        File and line of each, for messages.
    problems : list of str
        What is wrong with it, one line each.
    broken : bool
        Whether the file cannot be read at all, so that nobody knows what it forbids.
    """

    path: Path
    digest: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    broken: bool = False


def find_file(folder: Path) -> Path | None:
    """Return the configuration file of a folder, if it has one."""
    return next((folder / name for name in FILE_NAMES if (folder / name).is_file()), None)


def read_file(path: Path, names: Iterable[str], *, beside_notebook: bool) -> FileSettings:
    """Read a file.

    Parameters
    ----------
    path : Path
        The file.
    names : iterable of str
        The settings there are.
    beside_notebook : bool
        Leave out what such a file has no say in.
    """
    settings = FileSettings(path)
    data = b""
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
        settings.digest = hashlib.sha256(data).hexdigest()
        document = read(text)
    except (OSError, UnicodeDecodeError, MalformedJson) as error:
        # Another program's appsettings.json is not ours to complain about.
        if path.name == FILE_NAMES[0] or b"mcpapps" in data.lower():
            line = f":{error.line}" if isinstance(error, MalformedJson) and error.line else ""
            settings.problems.append(f"{path}{line}: cannot be read: {_reason(error)}.")
            settings.broken = True
        return settings
    found = _section(document, whole_file=path.name == FILE_NAMES[0])
    if found is None:
        return settings
    where, section = found
    if not isinstance(section, Mapping):
        settings.problems.append(f"{_place(path, document, where)}: wanted an object.")
        settings.broken = True
        return settings
    reader = _Reader(path, document, where, beside_notebook, settings)
    reader.read(section, tuple(names))
    return settings


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 text (byte {error.start})"
    return error.strerror or "unreadable" if isinstance(error, OSError) else str(error)


def _section(document: Document, *, whole_file: bool) -> tuple[KeyPath, Any] | None:
    value = document.value
    if not isinstance(value, Mapping):
        return ((), value) if whole_file else None
    for path in (("McpApps",), ("OpenClaw", "McpApps")):
        at: KeyPath = ()
        inner: Any = value
        for step in path:
            name = (
                next((key for key in inner if key.lower() == step.lower()), None)
                if isinstance(inner, Mapping)
                else None
            )
            if name is None:
                break
            at, inner = (*at, name), inner[name]
        else:
            return at, inner
    return ((), value) if whole_file else None


def _place(path: Path, document: Document, where: KeyPath) -> str:
    line = document.line_of(where)
    return str(path) if line is None else f"{path}:{line}"


@dataclass
class _Reader:
    path: Path
    document: Document
    where: KeyPath
    beside_notebook: bool
    settings: FileSettings

    def read(self, section: Mapping[str, Any], names: tuple[str, ...]) -> None:
        for key, value in section.items():
            if key == "$schema" or value is None:
                continue
            name = canonical(key, names)
            if name is not None:
                self.settings.places[name] = _place(self.path, self.document, (*self.where, key))
            if name is None:
                self._problem((key,), f"not a setting.{did_you_mean(key, names)}")
            elif self.beside_notebook and name in GUARDS:
                self._ignored((key,))
            elif name == "entries" and isinstance(value, Mapping):
                self.settings.values[name] = {
                    app: self._entry((key, app), entry) for app, entry in value.items() if entry is not None
                }
            else:
                self.settings.values[name] = value

    def _entry(self, at: KeyPath, entry: Any) -> Any:
        if not isinstance(entry, Mapping):
            return entry
        kept: dict[str, Any] = {}
        for key, value in entry.items():
            name = canonical(key, ENTRY_KEYS)
            if self.beside_notebook and name in _GUARD_ENTRY_KEYS:
                self._ignored((*at, key))
            else:
                kept[name or key] = value
        return kept

    def _ignored(self, at: KeyPath) -> None:
        self._problem(
            at,
            "ignored: a file beside the notebook may have come with it and has no say in this. "
            "Use %config, ipython_kernel_config.py or mcpapps.json in the Jupyter config folder.",
        )

    def _problem(self, at: KeyPath, text: str) -> None:
        full = (*self.where, *at)
        name = ".".join(str(step) for step in at)
        self.settings.problems.append(f'{_place(self.path, self.document, full)}: "{name}": {text}')


def merged(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    """Lay settings over others: entries by app and key, ``deny`` added up, the rest replaced."""
    result = {**lower, **upper}
    if isinstance(lower.get("deny"), list) and isinstance(upper.get("deny"), list):
        result["deny"] = [*lower["deny"], *upper["deny"]]
    below, above = lower.get("entries"), upper.get("entries")
    if isinstance(below, Mapping) and isinstance(above, Mapping):
        entries = dict(below)
        for app, entry in above.items():
            same = next((known for known in entries if known.casefold() == app.casefold()), app)
            old = entries.get(same)
            if isinstance(old, Mapping) and isinstance(entry, Mapping):
                entry = {**old, **entry}
            entries[same] = entry
        result["entries"] = entries
    return result


def tightened(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    """`upper` without what would let run what `lower` forbids: it may only forbid more."""
    kept = dict(upper)
    if kept.get("enabled") is not False:
        kept.pop("enabled", None)
    if lower.get("allow"):
        kept.pop("allow", None)
    if "allowlist_semantics" in lower and str(kept.get("allowlist_semantics")).strip().lower() != "strict":
        kept.pop("allowlist_semantics", None)
    entries, below = kept.get("entries"), lower.get("entries")
    if isinstance(entries, Mapping) and isinstance(below, Mapping):
        off = {
            name.casefold()
            for name, entry in below.items()
            if isinstance(entry, Mapping) and "enabled" in entry
        }
        kept["entries"] = {
            name: {key: value for key, value in entry.items() if key != "enabled" or value is False}
            if isinstance(entry, Mapping) and name.casefold() in off
            else entry
            for name, entry in entries.items()
        }
    return kept
