"""One test, or more, for each row of the manifest's table of keys."""

import json

import pytest

from mcpapps_jupyter.manifest import (
    MANIFEST_HOST_LEVEL,
    PROTOCOL_VERSIONS,
    Manifest,
    parse_manifest,
    parse_mapping,
)

STDIO = {"id": "app", "version": "1.0.0", "command": "node"}
HTTP = {"id": "app", "version": "1.0.0", "transport": "http", "url": "https://x.example/mcp"}


def parse(*bases, **keys):
    data = {}
    for base in bases:
        data |= base
    data |= keys
    return parse_manifest(json.dumps(data, indent=1), source="m.json")


def valid(*bases, **keys) -> Manifest:
    parsed = parse(*bases, **keys)
    assert parsed.errors == ()
    assert parsed.manifest is not None
    return parsed.manifest


def the_error(*bases, **keys) -> str:
    parsed = parse(*bases, **keys)
    assert parsed.manifest is None
    (error,) = parsed.errors
    return error


def the_warning(*bases, **keys) -> str:
    parsed = parse(*bases, **keys)
    assert parsed.manifest is not None
    (warning,) = parsed.warnings
    return warning


def test_a_good_manifest_has_nothing_to_complain_about():
    parsed = parse(STDIO)
    assert (parsed.id, parsed.errors, parsed.warnings) == ("app", (), ())
    assert parsed.provided == {"id", "version", "command"}


# id


@pytest.mark.parametrize(
    ("app_id", "reason"),
    [
        (None, 'm.json:2: "id": wanted a string, got null.'),
        ("  ", 'm.json:2: "id": blank; every app needs an id, such as "my-app".'),
        (7, 'm.json:2: "id": wanted a string, got the number 7.'),
        ("my app", """got "my app". Did you mean "my-app"?"""),
        ("äpp", "wanted only letters A-Z a-z, digits, '.', '_' and '-'"),
        ("a" * 129, '"id": 129 characters long; at most 128 are allowed.'),
        ("..", 'wanted more than dots, got "..".'),
        ("a\n", 'got "a\\n"'),
    ],
)
def test_id_must_be_usable(app_id, reason):
    parsed = parse(STDIO, id=app_id)
    assert parsed.id is None
    assert parsed.manifest is None
    assert reason in parsed.errors[0]
    assert len(parsed.errors) == 1


def test_a_missing_id_is_an_error_of_a_listed_app():
    parsed = parse_manifest('{"command": "node"}', source="m.json")
    assert parsed.errors == ('m.json: "id": missing; every app needs an id, such as "my-app".',)


@pytest.mark.parametrize("app_id", ["a", "grocery-inventory", "A.b_C-9", "a" * 128])
def test_good_ids(app_id):
    assert valid(STDIO, id=app_id).id == app_id


def test_an_invalid_manifest_still_has_its_id():
    assert parse(STDIO, tags=3).id == "app"


# texts


@pytest.mark.parametrize(
    ("name", "shown"), [("Grocery", "Grocery"), ("  ", "app"), (None, "app"), (" x ", "x")]
)
def test_a_blank_name_counts_as_absent(name, shown):
    assert valid(STDIO, name=name).display_name == shown


@pytest.mark.parametrize("key", ["description", "iconUrl", "author", "license", "homepageUrl", "category"])
def test_descriptive_texts(key):
    field = {"iconUrl": "icon_url", "homepageUrl": "homepage_url"}.get(key, key)
    assert getattr(valid(STDIO, **{key: "x"}), field) == "x"
    assert getattr(valid(STDIO, **{key: None}), field) is None
    assert f'"{key}": wanted a string, got a list.' in the_error(STDIO, **{key: ["x"]})


def test_a_missing_version_is_advised_not_demanded():
    parsed = parse_manifest('{"id": "a", "command": "x"}', source="m.json")
    assert parsed.manifest.version == "0.1.0"
    assert 'm.json: "version": missing' in parsed.warnings[0]
    assert parse_mapping({"id": "a", "command": "x"}, source="cell").warnings == ()


@pytest.mark.parametrize("wanted", ["99.0.0", "v99", ">=99.1"])
def test_a_newer_min_host_version_is_a_warning(wanted):
    warning = the_warning(STDIO, minHostVersion=wanted)
    assert "minHostVersion" in warning
    assert MANIFEST_HOST_LEVEL in warning


