"""Where the login of a server is kept: a file of the owner's alone, and never the notebook."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

Json = dict[str, Any]


@dataclass(frozen=True)
class Stored:
    """What is kept of one server's login; every part as JSON, and each may be missing.

    Attributes
    ----------
    client
        Ourselves, as the authorization server registered us (RFC 7591).
    redirect_uri
        Where that registration lets browsers return to: one port of this machine.
    tokens
        The token response (RFC 6749, section 5.1).
    expires_at
        When the access token ends, in seconds since 1970; the response says only how long it lasts.
    resource, authorization_server
        The metadata that led there (RFC 9728 and RFC 8414): a later kernel refreshes by them.
    """

    client: Json | None = None
    redirect_uri: str | None = None
    tokens: Json | None = None
    expires_at: float | None = None
    resource: Json | None = None
    authorization_server: Json | None = None

    @property
    def access_token(self) -> str:
        """The access token, or an empty text."""
        token = (self.tokens or {}).get("access_token")
        return token if isinstance(token, str) else ""

    @property
    def secrets(self) -> list[str]:
        """What must never be shown."""
        values = [(self.tokens or {}).get(key) for key in ("access_token", "refresh_token", "id_token")]
        values.append((self.client or {}).get("client_secret"))
        return [value for value in values if isinstance(value, str) and value]


class LoginFile:
    """The kept login of one server.

    Every kernel of the person shares it. Where the folder cannot be written, the login lasts as long as
    this object.

    Parameters
    ----------
    server_url
        The server's endpoint.
    folder
        Where to keep it; below the Jupyter data folder by default.
    """

    def __init__(self, server_url: str, folder: Path | None = None) -> None:
        self.server_url = server_url
        self._folder = folder
        self._unwritten: Stored | None = None
        #: Every secret seen so far; a token that was replaced must not be shown either.
        self.secrets: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The file."""
        if self._folder is None:
            from jupyter_core.paths import jupyter_data_dir  # 20 ms that an import need not cost

            self._folder = Path(jupyter_data_dir()) / "mcpapps_jupyter" / "oauth"
        host = re.sub(r"[^a-z0-9.-]+", "-", (urlsplit(self.server_url).hostname or "server").lower())[:60]
        return self._folder / f"{host}-{hashlib.sha256(self.server_url.encode()).hexdigest()[:16]}.json"

    @property
    def _place(self) -> str:
        """The server for human readers, without user, password and query."""
        parts = urlsplit(self.server_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def read(self) -> Stored:
        """What is kept; empty where nothing is, or nothing that can be understood."""
        stored = self._unwritten or self._read_file()
        self._keep_secret(stored)
        return stored

    def _read_file(self) -> Stored:
        try:
            kept = json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return Stored()
        return _understood(kept) if isinstance(kept, dict) else Stored()

    def write(self, stored: Stored) -> None:
        """Keep `stored` in place of what was kept.

        Raises
        ------
        OSError
            It cannot be written; this object remembers it all the same.
        """
        self._keep_secret(stored)
        self._unwritten = stored
        folder = self.path.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)  # also one that was made with another umask
        # mkstemp's file is the owner's alone (0600) from the start, and os.replace is seen as a whole.
        handle, name = tempfile.mkstemp(dir=folder, prefix=f".{self.path.name}")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                kept = {key: value for key, value in asdict(stored).items() if value is not None}
                json.dump({"version": 1, "server": self._place, **kept}, file, indent=1)
            os.replace(name, self.path)  # noqa: PTH105
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink(missing_ok=True)
            raise
        self._unwritten = None

    def update(self, **parts: Any) -> None:
        """Keep these `parts` beside what is kept; raises as `write` does."""
        self.write(replace(self.read(), **parts))

    def forget(self) -> bool:
        """Delete what is kept; returns whether there was anything.

        Raises
        ------
        OSError
            The file cannot be deleted.
        """
        there = self._unwritten is not None or self.path.exists()
        self._unwritten = None
        self.path.unlink(missing_ok=True)
        return there

    def _keep_secret(self, stored: Stored) -> None:
        # Replaced as a whole: other threads read it while they mask a text.
        self.secrets = tuple(dict.fromkeys([*self.secrets, *stored.secrets]))


def _understood(kept: Json) -> Stored:
    """The parts of a file that are what they should be."""
    kinds: dict[str, type | tuple[type, ...]] = {"redirect_uri": str, "expires_at": (int, float)}
    parts = {
        field.name: kept[field.name]
        for field in fields(Stored)
        if isinstance(kept.get(field.name), kinds.get(field.name, dict))
    }
    return Stored(**parts)
