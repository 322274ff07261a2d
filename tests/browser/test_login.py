"""Logging in at a remote server: the link, the way back, and the field for browsers on other machines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.oauth.person import end_of, visit
from tests.oauth.site import Site, site

from .cells import LISTENER_PAGE, LOAD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .lab_page import LabPage

    OpenLab = Callable[..., LabPage]

LINK = "a[href*='/authorize']"
STRIP = ".mcpapp-strip"
START = "%mcpapp start remote"
HELLO = "host['remote'].call('hello').data"


@pytest.fixture
def remote() -> Iterator[Site]:
    with site(page=LISTENER_PAGE) as both:
        yield both


@pytest.fixture
def lab(open_lab: OpenLab, remote: Site) -> LabPage:
    lab = open_lab(LOAD + f"_ = host.add({remote.url!r}, id='remote', name='Far away')", START, HELLO)
    lab.run(0)
    return lab


def forget(lab: LabPage) -> None:
    lab.run_new("host['remote'].forget_login()")


def paste(lab: LabPage, address: str) -> None:
    lab.fill(lab.page, f"{STRIP} input", address)
    lab.press("Submit")


def test_the_link_leads_there_and_back(lab: LabPage) -> None:
    lab.start(1)
    link = lab.page.wait_for_selector(LINK)
    assert "noopener" in link.get_attribute("rel")
    assert "on the machine that the kernel runs on" in lab.text(1)
    lab.screenshot("login-wanted", 1)
    with lab.page.context.expect_page() as opened:
        link.click()
    opened.value.wait_for_selector("text=Back to the notebook")
    opened.value.close()
    text = lab.wait(1)
    assert "Far away (127.0.0.1:" in text
    assert "logged in." in text
    assert lab.page.query_selector(LINK) is None
    assert lab.page.query_selector(STRIP) is None
    assert lab.run(2).strip() == "'hello'"
    lab.screenshot("login-done", 1)
    assert "access-" not in json.dumps(lab.saved())
    forget(lab)


def test_the_address_can_be_pasted_while_the_cell_waits(lab: LabPage) -> None:
    lab.start(1)
    link = lab.page.wait_for_selector(LINK).get_attribute("href")
    paste(lab, "http://127.0.0.1/callback?code=1")
    lab.page.wait_for_selector(f"{STRIP}:has-text('not where this login ended')")
    paste(lab, end_of(link))
    assert "logged in." in lab.wait(1)
    assert lab.page.query_selector(STRIP) is None
    assert "code=" not in json.dumps(lab.saved()["cells"])
    forget(lab)


def test_interrupting_takes_the_link_away(lab: LabPage) -> None:
    lab.start(1)
    lab.page.wait_for_selector(LINK)
    lab.page.wait_for_selector(STRIP)
    lab.command("notebook:interrupt-kernel")
    lab.wait(1, may_fail=True)
    lab.wait_until(lambda: "given up" in lab.text(1), "the line that says so")
    lab.page.wait_for_selector(STRIP, state="detached")
    assert lab.page.query_selector(LINK) is None
    assert "Stopped" in lab.run_new("host['remote'].state.value")


def test_a_page_s_call_is_asked_above_the_page(lab: LabPage, remote: Site) -> None:
    lab.start(1)
    visit(lab.page.wait_for_selector(LINK).get_attribute("href"))
    lab.wait(1)
    lab.run_new("%mcpapp open remote")
    page = lab.app_frame("#host")
    page.wait_for_selector("#shown:has-text('shown')")

    remote.authority.end_logins()
    page.evaluate(
        "void request('tools/call', { name: 'hello', arguments: {} }).then((m) => { window.answer = m; })"
    )
    with lab.page.context.expect_page() as opened:
        lab.press(f"Open {remote.authority_url}", "Log in at 127.0.0.1")
    opened.value.wait_for_selector("text=Back to the notebook")
    opened.value.close()
    page.wait_for_function("window.answer")
    answer = page.evaluate("window.answer")
    assert answer["result"]["content"][0]["text"] == "hello"
    lab.page.wait_for_selector(STRIP, state="detached")
    forget(lab)


def test_an_awaited_start_shows_the_link_too(lab: LabPage) -> None:
    cell = lab.append("_ = await host['remote'].astart()")
    lab.start(cell)
    visit(lab.page.wait_for_selector(LINK).get_attribute("href"))
    lab.wait(cell)
    lab.wait_until(lambda: "logged in." in lab.text(cell), "the line that says so")
    forget(lab)
