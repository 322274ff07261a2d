"""Configuration: the `McpApps` traits and the JSON files they are also read from."""

from mcpapps_jupyter.config.traits import APPROVALS, McpApps

__all__ = ["APPROVALS", "McpApps"]
