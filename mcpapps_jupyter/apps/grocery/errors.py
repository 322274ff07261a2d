"""What can go wrong, in words for the person who asked."""

from mcp.server.mcpserver.exceptions import ToolError


class GroceryError(ToolError):
    """A refusal that the caller can understand and act on.

    A `ToolError`, because the SDK hands exactly those texts to the client; the text of any other exception
    stays on the server.
    """


class NotFoundError(GroceryError):
    """An id that names nothing."""


class RefusedError(GroceryError):
    """A change that would break a rule of the stock, such as a negative quantity."""
