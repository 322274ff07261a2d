"""Logging in at remote servers (MCP authorization, OAuth 2.1), with the person in the notebook."""

from mcpapps_jupyter.oauth.storage import LoginFile

__all__ = ["LoginFile"]
