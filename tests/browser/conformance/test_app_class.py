"""The published `App` class as a page: what its users call works, in the words of its users."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .raw_app import RawApp

pytestmark = pytest.mark.npm

SOURCE = Path(__file__).with_name("app-class.js")
JS = Path(__file__).resolve().parents[3] / "js"
BUNDLE = """
const { build } = await import("esbuild");
const stdin = { contents: process.argv[1], resolveDir: process.cwd() };
const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: "esm", write: false });
process.stdout.write(outputFiles[0].text);
"""


def bundle() -> str:
    command = ["node", "--input-type=module", "--eval", BUNDLE, SOURCE.read_text()]
    script = subprocess.run(command, cwd=JS, check=True, capture_output=True, text=True).stdout
    script = script.replace("</script", "<\\/script")
    return f"<!doctype html><title>app class</title><p>An app<script type=module>{script}</script>"


@pytest.mark.elsewhere("assistant-ui/assistant-ui#4276")
def test_the_app_class(app: RawApp) -> None:
    (app.lab.folder / "app-class.html").write_text(bundle())
    page = app.open("app_class", "app class")
    app.wait(page, "window.connected && told.length >= 2")
    assert page.evaluate("told.map(([event]) => event)") == ["toolinput", "toolresult"]
    assert page.evaluate("app.getHostVersion().name") == "mcpapps_jupyter"
    assert page.evaluate("app.getHostContext().toolInfo.tool.name") == "open_app_class"
    assert page.evaluate("Object.keys(app.getHostCapabilities()).length") >= 7

    call = "app.callServerTool({ name: 'echo', arguments: { text: 'abc' } })"
    assert page.evaluate(call)["structuredContent"] == {"length": 3}
    assert page.evaluate("app.callServerTool({ name: 'fail' }).catch((error) => error.code)") == -32002
    read = "app.readServerResource({ uri: 'raw://numbers' })"
    assert page.evaluate(read)["contents"][0]["text"] == "[1, 2, 3]"
    assert page.evaluate("app.listServerResources().then(({ resources }) => resources.length)") == 3
    page.evaluate("app.updateModelContext({ content: [{ type: 'text', text: 'picked' }] })")
    assert app.python("view.model_context.text") == "picked"
    page.evaluate("app.sendLog({ level: 'info', data: 'logged by the app class' })")
    app.lab.wait_until(lambda: app.logged("logged by the app class"), "the log line")
    assert page.evaluate("app.requestDisplayMode({ mode: 'inline' })") == {"mode": "inline"}

    hello = "app.sendMessage({ role: 'user', content: [{ type: 'text', text: 'hello' }] })"
    page.evaluate(f"void {hello}.then((answer) => {{ window.answer = answer; }})")
    app.lab.press("Send")
    app.wait(page, "window.answer")
    assert page.evaluate("answer") == {}
    page.evaluate(
        "void app.openLink({ url: 'https://example.org' }).then((answer) => { window.link = answer; })"
    )
    app.lab.press("Cancel")
    app.wait(page, "window.link")
    assert page.evaluate("link") == {"isError": True}

    assert app.python("[tool.name for tool in view.tools()]") == ["paint"]
    assert app.python("view.call_tool('paint').text") == "paint called"
    page.evaluate("document.body.style.height = '612px'")
    app.lab.wait_until(lambda: page.evaluate("innerHeight") > 600, "it is as high as what it shows")
    page.evaluate("app.requestTeardown()")
    app.lab.page.wait_for_selector(".mcpapp-reason:has-text('asked to be closed')")
