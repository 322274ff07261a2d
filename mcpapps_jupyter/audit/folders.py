"""Whether somebody else on this machine may change what an app runs."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def writable_by_others(path: Path) -> str | None:
    """Say who else may change a file, or add files to a folder; None where nobody else may.

    Windows says that in another way, which is not looked at.
    """
    if os.name != "posix":
        return None
    try:
        status = path.stat()
    except OSError:
        return None
    if status.st_mode & stat.S_IWOTH:
        return "everybody on this machine"
    # Many systems give each person a group of their own, and make what it has group-writable.
    if status.st_mode & stat.S_IWGRP and status.st_gid not in (os.getegid(), 0):
        return f"the group {_group(status.st_gid)}"
    if status.st_uid not in (os.geteuid(), 0):
        return f"the user {_user(status.st_uid)}"
    return None


def _group(number: int) -> str:
    import grp

    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def _user(number: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
