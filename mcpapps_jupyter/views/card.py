"""The static card: what an opened app leaves where no page can live.

It is the second output of an open, hidden by one CSS rule while the page lives and readable in
every reader: plain text and self-contained HTML of the tool's result. Nothing of the app's own
HTML, no ``_meta``, no secrets, the same text at every run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from mcpapps_jupyter import html
from mcpapps_jupyter.redact import clean_line, shortened
from mcpapps_jupyter.results import ToolResult

_MAX_TEXT = 3000
_STYLE = (
    "border:1px solid var(--jp-border-color2,#d0d0d0);border-radius:4px;padding:8px 12px;"
    "max-width:100%;overflow:auto;font-family:var(--jp-ui-font-family,system-ui,sans-serif);font-size:13px"
)


def heading(name: str, tool: str | None, arguments: Mapping[str, Any]) -> str:
    """``Grocery inventory · show_dashboard(storeId=1)``."""
    if tool is None:
        return clean_line(name, 120)
    words = ", ".join(
        f"{key}={json.dumps(value, ensure_ascii=False, default=str)}" for key, value in arguments.items()
    )
    return clean_line(f"{name} · {tool}({words})", 200)


def card(
    name: str,
    tool: str | None,
    arguments: Mapping[str, Any],
    result: ToolResult | None,
    note: str | None,
    hide: Callable[[str], str],
    *,
    frozen: bool = False,
    advice: str = "",
) -> dict[str, str]:
    """The card's mimebundle.

    Parameters
    ----------
    name, tool, arguments
        What was opened.
    result
        What the tool answered, if it is there.
    note
        What to say in its place.
    hide
        Masks the app's secrets.
    frozen
        Whether it is all that is left of the page.
    advice
        What to do so that the page is shown.
    """
    title = heading(name, tool, arguments)
    if result is not None:
        text, body = repr(result), result.to_html(brief=True)
    else:
        text = note or "Run the cell to open the app."
        body = f"<p>{html.escape(text)}</p>"
    text = shortened(text, _MAX_TEXT)
    end = "A static copy of the result" if frozen else "The interactive page needs a running kernel"
    first = f"<p><b>{html.escape(advice)}</b></p>" if advice else ""
    text = f"{advice}\n{text}" if advice else text
    page = (
        f'<div class="mcpapp-card" style="{_STYLE}"><div><b>{html.escape(title)}</b></div>{first}{body}'
        f'<div style="opacity:.7"><small>{end}: run the cell to open the app.</small></div></div>'
    )
    return {"text/plain": hide(f"{title}\n{text}"), "text/html": hide(page)}
