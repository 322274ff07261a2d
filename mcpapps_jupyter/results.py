"""What a server answered, as Python values that show themselves well in a notebook.

Every result keeps the server's answer as it came (``raw``): the SDK's models drop vendor keys
and nulls, which pages rely on.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mcpapps_jupyter import html
from mcpapps_jupyter.errors import McpAppsError, ToolFailed
from mcpapps_jupyter.redact import clean_line, shortened

if TYPE_CHECKING:
    import pandas

#: What a saved notebook keeps of one result, in characters of HTML: of its images, and of everything else.
_LARGEST_SAVED_IMAGE = 400_000
_LONGEST_SAVED = 6_000
_MOST_SAVED_IMAGES = 10
_LONGEST_REASON = 4_000


def block_text(block: Mapping[str, Any]) -> str:
    """One content block in words: text as it is, everything else as a short description."""
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text", ""))
    if kind in ("image", "audio"):
        size = len(str(block.get("data", ""))) * 3 // 4
        return f"[{kind} {block.get('mimeType', 'of unknown type')}, {size:,} bytes]"
    if kind == "resource_link":
        return f"[link {block.get('name') or block.get('uri')}: {block.get('uri')}]"
    if kind == "resource":
        resource = block.get("resource")
        resource = resource if isinstance(resource, Mapping) else {}
        return str(resource["text"]) if "text" in resource else f"[resource {resource.get('uri')}]"
    return json.dumps(dict(block), ensure_ascii=False, default=str)


#: Spellings of other languages' libraries, and MCP's.
_ODD_KEYS = {"mime_type": "mimeType", "meta": "_meta"}


def odd_spellings(raw: Mapping[str, Any]) -> list[str]:
    """Keys in a result's content that MCP spells in another way, so that nobody reads them; one line each."""
    content = raw.get("content")
    found = []
    for at, block in enumerate(content if isinstance(content, list) else ()):
        resource = block.get("resource") if isinstance(block, Mapping) else None
        for where, item in ((f"content[{at}]", block), (f"content[{at}].resource", resource)):
            for odd, right in _ODD_KEYS.items():
                if isinstance(item, Mapping) and odd in item and right not in item:
                    found.append(f"{where} has '{odd}', which MCP spells '{right}'")
    return found


def _block_html(block: Mapping[str, Any]) -> str:
    if block.get("type") == "image":
        drawn = html.image(block)
        if drawn:
            return drawn
    return html.preformatted(block_text(block))


