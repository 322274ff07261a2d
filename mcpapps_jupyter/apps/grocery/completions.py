"""Completions for the arguments of prompts and resource templates."""

from collections.abc import Iterable

from mcp.server.mcpserver import MCPServer
from mcp.types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from .glossary import TERMS
from .models import Product, Store, Supplier
from .prompts import URGENCIES
from .service import GroceryService

_MOST = 100  # the protocol's limit for one answer


def register_completions(server: MCPServer, service: GroceryService) -> None:
    """Serve `completion/complete` on `server`."""
    catalogue = service.catalogue

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion | None:
        typed = argument.value.strip().casefold()
        match argument.name:
            case "storeId":
                return _found(_ids(catalogue.stores(), typed))
            case "productId":
                return _found(_ids(catalogue.products(), typed))
            case "store":
                return _found(_words((store.name for store in catalogue.stores()), typed))
            case "supplier":
                return _found(_words((supplier.name for supplier in catalogue.suppliers()), typed))
            case "urgency":
                return _found(_words(URGENCIES, typed))
            case "term":
                return _found(_words(TERMS, typed))
        return None


def _words(words: Iterable[str], typed: str) -> list[str]:
    """Keep the words that start with what was typed, then those that have it further in."""
    hits = [word for word in words if typed in word.casefold()]
    return sorted(hits, key=lambda word: not word.casefold().startswith(typed))


def _ids(items: Iterable[Product | Store | Supplier], typed: str) -> list[str]:
    """Keep the ids that start with what was typed, and those whose name has it."""
    return [str(item.id) for item in items if str(item.id).startswith(typed) or typed in item.name.casefold()]


def _found(values: list[str]) -> Completion:
    return Completion(values=values[:_MOST], total=len(values), has_more=len(values) > _MOST)
