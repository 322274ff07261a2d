"""The MCP server of the grocery app, put together from its parts.

A server of your own can look just like this: a service that knows nothing of MCP, an `Apps` extension with the page and the
tool that opens it, and one `register_…` call for each other kind of thing.
"""

from mcp.server.mcpserver import MCPServer

from .changes import Changes
from .dashboard import create_apps
from .service import GroceryService
from .tools import register_tools

INSTRUCTIONS = (
    "Stock of a small grocery chain. Quantities are whole units of the product. "
    "Look with get_* first: the other tools take the ids that those list."
)


def create_server(service: GroceryService | None = None) -> MCPServer:
    """A fresh server.

    Parameters
    ----------
    service
        The stock to work on; a new one with the opening data if left out. Two servers given the same one share it.
    """
    service = service or GroceryService()
    changes = Changes()
    server = MCPServer(
        "grocery-inventory",
        title="Grocery Inventory",
        version="1.0.0",
        instructions=INSTRUCTIONS,
        extensions=[create_apps(service)],
        log_level="WARNING",
    )
    register_tools(server, service, changes)
    return server
