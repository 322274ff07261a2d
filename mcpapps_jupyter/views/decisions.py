"""What was decided about pages, by whom: one list for the whole kernel, for the audit."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.tabular import data_frame, html_table, text_table

if TYPE_CHECKING:
    import pandas

DecisionKind = Literal["approval", "permission", "message", "link", "download", "question"]
#: A person, a rule of the configuration, or a time that ran out with nobody there.
DecidedBy = Literal["person", "policy", "nobody"]
#: ``record(kind, subject, outcome, by)``.
Record = Callable[[DecisionKind, str, str, DecidedBy], None]

_MOST = 2000
_HEAD = ("time", "app", "what", "about", "outcome", "by")
_NONE = "No decisions yet."


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


def in_words(kind: DecisionKind, subject: str, outcome: str, by: DecidedBy) -> str:
    """A decision as a line of the app's log."""
    who = {"person": "by the person", "policy": "by the configuration", "nobody": "nobody answered"}[by]
    about = clean_line(subject, 200)
    name = f"the message '{about}'" if kind == "message" else f"the {kind} '{about}'"
    return f"{name if kind != 'approval' else f'the call of {about}'}: {clean_line(outcome, 40)}, {who}"


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

    def clear(self) -> None:
        """Forget all of them."""
        self._entries.clear()
        self.counts.clear()

    def to_pandas(self) -> pandas.DataFrame:
        """One row a decision."""
        return data_frame([asdict(each) for each in self], [each.name for each in fields(Decision)])

    def _rows(self) -> list[tuple[str, ...]]:
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
        return text_table(_HEAD, self._rows()) if len(self) else _NONE

    def _repr_html_(self) -> str:
        return html_table(_HEAD, self._rows()) if len(self) else f"<i>{_NONE}</i>"
