"""The magic in a real kernel: what reaches the front end, completion as it asks for it, Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

from .support import SERVER

WAIT = 60.0


class Kernel:
    """A kernel and what its cells send to a front end that has a person at it."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager = manager
        self.client = client

    def run(self, code: str, until: str | None = None) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Run a cell; the reply and its outputs. Interrupts it as soon as an output has `until` in it."""
        outputs: list[dict[str, Any]] = []
        waiting = until

        def take(message: dict[str, Any]) -> None:
            nonlocal waiting
            if message["msg_type"] in (
                "display_data",
                "update_display_data",
                "execute_result",
                "error",
                "stream",
            ):
                outputs.append({"kind": message["msg_type"], **message["content"]})
                if waiting is not None and waiting in str(message["content"]):
                    waiting = None
                    self.manager.interrupt_kernel()

        reply = self.client.execute_interactive(code, timeout=WAIT, output_hook=take, allow_stdin=True)
        return reply["content"], outputs

    def complete(self, text: str) -> list[str]:
        at = text.index("|")
        whole = text.replace("|", "")
        content = self.client.complete(whole, at, reply=True, timeout=WAIT)["content"]
        start, end = content["cursor_start"], content["cursor_end"]
        return [whole[:start] + match + whole[end:] for match in content["matches"]]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    folder = tmp_path_factory.mktemp("kernel")
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in ("MCPAPPS_HEADLESS", "JPY_SESSION_NAME")
    }
    env |= {name: str(folder / name) for name in ("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR")}
    manager, client = start_new_kernel(kernel_name="python3", env=env, cwd=str(folder))
    try:
        running = Kernel(manager, client)
        reply, _ = running.run("%load_ext mcpapps")
        assert reply["status"] == "ok"
        yield running
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_open_emits_page_and_card_and_nothing_more(kernel: Kernel) -> None:
    reply, outputs = kernel.run("%config McpApps.headless = True\n%mcpapp open grocery storeId=1 --as dash")
    assert reply["status"] == "ok"
    assert [output["kind"] for output in outputs] == ["display_data", "display_data"]
    page, card = (output["data"] for output in outputs)
    assert "application/vnd.jupyter.widget-view+json" in page
    assert "text/html" in card
    assert "Harbour Market" in card["text/plain"]
    _, outputs = kernel.run("%config McpApps.headless = None\ndash.arguments")
    assert outputs[0]["data"]["text/plain"] == "{'storeId': 1}"


IN_COLAB = """
import sys, types
output = types.ModuleType("google.colab.output")
output.enable_custom_widget_manager = lambda: None
output._widgets = types.SimpleNamespace(_installed_url="https://colab.example/manager.js")
sys.modules["google.colab.output"] = output
"""


@pytest.mark.elsewhere("manzt/anywidget#63")
def test_every_way_to_show_a_view_is_the_same_and_colab_gets_its_mark(kernel: Kernel) -> None:
    kernel.run(f"{IN_COLAB}\nview = get_ipython().run_line_magic('mcpapp', 'open grocery storeId=1')")
    widget = "application/vnd.jupyter.widget-view+json"
    try:
        shown = [kernel.run(code)[1] for code in ("view", "display(view)")]
    finally:
        kernel.run("del sys.modules['google.colab.output']\nview.close()")
    for outputs in shown:
        assert [output["kind"] for output in outputs] == ["display_data", "display_data"]
        assert outputs[0]["metadata"][widget]["colab"]["custom_widget_manager"]["url"].startswith("https://")
    first, second = ([output["data"] for output in outputs] for outputs in shown)
    assert first == second


def test_completion_as_a_front_end_asks(kernel: Kernel) -> None:
    kernel.run("%mcpapp start grocery")
    assert kernel.complete("%mcpapp open gro|") == ["%mcpapp open grocery-inventory"]
    assert kernel.complete("x = %mcpapp op|") == ["x = %mcpapp open"]
    assert kernel.complete("%mcpapp open gro| storeId=1") == ["%mcpapp open grocery-inventory storeId=1"]
    assert kernel.complete("a = 1\n%mcpapp call grocery adjust_stock st|") == [
        "a = 1\n%mcpapp call grocery adjust_stock storeId="
    ]
    assert kernel.complete("%mcpapp open grocery --mode f|") == ["%mcpapp open grocery --mode fullscreen"]


def test_failures_are_one_line_outputs(kernel: Kernel) -> None:
    reply, outputs = kernel.run("%mcpapp call grocery get_inventroy")
    assert reply["status"] == "error"
    assert (reply["ename"], len(reply["traceback"])) == ("UnknownTool", 1)
    assert [output["kind"] for output in outputs] == ["error"]
    reply, outputs = kernel.run("%mcpapp opne grocery")
    assert reply["status"] == "error"  # Run All stops here
    assert [output["kind"] for output in outputs] == ["stream"]
    assert outputs[0]["text"].strip() == "UsageError: There is no verb 'opne'. Did you mean 'open'?"


def test_a_long_start_shows_a_line_and_can_be_interrupted(kernel: Kernel) -> None:
    kernel.run(f"%mcpapp add slow --timeout 60 -- {sys.executable} {SERVER} slow")
    reply, outputs = kernel.run("%mcpapp tools slow", until="still unpacking")
    assert reply["status"] == "error"
    assert outputs[0]["data"]["text/plain"].startswith("Starting slow…")
    assert outputs[-1]["kind"] == "error"
    assert outputs[-1]["traceback"] == ["KeyboardInterrupt: %mcpapp tools was interrupted."]
    last = [output for output in outputs if output["kind"] == "update_display_data"][-1]
    assert re.fullmatch(r"Starting slow did not succeed in \d+ s\.", last["data"]["text/plain"])
    deadline = time.monotonic() + WAIT
    while "Stopped" not in str(kernel.run("%mcpapp list --state stopped")[1]):
        assert time.monotonic() < deadline, "an interrupted start leaves its app stopped"
    while servers(kernel):
        assert time.monotonic() < deadline, "an interrupted start leaves no process"
        time.sleep(0.05)


def test_a_long_start_leaves_a_line_that_says_so(kernel: Kernel) -> None:
    code = "import sys, time; time.sleep(2); exec(open(sys.argv[1]).read())"
    kernel.run(f"code = {code!r}")
    kernel.run(f"%mcpapp add late -- {sys.executable} -c {{code}} {SERVER}")
    reply, outputs = kernel.run("%mcpapp start late")
    assert reply["status"] == "ok"
    shown = [output["data"]["text/plain"] for output in outputs]
    assert shown[0].startswith("Starting late…")
    assert re.fullmatch(r"Started late in \d+ s\.", shown[-2])
    assert len(kernel.run("%mcpapp start late")[1]) == 1


def test_progress_of_a_call_is_shown_and_leaves_a_line(kernel: Kernel) -> None:
    kernel.run(
        f"%mcpapp add busy --env SECRET=hunter2hunter2 -- {sys.executable} {SERVER}\n%mcpapp start busy"
    )
    reply, outputs = kernel.run("%mcpapp call busy work steps=2 pause=1.5")
    assert reply["status"] == "ok"
    shown = [output["data"]["text/plain"] for output in outputs]
    assert re.fullmatch(r"work: step 1 of ••• \(1 of 2\) \(\d+ s\)", shown[0])
    assert re.fullmatch(r"work: done in \d+ s\.", shown[-2])
    assert "done" in shown[-1]
    reply, outputs = kernel.run("%mcpapp call busy work steps=9 pause=30", until="work: step 1")
    assert outputs[-1]["traceback"] == ["KeyboardInterrupt: %mcpapp call was interrupted."]
    _, outputs = kernel.run("%mcpapp call busy work steps=2")
    assert len(outputs) == 1, "what is over at once shows nothing"


def servers(kernel: Kernel) -> list[psutil.Process]:
    pid = kernel.run("import os; os.getpid()")[1][0]["data"]["text/plain"]
    found = []
    for child in psutil.Process(int(pid)).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            found += [child] if str(SERVER) in " ".join(child.cmdline()) else []
    return found
