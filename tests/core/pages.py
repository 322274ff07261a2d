"""Open pages without a browser: the front end's side of the channel, spoken by a test."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mcpapps_jupyter.app import App
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.ports import Caller
from mcpapps_jupyter.views.channel import Envelope
from mcpapps_jupyter.views.context import ModelContext
from mcpapps_jupyter.views.manager import prepare
from mcpapps_jupyter.views.policy import Approvals, Rates
from mcpapps_jupyter.views.relay import Relay
from mcpapps_jupyter.views.requests import PageRequests
from mcpapps_jupyter.views.settings import PageSettings
from tests.core.support import until

Message = dict[str, Any]
FRAME = "f-1"


class FrontEnd:
    """A channel that keeps what the kernel sends."""

    def __init__(self) -> None:
        self.sent: list[Envelope] = []

    def send(self, envelopes: Sequence[Envelope]) -> None:
        self.sent += envelopes

    def flush(self) -> None:
        pass


class OpenPage:
    """One view: a real app session behind it, and this object in the place of browser and person."""

    def __init__(
        self,
        host: Host,
        app: App,
        tool: str | None = "open_page",
        arguments: Mapping[str, Any] | None = None,
        *,
        policies: Mapping[str, str] | None = None,
        interactive: bool = True,
        rates: Rates | None = None,
        patience: float = 30,
        max_resource_bytes: int = 2**23,
    ) -> None:
        self.host, self.app = host, app
        self.front = FrontEnd()
        self.contexts: list[ModelContext | None] = []
        self.messages: list[Message] = []
        self.states: list[str] = []
        self.ended: list[str] = []
        self._ids = itertools.count(1)
        self.policies = {"*": "auto", **(policies or {})}

        async def on_context(context: ModelContext | None) -> None:
            self.contexts.append(context)

        async def on_message(message: Message) -> None:
            self.messages.append(message)

        rates = rates or Rates()
        requests = PageRequests(
            Approvals(lambda: self.policies),
            rates,
            interactive=lambda: interactive,
            patience=patience,
            on_context=on_context,
            on_message=on_message,
        )
        settings = PageSettings(max_resource_bytes, {"clipboardWrite": "allow"}, "0", rates)
        self.relay = Relay(
            "view",
            app,
            self.front,
            settings,
            requests,
            on_state=lambda state, text: self.states.append(state),
            on_end=self.ended.append,
            on_hello=lambda: None,
        )
        found, uri = host.thread.run(prepare(app, tool, arguments or {}))
        self.tool = found
        self._do(lambda: self.relay.attach(found, uri, arguments or {}))

    # -- kernel ----------------------------------------------------------------------------------

    def _do(self, work: Callable[[], Any]) -> Any:
        async def run() -> Any:
            return work()

        return self.host.thread.run(run())

    def call_tool(self) -> None:
        """Call the opening tool, as the view does."""
        assert self.tool is not None
        arguments = dict(self.relay.arguments)
        result = self.host.thread.run(self.app.call_here(self.tool.name, arguments, Caller("cell", "view")))
        self.finish(result.raw)

    def finish(self, outcome: Message | None, cancelled: str | None = None) -> None:
        self._do(lambda: self.relay.set_outcome(outcome, cancelled=cancelled))

    def close(self, reason: str = "It is over.") -> None:
        self.host.thread.run(self.relay.close(reason))

    # -- browser ---------------------------------------------------------------------------------

    def put(self, kind: str, message: Any, frame: str = FRAME) -> None:
        self._do(lambda: self.relay.receive(Envelope(kind, frame, message)))

    def open(self, frame: str = FRAME) -> Message:
        """A frame element is there; gives the page."""
        count = len(self.got("open", frame))
        self.put("open", {}, frame)
        return until(lambda: self.got("open", frame)[count:], "the page")[-1]

    def begin(self, frame: str = FRAME, **capabilities: Any) -> None:
        self.put("state", {"event": "initialize", "params": {"appCapabilities": capabilities}}, frame)

    def initialized(self, frame: str = FRAME) -> None:
        self.notify("ui/notifications/initialized", frame=frame)

    def handshake(self, frame: str = FRAME) -> None:
        self.begin(frame)
        self.initialized(frame)

    def start(self, frame: str = FRAME) -> OpenPage:
        """Open the frame and finish the handshake."""
        self.open(frame)
        self.handshake(frame)
        return self

    def notify(self, method: str, params: Any = None, frame: str = FRAME) -> None:
        message = {"jsonrpc": "2.0", "method": method}
        self.put("rpc", message if params is None else {**message, "params": params}, frame)

    def send(self, method: str, params: Any = None, frame: str = FRAME, request_id: Any = None) -> Any:
        """Send a request; gives its id."""
        request_id = next(self._ids) if request_id is None else request_id
        message = {"jsonrpc": "2.0", "id": request_id, "method": method}
        self.put("rpc", message if params is None else {**message, "params": params}, frame)
        return request_id

    def answers(self, request_id: Any, frame: str = FRAME) -> list[Message]:
        return [m for m in self.got("rpc", frame) if "method" not in m and m.get("id") == request_id]

    def answer(self, request_id: Any, frame: str = FRAME) -> Message:
        return until(lambda: self.answers(request_id, frame), f"the answer to {request_id!r}")[0]

    def request(self, method: str, params: Any = None, frame: str = FRAME) -> Any:
        """Send a request and give its result."""
        message = self.answer(self.send(method, params, frame), frame)
        assert "error" not in message, message
        return message["result"]

    def refused(self, method: str, params: Any = None, frame: str = FRAME) -> Message:
        """Send a request and give its error."""
        message = self.answer(self.send(method, params, frame), frame)
        assert "result" not in message, message
        return message["error"]

    def call(self, tool: str, frame: str = FRAME, **arguments: Any) -> Any:
        return self.request("tools/call", {"name": tool, "arguments": arguments}, frame)

    def got(self, kind: str, frame: str | None = None) -> list[Message]:
        """What the kernel has sent of one kind, to one frame."""
        return [e.message for e in tuple(self.front.sent) if e.kind == kind and frame in (None, e.view)]

    def told(self, method: str, frame: str = FRAME) -> list[Message]:
        """The parameters of what the page was told by one notification."""
        return [m.get("params", {}) for m in self.got("rpc", frame) if m.get("method") == method]

    def told_methods(self, frame: str = FRAME) -> list[str]:
        return [m["method"] for m in self.got("rpc", frame) if "method" in m and "id" not in m]

    # -- person ----------------------------------------------------------------------------------

    def question(self, number: int = 0) -> Message:
        """The person's n-th question."""
        return until(lambda: [q for q in self.got("ask") if "type" in q][number:], "a question")[0]

    def decide(self, decision: str, number: int = 0) -> Message:
        question = self.question(number)
        self.put("answer", {"ask": question["ask"], "decision": decision})
        return question