@pytest.mark.parametrize("wanted", [MANIFEST_HOST_LEVEL, "0.1", "v0.0.1", None, ""])
def test_an_older_min_host_version_is_fine(wanted):
    assert parse(STDIO, minHostVersion=wanted).warnings == ()


def test_a_min_host_version_that_is_none_is_a_warning():
    assert 'wanted a version such as "0.3.0", got "new"' in the_warning(STDIO, minHostVersion="new")


def test_protocol_version_is_informative():
    assert valid(STDIO).protocol_version == "2025-03-26"
    for version in PROTOCOL_VERSIONS:
        assert parse(STDIO, protocolVersion=version).warnings == ()
    assert '"1999-01-01" is not a known version of MCP' in the_warning(STDIO, protocolVersion="1999-01-01")


def test_tags():
    assert valid(STDIO, tags=["a", "b"]).tags == ("a", "b")
    assert valid(STDIO, tags=None).tags == ()
    assert 'm.json:5: "tags": wanted a list of strings, got the string "a".' in the_error(STDIO, tags="a")
    assert '"tags[1]": wanted a string, got the number 2. Write it in quotes.' in the_error(
        STDIO, tags=["a", 2]
    )


# transport


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http", "http"),
        (" HTTP ", "http"),
        ("streamable-http", "http"),
        ("Streamable_HTTP", "http"),
        ("sse", "sse"),
    ],
)
def test_transport_in_any_case_with_aliases(written, meant):
    assert valid(HTTP, transport=written).transport == meant


def test_transport_defaults_to_stdio():
    assert valid(STDIO).transport == "stdio"
    assert valid(STDIO, transport=None).transport == "stdio"


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("sdtio", "got \"sdtio\". Did you mean 'stdio'?"),
        ("websocket", 'got "websocket".'),
        (4, "got the number 4."),
        ([], "got a list."),
    ],
)
def test_an_unknown_transport_names_the_known_ones(written, reason):
    error = the_error(STDIO, transport=written)
    assert "wanted one of 'stdio', 'http', 'sse', 'inprocess'" in error
    assert reason in error


@pytest.mark.parametrize(
    ("transport", "missing"),
    [("stdio", "command"), ("http", "url"), ("sse", "url"), ("inprocess", "entryPoint")],
)
def test_each_transport_has_what_it_needs(transport, missing):
    error = the_error(id="app", version="1", transport=transport)
    assert error == f"m.json: \"{missing}\": missing; transport '{transport}' needs it."


def test_a_forgotten_transport_is_guessed_in_the_error_only():
    error = the_error(id="app", version="1", url="https://x.example/mcp")
    assert 'There is "url": did you mean "transport": "http"?' in error


@pytest.mark.parametrize("blank", ["", "  ", None])
def test_a_blank_command_is_a_missing_one(blank):
    assert "missing" in the_error(STDIO, command=blank)


def test_keys_of_another_transport_are_named():
    assert the_warning(STDIO, url="https://x.example") == "m.json:5: \"url\": not used by transport 'stdio'."
    assert parse(STDIO, headers={}, url="").warnings == ()


def test_command_line():
    manifest = valid(STDIO, arguments=["server.js", "--x"], workingDirectory="sub")
    assert (manifest.arguments, manifest.working_directory) == (("server.js", "--x"), "sub")
    assert valid(STDIO, arguments=None).arguments == ()
    assert '"arguments[0]": wanted a string, got null.' in the_error(STDIO, arguments=[None])
    assert '"arguments": wanted a list of strings' in the_error(STDIO, arguments="server.js")
    assert "NUL" in the_error(STDIO, arguments=["a\0b"])


def test_variables_nobody_expands_are_named():
    warning = the_warning(STDIO, arguments=["${workspaceFolder}"])
    assert '"${workspaceFolder}" is passed on as it is' in warning
    assert parse(STDIO, arguments=["${python}", "${env:A}", "${manifestDir}/x"]).warnings == ()


def test_a_question_of_vs_code_is_an_error_that_names_it():
    error = the_error(STDIO, environment={"KEY": "${input:api-key}"})
    assert "\"environment.KEY\": asks the user for 'api-key'" in error


# http


