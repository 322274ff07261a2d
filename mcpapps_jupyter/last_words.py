"""Why a server did not start, by what it printed: the lines that tell, and the commonest mistakes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mcpapps_jupyter.redact import clean_line

_MOST_LINES = 3
_LONGEST = 200
_TELLING = re.compile(
    r"error|exception|not (?:be )?found|not in this registry|no such|\b404\b"
    r"|cannot|can't|failed|denied|refused",
    re.IGNORECASE,
)
# What npm puts before every line of a failure would make every line of it a telling one.
_PREFIX = re.compile(r"^npm (?:error|ERR!)(?: 404)?\s*", re.IGNORECASE)
_NO_CAUSE = re.compile(
    r"npm (?:warn|notice)|node:\S+:\d+$|(?:During handling of|The above exception was)", re.IGNORECASE
)
_TRACEBACK = "Traceback (most recent call last)"
_ADDRESS = re.compile(
    r"https?://[\w.*-]+(?::\d+)(?:/[\w./-]*)?|https?://\[[0-9a-f:]+\]:\d+(?:/[\w./-]*)?", re.IGNORECASE
)
_PORT = re.compile(r"\bport\b\D{0,4}(\d{2,5})\b", re.IGNORECASE)
_LISTENS = re.compile(r"\blistening\b", re.IGNORECASE)


# How the transport joins an exit and the end of stderr, of which more telling lines may be chosen.
_SAID_AT_EXIT = "; its last words: "


def told(
    cause: str, stderr: Sequence[str], said: Sequence[str], app_id: str, *, spoke: bool, timed_out: bool
) -> tuple[str, str]:
    """The cause of a start that failed, as a person can use it.

    Parameters
    ----------
    cause
        As far as it is known without what the server printed.
    stderr, said
        What it printed to stderr, and altogether.
    app_id
        For a line to paste.
    spoke
        Whether it answered the handshake.
    timed_out
        Whether it still ran.

    Returns
    -------
    cause, more
        Without a full stop at its end; what may stand behind it.
    """
    what, exited, rest = cause.partition(_SAID_AT_EXIT)
    what = what.rstrip(".")
    address = http_address(said) if timed_out and not spoke else None
    if address is not None:
        return what, (
            " It seems to speak HTTP: does its command want --stdio? "
            f"Or start it yourself and: %mcpapp add {app_id} {address}"
        )
    words = telling(stderr)
    if what.endswith("exited with code 0") and not spoke:
        words = words or telling(said)
        more = f" It printed: {words}" if words else ""
        return "it ended without a word of MCP; is it an MCP server over stdio?", more
    if exited:
        return f"{what}{_SAID_AT_EXIT}{words or rest}".rstrip("."), ""
    return what, f" From its stderr: {words}" if words else ""


def telling(lines: Sequence[str]) -> str:
    """Up to three lines that name the cause, in one; the last ones where none does."""
    shown = [line for line in lines if line.strip()]
    marked = _marked(shown)
    # What is indented belongs to a line that is not: a place in the source, a frame of the stack.
    chosen = [line for line in marked if not line[0].isspace()] or marked or shown
    cleaned = dict.fromkeys(clean_line(line, _LONGEST) for line in chosen)
    return " | ".join(list(cleaned)[-_MOST_LINES:])


def _marked(lines: Sequence[str]) -> list[str]:
    found = []
    in_traceback = False
    for line in lines:
        if line.startswith(_TRACEBACK):
            in_traceback = True
        elif in_traceback and not line[0].isspace():  # the exception itself, whatever it is called
            in_traceback = False
            found.append(line)
        elif not _NO_CAUSE.match(line) and _TELLING.search(_PREFIX.sub("", line)):
            found.append(line)
    return found


def http_address(lines: Sequence[str]) -> str | None:
    """Where the server of these lines seems to listen for HTTP; None when it does not look so.

    Returns
    -------
    str or None
        With ``…`` for what they do not tell.
    """
    text = "\n".join(lines)
    if address := _ADDRESS.search(text):
        host = re.sub(r"//(?:0\.0\.0\.0|\*|\[::\])(?=:)", "//localhost", address[0].rstrip("."))
        return host if host.count("/") > 2 and not host.endswith("/") else f"{host.rstrip('/')}/mcp"
    if port := _PORT.search(text):
        return f"http://localhost:{port[1]}/mcp"
    return "http://…" if _LISTENS.search(text) else None
