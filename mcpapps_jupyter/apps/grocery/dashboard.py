# ruff: noqa: N803  (parameter names are the tool's argument names on the wire)
"""The app's page and the tool that opens it."""

from importlib.resources import files
from typing import Annotated

from mcp.server.apps import Apps
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from . import uris
from .models import Dashboard
from .service import GroceryService
from .tools.replies import reply


def create_apps(service: GroceryService) -> Apps:
    """The MCP Apps extension of the server: one page, and one tool that a host shows with it."""
    apps = Apps()
    apps.add_html_resource(
        uris.DASHBOARD,
        files(__package__).joinpath("dashboard.html").read_text(encoding="utf-8"),
        name="store-dashboard",
        title="Store inventory dashboard",
        description="Stock of all stores: figures, chart, and a table to search, sort and correct.",
        prefers_border=False,
    )

    @apps.tool(
        resource_uri=uris.DASHBOARD,
        title="Store inventory dashboard",
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
        # Hosts from before the nested key look for this one.
        meta={"ui/resourceUri": uris.DASHBOARD},
    )
    def show_store_inventory_dashboard(
        storeId: Annotated[
            int | None, Field(description="Start with this store selected; all stores if left out")
        ] = None,
    ) -> Annotated[CallToolResult, Dashboard]:
        """Show the interactive inventory dashboard, for one store or for all."""
        view = service.dashboard(storeId)
        where = service.store(storeId).name if storeId is not None else f"{len(view.stores)} stores"
        return reply(
            view,
            f"Inventory dashboard of {where}: {view.totals.rows} products on the shelves worth "
            f"${view.totals.stock_value:,.2f}, {view.totals.low} low and {view.totals.out} out of stock.",
        )

    return apps