@pytest.mark.parametrize(
    "url",
    [
        "https://x.example/mcp",
        "http://localhost:5000",
        " http://127.0.0.1:1/a?b=c ",
        "HTTPS://X.example",
        "http://[::1]:80/",
    ],
)
def test_good_urls(url):
    assert valid(HTTP, url=url).url == url.strip()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("localhost:5000/mcp", 'got "localhost:5000/mcp". Did you mean "http://localhost:5000/mcp"?'),
        ("/mcp", 'got "/mcp".'),
        ("ftp://x.example", 'got "ftp://x.example".'),
        ("https://", 'got "https://".'),
        ("https://x:notaport/", "absolute"),
        ("https://x.example/a b", "It has a space"),
        ("http://[", "absolute"),
        ("ftp://user:hunter2@x.example", "got another address"),
    ],
)
def test_a_url_must_be_absolute_http(url, reason):
    error = the_error(HTTP, url=url)
    assert '"url": wanted an absolute http:// or https:// address' in error
    assert reason in error
    assert "hunter2" not in error


def test_a_url_with_a_variable_is_checked_when_it_is_expanded():
    assert valid(HTTP, url="${env:BASE}/mcp").url == "${env:BASE}/mcp"


def test_odd_parts_of_a_url_are_named():
    assert "carries a password" in the_warning(HTTP, url="https://me:hunter2@x.example/")
    assert "after '#'" in the_warning(HTTP, url="https://x.example/#top")


def test_headers():
    assert valid(HTTP, headers={"X-Key": "${env:KEY}"}).headers == {"X-Key": "${env:KEY}"}
    assert valid(HTTP, headers=None).headers == {}
    error = the_error(HTTP, headers={"Authorization": "a", "authorization": "b"})
    assert '"headers.authorization": the same header as "Authorization"' in error
    assert "not the name of an HTTP header" in the_error(HTTP, headers={"X Key": "a"})
    assert "line break" in the_error(HTTP, headers={"X": "a\r\nY: b"})


@pytest.mark.parametrize(
    ("value", "kind"), [(12345, "a number"), (True, "true"), (None, "null"), (["s3cret"], "a list")]
)
def test_messages_never_show_what_may_be_a_secret(value, kind):
    for base, key in ((HTTP, "headers"), (STDIO, "environment")):
        error = the_error(base, **{key: {"TOKEN": value}})
        assert f'"{key}.TOKEN": wanted a string, got {kind}.' in error
        assert "12345" not in error


def test_a_header_given_twice_in_the_file_is_an_error():
    text = json.dumps(HTTP)[:-1] + ',\n "headers": {"A": "1",\n "A": "2"}}'
    parsed = parse_manifest(text, source="m.json")
    assert parsed.errors == ('m.json:3: "headers.A": given twice; the last one counts.',)


def test_environment():
    assert valid(STDIO, environment={"A": "${env:B}"}).environment == {"A": "${env:B}"}
    assert valid(STDIO, environment=None).environment == {}
    assert '"environment": wanted an object whose values are strings' in the_error(STDIO, environment=["A=b"])
    assert "not the name of an environment variable" in the_error(STDIO, environment={"A=B": "c"})
    assert "not the name of an environment variable" in the_error(STDIO, environment={"": "c"})


# in-process


@pytest.mark.parametrize("entry", ["pkg.module:server", "m:factory", "a.b.c:d.e"])
def test_entry_points(entry):
    assert valid(id="a", version="1", transport="inprocess", entryPoint=entry).entry_point == entry


@pytest.mark.parametrize("entry", ["pkg.module", "pkg:", ":server", "pkg/module.py:server", "a b:c"])
def test_an_entry_point_names_module_and_attribute(entry):
    error = the_error(id="a", version="1", transport="inprocess", entryPoint=entry)
    assert f'wanted "package.module:attribute", got "{entry}"' in error


def test_a_server_object_needs_no_entry_point():
    parsed = parse_mapping({"id": "a", "transport": "inprocess"}, source="cell", needs_entry_point=False)
    assert parsed.manifest is not None


# page


def test_ui():
    manifest = valid(STDIO, hasUi=True, uiResourceUri="ui://a/b.html")
    assert (manifest.has_ui, manifest.ui_resource_uri) == (True, "ui://a/b.html")
    assert valid(STDIO).has_ui is False
    assert '"uiResourceUri": wanted an address that starts with "ui://", got "b.html".' in the_error(
        STDIO, uiResourceUri="b.html"
    )
    assert '"hasUi": wanted true or false, got the string "yes".' in the_error(STDIO, hasUi="yes")
    assert '"hasUi": wanted true or false, got the number 1.' in the_error(STDIO, hasUi=1)


def test_capabilities():
    assert valid(STDIO).capabilities == ("tools",)
    assert valid(STDIO, capabilities=None).capabilities == ()
    assert valid(STDIO, capabilities=["prompts"]).capabilities == ("prompts",)


