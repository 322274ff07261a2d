"""One notebook, open in a real JupyterLab in a real Chromium, in the words of a person who uses it."""

from __future__ import annotations

import json
import re
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

import nbformat
from playwright.sync_api import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from playwright.sync_api import Browser, ElementHandle, Frame, Page

    from .lab_server import LabServer

ARTIFACTS = Path(__file__).resolve().parents[2] / ".artifacts"
# After two animation frames a frame is drawn in the size it has now. One that is out of sight has none.
_UNTIL_DRAWN = """() => new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(done));
    setTimeout(done, 300);
})"""
_VIEWPORT = {"width": 1280, "height": 900}
#: A tab keeps something of every notebook: at some time it is enough.
MOST_USES = 20
_SCRIPT = Path(__file__).with_name("lab.js")


class LabPage:
    """A browser tab with JupyterLab on one notebook.

    Parameters
    ----------
    browser, server
        Chromium, and the JupyterLab it visits.
    name : str
        Name of the notebook, of its folder below the server's root and of its Lab workspace; one that is
        taken gets an ending.
    cells : sequence of str or None
        Source of the notebook's code cells, which are named by index from 0; None takes the notebook that is
        there.

    Attributes
    ----------
    path : Path
        The notebook's file.
    page : playwright.sync_api.Page
        The tab itself, for all that has no method here.
    folder : Path
        The notebook's folder, which is the kernel's working folder. It is there before the kernel is.
    console : list of str
        What the page wrote to the browser's console, each with its level: ``error: …``.
    uses : int
        How many notebooks have been closed in it.
    """

    def __init__(
        self, browser: Browser, server: LabServer, name: str, cells: Sequence[str] | None = ()
    ) -> None:
        self.server = server
        self.uses = 0
        self.console: list[str] = []
        self._take(name, cells)
        self._context = browser.new_context(viewport=_VIEWPORT)
        self._context.set_default_timeout(30_000)
        self._context.add_init_script(path=_SCRIPT)
        self.page: Page = self._context.new_page()
        self.page.on("console", lambda message: self.console.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.console.append(f"pageerror: {error}"))

    def _take(self, name: str, cells: Sequence[str] | None) -> None:
        # A notebook that was there before may still have a kernel that is going, which the new one would get.
        while cells is not None and (self.server.root / name).exists():
            name += "-anew"
        self.name = name
        self.folder = self.server.root / name
        self.folder.mkdir(exist_ok=True)
        self._path = f"{name}/{name}.ipynb"
        self.path = self.server.root / self._path
        if cells is not None:
            _write_notebook(self.path, cells)

    # The tab

    def open_another(self, name: str, cells: Sequence[str]) -> None:
        """Open a new notebook in this tab, where none is open."""
        self._take(name, cells)
        self.console.clear()
        self.page.evaluate("path => lab.open(path)", self._path)
        self._wait_for_notebook()

    def close_notebook(self) -> None:
        """Close the notebook as it is; the tab and the kernel go on."""
        self.uses += 1
        self.page.evaluate("() => lab.closeAll()")

    def is_like_new(self) -> bool:
        """Tell whether a test that gets this tab, where no notebook is open, finds it as one just loaded."""
        with suppress(Error):  # it crashed, or shows something else
            return (
                self._loaded_with == self.server.settings_version
                and self.page.viewport_size == _VIEWPORT
                and bool(self.page.evaluate("() => lab.isEmpty()"))
            )
        return False

    def open(self) -> None:
        """Load JupyterLab on the notebook and wait until its kernel answers."""
        self._loaded_with = self.server.settings_version
        self.page.goto(f"{self.server.url}/lab/workspaces/{quote(self.name)}/tree/{quote(self._path)}")
        self._wait_for_notebook()

    def open_in_notebook_7(self) -> None:
        """Load Notebook 7 on the notebook and wait until its kernel answers."""
        self.page.goto(f"{self.server.url}/notebooks/{quote(self._path)}")
        self._wait_for_notebook()

    def reload(self) -> None:
        """Save the notebook and load the tab again, as a person's F5 does; the kernel goes on."""
        self.uses = MOST_USES  # Lab may still be opening what was open
        self.save()
        self.page.reload()
        self._wait_for_notebook()

    def close(self) -> None:
        """Close the tab; the kernel goes on."""
        self._context.close()

    def wait_until(self, condition: Callable[[], Any], what: str, timeout: float = 30) -> Any:
        """Wait until ``condition()`` is true and give its value; the page goes on meanwhile.

        Raises
        ------
        AssertionError
            After `timeout` seconds, saying `what` did not come true.
        """
        deadline = time.monotonic() + timeout
        while not (value := condition()):
            assert time.monotonic() < deadline, f"not within {timeout} s: {what}"
            self.page.wait_for_timeout(25)
        return value

    def command(self, command: str, **arguments: Any) -> None:
        """Run a command of JupyterLab and wait until it is done."""
        self.page.evaluate("([id, args]) => lab.command(id, args)", [command, arguments])

    def set_theme(self, name: Literal["JupyterLab Light", "JupyterLab Dark"]) -> None:
        """Change JupyterLab's theme and wait until it is drawn."""
        self.command("apputils:change-theme", theme=name)
        light = str("Light" in name).lower()
        drawn = f'body[data-jp-theme-light="{light}"][data-jp-theme-name="{name}"]'
        self.page.wait_for_selector(drawn, state="attached")
        self._wait_for_splash_to_go()

    def screenshot(self, name: str, cell: int | None = None) -> Path:
        """Draw the tab, or the visible part of one cell, into ``.artifacts/NAME.png``."""
        for frame in self.page.frames:
            with suppress(Error):  # it went away meanwhile
                frame.evaluate(_UNTIL_DRAWN)
        path = ARTIFACTS / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        if cell is None:
            self.page.screenshot(path=path)
        else:
            self.cell(cell).screenshot(path=path)
        return path

    # Cells

    def run(self, index: int, timeout: float = 60, *, may_fail: bool = False) -> str:
        """Run a cell, wait until it is done, and give its output as text.

        Raises
        ------
        AssertionError
            If the cell raised something, unless it `may_fail`; if it is not done after `timeout` seconds.
        """
        self.start(index)
        return self.wait(index, timeout, may_fail=may_fail)

    def run_all(self) -> None:
        """Run every cell there is, one after another."""
        for index in range(self.page.evaluate("() => lab.cellCount()")):
            self.run(index)

    def start(self, index: int) -> None:
        """Run a cell without waiting for it."""
        self.page.evaluate("index => lab.start(index)", index)

    def wait(self, index: int, timeout: float = 60, *, may_fail: bool = False) -> str:
        """Wait until a cell that was started is done, and give its output as text; raises as `run` does."""
        self.wait_until(lambda: self.has_run(index), f"cell {index} has run", timeout)
        errors = [output for output in self.outputs(index) if output["output_type"] == "error"]
        assert may_fail or not errors, f"cell {index} failed: {self.text(index)}"
        return self.text(index)

    def has_run(self, index: int) -> bool:
        """Tell whether a cell that was started is done."""
        return bool(self.page.evaluate("index => lab.hasRun(index)", index))

    def run_new(self, source: str, timeout: float = 60, *, may_fail: bool = False) -> str:
        """Append a cell and run it as `run` does."""
        return self.run(self.append(source), timeout, may_fail=may_fail)

    def append(self, source: str) -> int:
        """Append a code cell and give its index."""
        return int(self.page.evaluate("source => lab.append(source)", source))

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """Give the outputs of a cell as the notebook format has them."""
        return self.page.evaluate("index => lab.outputs(index)", index)

    def text(self, index: int) -> str:
        """Give what a cell has printed, shown (as text/plain) and raised, one after another."""
        return "".join(map(_output_text, self.outputs(index)))

    def cell(self, index: int) -> ElementHandle:
        """Give the DOM element of a cell."""
        handle = self.page.evaluate_handle("index => lab.node(index)", index).as_element()
        assert handle is not None
        return handle

    def select(self, index: int) -> None:
        """Make a cell the active one."""
        self.page.evaluate("index => void lab.select(index)", index)

    def collapse_outputs(self, index: int) -> None:
        """Collapse the output of a cell."""
        self.select(index)
        self.command("notebook:hide-cell-outputs")

    def expand_outputs(self, index: int) -> None:
        """Expand the collapsed output of a cell."""
        self.select(index)
        self.command("notebook:show-cell-outputs")

    def move_cell(self, index: int, direction: Literal["up", "down"]) -> None:
        """Move a cell by one place."""
        self.select(index)
        self.command(f"notebook:move-cell-{direction}")

    # Questions above the pages of apps

    def press(self, label: str, question: str = "") -> None:
        """Press a button of the newest question, or of the one with this text, until it has acted.

        Buttons of questions are dead for a moment after they appeared or moved, which a scroll makes them do.
        """
        strip = self.page.locator(".mcpapp-strip", has_text=question or None).last
        strip.wait_for()
        this = strip.element_handle()
        this.evaluate("strip => strip.scrollIntoView({ block: 'center' })")

        def acted() -> bool:
            with suppress(Error):  # what is gone cannot be clicked
                # Lab may have scrolled to the cell that runs, and out of sight no button wakes up.
                this.evaluate("strip => strip.scrollIntoView({ block: 'nearest' })")
                this.query_selector(f"button:text-is('{label}')").click(timeout=2000)
            return bool(this.evaluate("strip => !strip.isConnected || strip.ariaBusy === 'true'"))

        self.wait_until(acted, f"{label} acts")

    def fill(self, document: Page | Frame, selector: str, text: str) -> None:
        """Type into a field, again where Lab took the focus away in between: it does so late after a run."""

        def has_it() -> bool:
            document.fill(selector, text)
            return document.input_value(selector) == text

        self.wait_until(has_it, f"{selector} has {text!r}")

    # Notebook and kernel

    def save(self) -> None:
        """Save the notebook."""
        self.command("docmanager:save")

    def saved(self) -> dict[str, Any]:
        """Save the notebook and read the file."""
        self.save()
        return json.loads(self.path.read_text())

    def saved_outputs(self, index: int) -> list[dict[str, Any]]:
        """Save the notebook and give the outputs of a cell, but for the blank ones: displays that are over.

        On a busy machine the card says for a while that no front end has answered.
        """
        complaint = "No widget front end answered"
        self.wait_until(lambda: complaint not in self.text(index), "the front end has answered")
        outputs = self.saved()["cells"][index]["outputs"]
        return [output for output in outputs if output.get("data") != {"text/plain": []}]

    def restart_kernel(self) -> None:
        """Restart the kernel and wait until it answers."""
        self.page.evaluate("() => lab.restartKernel()")

    # Pages of apps

    def app_frames(self, selector: str) -> list[Frame]:
        """List the frames, at any depth and behind closed shadow roots, whose own document has `selector`."""
        return [frame for frame in self.page.frames if frame.parent_frame and has_element(frame, selector)]

    def app_frame(self, selector: str, timeout: float = 30) -> Frame:
        """Wait for the one frame whose own document has `selector`, and give it."""
        frames = self.wait_until(lambda: self.app_frames(selector), f"a frame with {selector}", timeout)
        assert len(frames) == 1, f"{len(frames)} frames have {selector}"
        return frames[0]

    def frames_titled(self, title: str) -> list[Frame]:
        """List the frames whose own document has this title."""
        return [frame for frame in self.page.frames if frame.parent_frame and _title(frame) == title]

    def frame_titled(self, title: str, timeout: float = 30) -> Frame:
        """Wait for the one frame whose own document has this title, and give it."""
        frames = self.wait_until(lambda: self.frames_titled(title), f"a page titled {title}", timeout)
        assert len(frames) == 1, f"{len(frames)} pages are titled {title}"
        return frames[0]

    def _wait_for_notebook(self) -> None:
        self.page.wait_for_function("path => lab.isOpen(path)", arg=self._path, timeout=60_000)
        self.page.evaluate("() => lab.ready()")
        self._wait_for_splash_to_go()

    def _wait_for_splash_to_go(self) -> None:
        self.page.wait_for_selector("#jupyterlab-splash", state="detached")


