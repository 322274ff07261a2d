"""The first start of code that came with the notebook: shown, asked about, remembered by content."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.definition import Definition
from mcpapps_jupyter.discovery import TrustStore, unconfirmed
from mcpapps_jupyter.errors import AppDisabled
from mcpapps_jupyter.manifest import secret_values
from mcpapps_jupyter.redact import clean_line, redact


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
    names = " and ".join(str(file.path) for file in files)
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
    manifest = definition.manifest
    if manifest.transport == "stdio":
        what = " ".join([manifest.command or "", *manifest.arguments]).replace("${python}", sys.executable)
    else:
        what = manifest.url or manifest.entry_point or ""
    what = clean_line(redact(what, secret_values(manifest, environ=os.environ)), 2000)
    return (
        f"{definition.app_id} comes with this notebook ({names}) and wants to run\n    {what}\n"
        f"in {definition.directory}. Start it, now and as long as that manifest stays the same? [y/N] "
    )
