"""Change events of the 2026 era: their stream follows the subscriptions and survives losses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcpapps_jupyter.host import Host
from mcpapps_jupyter.ports import Caller, ServerEvent
from tests.core.conftest import ERAS, MakeLab
from tests.core.support import command, until


def frames(journal: Path, method: str) -> list[dict[str, Any]]:
    read = [json.loads(line) for line in journal.read_text().splitlines()]
    return [frame for frame in read if frame.get("method") == method]


def wanted(journal: Path) -> list[list[str]]:
    """The resources that each stream was opened for."""
    listens = frames(journal, "subscriptions/listen")
    return [frame["params"]["notifications"].get("resourceSubscriptions", []) for frame in listens]


def test_the_stream_is_opened_anew_for_the_union_of_all_subscriptions(host: Host, folder: Path) -> None:
    journal = folder / "journal"
    app = host.add(command("modern", str(journal)), id="modern").start()
    assert app.connection().protocol_version == "2026-07-28"
    connection = app.connection()

    def subscribe(uri: str, subscriber: str) -> None:
        host.thread.run(connection.subscribe(uri, subscriber, Caller()))

    subscribe("x://b", "one")
    subscribe("x://a", "two")
    subscribe("x://a", "one")
    assert wanted(journal) == [[], ["x://b"], ["x://a", "x://b"]]
    host.thread.run(connection.unsubscribe("x://a", "one"))
    host.thread.run(connection.unsubscribe("x://b", "one"))
    assert wanted(journal)[3:] == [["x://a"]]
    cancelled = until(lambda: c if len(c := frames(journal, "notifications/cancelled")) == 3 else None)
    assert len({frame["params"]["requestId"] for frame in cancelled}) == 3
    app.restart()
    until(lambda: wanted(journal)[-1] == ["x://a"], "the subscription of the new server")


def test_a_broken_stream_is_opened_again_and_everything_is_looked_at_anew(host: Host, folder: Path) -> None:
    journal = folder / "journal"
    app = host.add(command("modern", str(journal)), id="modern").start()
    host.thread.run(app.connection().subscribe("x://a", "one", Caller()))
    heard: list[ServerEvent] = []
    app.listen(heard.append)
    assert not app.catalogue.tool("after-2")
    app.call("break")
    until(lambda: app.catalogue.tool("after-2"), "the new listing")
    until(lambda: len(heard) == 4, "the news")
    kinds = sorted(event.kind for event in heard)
    assert kinds == [
        "prompts/list_changed",
        "resources/list_changed",
        "resources/updated",
        "tools/list_changed",
    ]
    assert [event.params for event in heard if event.kind == "resources/updated"] == [{"uri": "x://a"}]
    assert wanted(journal)[-1] == ["x://a"]


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_stopping_ends_the_stream_at_once(lab: MakeLab, transport: str) -> None:
    app = lab(transport).start()
    app.stop()
    assert app.start().call("add", a=1).data == 2


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", ["stdio", "http", "inprocess"])
@pytest.mark.parametrize("said", ["cancel", "decline", "accept"])
def test_a_question_may_be_a_link(lab: MakeLab, host: Host, transport: str, era: str, said: str) -> None:
    asked: list[Any] = []

    def answer(question: Any) -> Any:
        asked.append((question.mode, question.url, question.schema, question.message))
        return {} if said == "accept" else said

    host.on_elicitation(answer)
    app = lab(transport, era)
    assert app.call("visit", url="https://example.org/login").text == said
    assert asked == [("url", "https://example.org/login", None, "Log in there")]


def test_listeners_of_an_app_can_be_taken_away(lab: MakeLab) -> None:
    app = lab("inprocess").start()
    heard: list[str] = []
    forget: Callable[[], None] = app.listen(lambda event: heard.append(event.kind))
    app.call("grow", name="one")
    until(lambda: heard == ["tools/list_changed"], "the news")
    forget()
    forget()
    app.call("grow", name="two")
    until(lambda: app.catalogue.tool("two"), "the new tool")
    assert len(heard) == 1
