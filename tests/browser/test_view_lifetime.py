"""The page comes back after all that JupyterLab does to a cell, without another call of its tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .cells import LOAD, listener
from .hostile.support import adding, page

if TYPE_CHECKING:
    from collections.abc import Callable

    from .lab_page import LabPage

CALLS = "print(calls['mine'])"


@pytest.mark.elsewhere("openai/openai-apps-sdk-examples#195")
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


@pytest.mark.elsewhere("MCPJam/inspector#2274")
def test_what_is_typed_into_a_page_stays_while_it_is_scrolled_away(open_lab: Callable[..., LabPage]) -> None:
    more = [f"print('\\n' * {lines})" for lines in range(30, 50)]
    lab = open_lab(LOAD, adding("mine", page("mine")), "%mcpapp open mine show", *more)
    lab.run_all()
    mine = lab.frame_titled("mine")
    lab.fill(mine, "#field", "typed")
    for index in (len(more) + 2, 2):
        lab.cell(index).scroll_into_view_if_needed()
    assert mine.input_value("#field") == "typed"
    anew = "print(sum('loaded anew' in entry.text for entry in host['mine'].log))"
    assert lab.run_new(anew) == "0\n"
    lab.collapse_outputs(2)
    lab.wait_until(lambda: not lab.frames_titled("mine"), "the page is away")
    lab.expand_outputs(2)
    lab.frame_titled("mine")
    lab.wait_until(lambda: lab.run_new(anew) == "1\n", "the log says why what was typed is gone")


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
