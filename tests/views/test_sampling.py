"""What a page asks of the user's model: only where one is set, only after a yes, one request at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.host import Host
from tests.core.support import until
from tests.views.tab import Open

SAMPLE = "sampling/createMessage"
ASKED = {
    "messages": [{"role": "user", "content": {"type": "text", "text": "What is an egg?"}}],
    "maxTokens": 9,
}


@pytest.fixture(autouse=True)
def _no_model_afterwards(kernel: Host) -> Iterator[None]:
    yield
    kernel.set_model(None)


def test_without_a_model_there_is_no_such_method_and_no_capability(open_tab: Open) -> None:
    tab = open_tab()
    assert "sampling" not in tab.got("open")[-1]["hostCapabilities"]
    assert tab.refused(SAMPLE, ASKED)["code"] == -32601


def test_the_model_answers_after_a_yes_that_holds_for_the_app(kernel: Host, open_tab: Open) -> None:
    kernel.set_model(lambda params: f"{params['messages'][0]['content']['text']} Food.")
    tab, other = open_tab(), open_tab()
    assert tab.got("open")[-1]["hostCapabilities"]["sampling"] == {}
    request = tab.send(SAMPLE, ASKED)
    assert "What is an egg?" in tab.question()["text"]
    tab.decide("accept")
    result = tab.answer(request)["result"]
    assert result["content"] == {"type": "text", "text": "What is an egg? Food."}
    assert other.request(SAMPLE, ASKED) == result


def test_a_no_is_said_to_the_page(kernel: Host, open_tab: Open) -> None:
    kernel.set_model(lambda params: pytest.fail("the person said no"))
    tab = open_tab()
    request = tab.send(SAMPLE, ASKED)
    tab.decide("decline")
    assert "did not let" in tab.answer(request)["error"]["message"]


@pytest.mark.parametrize("answer", [{"role": "nobody"}, None, 5])
def test_what_is_no_answer_is_an_error_in_words(kernel: Host, open_tab: Open, answer: Any) -> None:
    kernel.set_model(lambda params: answer, ask=False)
    assert "the model" in open_tab().refused(SAMPLE, ASKED)["message"]


@pytest.mark.parametrize("messages", [None, "x", [1]])
def test_malformed_requests_reach_no_model(kernel: Host, open_tab: Open, messages: Any) -> None:
    kernel.set_model(lambda params: pytest.fail("it was malformed"), ask=False)
    assert open_tab().refused(SAMPLE, {"messages": messages})["code"] == -32602


def test_one_at_a_time_and_the_page_s_calls_go_on(kernel: Host, app: App, open_tab: Open) -> None:
    running: list[int] = []
    enough = threading.Event()

    def model(params: dict[str, Any]) -> str:
        running.append(1)
        enough.wait(30)
        return "done"

    kernel.set_model(model, ask=False)
    tab = open_tab()
    requests = [tab.send(SAMPLE, ASKED) for _ in range(3)]
    until(lambda: running, "the first request")
    assert tab.call("add", a=1)["structuredContent"] == {"result": 2}
    assert len(running) == 1
    enough.set()
    assert all("result" in tab.answer(each) for each in requests)
    assert len(running) == 3
