"""From bytes to JSON-RPC frames, forgiving what real servers put on stdout."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any, cast

from mcpapps_jupyter.transports.hooks import Frame

#: Bytes of one line or event at most: a server must not be able to eat the kernel's memory.
LINE_LIMIT = 64 * 1024 * 1024

#: Characters of one piece of noise that are reported.
NOISE_LIMIT = 4096

_EDGE = 4096
_MOST_CANDIDATES = 64

# Where a frame may begin inside a line: a brace and one of the five keys an envelope has.
_FRAME_START = re.compile(r'\{\s*"(?:jsonrpc|id|method|params|result|error)"\s*:')
_ID = rb'"id"\s*:\s*(-?\d{1,19}|"(?:[^"\\]|\\.){0,200}")'
_ID_FIRST = re.compile(rb'^[^{]{0,200}\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID)
_ID_LAST = re.compile(_ID + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')


@dataclass(frozen=True)
class Oversize:
    """A line that was dropped, too long or too deep: its two ends, and its length in bytes."""

    head: bytes
    tail: bytes
    size: int

    @classmethod
    def of(cls, line: bytes) -> Oversize:
        """What is kept of `line`."""
        return cls(line[:_EDGE], line[-_EDGE:], len(line))

    @property
    def request_id(self) -> str | None:
        """The JSON-RPC id the line answered, where its ends show one."""
        found = self.id
        return None if found is None else str(found)

    @property
    def id(self) -> str | int | None:
        """The same as it was written, a number or a text."""
        hit = _ID_FIRST.search(self.head) or _ID_LAST.search(self.tail)
        return cast("str | int", json.loads(hit.group(1))) if hit else None


class LineSplitter:
    """Cut a byte stream into lines, in linear time and bounded memory.

    Parameters
    ----------
    limit
        Bytes of a line at most; what is longer comes out as :class:`Oversize`.
    ends
        The characters that end a line.
    """

    def __init__(self, limit: int = LINE_LIMIT, ends: bytes = b"\n") -> None:
        self._limit = limit
        self._cut = re.compile(b"[" + re.escape(ends) + b"]") if len(ends) > 1 else None
        self._end = ends
        self._parts: list[bytes] = []
        self._size = 0
        self._dropped: tuple[bytes, bytes, int] | None = None

    def feed(self, data: bytes) -> list[bytes | Oversize]:
        """Take in `data`; return the lines that it completed, without their ends."""
        pieces = self._cut.split(data) if self._cut else data.split(self._end)
        rest = pieces.pop()
        lines: list[bytes | Oversize] = []
        for piece in pieces:
            self._append(piece)
            lines.append(self._take())
        self._append(rest)
        return lines

    def flush(self) -> list[bytes | Oversize]:
        """Return the unfinished last line, if there is one."""
        return [self._take()] if self._size or self._dropped else []

    def _append(self, piece: bytes) -> None:
        if not piece:
            return
        if self._dropped:
            head, tail, size = self._dropped
            self._dropped = (head, (tail + piece)[-_EDGE:], size + len(piece))
            return
        self._parts.append(piece)
        self._size += len(piece)
        if self._size > self._limit:
            whole = b"".join(self._parts)
            self._dropped = (whole[:_EDGE], whole[-_EDGE:], self._size)
            self._parts, self._size = [], 0

    def _take(self) -> bytes | Oversize:
        if self._dropped:
            line: bytes | Oversize = Oversize(*self._dropped)
            self._dropped = None
        else:
            line = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
            self._parts, self._size = [], 0
        return line


@dataclass
class Parsed:
    """What one line held."""

    frames: list[Frame] = field(default_factory=list)
    noise: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    #: A frame that nests deeper than can be read.
    too_deep: Oversize | None = None


def is_frame(value: Any) -> bool:
    """Whether `value` is a JSON-RPC 2.0 message by its shape."""
    return isinstance(value, dict) and value.get("jsonrpc") == "2.0"


def parse_line(line: bytes) -> Parsed:
    """Find the JSON-RPC frames of one line of stdout.

    Text before, between and after them is noise: banners glued to a frame cost nothing. Bytes that are
    not UTF-8 become U+FFFD and numbers that JSON does not have become null, each with a warning. A line
    that is JSON but no frame (a structured log) is noise as a whole.
    """
    parsed = Parsed()
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("utf-8", "replace")
        parsed.warnings.append("the server wrote bytes that are not UTF-8; they were replaced by U+FFFD")
    text = text.strip().lstrip("\ufeff")
    if not text:
        return parsed
    decoder = _Decoder()
    if text[0] in "{[":
        try:
            value = decoder.decode(text)
        except RecursionError:
            parsed.too_deep = Oversize.of(text.encode("utf-8", "replace"))
            return parsed
        except ValueError:
            pass  # noise, or a frame with something glued to it
        else:
            found = value if isinstance(value, list) else [value]
            if found and all(is_frame(each) for each in found):
                parsed.frames = found
            else:
                parsed.noise.append(text[:NOISE_LIMIT])
            return _mend(parsed, decoder, text)
    _scan(text, decoder, parsed)
    return _mend(parsed, decoder, text)


def _mend(parsed: Parsed, decoder: _Decoder, text: str) -> Parsed:
    if decoder.replaced:
        parsed.warnings.append(not_numbers(decoder.replaced))
    if "\\ud" in text or "\\uD" in text:  # half a character would break every later encoding
        parsed.frames = [whole_characters(frame) for frame in parsed.frames]
    return parsed


def whole_characters(value: Any) -> Any:
    """`value` with U+FFFD for each half of a character that stands alone."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [whole_characters(each) for each in value]
    if isinstance(value, dict):
        return {whole_characters(key): whole_characters(each) for key, each in value.items()}
    return value


