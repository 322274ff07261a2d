"""The page of one app cannot speak into that of another, nor to the notebook in the host's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cells import LOAD, listener

if TYPE_CHECKING:
    from collections.abc import Callable

    from .lab_page import LabPage


def test_a_page_cannot_post_into_the_page_of_another_app(open_lab: Callable[..., LabPage]) -> None:
    opened = ("%mcpapp open victim show", "%mcpapp open attacker show")
    lab = open_lab(LOAD, listener("victim"), listener("attacker"), *opened)
    lab.run_all()
    frames = lab.wait_until(lambda: _both(lab), "both pages have their result")

    for attacker, victim in (("attacker", "victim"), ("victim", "attacker")):
        frames[attacker].click("#attack")
        lab.wait_until(lambda: frames[attacker].inner_text("#attack").startswith("sent"), "all is sent")  # noqa: B023
        assert frames[attacker].inner_text("#attack") != "sent to 0"
        assert frames[victim].inner_text("#shown") == f"{victim} call 1"
        assert frames[victim].inner_text("#strangers") == "0"
    assert lab.run_new("print(calls)") == "{'victim': 1, 'attacker': 1}\n"


def _both(lab: LabPage) -> dict[str, object] | None:
    texts = {frame.inner_text("#shown").split()[0]: frame for frame in lab.app_frames("#shown")}
    return texts if texts.keys() >= {"victim", "attacker"} else None
