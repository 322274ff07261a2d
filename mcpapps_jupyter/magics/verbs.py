"""The verbs of ``%mcpapp``: what each takes and does. Each gives a value that shows itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from IPython.core.error import UsageError

from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import McpAppsError, ProtocolFailure, did_you_mean
from mcpapps_jupyter.host_thread import Submitted
from mcpapps_jupyter.lifecycle import State
from mcpapps_jupyter.log import LEVELS, SOURCES
from mcpapps_jupyter.magics.adding import ADD_FORMS, add
from mcpapps_jupyter.magics.grammar import Option, Slot, Verb
from mcpapps_jupyter.magics.invocation import Invocation, fitted
from mcpapps_jupyter.magics.shown import Note, Told
from mcpapps_jupyter.magics.values import text_of
from mcpapps_jupyter.magics.waiting import outcome
from mcpapps_jupyter.manifest.model import PROTOCOL_VERSIONS, TRANSPORTS

_APP = Slot("APP", "app")
_AS = Option("--as", "NAME", "also put the result into this variable")
_ARGS = Option("--args", "JSON|{expr}|$name", "all arguments at once, as a JSON object or a dict")
_STATES = (*map(str, State), "Invalid")


def _list(line: Invocation) -> Any:
    return line.host.registry.listing(
        state=line.option("--state"),
        tag=line.option("--tag"),
        capability=line.option("--capability"),
        has_ui=True if line.has("--ui") else None,
    )


def _scan(line: Invocation) -> Any:
    return line.host.scan(*line.texts())


def _remove(line: Invocation) -> Any:
    app = line.app()
    line.host.remove(app.id)
    # Its manifest is still there.
    back = "" if app.definition.source == "added" else " %mcpapp scan brings it back."
    return Note(f"{app.id} is removed.{back}")


def _open(line: Invocation) -> Any:
    app, tool, values = line.app(), line.text(1), line.values()
    options = {"height": line.number("--height", int), "mode": line.option("--mode")}
    schema: Any = {}
    if line.given.pairs:  # what they mean is in the tool's schema, which only a server that runs tells
        found, _ = line.running(app).page_of(tool)
        schema = found.input_schema if found is not None else {}
    arguments = fitted(values, schema)
    with line.correcting(tool):
        view = line.host.pages.show_view(app, tool, arguments, options)
    view.skip_next_display()
    return view


def _call(line: Invocation) -> Any:
    app, name, values = line.app(), line.text(1), line.values()
    tool = line.running(app).find_tool(name or "")
    with line.correcting(name):
        return line.called(app, tool.name, fitted(values, tool.input_schema))


def _read(line: Invocation) -> Any:
    app, uri = line.running(line.app()), line.text(1) or ""
    try:
        return app.read(uri)
    except ProtocolFailure as error:
        listed = [str(resource.get("uri")) for resource in app.catalogue.resources]
        hint = "" if uri in listed else did_you_mean(uri, listed)
        if not hint:
            raise
        raise ProtocolFailure(f"{str(error).rstrip('.')}.{hint}", error.code, error.data) from None


def _prompt(line: Invocation) -> Any:
    app, name = line.app(), line.text(1)
    arguments = {key: text_of(value) for key, value in line.values().items()}
    return line.running(app).prompt(name or "", arguments)


def _info(line: Invocation) -> Any:
    return line.app().info()


def _tools(line: Invocation) -> Any:
    return line.running(line.app()).tools


def _resources(line: Invocation) -> Any:
    return line.running(line.app()).resources


def _prompts(line: Invocation) -> Any:
    return line.running(line.app()).prompts


def _start(line: Invocation) -> Any:
    return _each(line, "Starting", App.astart, everything=lambda app: not _refused(app))


def _stop(line: Invocation) -> Any:
    return _each(line, "Stopping", App.astop, everything=_runs)


def _restart(line: Invocation) -> Any:
    return _each(line, "Restarting", App.arestart, everything=_runs)


def _runs(app: App) -> bool:
    return app.state in (State.RUNNING, State.LOADED)


def _refused(app: App) -> bool:
    return app.state in (State.DISCOVERED, State.DISABLED)


def _each(
    line: Invocation, doing: str, do: Callable[[App], Submitted[Any]], *, everything: Callable[[App], bool]
) -> Any:
    """Do the same with several apps at once; one failure does not stop the others, and is said at the end."""
    apps = _chosen(line, everything)
    if not apps:
        return Note(f"There is nothing to {line.verb.name}.")
    work: dict[App, Submitted[Any]] = {}
    failures: list[McpAppsError] = []
    for app in apps:
        try:
            work[app] = do(app)
        except McpAppsError as error:
            failures.append(error)
    line.wait(doing, work)
    for each in work.values():
        try:
            outcome(each)
        except McpAppsError as error:
            failures.append(error)
    if failures:
        raise failures[0] if len(failures) == 1 else McpAppsError(" — ".join(map(str, failures)))
    return apps[0] if len(apps) == 1 and not line.has("--all") else line.host.registry.listing(apps)


def _chosen(line: Invocation, everything: Callable[[App], bool]) -> Sequence[App]:
    if not line.has("--all"):
        if not line.given.words:
            raise UsageError(f"{line.verb.name} needs APP, or --all: {line.verb.usage}")
        return line.apps()
    if line.given.words:
        raise UsageError(f"{line.verb.name} takes either apps or --all.")
    return [app for app in line.host if everything(app)]


def _enable(line: Invocation) -> Any:
    return line.host.enable(line.app().id)


def _disable(line: Invocation) -> Any:
    return line.host.disable(line.app().id)


def _save(line: Invocation) -> Any:
    path, notes = line.host.save(line.app().id, line.text(1) or "./mcpapps")
    return Note("\n".join([f"Saved as {path}. It is found there from now on.", *notes]))


def _context(line: Invocation) -> Any:
    app = line.app().id if line.given.words else None
    if line.has("--clear"):
        line.host.forget_context(app)
        return Note("What the open pages had told the model is forgotten.")
    return Told(line.host.context(app))


def _log(line: Invocation) -> Any:
    return line.host.pages.show_log(
        line.app(),
        level=line.option("--level"),
        source=line.option("--source"),
        follow=line.has("--follow"),
    )


def _audit(line: Invocation) -> Any:
    return line.host.audit()


def _freeze(line: Invocation) -> Any:
    view = line.view(0)
    line.host.freeze(view)
    return Note(f"The page of {view.app.id} is frozen: its output is text now, for every reader.")


def _help(line: Invocation) -> Any:
    from mcpapps_jupyter.magics.help import help_on

    return help_on(line.text(0))


def _on_servers(name: str, summary: str, run: Callable[[Invocation], Any]) -> Verb:
    apps = Slot("APP", "app", required=False, many=True)
    forms = (f"%mcpapp {name} APP…", f"%mcpapp {name} --all")
    return Verb(name, summary, run, (apps,), (Option("--all", "", "every app"),), forms=forms, short="APP…")


VERBS: dict[str, Verb] = {
    verb.name: verb
    for verb in (
        Verb(
            "list",
            "the apps, and what state they are in",
            _list,
            options=(
                Option("--state", "S", "only those in this state", choices=_STATES),
                Option("--tag", "T", "only those with this tag"),
                Option("--capability", "C", "only those that offer this: tools, resources, prompts, …"),
                Option("--ui", "", "only those that bring a page"),
            ),
            examples=(
                "%mcpapp list",
                "%mcpapp list --state Running",
                "%mcpapp list --capability prompts --ui",
            ),
        ),
        Verb(
            "scan",
            "look for manifests again, also in these folders",
            _scan,
            (Slot("PATH", "path", required=False, many=True),),
            examples=("%mcpapp scan", "%mcpapp scan ~/apps"),
        ),
        Verb(
            "add",
            "add an app without a manifest; nothing is started",
            add,
            (Slot("ID", "id", required=False), Slot("URL", "address", required=False)),
            (
                Option("--from", "FILE", "add every server of an mcp.json (Claude, Cursor, VS Code)"),
                Option(
                    "--env",
                    "NAME=VALUE",
                    "a variable for the server; ${env:X} is the kernel's own X",
                    many=True,
                ),
                Option(
                    "--header",
                    "'NAME: VALUE'",
                    "a header for the address; ${env:X} keeps secrets out",
                    many=True,
                ),
                Option("--prefix", "P", "put before the tools' names for models"),
                Option(
                    "--protocol",
                    "P",
                    "how to negotiate: auto, legacy or a version of MCP",
                    choices=("auto", "legacy", *PROTOCOL_VERSIONS),
                ),
                Option("--transport", "T", "sse for old HTTP servers", choices=TRANSPORTS[:-1]),
                Option("--cwd", "DIR", "where the command runs; the notebook's folder otherwise"),
                Option("--timeout", "S", "longest start, and longest wait for an answer, in seconds"),
            ),
            command=True,
            examples=(
                "%mcpapp add react -- npx -y @modelcontextprotocol/server-basic-react --stdio",
                "%mcpapp add remote https://example.com/mcp --header 'Authorization: Bearer ${env:TOKEN}'",
                "%mcpapp add --from .vscode/mcp.json",
            ),
            forms=ADD_FORMS,
            short="ID -- COMMAND ARG…",
        ),
        Verb(
            "save",
            "write an added app's manifest, so that it is there the next time",
            _save,
            (_APP, Slot("FOLDER", "path", required=False)),
            examples=("%mcpapp save react", "%mcpapp save react ~/apps"),
        ),
        Verb("remove", "stop an app and take it out of the list", _remove, (_APP,)),
        Verb(
            "open",
            "show the page of a tool, or an app's own page",
            _open,
            (_APP, Slot("TOOL", "page", required=False)),
            (
                _ARGS,
                Option("--height", "N", "a fixed height, in pixels"),
                Option("--mode", "M", "how it opens", choices=("inline", "fullscreen")),
                _AS,
            ),
            pairs=True,
            examples=("%mcpapp open grocery", "%mcpapp open grocery storeId=1 --as dash"),
        ),
        Verb(
            "call",
            "call a tool and give its result",
            _call,
            (_APP, Slot("TOOL", "tool")),
            (_ARGS, _AS),
            pairs=True,
            examples=(
                "%mcpapp call grocery get_inventory storeId=1 --as stock",
                "%mcpapp call grocery get_inventory storeId={ids[0]}",
                '%mcpapp call grocery get_inventory --args {"storeId": 1}',
            ),
        ),
        Verb(
            "read",
            "read a resource",
            _read,
            (_APP, Slot("URI", "uri")),
            (_AS,),
            examples=("%mcpapp read grocery inventory://summary --as summary",),
        ),
        Verb(
            "prompt",
            "get a prompt",
            _prompt,
            (_APP, Slot("NAME", "prompt")),
            (_ARGS, _AS),
            pairs=True,
            examples=("%mcpapp prompt grocery explain_inventory_term term='reorder point'",),
        ),
        Verb("info", "all about an app; starts nothing", _info, (_APP,)),
        Verb("tools", "an app's tools and their arguments", _tools, (_APP,)),
        Verb("resources", "an app's resources", _resources, (_APP,)),
        Verb("prompts", "an app's prompts", _prompts, (_APP,)),
        _on_servers("start", "start servers; most verbs do it by themselves", _start),
        _on_servers("stop", "stop servers", _stop),
        _on_servers("restart", "restart servers; pages and variables stay", _restart),
        Verb("enable", "let a disabled app start again", _enable, (_APP,)),
        Verb("disable", "stop an app and let nothing start it, in this kernel", _disable, (_APP,)),
        Verb(
            "context",
            "what the open pages have told the model",
            _context,
            (Slot("APP", "app", required=False),),
            (Option("--clear", "", "forget it; the pages are told"),),
        ),
        Verb(
            "log",
            "what an app's server, its pages and the host said; live",
            _log,
            (_APP,),
            (
                Option("--level", "L", "only this grave or graver", choices=LEVELS),
                Option("--source", "S", "only what comes from there", choices=SOURCES),
                Option("--follow", "", "in a terminal: go on until Ctrl-C; in a notebook it follows anyway"),
                _AS,
            ),
            examples=("%mcpapp log grocery", "%mcpapp log grocery --level warning --as lines"),
        ),
        Verb("audit", "what pages may do, what was decided so far, and what to change", _audit),
        Verb(
            "freeze",
            "turn an open page into its static card, for good",
            _freeze,
            (Slot("VIEW", "app", required=False),),
            examples=("%mcpapp freeze", "%mcpapp freeze dash", "%mcpapp freeze grocery"),
        ),
        Verb("help", "this text, or all about a verb", _help, (Slot("VERB", "verb", required=False),)),
    )
}
"""Every verb by its name, in the order of help."""
