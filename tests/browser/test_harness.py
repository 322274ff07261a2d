"""The harness itself, on a small widget that is not ours: what the other browser tests stand on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .lab_page import LabPage

# A counter in a frame in a frame, both behind closed shadow roots: where the page of an app is.
COUNTER = """
import anywidget, traitlets

class Counter(anywidget.AnyWidget):
    _esm = '''
    function frameIn(parent, html) {
      const root = parent.appendChild(document.createElement("div")).attachShadow({ mode: "closed" });
      const frame = root.appendChild(document.createElement("iframe"));
      frame.sandbox = "allow-scripts";
      frame.srcdoc = html;
    }
    function render({ model, el, signal }) {
      const inner = `<button id="more" onclick="top.postMessage('more', '*')">more</button>`;
      const outer = `<body><script>(${frameIn})(document.body, ${JSON.stringify(inner)})<\\\\/script>`;
      addEventListener("message", (event) => {
        if (event.data === "more") { model.set("count", model.get("count") + 1); model.save_changes(); }
      }, { signal });
      frameIn(el, outer);
    }
    export default { render };
    '''
    count = traitlets.Int(0).tag(sync=True)

counter = Counter()
counter
"""


def test_a_click_in_a_nested_frame_reaches_the_next_cell(open_lab: Callable[..., LabPage]) -> None:
    lab = open_lab(COUNTER)
    lab.run(0)
    lab.app_frame("#more").click("#more")
    lab.wait_until(lambda: "1" in lab.run_new("print(counter.count)"), "the count is 1")


def test_a_frame_comes_back_after_collapse_move_and_reload(open_lab: Callable[..., LabPage]) -> None:
    lab = open_lab("print('first')", COUNTER)
    lab.run(1)
    lab.app_frame("#more")
    lab.collapse_outputs(1)
    lab.wait_until(lambda: not lab.app_frames("#more"), "no frame in a collapsed output")
    lab.expand_outputs(1)
    lab.app_frame("#more")
    lab.move_cell(1, "up")
    lab.app_frame("#more")
    lab.reload()
    lab.app_frame("#more").click("#more")
    assert lab.run(1) == "first\n"


def test_a_running_cell_is_told_from_one_that_has_run(open_lab: Callable[..., LabPage]) -> None:
    lab = open_lab("input_line = input()\nprint(f'got {input_line}')", "1 / 0", "6 * 7")
    lab.start(0)
    lab.page.wait_for_selector(".jp-Stdin-input")
    assert not lab.has_run(0)
    lab.fill(lab.page, ".jp-Stdin-input", "a line")
    lab.page.press(".jp-Stdin-input", "Enter")
    assert lab.wait(0).endswith("got a line\n")
    assert lab.run(1, may_fail=True) == "ZeroDivisionError: division by zero\n"
    assert lab.run(2) == "42\n"


def test_the_kernel_is_a_process_that_can_be_restarted(open_lab: Callable[..., LabPage]) -> None:
    lab = open_lab("answer = 42", "import os; os.getpid()")
    lab.run(0)
    assert lab.server.kernel_pids() == [int(lab.run(1))]
    lab.restart_kernel()
    assert lab.run_new("answer", may_fail=True).startswith("NameError")
    assert lab.server.kernel_pids() == [int(lab.run(1))]


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_themes_and_pictures(open_lab: Callable[..., LabPage], theme: str) -> None:
    lab = open_lab("1")
    lab.set_theme(theme)
    assert lab.screenshot(f"harness-{theme[-5:].strip().lower()}").stat().st_size > 0


def test_settings_reach_the_page_and_are_restored(open_lab: Callable[..., LabPage]) -> None:
    plugin = "@jupyterlab/apputils-extension:kernels-settings"
    lab = open_lab("1")
    read = f"async () => (await jupyterapp.serviceManager.settings.fetch('{plugin}')).raw"
    assert "commsOverSubshells" not in lab.page.evaluate(read)
    lab.server.change_setting(plugin, commsOverSubshells="disabled")
    lab.reload()
    assert '"commsOverSubshells": "disabled"' in lab.page.evaluate(read)
    lab.server.restore_settings()
    lab.reload()
    assert "commsOverSubshells" not in lab.page.evaluate(read)
