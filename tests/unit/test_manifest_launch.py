import os
from pathlib import Path

import pytest

from mcpapps_jupyter.errors import ManifestInvalid
from mcpapps_jupyter.manifest import (
    Manifest,
    inherited_environment,
    parse_mapping,
    resolve_endpoint,
    resolve_launch,
    secret_values,
)

HERE = Path(os.sep).absolute() / "apps" / "mine"
# fmt: off
INHERITED = [
    "PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "http_proxy", "HTTPS_PROXY", "NO_PROXY",
    "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "npm_config_registry", "UV_INDEX_URL",
    "VIRTUAL_ENV", "CONDA_PREFIX", "SystemRoot",
    "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "XDG_CACHE_HOME", "DISPLAY", "APPDATA", "ProgramFiles(x86)",
]
# fmt: on
ENVIRON = {"PATH": "/bin", "HOME": "/home/me", "TOKEN": "s3cret-token", "EMPTY": "", "KERNEL_ONLY": "private"}


def manifest(**keys) -> Manifest:
    parsed = parse_mapping({"id": "app", **keys}, source="test")
    assert parsed.manifest is not None, parsed.errors
    return parsed.manifest


def launch(**keys):
    return resolve_launch(manifest(**keys), manifest_dir=HERE, python="/py/python", environ=ENVIRON)


def http(**keys):
    return manifest(transport="http", **{"url": "https://x.example/mcp", **keys})


@pytest.mark.parametrize(
    ("command", "resolved"),
    [
        ("node", "node"),
        ("${python}", "/py/python"),
        ("./run.sh", str(HERE / "run.sh")),
        ("bin/../run", str(HERE / "run")),
        ("../shared/run", str(HERE.parent / "shared" / "run")),
        ("${manifestDir}/run", str(HERE / "run")),
        (str(HERE / "x"), str(HERE / "x")),
    ],
)
def test_command(command, resolved):
    assert launch(command=command).command == resolved


def test_arguments_are_expanded_once_and_not_taken_for_paths():
    environ = {**ENVIRON, "NESTED": "${env:TOKEN}"}
    m = manifest(
        command="x",
        arguments=["./a", "${python}", "${env:TOKEN}!", "${env:NESTED}", "${HOME}", "$HOME", "${}"],
    )
    result = resolve_launch(m, manifest_dir=HERE, python="py", environ=environ)
    assert result.arguments == ("./a", "py", "s3cret-token!", "${env:TOKEN}", "${HOME}", "$HOME", "${}")


@pytest.mark.parametrize(
    ("written", "resolved"),
    [
        (None, HERE),
        ("data", HERE / "data"),
        ("${manifestDir}/d", HERE / "d"),
        (str(HERE.parent), HERE.parent),
    ],
)
def test_working_directory(written, resolved):
    assert launch(command="x", workingDirectory=written).cwd == str(resolved)


def test_the_environment_is_small_and_added_to():
    environment = launch(
        command="x", environment={"A": "${env:TOKEN}", "PATH": "${env:PATH}:/opt"}
    ).environment
    assert environment == {"PATH": "/bin:/opt", "HOME": "/home/me", "A": "s3cret-token"}


def test_an_unset_variable_is_named_with_its_key():
    with pytest.raises(
        ManifestInvalid, match=r'app: "environment.A": the environment variable NOPE is not set'
    ):
        launch(command="x", environment={"A": "${env:NOPE}"})
    with pytest.raises(ManifestInvalid, match=r'"arguments\[1\]"'):
        launch(command="x", arguments=["a", "${env:NOPE}"])
    with pytest.raises(ManifestInvalid, match=r"headers\.X"):
        resolve_endpoint(http(headers={"X": "${env:NOPE}"}), environ=ENVIRON)


def test_a_variable_may_have_a_default():
    texts = ["${env:NOPE:-a:-b}", "${env:EMPTY:-c}", "${env:TOKEN:-d}", "${env:EMPTY}", "${env:NOPE:-}"]
    assert launch(command="x", arguments=texts).arguments == ("a:-b", "c", "s3cret-token", "", "")


@pytest.mark.parametrize(
    "name",
    INHERITED,
)
def test_what_a_server_inherits(name):
    assert inherited_environment({name: "v"}) == {name: "v"}


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "JPY_SESSION_NAME",
        "PYTHONPATH",
        "UV_PUBLISH_TOKEN",
        "XPATH",
    ],
)
def test_what_it_does_not(name):
    assert inherited_environment({name: "v"}) == {}


def test_shell_functions_are_not_passed_on():
    assert inherited_environment({"LC_X": "() { :; }; echo"}) == {}


def test_endpoint():
    m = http(url="https://${env:HOST}/mcp", headers={"Authorization": "Bearer ${env:TOKEN}", "X": " y "})
    url, headers = resolve_endpoint(m, environ={**ENVIRON, "HOST": "h.example", "TOKEN": "t\n"})
    assert url == "https://h.example/mcp"
    assert headers == {"Authorization": "Bearer t", "X": "y"}


def test_what_variables_make_of_an_endpoint_is_checked():
    with pytest.raises(ManifestInvalid, match=r'"url": wanted an absolute'):
        resolve_endpoint(http(url="${env:HOST}/mcp"), environ={"HOST": "h.example"})
    with pytest.raises(ManifestInvalid, match="line break"):
        resolve_endpoint(http(headers={"X": "${env:T}"}), environ={"T": "a\nB: c"})


def test_secrets_are_what_came_from_environment_headers_and_variables():
    m = manifest(
        command="x",
        arguments=["--key=${env:KEY}", "plain"],
        environment={"A": "literal-secret", "B": "${env:TOKEN}", "C": "${env:UNSET}", "D": "${env:HOME}/x"},
    )
    values = secret_values(m, environ={**ENVIRON, "KEY": "k3y-value"})
    assert set(values) == {"literal-secret", "s3cret-token", "k3y-value"}


def test_secrets_of_an_endpoint():
    m = http(
        url="https://me:p%40ss@x.example/?k=${env:KEY}", headers={"Authorization": "Bearer ${env:TOKEN}"}
    )
    values = secret_values(m, environ={**ENVIRON, "KEY": "k3y-value"})
    assert set(values) == {"Bearer s3cret-token", "s3cret-token", "k3y-value", "p%40ss", "p@ss"}


def test_nothing_is_secret_about_a_plain_manifest():
    assert secret_values(manifest(command="node", arguments=["server.js"]), environ=ENVIRON) == []
