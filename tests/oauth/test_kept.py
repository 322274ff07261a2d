"""What is kept of a login: where, for whom, and what becomes of it."""

from __future__ import annotations

import json
import os
import socket
import stat
from pathlib import Path

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import ProtocolFailure, StartFailed
from mcpapps_jupyter.oauth import LoginFile
from mcpapps_jupyter.oauth.loopback import port_of
from mcpapps_jupyter.oauth.storage import Stored
from tests.core.support import WAIT
from tests.oauth.conftest import MakeApp
from tests.oauth.person import Person, visit
from tests.oauth.site import Site


def kept(app: App) -> Path:
    assert app.login is not None
    return app.login.path


def spoil(app: App, **parts: object) -> None:
    path = kept(app)
    path.write_text(json.dumps({**json.loads(path.read_text()), **parts}))


# -- the file -------------------------------------------------------------------------------------------


def test_it_is_kept_in_a_file_of_the_owner_alone(app: App, folder: Path) -> None:
    path = kept(app)
    assert path.parent == folder / "jupyter_data_dir" / "mcpapps_jupyter" / "oauth"
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert path.name.startswith("127.0.0.1-")
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    content = json.loads(path.read_text())
    assert content["tokens"]["access_token"].startswith("access-")
    assert content["expires_at"] > 0
    assert port_of(content["redirect_uri"]) > 0


def test_a_folder_of_other_rights_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "oauth"
    folder.mkdir(mode=0o777)
    LoginFile("https://example.com/mcp", folder).write(Stored(tokens={"access_token": "secret"}))
    if os.name == "posix":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_each_server_has_a_file_of_its_own(tmp_path: Path) -> None:
    urls = [
        "https://example.com/a",
        "https://example.com/b",
        "https://other.example/a",
        "https://u:p@x.y/?k=1",
    ]
    paths = [LoginFile(url, tmp_path).path for url in urls]
    assert len(set(paths)) == len(urls)
    LoginFile(urls[-1], tmp_path).write(Stored(tokens={"access_token": "secret"}))
    assert json.loads(paths[-1].read_text())["server"] == "https://x.y/"


@pytest.mark.parametrize(
    "content",
    ["", "[]", "null", "{", '{"tokens": 1, "client": []}', '{"tokens": {"access_token": 1}}', "\xff"],
)
def test_a_file_that_makes_no_sense_is_no_login(tmp_path: Path, content: str) -> None:
    file = LoginFile("https://example.com/mcp", tmp_path)
    file.path.write_bytes(content.encode("latin-1"))
    assert file.read().access_token == ""
    assert file.read().secrets == []


def test_a_spoilt_file_leads_to_a_new_login(app: App, new_app: MakeApp, person: Person) -> None:
    spoil(
        app, tokens={"access_token": 7}, client={"client_id": 8}, resource={}, authorization_server={"x": 1}
    )
    another = new_app()
    starting = another.astart()
    person.log_in()
    starting.result(WAIT)


def test_a_folder_that_cannot_be_written_is_said(new_app: MakeApp, folder: Path, person: Person) -> None:
    data = folder / "jupyter_data_dir"
    data.write_text("a file where a folder belongs")
    app = new_app()
    starting = app.astart()
    person.log_in()
    starting.result(WAIT)
    assert app.call("hello").data == "hello"
    assert "as long as this kernel only" in " ".join(entry.text for entry in app.log)
    app.restart()
    assert person.left_alone


# -- tokens ---------------------------------------------------------------------------------------------


def test_a_token_that_has_ended_is_refreshed(
    app: App, new_app: MakeApp, remote: Site, person: Person
) -> None:
    spoil(app, expires_at=1.0)
    another = new_app()
    assert another.call("hello").data == "hello"
    assert remote.authority.refreshes == 1
    # This kernel still has the token from before, which the server takes no longer: the file has the new one.
    remote.authority.access = dict(list(remote.authority.access.items())[-1:])
    assert app.call("hello").data == "hello"
    assert remote.authority.refreshes == 1
    assert person.left_alone


def test_a_token_that_is_refused_is_refreshed(app: App, remote: Site, person: Person) -> None:
    remote.authority.end_access()
    assert app.call("hello").data == "hello"
    assert remote.authority.refreshes == 1
    assert person.left_alone


