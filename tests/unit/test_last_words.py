"""What is told of what a server printed before it failed to start."""

from __future__ import annotations

import pytest

from mcpapps_jupyter.last_words import http_address, telling, told

NPM = """npm warn deprecated x@1: an error of ours
npm error code E404
npm error 404 Not Found - GET https://registry.example/nope - Not found
npm error 404
npm error 404  'nope@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git folder.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/x-debug-0.log"""
PYTHON = """Traceback (most recent call last):
  File "a.py", line 1, in <module>
    raise ValueError("cannot")
ValueError: cannot

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 3, in <module>
    raise SystemExit("x")
shop.Closed: until Monday"""
NODE = """node:internal/modules/cjs/loader:1215
  throw err;
  ^

Error: Cannot find module '/home/me/x.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1212:15) {
  code: 'MODULE_NOT_FOUND',
}

Node.js v20.1.0"""


@pytest.mark.parametrize(
    ("printed", "told_of_it"),
    [
        (
            NPM,
            "npm error 404 Not Found - GET https://registry.example/nope - Not found"
            " | npm error 404 'nope@*' is not in this registry.",
        ),
        (PYTHON, "ValueError: cannot | shop.Closed: until Monday"),
        (NODE, "Error: Cannot find module '/home/me/x.js'"),
        ("one\ntwo\nthree\nfour", "two | three | four"),
        ("docker: permission denied\nSee docker run --help", "docker: permission denied"),
        ("failed\nfailed\n\x1b[31mfailed\x1b[0m", "failed"),
        ("", ""),
    ],
)
def test_the_lines_that_name_the_cause(printed: str, told_of_it: str) -> None:
    assert telling(printed.split("\n")) == told_of_it


@pytest.mark.parametrize(
    ("printed", "address"),
    [
        ("Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)", "http://127.0.0.1:8000/mcp"),
        ("MCP server listening on http://0.0.0.0:3001/mcp.", "http://localhost:3001/mcp"),
        ("Listening on port 3001", "http://localhost:3001/mcp"),
        ("PORT: 8080", "http://localhost:8080/mcp"),
        ("listening", "http://…"),
        ("importing reports 12", None),
        ("see https://example.org/help", None),
    ],
)
def test_what_looks_like_an_http_server(printed: str, address: str | None) -> None:
    assert http_address([printed]) == address


def test_a_server_that_still_runs_and_speaks_http() -> None:
    said = ["listening on port 3001"]
    cause, more = told("no answer within 5 s", said, said, "web", spoke=False, timed_out=True)
    assert cause == "no answer within 5 s"
    assert "want --stdio? Or start it yourself and: %mcpapp add web http://localhost:3001/mcp" in more
    _, more = told("no answer within 5 s", said, said, "web", spoke=True, timed_out=True)
    assert more == " From its stderr: listening on port 3001"


def test_a_command_that_is_no_server() -> None:
    cause, more = told("the server exited with code 0", [], ["Usage: x"], "x", spoke=False, timed_out=False)
    assert cause == "it ended without a word of MCP; is it an MCP server over stdio?"
    assert more == " It printed: Usage: x"


def test_an_exit_is_told_once() -> None:
    cause = "the server exited with code 1; its last words: a | b"
    lines = ["Error: why.", "a", "b"]
    assert told(cause, lines, lines, "x", spoke=False, timed_out=False) == (
        "the server exited with code 1; its last words: Error: why",
        "",
    )
