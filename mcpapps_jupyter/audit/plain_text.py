"""Secrets that a manifest holds in plain text, where everybody who gets the file can read them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

from mcpapps_jupyter.manifest import Manifest

_NAME = re.compile(
    r"token|secret|passw(or)?d|passphrase|credential|authorization|cookie|api[-_]?key|access[-_]?key"
    r"|private[-_]?key|(^|[-_])(key|auth|pat|pwd)$",
    re.IGNORECASE,
)
#: What such a name may also stand for: where the secret lies, or how long it may be.
_ABOUT_A_SECRET = re.compile(
    r"(file|path|dir|folder|url|uri|host|sock|name|type|limit|count|length|max[-_]?tokens|id)$|^max",
    re.IGNORECASE,
)
#: Tokens known by how they begin.
_VALUE = re.compile(
    r"(?<![A-Za-z0-9])(sk-[A-Za-z0-9_-]{16}|gh[opsu]_[A-Za-z0-9]{20}|github_pat_|glpat-|xox[abp]-|hf_[A-Za-z0-9]{20}"
    r"|AKIA[A-Z0-9]{12}|AIza[A-Za-z0-9_-]{20}|eyJ[A-Za-z0-9_-]{10,}\.|-----BEGIN [A-Z ]*PRIVATE KEY)"
)
_SHORTEST = 4


def plain_secrets(manifest: Manifest) -> dict[str, str]:
    """The places of `manifest` that look like a secret written out, by key: ``environment.API_TOKEN``.

    A value that names a variable (``${env:API_TOKEN}``) is none.

    Returns
    -------
    dict of str to str
        The secret of each place; to be masked, not to be shown.
    """
    return dict(_places(manifest))


def _places(manifest: Manifest) -> Iterator[tuple[str, str]]:
    for key, table in (("environment", manifest.environment), ("headers", manifest.headers)):
        yield from ((f"{key}.{name}", value) for name, value in table.items() if _is_secret(name, value))
    option = ""
    for at, word in enumerate(manifest.arguments):
        name, is_pair, value = word.partition("=")
        if is_pair and name.startswith("-"):
            if _is_secret(name.lstrip("-"), value):
                yield f"arguments[{at}]", value
        elif _is_secret(option, word):
            yield f"arguments[{at}]", word
        option = word.lstrip("-") if word.startswith("-") else ""
    if manifest.url:
        yield from (("url", value) for value in _in_url(manifest.url))


def _is_secret(name: str, value: str) -> bool:
    value = value.strip()
    if len(value) < _SHORTEST or "${env:" in value:
        return False
    named = bool(_NAME.search(name)) and not _ABOUT_A_SECRET.search(name)
    return bool(_VALUE.search(value)) or (named and not value.startswith("-"))


def _in_url(url: str) -> Iterator[str]:
    try:
        parts = urlsplit(url)
        password = parts.password
    except ValueError:
        return
    if password and "${env:" not in password:
        yield password
    yield from (value for name, value in parse_qsl(parts.query) if _is_secret(name, value))
    if _VALUE.search(parts.path):
        yield parts.path
