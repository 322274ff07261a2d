"""The kernel's one host: what ``mcpapps.get_host()`` gives. It composes everything below it."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcpapps_jupyter import _version, quiet
from mcpapps_jupyter.app import App, Services
from mcpapps_jupyter.catalogue import Listing
from mcpapps_jupyter.config import McpApps
from mcpapps_jupyter.consent import require_consent
from mcpapps_jupyter.definition import Definition
from mcpapps_jupyter.discovery import TrustStore, file_content
from mcpapps_jupyter.discovery.places import expanded
from mcpapps_jupyter.errors import AppDisabled, InvalidArguments, ManifestInvalid, McpAppsError, in_words
from mcpapps_jupyter.feed import Feed
from mcpapps_jupyter.host_thread import HostThread, Submitted
from mcpapps_jupyter.lifecycle import State
from mcpapps_jupyter.manifest import parse_document, parse_mapping
from mcpapps_jupyter.manifest.jsonc import MalformedJson, read
from mcpapps_jupyter.manifest.rules import id_problem, usable_id
from mcpapps_jupyter.ports import Answer, LoginPrompt, LoginRequest, Question
from mcpapps_jupyter.questions import Questions
from mcpapps_jupyter.registry import Registry, ScanReport
from mcpapps_jupyter.saving import save_manifest
from mcpapps_jupyter.tabular import amount
from mcpapps_jupyter.tools import ToolBridge
from mcpapps_jupyter.views.context import ModelContext
from mcpapps_jupyter.views.decisions import Decisions
from mcpapps_jupyter.views.manager import Views

if TYPE_CHECKING:
    from mcpapps_jupyter.audit import Audit
    from mcpapps_jupyter.views.widget import AppView

#: Settings that say which apps there are and which may run.
_POLICY = ["enabled", "allow", "deny", "allowlist_semantics", "entries", "discovery_paths"]
_MANIFEST_NAMES = (".json", ".jsonc")


class Host:
    """All apps, open pages and settings of this kernel.

    Examples
    --------
    >>> host = mcpapps.get_host()
    >>> host["grocery"].call("get_inventory", storeId=1)
    >>> host.add(["node", "server.js"], id="mine")

    Parameters
    ----------
    config
        The settings; made from files and defaults when not given.
    """

    def __init__(self, config: McpApps | None = None) -> None:
        self.config = config or McpApps()
        self.thread = HostThread()
        self._questions = Questions(
            self.config, self.thread, self._note, self._ask_person, self._login_prompt
        )
        self._views = Views(self.config, self.thread, _version.__version__, running_kernel)
        self._trust = TrustStore()
        self._guard: Any = None
        self._of_states: tuple[Feed, ...] = ()
        self._guard_lock = threading.Lock()
        self.registry = Registry(
            self.config,
            Services(
                thread=self.thread,
                asker=self._questions,
                views=self._views,
                guard=self._process_guard,
                may_use=self._may_use,
                version=_version.__version__,
                state_changed=self._state_changed,
            ),
            self._trust,
        )
        self.tools = ToolBridge(self.registry, self.thread, self._views)
        self.config.observe(self._configured, "allow_nested_calls")
        self._configured(None)
        self.config.observe(self._policy_changed, _POLICY)
        self.config.observe(self._roots_changed, "roots")
        self.config.observe(lambda _: self.complain(), ["approvals", "allowlist_semantics", "entries"])
        quiet.hush()
        self.last_scan = self.registry.scan()

    def _configured(self, _: Any) -> None:
        self.thread.allow_nested_calls = self.config.allow_nested_calls

    def complain(self) -> None:
        """Say what is wrong with the configuration, one line each; on the thread that runs cells."""
        for problem in self.registry.problems():
            sys.stderr.write(f"{problem}\n")

    def _policy_changed(self, _: Any) -> None:
        """Take changed rules over at once: states, overrides, and servers that may no longer run."""
        self.last_scan = self.registry.scan()
        refused = [app for app in self.registry if self.config.policy_reason(app.id) is not None]
        for app in refused:
            if app.state in (State.RUNNING, State.LOADED):
                app.stop()
        for app in self.registry:  # no scan comes past the apps that were added
            self.registry.judge(app)

    def _roots_changed(self, _: Any) -> None:
        for app in self.registry:
            app.roots_changed()

    # -- apps ---------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> App:
        """The app of this id, in any case, or by a unique beginning of it."""
        return self.registry.get(name)

    def __iter__(self) -> Iterator[App]:
        return iter(self.registry)

    def __len__(self) -> int:
        return len(self.registry)

    def __contains__(self, name: object) -> bool:
        try:
            self.registry.get(str(name))
        except McpAppsError:
            return False
        return True

    @property
    def apps(self) -> Listing[App]:
        """Every app, as a table."""
        return self.registry.listing()

    def scan(self, *paths: str | os.PathLike[str]) -> ScanReport:
        """Look for manifests again, also below `paths`."""
        folders = [self.resolve(path) for path in paths]
        for folder in folders:
            if not folder.exists():
                raise InvalidArguments(f"There is no folder {folder}.")
        self.last_scan = self.registry.scan(folders)
        return self.last_scan

    def add(self, what: Any, id: str | None = None, **fields: Any) -> App:  # noqa: A002 - the manifest's own word
        """Add an app without (or by) a manifest file.

        Parameters
        ----------
        what
            A command as a list of words, an ``http(s)://`` address, the path of a manifest, or an
            `MCPServer` object made in a cell.
        id
            The app's id; needed unless a manifest brings one.
        **fields
            Any field of the manifest by its manifest name, e.g. ``startupTimeoutSeconds=5``.

        Notes
        -----
        The same call again changes nothing and keeps the session, so its cell can be run again. A
        server object always replaces its predecessor; open pages then start anew with the new one.

        Raises
        ------
        InvalidArguments, ManifestInvalid
            In words.
        """
        definition = self._define(what, id, fields)
        if definition.parsed.manifest is None:
            raise ManifestInvalid(f"{definition.app_id}: {'; '.join(definition.parsed.errors)}")
        known = self.registry.find(definition.app_id)
        differs = known is not None and not known.definition.same_as(definition)
        in_use = known is not None and (
            known.state in (State.RUNNING, State.LOADED)
            or (known.state is State.FAILED and bool(known.views))
        )
        app = self.registry.add(definition)
        if differs and in_use:
            app.start()  # pages that are open go on, with the new server
        return app

    def _define(self, what: Any, app_id: str | None, fields: Mapping[str, Any]) -> Definition:
        source = f"host.add(id={app_id!r})"
        folder = self.config.notebook_dir()
        if app_id is not None and usable_id(app_id) is None:
            kind = ManifestInvalid if isinstance(app_id, str) else InvalidArguments
            raise kind(f'host.add: "id": {id_problem(app_id)}')
        given: dict[str, Any] = {key: value for key, value in fields.items() if value is not None}
        if isinstance(what, os.PathLike) or (isinstance(what, str) and what.endswith(_MANIFEST_NAMES)):
            return self._from_file(Path(what), app_id, given)
        if app_id is None:
            raise InvalidArguments("host.add needs an id, for example: host.add(…, id='mine')")
        server = None
        if isinstance(what, str):
            if not what.startswith(("http://", "https://")):
                raise InvalidArguments(
                    f"{what!r} is no http(s) address; give a command as a list of words: {what.split()!r}"
                )
            mapping: dict[str, Any] = {"transport": "http", "url": what}
        elif isinstance(what, Sequence):
            words = [os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in what]
            if not words:
                raise InvalidArguments("The command is empty.")
            mapping = {"transport": "stdio", "command": words[0], "arguments": words[1:]}
        elif is_server(what):
            mapping, server = {"transport": "inprocess"}, what
        else:
            raise InvalidArguments(
                "host.add takes a command (list), an address, a manifest's path or an MCP server, "
                f"not {type(what).__name__}."
            )
        parsed = parse_mapping(
            {"id": app_id, **mapping, **given},
            source=source,
            overrides=self.config.entry(app_id),
            needs_entry_point=server is None,
        )
        return Definition(app_id, parsed, folder, "added", server=server)

    def _from_file(self, path: Path, app_id: str | None, given: Mapping[str, Any]) -> Definition:
        path = self.resolve(path)
        try:
            document = read(file_content(path).decode("utf-8-sig"))
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InvalidArguments(f"{path} cannot be read: {reason}") from None
        except MalformedJson as error:
            raise ManifestInvalid(f"{path}{f':{error.line}' if error.line else ''}: {error}.") from None
        written = document.value.get("id") if isinstance(document.value, Mapping) else None
        found = app_id or usable_id(written)
        fields = {"id": app_id, **given} if app_id else given
        overrides = self.config.entry(found or "")
        parsed = parse_document(document, source=str(path), fields=fields, overrides=overrides)
        if found is None:
            raise ManifestInvalid("; ".join(parsed.errors) or f"{path}: there is no id")
        return Definition(found, parsed, path.parent, "added", path)

    def resolve(self, path: str | os.PathLike[str]) -> Path:
        """`path` as the notebook means it: relative to its folder, ``~`` and ``${env:…}`` expanded."""
        problems: list[str] = []
        text = expanded(os.fspath(path), problems.append)
        if text is None:
            raise InvalidArguments(problems[0])
        return self.config.notebook_dir() / text

    def save(self, name: str, folder: str | os.PathLike[str] = "./mcpapps") -> tuple[Path, list[str]]:
        """Write an added app's manifest into a folder of its id below `folder`.

        Returns
        -------
        path, notes
            The file, and what to set before the next start.

        Raises
        ------
        InvalidArguments
            In words.
        """
        return save_manifest(self.registry.get(name), self.resolve(folder))

    def remove(self, name: str) -> None:
        """Stop an app and take it out of the list."""
        app = self.registry.get(name)
        for view in app.views:
            view.end(f"{app.id} was removed.")
        app.stop()
        self.registry.remove(app)

    def disable(self, name: str) -> App:
        """Stop an app and refuse its starts until `enable`, in this kernel only."""
        app = self.registry.get(name)
        app.stop()
        self.registry.disable(app)
        return app

    def enable(self, name: str) -> App:
        """Undo `disable`; what the configuration refuses stays refused, and is said."""
        app = self.registry.get(name)
        self.registry.enable(app)
        return app

    def start_all(self) -> dict[str, str | None]:
        """Start every usable app, all at once; returns what failed, by id, in words (None: it runs)."""
        return self.thread.run(self._starting_all())

    def astart_all(self) -> Submitted[dict[str, str | None]]:
        """`start_all`, to be awaited."""
        return self.thread.submit(self._starting_all())

    def _starting_all(self) -> Coroutine[Any, Any, dict[str, str | None]]:
        """Begin to start them: what asks the person does so on the caller's thread."""
        outcome: dict[str, str | None] = {}
        attempts: dict[str, Submitted[App]] = {}
        for app in self.registry:
            try:
                attempts[app.id] = app.astart()
            except McpAppsError as error:
                outcome[app.id] = str(error)

        async def outcomes() -> dict[str, str | None]:
            ended = await asyncio.gather(*attempts.values(), return_exceptions=True)
            for app_id, end in zip(attempts, ended, strict=True):
                outcome[app_id] = in_words(end) if isinstance(end, BaseException) else None
            return outcome

        return outcomes()

    def stop_all(self, *, hurry: bool = False) -> None:
        """Stop every app, all at once."""
        if not self.thread.sessions.started:
            return
        stopping = [app.astop(hurry=hurry) for app in self.registry]
        for each in stopping:
            with contextlib.suppress(Exception):
                each.result(3 if hurry else 10)

    def astop_all(self, *, hurry: bool = False) -> Submitted[None]:
        """`stop_all`, to be awaited."""
        stopping = [app.astop(hurry=hurry) for app in self.registry]

        async def stopped() -> None:
            await asyncio.wait([asyncio.ensure_future(each) for each in stopping], timeout=10)

        return self.thread.submit(stopped() if stopping else asyncio.sleep(0))

    # -- pages --------------------------------------------------------------------------------------

    @property
    def views(self) -> list[Any]:
        """Every open page, oldest first."""
        return self._views.all_views()

    @property
    def pages(self) -> Views:
        """What opens and keeps pages."""
        return self._views

    @property
    def decisions(self) -> Decisions:
        """What was decided about pages so far, and by whom."""
        return self._views.decisions

    def audit(self) -> Audit:
        """What runs here, what its pages may do, what was decided so far, and what to change.

        Starts nothing. Secrets are masked.
        """
        from mcpapps_jupyter.audit import audit_host

        return audit_host(self.registry, self.config, self.decisions)

    def freeze(self, view: AppView | None = None) -> None:
        """Turn what `view` (the one opened last, if not given) shows into its static card, for good.

        Raises
        ------
        InvalidArguments
            No view is open.
        """
        chosen = view or self._views.last()
        if chosen is None:
            raise InvalidArguments("No page is open that could be frozen.")
        chosen.freeze()

    def context(self, name: str | None = None) -> dict[str, ModelContext]:
        """What open pages have told the model, by view: ``{"grocery-inventory show_…": context}``.

        Parameters
        ----------
        name
            Only the pages of this app.
        """
        return self._told(name, lambda view: view.model_context)

    def take_context(self, name: str | None = None) -> dict[str, ModelContext]:
        """`context`, but only what was not taken before: what a model gets at its next turn.

        It is data of pages, and nothing that a model should obey.
        """
        return self._told(name, lambda view: view.take_context())

    def forget_context(self, name: str | None = None) -> None:
        """Take away what open pages have told the model; the pages are told that it was."""
        for view in self._views_of(name):
            view.forget_context()

    def _views_of(self, name: str | None) -> list[AppView]:
        app = self.registry.get(name) if name else None
        return [view for view in self.views if app is None or view.app is app]

    def _told(
        self, name: str | None, read: Callable[[AppView], ModelContext | None]
    ) -> dict[str, ModelContext]:
        told: dict[str, ModelContext] = {}
        for view in self._views_of(name):
            context = read(view)
            if context is None:
                continue
            label = f"{view.app.id} {view.tool or view.uri}"
            again = sum(key.split(" #")[0] == label for key in told)
            told[f"{label} #{again + 1}" if again else label] = context
        return told

    # -- the user's own answers ------------------------------------------------------------------------

    def on_elicitation(self, handler: Callable[[Question], Any] | None) -> None:
        """Let `handler` answer what servers ask (MCP elicitation).

        It gets a `Question` and returns a dict (the answer), ``"decline"``, ``"cancel"``, or None to
        leave the question to the person; `def` or ``async def``. It runs away from the session loop,
        so calls of this API work inside it.
        """
        self._questions.on_elicitation(handler)

    def set_model(self, model: Callable[[dict[str, Any]], Any] | None, *, ask: bool = True) -> None:
        """Let `model` answer sampling requests; it returns a string or a ``CreateMessageResult``.

        A server that runs hears of it before its next request where that costs it nothing, else at its next
        start; ``%mcpapp info`` says so. Each app's first use needs a yes of the person, since a server can
        spend the user's key; ``ask=False`` gives it in advance.
        """
        before = self._questions.can_sample
        self._questions.set_model(model, ask=ask)
        if self._questions.can_sample != before:
            for app in self.registry:
                app.model_changed()

    def on_state(self, handler: Callable[[App, State, State], Any]) -> Callable[[], None]:
        """Call ``handler(app, old, new)`` after each change of any app's state; returns how to end that.

        In order, and away from the session loop, so calls of this API work inside it; `def` or
        ``async def``.
        """
        feed = Feed(handler, self.thread, self._state_handler_failed)
        self._of_states = (*self._of_states, feed)

        def forget() -> None:
            self._of_states = tuple(each for each in self._of_states if each is not feed)

        return forget

    def _state_changed(self, app: App, old: State, new: State) -> None:
        for feed in self._of_states:
            self.thread.sessions.call_soon(feed.put, app, old, new)

    @staticmethod
    def _state_handler_failed(error: Exception, app: App, *_: Any) -> bool:
        app.log.add("host", app.hide(f"a handler of on_state failed: {error!r}"), "warning")
        return True

    # -- behind the scenes -------------------------------------------------------------------------------

    def _note(self, app_id: str, text: str) -> None:
        app = self.registry.find(app_id)
        if app is not None:
            app.log.add("host", app.hide(text), "warning")

    async def _ask_person(self, question: Question) -> Answer | None:
        app = self.registry.find(question.app_id)
        return await self._views.ask_person(app, question) if app is not None else None

    def _login_prompt(self, request: LoginRequest) -> LoginPrompt:
        return self._views.login_prompt(self.registry.get(request.app_id), request)

    def _process_guard(self) -> Any:
        with self._guard_lock:
            if self._guard is None:
                from mcpapps_jupyter.transports import ProcessGuard

                self._guard = ProcessGuard()
            return self._guard

    def _may_use(self, definition: Definition, runs: bool) -> None:
        reason = self.config.policy_reason(definition.app_id)
        if reason is not None:
            raise AppDisabled(f"{definition.app_id} is disabled: {reason}")
        if not runs:
            require_consent(definition, self.config, self._trust)

    def close(self, *, hurry: bool = False) -> None:
        """End pages, stop every server and the host's threads; the host can be used again afterwards.

        In a fork of the kernel nothing is done: all of that is the kernel's.
        """
        if self.thread.sessions.forked:
            return
        with contextlib.suppress(Exception):
            self._views.close_all("The extension was unloaded.")
        self.stop_all(hurry=hurry)
        with self._guard_lock:
            guard, self._guard = self._guard, None
        if guard is not None:
            guard.close()
        self.thread.stop()
        quiet.restore()

    def __repr__(self) -> str:
        running = sum(app.state is State.RUNNING for app in self.registry)
        apps, pages = amount(len(self.registry), "app"), amount(len(self.views), "open page")
        return f"<Host: {apps}, {running} running, {pages}>"


_host: Host | None = None
_host_lock = threading.Lock()


def get_host() -> Host:
    """The kernel's one host; made at the first call."""
    global _host
    with _host_lock:
        if _host is None:
            _host = Host()
            atexit.register(_at_exit)
        return _host


def drop_host() -> None:
    """Stop everything and forget the host; at unload."""
    global _host
    with _host_lock:
        host, _host = _host, None
    if host is not None:
        host.close()
        atexit.unregister(_at_exit)


def _at_exit() -> None:
    with _host_lock:
        host = _host
    if host is not None:
        host.close(hurry=True)


def running_kernel() -> Any:
    """The IPython kernel we run in, or None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None)


def is_server(value: Any) -> bool:
    """Whether `value` is an MCP server object of the SDK."""
    return any(
        base.__name__ in ("MCPServer", "Server", "FastMCP")
        and base.__module__.split(".")[0] in ("mcp", "fastmcp")
        for base in type(value).__mro__
    )
