"""What a page may ask, who answers it, and what never gets through."""

from __future__ import annotations

import json
import time

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.host import Host
from tests.core.conftest import ERAS
from tests.core.pages import FRAME, OpenPage
from tests.core.servers.lab import HTML, PAGE
from tests.core.support import until


@pytest.fixture(params=ERAS)
def app(kernel: Host, request: pytest.FixtureRequest) -> App:
    return kernel[request.param]


@pytest.fixture
def page(kernel: Host, app: App) -> OpenPage:
    return OpenPage(kernel, app).start()


def by_hand(kernel: Host, **options: object) -> OpenPage:
    """A page of a server that writes down all that it reads."""
    kernel["by-hand"].start()
    page = OpenPage(kernel, kernel["by-hand"], "ui://by-hand/none.html", **options)
    page.put("open", {})
    page.handshake()
    return page


def journal(kernel: Host) -> list[dict[str, object]]:
    path = kernel.config.notebook_dir() / "journal"
    return [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")]


# -- the server ------------------------------------------------------------------------------------


def test_results_come_as_the_server_sent_them(kernel: Host) -> None:
    result = by_hand(kernel).call("vendor")
    assert result == {
        "content": [{"type": "text", "text": "x", "x-item": None, "annotations": {"priority": 1}}],
        "x-vendor": {"n": 1, "none": None},
        "_meta": {"m": [1]},
        "isError": True,
    }


def test_errors_of_the_server_come_with_their_code_and_data(kernel: Host) -> None:
    error = by_hand(kernel).refused("tools/call", {"name": "-32000", "arguments": {}})
    assert (error["code"], error["data"]) == (-32000, {"why": 1})
    assert "a rule of the house" in error["message"]


@pytest.mark.elsewhere("a2ui-project/a2ui#1949")
def test_an_unknown_method_is_answered_by_the_host_alone(kernel: Host) -> None:
    page = by_hand(kernel)
    for method in ("ui/foo", "tools/foo", "initialize", "logging/setLevel", "server/discover", ""):
        error = page.refused(method, {})
        assert error["code"] == -32601
    assert not [m for m in journal(kernel) if m.get("method") in ("ui/foo", "tools/foo", "")]


def test_what_speaks_for_the_client_never_goes_upstream(kernel: Host) -> None:
    page = by_hand(kernel)
    meta = {"progressToken": 1, "io.modelcontextprotocol/logLevel": "debug", "x-mine": 1}
    params = {"name": "echo", "arguments": {"marker": "meta"}, "_meta": meta}
    page.request("tools/call", {**params, "inputResponses": {"a": {}}, "requestState": "s", "task": {}})
    sent = next(m for m in journal(kernel) if "marker" in json.dumps(m))["params"]
    assert set(sent) == {"name", "arguments", "_meta"}
    assert sent["_meta"]["x-mine"] == 1
    assert "io.modelcontextprotocol/logLevel" not in sent["_meta"]
    assert sent["_meta"].get("progressToken") != 1 or isinstance(sent["_meta"]["progressToken"], int)


def test_arguments_arrive_as_the_page_sent_them_nulls_included(kernel: Host) -> None:
    page = by_hand(kernel)
    arguments = {"a": None, "b": [None, {"c": None}], "d": 1.0, "e": "ü😀", "f": 2**60}
    result = page.request("tools/call", {"name": "echo", "arguments": arguments})
    assert json.loads(result["content"][0]["text"]) == arguments


def test_a_cancelled_request_is_cancelled_at_the_server_and_not_answered(kernel: Host) -> None:
    page = by_hand(kernel)
    asked = page.send("tools/call", {"name": "hang", "arguments": {"marker": "cancel"}})
    sent = until(lambda: [m for m in journal(kernel) if '"cancel"' in json.dumps(m)], "the call")[0]
    page.notify("notifications/cancelled", {"requestId": asked})
    until(
        lambda: [
            m
            for m in journal(kernel)
            if m.get("method") == "notifications/cancelled" and m["params"]["requestId"] == sent["id"]
        ],
        "the cancellation",
    )
    assert page.answers(asked) == []
    assert page.call("add", a=1)["structuredContent"] == {"result": 2}


def test_the_page_calls_tools_of_its_own_server_on_the_cells_session(page: OpenPage, app: App) -> None:
    first = page.call("count")["structuredContent"]["result"]
    assert app.call("count").data == first + 1
    assert page.call("count")["structuredContent"]["result"] == first + 2


def test_a_tool_for_models_only_is_refused_and_the_server_never_sees_it(page: OpenPage, app: App) -> None:
    error = page.refused("tools/call", {"name": "model_only", "arguments": {}})
    assert error["code"] == -32602
    assert "model_only was called" not in app.call("subscriptions").data
    assert page.call("app_only")["structuredContent"] == {"result": "for pages"}


def test_the_page_sees_tools_for_pages_and_models_those_for_models(
    page: OpenPage, kernel: Host, app: App
) -> None:
    seen = {tool["name"] for tool in page.request("tools/list")["tools"]}
    assert "app_only" in seen
    assert "model_only" not in seen
    offered = {tool.tool.name for tool in kernel.tools.listing([app.id])}
    assert "model_only" in offered
    assert "app_only" not in offered


@pytest.mark.elsewhere("vercel/ai#15996")
def test_an_unknown_tool_and_a_prefixed_name_are_refused(page: OpenPage) -> None:
    for name in ("nope", "lab.add", "x.add"):
        error = page.refused("tools/call", {"name": name, "arguments": {}})
        assert (error["code"], error["message"]) == (-32602, f"Unknown tool: {name}")


def test_a_tool_that_the_server_has_just_added_is_found(page: OpenPage, app: App) -> None:
    name = f"late_{app.id}"
    server = app.definition.server
    server.add_tool(lambda: "here", name=name)  # without telling anybody
    assert page.call(name)["content"][0]["text"] == "here"


@pytest.mark.parametrize(
    "params",
    [{}, {"name": 1}, {"name": "add", "arguments": []}, {"name": None}, {"name": "add", "arguments": "x"}],
)
def test_bad_params_of_a_tool_call(page: OpenPage, params: object) -> None:
    assert page.refused("tools/call", params)["code"] == -32602


@pytest.mark.parametrize("params", [[], "x", 1, True])
def test_params_that_are_no_object(page: OpenPage, params: object) -> None:
    assert page.refused("tools/call", params)["code"] == -32602


def test_resources_and_prompts_are_relayed(page: OpenPage) -> None:
    read = page.request("resources/read", {"uri": PAGE})
    assert read["contents"][0]["text"] == HTML
    assert any(entry["uri"] == PAGE for entry in page.request("resources/list")["resources"])
    templates = page.request("resources/templates/list")["resourceTemplates"]
    assert [entry["uriTemplate"] for entry in templates] == ["lab://number/{n}"]
    assert [entry["name"] for entry in page.request("prompts/list")["prompts"]] == ["greet"]
    got = page.request("prompts/get", {"name": "greet", "arguments": {"name": "Ada"}})
    assert got["messages"][0]["content"]["text"] == "Say hello to Ada, glad."


def test_progress_goes_to_the_asking_frame_with_the_pages_own_token(page: OpenPage) -> None:
    page.start("f-2")
    for frame, token in ((FRAME, 1), ("f-2", "mine")):
        params = {"name": "work", "arguments": {"steps": 3}, "_meta": {"progressToken": token}}
        page.request("tools/call", params, frame)
        told = until(lambda f=frame: t if len(t := page.told("notifications/progress", f)) == 3 else None)
        assert told == [
            {"progressToken": token, "progress": n, "total": 3, "message": f"step {n:g}"}
            for n in (1.0, 2.0, 3.0)
        ]


def test_progress_of_a_cell_is_not_told_to_pages(page: OpenPage, app: App) -> None:
    app.call("work", steps=5)
    page.request("tools/call", {"name": "work", "arguments": {"steps": 2}})  # without a token
    assert page.told("notifications/progress") == []


def test_changed_lists_are_told_to_every_frame(page: OpenPage, app: App) -> None:
    page.start("f-2")
    app.call("grow", name=f"new_{app.id}_{time.monotonic_ns()}")
    for frame in (FRAME, "f-2"):
        until(lambda f=frame: page.told("notifications/tools/list_changed", f), "the news")


def test_updates_go_to_the_frames_that_subscribed(page: OpenPage, app: App) -> None:
    page.start("f-2")
    assert page.request("resources/subscribe", {"uri": "lab://numbers"}) == {}
    app.call("touch", uri="lab://numbers")
    until(lambda: page.told("notifications/resources/updated") == [{"uri": "lab://numbers"}], "the update")
    assert page.told("notifications/resources/updated", "f-2") == []
    page.request("resources/subscribe", {"uri": "lab://numbers"}, "f-2")
    assert page.request("resources/unsubscribe", {"uri": "lab://numbers"}) == {}
    app.call("touch", uri="lab://numbers")
    until(lambda: page.told("notifications/resources/updated", "f-2"), "the update of the other")
    assert len(page.told("notifications/resources/updated")) == 1
    page.put("gone", {}, "f-2")
    until(lambda: not app._subscriptions, "the end of the last subscription")


# -- shapes of messages ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        {"id": 1, "method": "ping"},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": [1], "method": "ping"},
        {"jsonrpc": "2.0", "id": {}, "method": "ping"},
        {"jsonrpc": "2.0", "id": float("inf"), "method": "ping"},
        {"jsonrpc": "2.0"},
        {"jsonrpc": "2.0", "method": 5},
        [],
        "ping",
        None,
        7,
    ],
)
def test_what_is_no_json_rpc_is_answered_once_and_changes_nothing(page: OpenPage, message: object) -> None:
    page.put("rpc", message)
    answers = [m for m in page.got("rpc", FRAME) if "error" in m]
    assert [(m["id"], m["error"]["code"]) for m in answers] == [(None, -32600)]
    assert page.request("ping") == {}


