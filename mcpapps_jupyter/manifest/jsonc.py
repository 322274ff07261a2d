"""JSON with comments and trailing commas, and the line each key stands on."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

KeyPath = tuple[str | int, ...]

_STRING = r'"(?:[^"\\\n]|\\.)*"?'  # unclosed ones end with their line, so a scan stays linear
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
# What follows an opening bracket or another comma is a mistake, not a trailing comma.
_TRAILING_COMMA = re.compile(rf"({_STRING}|[\[{{,]\s*,)|,(?=\s*[}}\]])")
_CONSTANT = re.compile(rf"({_STRING})|\bNaN\b|\bInfinity\b")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class MalformedJson(ValueError):  # noqa: N818 - the name says it
    """The text is not JSON, not even with comments; `line` is where, if that is known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Document:
    """A parsed text that still knows its lines.

    Attributes
    ----------
    value : Any
        The parsed JSON.
    text : str
        The text without comments, positions unchanged.
    repeats : bool
        Whether some object gives a key twice.
    """

    value: Any
    text: str = field(default="", repr=False)
    repeats: bool = False

    def line_of(self, path: KeyPath) -> int | None:
        """Return the line (from 1) of a key or list item, or of its nearest parent that has one."""
        while path:
            if path in self._index[0]:
                return self._index[0][path]
            path = path[:-1]
        return None

    @property
    def repeated(self) -> list[KeyPath]:
        """Keys that their object gives more than once; the last one counts."""
        return self._index[1] if self.repeats else []

    @cached_property
    def _index(self) -> tuple[dict[KeyPath, int], list[KeyPath]]:
        return _lines(self.text)


def read(text: str) -> Document:
    """Parse `text`.

    Raises
    ------
    MalformedJson
        With a message for the user and the line.
    """
    text = text.removeprefix("\ufeff")
    try:
        return _load(text)
    except json.JSONDecodeError:
        bare = _TRAILING_COMMA.sub(lambda match: match[1] or " ", _COMMENT.sub(_blank, text))
    try:
        return _load(bare)
    except json.JSONDecodeError as error:
        raise _in_words(error) from None


def _load(text: str) -> Document:
    repeats = False

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeats
        built = dict(pairs)
        repeats = repeats or len(built) < len(pairs)
        return built

    def refuse(name: str) -> NoReturn:
        places = (match for match in _CONSTANT.finditer(text) if not match[1])
        line = next((_line_at(text, match.start()) for match in places), None)
        raise MalformedJson(f"{name} is not a JSON number", line)

    try:
        return Document(json.loads(text, object_pairs_hook=build, parse_constant=refuse), text, repeats)
    except RecursionError:
        raise MalformedJson("nested too deeply") from None
    except (json.JSONDecodeError, MalformedJson):
        raise
    except ValueError:  # Python's own limit
        raise MalformedJson("a number has thousands of digits") from None


def _blank(match: re.Match[str]) -> str:
    if match[1]:
        return match[1]
    comment = match[0]
    if comment.startswith("/*") and not (comment.endswith("*/") and len(comment) >= len("/**/")):
        raise MalformedJson(
            "the comment that starts here is never closed", _line_at(match.string, match.start())
        )
    return re.sub(r"[^\n]", " ", comment)


def _in_words(error: json.JSONDecodeError) -> MalformedJson:
    end = len(error.doc.rstrip())
    if end == 0:
        return MalformedJson("the file is empty", 1)
    if error.pos >= end:
        return MalformedJson(
            "the text ends too early: a closing bracket or quote is missing", _line_at(error.doc, end)
        )
    reason = error.msg[:1].lower() + error.msg[1:]
    return MalformedJson(f"not valid JSON: {reason} (column {error.colno})", error.lineno)


def _line_at(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _lines(text: str) -> tuple[dict[KeyPath, int], list[KeyPath]]:
    """Walk valid JSON once; note the line of every key and list item."""
    lines: dict[KeyPath, int] = {}
    repeated: list[KeyPath] = []
    path: list[str | int] = []  # of the value that is read now; one entry an open bracket
    expects_key = False
    line, seen = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        piece = match[0]
        if piece in "}]":
            if path:
                path.pop()
            expects_key = False
        elif piece == ",":
            expects_key = bool(path) and isinstance(path[-1], str)
            if path and isinstance(path[-1], int):
                path[-1] += 1
        elif piece == ":":
            expects_key = False
        elif expects_key:
            path[-1] = json.loads(piece)
            here = tuple(path)
            if here in lines:
                repeated.append(here)
            lines[here] = line
        else:
            if path and isinstance(path[-1], int):
                lines[tuple(path)] = line
            if piece in "{[":
                path.append("" if piece == "{" else 0)
                expects_key = piece == "{"
    return lines, repeated
