"""What a manifest must fulfil beyond the types of its keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from mcpapps_jupyter.errors import did_you_mean
from mcpapps_jupyter.manifest.jsonc import KeyPath
from mcpapps_jupyter.manifest.model import (
    KEYS,
    MANIFEST_HOST_LEVEL,
    PROTOCOL_VERSIONS,
    normal_transport,
    wanted,
)
from mcpapps_jupyter.manifest.report import Report, quoted, shown

Data = Mapping[str, Any]

VARIABLE = re.compile(r"\$\{([^}]*)\}")
KNOWN_VARIABLES = "${python}, ${env:NAME}, ${manifestDir}"
LONGEST_ID = 128
_ID = re.compile(r"[A-Za-z0-9._-]+")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_VERSION_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TRANSPORT_KEYS = {
    "stdio": ("command", "arguments", "workingDirectory", "environment"),
    "http": ("url", "headers"),
    "sse": ("url", "headers"),
    "inprocess": ("entryPoint",),
}


def check(data: Data, report: Report, *, needs_entry_point: bool = True) -> None:
    """Run every rule over the merged keys of a manifest; keys of a wrong type are left to the type check."""
    check_id(data, report)
    check_transport(data, report, needs_entry_point=needs_entry_point)
    check_url(data, report)
    check_headers(data, report)
    check_process(data, report)
    check_ui(data, report)
    check_versions(data, report)
    check_variables(data, report)


def usable_id(value: Any) -> str | None:
    """Return a manifest's id if it can serve as one."""
    if isinstance(value, str) and len(value) <= LONGEST_ID and _ID.fullmatch(value) and value.strip("."):
        return value
    return None


def check_id(data: Data, report: Report) -> None:
    """`id` is there and can be typed."""
    if "id" not in data:
        report.error(("id",), 'missing; every app needs an id, such as "my-app".')
    elif usable_id(data["id"]) is None:
        report.error(("id",), id_problem(data["id"]))


def id_problem(given: Any) -> str:
    """Say in words why `given` can be no id."""
    if not isinstance(given, str):
        return f"wanted a string, got {shown(given)}."
    if not given.strip():
        return 'blank; every app needs an id, such as "my-app".'
    if len(given) > LONGEST_ID:
        return f"{len(given)} characters long; at most {LONGEST_ID} are allowed."
    if not given.strip("."):
        return f"wanted more than dots, got {quoted(given)}."
    repaired = re.sub(r"[^A-Za-z0-9._-]+", "-", given.strip()).strip("-.")
    hint = f' Did you mean "{repaired}"?' if repaired else ""
    return f"wanted only letters A-Z a-z, digits, '.', '_' and '-', got {quoted(given)}.{hint}"


def check_transport(data: Data, report: Report, *, needs_entry_point: bool = True) -> None:
    """`transport` is known, has what it needs, and nothing of another one."""
    given = data.get("transport", "stdio")
    if not isinstance(given, str):
        return
    transport = normal_transport(given)
    if transport not in _TRANSPORT_KEYS:
        hint = did_you_mean(transport, _TRANSPORT_KEYS)
        report.error(("transport",), f"wanted {wanted('transport')}, got {quoted(given)}.{hint}")
        return
    needs = {"stdio": "command", "http": "url", "sse": "url", "inprocess": "entryPoint"}[transport]
    if needs not in data and (transport != "inprocess" or needs_entry_point):
        report.error(
            (needs,), f"missing; transport '{transport}' needs it.{_other_transport(data, transport)}"
        )
    for key in dict.fromkeys(key for keys in _TRANSPORT_KEYS.values() for key in keys):
        if key not in _TRANSPORT_KEYS[transport] and data.get(key):
            report.warning((key,), f"not used by transport '{transport}'.")


def _other_transport(data: Data, transport: str) -> str:
    for other, key in (("http", "url"), ("stdio", "command"), ("inprocess", "entryPoint")):
        if other != transport and data.get(key):
            return f' There is "{key}": did you mean "transport": "{other}"?'
    return ""


def check_url(data: Data, report: Report) -> None:
    """`url` is an absolute http(s) address."""
    url = data.get("url")
    if not isinstance(url, str):
        return
    if VARIABLE.search(url):
        return  # checked when it is expanded
    problem = url_problem(url)
    if problem:
        report.error(("url",), problem)
        return
    parts = urlsplit(url)
    if parts.password is not None:
        report.warning(("url",), 'carries a password; put it in "headers", as ${env:NAME}.')
    if parts.fragment:
        report.warning(("url",), "the part after '#' is never sent to a server.")


def url_problem(url: str) -> str | None:
    """Say what keeps `url` from being an absolute http(s) address, or None."""
    # What stands before '@' may be a password, and messages end up in saved notebooks.
    got = quoted(url) if "@" not in url else "another address"
    text = f"wanted an absolute http:// or https:// address, got {got}."
    if re.search(r"[\s\x00-\x1f\x7f]", url):
        return f"{text} It has a space or a control character."
    parts = _split(url)
    if parts is None:
        return text
    if parts.scheme in ("http", "https") and parts.hostname:
        return None
    guess = _split(f"http://{url}") if "://" not in url else None
    if guess is not None and guess.hostname and "@" not in url and not url.startswith("/"):
        return f'{text} Did you mean "http://{quoted(url)[1:-1]}"?'
    return text


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # parsed on access
    except ValueError:
        return None
    return parts


