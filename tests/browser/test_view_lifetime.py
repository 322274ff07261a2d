"""The page comes back after all that JupyterLab does to a cell, without another call of its tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cells import LOAD, listener

if TYPE_CHECKING:
    from collections.abc import Callable

    from .lab_page import LabPage

CALLS = "print(calls['mine'])"


def test_the_page_comes_back_without_another_call_of_the_tool(open_lab: Callable[..., LabPage]) -> None:
    lab = open_lab(LOAD, "1", listener("mine"), "%mcpapp open mine show")
    lab.run_all()
    first = lab.app_frame("#shown")
    lab.wait_until(lambda: first.inner_text("#shown") == "mine call 1", "the page has the result")

    lab.collapse_outputs(3)
    lab.wait_until(lambda: not lab.app_frames("#shown"), "the page is away")
    lab.expand_outputs(3)
    _wait_for_result(lab)
    lab.move_cell(3, "up")
    _wait_for_result(lab)
    lab.reload()
    _wait_for_result(lab)
    assert lab.run_new(CALLS) == "1\n"


def test_running_the_cell_again_replaces_the_page(open_lab: Callable[..., LabPage]) -> None:
    lab = open_lab(LOAD, listener("mine"), "%mcpapp open mine show")
    lab.run_all()
    lab.run(2)
    lab.wait_until(lambda: lab.app_frame("#shown").inner_text("#shown") == "mine call 2", "the second result")
    assert lab.run_new("print(len(host.views))") == "1\n"


def test_a_changed_server_object_replaces_the_one_behind_the_open_page(
    open_lab: Callable[..., LabPage],
) -> None:
    lab = open_lab(LOAD, listener("mine"), "%mcpapp open mine show")
    lab.run_all()
    lab.run(1)
    lab.app_frame("#shown").click("#attack")  # the page can still call a tool of the new server
    lab.wait_until(
        lambda: lab.app_frame("#shown").inner_text("#attack").startswith("sent"), "the new server answers"
    )


def _wait_for_result(lab: LabPage) -> None:
    frame = lab.app_frame("#shown")
    lab.wait_until(lambda: frame.inner_text("#shown") == "mine call 1", "the page has the same result again")
