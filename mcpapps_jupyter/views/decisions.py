"""What was decided about pages, by whom: one list for the whole kernel, for the audit."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from mcpapps_jupyter import html
from mcpapps_jupyter.redact import clean_line

DecisionKind = Literal["approval", "permission", "message", "link", "download", "question"]
#: A person, a rule of the configuration, or a time that ran out with nobody there.
DecidedBy = Literal["person", "policy", "nobody"]
#: ``record(kind, subject, outcome, by)``.
Record = Callable[[DecisionKind, str, str, DecidedBy], None]

_MOST = 2000


@dataclass(frozen=True)
class Decision:
    """One decision.

    Attributes
    ----------
    app_id
        Whose page it was about.
    kind
        A tool call (``approval``), a browser ``permission``, a ``message`` to the notebook, a ``link``, a
        ``download``, or a ``question`` of the server.
    subject
        The tool, permission, address, …, on one line.
    outcome
        ``once``, ``always``, ``deny``, ``send``, ``cancel``, ``accept``, ``decline``, ``refused``, …
    by
        The ``person``, the ``policy``, or ``nobody`` (no answer in time, or nobody to ask).
    at
        Seconds since the epoch.
    """

    app_id: str
    kind: DecisionKind
    subject: str
    outcome: str
    by: DecidedBy
    at: float = field(default_factory=time.time)


class Decisions:
    """The newest decisions, oldest first; how many there were in all stays known."""

    def __init__(self) -> None:
        self._entries: deque[Decision] = deque(maxlen=_MOST)
        self.counts: Counter[tuple[DecisionKind, str]] = Counter()

    def add(self, app_id: str, kind: DecisionKind, subject: str, outcome: str, by: DecidedBy) -> None:
        """Append one; from any thread. `subject` and `outcome` may be foreign text."""
        decision = Decision(app_id, kind, clean_line(subject, 200), clean_line(outcome, 40), by)
        self._entries.append(decision)
        self.counts[decision.kind, decision.outcome] += 1

    def recorder(self, app_id: str) -> Record:
        """Give the function that adds decisions about one app."""

        def record(kind: DecisionKind, subject: str, outcome: str, by: DecidedBy) -> None:
            self.add(app_id, kind, subject, outcome, by)

        return record

    def __iter__(self) -> Iterator[Decision]:
        return iter(tuple(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def rows(self) -> list[tuple[str, ...]]:
        """What is shown of each: time, app, kind, subject, outcome, who."""
        return [
            (
                f"{datetime.fromtimestamp(each.at):%H:%M:%S}",
                each.app_id,
                each.kind,
                each.subject,
                each.outcome,
                each.by,
            )
            for each in self
        ]

    def __repr__(self) -> str:
        return "\n".join("  ".join(row) for row in self.rows()) or "No decisions yet."

    def _repr_html_(self) -> str:
        if not len(self):
            return "<i>No decisions yet.</i>"
        head = "".join(f"<th>{name}</th>" for name in ("time", "app", "what", "about", "outcome", "by"))
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
