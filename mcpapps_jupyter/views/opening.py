"""What the front end gets to build a frame, and what it answers ``ui/initialize`` with. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mcpapps_jupyter.catalogue import Tool
from mcpapps_jupyter.views.page import Page
from mcpapps_jupyter.views.rpc import finite
from mcpapps_jupyter.views.settings import PageSettings

#: The version of the MCP Apps protocol that we speak to pages.
PROTOCOL_VERSION = "2026-01-26"


def opening(
    key: str,
    tool: Tool | None,
    page: Page,
    permissions: Iterable[str],
    settings: PageSettings,
    offered: Mapping[str, Any],
    *,
    samples: bool = False,
) -> dict[str, Any]:
    """The ``open`` envelope's message.

    Parameters
    ----------
    key, tool
        The call that the page belongs to; no tool for a bare resource.
    page, permissions
        What is shown, and what it may use of the browser.
    offered
        What the server can do (its MCP capabilities).
    samples
        Whether the user has set a model.
    """
    permissions = tuple(permissions)
    return {
        "page": page.wire(permissions),
        "protocolVersion": PROTOCOL_VERSION,
        "hostInfo": {"name": "mcpapps_jupyter", "version": settings.host_version},
        "hostCapabilities": {
            **_capabilities(page, permissions, offered),
            **({"sampling": {}} if samples else {}),
        },
        "toolInfo": finite({"id": key, "tool": dict(tool.raw)}) if tool is not None else None,
        "limits": settings.rates.wire(),
    }


def _capabilities(page: Page, permissions: Iterable[str], offered: Mapping[str, Any]) -> dict[str, Any]:
    """What works here, and nothing else (``hostCapabilities``)."""
    blocks: dict[str, Any] = {"text": {}, "image": {}, "resource": {}, "resourceLink": {}}
    return {
        "openLinks": {},
        "downloadFile": {},
        "logging": {},
        **({"serverTools": _list_changed(offered["tools"])} if "tools" in offered else {}),
        **({"serverResources": _list_changed(offered["resources"])} if "resources" in offered else {}),
        "updateModelContext": {**blocks, "structuredContent": {}},
        "message": blocks,
        "sandbox": {"permissions": {name: {} for name in permissions}, "csp": page.csp},
    }


def _list_changed(offered: Any) -> dict[str, bool]:
    """Whether the server says when its list changes, as far as it declares that."""
    return {"listChanged": True} if isinstance(offered, Mapping) and offered.get("listChanged") else {}
