"""The first start of code that came with the notebook: shown, asked about, remembered by content."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.discovery import CodeFile, TrustStore, unconfirmed
from mcpapps_jupyter.errors import AppDisabled

if TYPE_CHECKING:
    from mcpapps_jupyter.app import App


def require_consent(app: App, config: McpApps, store: TrustStore, ask: Callable[[str], str] = input) -> None:
    """Let the person confirm the files that decide what `app` runs, where that is still to be done.

    Raises
    ------
    AppDisabled
        Nobody is there to be asked, or the answer was no.
    """
    definition = app.definition
    files = unconfirmed(
        app.id, definition.source, definition.path, definition.digest, config=config, store=store
    )
    if not files:
        return
    names = " and ".join(str(file.path) for file in files)
    # A prompt belongs to the thread that runs cells; a page's call never asks for this.
    if config.is_headless() or threading.current_thread() is not threading.main_thread():
        raise AppDisabled(
            f"{app.id} comes with this notebook ({names}) and was never confirmed. Start it once in a "
            f"notebook, %mcpapp start {app.id}, or name its folder in McpApps.trusted_paths."
        )
    try:
        answer = ask(_question(app, files, names))
    except (EOFError, RuntimeError, OSError):  # nobody there after all
        answer = ""
    if answer.strip().lower() not in ("y", "yes"):
        raise AppDisabled(f"{app.id} was not started: {names} was not confirmed.")
    for file in files:
        store.trust(file.path, file.digest)


def _question(app: App, files: list[CodeFile], names: str) -> str:
    manifest = app.manifest
    if manifest.transport == "stdio":
        what = " ".join([manifest.command or "", *manifest.arguments])
    else:
        what = manifest.url or manifest.entry_point or ""
    return (
        f"{app.id} comes with this notebook ({names}) and wants to run\n    {app.hide(what)}\n"
        f"Start it, now and as long as the {'file' if len(files) == 1 else 'files'} stay the same? [y/N] "
    )
