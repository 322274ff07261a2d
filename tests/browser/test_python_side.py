"""Cells and a page in one notebook: waiting, calling, streaming, freezing; views that end and come back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cells import LOAD
from .python_side import add

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Frame

    from .lab_page import LabPage

    OpenLab = Callable[..., LabPage]

OPEN = "%mcpapp open mine show title=Stock --as dash"
STREAM = """
import threading
more = threading.Event()

def writing():
    yield {"title": "Stock"}
    more.wait(60)
    yield {"title": "Stock", "rows": [1, 2]}

host["mine"].open("show", stream=writing())
"""
RESULT = "tool-result"
STRIP = ".mcpapp-strip"
PICK = "void rpc('ui/update-model-context', { structuredContent: { row: 7 } })"


def live(lab: LabPage, timeout: float = 30) -> Frame:
    """Wait until the page has its result."""
    lab.wait_until(lambda: len(lab.app_frames("#mine")) == 1, "the page is there", timeout)
    page = lab.app_frame("#mine")
    lab.wait_until(lambda: RESULT in page.inner_text("#got"), "the page is live", timeout)
    return page


def test_a_blocked_cell_waits_for_the_page_and_calls_its_tools(open_lab: OpenLab) -> None:
    lab = open_lab(
        LOAD + add(),
        OPEN,
        "context = dash.wait_for('model_context', timeout=60)\n"
        "print(context.data, dash.call_tool('pick', row=3).data, [tool.name for tool in dash.tools()])",
        "print((await dash.await_for('initialized'))['appInfo'])\n"
        "print((await dash.acall_tool('pick', row=4)).data)",
    )
    lab.run(0)
    lab.run(1)
    page = live(lab)
    lab.start(2)
    lab.page.wait_for_timeout(300)
    assert not lab.has_run(2)
    page.evaluate(PICK)
    assert lab.wait(2) == "{'row': 7} {'picked': 3} ['pick']\n"
    assert page.inner_text("#mine") == "row 3"
    assert lab.run(3) == "{'name': 'mine', 'version': '1'}\n{'picked': 4}\n"


def test_waiting_can_be_interrupted(open_lab: OpenLab) -> None:
    lab = open_lab(LOAD + add(), OPEN, "dash.wait_for('message')", "'alive'")
    lab.run(0)
    lab.run(1)
    live(lab)
    lab.start(2)
    lab.page.wait_for_timeout(300)
    lab.command("notebook:interrupt-kernel")
    assert "interrupted" in lab.wait(2, may_fail=True).lower()
    assert lab.run(3).strip() == "'alive'"


def test_the_page_sees_arguments_while_they_are_written(open_lab: OpenLab) -> None:
    lab = open_lab(LOAD + add(), "host.config.open_wait = 0", STREAM, "more.set()", "print(calls)")
    for index in range(3):
        lab.run(index)
    lab.page.wait_for_selector(".mcpapp").scroll_into_view_if_needed()
    lab.screenshot("loading", 2)
    page = lab.app_frame("#mine")
    lab.wait_until(lambda: page.inner_text("#got") == "tool-input-partial", "the first part")
    assert lab.run_new("print(calls)") == "[]\n"
    lab.run(3)
    page = live(lab)
    assert page.inner_text("#got") == "tool-input-partial tool-input-partial tool-input tool-result"
    assert page.evaluate("got.map((m) => m.params.arguments && m.params.arguments.rows)") == [
        None,
        [1, 2],
        [1, 2],
        None,
    ]
    assert lab.run(4) == "[[1, 2]]\n"


def test_a_permission_is_asked_for_before_the_frame_is_built(open_lab: OpenLab) -> None:
    lab = open_lab(LOAD + add(asking=True), OPEN, "print(dash.permissions)\nprint(host.decisions)")
    lab.run(0)
    lab.start(1)
    strip = lab.page.wait_for_selector(f"{STRIP}:has-text('wants to know where you are')")
    assert "The page of mine" in strip.inner_text()
    lab.screenshot("permission")
    assert not lab.app_frames("#mine")
    lab.press("Allow while open")
    page = live(lab)
    lab.wait(1)
    assert page.evaluate("init.hostCapabilities.sandbox.permissions") == {
        "clipboardWrite": {},
        "geolocation": {},
    }
    assert page.evaluate(
        "document.featurePolicy ? document.featurePolicy.allowsFeature('geolocation') : true"
    )
    text = lab.run(2)
    assert "('clipboardWrite', 'geolocation')" in text
    assert "person" in text


def test_an_evicted_view_says_so_and_comes_back(open_lab: OpenLab) -> None:
    lab = open_lab(LOAD + add(), "host.config.max_views = 1", OPEN, "%mcpapp open mine show title=Other")
    for index in range(3):
        lab.run(index)
    live(lab)
    lab.run(3)
    reason = lab.page.wait_for_selector(".mcpapp-reason:has-text('the oldest ended')")
    assert "This view has ended" in reason.inner_text()
    lab.screenshot("evicted", 2)
    lab.page.click(".mcpapp-reason button:text-is('Relaunch')")
    live(lab)
    lab.wait_until(
        lambda: lab.run_new("print(len(calls), len(host.views))") == "2 1\n", "one view, no new call"
    )


def test_a_frozen_view_survives_everything(open_lab: OpenLab) -> None:
    lab = open_lab(LOAD + add() + "host['mine'].start()\n", OPEN, "%mcpapp freeze dash")
    lab.run(0)
    lab.run(1)
    live(lab)
    assert "is frozen" in lab.run(2)
    lab.wait_until(lambda: not lab.app_frames("#mine"), "the page is gone")
    assert "Stock: 0 rows" in lab.text(1)
    card = lab.page.wait_for_selector(".mcpapp-card")
    assert card.is_visible()
    lab.screenshot("frozen", 1)
    assert [sorted(output["data"]) for output in lab.saved_outputs(1)] == [["text/html", "text/plain"]]
    lab.restart_kernel()
    lab.reload()
    assert lab.page.wait_for_selector(".mcpapp-card").is_visible()
    assert "Error displaying widget" not in lab.cell(1).inner_text()


def test_news_for_a_page_out_of_sight_wait_until_it_is_seen(open_lab: OpenLab) -> None:
    touch = "_ = host['mine'].call('touch')"
    lab = open_lab(LOAD + add(), OPEN + " --height 300", "\n" * 60, touch)
    lab.run(0)
    lab.run(1)
    page = live(lab)
    page.evaluate("rpc('resources/subscribe', { uri: 'mine://rows' })")
    lab.run(3)
    lab.cell(1).scroll_into_view_if_needed()  # Lab may have scrolled to the cell that ran
    lab.wait_until(lambda: page.inner_text("#got").endswith("updated"), "the news in sight")
    lab.select(3)
    lab.page.evaluate("() => document.activeElement.blur()")
    lab.cell(3).scroll_into_view_if_needed()
    view = "next(iter(dash._relay.frames.values()))"
    lab.wait_until(lambda: lab.run_new(f"print({view}.visible)") == "False\n", "the page is out of sight")
    lab.run(3)
    lab.wait_until(lambda: lab.run_new(f"print(len({view}.parked))") == "1\n", "the news wait")
    assert page.inner_text("#got").count("updated") == 1
    lab.cell(1).scroll_into_view_if_needed()
    lab.wait_until(lambda: page.inner_text("#got").count("updated") == 2, "the news are told")
