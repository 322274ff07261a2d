"""Telling the clients that stock has changed, in both protocol eras."""

from collections.abc import Iterable

from mcp.server.mcpserver import Context
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from . import uris
from .models import InventoryRow


class Changes:
    """Sends `notifications/resources/updated` for every resource that a change concerns."""

    async def announce(self, ctx: Context, rows: Iterable[InventoryRow]) -> None:
        """Tell all listeners which resources read differently now that `rows` have changed."""
        for uri in uris.touched_by(rows):
            # Since 2026-07-28 a client listens with `subscriptions/listen`; the SDK knows who does.
            await ctx.notify_resource_updated(uri)
            if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                await ctx.session.send_resource_updated(uri)