def _scan(text: str, decoder: _Decoder, parsed: Parsed) -> None:
    told = position = 0
    for _ in range(_MOST_CANDIDATES):
        start = _FRAME_START.search(text, position)
        if start is None:
            break
        try:
            value, end = decoder.raw_decode(text, start.start())
        except RecursionError:
            parsed.too_deep = Oversize.of(text[start.start() :].encode("utf-8", "replace"))
            _noise(parsed, text[told : start.start()])
            return
        except ValueError:
            position = start.end()
            continue
        if is_frame(value):
            _noise(parsed, text[told : start.start()])
            parsed.frames.append(value)
            told = end
        position = end
    _noise(parsed, text[told:])


def _noise(parsed: Parsed, text: str) -> None:
    if text := text.strip():
        parsed.noise.append(text[:NOISE_LIMIT])


class _Decoder(json.JSONDecoder):
    """A JSON decoder for which NaN, Infinity and overflowing numbers are null, and that counts them."""

    def __init__(self) -> None:
        self.replaced = 0
        super().__init__(parse_constant=self._null, parse_float=self._float)

    def _null(self, _name: str) -> None:
        self.replaced += 1

    def _float(self, digits: str) -> float | None:
        value = float(digits)
        if math.isfinite(value):
            return value
        self.replaced += 1
        return None


def not_numbers(count: int) -> str:
    """Return the warning for `count` replaced numbers."""
    return f"the server sent {count} NaN or infinite number(s), which JSON does not have; replaced by null"


def make_json(value: Any) -> int:
    """Replace non-finite numbers inside `value` by None, in place; return how many there were."""
    replaced = 0
    stack: list[Any] = [value]
    while stack:
        node = stack.pop()
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, each in items:
            if isinstance(each, float):
                if not math.isfinite(each):
                    node[key] = None  # replacing a value does not disturb the iteration
                    replaced += 1
            elif isinstance(each, (dict, list)):
                stack.append(each)
    return replaced


def encode(frame: Frame) -> bytes:
    """Serialise a frame as one line, UTF-8, without its line end."""
    try:
        text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        make_json(frame)
        text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace")
