"""What a page has told the model: kept for documents that come later, taken once, taken away."""

from __future__ import annotations

from typing import Any

import pytest

from mcpapps_jupyter.host import Host
from tests.views.tab import Open, Tab, greet

UPDATE = "ui/update-model-context"
CHANGED = "ui/notifications/host-context-changed"
KEY = "mcpapps-jupyter/modelContext"
PICKED = {"content": [{"type": "text", "text": "three eggs"}], "structuredContent": {"picked": [3]}}


@pytest.fixture
def tab(open_tab: Open) -> Tab:
    return open_tab()


def given_back(tab: Tab) -> list[Any]:
    return [params["_meta"][KEY] for params in tab.told(CHANGED)]


def test_a_document_that_starts_anew_gets_it_back_before_anything_else(tab: Tab) -> None:
    tab.request(UPDATE, PICKED)
    assert given_back(tab) == [], "who said it knows it"
    before = len(tab.got("rpc"))
    greet(tab)
    assert given_back(tab) == [PICKED]
    methods = [message["method"] for message in tab.got("rpc")[before:] if "method" in message]
    assert methods[:2] == [CHANGED, "ui/notifications/tool-input"]
    tab.request(UPDATE, {})
    greet(tab)
    assert given_back(tab) == [PICKED], "what the page has cleared is not there"


def test_a_model_gets_it_once(kernel: Host, tab: Tab) -> None:
    label = f"{tab.app.id} {tab.view.tool}"
    assert kernel.take_context() == {}
    tab.request(UPDATE, PICKED)
    assert kernel.take_context(tab.app.id)[label].text == "three eggs"
    assert kernel.take_context() == {}
    tab.request(UPDATE, PICKED)
    assert kernel.take_context() == {}, "the same again is no news"
    tab.request(UPDATE, {"structuredContent": {"picked": []}})
    assert tab.view.take_context().data == {"picked": []}
    assert kernel.context()[label].data == {"picked": []}, "it stays to be read"


def test_it_can_be_taken_away_and_the_page_is_told(kernel: Host, tab: Tab, open_tab: Open) -> None:
    other = open_tab()
    for each in (tab, other):
        each.request(UPDATE, PICKED)
    tab.view.forget_context()
    assert tab.view.model_context is None
    assert given_back(tab) == [None]
    assert other.view.model_context is not None
    tab.view.forget_context()
    assert given_back(tab) == [None], "there is nothing to take away"
    kernel.forget_context(tab.app.id)
    assert given_back(other) == [None]
    assert kernel.context() == {}


def test_the_pages_of_an_app_share_one_limit(kernel: Host, open_tab: Open) -> None:
    kernel.config.max_context_bytes = 1000
    try:
        first, second = open_tab(), open_tab()
        text = {"structuredContent": {"text": "x" * 600}}
        assert first.request(UPDATE, text) == {}
        error = second.refused(UPDATE, text)
        assert "with those of the app's other pages; the limit is 1,000" in error["message"]
        assert first.request(UPDATE, text) == {}, "one's own old context does not count"
        first.view.close()
        assert second.request(UPDATE, text) == {}
    finally:
        kernel.config.max_context_bytes = 6 * 2**20
