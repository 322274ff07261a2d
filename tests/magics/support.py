"""A notebook's shell: what a cell gives, prints and completes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from mcpapps_jupyter import get_host

SERVER = Path(__file__).with_name("servers") / "plain.py"


@dataclass
class Outcome:
    """What came of one cell."""

    value: Any
    error: BaseException | None
    out: str
    err: str

    @property
    def line(self) -> str:
        """The one line that the person reads instead of a traceback."""
        assert self.error is not None, f"no error, but {self.value!r}"
        lines = (self.out + self.err).strip().splitlines()
        assert len(lines) == 1, lines
        return lines[0]


class Notebook:
    """Runs cells as a notebook does."""

    def __init__(self, shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
        self.shell = shell
        self._capsys = capsys

    def run(self, cell: str) -> Outcome:
        self._capsys.readouterr()
        result = self.shell.run_cell(cell, store_history=True)
        out, err = self._capsys.readouterr()
        return Outcome(result.result, result.error_before_exec or result.error_in_exec, out, err)

    def value(self, cell: str) -> Any:
        """The value of a cell that works."""
        outcome = self.run(cell)
        assert outcome.error is None, outcome
        return outcome.value

    def completions(self, text: str) -> list[str]:
        """What the completer offers at the ``|`` in `text`, each as the line that it would make of it."""
        at = text.index("|")
        whole = text.replace("|", "")
        with provisionalcompleter():
            found = list(self.shell.Completer.completions(whole, at))
        return [whole[: each.start] + each.text + whole[each.end :] for each in found]

    @property
    def names(self) -> dict[str, Any]:
        return self.shell.user_ns

    @property
    def host(self) -> Any:
        return get_host()
