"""One use of the magic: its words, expanded, as what the verbs need."""

from __future__ import annotations

import builtins
import contextlib
import keyword
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from IPython.core.error import UsageError

from mcpapps_jupyter import arguments as arguments_
from mcpapps_jupyter.app import App
from mcpapps_jupyter.errors import UnknownApp, did_you_mean
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.host_thread import Submitted
from mcpapps_jupyter.lifecycle import State
from mcpapps_jupyter.magics.grammar import Given, Verb
from mcpapps_jupyter.magics.known import owners
from mcpapps_jupyter.magics.values import Names, Typed, expand, mapping_of, plain_or_usage, text_of, written
from mcpapps_jupyter.magics.waiting import outcome, succeeded, wait_for
from mcpapps_jupyter.magics.words import Word
from mcpapps_jupyter.redact import clean_line
from mcpapps_jupyter.results import ToolResult

_DONE = {"Starting": "Started", "Stopping": "Stopped", "Restarting": "Restarted"}


@dataclass
class Invocation:
    """One line of the magic, about to run.

    Attributes
    ----------
    host : Host
        The kernel's.
    verb : Verb
        What to do.
    given : Given
        The words after the verb.
    names : Names
        The variables of the cell.
    """

    host: Host
    verb: Verb
    given: Given
    names: Names

    # -- words -----------------------------------------------------------------------------------

    def _text(self, word: Word) -> str:
        return text_of(expand(word, self.names))

    def text(self, position: int) -> str | None:
        """The word at `position` as text, or None."""
        words = self.given.words
        return self._text(words[position]) if position < len(words) else None

    def texts(self, start: int = 0) -> list[str]:
        """The words from `start` on, as texts."""
        return [self._text(word) for word in self.given.words[start:]]

    def command(self) -> list[str] | None:
        """The words after ``--``, as texts; None without it."""
        words = self.given.command
        return None if words is None else [self._text(word) for word in words]

    def app(self, position: int = 0) -> App:
        """The app that the word at `position` names: by its id, or as an `App` of the notebook's."""
        return self._app(self.given.words[position])

    def apps(self) -> list[App]:
        """The apps that the words name, each once."""
        return list(dict.fromkeys(self._app(word) for word in self.given.words))

    def _app(self, word: Word) -> App:
        value = expand(word, self.names)
        value = getattr(value, "app", value)  # an open page stands for its app
        if isinstance(value, App):
            return value
        try:
            return self.host[text_of(value)]
        except UnknownApp as error:  # the app's name was forgotten, or stands at the tool's place
            raise UnknownApp(f"{error}{owners(self.host, text_of(value))}") from None

    def view(self, position: int = 0) -> Any:
        """The open page that a word means: a variable, or the newest page of an app; the newest without one.

        Raises
        ------
        UsageError
            No such page is open.
        """
        views = self.host.views
        if position < len(self.given.words):
            value = expand(self.given.words[position], self.names)
            name = str(value) if isinstance(value, Typed) else ""
            if name in self.names:
                value = self.names.evaluate(name, name)
            if any(value is view for view in views):
                return value
            app = self.app(position)
            views = [view for view in views if view.app is app]
            if not views:
                raise UsageError(f"No page of {app.id} is open.")
        elif not views:
            raise UsageError("No page is open.")
        return views[-1]

    # -- options ---------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Whether the option is given."""
        return name in self.given.options

    def option(self, name: str) -> str | None:
        """The option's value as text, or None.

        Raises
        ------
        UsageError
            It is none of the option's choices.
        """
        words = self.given.options.get(name)
        if not words:
            return None
        text = self._text(words[-1])
        declared = self.verb.option(name)
        choices = declared.choices if declared else ()
        if not choices:
            return text
        found = next((choice for choice in choices if choice.casefold() == text.casefold()), None)
        if found is None:
            hint = did_you_mean(text, choices) or f" It is one of: {', '.join(choices)}"
            raise UsageError(f"{name}: there is no '{text}'.{hint}")
        return found

    def number(self, name: str, kind: type[int] | type[float]) -> Any:
        """The option's value as a number greater than 0, or None.

        Raises
        ------
        UsageError
            It is no such number.
        """
        text = self.option(name)
        if text is None:
            return None
        with contextlib.suppress(ValueError):
            number = kind(text)
            if 0 < number < float("inf"):
                return number
        what = "a whole number" if kind is int else "a number"
        raise UsageError(f"{name}: wanted {what} greater than 0, got '{text}'.")

    def table(self, name: str, separator: str, example: str) -> dict[str, str]:
        """The option's values, each a name and a text around `separator`.

        Raises
        ------
        UsageError
            One has no separator; its text is not repeated, it may be a secret.
        """
        table = {}
        for word in self.given.options.get(name, []):
            key, found, value = self._text(word).partition(separator)
            if not found or not key.strip():
                raise UsageError(f"{name} takes a name and a value: {name} {example}")
            table[key.strip()] = value.strip() if separator == ":" else value
        return table

    def binding(self) -> str | None:
        """The variable that ``--as`` names.

        Raises
        ------
        UsageError
            It can be none.
        """
        name = self.option("--as")
        if name is not None and (not name.isidentifier() or keyword.iskeyword(name)):
            raise UsageError(f"--as: '{name}' cannot be the name of a variable.")
        if name is not None and (hasattr(builtins, name) or (name.startswith("__") and name.endswith("__"))):
            raise UsageError(f"--as: '{name}' is Python's own name; take another one.")
        return name

    # -- arguments -------------------------------------------------------------------------------

    def values(self) -> dict[str, Any]:
        """What ``--args`` and the ``name=value`` words give; `Typed` text is still to be fitted."""
        values: dict[str, Any] = {}
        for word in self.given.options.get("--args", []):
            values |= mapping_of(word, self.names)
        for name, word in self.given.pairs.items():
            values[name] = plain_or_usage(expand(word, self.names), name)
        return values

    @contextlib.contextmanager
    def correcting(self, tool: str | None) -> Iterator[None]:
        """What is wrong with the arguments comes with a line of the magic to paste."""
        try:
            yield
        except arguments_.InvalidToolArguments as problem:
            words = ["%mcpapp", self.verb.name, self._short_name()]
            words += [written(tool)] if tool is not None else []
            words += [f"{name}={written(value)}" for name, value in problem.example.items()]
            raise problem.with_line(" ".join(words)) from None

    def _short_name(self) -> str:
        """The app as the line names it, for a line to paste."""
        value = expand(self.given.words[0], self.names)
        return written(str(value) if isinstance(value, Typed) else self.app().id)

    # -- servers ---------------------------------------------------------------------------------

    def running(self, app: App) -> App:
        """The app, started if it does not run.

        Raises
        ------
        McpAppsError
            It does not start, or may not.
        """
        if app.state is not State.RUNNING:
            work = app.astart()
            self.wait("Starting", {app: work})
            outcome(work)
        return app

    def called(self, app: App, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """The result of a tool; its server's progress is shown meanwhile."""
        news: list[str] = []

        def tell(done: float, total: float | None, message: str | None) -> None:
            news[:] = [app.hide(progress_text(done, total, message))]

        work = app.acall(tool, arguments, on_progress=tell)

        def conclusion(took: str) -> str:
            return f"{tool}: done in {took}." if succeeded(work) else f"{tool} did not succeed in {took}."

        visible = not self.host.config.is_headless()
        wait_for(
            [work],
            self.host.thread,
            lambda: f"{tool}: {news[0]}" if news else "",
            conclusion,
            visible=visible,
        )
        return outcome(work)

    def wait(self, doing: str, work: Mapping[App, Submitted[Any]]) -> None:
        """Wait for `work` on apps, and show after a moment what they print meanwhile."""

        def status() -> str:
            said = [line for app in work if (line := last_line(app))]
            return " ".join([f"{doing} {', '.join(app.id for app in work)}…", *said[-1:]])

        def conclusion(took: str) -> str:
            good = [app.id for app, each in work.items() if succeeded(each)]
            bad = [app.id for app in work if app.id not in good]
            parts = [f"{_DONE[doing]} {', '.join(good)} in {took}."] if good else []
            parts += [f"{doing} {', '.join(bad)} did not succeed in {took}."] if bad else []
            return " ".join(parts)

        visible = not self.host.config.is_headless()
        wait_for(list(work.values()), self.host.thread, status, conclusion, visible=visible)


def fitted(values: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """`values` with typed text read as `schema` wants it; objects stay what they are."""
    return {
        name: arguments_.coerce(name, str(value), schema) if isinstance(value, Typed) else value
        for name, value in values.items()
    }


def progress_text(done: float, total: float | None, message: str | None) -> str:
    """A server's progress as people read it: ``step 3 (3 of 8)``."""
    amount = f"{done:g} of {total:g}" if total is not None else f"{done:g}"
    text = clean_line(message or "", 100)
    return f"{text} ({amount})" if text else amount


def last_line(app: App) -> str:
    """The last line of the server's stderr, safe to show."""
    tail = app.log.stderr_tail(1)
    return clean_line(app.hide(tail[0]), 100) if tail else ""
