"""Reading a file that may turn out to be a device, a pipe or without end."""

from __future__ import annotations

import stat
from pathlib import Path

MAX_BYTES = 1024 * 1024
"""Largest manifest, in bytes."""


def file_content(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Read a regular file of at most `limit` bytes.

    Raises
    ------
    OSError
        It cannot be read, is something else or is larger; the reason is in ``strerror``.
    """
    if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for a writer
        raise OSError(0, "not a regular file")
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(0, f"larger than {limit // 1024} KiB")
    return data
