"""Every decision about a page is kept for the audit, with who took it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.views.decisions import Decisions
from mcpapps_jupyter.views.policy import Rates
from tests.core.pages import OpenPage
from tests.core.support import until
from tests.views.tab import Open

MESSAGE = {"role": "user", "content": [{"type": "text", "text": "order\neggs"}]}


@pytest.fixture(autouse=True)
def fresh(kernel: Host) -> Iterator[None]:
    kernel.decisions.clear()
    yield
    kernel.config.approvals = "auto"


def decided(kernel: Host) -> list[tuple[str, str, str, str]]:
    return [(each.kind, each.subject, each.outcome, each.by) for each in kernel.decisions]


@pytest.mark.parametrize("decision", ["once", "always", "deny"])
def test_approvals_of_the_person(kernel: Host, open_tab: Open, decision: str) -> None:
    tab = open_tab()
    asked = tab.send("tools/call", {"name": "destroy", "arguments": {}})
    tab.decide(decision)
    tab.answer(asked)
    assert decided(kernel) == [("approval", "destroy", decision, "person")]


def test_refusals_by_the_policy(kernel: Host, open_tab: Open) -> None:
    kernel.config.approvals = "deny"
    tab = open_tab()
    assert tab.refused("tools/call", {"name": "count"})["code"] == -32000
    assert tab.call("add", a=1)["structuredContent"] == {"result": 2}  # what passes is no news
    assert decided(kernel) == [("approval", "count", "refused", "policy")]


def test_messages(kernel: Host, open_tab: Open) -> None:
    tab = open_tab()
    for number, decision in enumerate(("send", "cancel")):
        asked = tab.send("ui/message", MESSAGE)
        tab.decide(decision, number)
        tab.answer(asked)
    assert decided(kernel) == [
        ("message", "order eggs", "send", "person"),
        ("message", "order eggs", "cancel", "person"),
    ]


def test_a_message_that_nobody_takes_is_pointed_at(open_tab: Open) -> None:
    tab = open_tab()
    tab.view.wait_for_result(30)
    asked = tab.send("ui/message", MESSAGE)
    tab.decide("send")
    tab.answer(asked)
    assert tab.state()["text"] == "The message is in view.messages"
    tab.view.on_message(lambda message: None)
    tab.view._relay.set_state("live")
    asked = tab.send("ui/message", MESSAGE)
    tab.decide("send", 1)
    tab.answer(asked)
    assert tab.state()["text"] == "", "somebody has it"


def test_a_question_that_ends_with_its_view_was_answered_by_nobody(kernel: Host, open_tab: Open) -> None:
    tab = open_tab()
    tab.send("tools/call", {"name": "destroy", "arguments": {}})
    tab.send("ui/message", MESSAGE)
    tab.question(1)
    tab.view.close()
    until(lambda: len(kernel.decisions) == 2, "both are written down")
    assert {(kind, by) for kind, _, _, by in decided(kernel)} == {
        ("approval", "nobody"),
        ("message", "nobody"),
    }


def test_links_and_downloads_that_the_browser_decided_on(kernel: Host, open_tab: Open) -> None:
    tab = open_tab()
    tab.log("link", decision="once", url="https://example.org/a\u202eb")
    tab.log("link", decision="refused", url="javascript:alert(1)")
    tab.log("download", decision="save", files=[{"name": "a.csv"}, {"name": "b.csv"}, 7])
    tab.log("csp", blocked="https://example.org")
    assert decided(kernel) == [
        ("link", "https://example.org/ab", "once", "person"),
        ("link", "javascript:alert(1)", "refused", "policy"),
        ("download", "a.csv, b.csv", "save", "person"),
    ]


def test_a_policy_that_changes_while_the_call_waits_its_turn_counts(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, rates=Rates(at_once=1)).start()
    slow = page.send("tools/call", {"name": "work", "arguments": {"steps": 1, "pause": 1.0}})
    until(lambda: page.relay._handle._slots._free == 0, "the slow one runs")
    allowed, asked = (page.send("tools/call", {"name": name}) for name in ("count", "destroy"))
    page.decide("once")
    until(lambda: len(page.relay._handle._slots._waiting) == 2, "the others wait")
    page.policies["*"] = "deny"
    assert page.answer(slow)["result"]
    for each in (allowed, asked):
        assert page.answer(each)["error"]["code"] == -32000


def test_a_call_that_has_to_be_asked_about_after_all_is_asked_about(kernel: Host, app: App) -> None:
    page = OpenPage(kernel, app, policies={"*": "allow"}, rates=Rates(at_once=1)).start()
    slow = page.send("tools/call", {"name": "work", "arguments": {"steps": 1, "pause": 1.0}})
    until(lambda: page.relay._handle._slots._free == 0, "the slow one runs")
    asked = page.send("tools/call", {"name": "destroy", "arguments": {}})
    until(lambda: page.relay._handle._slots._waiting, "the other waits")
    page.policies["*"] = "ask"
    page.answer(slow)
    page.question()
    page.policies["add"] = "allow"
    assert page.call("add", a=1)["content"]  # whoever is asked about holds no slot
    page.decide("once")
    assert page.answer(asked)["result"]["content"][0]["text"] == "destroyed everything"
    assert len([q for q in page.got("ask") if "type" in q]) == 1


def test_they_show_themselves(kernel: Host) -> None:
    decisions = Decisions()
    assert repr(decisions) == "No decisions yet."
    record = decisions.recorder("lab")
    record("link", "https://example.org/<b>\n", "once", "person")
    assert repr(decisions).splitlines()[-1].split()[1:] == [
        "lab",
        "link",
        "https://example.org/<b>",
        "once",
        "person",
    ]
    assert "&lt;b&gt;" in decisions._repr_html_()
    for _ in range(2500):
        record("approval", "destroy", "deny", "nobody")
    assert len(decisions) == 2000
    assert decisions.counts["approval", "deny"] == 2500
