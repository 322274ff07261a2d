"""The same stock over plain HTTP, for programs that do not speak MCP: `GET /api/…` beside `/mcp`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mcp.server.mcpserver import MCPServer
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from .errors import NotFoundError
from .models import Wire
from .service import GroceryService


class _QueryError(ValueError):
    """A query string that nothing can be made of."""


def register_rest(server: MCPServer, service: GroceryService) -> None:
    """Add the routes to `server`. They are served by its HTTP transport only."""
    catalogue = service.catalogue

    def serve(name: str, read: Callable[..., Sequence[Wire]], *filters: str) -> None:
        """Serve `GET /api/{name}`: the rows of `read`, which takes the values of `filters` in their order."""

        @server.custom_route(f"/api/{name}", methods=["GET"])  # type: ignore[untyped-decorator]
        async def answer(request: Request) -> Response:
            try:
                rows = read(*_numbers(request, filters))
            except _QueryError as error:
                return JSONResponse({"error": str(error)}, status_code=400)
            except NotFoundError as error:
                return JSONResponse({"error": str(error)}, status_code=404)
            return JSONResponse([row.model_dump(mode="json") for row in rows])

    serve("categories", catalogue.categories, "id")
    serve("products", catalogue.products, "id", "categoryId", "supplierId")
    serve("suppliers", catalogue.suppliers, "id")
    serve("stores", catalogue.stores, "id")
    serve("inventory", service.inventory, "storeId", "productId")


def _numbers(request: Request, filters: Sequence[str]) -> list[int | None]:
    unknown = [key for key in request.query_params if key not in filters]
    if unknown:
        raise _QueryError(f"Unknown filter {unknown[0]!r}. Known are: {', '.join(filters)}.")
    values: list[int | None] = []
    for key in filters:
        text = request.query_params.get(key, "")
        if text and not text.isdecimal():
            raise _QueryError(f"{key} must be a whole number, not {text!r}.")
        values.append(int(text) if text else None)
    return values
