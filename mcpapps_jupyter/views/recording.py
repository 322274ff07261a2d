"""What is known about an open page beside its messages: the other part of a trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcpapps_jupyter.trace import Trace

if TYPE_CHECKING:
    from mcpapps_jupyter.app import App
    from mcpapps_jupyter.catalogue import Tool
    from mcpapps_jupyter.views.page import Page


@dataclass
class Recording:
    """One page, as its view learns of it.

    Attributes
    ----------
    app, tool, uri, arguments
        What is open; `tool` is None for a bare resource.
    page
        The page, once it is loaded.
    result
        The opening tool's raw result, once it is there.
    server, protocol_version
        Who serves it.
    """

    app: App | None = None
    tool: Tool | None = None
    uri: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    page: Page | None = None
    result: Mapping[str, Any] | None = None
    server: Mapping[str, Any] = field(default_factory=dict)
    protocol_version: str | None = None

    def begin(self, tool: Tool | None, uri: str) -> None:
        """The app runs and it is known what is open; on the session loop."""
        self.tool, self.uri = tool, uri
        if self.app is not None:
            connection = self.app.connection()
            self.server, self.protocol_version = dict(connection.server_info), connection.protocol_version

    @property
    def label(self) -> str:
        """The page in one word: its tool, else its address."""
        return self.tool.name if self.tool is not None else self.uri

    def trace(self, messages: Sequence[Mapping[str, Any]], *, dropped: int = 0) -> Trace:
        """Everything, with these messages."""
        return Trace(
            app=self._app(),
            uri=self.uri,
            tool=dict(self.tool.raw) if self.tool is not None else None,
            page=_page(self.page) if self.page is not None else None,
            arguments=dict(self.arguments),
            result=self.result,
            listings=self._listings(),
            messages=messages,
            dropped=dropped,
        )

    def _app(self) -> dict[str, Any]:
        if self.app is None:
            return {}
        return {
            "id": self.app.id,
            "name": self.app.name,
            "server": dict(self.server),
            "protocolVersion": self.protocol_version,
        }

    def _listings(self) -> dict[str, list[Mapping[str, Any]]]:
        if self.app is None:
            return {}
        catalogue = self.app.catalogue
        return {
            "tools": [tool.raw for tool in catalogue.tools],
            "resources": list(catalogue.resources),
            "resourceTemplates": list(catalogue.templates),
            "prompts": list(catalogue.prompts),
        }


def _page(page: Page) -> dict[str, Any]:
    ui: dict[str, Any] = {
        "csp": {key: list(origins) for key, origins in page.csp_asked.items() if origins},
        "permissions": {name: {} for name in sorted(page.permissions_asked)},
    }
    if page.prefers_border is not None:
        ui["prefersBorder"] = page.prefers_border
    return {"html": page.html, "_meta": {"ui": ui}, "policy": page.policy}
