# ruff: noqa: N803  (parameter names are the tools' argument names on the wire)
"""The app's page, the tool that opens it, and the tool with which the page keeps up."""

from importlib.resources import files
from typing import Annotated

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from . import reports, uris
from .models import Changes, Dashboard
from .service import GroceryService
from .tools.reading import READ_ONLY
from .tools.replies import reply
from .wording import counted

StartStore = Annotated[int | None, Field(description="The store to start with; all of them if left out")]


def create_apps(service: GroceryService) -> Apps:
    """Make the MCP Apps extension of the server: one page, and the tool that a host shows it for."""
    apps = Apps()
    apps.add_html_resource(
        uris.DASHBOARD,
        files(__package__).joinpath("dashboard.html").read_text(encoding="utf-8"),
        name="store-dashboard",
        title="Store inventory dashboard",
        description="Key figures, a chart, and a table to search, sort, correct and order from.",
        prefers_border=False,
    )

    @apps.tool(
        resource_uri=uris.DASHBOARD,
        title="Store inventory dashboard",
        annotations=READ_ONLY,
        meta={"ui/resourceUri": uris.DASHBOARD},  # for hosts from before the nested key
    )
    def show_store_inventory_dashboard(storeId: StartStore = None) -> Annotated[CallToolResult, Dashboard]:
        """Show the interactive inventory dashboard, for one store or for all."""
        view = reports.dashboard(service, storeId)
        sums = view.totals
        where = f"all {len(view.stores)} stores" if storeId is None else service.catalogue.store(storeId).name
        return reply(
            view,
            f"Inventory dashboard of {where}: {counted(sums.rows, 'item')} worth ${sums.stock_value:,.2f}, "
            f"{sums.low} low, {sums.out} of them out of stock.",
        )

    return apps


def register_page_tools(server: MCPServer, service: GroceryService) -> None:
    """Add the tool that only the page calls."""

    # Visible to the app only: a model has no use for it, and hosts keep it out of the model's list.
    @server.tool(title="Changes", annotations=READ_ONLY, meta={"ui": {"visibility": ["app"]}})
    def get_inventory_changes(
        sinceRevision: Annotated[int, Field(description="The revision that the page shows")],
    ) -> Annotated[CallToolResult, Changes]:
        """List the rows that changed since a revision: little to send, so it can be asked often."""
        revision, rows = service.changed_since(sinceRevision)
        return reply(
            Changes(revision=revision, rows=rows),
            f"{counted(len(rows), 'row')} changed up to revision {revision}",
        )
