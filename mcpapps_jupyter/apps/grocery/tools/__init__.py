"""The app's tools, by what they do to the stock. The one that opens the page is in `dashboard.py`."""

from mcp.server.mcpserver import MCPServer

from ..service import GroceryService
from ..updates import Updates
from . import changing, reading, restock, review, transfer

__all__ = ["register_tools"]


def register_tools(server: MCPServer, service: GroceryService, updates: Updates) -> None:
    """Add every tool to `server`."""
    reading.register(server, service)
    changing.register(server, service, updates)
    restock.register(server, service, updates)
    transfer.register(server, service, updates)
    review.register(server, service, updates)
