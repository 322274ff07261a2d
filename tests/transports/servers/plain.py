"""A server written by hand, as many are: a loop over stdin, no library.

The scripts beside it change one thing each.
"""

from __future__ import annotations

import json
import sys
from typing import Any

Frame = dict[str, Any]


def tool(name: str, **more: Any) -> Frame:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


class Server:
    """Speaks the handshake era; `on_…` methods answer requests."""

    tools: tuple[Any, ...] = (tool("echo"),)

    def run(self) -> None:
        for line in sys.stdin.buffer:
            if line.strip():
                self.handle(json.loads(line))

    def handle(self, frame: Frame) -> None:
        method = frame.get("method")
        if method is None or "id" not in frame:
            return
        answer = getattr(self, "on_" + method.replace("/", "_"), None)
        if answer is None:
            self.send({"id": frame["id"], "error": {"code": -32601, "message": f"no {method}"}})
        else:
            self.send({"id": frame["id"], "result": answer(frame.get("params") or {})})

    def send(self, frame: Frame) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **frame}).encode() + b"\n")

    def write(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def on_initialize(self, params: Frame) -> Frame:
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "plain", "version": "1"},
        }

    def on_ping(self, params: Frame) -> Frame:
        return {}

    def on_tools_list(self, params: Frame) -> Frame:
        return {"tools": list(self.tools)}

    def on_tools_call(self, params: Frame) -> Frame:
        call = getattr(self, "call_" + params["name"])
        return call(params.get("arguments") or {})

    def call_echo(self, arguments: Frame) -> Frame:
        return text(arguments.get("text", ""))


def text(value: str) -> Frame:
    return {"content": [{"type": "text", "text": value}]}


if __name__ == "__main__":
    Server().run()
