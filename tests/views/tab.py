"""A browser tab on a view, spoken by a test: frames, the page in them, and the person."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from mcpapps_jupyter.host import Host
from mcpapps_jupyter.views.widget import AppView
from tests.core.pages import FRAME, FrontEnd, Message, OpenPage
from tests.core.support import until


class Tab(OpenPage):
    """The front end of a real `AppView`, behind which a real app runs.

    Parameters
    ----------
    host, view
        The host and one of its views.
    """

    def __init__(self, host: Host, view: AppView) -> None:
        self.host, self.view, self.app = host, view, view.app
        self.front = FrontEnd()
        self.relay = view._relay
        self.relay._channel = self.front
        self._ids = itertools.count(1)

    def see(self, visible: bool, frame: str = FRAME) -> None:
        self.put("state", {"event": "visible", "visible": visible}, frame)

    def log(self, event: str, frame: str = FRAME, **data: Any) -> None:
        self.put("log", {"level": "info", "event": event, "text": event, "data": data}, frame)

    def asked(self, method: str, frame: str = FRAME) -> list[Message]:
        """The requests of the host to the page."""
        return [m for m in self.got("rpc", frame) if m.get("method") == method and "id" in m]

    def reply(
        self, method: str, result: Any = None, *, error: Any = None, number: int = 0, frame: str = FRAME
    ):
        """Answer the host's n-th request of this method; gives the request's parameters."""
        request = until(lambda: self.asked(method, frame)[number:], f"the request {method}")[0]
        answer = {"error": error} if error is not None else {"result": result}
        self.put("rpc", {"jsonrpc": "2.0", "id": request["id"], **answer}, frame)
        return request["params"]

    def state(self) -> Message:
        """What the header line says."""
        return self.got("state")[-1]

    def wait_for_end(self) -> str:
        """Wait until the view is over, and give the reason that is shown."""
        return until(lambda: self.got("gone"), "the end")[-1]["reason"]


def greet(tab: Tab, frame: str = FRAME, **capabilities: Any) -> Tab:
    """Open a frame and finish a handshake that declares `capabilities`."""
    tab.open(frame)
    tab.begin(frame, **capabilities)
    tab.initialized(frame)
    return tab


Open = Callable[..., Tab]
Arguments = Mapping[str, Any]
