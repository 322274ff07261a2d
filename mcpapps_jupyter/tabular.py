"""Rows of text as tables: aligned columns, static HTML, a DataFrame."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mcpapps_jupyter.errors import McpAppsError
from mcpapps_jupyter.html import escape

if TYPE_CHECKING:
    import pandas

_CELL = "text-align:left;vertical-align:top;white-space:nowrap"
_WRAPPED = "text-align:left;overflow-wrap:anywhere"


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns aligned with spaces, below a line of dashes."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def html_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    wraps: Collection[str] = (),
    styles: Sequence[str] | None = None,
) -> str:
    """A plain HTML table; every cell is escaped.

    Parameters
    ----------
    wraps
        The columns whose cells may have several lines.
    styles
        CSS of each row, by its position.
    """
    titles = "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in head)
    looks = [_WRAPPED if name in wraps else _CELL for name in head]
    body = ""
    for at, line in enumerate(rows):
        cells = "".join(
            f'<td style="{look}">{escape(cell)}</td>' for look, cell in zip(looks, line, strict=True)
        )
        style = f' style="{styles[at]}"' if styles and styles[at] else ""
        body += f"<tr{style}>{cells}</tr>"
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def data_frame(records: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pandas.DataFrame:
    """One row a record, with these columns also where there is no row.

    Raises
    ------
    McpAppsError
        pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        message = "to_pandas() needs pandas: pip install 'mcpapps-jupyter[pandas]'"
        raise McpAppsError(message) from None
    frame = pandas.DataFrame(list(records), columns=list(columns))
    if "at" in columns:
        frame["at"] = pandas.to_datetime(frame["at"], unit="s", utc=True)
    return frame


def amount(count: int, what: str) -> str:
    """``1 line``, ``1,024 lines``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def bytes_text(size: int) -> str:
    """Bytes as people read them: ``340 B``, ``1.2 kB``, ``4.3 MB``."""
    if size < 1000:
        return f"{size} B"
    for unit in ("kB", "MB"):
        value = size / (1000 if unit == "kB" else 1_000_000)
        if value < 1000:
            return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
    return f"{size / 1e9:.1f} GB"
