"""From the text of a manifest, with overrides, to a `Manifest` or to the reasons why there is none."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from mcpapps_jupyter.errors import did_you_mean
from mcpapps_jupyter.manifest import rules
from mcpapps_jupyter.manifest.jsonc import Document, KeyPath, MalformedJson, read
from mcpapps_jupyter.manifest.model import KEYS, Manifest, wanted
from mcpapps_jupyter.manifest.report import Report, dotted, shown

LIST_KEYS = frozenset({"tags", "arguments", "capabilities"})
MAP_KEYS = frozenset({"environment", "headers", "metadata"})
_TEXT_KEYS = frozenset(KEYS) - LIST_KEYS - MAP_KEYS - {"id"}

OVERRIDE_KEYS = (
    "transport", "command", "arguments", "workingDirectory", "entryPoint", "url", "headers", "environment",
    "toolNamePrefix", "startupTimeoutSeconds", "requestTimeoutSeconds", "protocol",
)  # fmt: skip
"""Manifest keys that an entry of the configuration may override."""

ENTRY_KEYS = (*OVERRIDE_KEYS, "enabled", "approvals", "permissions")
"""All keys of an entry of the configuration; the last ones are read by whoever they concern."""


@dataclass(frozen=True)
class ParsedManifest:
    """Outcome of reading one manifest.

    Attributes
    ----------
    id : str or None
        The id, if there is a usable one, also of an invalid manifest.
    manifest : Manifest or None
        None when there are `errors`.
    errors, warnings : tuple of str
        One line each: place, key, what was wanted, what was got.
    provided : frozenset of str
        Manifest keys that the file itself gave a value.
    overridden : frozenset of str
        Manifest keys that the configuration's entry gave or changed.
    added : frozenset of str
        Manifest keys that were given beside the file.
    again : callable
        Reads the same once more, with another entry of the configuration; None where nothing was read.
    """

    id: str | None
    manifest: Manifest | None
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    provided: frozenset[str] = frozenset()
    overridden: frozenset[str] = field(default=frozenset())
    added: frozenset[str] = frozenset()
    again: Callable[[Mapping[str, Any]], ParsedManifest] | None = field(
        default=None, compare=False, repr=False
    )


def parse_manifest(text: str, *, source: str, overrides: Mapping[str, Any] | None = None) -> ParsedManifest:
    """Read a manifest.

    Parameters
    ----------
    text : str
        JSON, comments and trailing commas allowed.
    source : str
        Begins each message; a file's path.
    overrides : mapping, optional
        The configuration's entry for this app: keys of `OVERRIDE_KEYS`, applied before anything is checked,
        so they can repair a manifest.

    Returns
    -------
    ParsedManifest
        Whatever the text is; this never raises.
    """
    try:
        document = read(text)
    except MalformedJson as error:
        place = source if error.line is None else f"{source}:{error.line}"
        return ParsedManifest(None, None, (f"{place}: {error}.",))
    return parse_document(document, source=source, overrides=overrides)


def parse_mapping(
    data: Mapping[str, Any],
    *,
    source: str,
    overrides: Mapping[str, Any] | None = None,
    needs_entry_point: bool = True,
) -> ParsedManifest:
    """Read a manifest that is given as Python values, by the manifest's keys.

    Paths, tuples and the like count as the JSON they stand for. With ``needs_entry_point=False`` an
    in-process app may come without one: its server object is at hand.
    """
    document = Document(_jsonable(data))
    return parse_document(
        document, source=source, overrides=overrides, advise=False, needs_entry_point=needs_entry_point
    )


def parse_document(
    document: Document,
    *,
    source: str,
    overrides: Mapping[str, Any] | None = None,
    fields: Mapping[str, Any] | None = None,
    advise: bool = True,
    needs_entry_point: bool = True,
) -> ParsedManifest:
    """Check a document that is read already; see `parse_manifest`.

    Parameters
    ----------
    fields : mapping, optional
        Any keys of the manifest, laid over those of the document; ``environment`` and ``headers`` by name.
    """
    if not isinstance(document.value, Mapping):
        return ParsedManifest(None, None, (f"{source}: wanted a JSON object, got {shown(document.value)}.",))

    def again(overrides: Mapping[str, Any]) -> ParsedManifest:
        return parse_document(
            document,
            source=source,
            overrides=overrides,
            fields=fields,
            advise=advise,
            needs_entry_point=needs_entry_point,
        )

    given = _laid_over(document.value, fields or {})
    app_id = rules.usable_id(given.get("id"))
    report = Report(source, document, f"McpApps.entries['{app_id}']", beside=fields or ())
    for path in document.repeated:
        tell = report.error if path[0] == "headers" else report.warning
        tell(path, "given twice; the last one counts.")

    provided = frozenset(key for key in KEYS if given.get(key) is not None)
    data = _without_blanks(given)
    rules.check_unknown(data, report)
    if advise and "version" not in data:
        report.warning(("version",), 'missing; a version such as "1.0.0" is good advice, "0.1.0" is assumed.')
    _override(data, overrides or {}, report)

    manifest = _validated(data, report)
    rules.check(data, report, needs_entry_point=needs_entry_point)
    return ParsedManifest(
        id=app_id,
        manifest=None if report.errors else manifest,
        errors=report.errors,
        warnings=report.warnings,
        provided=provided,
        overridden=frozenset(report.overridden),
        added=frozenset(fields or ()) & frozenset(KEYS),
        again=again,
    )


def _laid_over(document: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    data = dict(document)
    for key, value in fields.items():
        if key in ("environment", "headers") and isinstance(value, Mapping):
            data[key] = _merged(data.get(key), _jsonable(value), ignore_case=key == "headers")
        else:
            data[key] = _jsonable(value)
    return data


def _without_blanks(given: Mapping[str, Any]) -> dict[str, Any]:
    """Drop what counts as absent (null, blank text); a null collection is an empty one."""
    data: dict[str, Any] = {}
    for key, value in given.items():
        if value is None and key in LIST_KEYS:
            data[key] = []
        elif value is None and key in MAP_KEYS:
            data[key] = {}
        elif key in _TEXT_KEYS and (value is None or (isinstance(value, str) and not value.strip())):
            continue
        else:
            data[key] = value.strip() if key in ("url", "uiResourceUri") and isinstance(value, str) else value
    return data


def _override(data: dict[str, Any], overrides: Mapping[str, Any], report: Report) -> None:
    entry: dict[str, Any] = {}
    for name, value in overrides.items():
        key = canonical(str(name), ENTRY_KEYS)
        if key is None:
            hint = did_you_mean(str(name), ENTRY_KEYS)
            report.override_warning(f'"{dotted((str(name),))}": not a key that can be overridden.{hint}')
        elif key in OVERRIDE_KEYS and value is not None:
            entry[key] = _jsonable(value)
    for key, value in entry.items():
        report.overridden.add(key)
        if key in ("environment", "headers") and isinstance(value, Mapping):
            data[key] = _merged(data.get(key), value, ignore_case=key == "headers")
        elif isinstance(value, str) and not value.strip() and key in _TEXT_KEYS:
            data.pop(key, None)  # "" takes a prefix away
        else:
            data[key] = value.strip() if key == "url" and isinstance(value, str) else value


def _merged(base: Any, extra: Mapping[str, Any], *, ignore_case: bool) -> dict[str, Any]:
    replaced = {name.lower() for name in extra} if ignore_case else set(extra)
    kept = base.items() if isinstance(base, Mapping) else ()
    return {
        **{name: value for name, value in kept if (name.lower() if ignore_case else name) not in replaced},
        **extra,
    }


def canonical(name: str, keys: tuple[str, ...]) -> str | None:
    """Find a key in any of its spellings: ``toolNamePrefix``, ``ToolNamePrefix``, ``tool_name_prefix``."""
    return _spellings(keys).get(_folded(name))


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


@lru_cache(maxsize=8)
def _spellings(keys: tuple[str, ...]) -> Mapping[str, str]:
    return {_folded(key): key for key in keys}


def _validated(data: Mapping[str, Any], report: Report) -> Manifest | None:
    # "$schema" points editors to the schema, and a field's own (snake_case) name is not a key.
    try:
        return Manifest.model_validate({key: value for key, value in data.items() if key != "$schema"})
    except ValidationError as failure:
        for problem in failure.errors(include_url=False, include_context=False):
            _explain(problem["loc"], data, report)
    return None


def _explain(location: tuple[int | str, ...], data: Mapping[str, Any], report: Report) -> None:
    """Put a type error into our words; rules speak for `id` and for texts that are not one of the choices."""
    key = str(location[0]) if location else ""
    if key == "id" or key not in KEYS:
        return
    path: KeyPath = (key,)
    value: Any = data.get(key)
    for step in location[1:]:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            break  # pydantic's own step, such as the branch of a union
        path = (*path, step)
    if key in ("transport", "protocol") and isinstance(value, str):
        return
    words = wanted(key) if len(path) == 1 else "a string"
    # Values of these maps may be secrets, and messages end up in saved notebooks.
    secret = len(path) > 1 and key in ("environment", "headers")
    got = _kind(value) if secret else shown(value)
    quote = " Write it in quotes." if words == "a string" and isinstance(value, (int, float)) else ""
    if isinstance(value, str) and words == "a string":
        got += ", which is not valid Unicode"
    report.error(path, f"wanted {words}, got {got}.{quote}")


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "a string"
    return "a number" if isinstance(value, (int, float)) and not isinstance(value, bool) else shown(value)


def _jsonable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _jsonable(item) for name, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_jsonable(item) for item in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value
