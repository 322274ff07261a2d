"""The home of MCP Apps in notebooks."""

__version__ = "0.1.0"
