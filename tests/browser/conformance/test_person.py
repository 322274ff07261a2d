"""What takes a person: messages, links, files, questions, the window; and what Python does with a page."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Frame

    from .raw_app import RawApp

#: What the server's ``raw://pixels`` has.
PIXELS = bytes(range(256))


def ask(page: Frame, method: str, params: Any) -> None:
    """Let the page ask; its answer will be in ``window.answer``."""
    page.evaluate(
        """([method, params]) => {
            window.answer = null;
            void request(method, params).then((answer) => { window.answer = answer; });
        }""",
        [method, params],
    )


def answer(app: RawApp, page: Frame) -> Any:
    """The answer to what the page asked."""
    app.wait(page, "window.answer")
    return page.evaluate("answer")


def test_a_message_is_sent_by_the_person_while_a_cell_waits_for_it(app: RawApp) -> None:
    page = app.open()
    cell = app.lab.append("print(view.wait_for('message', timeout=60)['content'][0]['text'])")
    app.lab.start(cell)
    content = [{"type": "text", "text": "three eggs"}]
    ask(page, "ui/message", {"role": "user", "content": content})
    app.lab.page.wait_for_selector(".mcpapp-strip:has-text('three eggs')")
    declined = page.evaluate("(content) => request('ui/message', { role: 'user', content })", content)
    assert declined["result"] == {"isError": True}, "one at a time"
    app.lab.press("Send")
    assert answer(app, page)["result"] == {}
    assert app.lab.wait(cell) == "three eggs\n"
    ask(page, "ui/message", {"role": "user", "content": content})
    app.lab.press("Cancel")
    assert answer(app, page)["result"] == {"isError": True}
    assert app.python("len(view.messages)") == 1


def test_a_link_opens_beside_the_notebook(app: RawApp) -> None:
    page = app.open()
    url = f"{app.lab.server.url}/api"
    ask(page, "ui/open-link", {"url": url})
    with app.lab.page.context.expect_page() as opened:
        app.lab.press("Open")
    tab = opened.value
    tab.wait_for_load_state()
    assert [tab.url, tab.evaluate("opener"), tab.evaluate("document.referrer")] == [url, None, ""]
    tab.close()
    assert answer(app, page)["result"] == {}


FILES = {
    "text": (
        {"type": "resource", "resource": {"uri": "file:///a/b.txt", "text": "ä€😀"}},
        "b.txt",
        "ä€😀".encode(),
    ),
    "blob": (
        {"type": "resource", "resource": {"uri": "x://p.png", "blob": base64.b64encode(PIXELS).decode()}},
        "p.png",
        PIXELS,
    ),
    "link": ({"type": "resource_link", "uri": "raw://pixels", "name": "../../p<i>.png"}, "p_i_.png", PIXELS),
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.elsewhere("modelcontextprotocol/ext-apps#475")
def test_a_file_is_saved_with_its_bytes(app: RawApp, kind: str) -> None:
    content, name, data = FILES[kind]
    page = app.open()
    ask(page, "ui/download-file", {"contents": [content]})
    with app.lab.page.expect_download() as download:
        app.lab.press("Save")
    assert download.value.suggested_filename == name
    assert Path(download.value.path()).read_bytes() == data
    assert answer(app, page)["result"] == {}
    ask(page, "ui/download-file", {"contents": [content]})
    app.lab.press("Cancel")
    assert answer(app, page)["result"] == {"isError": True}


@pytest.mark.elsewhere("modelcontextprotocol/ext-apps#511")
def test_a_question_of_the_server_during_a_page_s_call(app: RawApp) -> None:
    page = app.open()
    ask(page, "tools/call", {"name": "ask", "arguments": {}})
    field = app.lab.page.get_by_label("colour")
    field.scroll_into_view_if_needed()
    field.fill("blue")
    app.lab.screenshot("elicitation")
    app.lab.press("Submit")
    text = answer(app, page)["result"]["content"][0]["text"]
    assert text == '{"action": "accept", "content": {"colour": "blue"}}'
    assert page.evaluate("request('ping')")["result"] == {}


@pytest.mark.elsewhere("different-ai/openwork#3700")
def test_a_tool_that_destroys_asks_with_its_arguments(app: RawApp) -> None:
    page = app.open()
    ask(page, "tools/call", {"name": "destroy", "arguments": {"what": "eggs"}})
    strip = app.lab.page.wait_for_selector(".mcpapp-strip:has-text('destroy')")
    assert '"what": "eggs"' in strip.inner_text()
    app.lab.press("Deny")
    assert "not approved" in answer(app, page)["error"]["message"]
    assert app.called("destroy") == []
    ask(page, "tools/call", {"name": "destroy", "arguments": {}})
    app.lab.press("Allow while open")
    assert "result" in answer(app, page)
    assert "result" in page.evaluate("request('tools/call', { name: 'destroy', arguments: {} })")
    assert len(app.called("destroy")) == 2


@pytest.mark.elsewhere("aaif-goose/goose#6818")
def test_the_page_is_as_wide_as_its_cell_again_after_it_was_narrow(app: RawApp) -> None:
    page = app.open()
    tab = app.lab.page
    before = page.evaluate("innerWidth")
    told = "seen.findLast(({ params }) => params?.containerDimensions)?.params.containerDimensions.width"
    page.evaluate("notify('ui/notifications/size-changed', { width: 300, height: 200 })")
    tab.set_viewport_size({"width": 900, "height": 900})
    app.wait(page, f"{told} < {before}")
    tab.set_viewport_size({"width": 1280, "height": 900})
    app.lab.wait_until(lambda: page.evaluate("innerWidth") == before, "as wide as before")
    app.wait(page, f"{told} === {before}")


TOOLS = """() => {
    const inputSchema = { type: "object", properties: { colour: { type: "string" } } };
    addEventListener("message", ({ data }) => {
        const reply = (result) => say({ jsonrpc: "2.0", id: data.id, result });
        if (data.method === "tools/list") reply({ tools: [{ name: "paint", inputSchema }] });
        if (data.method !== "tools/call") return;
        document.body.style.background = data.params.arguments.colour;
        reply({ content: [{ type: "text", text: "painted" }], structuredContent: data.params });
    });
    return request("ui/initialize", { ...HELLO, appCapabilities: { tools: { listChanged: true } } })
        .then(() => notify("ui/notifications/initialized", {}));
}"""


@pytest.mark.elsewhere("modelcontextprotocol/ext-apps#676")
def test_a_page_s_own_tools_are_called_from_python(app: RawApp) -> None:
    page = app.open()
    page.evaluate(TOOLS)
    app.lab.run_new("view.wait_for('initialized', timeout=60)")
    assert app.python("[tool.name for tool in view.tools()]") == ["paint"]
    painted = app.python("view.call_tool('paint', colour='rgb(1, 2, 3)').raw")
    assert painted["structuredContent"] == {"name": "paint", "arguments": {"colour": "rgb(1, 2, 3)"}}
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(1, 2, 3)"


def test_news_of_the_server_reach_every_view(app: RawApp) -> None:
    app.lab.run_new("%mcpapp open raw open_nested\n%mcpapp open raw open_flat")
    pages = [app.lab.frame_titled("nested"), app.lab.frame_titled("flat")]
    for page in pages:
        app.wait(page, "seen.some(({ method }) => method === 'ui/notifications/tool-result')")
    notify = "(news) => request('tools/call', { name: 'notify', arguments: news })"
    told = "seen.some(({{ method }}) => method === '{}')".format
    pages[0].evaluate(notify, {"method": "notifications/tools/list_changed"})
    for number, page in enumerate(pages):
        # One that is out of sight is told when it is seen again.
        app.lab.page.locator(".mcpapp").nth(number).scroll_into_view_if_needed()
        app.wait(page, told("notifications/tools/list_changed"))
    pages[1].evaluate("request('resources/subscribe', { uri: 'raw://numbers' })")
    updated = "notifications/resources/updated"
    pages[1].evaluate(notify, {"method": updated, "params": {"uri": "raw://numbers"}})
    app.wait(pages[1], told(updated))
    assert not pages[0].evaluate(told(updated)), "it has not subscribed"


def test_a_page_may_clean_up_before_it_goes(app: RawApp) -> None:
    page = app.open()
    app.wait(page, "seen.some(({ method }) => method === 'ui/notifications/tool-result')")  # it is asked now
    page.evaluate(
        """() => {
            window.stays = true;
            addEventListener("message", async ({ data }) => {
                if (data.method !== "ui/resource-teardown") return;
                await request("tools/call", { name: "count", arguments: {} });
                say({ jsonrpc: "2.0", id: data.id, result: {} });
            });
        }"""
    )
    app.lab.run_new("view.close()")
    app.lab.wait_until(lambda: len(app.called("count")) == 1, "its last call has reached the server")
    app.lab.wait_until(lambda: not app.lab.frames_titled("page"), "the frame is gone")


@pytest.mark.parametrize("stays", [False, True], ids=["answers", "is silent"])
def test_a_page_can_ask_to_be_closed(app: RawApp, stays: bool) -> None:
    page = app.open()
    page.evaluate(
        "(stays) => { window.stays = stays; notify('ui/notifications/request-teardown', {}); }", stays
    )
    app.lab.page.wait_for_selector(".mcpapp-reason:has-text('asked to be closed')")
    app.lab.wait_until(lambda: not app.lab.frames_titled("page"), "the frame is gone")
    assert app.python("view.ended")
