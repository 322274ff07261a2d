"""The hand-written app, open in one JupyterLab, in the words of a test."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.browser.cells import LOAD

if TYPE_CHECKING:
    from playwright.sync_api import Frame

    from tests.browser.lab_page import LabPage

SERVER = Path(__file__).with_name("server.py")
RULES = Path(__file__).with_name("rules.js").read_text()


class RawApp:
    """One JupyterLab with the app added to its kernel, under the id ``raw``.

    Parameters
    ----------
    lab : LabPage
        A notebook without cells.

    Attributes
    ----------
    lab : LabPage
        The notebook; every step of a test is a cell of it.
    """

    def __init__(self, lab: LabPage) -> None:
        self.lab = lab
        self._journal = lab.folder / "journal"
        command = [sys.executable, str(SERVER), str(self._journal)]
        lab.run_new(f"{LOAD}\nimport json\nraw = host.add({command!r}, id='raw')\nraw.start()")

    def reset(self) -> None:
        """Close every view, and forget what the server has read."""
        self.lab.run_new("for each in host.views: each.close()")
        self.lab.command("notebook:clear-all-cell-outputs")
        self.lab.wait_until(lambda: len(self.lab.page.frames) == 1, "no frame is left")
        self._journal.write_text("")

    def open(self, name: str = "page", title: str = "", *, may_fail: bool = False) -> Frame:
        """Open the page of ``open_NAME`` as ``view`` and give its document, once it has loaded."""
        self.lab.run_new(f"%mcpapp open raw open_{name} --as view", may_fail=may_fail)
        return self.lab.frame_titled(title or name)

    def wait(self, frame: Frame, condition: str) -> None:
        """Wait until a JavaScript expression is true in a page."""
        self.lab.wait_until(lambda: frame.evaluate(f"Boolean({condition})"), condition)

    def check(self, frame: Frame, group: str) -> list[str]:
        """Check a group of rules from inside the page; gives those that are broken."""
        everything = self.python("raw.call('everything').raw")
        bring = f"(everything) => {{ window.everything = everything; (0, eval)({json.dumps(RULES)}); }}"
        frame.evaluate(bring, everything)
        return list(frame.evaluate("(group) => check(group)", group))

    def python(self, expression: str) -> Any:
        """The value of a Python expression in the kernel, by way of JSON."""
        return json.loads(self.lab.run_new(f"print(json.dumps({expression}, default=str))"))

    def sent(self, method: str) -> list[dict[str, Any]]:
        """What the app's server has read of one method: whole frames."""
        frames = map(json.loads, self._journal.read_text(encoding="utf-8").split("\n")[:-1])
        return [frame for frame in frames if frame.get("method") == method]

    def called(self, tool: str) -> list[dict[str, Any]]:
        """Parameters of the calls of one tool that the server has read."""
        calls = [frame["params"] for frame in self.sent("tools/call")]
        return [params for params in calls if params["name"] == tool]

    def logged(self, text: str) -> bool:
        """Whether the app's log has a line with this text."""
        return bool(self.python(f"any({text!r} in entry.text for entry in raw.log)"))