class ToolResult:
    """The answer to one ``tools/call`` (MCP ``CallToolResult``).

    Attributes
    ----------
    raw
        The answer as the server sent it, equal as parsed JSON.
    app_id, tool
        Who answered.
    hint
        Of a failed call: what the server wrote to its stderr meanwhile.
    """

    def __init__(self, raw: Mapping[str, Any], *, app_id: str, tool: str, hint: str = "") -> None:
        self.raw = dict(raw)
        self.app_id = app_id
        self.tool = tool
        self.hint = hint

    @property
    def content(self) -> list[dict[str, Any]]:
        """The content blocks."""
        blocks = self.raw.get("content")
        if not isinstance(blocks, Sequence) or isinstance(blocks, str):
            return []
        return [dict(block) for block in blocks if isinstance(block, Mapping)]

    @property
    def structured(self) -> Any:
        """``structuredContent`` as the server sent it, or None."""
        return self.raw.get("structuredContent")

    @property
    def meta(self) -> dict[str, Any]:
        """The result's ``_meta``: for the page, never for a model, never shown."""
        meta = self.raw.get("_meta")
        return dict(meta) if isinstance(meta, Mapping) else {}

    @property
    def is_error(self) -> bool:
        """Whether the tool says that it failed."""
        return bool(self.raw.get("isError"))

    @property
    def text(self) -> str:
        """Every text block, joined by a blank line."""
        return "\n\n".join(block_text(block) for block in self.content if block.get("type") == "text")

    @property
    def data(self) -> Any:
        """The value: structured content (unwrapped from a sole ``result``), else the text (JSON if it is)."""
        structured = self.structured
        if structured is not None:
            if isinstance(structured, Mapping) and list(structured) == ["result"]:
                return structured["result"]
            return structured
        text = self.text
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text

    def raise_for_error(self) -> ToolResult:
        """Return the result itself, or raise when the tool failed.

        Raises
        ------
        ToolFailed
            With the tool's own words.
        """
        if self.is_error:
            raise ToolFailed(f"{self.app_id} {self.tool}: {clean_line(self._reason())}")
        return self

    def _reason(self) -> str:
        """Why the call failed, with what the server's stderr adds."""
        words = self.text or "the tool failed and gave no reason"
        return f"{words} — {self.hint}" if self.hint else words

    def to_pandas(self, key: str | None = None) -> pandas.DataFrame:
        """The tabular data as a DataFrame: one row an object.

        Parameters
        ----------
        key
            Which list of objects to take, where the data has several.

        Raises
        ------
        McpAppsError
            pandas is not installed, or there is no (or more than one) list of objects.
        """
        try:
            import pandas
        except ImportError:
            message = "to_pandas() needs pandas: pip install 'mcpapps-jupyter[pandas]'"
            raise McpAppsError(message) from None
        return pandas.DataFrame(self._records(key))

    def _records(self, key: str | None) -> list[dict[str, Any]]:
        self.raise_for_error()
        data = self.data
        if key is None:
            rows = html.records(data)
            if rows is not None:
                return rows
            if isinstance(data, Sequence) and not isinstance(data, str) and not data:
                return []
        tables = html.record_lists(data)
        if key is not None:
            if isinstance(data, Mapping) and data.get(key) == []:
                return []
            if key not in tables:
                message = f"There is no list of objects under {key!r}; there is {_names(tables)}."
                raise McpAppsError(message)
            return tables[key]
        if len(tables) == 1:
            return next(iter(tables.values()))
        if isinstance(data, Mapping) and not tables:
            empty = [name for name, entry in data.items() if entry == []]
            if len(empty) == 1:
                return []
        if tables:
            raise McpAppsError(
                f"{self.tool} gives several lists; pick one, to_pandas(key): {_names(tables)}."
            )
        if (
            isinstance(data, Mapping)
            and data
            and not any(isinstance(each, Mapping | list) for each in data.values())
        ):
            return [dict(data)]  # one object is a table of one row
        raise McpAppsError(f"The result of {self.tool} is no list of objects, so there is no table in it.")

    def __repr__(self) -> str:
        parts = [block_text(block) for block in self.content]
        body = "\n\n".join(part for part in parts if part)
        if not body and self.structured is not None:
            body = json.dumps(self.structured, indent=2, ensure_ascii=False, default=str)
        if self.is_error:
            return f"Error from {self.app_id} {self.tool}: {self._reason()}"
        return body or f"<empty result of {self.app_id} {self.tool}>"

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self, *, brief: bool = False) -> str:
        """The result as static HTML: a table when it is tabular, an image when it is one.

        Parameters
        ----------
        brief
            For a saved notebook: the tool's own words first, only the beginning of each table, a few
            thousand characters in all, and no image that is larger than `_LARGEST_SAVED_IMAGE`.
        """
        if brief and not self.is_error:
            return self._brief_html()
        images = [_block_html(block) for block in self.content if block.get("type") == "image"]
        if self.is_error:
            note = html.escape(shortened(self._reason(), _LONGEST_REASON))
            colour = "color:var(--jp-error-color1,#b71c1c)"
            return f'<div style="{colour}"><b>{html.escape(self.tool)} failed</b>: {note}</div>'
        data = self.data
        if self._is_data(data):
            return "".join(images) + html.structured(data)
        shown = "".join(_block_html(block) for block in self.content)
        return shown or "<i>empty result</i>"

    def _is_data(self, data: Any) -> bool:
        """Whether the value says more than the blocks."""
        return self.structured is not None or bool(html.records(data) or html.record_lists(data))

    def _brief_html(self) -> str:
        room = _LARGEST_SAVED_IMAGE
        images = []
        for block in self.content:
            if block.get("type") == "image":
                drawn = _block_html(block)
                room -= len(drawn)
                images.append(drawn if room >= 0 else html.preformatted(block_text(block)))
        data = self.data
        if self._is_data(data):
            words = self.text if self.structured is not None else ""
            said = html.preformatted(words, limit=600) if words and not words.startswith(("{", "[")) else ""
            rest = said + html.structured(data, brief=True)
        else:
            others = [block for block in self.content if block.get("type") != "image"]
            rest = "".join(_block_html(block) for block in others)
        if len(rest) > _LONGEST_SAVED:
            rest = html.preformatted(self.text or html.cell_text(data), limit=_LONGEST_SAVED // 4)
        return "".join(images[:_MOST_SAVED_IMAGES]) + rest or "<i>empty result</i>"


def _names(tables: Mapping[str, Any]) -> str:
    return ", ".join(repr(name) for name in tables) or "none"


class ReadResult:
    """The answer to one ``resources/read`` (MCP ``ReadResourceResult``)."""

    def __init__(self, raw: Mapping[str, Any], *, app_id: str, uri: str) -> None:
        self.raw = dict(raw)
        self.app_id = app_id
        self.uri = uri

    @property
    def contents(self) -> list[dict[str, Any]]:
        """The content items."""
        items = self.raw.get("contents")
        if not isinstance(items, Sequence) or isinstance(items, str):
            return []
        return [dict(item) for item in items if isinstance(item, Mapping)]

    @property
    def mime_type(self) -> str | None:
        """The first item's MIME type."""
        return next((item.get("mimeType") for item in self.contents), None)

    @property
    def text(self) -> str:
        """The text of every text item, joined by a blank line."""
        return "\n\n".join(str(item["text"]) for item in self.contents if "text" in item)

    @property
    def blob(self) -> bytes | None:
        """The first binary item, decoded, or None.

        Raises
        ------
        McpAppsError
            The server sent broken base64.
        """
        for item in self.contents:
            if isinstance(item.get("blob"), str):
                try:
                    return base64.b64decode(item["blob"], validate=True)
                except binascii.Error:
                    message = f"{self.uri}: the server sent broken base64"
                    raise McpAppsError(message) from None
        return None

    @property
    def data(self) -> Any:
        """The text as JSON where it is JSON, else the text, else the bytes."""
        text = self.text
        if not text:
            return self.blob
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text

    def __repr__(self) -> str:
        if self.text:
            return (
                self.text
                if len(self.text) <= 2000
                else self.text[:2000] + f"… ({len(self.text):,} characters)"
            )
        blob = self.blob
        return f"<{self.uri}: {self.mime_type or 'unknown type'}, {len(blob or b''):,} bytes>"


class PromptResult:
    """The answer to one ``prompts/get`` (MCP ``GetPromptResult``)."""

    def __init__(self, raw: Mapping[str, Any], *, app_id: str, name: str) -> None:
        self.raw = dict(raw)
        self.app_id = app_id
        self.name = name

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The prompt's messages, each ``{"role", "content"}``."""
        items = self.raw.get("messages")
        return [dict(item) for item in items] if isinstance(items, list) else []

    @property
    def text(self) -> str:
        """Every message in words, after its role."""
        lines = []
        for message in self.messages:
            content = message.get("content")
            blocks = content if isinstance(content, list) else [content]
            words = "\n".join(block_text(block) for block in blocks if isinstance(block, Mapping))
            lines.append(f"{message.get('role', '?')}: {words}")
        return "\n\n".join(lines)

    def __repr__(self) -> str:
        return self.text or f"<empty prompt {self.name}>"
