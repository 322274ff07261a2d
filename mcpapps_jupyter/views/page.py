"""From a ``ui://`` address to what the front end needs to build the frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mcpapps_jupyter.app import App
from mcpapps_jupyter.csp import build_policy, granted
from mcpapps_jupyter.errors import NoPage, ProtocolFailure
from mcpapps_jupyter.ui_meta import page_html, page_meta
from mcpapps_jupyter.views.permissions import ALLOW_TOKENS


@dataclass(frozen=True)
class Page:
    """An app's page, ready to be framed.

    Attributes
    ----------
    html
        The app's own document, untouched.
    policy
        The whole Content Security Policy of the frame.
    csp, csp_asked
        The origins that it gets of those that the app asked for (``hostCapabilities.sandbox``).
    permissions_asked
        Browser permissions that the app asked for; who gets them is a matter of the view.
    prefers_border
        The app's wish, or None.
    size
        Bytes of the document.
    """

    html: str
    policy: str
    csp: Mapping[str, list[str]]
    csp_asked: Mapping[str, list[str]]
    permissions_asked: frozenset[str]
    prefers_border: bool | None
    size: int

    def wire(self, permissions: Iterable[str]) -> dict[str, Any]:
        """The ``page`` member of the ``open`` envelope, with the `permissions` that were granted."""
        return {
            "html": self.html,
            "csp": self.policy,
            "allow": "; ".join(ALLOW_TOKENS[name] for name in permissions),
            "prefersBorder": self.prefers_border,
        }


async def load_page(app: App, uri: str, *, max_bytes: int) -> Page:
    """Fetch and read the page; on the session loop.

    It is read even when ``resources/list`` does not have it, and kept until the server says that
    its resources changed or starts anew.

    Raises
    ------
    NoPage
        With the reason and the next step.
    """
    connection = app.connection()
    pages = connection.pages
    kept = pages.get(uri)
    if isinstance(kept, Page):
        return kept
    try:
        raw = await connection.request("resources/read", {"uri": uri})
    except ProtocolFailure as error:
        raise NoPage(f"The server gives no page at {uri}: {error}") from None
    contents = raw.get("contents")
    items = [item for item in contents if isinstance(item, Mapping)] if isinstance(contents, list) else []
    if not items:
        raise NoPage(f"The server's answer for {uri} is empty.")
    item = next((item for item in items if item.get("uri") == uri), items[0])
    html = page_html(item)
    size = len(html.encode("utf-8", "replace"))
    if size > max_bytes:
        raise NoPage(
            f"The page at {uri} has {size:,} bytes; the limit is {max_bytes:,}. "
            f"Raise it with: %config McpApps.max_resource_bytes = {size}"
        )

    def warn(text: str) -> None:
        app.log.add("host", f"{uri}: {text}", "warning")

    meta = page_meta(item, connection.catalogue.resource(uri), warn)
    if meta.domain is not None:
        warn(f"asks for an origin of its own ({meta.domain!r}), which is not there; shown without one")
    page = Page(
        html,
        build_policy(meta.csp),
        granted(meta.csp, warn),
        meta.csp,
        meta.permissions,
        meta.prefers_border,
        size,
    )
    pages[uri] = page
    return page
