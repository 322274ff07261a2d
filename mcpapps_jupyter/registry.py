"""All apps: found on disk, added in cells, looked up by id. Listing starts and expands nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mcpapps_jupyter import html
from mcpapps_jupyter.app import App, Services
from mcpapps_jupyter.catalogue import Listing
from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.definition import Definition
from mcpapps_jupyter.discovery import Found, SearchPath, TrustStore, scan, search_paths
from mcpapps_jupyter.errors import AmbiguousApp, AppDisabled, UnknownApp, did_you_mean
from mcpapps_jupyter.lifecycle import State
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.tabular import amount


@dataclass
class ScanReport:
    """What one look for manifests found.

    Attributes
    ----------
    added, changed, vanished
        App ids. A running app whose manifest changed keeps running; its next start uses the new one.
    problems
        Folders that could not be read, in words.
    shadowed
        Manifests that do not count, because another app has their id; in words.
    """

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    vanished: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    shadowed: list[str] = field(default_factory=list)
    total: int = 0

    def __repr__(self) -> str:
        parts = [amount(self.total, "app")]
        parts += [
            f"{word}: {', '.join(ids)}"
            for word, ids in (("new", self.added), ("changed", self.changed), ("gone", self.vanished))
            if ids
        ]
        return "; ".join([*parts, *self.shadowed, *self.problems])


class Registry:
    """The kernel's apps by id.

    Parameters
    ----------
    config
        Where to look, what is allowed, per-app overrides.
    services
        What every app shares.
    trust
        Which workspace manifests were confirmed: those may take the place of an installed app.
    """

    def __init__(self, config: McpApps, services: Services, trust: TrustStore) -> None:
        self._config = config
        self._trust = trust
        self._services = services
        self._apps: dict[str, App] = {}
        self._lock = threading.RLock()
        self._switched_off: set[str] = set()
        self._extra: list[Path] = []
        self._last = ScanReport()

    # -- finding -------------------------------------------------------------------------------

    def scan(self, extra: Sequence[Path] = ()) -> ScanReport:
        """Look for manifests; running apps keep running, new ones come in, vanished ones are marked.

        Parameters
        ----------
        extra
            Further folders; later scans look there too.
        """
        report = ScanReport()
        self._extra += [path for path in extra if path not in self._extra]
        places = search_paths(self._config, self._config.notebook_dir(), report.problems.append)
        places += [SearchPath(path, "configured") for path in self._extra]
        found, problems = scan(places, self._config.entries, is_trusted=self._trust.is_trusted)
        report.problems += problems
        self._services.thread.on_sessions(self._merge, found, report)
        return report

    def _merge(self, found: Sequence[Found], report: ScanReport) -> None:
        """Take in what was found; where sessions live, so that no app moves meanwhile."""
        with self._lock:
            self._last = report
            for app in self._apps.values():
                app.shadows = []
            seen = {self._take(each, report) for each in found if each.shadowed_by is None}
            for each in found:
                if each.shadowed_by is not None:
                    self._shadow(each, str(each.shadowed_by), report)
            for app in list(self._apps.values()):
                if app.definition.source == "added":
                    self._override_again(app)
                    self._judge_here(app)
                app.vanished = app.id not in seen and app.definition.source != "added"
                if app.vanished:
                    report.vanished.append(app.id)
                    if app.state in (State.VALIDATED, State.DISCOVERED):  # what happened to others is kept
                        del self._apps[app.id]
            report.total = len(self._apps)

    def _take(self, found: Found, report: ScanReport) -> str:
        app_id = found.parsed.id or self._free_name(found)
        definition = Definition(app_id, found.parsed, found.directory, found.source, found.path, found.digest)
        known = self._apps.get(app_id)
        if known is None:
            known = self._apps[app_id] = App(definition, self._services)
            report.added.append(app_id)
        elif known.definition.source == "added":
            if found.path != known.definition.path:
                self._shadow(found, "the app that was added here", report)
            return app_id  # a cell's own app stays; its author asked for it by name
        elif known.definition.same_as(definition):
            known.pending = None
        elif known.state not in (State.RUNNING, State.LOADED):
            report.changed.append(app_id)
            known.redefine(definition)
        elif known.pending is None or not known.pending.same_as(definition):
            report.changed.append(app_id)
            known.pending = definition
        self._judge_here(known)
        return app_id

    def _shadow(self, found: Found, by: str, report: ScanReport) -> None:
        """Note that a manifest does not count."""
        report.shadowed.append(f"{found.parsed.id}: {found.path} is shadowed by {by}")
        folded = (found.parsed.id or "").casefold()
        for app in self._apps.values():
            if app.id.casefold() == folded:
                app.shadows.append(str(found.path))

    def _override_again(self, app: App) -> None:
        """Take the configuration's entry, as it is by now, for an app that no scan finds."""
        definition = app.definition
        parsed = definition.parsed
        if parsed.again is None:
            return
        parsed = parsed.again(self._config.entry(app.id))
        if parsed == definition.parsed:
            app.pending = None
            return
        changed = replace(definition, parsed=parsed)
        if app.state in (State.RUNNING, State.LOADED):
            app.pending = changed
        else:
            app.redefine(changed)

    def _free_name(self, found: Found) -> str:
        """An id to list a manifest by that has none that is usable: its folder's name."""
        taken = {app.definition.path for app in self._apps.values() if app.id == found.directory.name}
        if found.path in taken or not taken:
            return found.directory.name
        return str(found.path or found.directory)

    def judge(self, app: App) -> None:
        """Move an app that does not run to where manifest and configuration put it."""
        self._services.thread.on_sessions(self._judge_here, app)

    def _judge_here(self, app: App) -> None:
        if app.state in (State.RUNNING, State.LOADED):
            return
        reason = self._config.policy_reason(app.id)
        if reason is None and app.id in self._switched_off:
            reason = f"it was switched off in this kernel; switch it on with: %mcpapp enable {app.id}"
        if reason is not None:
            app.lifecycle.refuse([reason])
        elif app.definition.parsed.manifest is None:
            if app.state in (State.STOPPED, State.FAILED):
                app.lifecycle.to(State.VALIDATED)
            app.lifecycle.invalidate(app.definition.parsed.errors)
        elif app.state in (State.DISCOVERED, State.DISABLED):
            app.lifecycle.to(State.VALIDATED)

    def add(self, definition: Definition) -> App:
        """Add an app from a cell, or give the one of the same id another definition; handles stay valid.

        The same definition again changes nothing and keeps the session, so a cell can be run
        again. A server that runs with another definition is stopped.
        """
        thread = self._services.thread
        with self._lock:
            app = self._apps.get(definition.app_id)
            if app is None:
                app = self._apps[definition.app_id] = App(definition, self._services)
        if app.definition.same_as(definition):
            app.pending = None
        elif app.pending is not None and app.pending.same_as(definition):
            pass  # the configuration's entry has changed since; the next start takes it
        elif app.definition is not definition:
            thread.run(app.take_over(definition))
        app.vanished = False
        self.judge(app)
        return app

    def disable(self, app: App) -> None:
        """Refuse every start of an app until `enable`, in this kernel only; the caller stops it first."""
        self._switched_off.add(app.id)
        self.judge(app)

    def enable(self, app: App) -> None:
        """Undo `disable`.

        Raises
        ------
        AppDisabled
            The configuration refuses the app too.
        """
        self._switched_off.discard(app.id)
        self.judge(app)
        if app.lifecycle.policy_reasons:
            raise AppDisabled(f"{app.id} stays disabled: {'; '.join(app.lifecycle.policy_reasons)}")

    def remove(self, app: App) -> None:
        """Take an app out; the caller stops it first."""
        with self._lock:
            self._switched_off.discard(app.id)
            self._apps.pop(app.id, None)

    # -- looking up ------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[App]:
        with self._lock:
            return iter(sorted(self._apps.values(), key=lambda app: app.id.casefold()))

    def __len__(self) -> int:
        return len(self._apps)

    def ids(self) -> list[str]:
        """Every id, in order."""
        return [app.id for app in self]

    def find(self, app_id: str) -> App | None:
        """The app of exactly this id, or None."""
        return self._apps.get(app_id)

    def get(self, name: str) -> App:
        """The app of this id: exact, then in any case, then by unique prefix.

        Raises
        ------
        UnknownApp
            With the nearest ids.
        AmbiguousApp
            Several ids begin so.
        """
        with self._lock:
            if name in self._apps:
                return self._apps[name]
            folded = name.casefold()
            hits = [app for app in self if app.id.casefold() == folded]
            hits = hits or ([app for app in self if app.id.casefold().startswith(folded)] if folded else [])
        if len(hits) == 1:
            return hits[0]
        if hits:
            raise AmbiguousApp(f"{name!r} fits several apps: {', '.join(app.id for app in hits)}")
        hint = did_you_mean(name, self.ids()) or " See: %mcpapp list"
        raise UnknownApp(f"There is no app {name!r}.{hint}")

    def listing(
        self,
        apps: Iterable[App] | None = None,
        *,
        state: str | None = None,
        tag: str | None = None,
        capability: str | None = None,
        has_ui: bool | None = None,
    ) -> Listing[App]:
        """The apps (or those given) as a table, optionally only some of them.

        Parameters
        ----------
        state
            Any of `State`, or ``Invalid``: a broken manifest.
        tag
            One of the manifest's tags, in any case.
        capability
            What the server offers (``tools``, ``prompts``, …) or, before its first start, what the manifest
            declares.
        has_ui
            Whether the app brings a page.
        """
        among = self if apps is None else apps
        shown = [
            app
            for app in among
            if _has_state(app, state)
            and _has_tag(app, tag)
            and (capability is None or capability.casefold() in map(str.casefold, capabilities(app)))
            and (has_ui is None or brings_page(app) is has_ui)
        ]
        filtered = any(each is not None for each in (state, tag, capability, has_ui))
        head = ("id", "name", "state", "transport", "tools", "UI", "source")
        return Listing(shown, head=head, row=_row, empty=_nothing(filtered), notes=self.notes(), drawn=_drawn)

    def notes(self) -> list[str]:
        """What is wrong with the configuration or was in the way of the last scan, one line each."""
        return [*self.problems(), *self._last.problems, *self._last.shadowed]

    def problems(self) -> list[str]:
        """What is wrong with the configuration, one line each."""
        known = {app_id.casefold() for app_id in self._apps}
        strangers = [name for name in self._config.entries if str(name).casefold() not in known]
        return [
            *self._config.problems,
            *(
                f"McpApps.entries: there is no app {name!r}.{did_you_mean(str(name), self.ids())}"
                for name in strangers
            ),
        ]


