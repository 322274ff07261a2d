"""Everything there is to know about one app, at one moment; asking starts and expands nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mcpapps_jupyter import html
from mcpapps_jupyter.errors import ManifestInvalid
from mcpapps_jupyter.manifest.model import KEYS
from mcpapps_jupyter.redact import clean_line

if TYPE_CHECKING:
    from mcpapps_jupyter.app import App
    from mcpapps_jupyter.connection import Connection
    from mcpapps_jupyter.manifest import Manifest

_LONGEST_ROW = 2000
_OFFERS = ("tools", "resources", "prompts")


@dataclass(frozen=True)
class Timeout:
    """A time limit and where it comes from.

    Attributes
    ----------
    seconds
        The limit.
    origin
        ``default``, the manifest, or the configuration's entry.
    """

    seconds: float
    origin: str

    def __str__(self) -> str:
        return f"{self.seconds:g} s ({self.origin})"


@dataclass(frozen=True)
class AppInfo:
    """One app as it is now. Draws itself as a table; every text has the app's secrets masked.

    Attributes
    ----------
    id, name, description, version, author, license, homepage, category, tags, icon
        As the manifest says.
    prefix
        What stands before its tools' names for models.
    source, file
        The kind of place it comes from, and its manifest.
    transport, target, folder, environment
        How its server is reached: command line, address or entry point, nothing expanded; where a command
        runs, if that is said; and the names of the variables or headers that it is given.
    origins
        Where each value comes from, by manifest key: ``default``, ``manifest``, ``as it was added``, or
        ``configuration`` (its entry of McpApps.entries).
    state, since
        Where it is in its life, since when (UTC).
    protocol, declared_protocol, negotiation
        The MCP version that was negotiated (None before the first start), the manifest's, and how it is
        negotiated: ``auto``, ``legacy`` or a version.
    server, capabilities
        What the server said about itself.
    counts
        How many tools, resources, resource templates and prompts it listed; empty before the first start.
    pages
        Its tools with a page, and the page's address.
    timeouts
        By manifest key.
    warnings
        What is odd about manifest, connection and listings.
    last_error, stderr
        Why it failed, and the last lines of its stderr.
    login
        Whether a login at its server is kept, and how to forget it.
    roots
        The folders that it is told of (MCP roots).
    shadows
        Manifests of the same id, which do not count.
    """

    id: str
    name: str
    description: str
    version: str
    author: str
    license: str
    homepage: str
    category: str
    tags: tuple[str, ...]
    icon: str
    source: str
    file: str
    transport: str
    target: str
    environment: tuple[str, ...]
    state: str
    since: datetime
    protocol: str | None
    declared_protocol: str
    server: str
    capabilities: tuple[str, ...]
    counts: Mapping[str, int]
    pages: Mapping[str, str]
    timeouts: Mapping[str, Timeout]
    warnings: tuple[str, ...]
    last_error: str | None
    stderr: tuple[str, ...]
    prefix: str = ""
    folder: str = ""
    negotiation: str = "auto"
    origins: Mapping[str, str] = field(default_factory=dict)
    login: str = ""
    roots: tuple[str, ...] = ()
    shadows: tuple[str, ...] = ()

    def rows(self) -> list[tuple[str, list[str]]]:
        """What is shown: a title and its lines."""
        declared = f"{self.declared_protocol} in the manifest" if self.declared_protocol else ""
        given = {
            "id": [self.id],
            "name": [self.name if self.name != self.id else ""],
            "what it is": [self.description],
            "version": [self.version],
            "author": [" · ".join(filter(None, (self.author, self.license, self.homepage)))],
            "category": [self.category],
            "tags": [", ".join(self.tags)],
            "icon": ["" if self.icon.startswith("data:") else self.icon],
            "state": [f"{self.state} since {self.since.astimezone():%Y-%m-%d %H:%M:%S}"],
            "last error": [self.last_error or ""],
            "stderr": list(self.stderr),
            "source": [f"{self.source}: {self.file}" if self.file else self.source],
            "shadows": list(self.shadows),
            "transport": [self._marked(self.transport, "transport")],
            "server": [self._marked(self.target, "command", "arguments", "url", "entryPoint")],
            "runs in": [self._marked(self.folder, "workingDirectory")],
            "is given": [self._marked(", ".join(self.environment), "environment", "headers")],
            "prefix": [self._marked(self.prefix, "toolNamePrefix")],
            "roots": [", ".join(self.roots)],
            "login": [self.login],
            "protocol": [", ".join(filter(None, (self.protocol, declared)))],
            "negotiation": [f"{self.negotiation} ({self.origins.get('protocol', 'default')})"],
            "says it is": [self.server],
            "can do": [", ".join(self.capabilities)],
            "offers": [", ".join(f"{count} {what}" for what, count in self.counts.items())],
            "pages": [f"{tool}: {uri}" if tool else uri for tool, uri in self.pages.items()],
            "timeouts": [f"{key}: {timeout}" for key, timeout in self.timeouts.items()],
            "warnings": list(self.warnings),
        }
        shown = (
            (title, [clean_line(line, _LONGEST_ROW) for line in lines]) for title, lines in given.items()
        )
        return [(title, lines) for title, lines in shown if any(lines)]

    def _marked(self, text: str, *keys: str) -> str:
        """`text`, with a mark where the configuration has changed it."""
        changed = [key for key in keys if self.origins.get(key) == "configuration"]
        if not changed:
            return text
        what = f"{', '.join(changed)}: " if len(keys) > 1 and len(changed) < len(keys) and text else ""
        return f"{text or 'none'} ({what}configuration)"

    def __repr__(self) -> str:
        rows = self.rows()
        width = max(len(title) for title, _ in rows)
        return "\n".join(
            f"{title if first else '':{width}}  {line}".rstrip()
            for title, lines in rows
            for first, line in zip([True] + [False] * len(lines), lines, strict=False)
        )

    def _repr_html_(self) -> str:
        body = "".join(
            f'<tr><th style="text-align:left;vertical-align:top">{html.escape(title)}</th>'
            f'<td style="text-align:left">{"<br>".join(map(html.escape, lines))}</td></tr>'
            for title, lines in self.rows()
        )
        picture = html.icon(self.icon, 48)
        return f"{picture}<table><tbody>{body}</tbody></table>"


def describe(app: App, connection: Connection | None, roots: Sequence[str]) -> AppInfo:
    """What there is to know about `app`, with `connection` as its last one and the folders it is told of."""
    definition, manifest = app.definition, app.definition.parsed.manifest
    hide = app.hide
    facts = _facts(app, manifest)
    icon = str(facts.get("icon_url") or "")
    catalogue = app.catalogue
    listed = connection is not None and connection.protocol_version is not None
    counts = {
        "tools": len(catalogue.tools),
        "resources": len(catalogue.resources),
        "resource templates": len(catalogue.templates),
        "prompts": len(catalogue.prompts),
    }
    pages = {tool.name: tool.ui.resource_uri or "" for tool in catalogue.pages}
    if not pages and facts.get("ui_resource_uri"):
        pages = {"": str(facts["ui_resource_uri"])}
    return AppInfo(
        id=app.id,
        name=app.name,
        description=str(facts.get("description") or ""),
        version=str(facts.get("version") or ""),
        author=str(facts.get("author") or ""),
        license=str(facts.get("license") or ""),
        homepage=str(facts.get("homepage_url") or ""),
        category=str(facts.get("category") or ""),
        tags=tuple(facts.get("tags") or ()),
        icon=icon,
        source=definition.source,
        file=str(definition.path or ""),
        transport=manifest.transport if manifest else "",
        target=hide(_target(app, manifest)),
        environment=tuple(facts.get("environment") or ()) + tuple(facts.get("headers") or ()),
        state="Invalid" if app.lifecycle.validation_errors else str(app.state),
        since=app.lifecycle.state_changed_at,
        protocol=connection.protocol_version if connection else None,
        declared_protocol=str(facts.get("protocol_version") or ""),
        server=hide(_server(connection.server_info)) if connection else "",
        capabilities=tuple(_capabilities(connection.capabilities)) if connection else (),
        counts=counts if listed else {},
        pages=pages,
        timeouts=_timeouts(app, manifest),
        warnings=tuple(map(hide, _warnings(app, connection if listed else None))),
        last_error=hide(app.last_error) if app.last_error else None,
        stderr=tuple(map(hide, app.log.stderr_tail())),
        prefix=app.prefix,
        folder=str(facts.get("working_directory") or ""),
        negotiation=(manifest.protocol if manifest else None) or "auto",
        origins=_origins(app, manifest),
        login=_login(app),
        roots=tuple(roots),
        shadows=tuple(app.shadows),
    )


def _facts(app: App, manifest: Manifest | None) -> dict[str, Any]:
    """What the manifest itself says; a default says nothing about an app."""
    if manifest is None:
        return {}
    parsed = app.definition.parsed
    said = parsed.provided | parsed.overridden
    return {field: getattr(manifest, field) for key, field in KEYS.items() if key in said}


def _login(app: App) -> str:
    try:
        kept = app.login is not None and app.login.read().access_token
    except ManifestInvalid:
        return ""
    return f"its tokens are kept; host[{app.id!r}].forget_login() forgets them" if kept else ""


def _target(app: App, manifest: Manifest | None) -> str:
    if app.definition.server is not None:
        return f"a server object of this notebook ({type(app.definition.server).__name__})"
    return manifest.target if manifest else ""


def _server(said: Mapping[str, Any]) -> str:
    name = str(said.get("title") or said.get("name") or "")
    return f"{name} {said.get('version') or ''}".strip()


def _capabilities(said: Mapping[str, Any]) -> Iterable[str]:
    for key, value in said.items():
        if key in ("extensions", "experimental") and isinstance(value, Mapping):
            yield from (str(name) for name in value)
        else:
            fine = [name for name, on in value.items() if on is True] if isinstance(value, Mapping) else []
            yield f"{key} ({', '.join(fine)})" if fine else str(key)


def _origins(app: App, manifest: Manifest | None) -> dict[str, str]:
    """Where the value of each key of the manifest comes from."""
    if manifest is None:
        return {}
    parsed = app.definition.parsed
    given = "as it was added" if app.definition.path is None else "manifest"

    def origin(key: str) -> str:
        if key in parsed.overridden:
            return "configuration"
        return "as it was added" if key in parsed.added else given if key in parsed.provided else "default"

    return {key: origin(key) for key in KEYS}


def _timeouts(app: App, manifest: Manifest | None) -> dict[str, Timeout]:
    if manifest is None:
        return {}
    origins = _origins(app, manifest)
    seconds = {
        "startupTimeoutSeconds": manifest.effective_startup_seconds,
        "requestTimeoutSeconds": manifest.request_timeout_seconds,
    }
    return {key: Timeout(value, origins[key]) for key, value in seconds.items()}


def _warnings(app: App, connection: Connection | None) -> Iterable[str]:
    yield from app.definition.parsed.warnings
    if app.pending is not None:
        yield "its manifest changed; the next start uses the new one"
    if connection is None:
        return
    yield from connection.notes
    yield from connection.catalogue.warnings
    manifest = app.definition.parsed.manifest
    if manifest is None or "capabilities" not in app.definition.parsed.provided:
        return
    for each in _OFFERS:
        declared, offered = each in manifest.capabilities, each in connection.capabilities
        if declared and not offered:
            yield f'the manifest declares "{each}", the server does not offer them'
        if offered and not declared:
            yield f'the server offers {each}, "capabilities" of the manifest does not say so'
