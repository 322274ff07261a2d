"""Sends frames that are wrong in small ways, or very large."""

from __future__ import annotations

from plain import Frame, Server, text, tool


class Odd(Server):
    tools = (
        tool("good", description=None, annotations=None),
        {"name": "no schema at all"},
        tool("bad", inputSchema={"type": 7}),
        "not even an object",
        tool("nulls", inputSchema={"type": "object", "properties": {"a": {"const": None}}}, title=None),
    )

    def send(self, frame: Frame) -> None:
        super().send({**frame, "error": None} if "result" in frame else frame)

    def call_good(self, arguments: Frame) -> Frame:
        return {**text("fine"), "vendor": {"kept": True}}

    def call_big(self, arguments: Frame) -> Frame:
        return text("x" * arguments["size"])

    def call_nan(self, arguments: Frame) -> Frame:
        return {"content": [], "structuredContent": {"values": [1, float("nan"), float("-inf"), 2.5]}}

    def call_overflow(self, arguments: Frame) -> Frame:
        self.write(
            b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1e999}}\n'
        )
        return text("sent")

    def call_surrogate(self, arguments: Frame) -> Frame:
        return text("half \ud83d a smile")

    def call_new_content(self, arguments: Frame) -> Frame:
        return {"content": [{"type": "hologram", "data": 1}, *text("and text")["content"]]}

    def call_no_content(self, arguments: Frame) -> Frame:
        return {"structuredContent": {"a": 1}}

    def call_malformed(self, arguments: Frame) -> Frame:
        return "a result must be an object"  # type: ignore[return-value]


Odd().run()
