# ruff: noqa: N803  (parameter names are the variables of the URI templates)
"""Resources to read: the chain at a glance, one store, one product. All JSON."""

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from . import reports, uris
from .errors import NotFoundError
from .service import GroceryService

JSON = "application/json"


def register_resources(server: MCPServer, service: GroceryService) -> None:
    """Add the resource and the templates to `server`."""

    @server.resource(uris.CHAIN_SUMMARY, name="chain-summary", title="All stores at a glance", mime_type=JSON)
    def chain_summary() -> str:
        """Key figures of the chain and of each store."""
        return reports.chain_summary(service).model_dump_json(indent=2)

    @server.resource(uris.STORE_SUMMARY, name="store-summary", title="One store at a glance", mime_type=JSON)
    def store_summary(storeId: str) -> str:
        """Key figures of a store, by category, with its low stock."""
        try:
            return reports.store_summary(service, _number(storeId, "store")).model_dump_json(indent=2)
        except NotFoundError as error:
            raise ResourceNotFoundError(str(error)) from error

    @server.resource(uris.PRODUCT_DETAILS, name="product-details", title="One product", mime_type=JSON)
    def product_details(productId: str) -> str:
        """Where a product comes from and where it is."""
        try:
            return reports.product_details(service, _number(productId, "product")).model_dump_json(indent=2)
        except NotFoundError as error:
            raise ResourceNotFoundError(str(error)) from error


def _number(text: str, noun: str) -> int:
    if not text.isdecimal():
        raise NotFoundError(f"There is no {noun} {text!r}: ids are whole numbers.")
    return int(text)
