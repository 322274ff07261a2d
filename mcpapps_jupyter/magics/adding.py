"""``%mcpapp add``: an app from a command, an address, or another host's file."""

from __future__ import annotations

import re
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from IPython.core.error import UsageError

from mcpapps_jupyter.app import App
from mcpapps_jupyter.discovery import read_servers_file
from mcpapps_jupyter.errors import McpAppsError
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.magics.invocation import Invocation
from mcpapps_jupyter.magics.shown import Added
from mcpapps_jupyter.magics.values import written
from mcpapps_jupyter.views.output import emit

ADD_FORMS = (
    "%mcpapp add ID [options] -- COMMAND ARG…",
    "%mcpapp add ID URL [options]",
    "%mcpapp add --from FILE",
)
_FROM_MANIFEST = ("--env", "--header", "--prefix", "--protocol", "--transport", "--cwd", "--timeout")
# An address without its scheme: a host, and a port or a path behind it.
_BARE_ADDRESS = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+(?:/|$)|/)")
_HERE = re.compile(r"localhost\b|127\.|192\.168\.|10\.")

#: Which app each server of a file became, by host: the cell may be run again.
_from_files: weakref.WeakKeyDictionary[Host, dict[tuple[Path, str], str]] = weakref.WeakKeyDictionary()


def add(line: Invocation) -> Any:
    """Do it; nothing is started."""
    words, command = line.texts(), line.command()
    if line.has("--from"):
        others = [name for name in _FROM_MANIFEST if line.has(name)]
        if words or command is not None or others:
            raise UsageError("--from takes nothing beside it: %mcpapp add --from FILE")
        return _add_file(line.host, line.option("--from") or "")
    if not words:
        raise UsageError(f"add needs ID: {line.verb.usage}")
    app_id, *rest = words
    if command is not None:
        if rest:
            raise UsageError(f"'{rest[0]}' is one word too many before '--': {ADD_FORMS[0]}")
        if not command:
            raise UsageError(f"There is no command after '--': {ADD_FORMS[0]}")
        return _add(line, command, app_id)
    if not rest:
        raise UsageError(f"add needs a command or an address: {line.verb.usage}")
    if rest[0].startswith(("http://", "https://")):
        if len(rest) > 1:
            raise UsageError(f"'{rest[1]}' is one word too many: {ADD_FORMS[1]}")
        return _add(line, rest[0], app_id)
    if len(rest) == 1 and _BARE_ADDRESS.match(rest[0]) and not (line.host.resolve(rest[0]).exists()):
        scheme = "http" if _HERE.match(rest[0]) else "https"
        address = written(f"{scheme}://{rest[0]}")
        raise UsageError(f"An address begins with http:// or https://: %mcpapp add {app_id} {address}")
    command_line = " ".join(map(written_word, rest))
    raise UsageError(f"Put '--' before the command: %mcpapp add {app_id} -- {command_line}")


def written_word(text: str) -> str:
    """A word of a command as it can be typed; a dash at its beginning needs no quotes there."""
    return text if text.startswith("-") and " " not in text else written(text)


def _add(line: Invocation, what: list[str] | str, app_id: str) -> App:
    remote = isinstance(what, str)
    for name in ("--header",) if not remote else ("--env", "--cwd"):
        if line.has(name):
            raise UsageError(f"{name} is for {'a command' if remote else 'an address'}: {line.verb.usage}")
    seconds = line.number("--timeout", float)
    before = line.host.registry.find(app_id)
    source = before.definition.source if before is not None else "added"
    app = line.host.add(
        what,
        id=app_id,
        environment=line.table("--env", "=", "NAME=VALUE") or None,
        headers=line.table("--header", ":", "'NAME: VALUE'") or None,
        toolNamePrefix=line.option("--prefix"),
        protocol=line.option("--protocol"),
        transport=line.option("--transport"),
        workingDirectory=line.option("--cwd"),
        startupTimeoutSeconds=seconds,
        requestTimeoutSeconds=seconds,
    )
    if source != "added":
        emit({"text/plain": f"{app_id} stands in the place of the {source} app of this id now."})
    return app


def _add_file(host: Host, name: str) -> Added:
    path = host.resolve(name)
    known = _from_files.setdefault(host, {})
    ids: list[str] = []
    problems: dict[str, str] = {}
    for app_id, mapping in read_servers_file(path):
        wanted = known.get((path, app_id)) or _free_id(host, app_id)
        try:
            _add_mapping(host, wanted, mapping)
        except McpAppsError as error:
            problems[app_id] = str(error)
            continue
        known[(path, app_id)] = wanted
        ids.append(wanted)
    return Added(ids, problems)


def _add_mapping(host: Host, app_id: str, mapping: Mapping[str, Any]) -> None:
    fields = {
        key: value for key, value in mapping.items() if key not in ("id", "command", "arguments", "url")
    }
    if "url" in mapping and "command" not in mapping:
        host.add(mapping["url"], id=app_id, **fields)
    else:
        host.add([mapping.get("command", ""), *mapping.get("arguments", [])], id=app_id, **fields)


def _free_id(host: Host, wanted: str) -> str:
    """`wanted`, or with ``-2`` and so on behind it where another app has that id."""
    taken = {app.id.casefold() for app in host}
    found, number = wanted, 1
    while found.casefold() in taken:
        number += 1
        found = f"{wanted}-{number}"
    return found
