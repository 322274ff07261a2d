"""A page is saved as a trace and shown again without its server, in both eras."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

import mcpapps_jupyter as mcpapps
from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import InvalidArguments
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.replaying import recorded_server, replay
from mcpapps_jupyter.trace import FORMAT, Trace, masked, read_trace
from tests.core.conftest import ERAS, new_host, settle_in
from tests.core.pages import OpenPage
from tests.core.servers.lab import HTML, PAGE, build
from tests.core.support import command, until

Message = dict[str, Any]
SECRET = "hunter2hunter2"
VENDOR = {"content": [], "structuredContent": {"n": 1}, "_meta": {"m": 1}, "x-vendor": [None, 1.5]}


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        settle_in(tmp_path_factory.mktemp("notebook"), monkeypatch)
        host = new_host()
        yield host
        host.close()


@pytest.fixture(scope="module")
def trace_file(kernel: Host, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a page of the lab server said, and was told, with a secret in it."""
    app = kernel.add(command("lab"), id="lab", environment={"TOKEN": SECRET}, protocol="legacy")
    page = OpenPage(kernel, app, arguments={"storeId": 2}).start()
    page.call_tool()
    assert page.call("count")["structuredContent"] == {"result": 2}
    assert page.call("count")["structuredContent"] == {"result": 3}
    page.call("environment", name="TOKEN")
    page.call("fail")
    page.request("resources/read", {"uri": "lab://numbers"})
    page.refused("resources/read", {"uri": "lab://nowhere"})
    page.request("prompts/get", {"name": "greet", "arguments": {"name": "Ann"}})
    page.refused("tools/call", {"name": "nope", "arguments": {}})
    page.finish(VENDOR)
    path = page.relay.traffic.save(tmp_path_factory.mktemp("traces") / "trace.json")
    app.stop()
    return path


@pytest.fixture
def trace(trace_file: Path) -> Message:
    return json.loads(trace_file.read_text())


# -- the file ----------------------------------------------------------------------------------


def test_the_trace_holds_the_page_what_opened_it_and_every_message(trace: Message) -> None:
    assert (trace["format"], trace["version"], trace["uri"]) == (FORMAT, 1, PAGE)
    assert trace["app"]["id"] == "lab"
    assert trace["app"]["server"]["version"] == "3.1"
    assert trace["tool"]["name"] == "open_page"
    assert trace["arguments"] == {"storeId": 2}
    assert trace["result"] == VENDOR
    assert trace["page"]["html"] == HTML
    assert "default-src 'none'" in trace["page"]["policy"]
    assert {tool["name"] for tool in trace["listings"]["tools"]} >= {"count", "open_page", "environment"}
    assert trace["dropped"] == 0
    first = trace["messages"][0]
    assert (first["method"], first["direction"]) == ("ui/initialize", "in")
    answers = [each for each in trace["messages"] if each["method"] == "tools/call" and each["status"]]
    assert [each["status"] for each in answers] == ["ok", "ok", "ok", "error", "error"]
    assert all(each["durationMs"] >= 0 and each["at"].endswith("Z") for each in answers)


def test_no_secret_is_in_the_trace(trace_file: Path) -> None:
    text = trace_file.read_text()
    assert SECRET not in text
    assert "•••" in text


def test_secrets_are_masked_wherever_they_are() -> None:
    wild = {
        "123456": [123456, 1.5, True, None, float("nan"), float("inf")],
        "b": ("x 123456 y", {"c": 0.123456}),
    }
    assert masked(wild, lambda text: text.replace("123456", "•••")) == {
        "•••": ["•••", 1.5, True, None, None, None],
        "b": ["x ••• y", {"c": "0.•••"}],
    }


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere/trace.json", "There is no folder .*nowhere"),
        (".", "is a folder"),
        ("../traces", "is a folder"),
    ],
)
def test_a_place_that_cannot_be_written_is_one_line(
    kernel: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, said: str
) -> None:
    (tmp_path / "traces").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    kernel.add(build(), id="other")
    page = OpenPage(kernel, kernel["other"])
    with pytest.raises(InvalidArguments, match=said) as error:
        page.relay.traffic.save(path)
    assert "\n" not in str(error.value)
    assert list((tmp_path / "here").iterdir()) == []
    page.close()


