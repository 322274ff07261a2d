"""What is wrong or odd in a manifest: messages with the place, the key, what was wanted, what was got."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from mcpapps_jupyter.manifest.jsonc import Document, KeyPath

_LONGEST_SHOWN = 60
_LAST = 1 << 60  # what has no line comes after what has one


class Report:
    """Collects errors and warnings about one manifest.

    Parameters
    ----------
    source : str
        File, or whatever else the manifest came from; begins each message.
    document : Document
        Knows the lines.
    override_source : str
        What messages begin with about keys of `overridden`, those that the configuration gave.
    beside : collection of str
        Keys that were given beside the document: a line of it would mislead.
    """

    def __init__(
        self,
        source: str,
        document: Document,
        override_source: str = "McpApps.entries",
        *,
        beside: Collection[str] = (),
    ) -> None:
        self.source = source
        self.override_source = override_source
        self.overridden: set[str] = set()
        self._beside = beside
        self._document = document
        self._errors: list[tuple[int, str]] = []
        self._warnings: list[tuple[int, str]] = []

    def error(self, path: KeyPath, text: str) -> None:
        """Note what makes the manifest unusable."""
        self._errors.append(self._message(path, text))

    def warning(self, path: KeyPath, text: str) -> None:
        """Note what is odd but harmless."""
        self._warnings.append(self._message(path, text))

    def override_warning(self, text: str) -> None:
        """Note what is odd in the configuration's entry itself."""
        self._warnings.append((_LAST, f"{self.override_source}: {text}"))

    @property
    def errors(self) -> tuple[str, ...]:
        """What was found, in the order of the file."""
        return _in_order(self._errors)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was found, in the order of the file."""
        return _in_order(self._warnings)

    def _message(self, path: KeyPath, text: str) -> tuple[int, str]:
        if path and path[0] in self.overridden:
            return _LAST, f'{self.override_source}: "{dotted(path)}": {text}'
        line = None if path and path[0] in self._beside else self._document.line_of(path)
        place = self.source if line is None else f"{self.source}:{line}"
        return line or _LAST, f'{place}: "{dotted(path)}": {text}' if path else f"{place}: {text}"


def _in_order(notes: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for _, text in sorted(notes, key=lambda note: note[0])))


def dotted(path: KeyPath) -> str:
    """Write a path as people do: ``arguments[1]``, ``environment.TOKEN``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            name = _visible(step)
            text += f".{name}" if text else name
    return text


def shown(value: Any) -> str:
    """Describe a JSON value, by its type and, when it is short, itself."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        digits = repr(value) if abs(value) < 1e18 else "of many digits"
        return f"the number {digits}"
    if isinstance(value, str):
        return f"the string {quoted(value)}"
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, (list, tuple)) else f"a {type(value).__name__}"


def quoted(text: str) -> str:
    """Quote a text, invisible characters escaped, cut when long."""
    visible = _visible(text[:_LONGEST_SHOWN])
    cut = len(text) > _LONGEST_SHOWN or len(visible) > _LONGEST_SHOWN
    return f'"{visible[: _LONGEST_SHOWN - 1]}…"' if cut else f'"{visible}"'


def _visible(text: str) -> str:
    """Escape line breaks and characters that nobody sees."""
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)
