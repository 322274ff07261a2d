"""The settings, as traitlets, and the questions that others ask them."""

from __future__ import annotations

import fnmatch
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from traitlets import All as EveryTrait
from traitlets import Bool, Dict, Float, Int, List, TraitError, Unicode
from traitlets.config import Config, Configurable

from mcpapps_jupyter.config.files import LAUNCH_KEYS, FileSettings, find_file, merged, read_file, tightened
from mcpapps_jupyter.errors import InvalidArguments, did_you_mean
from mcpapps_jupyter.manifest import ENTRY_KEYS, canonical

APPROVALS = ("auto", "ask", "allow", "deny")
"""Approval policies of pages' tool calls."""

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "approvals": APPROVALS,
    "allowlist_semantics": ("legacy", "strict"),
}
_MEBI = 1024 * 1024
# A camera or microphone cannot work in a frame that has no origin of its own.
_NEVER_GRANTED = frozenset({"camera", "microphone"})


class McpApps(Configurable):
    """Settings of MCP Apps in this kernel.

    Set them with ``%config McpApps.allow = ["grocery*"]``, in ``ipython_kernel_config.py``
    (``c.McpApps.allow = …``), in ``mcpapps.json`` beside the notebook or in the Jupyter config folder, or
    with ``mcpapps.configure(…)``. Python and ``%config`` win over the IPython configuration, that over the
    file beside the notebook, that over the one in the Jupyter config folder.

    Parameters
    ----------
    read_files : bool
        Whether to look at the JSON files.
    **kwargs
        As for any Configurable: ``parent``, ``config``, or settings by name.
    """

    enabled = Bool(True, help="Master switch; off, no app may start.").tag(config=True)
    discovery_paths = List(
        Unicode(),
        ["./mcpapps"],
        help="Folders with manifests, searched after the bundled and installed apps. Relative ones start at "
        "the notebook's folder; ~ and ${env:NAME} are expanded.",
    ).tag(config=True)
    # Not Enum traits: traitlets would log a bad value and go on with the old one, which allows more than
    # was meant. They are checked where they are used, and a bad one allows nothing.
    allowlist_semantics = Unicode(
        "legacy", help="'legacy': an empty allow list allows all apps; 'strict': none."
    ).tag(config=True)
    allow = List(Unicode(), help="Ids of apps that may start; * ? […] as in file names, any case.").tag(
        config=True
    )
    deny = List(Unicode(), help="Ids of apps that may not start; wins over allow.").tag(config=True)
    entries = Dict(
        help=f"Per-app settings by id, in any case: {{'grocery-inventory': {{'enabled': False}}}}; "
        f"keys: {', '.join(ENTRY_KEYS)}."
    ).tag(config=True)
    trusted_paths = List(
        Unicode(),
        help="Files and folders whose manifests may start without asking; needed where nobody can be asked.",
    ).tag(config=True)

    approvals = Unicode(
        "auto",
        help="Tool calls that pages make. 'auto': only tools that the server marks destructive ask; 'ask': "
        "every view asks; 'allow': none asks; 'deny': only read-only tools may be called.",
    ).tag(config=True)
    approval_timeout = Float(
        120.0, min=1, help="Seconds without an answer after which a question counts as no."
    ).tag(config=True)
    permissions = Dict(
        {"clipboardWrite": "allow", "geolocation": "ask"},
        help="What pages may use: 'allow', 'ask' or 'deny' by permission; never camera and microphone.",
    ).tag(config=True)
    headless = Bool(
        None,
        allow_none=True,
        help="Whether nobody can be asked; found out by itself when None. MCPAPPS_HEADLESS=1 sets it too.",
    ).tag(config=True)
    allow_nested_calls = Bool(
        False,
        help="Let blocking calls be made on the host's own loop, by nest_asyncio, which patches asyncio for "
        "the whole process.",
    ).tag(config=True)
    roots = List(
        Unicode(),
        help="Folders shown to servers as roots; empty: the notebook's folder, to local servers only. "
        "Relative ones start there; ~ and ${env:NAME} are expanded.",
    ).tag(config=True)

    open_wait = Float(10.0, min=0, help="Seconds that open waits for the tool's result.").tag(config=True)
    view_ttl = Float(
        None, allow_none=True, min=1, help="Seconds after which a view ends; None: with the kernel."
    ).tag(config=True)
    max_views = Int(32, min=1, help="Most views at a time; the oldest goes first.").tag(config=True)
    max_resource_bytes = Int(8 * _MEBI, min=1, help="Largest page, in bytes.").tag(config=True)
    max_view_bytes = Int(
        16 * _MEBI, min=1, help="Most bytes of a view: page, opening arguments, result."
    ).tag(config=True)
    max_total_bytes = Int(128 * _MEBI, min=1, help="Most bytes of all views together.").tag(config=True)
    max_message_bytes = Int(
        64 * _MEBI, min=64 * 1024, max=64 * _MEBI, help="Largest message between page and kernel, in bytes."
    ).tag(config=True)
    max_context_bytes = Int(
        6 * _MEBI, min=1, help="Most bytes of what the pages of an app tell the model, together."
    ).tag(config=True)
    max_running_calls = Int(4, min=1, help="Requests of a page that run at once.").tag(config=True)
    max_queued_calls = Int(512, min=0, help="Requests of a page that wait.").tag(config=True)
    max_calls_per_minute = Int(1200, min=1, help="Tool calls of a page in a minute.").tag(config=True)
    max_call_burst = Int(200, min=1, help="Tool calls of a page at once.").tag(config=True)
    max_notifications_per_second = Int(100, min=1, help="Notifications of a page in a second.").tag(
        config=True
    )
    max_user_messages_per_minute = Int(10, min=1, help="Messages to the user of a page in a minute.").tag(
        config=True
    )

    def __init__(self, *, read_files: bool = True, **kwargs: Any) -> None:
        self._folder = _notebook_folder()
        self._from_workspace: set[str] = set()
        self._problems: list[str] = []
        self._broken: str | None = None
        self._workspace_file: FileSettings | None = None
        values = self._read_files() if read_files else {}
        parent, config = kwargs.get("parent"), kwargs.pop("config", None)
        config = config if config is not None else parent.config if parent is not None else Config()
        section = Config(values)
        if config._has_section("McpApps"):
            section.merge(config["McpApps"])
            self._from_workspace -= set(config["McpApps"])
        super().__init__(config=Config({"McpApps": section}), **kwargs)
        self.observe(self._set_by_user, EveryTrait)

    # -- files ---------------------------------------------------------------------------------

    def _read_files(self) -> dict[str, Any]:
        from jupyter_core.paths import jupyter_config_dir  # 20 ms that an import need not cost

        names = tuple(self.trait_names(config=True))
        values: dict[str, Any] = {}
        for folder, beside_notebook in ((Path(jupyter_config_dir()), False), (self._folder, True)):
            path = find_file(folder)
            if path is None:
                continue
            settings = read_file(path, names, beside_notebook=beside_notebook)
            self._problems += settings.problems
            if settings.broken:
                self._broken = self._broken or settings.problems[0]
            good = self._checked(settings)
            if beside_notebook:
                good = tightened(values, good)
            values = merged(values, good)
            if beside_notebook:
                self._workspace_file = settings
                self._from_workspace = set(good)
        return values

    def _checked(self, settings: FileSettings) -> dict[str, Any]:
        good: dict[str, Any] = {}
        for name, value in settings.values.items():
            complaint = _complaint(self, name, value)
            if complaint is None:
                good[name] = value
                continue
            problem = f'{settings.places[name]}: "{name}": {complaint}'
            self._problems.append(problem)
            if name in ("enabled", "allow", "deny", "entries"):
                self._broken = self._broken or problem
        return good

    def _set_by_user(self, change: Any) -> None:
        self._from_workspace.discard(change.name)

    # -- setting ---------------------------------------------------------------------------------

    def configure(self, **settings: Any) -> None:
        """Set settings by name, all or none.

        Raises
        ------
        InvalidArguments
            No such setting, or a value that it does not take.
        """
        names = self.trait_names(config=True)
        for name, value in settings.items():
            if name not in names:
                raise InvalidArguments(f"McpApps has no setting '{name}'.{did_you_mean(name, names)}")
            complaint = _complaint(self, name, value) or _no_choice(name, value)
            if complaint:
                raise InvalidArguments(f"McpApps.{name}: {complaint}")
        # Into the configuration too, or the next %config would bring the old value back.
        self.update_config(Config({"McpApps": settings}))

    # -- asking ----------------------------------------------------------------------------------

    @property
    def problems(self) -> list[str]:
        """What is wrong with the configuration, one line each."""
        found = list(self._problems)
        for name, effect in (
            ("allowlist_semantics", "no app may start"),
            ("approvals", "pages may call read-only tools only"),
        ):
            if complaint := _no_choice(name, getattr(self, name)):
                found.append(f"McpApps.{name}: {complaint} Until then {effect}.")
        return found

    def notebook_dir(self) -> Path:
        """Return the notebook's folder, as it was when the extension was loaded."""
        return self._folder

    def is_headless(self) -> bool:
        """Tell whether nobody can be asked: no IPython kernel, one that takes no input, or set so."""
        if self.headless is not None:
            return bool(self.headless)
        forced = os.environ.get("MCPAPPS_HEADLESS", "").strip().lower()
        if forced:
            return forced not in ("0", "false", "no", "off")
        ipython = sys.modules.get("IPython")
        shell = ipython.get_ipython() if ipython is not None else None
        kernel = getattr(shell, "kernel", None)
        return kernel is None or not getattr(kernel, "_allow_stdin", True)

    def entry(self, app_id: str) -> dict[str, Any]:
        """Return the settings of one app, keys in the manifest's spelling; empty if there are none."""
        value = self._raw_entry(app_id)
        if not isinstance(value, Mapping):
            return {}
        return {canonical(str(key), ENTRY_KEYS) or str(key): item for key, item in value.items()}

    def _raw_entry(self, app_id: str) -> Any:
        if app_id in self.entries:
            return self.entries[app_id]
        folded = app_id.casefold()
        return next((entry for name, entry in self.entries.items() if str(name).casefold() == folded), None)

    def policy_reason(self, app_id: str) -> str | None:
        """Say why an app may not start, or None if it may. What cannot be understood forbids."""
        if self._broken:
            return f"No app may start before the configuration is repaired: {self._broken}"
        if not self.enabled:
            return "McpApps.enabled is off."
        if complaint := _no_choice("allowlist_semantics", self.allowlist_semantics):
            return f"McpApps.allowlist_semantics: {complaint} Until then no app may start."
        return self._entry_reason(app_id) or self._list_reason(app_id)

    def _entry_reason(self, app_id: str) -> str | None:
        raw = self._raw_entry(app_id)
        if raw is not None and not isinstance(raw, Mapping):
            return f"McpApps.entries['{app_id}']: wanted an object, got {type(raw).__name__}."
        enabled = self.entry(app_id).get("enabled", True)
        if enabled is True or enabled is None:
            return None
        if enabled is False:
            return f"McpApps.entries['{app_id}'].enabled is off."
        return f"McpApps.entries['{app_id}'].enabled: wanted true or false, got {enabled!r}."

    def _list_reason(self, app_id: str) -> str | None:
        strict = self.allowlist_semantics.strip().lower() == "strict"
        if pattern := _matching(app_id, self.deny):
            return f"'{app_id}' is denied by '{pattern}' in McpApps.deny."
        if _matching(app_id, self.allow) or not (self.allow or strict):
            return None
        if self.allow:
            return f"'{app_id}' is not in McpApps.allow."
        return "McpApps.allow is empty, and with allowlist_semantics 'strict' that allows no app."

    def approvals_for(self, app_id: str) -> dict[str, str]:
        """Return the approval policy of an app's pages by tool name, ``"*"`` for the rest.

        A word that is none of ``auto``, ``ask``, ``allow``, ``deny`` counts as ``deny``.
        """
        given = self.entry(app_id).get("approvals")
        table = given if isinstance(given, Mapping) else {} if given is None else {"*": given}
        return {str(tool): _approval(word) for tool, word in {"*": self.approvals, **table}.items()}

    def permissions_for(self, app_id: str) -> dict[str, str]:
        """Return ``allow``, ``ask`` or ``deny`` by permission for an app's pages; absent means deny."""
        given = self.entry(app_id).get("permissions")
        table = {**self.permissions, **(given if isinstance(given, Mapping) else {})}
        words = {str(name): str(word).strip().lower() for name, word in table.items()}
        return {
            name: word if word in ("allow", "ask") and name not in _NEVER_GRANTED else "deny"
            for name, word in words.items()
        }

    # -- where settings come from ------------------------------------------------------------------

    @property
    def paths_from_workspace(self) -> bool:
        """Whether `discovery_paths` are those of a file beside the notebook."""
        return "discovery_paths" in self._from_workspace

    def workspace_override(self, app_id: str) -> tuple[Path, str] | None:
        """Return the file beside the notebook, and its digest, if it redirects this app's server.

        Such an app has to be trusted like a manifest that lies there.
        """
        file = self._workspace_file
        if file is None or "entries" not in self._from_workspace:
            return None
        for name, entry in (file.values.get("entries") or {}).items():
            if (
                name.casefold() == app_id.casefold()
                and isinstance(entry, Mapping)
                and LAUNCH_KEYS & set(entry)
            ):
                return file.path, file.digest
        return None


