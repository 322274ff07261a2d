"""From a manifest to what is started or called: variables expanded, paths resolved, environment complete."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mcpapps_jupyter.errors import ManifestInvalid
from mcpapps_jupyter.manifest.model import Manifest
from mcpapps_jupyter.manifest.rules import VARIABLE, url_problem

# A server gets what programs need to run and to reach the network, not the kernel's whole environment:
# that holds tokens of other services.
_INHERITED = re.compile(
    r"""
      HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LANGUAGE|LC_.+|TMPDIR|TZ|DISPLAY|XDG_.+
    | APPDATA|COMSPEC|HOMEDRIVE|HOMEPATH|LOCALAPPDATA|NUMBER_OF_PROCESSORS|PATHEXT|PROCESSOR_ARCHITECTURE
    | PROGRAMDATA|PROGRAMFILES(?:\(X86\))?|SYSTEMDRIVE|SYSTEMROOT|TEMP|TMP|USERNAME|USERPROFILE|WINDIR
    | .+_PROXY|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS
    | NPM_CONFIG_.+|UV_(?!PUBLISH_).+|VIRTUAL_ENV|CONDA_PREFIX|LD_LIBRARY_PATH|DYLD_.+
    """,
    re.VERBOSE | re.IGNORECASE,
)

# What these hold is no secret, and masking it (a home folder, say) would only make texts unreadable.
_PUBLIC = frozenset(
    {"HOME", "USER", "USERNAME", "LOGNAME", "PATH", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ", "PWD"}
    | {"TMPDIR", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "PROGRAMDATA"}
    | {"SYSTEMROOT", "WINDIR", "VIRTUAL_ENV", "CONDA_PREFIX"}
)


@dataclass(frozen=True)
class Launch:
    """A process to start.

    Attributes
    ----------
    command : str
        The program: a path, or a name to be looked up in the environment's ``PATH``.
    arguments : tuple of str
        Its arguments.
    cwd : str
        Folder to start it in.
    environment : dict of str to str
        Its complete environment.
    """

    command: str
    arguments: tuple[str, ...]
    cwd: str
    environment: dict[str, str]


def resolve_launch(
    manifest: Manifest, *, manifest_dir: Path, python: str, environ: Mapping[str, str]
) -> Launch:
    """Work out the process of a stdio app.

    Parameters
    ----------
    manifest : Manifest
        The app.
    manifest_dir : Path
        Folder that relative paths start at, and the default working directory.
    python : str
        Interpreter that ``${python}`` stands for.
    environ : mapping
        Environment that ``${env:NAME}`` reads and the server inherits a small part of.

    Raises
    ------
    ManifestInvalid
        A variable is not set, or there is no command.
    """
    fixed = {"python": python, "manifestDir": str(manifest_dir)}

    def expand(key: str, text: str) -> str:
        return _expand(text, environ, fixed, lambda name: _unset(manifest, key, name))

    if not (manifest.command or "").strip():
        raise ManifestInvalid(f"{manifest.id}: \"command\": missing; transport 'stdio' needs it.")
    command = expand("command", manifest.command or "").strip()
    if "/" in command or os.sep in command:
        command = _from(manifest_dir, command)
    environment = inherited_environment(environ)
    for name, value in manifest.environment.items():
        _set(environment, name, expand(f"environment.{name}", value))
    cwd = expand("workingDirectory", manifest.working_directory or "").strip()
    return Launch(
        command=command,
        arguments=tuple(expand(f"arguments[{n}]", argument) for n, argument in enumerate(manifest.arguments)),
        cwd=_from(manifest_dir, cwd) if cwd else str(manifest_dir),
        environment=environment,
    )


def _from(folder: Path, path: str) -> str:
    if path == "~" or path.startswith(("~/", "~\\")):
        path = os.path.expanduser(path)  # noqa: PTH111 - Path would drop a trailing separator's meaning
    return os.path.normpath(os.path.join(folder, path))  # noqa: PTH118 - ".." goes by name, links untouched


def _set(environment: dict[str, str], name: str, value: str) -> None:
    if os.name == "nt":  # names ignore case there, and two spellings of PATH would both be passed on
        for other in [other for other in environment if other.upper() == name.upper()]:
            del environment[other]
    environment[name] = value


def resolve_endpoint(manifest: Manifest, *, environ: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Work out the address and the request headers of an http or sse app.

    Raises
    ------
    ManifestInvalid
        A variable is not set, or what it holds makes no address or no header.
    """

    def expand(key: str, text: str) -> str:
        return _expand(text, environ, {}, lambda name: _unset(manifest, key, name))

    url = expand("url", manifest.url or "").strip()
    if problem := url_problem(url):
        raise ManifestInvalid(f'{manifest.id}: "url": {problem}')
    headers: dict[str, str] = {}
    for name, value in manifest.headers.items():
        # A token read from a file often ends in a line break.
        headers[name] = expand(f"headers.{name}", value).strip()
        if re.search(r"[\x00-\x08\x0a-\x1f\x7f]", headers[name]):
            raise ManifestInvalid(
                f'{manifest.id}: "headers.{name}": the value has a line break or another control character.'
            )
    return url, headers


def secret_values(manifest: Manifest, *, environ: Mapping[str, str]) -> list[str]:
    """List every value that came from ``environment``, ``headers``, ``${env:…}`` or a password in the URL.

    They are to be masked in whatever is shown. Variables that are not set are passed over.
    """
    values: list[str] = []
    kept_apart = [*manifest.environment.values(), *manifest.headers.values()]
    plain = [
        manifest.command or "",
        *manifest.arguments,
        manifest.working_directory or "",
        manifest.url or "",
    ]
    for text in kept_apart:
        names = _env_names(text)
        if not names or any(name not in _PUBLIC for name in names):
            whole = _expand(text, environ, {}, lambda _: "").strip()
            values += [whole, *whole.split()[1:]]  # also the token of "Bearer <token>"
    for text in kept_apart + plain:
        values += [environ[name] for name in _env_names(text) if name in environ and name not in _PUBLIC]
    values += _passwords(manifest.url or "")
    return [value for value in dict.fromkeys(values) if value.strip()]


def _passwords(url: str) -> Iterator[str]:
    try:
        password = urlsplit(url).password
    except ValueError:
        return
    if password:
        yield password
        yield unquote(password)


def inherited_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the small part of `environ` that every server gets."""
    return {
        name: value
        for name, value in environ.items()
        if _INHERITED.fullmatch(name) and not value.startswith("()")  # a shell function: some shells run it
    }


def _env_names(text: str) -> list[str]:
    return [name[4:].partition(":-")[0] for name in VARIABLE.findall(text) if name.startswith("env:")]


def _expand(
    text: str, environ: Mapping[str, str], fixed: Mapping[str, str], unset: Callable[[str], str]
) -> str:
    """Expand variables, once: what they hold is not expanded again."""

    def value(match: re.Match[str]) -> str:
        kind, colon, rest = match[1].partition(":")
        if kind == "env" and colon:
            name, has_default, default = rest.partition(":-")
            found = environ.get(name)
            if found is None or (has_default and not found):
                return default if has_default else unset(name)
            return found
        return fixed.get(match[1], match[0])

    return VARIABLE.sub(value, text)


def _unset(manifest: Manifest, key: str, name: str) -> str:
    raise ManifestInvalid(
        f'{manifest.id}: "{key}": the environment variable {name} is not set. '
        f"Set it before the kernel starts, or with %env {name}=… in a cell."
    )
