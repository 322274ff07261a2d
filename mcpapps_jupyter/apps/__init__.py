"""Apps that come with the package. Each folder is a complete MCP App with its own manifest; none is imported before it is started."""
