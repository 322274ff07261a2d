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
    similar = [folded[hit] for hit in difflib.get_close_matches(wanted, folded, n=n, cutoff=0.6)]
    return list(dict.fromkeys(begun + similar))[:n]


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """Return ``" Did you mean 'a' or 'b'?"``, or ``""`` when nothing is near."""
    hits = [f"'{hit}'" for hit in nearest(word, candidates)]
    if not hits:
        return ""
    head, last = hits[:-1], hits[-1]
    return f" Did you mean {', '.join(head)} or {last}?" if head else f" Did you mean {last}?"