def _no_choice(name: str, value: Any) -> str | None:
    choices = _CHOICES.get(name)
    if choices is None or str(value).strip().lower() in choices:
        return None
    return f"wanted one of {', '.join(choices)}, got {value!r}.{did_you_mean(str(value), choices)}"


def _complaint(config: McpApps, name: str, value: Any) -> str | None:
    trait = config.traits()[name]
    try:
        trait._validate(config, value)
    except TraitError:
        least, most = getattr(trait, "min", None), getattr(trait, "max", None)
        limits = (
            "" if least is None else f" of at least {least}" if most is None else f" from {least} to {most}"
        )
        return f"wanted {trait.info()}{limits}, got {value!r}."
    return None


def _approval(word: Any) -> str:
    text = str(word).strip().lower()
    return text if text in APPROVALS else "deny"


def _matching(app_id: str, patterns: list[str]) -> str | None:
    folded = app_id.casefold()
    return next((each for each in patterns if fnmatch.fnmatchcase(folded, each.strip().casefold())), None)


def _notebook_folder() -> Path:
    # The front end names the notebook here; a later os.chdir must not move it.
    session = os.environ.get("JPY_SESSION_NAME", "")
    folder = Path(session).parent
    if session and folder.is_absolute() and folder.is_dir():
        return folder
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path.home()
