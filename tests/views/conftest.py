"""A host with a person and the lab server in it, and tabs on its views."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.host import Host
from tests.core.conftest import new_host, settle_in
from tests.core.servers.lab import build
from tests.views.tab import Open, Tab, greet


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A host, shared by a module's tests; a person is there to be asked."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        settle_in(tmp_path_factory.mktemp("notebook"), monkeypatch)
        host = new_host(headless=False)
        host.add(build(), id="lab")
        yield host
        host.close()


@pytest.fixture
def app(kernel: Host) -> App:
    return kernel["lab"]


@pytest.fixture
def open_tab(kernel: Host, app: App) -> Iterator[Open]:
    """Give ``open_tab(tool, …)``: a view of the lab's page, with a tab that has finished its handshake."""
    tabs: list[Tab] = []

    def open_tab(*arguments: Any, greeted: bool = True, of: App = app, **keywords: Any) -> Tab:
        tab = Tab(kernel, of.open(*arguments or ("open_page",), **keywords))
        tabs.append(tab)
        return greet(tab) if greeted else tab

    yield open_tab
    for tab in tabs:
        tab.view.close()
