"""Pages answer while a cell runs by private names of ipykernel: where one is missing, nothing breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import traitlets

from mcpapps_jupyter.views import subshell


class Widget(traitlets.HasTraits):
    comm = traitlets.Any(None, allow_none=True)


class AtOnce:
    """An event loop that does what it is asked to do at once."""

    def add_callback(self, work: Callable[[], None]) -> None:
        work()


class Comm:
    """One of ipykernel's: who last published is answered to."""

    def _reply_subshell_for(self, data: Any, default: str | None) -> str | None:
        return "the busy one"


class Manager:
    def __init__(self) -> None:
        self.subshells: list[str] = []

    def _create_subshell(self) -> str:
        self.subshells.append("ours")
        return "ours"

    def _delete_subshell(self, name: str) -> None:
        self.subshells.remove(name)


def kernel_with(manager: object) -> SimpleNamespace:
    return SimpleNamespace(shell_channel_thread=SimpleNamespace(manager=manager, io_loop=AtOnce()))


KERNELS = {
    "none": lambda: None,
    "without a thread": SimpleNamespace,
    "whose thread is none": lambda: SimpleNamespace(shell_channel_thread=None),
    "whose thread has no manager": lambda: SimpleNamespace(shell_channel_thread=SimpleNamespace()),
    "whose thread has no loop": lambda: SimpleNamespace(
        shell_channel_thread=SimpleNamespace(manager=Manager())
    ),
    "whose manager makes no subshells": lambda: kernel_with(SimpleNamespace()),
    "whose manager makes something else": lambda: kernel_with(
        SimpleNamespace(_create_subshell=lambda: SimpleNamespace(id="ours"))
    ),
}


@pytest.fixture(autouse=True)
def none_left() -> Iterator[None]:
    yield
    subshell.release(None)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_a_kernel_of_another_make(kernel: Callable[[], object]) -> None:
    widget = Widget(comm=Comm())
    assert not subshell.pin(widget, kernel())
    assert widget.comm._reply_subshell_for({}, "as the front end says") == "as the front end says"
    subshell.release(kernel())


@pytest.mark.parametrize("comm", [None, SimpleNamespace()], ids=["no comm", "a comm that does not route"])
def test_a_comm_of_another_make(comm: object) -> None:
    kernel = kernel_with(Manager())
    widget = Widget(comm=comm)
    assert not subshell.pin(widget, kernel)
    widget.comm = routed = Comm()
    assert routed._reply_subshell_for({}, None) == "ours", "a new comm is pinned as well"
    widget.comm = None


def test_all_widgets_share_one_subshell_that_is_deleted_in_the_end() -> None:
    manager = Manager()
    kernel = kernel_with(manager)
    widgets = [Widget(comm=Comm()) for _ in range(3)]
    assert [subshell.pin(widget, kernel) for widget in widgets] == [True] * 3
    assert manager.subshells == ["ours"]
    assert {widget.comm._reply_subshell_for({}, None) for widget in widgets} == {"ours"}
    subshell.release(kernel)
    assert manager.subshells == []
    subshell.release(kernel)


def test_a_kernel_that_refuses_to_delete_it() -> None:
    manager = Manager()
    kernel = kernel_with(manager)
    assert subshell.pin(Widget(comm=Comm()), kernel)
    manager.subshells.clear()
    subshell.release(kernel)
    assert subshell.pin(Widget(comm=Comm()), kernel), "and then makes another one"
