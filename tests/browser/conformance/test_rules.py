"""The rules of the host protocol, from inside a real frame: a page and a server that know of no library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .raw_app import RawApp


@pytest.mark.parametrize("group", ["greeting", "frame"])
@pytest.mark.elsewhere(
    "MCP-UI-Org/mcp-ui#184", "openclaw/openclaw#69039", "modelcontextprotocol/inspector#1854"
)
def test_rules_that_the_page_sees(app: RawApp, group: str) -> None:
    assert app.check(app.open(), group) == []


@pytest.mark.elsewhere("CopilotKit/CopilotKit#6707")
def test_rules_of_methods_and_what_became_of_each(app: RawApp) -> None:
    assert app.check(app.open(), "methods") == []
    assert app.python("view.model_context.structured") == {"picked": [1]}
    assert app.logged("said by the page")
    assert app.logged("ui/notifications/size-change'")
    assert app.logged("ui/notifications/sandbox-resource-ready")
    for method in ("ui/foo", "foo/bar", "sampling/createMessage", "ui/notifications/foo", "constructor"):
        assert app.sent(method) == [], "nothing that only looks like a request reaches the server"


def test_rules_of_the_server_and_what_it_has_seen(app: RawApp) -> None:
    assert app.check(app.open(), "server") == []
    assert app.called("for_models") == app.called("for_nobody") == app.called("nope") == []
    (slow,) = [frame for frame in app.sent("tools/call") if frame["params"]["name"] == "slow"]
    meta = slow["params"]["_meta"]
    assert meta["progressToken"] != "mine"
    assert {key: value for key, value in meta.items() if key != "progressToken"} == {"x-kept": 1}
    cancelled = "notifications/cancelled"
    app.lab.wait_until(
        lambda: slow["id"] in [frame["params"]["requestId"] for frame in app.sent(cancelled)], cancelled
    )
    for method in ("resources/subscribe", "resources/unsubscribe"):
        app.lab.wait_until(lambda: app.sent(method), method)  # noqa: B023
        assert [frame["params"]["uri"] for frame in app.sent(method)] == ["raw://numbers"]


def test_the_server_is_told_that_pages_are_shown(app: RawApp) -> None:
    app.lab.run_new("raw.restart()")
    (greeting,) = app.sent("initialize")
    extensions = greeting["params"]["capabilities"]["extensions"]
    assert extensions["io.modelcontextprotocol/ui"] == {"mimeTypes": ["text/html;profile=mcp-app"]}