def _write_notebook(path: Path, cells: Sequence[str]) -> None:
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    nbformat.write(notebook, path)


def _output_text(output: dict[str, Any]) -> str:
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}\n"
    shown = output["text"] if output["output_type"] == "stream" else output["data"].get("text/plain", "")
    text = shown if isinstance(shown, str) else "".join(shown)
    return text if output["output_type"] == "stream" else text + "\n"


def _title(frame: Frame) -> str | None:
    try:
        return str(frame.evaluate("document.title"))
    except Error:
        return None


def has_element(frame: Frame, selector: str) -> bool:
    """Tell whether a frame's own document has `selector` now."""
    try:
        return frame.query_selector(selector) is not None
    except Error:  # the frame went away, or its document was replaced, while it was asked
        return False


@contextmanager
def lab_tabs(
    browser: Browser,
    server: LabServer,
    name: str,
    load: Callable[[LabPage], None] = LabPage.open,
    spare: list[LabPage] | None = None,
) -> Iterator[tuple[Callable[..., LabPage], list[LabPage]]]:
    """Give ``open_lab(cell, …)``, which opens a tab on a new notebook of those cells, and the open tabs.

    When it is over, all kernels are ending and Lab's settings are those of the start again. Tabs are taken
    from `spare` and go back there, where it is given: loading JupyterLab is most of the time of a small test.
    """
    tabs: list[LabPage] = []

    def open_lab(*cells: str) -> LabPage:
        number = f"{name}-{len(tabs)}"
        while spare:
            tabs.append(spare.pop())
            if tabs[-1].is_like_new():
                tabs[-1].open_another(number, cells)
                return tabs[-1]
            tabs.pop().close()
        tab = LabPage(browser, server, number, cells)
        tabs.append(tab)
        load(tab)
        return tab

    yield open_lab, tabs
    for tab in tabs:
        if spare is None or tab.uses >= MOST_USES:
            tab.close()
        else:
            tab.close_notebook()
            spare.append(tab)
    server.shut_down_kernels()
    server.restore_settings()


def page_name(test_id: str) -> str:
    """Make a file name of a pytest node id."""
    return re.sub(r"\W+", "-", test_id.rpartition("::")[2]).strip("-")
