"""Logging in at a remote server: the first time by the person, afterwards with what is kept."""

from __future__ import annotations

import _thread
import socket
import threading

import pytest

from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import ProtocolFailure, StartFailed
from mcpapps_jupyter.lifecycle import State
from mcpapps_jupyter.ports import Caller
from tests.core.support import WAIT, until
from tests.oauth.conftest import MakeApp, MakeHost
from tests.oauth.person import Person, arguments_of, end_of, visit
from tests.oauth.site import Site, site


def listens(redirect_uri: str) -> bool:
    port = int(redirect_uri.rpartition(":")[2].partition("/")[0])
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


def test_the_first_start_asks_and_the_second_does_not(new_app: MakeApp, remote: Site, person: Person) -> None:
    app = new_app()
    starting = app.astart()
    request = person.asked()
    page = visit(request.url)
    assert page.status_code == 200
    assert "close this tab" in page.text
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    starting.result(WAIT)
    assert app.call("hello").data == "hello"
    assert person.outcome() == "logged in"
    assert remote.authority.logins[0].resource == remote.url
    until(lambda: not listens(request.redirect_uri), "the loopback server's end")

    another = new_app()
    assert another.call("hello").data == "hello"
    assert person.left_alone
    assert len(remote.authority.logins) == 1


def test_requests_do_not_wait_for_each_other(app: App) -> None:
    waiting = app.acall("wait")
    assert app.call("come").data == "here"
    assert waiting.result(WAIT).data == "met"


def test_the_old_transport_logs_in_too(kernels: MakeHost, person: Person) -> None:
    with site(old=True) as remote:
        app = kernels().add(remote.url, id="remote", transport="sse")
        starting = app.astart()
        person.log_in()
        starting.result(WAIT)
        assert app.call("hello").data == "hello"
        app.stop()


# -- no login -----------------------------------------------------------------------------------------


def test_being_refused_is_said_and_asked_once(new_app: MakeApp, remote: Site, person: Person) -> None:
    remote.authority.denies = True
    app = new_app()
    starting = app.astart()
    request = person.asked()
    page = visit(request.url)
    assert "You said no" in page.text
    with pytest.raises(StartFailed, match="did not let you in: You said no"):
        starting.result(WAIT)
    assert app.state is State.FAILED
    assert "not logged in" in person.outcome()
    assert person.left_alone
    assert not listens(request.redirect_uri)

    remote.authority.denies = False
    starting = app.astart()
    person.log_in()
    starting.result(WAIT)


def test_declining_in_the_notebook_ends_it(new_app: MakeApp, person: Person) -> None:
    app = new_app()
    starting = app.astart()
    person.asked()
    person.paste(None)
    with pytest.raises(StartFailed, match="was declined"):
        starting.result(WAIT)
    assert person.left_alone


def test_forged_returns_are_ignored(new_app: MakeApp, person: Person) -> None:
    app = new_app()
    starting = app.astart()
    request = person.asked()
    for forged in (
        "?code=mine&state=wrong",
        "?code=mine",
        "?error=access_denied&state=wrong",
        f"?state={arguments_of(request.url)['state']}",
        "",
    ):
        page = visit(request.redirect_uri + forged)
        assert page.status_code == 400
        assert "Not this login" in page.text
    assert visit(request.redirect_uri.replace("/callback", "/favicon.ico")).status_code == 404
    assert not starting.done()
    visit(request.url)
    starting.result(WAIT)


def test_a_silent_caller_of_the_loopback_server_holds_nothing_up(new_app: MakeApp, person: Person) -> None:
    app = new_app()
    starting = app.astart()
    request = person.asked()
    port = int(request.redirect_uri.rpartition(":")[2].partition("/")[0])
    with (
        socket.create_connection(("127.0.0.1", port)) as silent,
        socket.create_connection(("127.0.0.1", port)) as rude,
    ):
        rude.sendall(b"\x16\x03\x01 no http at all\r\n\r\n")
        visit(request.url)
        starting.result(WAIT)
        silent.settimeout(WAIT)
        assert silent.recv(1) == b""


def test_the_address_can_be_pasted(new_app: MakeApp, person: Person) -> None:
    app = new_app()
    starting = app.astart()
    request = person.asked()
    assert person.problems.get(timeout=WAIT) == ""
    person.paste("http://127.0.0.1/callback?code=1&state=2")
    assert "not where this login ended" in person.problems.get(timeout=WAIT)
    person.paste("what is this")
    assert person.problems.get(timeout=WAIT)
    person.paste(f"  {end_of(request.url)}\n")
    starting.result(WAIT)
    assert person.outcome() == "logged in"
    assert app.call("hello").data == "hello"