def test_a_request_that_cannot_be_read_is_refused_under_its_id(page: OpenPage) -> None:
    page.put("rpc", {"jsonrpc": "2.0", "id": 3, "method": 5})
    assert page.answer(3)["error"]["code"] == -32600
    nested: list[object] = []
    for _ in range(5000):
        nested = [nested]
    for levels, request_id in ((nested, 4), ([nested], "5")):
        params = {"name": "echo", "arguments": {"value": levels}}
        page.put("rpc", {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params})
        assert page.answer(request_id)["error"]["code"] == -32600
    assert page.request("ping") == {}


def test_half_a_character_in_the_context_is_replaced(page: OpenPage) -> None:
    half = {"content": [{"type": "text", "text": "a\ud800"}], "structuredContent": {"\udc00": "b"}}
    assert page.request("ui/update-model-context", half) == {}


def test_an_id_that_is_still_in_use_is_refused(page: OpenPage) -> None:
    page.send("tools/call", {"name": "work", "arguments": {"steps": 1, "pause": 0.3}}, request_id="same")
    page.send("ping", request_id="same")
    assert page.answer("same")["error"]["code"] == -32600
    until(lambda: len(page.answers("same")) == 2, "the first answer")


def test_ids_keep_their_type(page: OpenPage) -> None:
    for request_id in ("7", 7, 1.5, -3, "", "ü"):
        page.send("ping", request_id=request_id)
        (answer,) = page.answers(request_id)
        assert type(answer["id"]) is type(request_id)


