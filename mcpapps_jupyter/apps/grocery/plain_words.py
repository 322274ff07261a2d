"""Middleware that turns the SDK's error texts into words for the person who asked."""

import re
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS

from .errors import GroceryError

# What the SDK puts before every failure of a tool.
_PREFIX = re.compile(r"^Error executing tool \S+: ")
# One complaint of pydantic: the argument, what is wrong with it, and details for machines.
_COMPLAINT = re.compile(r"^(?P<argument>\S+)\n  (?P<problem>.+?) \[type=", re.MULTILINE)


async def plain_words(ctx: ServerRequestContext[Any], call_next: CallNext) -> HandlerResult:
    """Reword failures: `delta: Input should be a valid integer` instead of five lines with a URL."""
    try:
        result = await call_next(ctx)
    except ValueError as error:
        # How the SDK reports a prompt that failed; the client would read "Internal server error".
        if ctx.method != "prompts/get":
            raise
        raise MCPError(code=INVALID_PARAMS, message=_reason(error)) from error
    # Results arrive here as they go out on the wire.
    if ctx.method == "tools/call" and isinstance(result, dict) and result.get("isError"):
        for item in result["content"]:
            if item.get("type") == "text":
                item["text"] = reword(item["text"])
    return result


def reword(text: str) -> str:
    """Say the same in one line, without the SDK's prefix and pydantic's details."""
    text = _PREFIX.sub("", text)
    complaints = [f"{found['argument']}: {found['problem']}" for found in _COMPLAINT.finditer(text)]
    return f"Wrong arguments: {'; '.join(complaints)}. Nothing was changed." if complaints else text


def _reason(error: BaseException) -> str:
    """Find the words of ours that are behind an error of the SDK's."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, GroceryError):
            return str(cause)
        cause = cause.__cause__
    return str(error)