def check_headers(data: Data, report: Report) -> None:
    """Names of `headers` are HTTP tokens, each given once; values stay on their line."""
    seen: dict[str, str] = {}
    for name, value in _items(data.get("headers")):
        at: KeyPath = ("headers", name)
        if not _HEADER_NAME.fullmatch(name):
            report.error(at, "not the name of an HTTP header (letters, digits, '-').")
        elif name.lower() in seen:
            report.error(
                at, f'the same header as "{seen[name.lower()]}": names ignore case; keep one of them.'
            )
        elif isinstance(value, str) and _CONTROL.search(value):
            report.error(at, "the value has a line break or another control character.")
        seen.setdefault(name.lower(), name)


def check_process(data: Data, report: Report) -> None:
    """No operating system takes NUL in a command line, nor '=' in a variable's name."""
    for path, text in _strings(data, "command", "arguments", "workingDirectory", "environment"):
        if "\0" in text:
            report.error(path, "has a NUL character.")
    for name, _ in _items(data.get("environment")):
        if not name or "=" in name or "\0" in name:
            report.error(("environment", name), "not the name of an environment variable.")
    entry = data.get("entryPoint")
    if isinstance(entry, str) and not _is_entry_point(entry):
        report.error(("entryPoint",), f'wanted "package.module:attribute", got {quoted(entry)}.')


def _is_entry_point(text: str) -> bool:
    module, colon, attribute = text.strip().partition(":")
    return bool(colon) and all(part.isidentifier() for part in (*module.split("."), *attribute.split(".")))


def check_ui(data: Data, report: Report) -> None:
    """`uiResourceUri` is a ui:// address."""
    uri = data.get("uiResourceUri")
    if isinstance(uri, str) and not uri.lower().startswith("ui://"):
        report.error(("uiResourceUri",), f'wanted an address that starts with "ui://", got {quoted(uri)}.')


def check_versions(data: Data, report: Report) -> None:
    """Versions are known; only `protocol` is acted upon, so only it can be an error."""
    least = data.get("minHostVersion")
    if isinstance(least, str):
        numbers = _version(least)
        if numbers is None:
            report.warning(("minHostVersion",), f'wanted a version such as "0.3.0", got {quoted(least)}.')
        elif numbers > (_version(MANIFEST_HOST_LEVEL) or ()):
            report.warning(
                ("minHostVersion",),
                f"asks for OpenClaw.NET {quoted(least)[1:-1]}; this host implements the manifest of "
                f"{MANIFEST_HOST_LEVEL} and may miss something.",
            )
    spoken = data.get("protocolVersion")
    if isinstance(spoken, str) and spoken.strip() not in PROTOCOL_VERSIONS:
        known = ", ".join(PROTOCOL_VERSIONS)
        report.warning(("protocolVersion",), f"{quoted(spoken)} is not a known version of MCP ({known}).")
    protocol = data.get("protocol")
    if isinstance(protocol, str):
        word = protocol.strip().lower()
        if word in ("auto", "legacy", *PROTOCOL_VERSIONS):
            return
        if _VERSION_DATE.fullmatch(word):
            report.warning(("protocol",), f"{quoted(word)} is not a known version of MCP.")
        else:
            hint = did_you_mean(word, ("auto", "legacy", *PROTOCOL_VERSIONS))
            report.error(("protocol",), f"wanted {wanted('protocol')}, got {quoted(protocol)}.{hint}")


def _version(text: str) -> tuple[int, ...] | None:
    match = re.fullmatch(r"\s*(?:>=?)?\s*v?(\d{1,9}(?:\.\d{1,9}){0,3})(?:[-+].*)?\s*", text, re.ASCII)
    return tuple(int(part) for part in match[1].split(".")) if match else None


def check_variables(data: Data, report: Report) -> None:
    """Name the ``${…}`` that nobody expands: they reach the program as they are."""
    keys = ("command", "arguments", "workingDirectory", "environment", "url", "headers")
    for path, text in _strings(data, *keys):
        for name in VARIABLE.findall(text):
            if name.startswith("env:") or name in ("python", "manifestDir"):
                continue
            if name.startswith("input:"):
                report.error(
                    path, f"asks the user for '{name[6:]}', which only VS Code can; write ${{env:NAME}}."
                )
                continue
            hint = did_you_mean(name, ("python", "manifestDir", "env:NAME"))
            unknown = quoted("${" + name + "}")
            report.warning(
                path, f"{unknown} is passed on as it is; the variables are {KNOWN_VARIABLES}.{hint}"
            )


def check_unknown(data: Data, report: Report, extra: Callable[[str], bool] = lambda _: False) -> None:
    """Name the keys that a manifest does not have; they are kept."""
    for key in data:
        if key not in KEYS and key != "$schema" and not extra(key):
            report.warning((key,), f"not a key of a manifest; kept, not used.{did_you_mean(key, KEYS)}")


def _items(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((name, item) for name, item in value.items() if isinstance(name, str))


def _strings(data: Data, *keys: str) -> Iterator[tuple[KeyPath, str]]:
    for key in keys:
        value = data.get(key)
        if isinstance(value, str):
            yield (key,), value
        elif isinstance(value, (list, tuple)):
            yield from (((key, n), item) for n, item in enumerate(value) if isinstance(item, str))
        else:
            yield from (((key, name), item) for name, item in _items(value) if isinstance(item, str))
