"""The app's tools, by what they do to the stock."""

from mcp.server.mcpserver import MCPServer

from ..changes import Changes
from ..service import GroceryService
from . import changing, reading

__all__ = ["register_tools"]


def register_tools(server: MCPServer, service: GroceryService, changes: Changes) -> None:
    """Add every tool that is not bound to the page (see `dashboard.py` for that one)."""
    reading.register(server, service)
    changing.register(server, service, changes)
