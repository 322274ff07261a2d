import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcpapps_jupyter.discovery import read_servers_file
from mcpapps_jupyter.errors import ManifestInvalid
from mcpapps_jupyter.manifest import parse_mapping


def read(folder: Path, data, name="mcp.json"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return read_servers_file(path)


NODE = {"command": "node", "args": ["x.js"], "env": {"A": "1"}}
NODE_MAPPING = {"command": "node", "arguments": ["x.js"], "environment": {"A": "1"}}


@pytest.mark.parametrize(
    "data",
    [
        {"mcpServers": {"mine": NODE}},
        {"servers": {"mine": NODE}, "inputs": []},
        {"mcp": {"servers": {"mine": NODE}}, "editor.fontSize": 12},
        '{ // comment\n "mcpServers": {"mine": ' + json.dumps(NODE) + ",},}",
    ],
)
def test_the_maps_of_other_hosts(tmp_path, data):
    assert read(tmp_path, data) == [("mine", {"id": "mine", **NODE_MAPPING})]


@pytest.mark.parametrize(
    ("server", "transport"),
    [
        ({"url": "http://x"}, "http"),
        ({"url": "http://x", "type": "sse"}, "sse"),
        ({"url": "http://x", "type": "streamable-http"}, "http"),
        ({"url": "http://x", "type": "streamableHttp"}, "http"),
        ({"url": "http://x", "transport": "http"}, "http"),
        ({"serverUrl": "http://x"}, "http"),
        ({"command": "x", "type": "stdio"}, "stdio"),
    ],
)
def test_transports(tmp_path, server, transport):
    ((_, mapping),) = read(tmp_path, {"mcpServers": {"mine": server}})
    manifest = parse_mapping(mapping, source="f").manifest
    assert manifest.transport == transport


def test_every_imported_server_makes_a_manifest(tmp_path):
    servers = {"a": NODE, "b": {"url": "https://x", "headers": {"K": "${env:T}"}}}
    for app_id, mapping in read(tmp_path, {"mcpServers": servers}):
        parsed = parse_mapping(mapping, source="f")
        assert (parsed.id, parsed.errors, parsed.warnings) == (app_id, (), ())


def test_names_become_ids(tmp_path):
    names = ["GitHub MCP", "GitHub/MCP", "github-mcp", "!!", "ok.id_1"]
    result = read(tmp_path, {"servers": dict.fromkeys(names, NODE)})
    assert [app_id for app_id, _ in result] == [
        "GitHub-MCP",
        "GitHub-MCP-2",
        "github-mcp-3",
        "server",
        "ok.id_1",
    ]
    assert result[0][1]["name"] == "GitHub MCP"
    assert "name" not in result[4][1]


def test_what_a_manifest_does_not_have_is_kept_as_metadata(tmp_path):
    ((_, mapping),) = read(tmp_path, {"mcpServers": {"a": {**NODE, "disabled": True, "autoApprove": ["x"]}}})
    assert mapping["metadata"] == {"disabled": True, "autoApprove": ["x"]}


@pytest.mark.parametrize("folder", [".", ".vscode", ".cursor"])
def test_paths_start_at_the_project(tmp_path, folder):
    server = {"command": "./bin/run", "args": ["./a", "${workspaceFolder}/b"], "cwd": "data"}
    ((_, mapping),) = read(tmp_path, {"servers": {"a": server}}, f"{folder}/mcp.json")
    assert mapping["command"] == str(tmp_path / "bin" / "run")
    assert mapping["workingDirectory"] == str(tmp_path / "data")
    assert mapping["arguments"] == ["./a", f"{tmp_path}/b"]


@pytest.mark.parametrize("command", ["npx", os.path.join(os.sep, "usr", "bin", "x"), "~/x", "${env:HOME}/x"])  # noqa: PTH118
def test_other_commands_stay_as_they_are(tmp_path, command):
    ((_, mapping),) = read(tmp_path, {"servers": {"a": {"command": command}}})
    assert mapping["command"] == command


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("${env:TOKEN}", "${env:TOKEN}"),
        ("${TOKEN}", "${env:TOKEN}"),
        ("${PORT:-80}", "${env:PORT:-80}"),
        ("${input:key}", "${input:key}"),
        ("${userHome}/x", f"{Path.home()}/x"),
        ("$TOKEN", "$TOKEN"),
    ],
)
def test_variables(tmp_path, theirs, ours):
    ((_, mapping),) = read(tmp_path, {"servers": {"a": {"command": "x", "env": {"K": theirs}}}})
    assert mapping["environment"] == {"K": ours}


def test_a_question_to_the_user_is_an_error_of_that_app_alone(tmp_path):
    servers = {"asks": {"command": "x", "env": {"KEY": "${input:api-key}"}}, "fine": NODE}
    parsed = [parse_mapping(mapping, source="f") for _, mapping in read(tmp_path, {"servers": servers})]
    assert [bool(each.errors) for each in parsed] == [True, False]
    assert "environment.KEY" in parsed[0].errors[0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{}", ': wanted an object with "mcpServers" or "servers".'),
        ("[]", ': wanted an object with "mcpServers"'),
        ('{"mcpServers": []}', ':1: "mcpServers": wanted an object'),
        ('{\n"servers": {\n"a": "npx"}}', ':3: "servers.a": wanted an object.'),
        ('{"servers": {', ":1: the text ends too early"),
    ],
)
def test_a_file_that_is_none_is_refused_in_words(tmp_path, text, reason):
    with pytest.raises(ManifestInvalid) as refusal:
        read(tmp_path, text)
    assert str(refusal.value).startswith(f"{tmp_path / 'mcp.json'}{reason}")


def test_a_missing_file(tmp_path):
    with pytest.raises(ManifestInvalid, match="cannot be read: No such file"):
        read_servers_file(tmp_path / "none.json")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless file here")
def test_a_file_without_end():
    with pytest.raises(ManifestInvalid, match="not a regular file"):
        read_servers_file(Path("/dev/zero"))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["http", "${X}", "./x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
SERVER = st.dictionaries(
    st.sampled_from(["command", "args", "env", "cwd", "url", "type", "headers", "x"]), JSON
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.dictionaries(st.text(max_size=6), SERVER | JSON, max_size=3))
def test_any_server_is_an_app_or_a_refusal_in_words(tmp_path, servers):
    try:
        result = read(tmp_path, {"mcpServers": servers})
    except ManifestInvalid:
        return
    for app_id, mapping in result:
        parsed = parse_mapping(mapping, source="f")
        assert parsed.id == app_id
        assert (parsed.manifest is None) == bool(parsed.errors)
