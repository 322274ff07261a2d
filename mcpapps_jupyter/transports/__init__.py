"""Transports: how a server is reached. Each yields the streams that ``mcp.Client`` drives."""

from mcpapps_jupyter.transports.guard import ProcessGuard
from mcpapps_jupyter.transports.hooks import Hooks
from mcpapps_jupyter.transports.http import HttpTransport
from mcpapps_jupyter.transports.inprocess import InProcessTransport
from mcpapps_jupyter.transports.stdio import StdioTransport

__all__ = ["Hooks", "HttpTransport", "InProcessTransport", "ProcessGuard", "StdioTransport"]
