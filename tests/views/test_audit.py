"""The audit names what runs, what pages may do, what was decided, and what to change."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from mcpapps_jupyter.audit import AppAudit, Audit
from mcpapps_jupyter.audit.plain_text import plain_secrets
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.manifest import parse_mapping
from tests.core.conftest import new_host, settle_in
from tests.core.servers.lab import build
from tests.core.support import until
from tests.views.tab import Tab, greet

PAGE = "ui://wide/page.html"
META = {
    "csp": {"connectDomains": ["https://api.example.org", "*"], "resourceDomains": []},
    "permissions": {"clipboardWrite": {}, "geolocation": {}, "camera": {}},
}


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    settle_in(tmp_path, monkeypatch)
    tmp_path.chmod(0o755)
    host = new_host(headless=False)
    yield host
    host.close()


def of(audit: Audit, app_id: str) -> AppAudit:
    return next(app for app in audit.apps if app.id == app_id)


def add_wide(host: Host) -> None:
    server = MCPServer("wide")

    @server.tool(meta={"ui": {"resourceUri": PAGE}})
    def show() -> str:
        return "shown"

    @server.resource(PAGE, mime_type="text/html;profile=mcp-app", meta={"ui": META})
    def page() -> str:
        return "<!doctype html>"

    host.add(server, id="wide")


def test_what_is_not_started_is_not_started_for_it(host: Host) -> None:
    host.add(build(), id="lab")
    lab = of(host.audit(), "lab")
    assert (lab.state, lab.transport, lab.target) == (
        "Validated",
        "inprocess",
        "a server object of this notebook (MCPServer)",
    )
    assert lab.pages is None
    assert lab.unannotated is None
    assert "not known before its server has run" in repr(host.audit())
    assert host["lab"].state == "Validated"


def test_the_bundled_app_has_nothing_to_change(host: Host) -> None:
    grocery = of(host.audit(), "grocery-inventory")
    assert grocery.source == "bundled"
    assert grocery.file.endswith("openclaw.mcpapp.json")
    assert grocery.plain_secrets == ()
    assert not [line for line in host.audit().advice if "grocery" in line]


def test_pages_with_what_they_asked_for_and_got(host: Host) -> None:
    add_wide(host)
    tab = Tab(host, host["wide"].open("show"))
    tab.put("open", {})
    tab.decide("always")
    until(lambda: tab.got("open"), "the page")
    (page,) = of(host.audit(), "wide").pages or ()
    assert page.uri == PAGE
    assert page.csp_granted["connectDomains"] == ["https://api.example.org"]
    assert page.csp_asked["connectDomains"] == ["https://api.example.org", "*"]
    assert page.permissions == {"camera": "never", "clipboardWrite": "allow", "geolocation": "ask"}
    assert page.in_use == ("clipboardWrite", "geolocation")
    text = repr(host.audit())
    assert "may load from: connectDomains https://api.example.org" in text
    assert "1 not taken" in text
    assert "geolocation (ask)" in text
    assert "permission" in text.split("Decisions")[1]
    tab.view.end("It is over.")
    (page,) = of(host.audit(), "wide").pages or ()
    assert page.in_use == ()


def test_tools_that_do_not_say_what_they_do(host: Host) -> None:
    host.add(build(), id="lab")
    greet(Tab(host, host["lab"].open("open_page")))
    lab = of(host.audit(), "lab")
    assert "count" in (lab.unannotated or ())
    assert not {"add", "destroy"} & set(lab.unannotated or ())
    advice = next(line for line in host.audit().advice if "do not say what they do" in line)
    assert "McpApps.entries = {'lab': {'approvals': 'ask'}}" in advice
    host.config.entries = {"lab": {"approvals": "ask"}}
    assert of(host.audit(), "lab").approvals == {"*": "ask"}
    assert not any("do not say" in line for line in host.audit().advice)


def test_policies_that_let_everything_pass_are_said(host: Host) -> None:
    host.config.approvals = "allow"
    assert any("McpApps.approvals is 'allow'" in line for line in host.audit().advice)
    host.config.approvals = "nonsense"
    assert any("nonsense" in line for line in host.audit().advice)


@pytest.mark.parametrize(
    ("url", "host_name", "advice"),
    [
        ("http://127.0.0.1:9/mcp", "", False),
        ("http://localhost:9/mcp", "", False),
        ("http://[::1]:9/mcp", "", False),
        ("https://mcp.example.org/mcp", "mcp.example.org", False),
        ("http://mcp.example.org/mcp", "mcp.example.org", True),
        ("http://10.1.2.3/mcp", "10.1.2.3", True),
    ],
)
def test_servers_on_other_machines(host: Host, url: str, host_name: str, advice: bool) -> None:
    host.add(url, id="far")
    assert of(host.audit(), "far").endpoint == host_name
    assert any("without encryption" in line for line in host.audit().advice) == advice


MANIFEST: dict[str, Any] = {"id": "x", "transport": "stdio", "command": "server"}
SECRETS = [
    ({"environment": {"API_TOKEN": "abcd1234"}}, ["environment.API_TOKEN"]),
    ({"environment": {"X": "ghp_abcdefghijklmnopqrstuvwxyz"}}, ["environment.X"]),
    ({"environment": {"DB_PASSWORD": "hunter2"}}, ["environment.DB_PASSWORD"]),
    ({"environment": {"API_TOKEN": "${env:API_TOKEN}"}}, []),
    ({"environment": {"TOKEN_FILE": "/run/secrets/token", "MAX_TOKENS": "4096", "KEY_ID": "main"}}, []),
    ({"environment": {"LANGUAGE": "english", "MONKEY": "banana"}}, []),
    ({"arguments": ["--api-key", "abcd1234", "--port", "8080"]}, ["arguments[1]"]),
    ({"arguments": ["--token=abcd1234"]}, ["arguments[0]"]),
    ({"arguments": ["--token", "${env:T}", "--token=${env:T}", "--auth", "--verbose"]}, []),
]
REMOTE = {"id": "x", "transport": "http", "url": "https://example.org/mcp"}
SECRETS_OF_REMOTE = [
    ({"headers": {"Authorization": "Bearer abcd1234"}}, ["headers.Authorization"]),
    ({"headers": {"Authorization": "Bearer ${env:T}", "Accept": "application/json"}}, []),
    ({"url": "https://me:hunter2@example.org/mcp"}, ["url"]),
    ({"url": "https://example.org/mcp?api_key=abcd1234"}, ["url"]),
    ({"url": "https://example.org/mcp?page=abcd1234"}, []),
]


@pytest.mark.parametrize(
    ("mapping", "found"),
    [({**MANIFEST, **more}, found) for more, found in SECRETS]
    + [({**REMOTE, **more}, found) for more, found in SECRETS_OF_REMOTE],
)
def test_secrets_in_plain_text(mapping: dict[str, Any], found: list[str]) -> None:
    manifest = parse_mapping(mapping, source="test").manifest
    assert manifest is not None
    assert list(plain_secrets(manifest)) == found


def test_secrets_are_named_by_their_place_and_never_shown(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "openclaw.mcpapp.json"
    path.write_text(json.dumps({**MANIFEST, "arguments": ["--token=s3cr3t-v4lue"]}))
    host.add(path)
    host.add(["server"], id="y", environment={"API_TOKEN": "0ther-v4lue"})
    audit = host.audit()
    assert of(audit, "x").plain_secrets == ("arguments[0]",)
    assert any(str(path) in line and "${env:NAME}" in line for line in audit.advice)
    assert any("y: environment.API_TOKEN is a secret in plain text" in line for line in audit.advice)
    for text in (repr(audit), audit._repr_html_()):
        assert "0ther-v4lue" not in text
        assert "s3cr3t-v4lue" not in text


@pytest.mark.skipif(os.name != "posix", reason="Windows has other rights")
def test_what_others_may_change_is_said(host: Host, tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    path = folder / "openclaw.mcpapp.json"
    path.write_text(json.dumps(MANIFEST))
    path.chmod(0o644)
    folder.chmod(0o755)
    host.add(path)
    assert of(host.audit(), "x").writable == ()
    folder.chmod(0o777)
    path.chmod(0o666)
    audit = host.audit()
    assert of(audit, "x").writable == (
        f"{path}: everybody on this machine",
        f"{folder}: everybody on this machine",
    )
    assert f"x: everybody on this machine may change what it runs: chmod go-w '{folder}'" in audit.advice
    folder.chmod(0o755)
    host.config.discovery_paths = [str(folder)]
    assert not any("looked for" in line for line in host.audit().advice)
    folder.chmod(0o777)
    assert any(f"Apps are looked for in {folder}" in line for line in host.audit().advice)


def test_an_invalid_app_says_why(host: Host, tmp_path: Path) -> None:
    folder = tmp_path / "mcpapps" / "broken"
    folder.mkdir(parents=True)
    (folder / "openclaw.mcpapp.json").write_text('{"id": "broken", "transport": "stdio"}')
    host.scan(tmp_path / "mcpapps")
    broken = of(host.audit(), "broken")
    assert broken.state == "Invalid"
    assert "command" in broken.problem


def test_it_shows_itself_in_text_and_html(host: Host) -> None:
    host.add(["server", "<b>"], id="x")
    audit = host.audit()
    text, page = repr(audit), audit._repr_html_()
    assert "two nested frames without an origin of their own" in text
    assert "x\n  state" in text
    assert "What to change" in text
    assert "WebRTC" in text
    assert "&lt;b&gt;" in page
    assert "<b>'" not in page
    assert "No decisions yet." in page