def shown_state(app: App) -> str:
    """The state as the list shows it: an app whose manifest is broken is *Invalid*."""
    return "Invalid" if app.lifecycle.validation_errors else str(app.state)


def brings_page(app: App) -> bool:
    """Whether the app has a page, by its server's list or its manifest."""
    manifest = app.definition.parsed.manifest
    return bool(app.catalogue.pages) or bool(manifest and (manifest.has_ui or manifest.ui_resource_uri))


def capabilities(app: App) -> tuple[str, ...]:
    """What the app offers, as its server said, or before its first start its manifest."""
    manifest = app.definition.parsed.manifest
    return app.capabilities or (manifest.capabilities if manifest else ())


def _row(app: App) -> list[str]:
    manifest = app.definition.parsed.manifest
    count = str(len(app.catalogue.tools)) if app.catalogue.tools else ""
    state = shown_state(app)
    reason = app.last_error if state in ("Invalid", "Failed", "Disabled") else None
    transport = manifest.transport if manifest else ""
    shown = f"{state}: {app.hide(reason)}" if reason else state
    source = f"{app.definition.source}, gone" if app.vanished else app.definition.source
    return [app.id, app.name, shown, transport, count, "yes" if brings_page(app) else "", source]


def _drawn(app: App) -> dict[int, str]:
    """The name with the app's icon, its page and its author."""
    manifest = app.definition.parsed.manifest
    if manifest is None:
        return {}
    name = html.link(manifest.homepage_url or "", clean_line(app.name, 200))
    picture = html.icon(manifest.icon_url or "", 16)
    author = f"<br><small>{html.escape(clean_line(manifest.author, 200))}</small>" if manifest.author else ""
    return {1: f"{picture}{' ' if picture else ''}{name}{author}"}


def _has_state(app: App, state: str | None) -> bool:
    return state is None or shown_state(app).casefold() == state.casefold()


def _has_tag(app: App, tag: str | None) -> bool:
    manifest = app.definition.parsed.manifest
    return tag is None or bool(manifest and tag.casefold() in (each.casefold() for each in manifest.tags))


def _nothing(filtered: bool) -> str:
    if filtered:
        return "No app fits that filter."
    return "No apps yet. Add one: %mcpapp add ID -- COMMAND ARG…"
