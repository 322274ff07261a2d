"""A server that wants a login, and hosts with a person in front of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.host import Host
from tests.core.conftest import ERAS, folder, new_host
from tests.core.support import WAIT
from tests.oauth.person import Person
from tests.oauth.site import Site, site

__all__ = ["folder"]

MakeHost = Callable[..., Host]
MakeApp = Callable[..., App]


@pytest.fixture
def remote() -> Iterator[Site]:
    """The server and its authorization server."""
    with site() as both:
        yield both


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def person() -> Person:
    return Person()


@pytest.fixture
def kernels(folder: Path, person: Person, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeHost]:
    """Make hosts that share what is kept, as kernels of one person do: ``kernels(headless=True)``."""
    with ExitStack() as stack:

        def make(*, headless: bool = False) -> Host:
            host = new_host(headless=headless)
            stack.callback(host.close)
            monkeypatch.setattr(host.pages, "login_prompt", person.prompt)
            return host

        yield make


@pytest.fixture
def new_app(remote: Site, kernels: MakeHost, era: str) -> MakeApp:
    """Add the server in a kernel of its own: ``new_app(headless=True, startupTimeoutSeconds=1)``."""

    def make(*, headless: bool = False, **fields: object) -> App:
        return kernels(headless=headless).add(remote.url, id="remote", protocol=era, **fields)

    return make


@pytest.fixture
def app(new_app: MakeApp, person: Person) -> App:
    """The app, logged in and running."""
    app = new_app()
    starting = app.astart()
    person.log_in()
    starting.result(WAIT)
    assert person.outcome() == "logged in"
    return app
