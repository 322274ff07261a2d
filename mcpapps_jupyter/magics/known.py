"""What is known about the apps of a line that is still incomplete or wrong; starts nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcpapps_jupyter import arguments as arguments_
from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import McpAppsError, did_you_mean, nearest
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.magics.grammar import Given, Verb
from mcpapps_jupyter.magics.values import written


class Known:
    """What the words of one line name, as far as their apps were listed.

    Parameters
    ----------
    host : Host
        The kernel's.
    verb : Verb
        The line's.
    """

    def __init__(self, host: Host, verb: Verb) -> None:
        self._host = host
        self._verb = verb

    def app(self, given: Given) -> App | None:
        """The app that the first word names."""
        if not given.words or not self._verb.slots or self._verb.slots[0].kind != "app":
            return None
        try:
            return self._host[given.words[0].text]
        except McpAppsError:
            return None

    def schema(self, given: Given) -> Mapping[str, Any]:
        """The input schema of the tool that the line names."""
        app = self.app(given)
        if app is None:
            return {}
        tool = None
        if len(given.words) > 1:
            tool = app.catalogue.tool(given.words[1].text)
        elif self._verb.name == "open" and app.catalogue.pages:
            try:
                tool, _ = app.page_of(None)
            except McpAppsError:
                tool = None
        return tool.input_schema if tool is not None else {}

    def argument_names(self, given: Given) -> list[str]:
        """The arguments that the line may still get."""
        app = self.app(given)
        if app is None:
            return []
        if self._verb.name == "prompt":
            names = _prompt_arguments(app, given)
        else:
            names = list(arguments_.properties(self.schema(given)))
        return [name for name in names if name not in given.pairs]

    # -- mistakes --------------------------------------------------------------------------------

    def no_option(self, given: Given, name: str, value: str | None) -> str:
        """What to write instead of the option `name`, which there is none of."""
        names = [option.name for option in self._verb.options]
        bare = name.lstrip("-")  # the dashes, which all have, would make every option a near one
        similar = [f"'--{each}'" for each in nearest(bare, [each.lstrip("-") for each in names])]
        hint = f" Did you mean {' or '.join(similar)}?" if similar else ""
        if not self._verb.pairs:
            return hint or (f" It takes {', '.join(names)}." if names else " It takes none.")
        near = nearest(bare, self.argument_names(given), 1)
        if hint and not near:
            return hint
        word = f"{near[0] if near else bare}={'…' if value is None else written(value)}"
        return f"{hint} Arguments are key=value words: {word}"

    def no_app(self, given: Given) -> str:
        """What to say where words are missing and the first one names no app; empty where it does."""
        name = given.words[0].text if given.words else ""
        if (
            not name
            or not self._verb.slots
            or self._verb.slots[0].kind != "app"
            or name.startswith(("$", "{"))
        ):
            return ""
        if self.app(given) is not None or name in self._host:
            return ""
        hint = owners(self._host, name) or did_you_mean(name, self._host.registry.ids())
        return f"There is no app '{name}'.{hint} The form is: {self._verb.usage}"


def owners(host: Host, tool: str) -> str:
    """Which of the listed apps has a tool of this name, as a sentence; empty for none."""
    apps = [app.id for app in host if app.catalogue.tool(tool) is not None]
    return f" That is a tool of {' and of '.join(apps)}." if apps else ""


def _prompt_arguments(app: App, given: Given) -> list[str]:
    wanted = given.words[1].text if len(given.words) > 1 else None
    found = next((each for each in app.catalogue.prompts if each.get("name") == wanted), {})
    declared = found.get("arguments")
    entries = declared if isinstance(declared, list) else []
    return [str(each.get("name")) for each in entries if isinstance(each, Mapping)]
