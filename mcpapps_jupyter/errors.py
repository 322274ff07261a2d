"""Errors in words: what went wrong and what to do, in one line, never a traceback for a user's mistake."""

# ruff: noqa: N818 - the names say what happened; "Error" at each end would add nothing

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class McpAppsError(Exception):
    """Base of everything this package raises on purpose; its text is one line meant for the user."""

    def __str__(self) -> str:
        return " ".join(str(part) for part in self.args)

    def _render_traceback_(self) -> list[str]:
        """Return what IPython prints in place of a traceback (IPython's own hook)."""
        return [f"{type(self).__name__}: {self}"]


class UnknownApp(McpAppsError, KeyError):
    """No app has this id; the text names the nearest ones."""


class UnknownTool(McpAppsError, KeyError):
    """The app offers no tool of this name; the text names the nearest ones."""


class AmbiguousApp(McpAppsError):
    """A shortened id fits several apps; the text names them."""


class InvalidArguments(McpAppsError, ValueError):
    """Arguments do not fit what the tool's input schema or the command wants."""


class ManifestInvalid(McpAppsError, ValueError):
    """A manifest cannot be used; the text says which key, what was wanted and what was found."""


class AppDisabled(McpAppsError):
    """Configuration refuses this app."""


class IllegalTransition(McpAppsError):
    """A life-cycle step that the transition table does not have."""


class StartFailed(McpAppsError):
    """The app's server did not come up."""


class ConnectionLost(McpAppsError):
    """The app's server went away while it was in use."""


class ProtocolFailure(McpAppsError):
    """A JSON-RPC error that the server answered with.

    Parameters
    ----------
    message : str
        The server's text.
    code : int
        JSON-RPC error code.
    data : Any, optional
        The error's ``data`` member, as parsed JSON.
    """

    def __init__(self, message: str, code: int = -32603, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class RequestTimeout(McpAppsError, TimeoutError):
    """No answer within the app's ``requestTimeoutSeconds``."""


class ToolFailed(McpAppsError):
    """A tool's own result says that it failed (``isError``)."""


class NoPage(McpAppsError):
    """There is no page to show; the text is the reason."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, in one line: the way through our code to the waiting tells nobody anything."""

    def _render_traceback_(self) -> list[str]:
        return [f"KeyboardInterrupt: {self}"]


def nearest(word: str, candidates: Iterable[str], n: int = 3) -> list[str]:
    """Return up to `n` of `candidates` that `word` may have meant, best first.

    Case is ignored; a candidate that `word` begins counts as near.
    """
    names = list(dict.fromkeys(candidates))
    wanted = word.casefold()[:200]  # difflib is quadratic, and no name is longer
    if not wanted:
        return []
    begun = sorted(name for name in names if name.casefold().startswith(wanted))
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.casefold(), name)
    # "grocry" is meant for "grocery-inventory": a long name may also be near by its beginning alone.
    heads = {name[: len(wanted) + 1]: full for name, full in reversed(folded.items())}
    similar = [
        table[hit]
        for table in (folded, heads)
        for hit in difflib.get_close_matches(wanted, table, n=n, cutoff=0.6 if table is folded else 0.75)
    ]
    return list(dict.fromkeys(begun + similar))[:n]


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """Return ``" Did you mean 'a' or 'b'?"``, or ``""`` when nothing is near."""
    hits = [f"'{hit}'" for hit in nearest(word, candidates)]
    if not hits:
        return ""
    head, last = hits[:-1], hits[-1]
    return f" Did you mean {', '.join(head)} or {last}?" if head else f" Did you mean {last}?"


def in_words(error: BaseException) -> str:
    """Return the innermost cause of `error` in one line; exception groups are looked into."""
    nested = getattr(error, "exceptions", None)  # by shape: Python 3.10 has no exception groups of its own
    while isinstance(nested, tuple) and nested:
        error = nested[0]
        nested = getattr(error, "exceptions", None)
    text = " ".join(str(error).split())
    speaks_for_itself = isinstance(error, McpAppsError | RuntimeError) or type(error).__name__ == "MCPError"
    if speaks_for_itself and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
