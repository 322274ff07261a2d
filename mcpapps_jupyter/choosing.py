"""From the words of a user to a tool, page or prompt of a catalogue; what does not fit is one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcpapps_jupyter import arguments as arguments_
from mcpapps_jupyter.catalogue import Catalogue, Tool
from mcpapps_jupyter.errors import InvalidArguments, NoPage, UnknownTool, did_you_mean


def find_tool(app_id: str, catalogue: Catalogue, name: str) -> Tool:
    """The tool of this name, the server's own or with the app's prefix.

    Raises
    ------
    UnknownTool
        With the nearest names.
    """
    tool = catalogue.tool(name)
    if tool is None:
        names = [tool.name for tool in catalogue.tools]
        offers = f" It has: {', '.join(names[:12])}" if names else " It offers no tools."
        raise UnknownTool(f"{app_id} has no tool {name!r}.{did_you_mean(name, names) or offers}")
    return tool


def check_call(app_id: str, catalogue: Catalogue, name: str, arguments: Mapping[str, Any]) -> Tool:
    """The tool of this name, if `arguments` fit it.

    Raises
    ------
    UnknownTool, InvalidArguments
        With the nearest names, or with what the schema wants and a line of Python to paste.
    """
    tool = find_tool(app_id, catalogue, name)
    try:
        arguments_.check(tool.name, tool.input_schema, arguments)
    except arguments_.InvalidToolArguments as problem:
        words = "".join(f", {key}={value!r}" for key, value in problem.example.items())
        problem.with_line(f"host[{app_id!r}].call({tool.name!r}{words})")
        raise
    return tool


def page_of(app_id: str, catalogue: Catalogue, target: str) -> tuple[Tool | None, str]:
    """The tool and the ``ui://`` address that `target`, a tool or an address, names.

    Raises
    ------
    UnknownTool, NoPage
        In words, with the tools that do have a page.
    """
    if target.startswith("ui://"):
        return None, target
    tool = find_tool(app_id, catalogue, target)
    if not tool.ui.resource_uri:
        others = ", ".join(each.name for each in catalogue.pages) or "no tool of this app has one"
        raise NoPage(f"{app_id}: {tool.name} brings no page; these do: {others}")
    return tool, tool.ui.resource_uri


def default_page(app_id: str, catalogue: Catalogue, wanted: str | None) -> tuple[Tool | None, str]:
    """What opens when nothing is named: the manifest's page, else the only one that needs no arguments.

    Raises
    ------
    NoPage
        There is none, or more than one: the text lists them.
    """
    pages = catalogue.pages
    if wanted:
        bound = [tool for tool in pages if tool.ui.resource_uri == wanted]
        return (bound[0] if bound else None), wanted
    free = [tool for tool in pages if tool.ui.for_model and not arguments_.required(tool.input_schema)]
    if len(free) == 1 and free[0].ui.resource_uri:
        return free[0], free[0].ui.resource_uri
    if not pages:
        raise NoPage(f"{app_id} brings no page: none of its tools has one. Use: %mcpapp tools {app_id}")
    lines = ", ".join(f"{tool.name}({arguments_.signature(tool.input_schema)})" for tool in pages)
    raise NoPage(f"{app_id} has several pages or one that needs arguments; name the tool: {lines}")


def check_prompt(app_id: str, catalogue: Catalogue, name: str, given: Mapping[str, Any]) -> None:
    """Raise when there is no such prompt, or `given` does not fit it.

    Raises
    ------
    InvalidArguments
        With the nearest names, or what is missing and a line to paste.
    """
    prompts = {str(entry.get("name")): entry for entry in catalogue.prompts}
    if name not in prompts:
        offers = f" It has: {', '.join(prompts)}" if prompts else " It offers none."
        raise InvalidArguments(f"{app_id} has no prompt {name!r}.{did_you_mean(name, prompts) or offers}")
    declared = prompts[name].get("arguments")
    entries = declared if isinstance(declared, list) else []
    known = {str(each.get("name")): each for each in entries if isinstance(each, Mapping)}
    for key in given:
        if key not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise InvalidArguments(f"{name} has no argument {key!r}; {takes}.{did_you_mean(key, known)}")
    missing = [key for key, each in known.items() if each.get("required") and key not in given]
    if missing:
        line = f"%mcpapp prompt {app_id} {name} " + " ".join(f"{key}=…" for key in missing)
        raise InvalidArguments(f"{name} needs {', '.join(missing)}. Paste: {line}")
