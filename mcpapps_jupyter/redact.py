"""Text that may be shown: secrets masked, and nothing in a line that moves, hides or recolours other text."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote

MASK = "•••"

# Shorter values ("1", "on", "dev") are not secrets, and masking them would make every text unreadable.
_SHORTEST_SECRET = 4
# A secret's beginning where a text was cut; less of it is too often something else.
_SHORTEST_BEGINNING = 6
_CUT = "…"
_CLOSING = "\"'`)]}>, \t\r\n"
_PLAIN_WORDS = frozenset(
    {"true", "false", "null", "none", "info", "debug", "warn", "warning", "error", "utf-8"}
)

_ANSI = re.compile(
    r"\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC: titles, links
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]{0,4096}(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor
    r"|\x1b[ -/]*[0-~]?"
)
# Letters and marks by category that nevertheless draw nothing.
_BLANK_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_LONGEST_INPUT = 20_000


def redact(text: str, secrets: Iterable[str]) -> str:
    """Mask every one of `secrets` in `text`.

    Also found: a secret as it looks inside JSON, HTML and a URL, and one that was cut in half: six or
    more of its first characters at the end of `text` or before a ``…``. Values under four characters
    and plain words such as ``true`` are left alone.
    """
    pattern, spellings = _pattern(frozenset(secrets))
    if pattern is None:
        return text
    whole = pattern.sub(MASK, text)
    return _CUT.join(_without_beginning(piece, spellings) for piece in whole.split(_CUT))


def _without_beginning(text: str, spellings: tuple[str, ...]) -> str:
    """`text` without the beginning of a secret that it ends with."""
    end = text.rstrip(_CLOSING)
    for spelling in spellings:
        first = spelling[:_SHORTEST_BEGINNING]
        at = -1 if len(spelling) <= len(first) else end.find(first, max(0, len(end) - len(spelling) + 1))
        while at >= 0:
            if spelling.startswith(end[at:]):
                return end[:at] + MASK + text[len(end) :]
            at = end.find(first, at + 1)
    return text


@lru_cache(maxsize=256)
def _pattern(secrets: frozenset[str]) -> tuple[re.Pattern[str] | None, tuple[str, ...]]:
    spellings: set[str] = set()
    for secret in secrets:
        value = secret.strip()
        if len(value) < _SHORTEST_SECRET or value.casefold() in _PLAIN_WORDS:
            continue
        spellings |= {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
        spellings |= {quote(value, safe="", errors="replace"), quote(value, errors="replace")}
    spellings |= {html.escape(spelling, quote=True) for spelling in spellings}
    if not spellings:
        return None, ()
    # Longest first: a secret that contains another one goes as a whole.
    ordered = tuple(sorted(spellings, key=len, reverse=True))
    return re.compile("|".join(re.escape(each) for each in ordered)), ordered


def shortened(text: str, limit: int) -> str:
    """`text`, or its first `limit` characters and ``…``."""
    return text if len(text) <= limit else text[:limit] + _CUT


def clean_line(text: str, limit: int = 500) -> str:
    """Make foreign text safe to show on one line.

    Terminal sequences, control, bidirectional and zero-width characters go; line breaks and tabs become
    a space; longer text ends in ``…``.

    Parameters
    ----------
    text : str
        Anything: a tool's title, a line of a server's stderr.
    limit : int
        Most characters of the answer.
    """
    shown = _ANSI.sub("", text[: max(_LONGEST_INPUT, 4 * limit)])
    line = " ".join("".join(_visible(character) for character in shown).split())
    return line if len(line) <= limit else line[: max(limit - 1, 0)].rstrip() + "…"


def _visible(character: str) -> str:
    if " " <= character <= "~":
        return character
    if character in _BLANK_LETTERS:
        return ""
    category = unicodedata.category(character)
    if category in ("Zs", "Zl", "Zp") or character in "\t\n\r\v\f\x85":
        return " "
    return "" if category in ("Cc", "Cf", "Cs") else character
