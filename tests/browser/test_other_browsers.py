"""The frames around a page in other browsers' engines: the same hostile page, and 0 requests."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .hostile.engines import MissingBrowserError, firefox, webkit
from .hostile.support import ATTACKS, page
from .hostile.trap import Trap

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

_HERE = Path(__file__).parent
_FILES = {
    "/": (_HERE / "hostile" / "engine.html", "text/html"),
    "/kernel.js": (_HERE.parent / "widget" / "kernel.js", "text/javascript"),
    "/widget.js": (_HERE.parents[1] / "mcpapps_jupyter" / "static" / "widget.js", "text/javascript"),
}
#: What the hostile page does when it is told to. It can report to its host only: there is no other way out.
HOSTILE = (
    ATTACKS
    + """
const reach = (what) => {
    try { return String(what()); } catch (error) { return error.name; }
};
addEventListener("message", async ({ data }) => {
    if (data?.method === "depart") setTimeout(depart, 0, data.params.name, data.params.trap);
    if (data?.method === "alive") request("report", {alive: document.title});
    if (data?.method !== "attack") return;
    const ends = await attackAll(ATTACKS, data.params.trap);
    Object.assign(ends, await attackAll(ASCENTS, data.params.trap));
    spoof();
    const windows = [top.length, parent.length];
    const cookie = () => document.cookie || "no cookie";
    const reached = [() => parent.document, () => top.document, () => localStorage, cookie];
    request("report", { ends, windows, reached: reached.map(reach), origin, title: document.title });
});"""
)
VICTIM = """addEventListener("message", ({ data }) => {
    if (data?.method === "look") request("report", { seen });
});"""
DEPARTURES = ["href", "replace", "link", "link-in-the-dark", "refresh", "form", "open-here"]
_SECONDS = 100


class Server:
    """Gives the browser what it needs and takes its report."""

    def __init__(self, trap: Trap) -> None:
        task = {
            "hostile": page("hostile", HOSTILE),
            "victim": page("victim", VICTIM),
            "trap": trap.url,
            "departures": DEPARTURES,
        }
        self.report: dict[str, Any] = {}
        self.done = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                file, kind = _FILES.get(self.path, (None, "application/json"))
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Set-Cookie", "secret=1")
                self.end_headers()
                self.wfile.write(file.read_bytes() if file else json.dumps(task).encode())

            def do_POST(self) -> None:
                server.report = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(204)
                self.end_headers()
                server.done.set()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.mark.parametrize("browser", [firefox, webkit])
def test_nothing_gets_out_of_another_browser_s_frames_either(
    browser: Callable[[str, Path], AbstractContextManager[None]], tmp_path: Path
) -> None:
    trap = Trap()
    server = Server(trap)
    try:
        with browser(server.url, tmp_path):
            assert server.done.wait(_SECONDS), (tmp_path / "log").read_text(errors="replace")[-3000:]
    except MissingBrowserError as missing:
        pytest.skip(str(missing))
    finally:
        server.close()
        trap.close()
    report = server.report
    assert trap.names() == {"notebook"}, "the one that the page around the frames sent in the end"
    assert report["hostile"]["origin"] == "null"
    assert report["hostile"]["title"] == "hostile"
    assert report["hostile"]["reached"] in (["SecurityError"] * 4, [*["SecurityError"] * 3, "no cookie"])
    assert report["hostile"]["windows"] == [0, 0], "no other frame has a name"
    methods = [message.get("method") for message in report["victim"]["seen"]]
    methods = [method for method in methods if method != "ui/notifications/host-context-changed"]  # its room
    assert methods == [None, "ui/notifications/tool-input", "look"]
    assert report["asked"] == ["ui/notifications/initialized", "report"]
    for key in ("connectDomains", "resourceDomains", "frameDomains"):
        assert any(f"declare {trap.url} in csp.{key}" in text for text in report["violations"]), key
    for way, (words, alive) in report["departures"].items():
        assert alive, (way, words)
        assert way != "link" or f"Open {trap.url} in a new tab?" in words
