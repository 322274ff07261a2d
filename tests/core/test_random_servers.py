"""Whatever a server answers, callers get words, other apps go on and nothing is printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import McpAppsError
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.lifecycle import State
from tests.core.support import command

SEEDS = 24


def everything(app: App) -> list[Callable[[], Any]]:
    return [
        lambda: repr(app.tools),
        lambda: app.tools._repr_html_(),
        lambda: app.resources._repr_html_(),
        lambda: app.prompts._repr_html_(),
        lambda: app.call("good")._repr_html_(),
        lambda: repr(app.call("good").data),
        lambda: app.call("t0", x=1).to_pandas(),
        lambda: repr(app.read("x://1")),
        lambda: repr(app.prompt("p").text),
        lambda: repr(app.info()),
        lambda: app.page_of(None),
        lambda: repr(app.connection().catalogue),
    ]


def told(use: Callable[[], Any]) -> str:
    """What the caller is told if it goes wrong; anything but an error of ours is a failure."""
    try:
        use()
    except McpAppsError as error:
        return str(error)
    return ""


def test_anything_at_all(
    host: Host, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    good = host.add(command("by_hand"), id="good").start()
    for seed in range(SEEDS):
        host.add(
            command("random_answers", str(seed)),
            id=f"random-{seed}",
            startupTimeoutSeconds=4,
            requestTimeoutSeconds=0.5,
        )
    mine = [app for app in host if app.id.startswith("random")]
    starting = [app.astart() for app in mine]
    said = [told(lambda work=work: work.result(60)) for work in starting]
    running = [app for app in mine if app.state is State.RUNNING]
    assert len(running) > SEEDS // 4
    said += [told(use) for app in running for use in everything(app)]
    assert not [text for text in said if "\n" in text]
    assert good.call("add", a=1).data == 2
    host.close()
    assert capfd.readouterr() == ("", "")
    assert not [record.getMessage() for record in caplog.records if record.name == "asyncio"]
