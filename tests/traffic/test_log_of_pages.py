"""What happens in a page is in its app's log: what it says, what it may not, what was decided about it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.log import LogEntry
from tests.core.support import command, until
from tests.views.tab import Open

MESSAGE = {"role": "user", "content": [{"type": "text", "text": "order\neggs"}]}
CSP = "Blocked by img-src: https://cdn.example/e.png (the server would have to declare https://cdn.example …)"


@pytest.fixture(autouse=True)
def usual_policy(kernel: Host) -> Iterator[None]:
    yield
    kernel.config.approvals = "auto"


def told(app: App, event: str) -> list[LogEntry]:
    return [entry for entry in app.log if entry.event == event][-1:]


@pytest.mark.parametrize("decision", ["once", "deny"])
def test_what_the_person_decides_on_a_call(app: App, open_tab: Open, decision: str) -> None:
    tab = open_tab()
    asked = tab.send("tools/call", {"name": "destroy", "arguments": {}})
    tab.decide(decision)
    tab.answer(asked)
    [entry] = told(app, "approval")
    assert (entry.source, entry.level, entry.page) == ("host", "info", "open_page")
    assert entry.text == f"the call of destroy: {decision}, by the person"


def test_what_the_configuration_refuses(kernel: Host, app: App, open_tab: Open) -> None:
    kernel.config.approvals = "deny"
    open_tab().refused("tools/call", {"name": "count"})
    [entry] = told(app, "approval")
    assert (entry.level, entry.text) == ("warning", "the call of count: refused, by the configuration")


def test_messages_to_the_notebook(app: App, open_tab: Open) -> None:
    tab = open_tab()
    asked = tab.send("ui/message", MESSAGE)
    tab.decide("send")
    tab.answer(asked)
    assert told(app, "message")[0].text == "the message 'order eggs': send, by the person"


def test_questions_of_the_server(kernel: Host, app: App, open_tab: Open) -> None:
    tab = open_tab()
    asked = tab.send("tools/call", {"name": "resolve", "arguments": {}})
    tab.decide("decline")
    tab.answer(asked)
    assert told(app, "question")[0].text == "the question 'Which colour?': decline, by the person"


def test_what_the_browser_tells(app: App, open_tab: Open) -> None:
    tab = open_tab()
    for event, level, text in [
        ("csp", "warning", CSP),
        ("link", "info", "Link to https://eggs.example opened (once)"),
        ("limit", "warning", "tools/call refused: Too many tool calls"),
    ]:
        tab.put("log", {"level": level, "event": event, "text": text})
        [entry] = told(app, event)
        assert (entry.level, entry.text, entry.page) == (level, text, "open_page")
        assert entry.source == ("csp" if event == "csp" else "host")
    assert [entry.text for entry in app.log.filter(source="csp")][-1] == CSP


def test_what_the_page_says_has_its_own_level(app: App, open_tab: Open) -> None:
    tab = open_tab()
    tab.notify("notifications/message", {"level": "alert", "logger": "shelf", "data": {"eggs": 0}})
    entry = until(lambda: app.log.filter(source="page"))[-1]
    assert (entry.level, entry.text, entry.page) == ("alert", 'shelf: {"eggs": 0}', "open_page")


def test_a_server_s_words_keep_their_level_and_its_secrets_are_masked(kernel: Host) -> None:
    talker = kernel.add(command("lab"), id="talker", environment={"TOKEN": "hunter2hunter2"})
    talker.call("say", text="low on hunter2hunter2")
    said = until(lambda: talker.log.filter(source="server"))[0]
    assert (said.level, said.text) == ("info", "low on •••")
    on_stderr = until(lambda: talker.log.filter(source="stderr", text="on stderr"))[0]
    assert on_stderr.text == "low on ••• on stderr"
    talker.stop()