def test_tokens_that_hardly_last_are_refreshed_each_time(
    new_app: MakeApp, remote: Site, person: Person
) -> None:
    remote.authority.lifetime = -1
    app = new_app()
    starting = app.astart()
    person.log_in()
    starting.result(WAIT)
    assert app.call("hello").data == "hello"
    assert remote.authority.refreshes > 1
    assert person.left_alone


def test_a_wider_scope_is_asked_for(app: App, remote: Site, person: Person) -> None:
    remote.required_scopes.append("write")
    call = app.acall("hello")
    person.log_in()
    assert call.result(WAIT).data == "hello"
    assert set(remote.authority.logins[-1].scopes or []) == {"read", "write"}


def test_a_server_that_refuses_the_new_login_as_well(app: App, remote: Site, person: Person) -> None:
    remote.authority.grants = ["read"]
    remote.required_scopes.append("write")
    call = app.acall("hello")
    person.log_in()
    for each in (call, app.acall("hello")):
        with pytest.raises(ProtocolFailure, match=r"refuses the new login as well \(HTTP 403\)"):
            each.result(WAIT)
    assert "not logged in" in person.outcome()
    assert person.left_alone


# -- the registration -----------------------------------------------------------------------------------


def log_in_again(app: App, remote: Site, person: Person) -> str:
    """Go through another login; gives the address that the browser returned to."""
    remote.authority.end_logins()
    restarting = app.arestart()
    request = person.asked()
    visit(request.url)
    restarting.result(WAIT)
    return request.redirect_uri


def test_the_registered_address_is_used_again(app: App, remote: Site, person: Person) -> None:
    registered = json.loads(kept(app).read_text())["redirect_uri"]
    assert log_in_again(app, remote, person) == registered
    assert remote.asked("POST /register") == 1


def test_a_port_that_is_taken_means_a_new_registration(app: App, remote: Site, person: Person) -> None:
    registered = json.loads(kept(app).read_text())["redirect_uri"]
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port_of(registered)))
        other.listen()
        address = log_in_again(app, remote, person)
    assert address != registered
    assert remote.asked("POST /register") == 2
    assert json.loads(kept(app).read_text())["redirect_uri"] == address


def test_an_authorization_server_that_forgot_us_means_a_new_registration(
    app: App, remote: Site, person: Person
) -> None:
    remote.authority.forget_everybody()
    restarting = app.arestart()
    person.log_in()
    restarting.result(WAIT)
    assert remote.asked("POST /register") == 2


def test_a_registration_that_is_no_good_is_not_used_again(app: App, remote: Site, person: Person) -> None:
    client = next(iter(remote.authority.clients.values()))
    client.scope = "write"  # it was registered for something else, says the server
    remote.authority.end_logins()
    restarting = app.arestart()
    person.log_in()
    with pytest.raises(StartFailed, match="did not let you in: Client was not registered with scope read"):
        restarting.result(WAIT)
    starting = app.astart()
    person.log_in()
    starting.result(WAIT)


def test_a_login_given_up_keeps_what_there_was(app: App, remote: Site, person: Person) -> None:
    before = kept(app).read_text()
    remote.authority.forget_everybody()
    restarting = app.arestart()
    person.asked()
    restarting.cancel()
    assert "given up" in person.outcome()
    assert kept(app).read_text() == before


# -- forgetting and showing -----------------------------------------------------------------------------


def test_forgetting_it(app: App, person: Person) -> None:
    path = kept(app)
    assert app.forget_login()
    assert not path.exists()
    assert not app.forget_login()
    starting = app.astart()
    person.log_in()
    starting.result(WAIT)
    assert path.exists()


def test_tokens_are_shown_nowhere(app: App, remote: Site) -> None:
    content = json.loads(kept(app).read_text())
    remote.authority.end_access()
    app.call("hello")
    renewed = json.loads(kept(app).read_text())
    secrets = [
        content["tokens"]["access_token"],
        content["tokens"]["refresh_token"],
        renewed["tokens"]["access_token"],
        content["client"]["client_secret"],
    ]
    assert app.hide(" ".join(secrets)) == " ".join(["•••"] * 4)
    told = repr(app.info())
    assert "its tokens are kept" in told
    assert not [secret for secret in secrets if secret in told]


def test_info_of_an_app_without_a_login(new_app: MakeApp) -> None:
    assert "tokens" not in repr(new_app().info())
