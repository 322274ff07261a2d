"""What the tools that ask have in common.

A question is a resolver: a function that returns `Elicit(...)` to ask, or a plain value if there is nothing
to ask. The SDK sends it the way the connection's protocol era wants it, which a bare `ctx.elicit()` in a tool
does not. Resolvers run again after each answer, so they only look. The tool's body runs once, at the end: it
acts.
"""

from typing import Any, Literal, TypeVar, cast

from mcp.server.mcpserver.resolve import AcceptedElicitation, ElicitationResult
from pydantic import BaseModel, Field, create_model

from ..errors import RefusedError

_Form = TypeVar("_Form", bound=BaseModel)

Answer = ElicitationResult[Any]
"""What a resolver gets from the question before it: see `answered`."""


def answered(outcome: ElicitationResult[_Form]) -> _Form:
    """Take the filled form out of an outcome.

    Raises
    ------
    RefusedError
        If the user declined or closed the question. That ends the tool before it has changed anything.
    """
    if isinstance(outcome, AcceptedElicitation):
        return outcome.data
    how = "was declined" if outcome.action == "decline" else "was closed without an answer"
    raise RefusedError(f"The question {how}. Nothing was changed.")


def choice_of(options: list[str], title: str) -> type[BaseModel]:
    """Make a form with one field, `choice`, that offers `options`."""
    # A Literal made at run time is a type to pydantic, but not to a type checker.
    one_of = cast("Any", Literal)[tuple(options)]
    return create_model("Choice", choice=(one_of, Field(title=title)))


def units_up_to(most: int, suggested: int) -> type[BaseModel]:
    """Make a form with one field, `units`, a whole number from 1 to `most`."""
    return create_model("Units", units=(int, Field(default=suggested, title="Units", ge=1, le=most)))