def test_without_a_person_nothing_is_opened(new_app: MakeApp, remote: Site, person: Person) -> None:
    app = new_app(headless=True)
    with pytest.raises(StartFailed, match="Start remote once in a notebook"):
        app.start()
    assert person.left_alone
    assert remote.asked("POST /register") == 0
    assert app.login is not None
    assert not app.login.path.exists()


def test_without_a_person_what_is_kept_serves(
    app: App, new_app: MakeApp, remote: Site, person: Person
) -> None:
    remote.authority.end_access()
    alone = new_app(headless=True)
    assert alone.call("hello").data == "hello"
    assert remote.authority.refreshes == 1
    remote.authority.forget_everybody()
    with pytest.raises(StartFailed, match="nobody is here to log in"):
        alone.restart()
    assert person.left_alone


def test_a_server_without_registration_says_so(kernels: MakeHost, era: str, person: Person) -> None:
    with site(registration=False) as remote:
        app = kernels().add(remote.url, id="remote", protocol=era)
        with pytest.raises(StartFailed, match=r"does not register us .* headers: Authorization"):
            app.start()
    assert person.left_alone


# -- time and interrupts --------------------------------------------------------------------------------


def test_the_start_s_time_stands_still(new_app: MakeApp, person: Person) -> None:
    app = new_app(startupTimeoutSeconds=1)
    starting = app.astart()
    request = person.asked()
    with pytest.raises(TimeoutError):
        starting.future.exception(2)  # a person may think for longer than a start may take
    visit(request.url)
    starting.result(WAIT)
    assert not [note for note in app.info().warnings if "probe" in note]


def interrupt_when_asked(person: Person) -> threading.Thread:
    def interrupt() -> None:
        person.requests.put(person.asked())  # the test looks at it afterwards
        _thread.interrupt_main()

    thread = threading.Thread(target=interrupt)
    thread.start()
    return thread


def test_ctrl_c_leaves_it_stopped(new_app: MakeApp, person: Person) -> None:
    app = new_app()
    thread = interrupt_when_asked(person)
    with pytest.raises(KeyboardInterrupt):
        app.start()
    thread.join(WAIT)
    assert app.state is State.STOPPED
    assert not listens(person.asked().redirect_uri)
    assert "given up" in person.outcome()

    starting = app.astart()
    person.log_in()
    starting.result(WAIT)


# -- while it runs --------------------------------------------------------------------------------------


def test_a_call_may_need_a_login(new_app: MakeApp, remote: Site, person: Person) -> None:
    remote.authority.gives_refresh_tokens = False
    app = new_app(requestTimeoutSeconds=1)
    starting = app.astart()
    person.log_in()
    starting.result(WAIT)

    remote.authority.end_access()
    call = app.acall("hello")
    request = person.asked()
    assert request.caller is not None
    assert request.caller.origin == "cell"
    with pytest.raises(TimeoutError):
        call.future.exception(2)
    visit(request.url)
    assert call.result(WAIT).data == "hello"
    assert remote.asked("POST /register") == 1  # the address is registered already


def test_an_interrupted_call_takes_its_login_away(
    kernels: MakeHost, remote: Site, era: str, person: Person
) -> None:
    host = kernels()
    app = host.add(remote.url, id="remote", protocol=era)
    starting = app.astart()
    person.log_in()
    starting.result(WAIT)
    assert person.outcome() == "logged in"

    remote.authority.end_logins()
    thread = interrupt_when_asked(person)
    with pytest.raises(KeyboardInterrupt):
        app.call("hello")
    thread.join(WAIT)
    gone = person.asked()
    until(lambda: not listens(gone.redirect_uri), "the loopback server's end")
    assert "given up" in person.outcome()

    call = host.thread.submit(app.call_here("hello", {}, Caller("model")))
    request = person.asked()
    assert request.caller is not None
    assert request.caller.origin == "model"  # telling the server of the interrupted call asks nobody
    visit(request.url)
    assert call.result(WAIT).data == "hello"


def test_a_refusal_is_not_asked_again_and_again(app: App, remote: Site, person: Person) -> None:
    remote.authority.forget_everybody()
    call = app.acall("hello")
    person.asked()
    person.paste(None)
    with pytest.raises(ProtocolFailure, match="was declined"):
        call.result(WAIT)
    with pytest.raises(ProtocolFailure, match="was declined"):
        app.call("hello")
    assert person.left_alone
    restarting = app.arestart()
    person.log_in()
    restarting.result(WAIT)


def test_leaving_asks_nobody(app: App, remote: Site, person: Person) -> None:
    remote.authority.forget_everybody()
    app.stop()
    assert app.state is State.STOPPED
    assert person.left_alone


def test_calls_at_once_share_one_login(app: App, remote: Site, person: Person) -> None:
    remote.authority.end_logins()
    calls = [app.acall("hello") for _ in range(4)]
    person.log_in()
    assert [call.result(WAIT).data for call in calls] == ["hello"] * 4
    assert person.left_alone
