"""The ``%mcpapp`` magic itself: from a line to a verb's value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import needs_local_scope, no_var_expand

from mcpapps_jupyter.errors import Interrupted, McpAppsError
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.magics.grammar import parse
from mcpapps_jupyter.magics.help import find_verb, help_on, overview
from mcpapps_jupyter.magics.invocation import Invocation
from mcpapps_jupyter.magics.known import Known
from mcpapps_jupyter.magics.values import Names
from mcpapps_jupyter.magics.words import UnclosedQuoteError, Word, split

NAME = "mcpapp"


class Magic:
    """What ``%mcpapp`` calls.

    Parameters
    ----------
    ipython : InteractiveShell
        Whose variables are used and set.
    host : Host
        The kernel's.
    """

    def __init__(self, ipython: Any, host: Host) -> None:
        self._ipython = ipython
        self._host = host

    def run(self, line: str, local_ns: Mapping[str, Any] | None = None) -> Any:
        """Run one line and return what the cell shows.

        Raises
        ------
        UsageError
            The line is no command of ours, in one line.
        McpAppsError
            It is one, and failed; in one line.
        """
        words = self._split(line)
        if not words:
            return help_on(None)
        verb = self._verb(words[0].text)
        if _asks_for_help(words[1:]):
            return help_on(verb.name)
        given = parse(verb, words[1:], Known(self._host, verb))
        invocation = Invocation(self._host, verb, given, Names(self._ipython.user_ns, local_ns))
        name = invocation.binding()
        try:
            value = verb.run(invocation)
        except KeyboardInterrupt:
            raise Interrupted(f"%{NAME} {verb.name} was interrupted.") from None
        if name is not None:
            self._ipython.push({name: value})
        return value

    def _split(self, line: str) -> list[Word]:
        line = line.strip().removesuffix(";")  # a habit from Python cells
        try:
            return split(line)
        except UnclosedQuoteError as error:
            raise UsageError(f"A quote is not closed: {str(error)[:60]}") from None

    def _verb(self, name: str) -> Any:
        if name in ("-h", "--help"):
            name = "help"
        try:
            return find_verb(name)
        except UsageError as error:
            try:
                app = self._host[name]
            except McpAppsError:
                raise error from None
            raise UsageError(f"There is no verb '{name}'. Did you mean: %{NAME} open {app.id}") from None


def _asks_for_help(words: list[Word]) -> bool:
    for word in words:
        if word.is_separator:
            return False
        if word.is_option and word.text in ("-h", "--help"):
            return True
    return False


def as_function(magic: Magic) -> Any:
    """The function that IPython registers; its docstring is what ``%mcpapp?`` shows."""

    @no_var_expand  # words are split first, so that a variable is one word and may be any object
    @needs_local_scope
    def mcpapp(line: str, local_ns: Mapping[str, Any] | None = None) -> Any:
        return magic.run(line, local_ns)

    mcpapp.__doc__ = overview()
    return mcpapp
