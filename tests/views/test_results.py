"""The page gets what the server answered, equal as parsed JSON; its document comes in every form there is."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpapps_jupyter.errors import NoPage
from mcpapps_jupyter.host import Host
from tests.core.conftest import new_host, settle_in
from tests.core.support import until
from tests.views.tab import Tab, greet

RESULT = "ui/notifications/tool-result"
MIME = "text/html;profile=mcp-app"
URI = "ui://raw/page.html"
HTML = "<!doctype html><p>é ∑ 😀</p>"

# A server by hand: what it says is on the wire as it is here, whatever a library would make of it.
SERVER = """
import json, sys

said = json.load(open(sys.argv[1]))
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    method = request["method"]
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}, "resources": {}},
                  "serverInfo": {"name": "raw", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": said["tools"]}
    elif method == "tools/call":
        result = said["result"]
    elif method == "resources/read":
        result = {"contents": said["contents"]}
    elif method == "resources/list":
        result = {"resources": []}
    else:
        result = {}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\\n")
    sys.stdout.flush()
"""
TOOL = {"name": "show", "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": URI}}}
MakeTab = Callable[..., Tab]


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    settle_in(tmp_path, monkeypatch)
    host = new_host()
    yield host
    host.close()


@pytest.fixture
def say(host: Host, tmp_path: Path) -> MakeTab:
    """Give ``say(result, contents)``: a tab on a view of a server that answers exactly that."""
    (tmp_path / "server.py").write_text(SERVER)

    def say(result: Any = None, contents: Any = None) -> Tab:
        contents = contents if contents is not None else [{"uri": URI, "mimeType": MIME, "text": HTML}]
        said = {"tools": [TOOL], "result": result or {"content": []}, "contents": contents}
        (tmp_path / "said.json").write_text(json.dumps(said))
        command = [sys.executable, str(tmp_path / "server.py"), str(tmp_path / "said.json")]
        app = host.add(command, id="raw", protocol="legacy")
        return Tab(host, app.open("show"))

    return say


LINK = {"type": "resource_link", "uri": "file:///x", "name": "x", "annotations": {"priority": 1}, "x": None}
EMBEDDED = {
    "type": "resource",
    "resource": {"uri": "ui://raw/other.html", "mimeType": MIME, "text": "<p>other</p>"},
}
RESULTS = {
    "everything": {
        "content": [{"type": "text", "text": "shown", "x-vendor": {"a": [1, 1.0, None]}, "_meta": {"k": 1}}],
        "structuredContent": {"n": 1, "big": 2**53, "nothing": None, "nested": [{"a": {}}, []]},
        "_meta": {"com.example/secret": "for the page", "ui": {"odd": True}},
        "isError": False,
        "x-vendor": [None, {"deep": [[]]}],
    },
    "an error": {
        "content": [{"type": "text", "text": "no"}],
        "isError": True,
        "structuredContent": {"why": "x"},
    },
    "only structured": {"content": [], "structuredContent": {"items": []}},
    "a link": {"content": [LINK]},
    "an embedded page": {"content": [EMBEDDED], "_meta": {"ui": {"resourceUri": "ui://raw/other.html"}}},
}


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
@pytest.mark.elsewhere("anthropics/claude-ai-mcp#563")
def test_the_opening_result_is_equal(say: MakeTab, result: dict[str, Any]) -> None:
    tab = greet(say(result))
    assert until(lambda: tab.told(RESULT), "the result")[0] == result
    tab.view.wait_for_result(30)
    assert tab.view.result.raw == result


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_the_result_of_the_page_s_own_call_is_equal(say: MakeTab, result: dict[str, Any]) -> None:
    tab = greet(say(result))
    assert tab.call("show") == result


@pytest.mark.elsewhere("microsoft/vscode#320093")
def test_a_page_inside_the_result_does_not_take_the_place_of_the_declared_one(say: MakeTab) -> None:
    tab = say(RESULTS["an embedded page"])
    assert tab.open()["page"]["html"] == HTML
    assert len(tab.got("open")) == 1


def test_what_one_view_gets_no_cell_can_change(say: MakeTab) -> None:
    tab = say(RESULTS["everything"])
    tab.view.wait_for_result(30)
    tab.view.result.structured["n"] = "changed"
    greet(tab)
    assert tab.told(RESULT)[0]["structuredContent"]["n"] == 1


# -- documents ---------------------------------------------------------------------------------------


def encoded(data: bytes, *, url_safe: bool = False, padded: bool = True) -> str:
    text = (base64.urlsafe_b64encode if url_safe else base64.b64encode)(data).decode()
    return text if padded else text.rstrip("=")


BYTES = (HTML + "?>~").encode()
BLOBS = {
    "plain": encoded(BYTES),
    "unpadded": encoded(BYTES, padded=False),
    "url-safe": encoded(BYTES, url_safe=True, padded=False),
    "with line breaks": "\n".join(encoded(BYTES)[at : at + 20] for at in range(0, 80, 20)),
}


@pytest.mark.parametrize("blob", BLOBS.values(), ids=BLOBS)
@pytest.mark.elsewhere("MCP-UI-Org/mcp-ui#222", "openclaw/openclaw#120447")
def test_a_document_as_base64(say: MakeTab, blob: str) -> None:
    tab = say(contents=[{"uri": URI, "mimeType": MIME, "blob": blob}])
    assert tab.open()["page"]["html"] == HTML + "?>~"


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"mimeType": MIME, "blob": "a*b"}, "not valid base64"),
        ({"mimeType": MIME, "blob": encoded(b"<p>\xff\xfe</p>")}, "not UTF-8"),
        ({"mimeType": MIME, "blob": ""}, "is empty"),
        ({"mimeType": MIME, "text": "  "}, "is empty"),
        ({"mimeType": MIME}, "malformed"),
        ({"mimeType": "text/html", "text": HTML}, "its MIME type is 'text/html'"),
        ({"mimeType": "text/html+skybridge", "text": HTML}, "its MIME type is 'text/html+skybridge'"),
        ({"mime_type": MIME, "text": HTML}, "'mime_type', which MCP spells 'mimeType'"),
        ({"text": HTML}, "gave no MIME type"),
        ({"mimeType": 7, "text": HTML}, "malformed"),
    ],
)
def test_what_is_no_page_is_a_reason_and_no_blank_frame(
    say: MakeTab, item: dict[str, Any], reason: str
) -> None:
    tab = say(contents=[{"uri": URI, **item}])
    tab.put("open", {})
    state = until(lambda: [s for s in tab.got("state") if s["state"] == "failed"], "the reason")[0]
    assert reason in state["text"]
    assert state["hint"] == "%mcpapp tools raw"
    assert tab.got("open") == []
    with pytest.raises(NoPage, match=r"raw/page\.html"):
        tab.view.wait_for("initialized", timeout=30)


@pytest.mark.parametrize(
    "mime",
    [
        "text/html; profile=mcp-app",
        'text/html;profile="mcp-app"',
        "TEXT/HTML;charset=utf-8;profile=mcp-app",
        "text/html;profile=mcp-app;charset=UTF-8",
    ],
)
@pytest.mark.elsewhere("IBM/mcp-context-forge#3051", "epam/ai-dial-core#1809")
def test_a_mime_type_is_read_and_not_compared(say: MakeTab, mime: str) -> None:
    tab = say(contents=[{"uri": URI, "mimeType": mime, "text": HTML}])
    assert tab.open()["page"]["html"] == HTML


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ({"type": "text", "text": "hi", "meta": {}}, "content[0] has 'meta'"),
        (
            {"type": "resource", "resource": {"uri": "x://y", "mime_type": "text/plain", "text": "hi"}},
            "content[0].resource has 'mime_type'",
        ),
        (
            {"type": "resource", "resource": {"uri": "x://y", "text": "hi", "meta": {"a": 1}}},
            "content[0].resource has 'meta'",
        ),
    ],
)
@pytest.mark.elsewhere("modelcontextprotocol/rust-sdk#338")
def test_odd_spellings_in_a_result_are_named_and_harmless(
    say: MakeTab, block: dict[str, Any], said: str
) -> None:
    tab = greet(say({"content": [block]}))
    tab.view.wait_for_result(30)
    assert tab.told(RESULT)[0] == {"content": [block]}
    assert repr(tab.view.result)
    assert any(said in entry.text and "MCP spells" in entry.text for entry in tab.app.log)
