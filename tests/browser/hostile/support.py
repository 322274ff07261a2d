"""The hostile page, and cells that add apps with pages like it."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent
ATTACKS = (_HERE / "attacks.js").read_text().replace("</script", "<\\/script")
#: A page without any library that believes every message; the widget's own tests have it too.
PAGE = (_HERE.parents[1] / "widget" / "page.html").read_text()


def page(title: str, script: str = "", first: str = "") -> str:
    """Write the page under a title, with `script` as its last one and `first` before all others."""
    html = PAGE.replace("<title>A page", f"<script>{first}</script><title>{title}")
    return html.replace("</body>", f"<script>{script}</script></body>")


HOSTILE = page("hostile", ATTACKS)


def adding(app_id: str, html: str, **ui: object) -> str:
    """Write a cell that adds an app with such a page; its tools are ``show``, ``count`` and ``destroy``."""
    return f"""
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

def make(app_id, html, ui):
    server = MCPServer(app_id)
    calls = counts.setdefault(app_id, [])

    @server.tool(meta={{"ui": {{"resourceUri": f"ui://{{app_id}}/page"}}}})
    def show() -> str:
        return app_id

    @server.tool()
    def count(by: str = "") -> int:
        calls.append(by)
        return len(calls)

    @server.tool(annotations=ToolAnnotations(destructive_hint=True))
    def destroy() -> str:
        calls.append("destroyed")
        return "destroyed"

    @server.resource(f"ui://{{app_id}}/page", mime_type="text/html;profile=mcp-app", meta={{"ui": ui}})
    def page() -> str:
        return html

    host.add(server, id=app_id)

counts = globals().setdefault("counts", {{}})
make({app_id!r}, {html!r}, {ui!r})
"""
