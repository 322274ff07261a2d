"""What is left of a page when its cell has run again and again, is cleared, or has another kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .cells import LOAD
from .hostile.support import adding, page

if TYPE_CHECKING:
    from collections.abc import Callable

    from .lab_page import LabPage

    OpenLab = Callable[..., LabPage]

OPEN = "%mcpapp open mine show --as view"
# What a visualisation does that is not careful: a browser takes the context from the oldest of too many.
WEBGL = "window.gl = document.body.appendChild(document.createElement('canvas')).getContext('webgl');"
RUNS = 50


def counters(lab: LabPage) -> dict[str, float]:
    """What Chromium counts in this tab, after a collection of garbage."""
    tools = lab.page.context.new_cdp_session(lab.page)
    tools.send("HeapProfiler.enable")
    tools.send("HeapProfiler.collectGarbage")
    tools.send("Performance.enable")
    metrics = tools.send("Performance.getMetrics")["metrics"]
    tools.detach()
    return {metric["name"]: metric["value"] for metric in metrics}


def run_again(lab: LabPage, index: int, times: int) -> None:
    for _ in range(times):
        lab.run(index)


@pytest.mark.elsewhere("marimo-team/marimo#8159", "rerun-io/rerun#6642")
def test_a_cell_that_runs_fifty_times_has_one_page(open_lab: OpenLab) -> None:
    lab = open_lab(LOAD, adding("mine", page("mine", WEBGL)), OPEN)
    lab.run_all()
    lab.frame_titled("mine")
    run_again(lab, 2, 9)
    early = counters(lab)
    run_again(lab, 2, RUNS - 10)
    frame = lab.frame_titled("mine")
    lab.wait_until(lambda: len(lab.page.frames) == 3, "Lab, one shell and one page")
    late = counters(lab)
    more = {name: (late[name] - early[name]) / (RUNS - 10) for name in late}
    # JupyterLab itself keeps three listeners of every widget that it has ever shown.
    assert more["JSEventListeners"] < 6, "listeners for each run"
    assert late["Documents"] <= early["Documents"] + 5, "documents in all"
    assert more["JSHeapUsedSize"] < 600_000, "bytes for each run: each widget's module stays, as modules do"
    kernel = "jupyterapp.shell.currentWidget.sessionContext.session.kernel"
    assert lab.page.evaluate(f"{kernel}._comms.size") == 2, "the view and its layout"
    comms = "import comm\nprint(len(host.views), len(comm.get_comm_manager().comms))"
    assert lab.run_new(comms) == "1 2\n"
    assert not [line for line in lab.console if "context lost" in line.lower() or "Too many active" in line]
    assert frame.evaluate("gl === null || !gl.isContextLost()")


@pytest.mark.elsewhere("jupyter-widgets/ipywidgets#1225")
def test_a_cleared_output_hides_the_page_and_its_data_can_be_read(open_lab: OpenLab) -> None:
    lab = open_lab(LOAD, adding("mine", page("mine")), OPEN)
    lab.run_all()
    frame = lab.frame_titled("mine")
    frame.evaluate("request('ui/update-model-context', { structuredContent: { picked: 3 } })")
    lab.select(2)
    lab.command("notebook:clear-cell-output")
    lab.wait_until(lambda: len(lab.page.frames) == 1, "the frames are gone")
    assert lab.run_new("print(view.ended, view.model_context.data, view.result.text)") == (
        "False {'picked': 3} mine\n"
    )
    news = "before = len(view.traffic)\nhost['mine'].restart()\nprint(len(view.traffic) - before)"
    assert lab.run_new(news) == "0\n", "nothing is said to a page that nobody shows"
    lab.run_new("view")
    assert lab.frame_titled("mine").evaluate("request('ping')")["result"] == {}


def test_a_page_says_that_its_kernel_is_another_and_the_cell_brings_it_back(open_lab: OpenLab) -> None:
    lab = open_lab(LOAD, adding("mine", page("mine")), OPEN)
    lab.run_all()
    frame = lab.frame_titled("mine")
    lab.restart_kernel()
    note = lab.page.wait_for_selector(".mcpapp-note:has-text('again from %load_ext on')")
    assert "Disconnected" in note.inner_text()
    lab.screenshot("disconnected", 2)
    answer = frame.evaluate("request('tools/call', { name: 'count', arguments: {} })")
    assert "kernel is gone" in answer["error"]["message"]
    for index in range(3):
        lab.run(index)
    frame = lab.frame_titled("mine")
    count = "request('tools/call', { name: 'count', arguments: {} })"
    assert frame.evaluate(count)["result"]["structuredContent"] == {"result": 1}
