"""Small values that verbs give where there is no better one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcpapps_jupyter import html
from mcpapps_jupyter.views.context import ModelContext


class Note:
    """A text that shows itself as it is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


class Told(dict[str, ModelContext]):
    """What open pages have told the model, by page."""

    def __repr__(self) -> str:
        if not self:
            return "No open page has told the model anything yet."
        return "\n\n".join(f"{page}\n{context!r}" for page, context in self.items())

    def _repr_html_(self) -> str:
        if not self:
            return f"<i>{html.escape(repr(self))}</i>"
        return "".join(
            f"<p><b>{html.escape(page)}</b></p>{context._repr_html_()}" for page, context in self.items()
        )


class Added(list[str]):
    """The ids of the apps that a file brought, and what it has that is no app.

    Attributes
    ----------
    problems : list of str
        Why a server of the file was not added, one line each.
    """

    def __init__(self, ids: Sequence[str], problems: Mapping[str, str]) -> None:
        super().__init__(ids)
        self.problems = [f"{name}: {why}" for name, why in problems.items()]

    def __repr__(self) -> str:
        lines = [f"Added: {', '.join(self)}" if self else "Nothing was added."]
        lines += [f"Not added: {problem}" for problem in self.problems]
        return "\n".join(lines)
