"""Every report of `tests/elsewhere.py` has a test, and every mark names one of them."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.elsewhere import REPORTS

TESTS = Path(__file__).resolve().parents[1]


def marks() -> set[str]:
    found = set()
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.elsewhere":
                found |= {ast.literal_eval(argument) for argument in node.args}
    return found


def test_every_report_has_its_test() -> None:
    assert marks() == set(REPORTS)
