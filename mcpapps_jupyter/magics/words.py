"""The line of a magic, cut into words.

IPython's own splitter knows quotes only around a whole word (``q="a b"`` becomes two) and on Windows no
single quotes at all, and a shell's eats the backslashes of Windows paths. Here quotes may begin a word or
follow its ``=``, backslashes stay, and what stands in braces or brackets stays together, so that
``--args {"a": 1}`` and ``ids=[1, 2]`` can be written as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPEN, _CLOSE = "([{", ")]}"
_PAIR = re.compile(r"[\w.-]+=")
# A folder that ends in a backslash, as in "C:\data\", escapes nothing: a closing quote ends its word.
_ESCAPING = re.compile(r'"((?:\\"|[^"])*)"(?=\s|$)')
_STRINGS = {quote: re.compile(rf"{quote}(?:\\.|[^{quote}\\])*{quote}", re.DOTALL) for quote in "'\""}


class UnclosedQuoteError(ValueError):
    """A quote is opened and never closed."""


@dataclass(frozen=True)
class Chunk:
    """A piece of a word.

    Attributes
    ----------
    text : str
        Without its quotes.
    quote : str
        The kind of quotes that it stood in, empty for none.
    """

    text: str
    quote: str = ""


@dataclass(frozen=True)
class Word:
    """One word.

    Attributes
    ----------
    chunks : tuple of Chunk
        Its pieces, in order.
    start : int
        Where in the line it begins.
    """

    chunks: tuple[Chunk, ...]
    start: int = 0

    @property
    def text(self) -> str:
        """The word without its quotes."""
        return "".join(chunk.text for chunk in self.chunks)

    @property
    def is_option(self) -> bool:
        """Whether it begins with a dash that does not stand in quotes."""
        first = self.chunks[0]
        return not first.quote and first.text.startswith("-") and len(self.text) > 1

    @property
    def is_separator(self) -> bool:
        """Whether it is the ``--`` that the words of a command follow."""
        return self.chunks == (Chunk("--"),)

    def pair(self) -> tuple[str, Word] | None:
        """The name and the value of a ``name=value`` word; None for any other."""
        first = self.chunks[0]
        match = None if first.quote else _PAIR.match(first.text)
        if match is None:
            return None
        return match[0][:-1], self.after(match.end())

    def after(self, count: int) -> Word:
        """The word without the first `count` characters of its first piece."""
        rest = Chunk(self.chunks[0].text[count:])
        more = self.chunks[1:]
        return Word(more if more and not rest.text else (rest, *more), self.start + count)


def split(line: str, *, strict: bool = True) -> list[Word]:
    """Cut `line` into words; what follows a lone ``#`` is a comment.

    Raises
    ------
    UnclosedQuoteError
        Unless `strict` is false: then the rest of the line is the last word.
    """
    words: list[Word] = []
    at = 0
    while True:
        while at < len(line) and line[at].isspace():
            at += 1
        if at == len(line) or (line[at] == "#" and line[at + 1 : at + 2].strip() == ""):
            return words
        start = at
        chunks, at = _word(line, at, strict)
        words.append(Word(chunks, start))


def _word(line: str, at: int, strict: bool) -> tuple[tuple[Chunk, ...], int]:
    chunks: list[Chunk] = []
    bare = ""
    begins_value = True
    while at < len(line) and not line[at].isspace():
        char = line[at]
        if begins_value and char in "'\"":
            text, at = _quoted(line, at, strict)
            chunks += [Chunk(bare)] if bare else []
            chunks.append(Chunk(text, char))
            bare = ""
            continue
        end = closing(line, at) if char == "{" or (char == "[" and bare.endswith("=")) else None
        end = at if end is None else end
        bare += line[at : end + 1]
        begins_value = char == "="
        at = end + 1
    if bare or not chunks:
        chunks.append(Chunk(bare))
    return tuple(chunks), at


def _quoted(line: str, at: int, strict: bool) -> tuple[str, int]:
    """The text in the quotes that open at `at`, and where the line goes on after them."""
    quote = line[at]
    if quote == '"':
        match = _ESCAPING.match(line, at)
        if match is not None:
            return match[1].replace('\\"', '"'), match.end()
    end = line.find(quote, at + 1)
    if end < 0:
        if strict:
            raise UnclosedQuoteError(line[at:])
        return line[at + 1 :], len(line)
    return line[at + 1 : end], end + 1


def closing(text: str, at: int) -> int | None:
    """Where the bracket closes that opens at `at`, Python's and JSON's strings skipped; None for nowhere."""
    expected: list[str] = []
    while at < len(text):
        char = text[at]
        if char in _OPEN:
            expected.append(_CLOSE[_OPEN.index(char)])
        elif char in _CLOSE:
            if char != expected.pop():
                return None
            if not expected:
                return at
        elif char in "'\"":
            string = _STRINGS[char].match(text, at)
            if string is None:
                return None
            at = string.end() - 1
        at += 1
    return None


def sections(text: str) -> Iterator[tuple[str, bool]]:
    """Cut `text` at its outermost braces: each piece, and whether it stands in braces (kept)."""
    plain = at = 0
    while at < len(text):
        end = closing(text, at) if text[at] == "{" else None
        if end is None:
            at += 1
            continue
        if at > plain:
            yield text[plain:at], False
        yield text[at : end + 1], True
        plain = at = end + 1
    if plain < len(text):
        yield text[plain:], False
