"""Servers that want no login of this kind are spoken with as before."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from mcpapps_jupyter.errors import StartFailed
from tests.core.support import WAIT
from tests.oauth.conftest import MakeHost
from tests.oauth.person import Person
from tests.oauth.site import Site
from tests.transports.web import serving


def refusing(*, catch_all: bool) -> Starlette:
    """A server that wants a key in a header, and knows nothing of OAuth."""

    async def mcp(request: Request) -> Response:
        return JSONResponse({"message": "API key missing"}, 401)

    async def website(request: Request) -> Response:
        return HTMLResponse("<h1>Welcome</h1>", 200 if catch_all else 404)

    return Starlette(
        routes=[
            Route("/mcp", mcp, methods=["POST", "GET", "DELETE"]),
            Route("/{rest:path}", website, methods=["POST", "GET"]),
        ]
    )


@pytest.mark.parametrize("headless", [True, False])
@pytest.mark.parametrize("catch_all", [True, False])
def test_a_missing_key_is_said_in_the_server_s_words(
    kernels: MakeHost, person: Person, headless: bool, catch_all: bool
) -> None:
    with serving(refusing(catch_all=catch_all)) as server:
        app = kernels(headless=headless).add(server.url(), id="keyed")
        with pytest.raises(StartFailed, match="answered HTTP 401 Unauthorized: API key missing"):
            app.start()
        assert "offers no login" in " ".join(entry.text for entry in app.log)
    assert person.left_alone


def test_a_token_of_ones_own_is_not_replaced(kernels: MakeHost, remote: Site, person: Person) -> None:
    host = kernels()
    app = host.add(remote.url, id="remote", headers={"authorization": "Bearer mine-mine-mine"})
    assert app.login is None
    with pytest.raises(StartFailed, match="HTTP 401"):
        app.start()
    assert person.left_alone
    assert not app.forget_login()


def test_a_header_of_ones_own_stays_beside_the_login(kernels: MakeHost, remote: Site, person: Person) -> None:
    app = kernels().add(remote.url, id="remote", headers={"X-Team": "blue"})
    starting = app.astart()
    person.log_in()
    starting.result(WAIT)
    assert app.call("hello").data == "hello"
