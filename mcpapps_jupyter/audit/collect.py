"""Looks at every app as it is now; starts, expands and changes nothing."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from mcpapps_jupyter.app import App
from mcpapps_jupyter.audit.folders import writable_by_others
from mcpapps_jupyter.audit.plain_text import plain_secrets
from mcpapps_jupyter.audit.report import AppAudit, Audit, PageAudit
from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.discovery import search_paths
from mcpapps_jupyter.errors import McpAppsError
from mcpapps_jupyter.manifest import Manifest, resolve_endpoint
from mcpapps_jupyter.redact import redact
from mcpapps_jupyter.views.decisions import Decisions
from mcpapps_jupyter.views.page import Page
from mcpapps_jupyter.views.permissions import ALLOW_TOKENS


def audit_host(apps: Iterable[App], config: McpApps, decisions: Decisions) -> Audit:
    """Look at `apps` and at the configuration."""
    found = tuple(_app(app, config) for app in apps)
    advice = [*_about_config(config), *(line for app in found for line in _about_app(app))]
    return Audit(found, decisions, tuple(advice))


def _app(app: App, config: McpApps) -> AppAudit:
    definition, manifest = app.definition, app.definition.parsed.manifest
    tools = app.catalogue.tools
    pages = app.pages_read
    endpoint, encrypted = _endpoint(manifest)
    secrets = plain_secrets(manifest) if manifest else {}
    places = [definition.path, definition.path.parent] if definition.path is not None else []
    return AppAudit(
        id=app.id,
        state="Invalid" if app.lifecycle.validation_errors else str(app.state),
        source=definition.source,
        file=str(definition.path or ""),
        transport=manifest.transport if manifest else "",
        target=redact(app.hide(_target(app, manifest)), secrets.values()),
        endpoint=endpoint,
        encrypted=encrypted,
        pages=None if pages is None else tuple(_page(app, config, uri, page) for uri, page in pages.items()),
        unannotated=None
        if pages is None
        else tuple(
            tool.name for tool in tools if not {"destructiveHint", "readOnlyHint"} & set(tool.annotations)
        ),
        tools=len(tools),
        approvals=config.approvals_for(app.id),
        plain_secrets=tuple(secrets),
        writable=tuple(_writable(places)),
        problem=app.hide(app.last_error or ""),
    )


def _target(app: App, manifest: Manifest | None) -> str:
    if app.definition.server is not None:
        return f"a server object of this notebook ({type(app.definition.server).__name__})"
    return manifest.target if manifest else ""


def _endpoint(manifest: Manifest | None) -> tuple[str, bool]:
    """The other machine that an http app is reached at, and whether the way there is encrypted."""
    if manifest is None or manifest.transport not in ("http", "sse"):
        return "", True
    try:
        parts = urlsplit(resolve_endpoint(manifest, environ=os.environ)[0])
        host = parts.hostname or ""
    except (McpAppsError, ValueError):
        return "an address that cannot be made out", True
    return ("" if _is_this_machine(host) else host), parts.scheme == "https"


def _is_this_machine(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _page(app: App, config: McpApps, uri: str, page: Page) -> PageAudit:
    policies = config.permissions_for(app.id)
    asked = {
        name: policies.get(name, "deny") if name in ALLOW_TOKENS else "never"
        for name in sorted(page.permissions_asked)
    }
    in_use = {name for view in app.views if view.uri == uri for name in view.permissions}
    return PageAudit(uri, page.csp_asked, page.csp, asked, tuple(sorted(in_use)))


def _writable(places: Iterable[Path]) -> Iterator[str]:
    for place in places:
        who = writable_by_others(place)
        if who is not None:
            yield f"{place}: {who}"


def _about_config(config: McpApps) -> Iterator[str]:
    yield from config.problems
    if config.approvals == "allow":
        yield "McpApps.approvals is 'allow': pages run even destructive tools unasked. Set it to 'auto'."
    for place in search_paths(config, config.notebook_dir()):
        who = writable_by_others(place.path) if place.path.is_dir() else None
        if who is not None:
            yield f"Apps are looked for in {place.path}, where {who} may add some: chmod go-w '{place.path}'"


def _about_app(app: AppAudit) -> Iterator[str]:
    for key in app.plain_secrets:
        place = app.file or "what it was added with"
        yield f"{app.id}: {key} is a secret in plain text in {place}. Write ${{env:NAME}} there instead."
    for place in app.writable:
        path, _, who = place.rpartition(": ")
        yield f"{app.id}: {who} may change what it runs: chmod go-w '{path}'"
    if app.endpoint and not app.encrypted:
        yield f"{app.id}: {app.endpoint} is reached without encryption. Use https."
    if app.approvals.get("*") == "allow":
        yield f"{app.id}: its pages run even destructive tools unasked (approvals: allow)."
    if app.unannotated and app.approvals.get("*") == "auto":
        one = len(app.unannotated) == 1
        silent = (
            "1 tool does not say what it does"
            if one
            else f"{len(app.unannotated)} tools do not say what they do"
        )
        yield (
            f"{app.id}: {silent}, so its pages run {'it' if one else 'them'} unasked. "
            f"To be asked: McpApps.entries = {{'{app.id}': {{'approvals': 'ask'}}}}"
        )
