"""A real JupyterLab server of the tests' own: a free port, own folders, no settings of a person's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError

import psutil

from tests.lean import lean

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_QUIET_LAB = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
}

# Else each page that is loaded makes the server ask Node.js whether extensions want to be built.
_NO_BUILD = {"buildAvailable": False, "buildCheck": False}


def isolated_environment(folder: Path) -> dict[str, str]:
    """Give environment variables with which Jupyter and IPython keep everything below `folder`."""
    return os.environ | {
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "IPYTHONDIR": str(folder / "ipython"),
    }


class LabServer:
    """A JupyterLab server process.

    Parameters
    ----------
    folder : Path
        An empty folder, for everything that the server keeps.
    options : str
        More command-line options of JupyterLab.

    Attributes
    ----------
    url : str
        Where the server listens, without a slash at the end.
    root : Path
        The folder that the server shows.
    config_folder : Path
        Jupyter's configuration of the one who runs the server, read when it starts.
    log : Path
        What server and kernels have written.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        self.root = folder / "notebooks"
        self.root.mkdir(parents=True)
        self.config_folder = folder / "config"
        self.log = folder / "jupyterlab.log"
        self.url = ""
        self._settings_folder = folder / "settings"
        self._runtime_folder = folder / "runtime"
        self._options = options
        #: Counts the changes of settings: a page has those of the time when it was loaded.
        self.settings_version = 0
        self._background = ThreadPoolExecutor(thread_name_prefix="shutting-kernels-down")
        self._going: list[Future[None]] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._env = lean(isolated_environment(folder))
        page_config = self.config_folder / "labconfig" / "page_config.json"
        page_config.parent.mkdir(parents=True)
        page_config.write_text(json.dumps(_NO_BUILD))
        self.restore_settings()

    def start(self, timeout: float = 60) -> None:
        """Start the server and wait until it answers."""
        command = [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
            *("--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", f"--ServerApp.root_dir={self.root}"),
            *("--ServerApp.token=", "--ServerApp.password=", "--ServerApp.disable_check_xsrf=True"),
            *("--LabApp.expose_app_in_browser=True", "--LabApp.extension_manager=readonly"),
            "--JupyterNotebookApp.expose_app_in_browser=True",
            "--LanguageServerManager.autodetect=False",
            *self._options,
        ]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command, env=self._env, cwd=self.root, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        deadline = time.monotonic() + timeout
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"JupyterLab did not start:\n{self.log.read_text(errors='replace')}")
            time.sleep(0.05)

    def stop(self) -> None:
        """End the server, which ends its kernels."""
        self._background.shutdown()
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def change_setting(self, plugin: str, **values: Any) -> None:
        """Set a person's settings of a Lab plugin; pages that are loaded from now on have them."""
        package, _, name = plugin.partition(":")
        file = self._settings_folder / package / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
        self.settings_version += 1

    def restore_settings(self) -> None:
        """Set all of a person's settings back to those that the tests start with."""
        files = [*self._settings_folder.rglob("*.jupyterlab-settings")]
        if {file.stem for file in files} == {plugin.partition(":")[2] for plugin in _QUIET_LAB}:
            return
        for file in files:
            file.unlink()
        for plugin, values in _QUIET_LAB.items():
            self.change_setting(plugin, **values)

    def kernels(self) -> list[dict[str, Any]]:
        """List the running kernels, as the REST API describes them."""
        return self._request("GET", "/api/kernels")

    def kernel_pids(self) -> list[int]:
        """List the process ids of the running kernels."""
        wait(self._going)
        children = psutil.Process(self._process.pid).children()
        return [child.pid for child in children if "ipykernel_launcher" in " ".join(child.cmdline())]

    def shut_down_kernels(self) -> None:
        """End every kernel and its session; they take some seconds, which nobody waits for."""
        going = [self._background.submit(self._shut_down, kernel["id"]) for kernel in self.kernels()]
        self._going = [each for each in self._going if not each.done()] + going

    def _shut_down(self, kernel: str) -> None:
        with suppress(HTTPError):  # it is going already
            self._request("DELETE", f"/api/kernels/{kernel}")

    def _request(self, method: str, path: str) -> Any:
        request = urllib.request.Request(self.url + path, method=method)
        with urllib.request.urlopen(request, timeout=30) as response:
            body = response.read()
        return json.loads(body) if body else None

    def _answers(self) -> bool:
        for info in self._server_infos():
            self.url = info["url"].rstrip("/")
            try:
                self._request("GET", "/api")
            except (OSError, ValueError):
                return False
            return True
        return False

    def _server_infos(self) -> Iterator[dict[str, Any]]:
        """Read what the server has written down about itself, its port among it."""
        for file in self._runtime_folder.glob("jpserver-*.json"):
            try:
                yield json.loads(file.read_text())
            except ValueError:  # still being written
                continue