# limits


@pytest.mark.parametrize("key", ["startupTimeoutSeconds", "requestTimeoutSeconds"])
def test_timeouts(key):
    field = "startup_timeout_seconds" if key.startswith("s") else "request_timeout_seconds"
    assert getattr(valid(STDIO), field) == {"s": 15, "r": 60}[key[0]]
    assert getattr(valid(STDIO, **{key: 0.5}), field) == 0.5
    for bad, got in ((0, "the number 0"), (-1, "the number -1"), ("5", 'the string "5"'), (True, "true")):
        assert f'"{key}": wanted a number of seconds greater than 0, got {got}.' in the_error(
            STDIO, **{key: bad}
        )
    assert (
        "wanted a number of seconds"
        in parse_manifest(
            f'{{"id": "a", "version": "1", "command": "x", "{key}": 1e999}}', source="m.json"
        ).errors[0]
    )


@pytest.mark.parametrize(
    ("command", "seconds"),
    [
        ("npx", 60),
        ("uvx", 60),
        ("C:\\nodejs\\npx.cmd", 60),
        ("/usr/bin/npx", 60),
        ("node", 15),
        ("./npx-like", 15),
    ],
)
def test_what_may_download_first_gets_longer_to_start(command, seconds):
    assert valid(STDIO, command=command).effective_startup_seconds == seconds
    assert valid(STDIO, command=command, startupTimeoutSeconds=5).effective_startup_seconds == 5


@pytest.mark.parametrize(
    ("prefix", "kept"), [("grocery.", "grocery."), ("", None), (None, None), (" ", None)]
)
def test_tool_name_prefix(prefix, kept):
    assert valid(STDIO, toolNamePrefix=prefix).tool_name_prefix == kept


@pytest.mark.parametrize(
    ("written", "meant"),
    [("auto", "auto"), (" Legacy ", "legacy"), ("2025-11-25", "2025-11-25"), (None, "auto"), ("", "auto")],
)
def test_protocol(written, meant):
    assert valid(STDIO, protocol=written).protocol == meant


def test_an_unknown_protocol():
    error = the_error(STDIO, protocol="legasy")
    assert "wanted 'auto', 'legacy' or a version of MCP, got \"legasy\". Did you mean 'legacy'?" in error
    assert "not a known version" in the_warning(STDIO, protocol="2030-01-01")
    assert "wanted 'auto', 'legacy' or a version of MCP, got the number 3" in the_error(STDIO, protocol=3)


def test_metadata_is_kept():
    assert valid(STDIO, metadata={"a": [1, {"b": None}]}).metadata == {"a": [1, {"b": None}]}
    assert valid(STDIO, metadata=None).metadata == {}
    assert '"metadata": wanted an object, got the string "x".' in the_error(STDIO, metadata="x")


# unknown keys


def test_unknown_keys_are_kept_and_the_nearest_known_one_is_named():
    parsed = parse(STDIO, comand="x", x_ours={"a": 1})
    assert parsed.manifest.model_extra == {"comand": "x", "x_ours": {"a": 1}}
    assert (
        "m.json:5: \"comand\": not a key of a manifest; kept, not used. Did you mean 'command'?"
        in parsed.warnings
    )


def test_a_field_name_is_not_a_key():
    parsed = parse(STDIO, tool_name_prefix="x")
    assert parsed.manifest.tool_name_prefix is None
    assert "Did you mean 'toolNamePrefix'?" in parsed.warnings[0]


def test_the_schema_key_of_editors_is_no_unknown_key():
    parsed = parse(STDIO, **{"$schema": "https://x/manifest.schema.json"})
    assert parsed.warnings == ()
    assert "$schema" not in parsed.manifest.model_extra


def test_target_is_what_would_run_unexpanded():
    assert valid(STDIO, arguments=["a b", "${env:KEY}"]).target == "node 'a b' '${env:KEY}'"
    assert valid(HTTP).target == "https://x.example/mcp"
    assert valid(id="a", version="1", transport="inprocess", entryPoint="m:s").target == "m:s"


def test_to_mapping_is_a_manifest_again():
    manifest = valid(STDIO, arguments=["x"], extra=1, startupTimeoutSeconds=3)
    again = parse_manifest(json.dumps(manifest.to_mapping()), source="m.json")
    assert again.manifest == manifest
    assert "requestTimeoutSeconds" not in manifest.to_mapping()


def test_a_manifest_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        valid(STDIO).id = "other"