def test_saving_again_replaces_and_a_filtered_table_saves_what_it_holds(kernel: Host, tmp_path: Path) -> None:
    kernel.add(build(), id="other")
    page = OpenPage(kernel, kernel["other"]).start()
    page.call("count")
    page.call("add", a=1)
    path = page.relay.traffic.save(tmp_path / "trace.json")
    count = len(read_trace(path).messages)
    page.relay.traffic.filter(text="count").save(path)
    smaller = read_trace(path)
    assert 0 < len(smaller.messages) < count
    assert smaller.dropped == count - len(smaller.messages)
    assert [each.name for each in tmp_path.iterdir()] == ["trace.json"]
    page.close()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1, 2]", 'is no trace: it has no "format"'),
        ("{", "is no trace: it is not JSON"),
        (json.dumps({"format": FORMAT}), "the version of the trace is missing"),
        (
            json.dumps({"format": FORMAT, "version": 2, "uri": "ui://x"}),
            "the trace has version 2; this version",
        ),
        (json.dumps({"format": FORMAT, "version": 1}), "the trace names no page"),
    ],
)
def test_a_file_that_is_no_trace_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text)
    with pytest.raises(InvalidArguments, match=said) as error:
        read_trace(path)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidArguments, match=r"nowhere\.json cannot be read: No such file"):
        mcpapps.replay(tmp_path / "nowhere.json")
    with pytest.raises(InvalidArguments, match="This object is no trace"):
        read_trace({"some": "dict"})


# -- the server --------------------------------------------------------------------------------


