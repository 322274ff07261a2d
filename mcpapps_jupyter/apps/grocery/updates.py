"""Telling clients that resources have changed, in both protocol eras."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.session import ServerSession
from mcp.types import EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from . import uris
from .models import InventoryRow

logger = logging.getLogger(__name__)


class Updates:
    """Sends `notifications/resources/updated` for each resource that a change of stock concerns.

    Since protocol 2026-07-28 a client listens with `subscriptions/listen`, which the SDK serves. Before that
    it sent `resources/subscribe`, which is served here.
    """

    def __init__(self) -> None:
        # URI to the sessions that subscribed to it. A session object is made for each request, but its
        # `client_params` live as long as the connection, so their identity tells connections apart.
        self._subscribed: dict[str, dict[int, ServerSession]] = {}

    def serve(self, server: MCPServer) -> None:
        """Answer `resources/subscribe` and `resources/unsubscribe` of handshake-era clients."""
        # MCPServer itself cannot serve a method of the earlier era; the SDK refers to the low-level server.
        low_level = server._lowlevel_server
        low_level.add_request_handler("resources/subscribe", SubscribeRequestParams, self._subscribe)
        low_level.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, self._unsubscribe)

    async def announce(self, ctx: Context, rows: Iterable[InventoryRow]) -> None:
        """Tell all listeners which resources read differently now that `rows` have changed."""
        for uri in uris.touched_by(rows):
            await ctx.notify_resource_updated(uri)
            sessions = dict(self._subscribed.get(uri, {}))
            if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                # Whoever made the change hears of it even without a subscription: it costs nothing, and hosts
                # that share one session between a page and other callers depend on it.
                sessions[id(ctx.session.client_params)] = ctx.session
            for connection, session in sessions.items():
                try:
                    await session.send_resource_updated(uri)
                except Exception:  # noqa: BLE001  (a client that is gone must not fail the one that is here)
                    logger.info("A subscriber of %s is gone", uri)
                    self._subscribed.get(uri, {}).pop(connection, None)

    async def _subscribe(self, ctx: ServerRequestContext[Any], params: SubscribeRequestParams) -> EmptyResult:
        self._subscribed.setdefault(str(params.uri), {})[id(ctx.session.client_params)] = ctx.session
        return EmptyResult()

    async def _unsubscribe(
        self, ctx: ServerRequestContext[Any], params: UnsubscribeRequestParams
    ) -> EmptyResult:
        self._subscribed.get(str(params.uri), {}).pop(id(ctx.session.client_params), None)
        return EmptyResult()
