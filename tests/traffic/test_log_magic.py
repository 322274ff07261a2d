"""``%mcpapp log`` in a shell."""

from __future__ import annotations

from tests.magics.support import Notebook


def test_the_log_of_an_app(plain_app: Notebook) -> None:
    plain_app.value("%mcpapp start plain")
    outcome = plain_app.run("%mcpapp log plain")
    assert outcome.error is None
    assert outcome.out.startswith("Log of plain")
    assert outcome.out.count("Log of plain") == 1


def test_it_is_a_value_too(plain_app: Notebook) -> None:
    app = plain_app.host["plain"]
    app.log.add("stderr", "ERROR: hunter2")
    app.log.add("stderr", "quiet")
    plain_app.run("%mcpapp log plain --level error --source stderr --as lines\n'another line'")
    assert [entry.text for entry in plain_app.names["lines"]] == ["ERROR: hunter2"]
    assert "ERROR: hunter2" in plain_app.run("lines").out


def test_slips_are_one_line(plain_app: Notebook) -> None:
    assert "Did you mean 'warning'" in plain_app.run("%mcpapp log plain --level warnign").line
    assert "--source: there is no 'sever'" in plain_app.run("%mcpapp log plain --source sever").line
    assert "no app 'plane'" in plain_app.run("%mcpapp log plane").line


def test_levels_and_sources_are_completed(plain_app: Notebook) -> None:
    assert "%mcpapp log plain --level warning" in plain_app.completions("%mcpapp log plain --level w|")
    assert "%mcpapp log plain --source csp" in plain_app.completions("%mcpapp log plain --source c|")
