"""The audit as a value: text in a console, a page of tables in a notebook. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mcpapps_jupyter import html
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.views.decisions import Decisions

#: What other machines can reach of what this package opens for an app.
LISTENS = "to nothing, but for the answer of a login, on 127.0.0.1"
SANDBOX = "two nested frames without an origin of their own; scripts and forms only"
#: What no policy of ours holds back, said each time.
RESIDUAL = (
    "A page can still send data out by WebRTC, which no content security policy stops, and a server may do "
    "all that you may do on this machine. Do not open apps of servers that you would not run."
)
_LONGEST = 1000


@dataclass(frozen=True)
class PageAudit:
    """One page that was read since its server's start.

    Attributes
    ----------
    uri
        Its address.
    csp_asked, csp_granted
        Origins by key: what the page declared, and what entered its policy.
    permissions
        What it asked for, each with the policy for it: ``allow``, ``ask``, ``deny`` or ``never``.
    in_use
        Permissions that frames of its open views have.
    """

    uri: str
    csp_asked: Mapping[str, Sequence[str]]
    csp_granted: Mapping[str, Sequence[str]]
    permissions: Mapping[str, str]
    in_use: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """What is shown of it."""
        yield self.uri
        yield f"  may load from: {_origins(self.csp_granted) or 'nowhere'}"
        asked, granted = (sum(map(len, csp.values())) for csp in (self.csp_asked, self.csp_granted))
        refused = asked - granted
        if refused > 0:
            yield f"  declared: {_origins(self.csp_asked)} ({refused} not taken; its log says why)"
        if self.permissions:
            words = ", ".join(f"{name} ({policy})" for name, policy in self.permissions.items())
            yield f"  asks for: {words}; has: {', '.join(self.in_use) or 'none'}"


def _origins(csp: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{key} {', '.join(origins)}" for key, origins in csp.items() if origins)


@dataclass(frozen=True)
class AppAudit:
    """One app.

    Attributes
    ----------
    id, state, source, file, transport, target
        What it is and what is run or called; secrets masked.
    endpoint
        Host that its server is reached at, if that is another machine; else empty.
    encrypted
        Whether the way there is.
    pages
        Pages that were read; None before the server has run.
    unannotated, tools
        Names of tools without hints on what they do, and how many tools there are; None before it has run.
    approvals
        Policy by tool, ``"*"`` for the rest.
    plain_secrets
        Keys of the manifest that hold a secret in plain text.
    writable
        ``PATH: who`` for each file or folder that others may change.
    problem
        Why it cannot be used, if so.
    """

    id: str
    state: str
    source: str
    file: str
    transport: str
    target: str
    endpoint: str
    encrypted: bool
    pages: tuple[PageAudit, ...] | None
    unannotated: tuple[str, ...] | None
    tools: int
    approvals: Mapping[str, str]
    plain_secrets: tuple[str, ...]
    writable: tuple[str, ...]
    problem: str = ""

    def rows(self) -> list[tuple[str, list[str]]]:
        """What is shown: a title and its lines."""
        given = {
            "state": [self.state, self.problem],
            "source": [f"{self.source}: {self.file}" if self.file else self.source],
            "transport": [self.transport],
            "runs" if self.transport == "stdio" else "server": [self.target],
            "over the net": [self._net()],
            "sandbox": [SANDBOX],
            "listens": [LISTENS],
            "pages": self._pages(),
            "unannotated": [self._tools()],
            "approvals": [", ".join(f"{tool}: {word}" for tool, word in self.approvals.items())],
            "plain secrets": [", ".join(self.plain_secrets)],
            "writable": list(self.writable),
        }
        return [
            (title, kept)
            for title, lines in given.items()
            if (kept := [_line(line) for line in lines if line.strip()])
        ]

    def _net(self) -> str:
        if not self.endpoint:
            return ""
        return f"{self.endpoint}, {'encrypted' if self.encrypted else 'NOT encrypted'}"

    def _pages(self) -> list[str]:
        if self.pages is None:
            return ["not known before its server has run"]
        return [line for page in self.pages for line in page.lines()] or ["none was read yet"]

    def _tools(self) -> str:
        if self.unannotated is None:
            return "not known before its server has run"
        if not self.unannotated:
            return f"none of {self.tools} tools"
        return f"{len(self.unannotated)} of {self.tools} tools: {', '.join(self.unannotated)}"


@dataclass(frozen=True)
class Audit:
    """All apps, what was decided about their pages so far, and what to change.

    Attributes
    ----------
    apps
        One entry an app.
    decisions
        What was decided, by whom.
    advice
        What to change, one line each.
    """

    apps: tuple[AppAudit, ...]
    decisions: Decisions = field(repr=False)
    advice: tuple[str, ...] = ()

    def __repr__(self) -> str:
        parts = []
        for app in self.apps:
            rows = app.rows()
            width = max(len(title) for title, _ in rows)
            lines = [
                f"  {title if first else '':{width}}  {line}".rstrip()
                for title, lines in rows
                for first, line in zip([True] + [False] * len(lines), lines, strict=False)
            ]
            parts.append("\n".join([app.id, *lines]))
        parts.append("Decisions\n" + _indented(repr(self.decisions)))
        parts.append("What to change\n" + _indented("\n".join(map(_line, self.advice)) or "Nothing."))
        return "\n\n".join([*parts, RESIDUAL])

    def _repr_html_(self) -> str:
        apps = "".join(
            f"<p><b>{html.escape(_line(app.id))}</b></p><table><tbody>"
            + "".join(
                f'<tr><th style="text-align:left;vertical-align:top">{html.escape(title)}</th>'
                f'<td style="text-align:left">{"<br>".join(map(html.escape, lines))}</td></tr>'
                for title, lines in app.rows()
            )
            + "</tbody></table>"
            for app in self.apps
        )
        advice = "".join(f"<li>{html.escape(_line(line))}</li>" for line in self.advice)
        return (
            f"<div>{apps}<p><b>Decisions</b></p>{self.decisions._repr_html_()}"
            f"<p><b>What to change</b></p><ul>{advice or '<li>Nothing.</li>'}</ul>"
            f"<p><small>{html.escape(RESIDUAL)}</small></p></div>"
        )


def _line(text: str) -> str:
    indent = len(text) - len(text.lstrip(" "))
    return "\u00a0" * indent + clean_line(text, _LONGEST)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