def with_client(trace: Trace, mode: str, work: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Client(recorded_server(trace), mode=mode) as client:
            await work(client)

    asyncio.run(asyncio.wait_for(run(), 30))


@pytest.mark.parametrize("mode", ERAS)
def test_recorded_answers_come_in_their_order_and_the_last_one_for_ever(trace_file: Path, mode: str) -> None:
    async def work(client: Client) -> None:
        counts = [(await client.call_tool("count", {})).structured_content for _ in range(4)]
        assert counts == [{"result": 2}, {"result": 3}, {"result": 3}, {"result": 3}]
        opened = await client.call_tool("open_page", {"storeId": 2.0})
        assert opened.structured_content == {"n": 1}
        failed = await client.call_tool("fail", {})
        assert failed.is_error
        assert "no eggs left" in failed.content[0].text
        read = await client.read_resource("lab://numbers")
        assert read.contents[0].text == "[1, 2, 3]"
        prompt = await client.get_prompt("greet", {"name": "Ann"})
        assert "Say hello to Ann" in prompt.messages[0].content.text

    with_client(read_trace(trace_file), mode, work)


@pytest.mark.parametrize("mode", ERAS)
def test_listings_and_page_are_served_as_they_were(trace_file: Path, mode: str) -> None:
    async def work(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert tools[0].name == "open_page"
        assert tools[0].meta == {"ui": {"resourceUri": PAGE}}
        assert {tool.name for tool in tools} >= {"add", "count", "destroy"}
        assert "nope" not in {tool.name for tool in tools}
        assert {str(each.uri) for each in (await client.list_resources()).resources} >= {PAGE}
        assert (await client.list_resource_templates()).resource_templates
        assert [each.name for each in (await client.list_prompts()).prompts] == ["greet"]
        page = (await client.read_resource(PAGE)).contents[0]
        assert (page.mime_type, page.text) == ("text/html;profile=mcp-app", HTML)

    with_client(read_trace(trace_file), mode, work)


@pytest.mark.parametrize("mode", ERAS)
def test_what_the_trace_does_not_have_is_said_in_words(trace_file: Path, mode: str) -> None:
    async def work(client: Client) -> None:
        unknown = await client.call_tool("count", {"by": 2})
        assert unknown.is_error
        assert unknown.content[0].text == 'The trace has no answer to count {"by": 2}. It has: count'
        for attempt, said in [
            (client.call_tool("zork", {}), "The trace has no answer to zork. It has: "),
            (client.read_resource("lab://nowhere"), "nowhere"),
            (
                client.read_resource("lab://else"),
                "The trace has no answer to lab://else. It has: lab://numbers",
            ),
            (
                client.get_prompt("greet", {"name": "Bob"}),
                'no answer to greet {"name": "Bob"}. It has: greet',
            ),
        ]:
            with pytest.raises(MCPError, match=re.escape(said)):
                await attempt

    with_client(read_trace(trace_file), mode, work)


def test_a_trace_written_by_hand_needs_only_a_page_and_its_calls() -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "roll"}}
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "structuredContent": {"eyes": 6}}}
    trace = Trace.from_wire(
        {
            "format": FORMAT,
            "version": 1,
            "uri": "ui://dice",
            "page": {"html": "<p>Dice"},
            "messages": [
                {"direction": "in", "message": call},
                {"direction": "out", "message": answer},
                3,
                {},
            ],
        }
    )

    async def work(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["roll"]
        assert (await client.call_tool("roll", {})).structured_content == {"eyes": 6}
        assert (await client.read_resource("ui://dice")).contents[0].text == "<p>Dice"

    with_client(trace, "auto", work)


def test_a_page_that_was_never_loaded_is_said_to_be_missing() -> None:
    async def work(client: Client) -> None:
        with pytest.raises(MCPError, match="the page was never loaded"):
            await client.read_resource("ui://dice")

    with_client(Trace(app={}, uri="ui://dice"), "auto", work)


# -- the app -----------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
def test_the_page_opens_again_with_its_arguments_and_gets_what_it_got(
    kernel: Host, trace_file: Path, era: str
) -> None:
    app = replay(trace_file, f"again-{era}", host=kernel)
    if era == "legacy":
        kernel.add(app.definition.server, id=app.id, protocol="legacy", uiResourceUri=PAGE)
        app = replay(trace_file, app.id, host=kernel)
    page = OpenPage(kernel, app, None, app.opening_arguments(None, {})).start()
    page.call_tool()
    assert page.told("ui/notifications/tool-input") == [{"arguments": {"storeId": 2}}]
    result = page.told("ui/notifications/tool-result")[0]
    assert {**result, "_meta": {"m": 1}} == VENDOR
    assert [page.call("count")["structuredContent"]["result"] for _ in range(3)] == [2, 3, 3]
    assert page.call("count", by=2)["isError"]
    assert page.refused("resources/read", {"uri": "lab://nowhere"})["code"] == -32602
    assert page.got("open")[0]["page"]["html"] == HTML
    page.close()


def test_a_bare_open_shows_what_was_recorded(kernel: Host, trace: Message) -> None:
    app = replay(trace, host=kernel)
    assert (app.id, app.name) == ("lab-replay", "lab (replay)")
    view = app.open()
    view.wait_for_result(10)
    assert view.arguments == {"storeId": 2}
    assert view.result.structured == {"n": 1}
    view.close()
    with pytest.raises(InvalidArguments):
        app.open("open_page", storeId="two")


def test_the_cell_can_be_run_again(kernel: Host, trace: Message) -> None:
    first: App = replay(trace, "twice", host=kernel).start()
    assert first.call("count").data == 2
    again = replay(trace, "twice", host=kernel)
    assert again is first
    assert again.call("count").data == 2  # from the beginning
    assert until(lambda: str(again.state) == "Running")


def test_importing_us_does_not_import_the_replaying() -> None:
    code = "import sys, mcpapps_jupyter as m; m.replay; print('mcpapps_jupyter.replaying' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
