"""Small pieces of static, self-contained HTML: tables, images, text. No scripts, no remote parts.

Everything here ends in saved notebooks and is read by strangers, so every value is escaped,
only raster ``data:`` images are drawn and nothing is ever fetched.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any

from mcpapps_jupyter.redact import shortened

_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_MAX_ROWS = 20
_MAX_TEXT = 4000
_LARGEST_ICON = 64 * 1024


def escape(value: Any) -> str:
    """`value` as text that is safe in HTML content and attributes."""
    return html.escape(str(value), quote=True)


def records(value: Any) -> list[dict[str, Any]] | None:
    """`value` as a list of flat-keyed objects, or None where it is no table."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes) and value:
        rows = [dict(row) for row in value if isinstance(row, Mapping)]
        return rows if len(rows) == len(value) else None
    return None


def record_lists(value: Any) -> dict[str, list[dict[str, Any]]]:
    """The entries of an object that are tables, by key."""
    if not isinstance(value, Mapping):
        return {}
    found = {str(key): records(entry) for key, entry in value.items()}
    return {key: rows for key, rows in found.items() if rows}


def columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Every key of `rows`, in order of first appearance."""
    return list(dict.fromkeys(str(key) for row in rows for key in row))


def cell_text(value: Any) -> str:
    """One table cell as text: strings as they are, everything else as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def table(rows: Sequence[Mapping[str, Any]], *, limit: int = _MAX_ROWS, width: int | None = None) -> str:
    """A plain HTML table of at most `limit` rows and `width` columns, with a note about the rest."""
    every = columns(rows)
    names = every[:width]
    texts = {name for name in names if any(isinstance(row.get(name), str) for row in rows[:limit])}
    head = "".join(_cell("th", name, left=name in texts) for name in names)
    body = "".join(
        "<tr>" + "".join(_cell("td", row.get(name), left=name in texts) for name in names) + "</tr>"
        for row in rows[:limit]
    )
    more = [
        f"{count} more {what}{'' if count == 1 else 's'}"
        for count, what in ((len(rows) - limit, "row"), (len(every) - len(names), "column"))
        if count > 0
    ]
    note = f"<p><small>… and {' and '.join(more)}</small></p>" if more else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


def _cell(tag: str, value: Any, *, left: bool) -> str:
    # Notebooks align every cell to the right; only numbers are read that way.
    style = ' style="text-align:left"' if left else ""
    return f"<{tag}{style}>{escape(cell_text(value))}</{tag}>"


def preformatted(text: str, *, limit: int = _MAX_TEXT) -> str:
    """Text in a ``<pre>`` that wraps, cut at `limit` characters."""
    return f'<pre style="white-space:pre-wrap;margin:0">{escape(shortened(text, limit))}</pre>'


def image(block: Mapping[str, Any]) -> str | None:
    """An ``<img>`` for an MCP image block, or None for a kind that is not drawn."""
    mime, data = str(block.get("mimeType", "")).lower(), block.get("data")
    if not isinstance(data, str):
        return None
    return _drawn(mime, data, style="max-width:100%", alt="image from the tool")


def icon(address: str, width: int) -> str:
    """An app's icon, `width` pixels wide, if it is a `data:` image: a saved notebook fetches nothing."""
    head, _, data = address.partition(";base64,")
    if not head.startswith("data:") or len(address) > _LARGEST_ICON:
        return ""
    return _drawn(head[5:].lower(), data, style=f"width:{width}px", alt="") or ""


def _drawn(mime: str, data: str, *, style: str, alt: str) -> str | None:
    if mime not in _IMAGES:
        return None
    return f'<img src="data:{mime};base64,{escape(data)}" style="{style}" alt="{alt}">'


def link(address: str, text: str) -> str:
    """`text`, leading to `address` where that is a web page; escaped."""
    if not address.startswith(("http://", "https://")):
        return escape(text)
    return f'<a href="{escape(address)}" target="_blank" rel="noopener noreferrer">{escape(text)}</a>'


def structured(value: Any, *, brief: bool = False) -> str:
    """Structured data as a table when it is tabular, else as indented JSON.

    Parameters
    ----------
    brief
        Ten rows and eight columns of each table, and nothing beside tables where there are any.
    """
    size: dict[str, Any] = {"limit": 10, "width": 8} if brief else {}
    rows = records(value)
    if rows:
        return table(rows, **size)
    parts = []
    if isinstance(value, Mapping) and value:
        tables = record_lists(value)
        rest = {key: entry for key, entry in value.items() if str(key) not in tables}
        if rest and not (brief and tables):
            parts.append(_pairs(rest))
        parts += [f"<p><b>{escape(key)}</b></p>{table(rows, **size)}" for key, rows in tables.items()]
        return "".join(parts)
    return preformatted(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def _pairs(value: Mapping[str, Any]) -> str:
    rows = "".join(
        f'<tr><th style="text-align:left">{escape(key)}</th>{_cell("td", entry, left=True)}</tr>'
        for key, entry in value.items()
    )
    return f"<table><tbody>{rows}</tbody></table>"
