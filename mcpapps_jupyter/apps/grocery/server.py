"""The MCP server of the grocery app, put together from its parts.

A server of your own can look just like this: a service that knows nothing of MCP, an `Apps` extension with
the page and the tool that opens it, and one `register_…` call for each other kind of thing.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from mcp.server.mcpserver import MCPServer

from .completions import register_completions
from .dashboard import create_apps, register_page_tools
from .plain_words import plain_words
from .prompts import register_prompts
from .resources import register_resources
from .rest import register_rest
from .service import GroceryService
from .tools import register_tools
from .updates import Updates

INSTRUCTIONS = (
    "Stock of a small grocery chain. Quantities are whole units of the product, prices US dollars. "
    "Look with get_* first: the other tools take the ids that those list."
)


def create_server(service: GroceryService | None = None) -> MCPServer:
    """Build a fresh server.

    Parameters
    ----------
    service
        The stock to work on. Left out, the server gets one of its own, with the opening data.
    """
    service = service or GroceryService()
    updates = Updates()
    with _root_logger_untouched():
        server = MCPServer(
            "grocery-inventory",
            title="Grocery Inventory",
            version="1.0.0",
            instructions=INSTRUCTIONS,
            extensions=[create_apps(service)],
            middleware=[plain_words],
        )
    updates.serve(server)
    register_page_tools(server, service)
    register_tools(server, service, updates)
    register_resources(server, service)
    register_prompts(server, service)
    register_completions(server, service)
    register_rest(server, service)
    return server


@contextmanager
def _root_logger_untouched() -> Iterator[None]:
    """Keep `MCPServer` from configuring the root logger: inside a notebook that would print into cells.

    `logging.basicConfig`, which it calls, does nothing when the root logger has a handler.
    """
    placeholder = logging.NullHandler()
    logging.getLogger().addHandler(placeholder)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(placeholder)
