"""An app server of the handshake era, written by hand and without any library.

Usage: ``server.py JOURNAL``. It writes down every frame that it reads. Its page is the one that the widget's
own tests have; its other pages are odd in one way each. ``open_app_class`` shows what stands in
``app-class.html`` beside the journal.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Frame = dict[str, Any]

JOURNAL = Path(sys.argv[1])
APP_MIME = "text/html;profile=mcp-app"
HTML = (Path(__file__).parents[2] / "widget" / "page.html").read_text()
MANY_BYTES = "ä€😀"
PIXELS = bytes(range(256))


def titled(title: str, script: str = "") -> str:
    """The page under another title, with a script before its own."""
    return HTML.replace("<title>A page", f"<script>{script}</script><title>{title}")


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def text(title: str, mime: str = APP_MIME, **more: Any) -> Frame:
    return {"mimeType": mime, "text": titled(title), **more}


def blob(data: str) -> Frame:
    return {"mimeType": APP_MIME, "blob": data}


def wide(title: str) -> str:
    """A page with what base64 is in danger to break: long characters, and bits that give ``+`` and ``/``."""
    return titled(title, f"var wide = '{MANY_BYTES}', bits = '???>>>~~~'")


#: What ``resources/read`` gives for ``ui://raw/NAME``: one content item. Each is the page of ``open_NAME``.
PAGES: dict[str, Callable[[], Frame]] = {
    "page": lambda: text("page"),
    "app_class": lambda: {"mimeType": APP_MIME, "text": JOURNAL.with_name("app-class.html").read_text()},
    "nested": lambda: text("nested"),
    "flat": lambda: text("flat"),
    "late": lambda: {"mimeType": APP_MIME, "text": titled("late", "var hold = true")},
    "eager": lambda: {"mimeType": APP_MIME, "text": titled("eager", EAGER)},
    "silent": lambda: {
        "mimeType": APP_MIME,
        "text": "<!doctype html><title>silent</title><p>No script at all",
    },
    "wrong_method": lambda: {"mimeType": APP_MIME, "text": WRONG_METHOD},
    "spaced": lambda: text("spaced", "text/html; profile=mcp-app"),
    "quoted": lambda: text("quoted", 'text/html;profile="mcp-app"'),
    "shouted": lambda: text("shouted", "TEXT/HTML;charset=utf-8;profile=mcp-app"),
    "standard": lambda: blob(b64(wide("standard"))),
    "url_safe": lambda: blob(base64.urlsafe_b64encode(wide("url_safe").encode()).decode()),
    "unpadded": lambda: blob(
        b64(wide("unpadded") + " " * (-len(wide("unpadded").encode()) % 3 + 1)).rstrip("=")
    ),
    "embedding": lambda: text("embedding"),
    "failing": lambda: text("failing"),
    "vendor_words": lambda: {**text("vendor_words"), "mime_type": APP_MIME, "meta": {"ui": 1}},
    "plain_html": lambda: text("plain", "text/html"),
    "json": lambda: {"mimeType": "application/json", "text": "{}"},
    "bad_base64": lambda: blob("?" + b64(HTML)),
    "bad_utf8": lambda: blob(base64.b64encode(b"<p>\xff\xfe").decode()),
    "empty": lambda: {"mimeType": APP_MIME},
    "large": lambda: {"mimeType": APP_MIME, "text": "x" * (9 * 2**20)},
    "listed_csp": lambda: text("listed_csp"),
    "own_csp": lambda: {
        **text("own_csp"),
        "_meta": {"ui": {"csp": {"connectDomains": ["https://own.example"]}}},
    },
}
# What a page does that cannot wait: it asks before it has said hello.
EAGER = """parent.postMessage({ jsonrpc: "2.0", id: "early", method: "tools/call",
    params: { name: "echo", arguments: { early: true } } }, "*")"""
# What a page does that takes the host for an MCP server.
WRONG_METHOD = """<!doctype html><title>wrong_method</title><script>
addEventListener("message", ({ data }) => { window.answer = data; });
parent.postMessage({ jsonrpc: "2.0", id: "mcp", method: "initialize", params: {} }, "*");
</script>"""

LISTED = [
    {"uri": "ui://raw/listed_csp", "name": "listed", "mimeType": APP_MIME}
    | {"_meta": {"ui": {"csp": {"connectDomains": ["https://listed.example"]}}}},
    {"uri": "ui://raw/own_csp", "name": "own", "mimeType": APP_MIME}
    | {"_meta": {"ui": {"csp": {"resourceDomains": ["https://listed.example"]}, "prefersBorder": False}}},
    {"uri": "raw://numbers", "name": "numbers", "mimeType": "application/json"},
]


def tool(name: str, ui: Frame | None = None, **more: Any) -> Frame:
    meta = {"_meta": {"ui": ui}} if ui is not None else {}
    return {"name": name, "inputSchema": {"type": "object"}, **meta, **more}


def bound(name: str, **more: Any) -> Frame:
    return tool(f"open_{name}", {"resourceUri": f"ui://raw/{name}"}, **more)


def tools() -> list[Frame]:
    opening = [bound(name) for name in PAGES if name not in ("nested", "flat", "embedding", "failing")]
    both = bound("nested")
    both["_meta"]["ui/resourceUri"] = "ui://raw/late"
    flat = {**tool("open_flat"), "_meta": {"ui/resourceUri": "ui://raw/flat"}}
    lost = tool("open_lost", {"resourceUri": "ui://raw/nowhere"})
    own_ui = bound("embedding")
    fails = bound("failing")
    others = [
        *(tool(name) for name in ("echo", "everything", "slow", "count", "ask", "notify", "large", "fail")),
        tool("for_models", {"visibility": ["model"]}),
        tool("for_pages", {"visibility": ["app"]}),
        tool("for_nobody", {"visibility": []}),
        tool("for_odd", {"visibility": "model"}),
        tool("destroy", annotations={"destructiveHint": True}, title="Destroy it all"),
    ]
    return [*opening, both, flat, lost, own_ui, fails, *others]


EVERYTHING: Frame = {
    "content": [
        {"type": "text", "text": "ä\u2028€😀", "annotations": {"priority": 1, "x-odd": None}},
        {
            "type": "resource",
            "resource": {"uri": "raw://x", "text": "t", "_meta": {"deep": [1]}},
            "x-item": {},
        },
    ],
    "structuredContent": {"n": 9007199254740991, "empty": None, "list": [[], {}, "", 0, False, 1e-7]},
    "isError": True,
    "_meta": {"for": "the page", "x/y": None},
    "x-vendor": {"kept": [None]},
}


class Server:
    """Answers one client on standard input and output."""

    def __init__(self) -> None:
        self.count = 0
        self.asked = 0
        self.waiting: dict[str, Any] = {}

    def serve(self) -> None:
        for line in sys.stdin:
            with JOURNAL.open("a", encoding="utf-8") as journal:
                journal.write(line)
            frame = json.loads(line)
            if "method" not in frame:
                self.answered(frame)
            elif "id" in frame:
                self.request(frame)

    def send(self, **frame: Any) -> None:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
        sys.stdout.flush()

    def request(self, frame: Frame) -> None:
        method, params = frame["method"], frame.get("params") or {}
        handler = getattr(self, "on_" + method.replace("/", "_"), None)
        try:
            if handler is None:
                raise LookupError(f"no {method}")
            result = handler(params, frame["id"])
        except (LookupError, ValueError) as error:
            code = -32601 if handler is None else -32002
            self.send(id=frame["id"], error={"code": code, "message": str(error), "data": {"why": method}})
        else:
            if result is not None:
                self.send(id=frame["id"], result=result)

    def answered(self, frame: Frame) -> None:
        """The client has answered a question of ours: the call that asked it is done."""
        call = self.waiting.pop(frame["id"], None)
        if call is not None:
            self.send(
                id=call, result={"content": [{"type": "text", "text": json.dumps(frame.get("result"))}]}
            )

    # -- requests --------------------------------------------------------------------------------

    def on_initialize(self, params: Frame, _: Any) -> Frame:
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {
                "tools": {"listChanged": True},
                "resources": {"listChanged": True, "subscribe": True},
                "prompts": {},
                "completions": {},
                "logging": {},
            },
            "serverInfo": {"name": "raw", "version": "1"},
        }

    def on_ping(self, params: Frame, _: Any) -> Frame:
        return {}

    def on_logging_setLevel(self, params: Frame, _: Any) -> Frame:  # noqa: N802 - named for its method
        return {}

    def on_tools_list(self, params: Frame, _: Any) -> Frame:
        return {"tools": tools()}

    def on_resources_list(self, params: Frame, _: Any) -> Frame:
        return {"resources": LISTED}

    def on_resources_templates_list(self, params: Frame, _: Any) -> Frame:
        return {"resourceTemplates": [{"uriTemplate": "raw://number/{n}", "name": "number"}]}

    def on_resources_read(self, params: Frame, _: Any) -> Frame:
        uri = params["uri"]
        if uri == "raw://numbers":
            return {"contents": [{"uri": uri, "mimeType": "application/json", "text": "[1, 2, 3]"}]}
        if uri == "raw://pixels":
            return {"contents": [{"uri": uri, "blob": base64.b64encode(PIXELS).decode()}]}
        return {"contents": [{"uri": uri, **PAGES[uri.removeprefix("ui://raw/")]()}]}

    def on_resources_subscribe(self, params: Frame, _: Any) -> Frame:
        return {}

    on_resources_unsubscribe = on_resources_subscribe

    def on_prompts_list(self, params: Frame, _: Any) -> Frame:
        return {"prompts": [{"name": "greet", "arguments": [{"name": "who"}]}]}

    def on_prompts_get(self, params: Frame, _: Any) -> Frame:
        who = params["arguments"]["who"]
        return {"messages": [{"role": "user", "content": {"type": "text", "text": f"Greet {who}"}}]}

    def on_completion_complete(self, params: Frame, _: Any) -> Frame:
        return {"completion": {"values": [params["argument"]["value"] + "da"]}}

    # -- tools -----------------------------------------------------------------------------------

    def on_tools_call(self, params: Frame, request_id: Any) -> Frame | None:
        name, arguments = params["name"], params.get("arguments") or {}
        token = (params.get("_meta") or {}).get("progressToken")
        if name == "open_failing":
            raise ValueError("no eggs left")
        if name == "open_embedding":
            page = {"uri": "ui://raw/spaced", **PAGES["spaced"]()}
            return {
                "content": [{"type": "resource", "resource": page}],
                "_meta": {"ui": {"resourceUri": "ui://raw/spaced"}},
            }
        if name in ("open_page", "everything"):
            return EVERYTHING
        if name == "fail":
            raise ValueError("a rule of the house")
        if name == "slow":  # is answered by its cancellation only
            for step in (1, 2):
                progress = {"progressToken": token, "progress": step, "total": 2, "message": f"step {step}"}
                self.send(method="notifications/progress", params=progress)
            return None
        if name == "count":
            self.count += 1
            return {"content": [], "structuredContent": {"count": self.count}}
        if name == "ask":
            self.asked += 1
            question = {
                "type": "object",
                "properties": {"colour": {"type": "string"}},
                "required": ["colour"],
            }
            self.waiting[f"ask-{self.asked}"] = request_id
            asking = {"message": "Which colour?", "requestedSchema": question}
            self.send(id=f"ask-{self.asked}", method="elicitation/create", params=asking)
            return None
        if name == "notify":
            self.send(method=arguments["method"], params=arguments.get("params", {}))
        if name == "large":
            return {"content": [{"type": "text", "text": "y" * arguments["size"]}]}
        if name == "echo" and "text" in arguments:
            return {"content": [], "structuredContent": {"length": len(arguments["text"])}}
        return {"content": [{"type": "text", "text": json.dumps(params)}]}


if __name__ == "__main__":
    Server().serve()
