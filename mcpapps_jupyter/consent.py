"""The first start of code that came with the notebook: shown, asked about, remembered by content."""

from __future__ import annotations

import shlex
import sys
import threading
from collections.abc import Callable

from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.definition import Definition
from mcpapps_jupyter.discovery import TrustStore, unconfirmed
from mcpapps_jupyter.errors import AppDisabled
from mcpapps_jupyter.redact import clean_line

#: Characters of one fact that a question shows.
_LONGEST = 4000


def require_consent(
    definition: Definition, config: McpApps, store: TrustStore, ask: Callable[[str], str] = input
) -> None:
    """Let the person confirm the files that decide what is about to run, where that is still to be done.

    Parameters
    ----------
    definition
        Exactly what will be started.

    Raises
    ------
    AppDisabled
        Nobody is there to be asked, or the answer was no.
    """
    app_id = definition.app_id
    files = unconfirmed(
        app_id, definition.source, definition.path, definition.digest, config=config, store=store
    )
    if not files:
        return
    names = " and ".join(_whole(str(file.path)) for file in files)
    # A prompt belongs to the thread that runs cells; a page's call never asks for this.
    if config.is_headless() or threading.current_thread() is not threading.main_thread():
        raise AppDisabled(
            f"{app_id} comes with this notebook ({names}) and was never confirmed. Start it once in a "
            f"notebook, %mcpapp start {app_id}, or name its folder in McpApps.trusted_paths."
        )
    try:
        answer = ask(_question(definition, names))
    except (EOFError, RuntimeError, OSError):  # nobody there after all
        answer = ""
    if answer.strip().lower() not in ("y", "yes"):
        raise AppDisabled(f"{app_id} was not started: {names} was not confirmed.")
    for file in files:
        store.trust(file.path, file.digest)


def _question(definition: Definition, names: str) -> str:
    """All that decides what will happen, in full: nothing is masked, for the manifest would say what."""
    manifest = definition.manifest
    if manifest.transport == "stdio":
        words = [
            each.replace("${python}", sys.executable)
            for each in (manifest.command or "", *manifest.arguments)
        ]
        folder = definition.directory / (manifest.working_directory or "")
        facts = [shlex.join(words), f"in {folder}"]
        facts += [f"with {name}={value}" for name, value in manifest.environment.items()]
    else:
        facts = [manifest.url or manifest.entry_point or ""]
        facts += [f"with the header {name}: {value}" for name, value in manifest.headers.items()]
    lines = "\n".join(f"    {_whole(fact)}" for fact in facts)
    return (
        f"{definition.app_id} comes with this notebook ({names}) and wants to "
        f"{'run' if manifest.transport == 'stdio' else 'use'}\n{lines}\n"
        "Start it, now and as long as that manifest stays the same? [y/N] "
    )


def _whole(text: str) -> str:
    """`text` on one line; of a very long one the beginning and the end, and how much lies between."""
    line = clean_line(text, len(text) + 1)
    if len(line) <= _LONGEST:
        return line
    return f"{line[: _LONGEST // 2]} […{len(line) - _LONGEST:,} characters…] {line[-_LONGEST // 2 :]}"