def test_answers_that_nobody_asked_for_and_odd_notifications_are_ignored(page: OpenPage) -> None:
    before = len(page.got("rpc"))
    page.put("rpc", {"jsonrpc": "2.0", "id": "host-1", "result": {}})
    page.put("rpc", {"jsonrpc": "2.0", "id": 1, "error": {"code": "x"}})
    page.notify("ui/notifications/size-change", {"height": 1})
    page.notify("ui/notifications/sandbox-resource-ready", {"html": "<script>"})
    page.notify("notifications/cancelled", {"requestId": [1]})
    page.notify("notifications/cancelled", {"requestId": 999})
    page.notify("notifications/message", [1])
    page.put("nonsense", {})
    page.put("answer", "x")
    page.put("state", None)
    assert len(page.got("rpc")) == before
    assert page.request("ping") == {}


def test_the_pages_log_goes_into_the_apps_log(page: OpenPage, app: App) -> None:
    page.notify("notifications/message", {"level": "warning", "data": {"eggs": 1}})
    page.notify("notifications/message", {"level": "\x1b[31m" * 99, "data": "plain"})
    entries = [(entry.level, entry.text) for entry in app.log if entry.source == "page"]
    assert entries[-2:] == [("warning", '{"eggs": 1}'), ("info", "plain")]


def test_a_request_in_hand_is_said_to_be_pending(page: OpenPage) -> None:
    asked = page.send("tools/call", {"name": "work", "arguments": {"steps": 1, "pause": 1.5}})
    until(lambda: {"ids": [asked]} in page.got("pending", FRAME), "the sign of life")
    page.answer(asked)
