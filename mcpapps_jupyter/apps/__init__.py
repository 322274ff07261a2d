"""Apps that come with the package.

Each folder is a complete MCP App with its own manifest. None is imported before it is started.
"""
