"""Virtual environments that hold what a package declares and nothing else, made without the internet."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import venv
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class CleanEnvironment:
    """A virtual environment without pip, and without the Node.js of this machine.

    Parameters
    ----------
    folder : Path
        Where to make it.
    project : str
        Name of the package to try there: all that it declares to need is there, as links to what this
        process runs with. It is not there itself.
    also : str
        More packages that are there, with all that they need.

    Attributes
    ----------
    python : Path
        Its interpreter.
    packages : Path
        Its ``site-packages``.
    """

    def __init__(self, folder: Path, project: str, *also: str) -> None:
        venv.create(folder, with_pip=False)
        self.folder = folder
        self.python = folder / "bin" / "python"
        (self.packages,) = folder.glob("lib/python*/site-packages")
        for distribution in _closure([project, *also]):
            if distribution.name != project:
                self._link(distribution)

    def install(self, *arguments: str) -> None:
        """Install with pip, from what is on this machine."""
        offline = ["--no-index", "--no-deps", "--no-build-isolation", "--quiet"]
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", *offline]
        subprocess.run([*pip, *arguments], check=True)

    def run(self, code: str) -> str:
        """Run Python code there, in a folder that has nothing of the project, and give what it printed."""
        env = {"PATH": str(self.python.parent), "HOME": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [str(self.python), "-c", code]
        done = subprocess.run(command, env=env, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _link(self, distribution: importlib.metadata.Distribution) -> None:
        first_parts = {file.parts[0] for file in distribution.files or []}
        for top in first_parts - {"..", "__pycache__"}:
            link = self.packages / top
            if not link.exists():  # packages may share a folder
                link.symlink_to(str(distribution.locate_file(top)))


def _closure(names: Iterable[str]) -> list[importlib.metadata.Distribution]:
    """Find the installed packages that `names` need, themselves included."""
    found: dict[str, importlib.metadata.Distribution] = {}
    queue = [Requirement(name) for name in names]
    while queue:
        requirement = queue.pop()
        extras = requirement.extras or {""}
        key = f"{requirement.name.lower()}[{','.join(sorted(extras))}]"
        if key in found:
            continue
        found[key] = importlib.metadata.distribution(requirement.name)
        for text in found[key].requires or []:
            needed = Requirement(text)
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras):
                queue.append(needed)
    return list(found.values())
