"""The protocol from inside a real frame: a page without any library asks, and every request is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cells import LOAD

if TYPE_CHECKING:
    from collections.abc import Callable

    from .lab_page import LabPage

    OpenLab = Callable[..., LabPage]

# What this page does is what the test says.
MAKE = """
from mcp.server.mcpserver import MCPServer
from mcp.server.apps import Apps

def make(app_id, body):
    apps = Apps()
    calls = []

    @apps.tool(resource_uri=f"ui://{app_id}/page.html")
    def show(word: str = "hello") -> str:
        calls.append(word)
        return f"shown {word}"

    apps.add_html_resource(f"ui://{app_id}/page.html", '''<!doctype html><body>
    <h1 id="NAME">NAME</h1><pre id="got"></pre><script>
    const got = [];
    let next = 1;
    const waiting = {};
    function rpc(method, params) {
      const id = next++;
      parent.postMessage({ jsonrpc: "2.0", id, method, params }, "*");
      return new Promise((resolve) => { waiting[id] = resolve; });
    }
    function tell(method, params) { parent.postMessage({ jsonrpc: "2.0", method, params }, "*"); }
    addEventListener("message", (event) => {
      const m = event.data;
      got.push(m);
      if (m && waiting[m.id] && !m.method) { waiting[m.id](m); delete waiting[m.id]; }
      document.getElementById("got").textContent = got.map((m) => m && m.method || "answer").join(" ");
    });
    rpc("ui/initialize", { protocolVersion: "2026-01-26", appInfo: { name: "NAME", version: "1" },
      appCapabilities: {} }).then((m) => {
        window.init = m.result;
        tell("ui/notifications/initialized", {});
      });
    </script>BODY</body>'''.replace("NAME", app_id).replace("BODY", body))
    server = MCPServer(app_id, extensions=[apps])

    @server.tool()
    def calls_so_far() -> int:
        return len(calls)

    return host.add(server, id=app_id)
"""


def test_every_request_is_answered(open_lab: OpenLab) -> None:
    lab = open_lab(LOAD + MAKE, "make('raw', '')", "%mcpapp open raw word=yes")
    for index in range(3):
        lab.run(index)
    page = lab.app_frame("#raw")
    lab.wait_until(lambda: "tool-result" in page.inner_text("#got"), "the page is live")
    init = page.evaluate("init")
    assert init["protocolVersion"] == "2026-01-26"
    assert init["hostInfo"]["name"] == "mcpapps_jupyter"
    assert init["hostContext"]["toolInfo"]["tool"]["name"] == "show"
    assert init["hostContext"]["theme"] == "light"
    assert len(init["hostContext"]["styles"]["variables"]) >= 60
    order = page.evaluate("got.filter((m) => m.method).map((m) => m.method)")
    assert order[:2] == ["ui/notifications/tool-input", "ui/notifications/tool-result"]
    given = page.evaluate("got.find((m) => m.method === 'ui/notifications/tool-input').params")
    assert given == {"arguments": {"word": "yes"}}
    for method, params, wanted in (
        ("ping", {}, None),
        ("tools/list", {}, None),
        ("tools/call", {"name": "calls_so_far", "arguments": {}}, None),
        ("resources/read", {"uri": "ui://raw/page.html"}, None),
        ("resources/list", {}, None),
        ("ui/update-model-context", {"content": [{"type": "text", "text": "hi"}]}, None),
        ("ui/nonsense", {}, -32601),
        ("nonsense", {}, -32601),
        ("sampling/createMessage", {"messages": []}, -32601),
        ("tools/call", {"name": "no_such_tool"}, -32602),
        ("tools/call", {}, -32602),
        ("ui/update-model-context", {"content": "no list"}, -32602),
    ):
        answer = page.evaluate("([method, params]) => rpc(method, params)", [method, params])
        assert answer.get("error", {}).get("code") == wanted, (method, answer)
    assert lab.run_new("mcpapps.last_view().model_context.text").strip() == "'hi'"


def test_a_page_opens_links_only_through_the_person(open_lab: OpenLab) -> None:
    lab = open_lab(LOAD + MAKE, "make('links', '')", "%mcpapp open links")
    for index in range(3):
        lab.run(index)
    page = lab.app_frame("#links")
    lab.wait_until(lambda: "tool-result" in page.inner_text("#got"), "the page is live")
    page.evaluate(
        "void rpc('ui/open-link', { url: 'https://example.org/a?b=c' }).then((m) => { window.first = m; })"
    )
    lab.press("Cancel", "https://example.org")
    lab.wait_until(lambda: page.evaluate("window.first !== undefined"), "the page is told")
    assert page.evaluate("first.result.isError") is True
    refused = page.evaluate("rpc('ui/open-link', { url: 'javascript:alert(1)' })")
    assert refused.get("error") or refused["result"]["isError"] is True
