"""Completion of ``%mcpapp`` lines: from what is known already, never by starting a server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

from mcpapps_jupyter import arguments as arguments_
from mcpapps_jupyter.app import App
from mcpapps_jupyter.host import Host
from mcpapps_jupyter.magics.grammar import Given, Option, Verb
from mcpapps_jupyter.magics.known import Known
from mcpapps_jupyter.magics.verbs import VERBS
from mcpapps_jupyter.magics.words import Word, split
from mcpapps_jupyter.registry import capabilities

IDENTIFIER = "mcpapps_jupyter.magics"
# At the line's start also without %, as IPython runs it; behind "name =" only with it.
_LINE = re.compile(r"(?:^\s*%?|^[^#'\"%]*=\s*%)mcpapp[ \t]+(.*)$", re.DOTALL)


def matcher(host: Host) -> Callable[[CompletionContext], SimpleMatcherResult]:
    """The completion of this host's lines, for ``ipython.Completer.custom_matchers``."""

    def complete(context: CompletionContext) -> SimpleMatcherResult:
        match = _LINE.match(_logical_line(context))
        fragment, found = completions(host, match[1]) if match else ("", None)
        kinds = [SimpleCompletion(text=text, type=kind) for text, kind in found or ()]
        return SimpleMatcherResult(
            completions=_Nothing() if found == [] else kinds,
            matched_fragment=fragment,
            suppress=found is not None,
            ordered=True,
        )

    marked: Callable[[CompletionContext], SimpleMatcherResult] = context_matcher(
        identifier=IDENTIFIER, priority=200
    )(complete)
    return marked


class _Nothing(list[SimpleCompletion]):
    """No completions, and none of others: IPython lets nobody silence the rest who offers nothing himself."""

    def __len__(self) -> int:
        return 1


def _logical_line(context: CompletionContext) -> str:
    """The line up to the cursor, with the lines before that a backslash continues."""
    lines = context.full_text.split("\n")[: context.cursor_line]
    text = context.text_until_cursor
    while lines and lines[-1].endswith("\\"):
        text = f"{lines.pop()[:-1]} {text}"
    return text


Found = list[tuple[str, str]]


def completions(host: Host, line: str) -> tuple[str, Found | None]:
    """What may stand at the end of `line` (the magic's, up to the cursor).

    Returns
    -------
    fragment : str
        The part of the line that a completion replaces.
    found : list of (text, kind) or None
        What may replace it, in order; None where files or Python's names may stand.
    """
    words = split(line, strict=False)
    last = words.pop() if words and not line[-1:].isspace() else None
    if last is None or not words:
        fragment = line[last.start :] if last else ""
        if not words:
            return fragment, _beginning(fragment, VERBS, "verb")
    verb = VERBS.get(words[0].text.casefold()) if words else None
    fragment = line[last.start :] if last else ""
    if verb is None:
        return fragment, []
    if any(word.is_separator for word in words):
        return fragment, None
    known = _Line(host, verb, words[1:])
    fragment, found = known.complete(fragment)
    return fragment, found if found or known.is_closed(last) else None


def _beginning(fragment: str, names: Iterable[str], kind: str) -> Found:
    wanted = fragment.casefold()
    return [(name, kind) for name in names if name.casefold().startswith(wanted)]


class _Line:
    """A line of which everything before the fragment is known."""

    def __init__(self, host: Host, verb: Verb, words: list[Word]) -> None:
        self._host = host
        self._verb = verb
        self._known = Known(host, verb)
        self._given = Given()
        self._open_option = self._sort(words)

    def _sort(self, words: list[Word]) -> Option | None:
        """Sort the words as far as they go; returns the option whose value comes next."""
        rest = list(words)
        while rest:
            word = rest.pop(0)
            pair = word.pair() if self._verb.pairs else None
            if word.is_option:
                name, equals, _ = word.text.partition("=")
                option = self._verb.option(name)
                if option is None:
                    continue
                self._given.options.setdefault(name, [])
                if option.value and not equals:
                    if not rest:
                        return option
                    rest.pop(0)
            elif pair is not None:
                self._given.pairs[pair[0]] = pair[1]
            else:
                self._given.words.append(word)
        return None

    def complete(self, fragment: str) -> tuple[str, Found]:
        if self._open_option is not None:
            return fragment, _beginning(fragment, self._values(self._open_option), "value")
        if fragment.startswith("-"):
            return self._complete_option(fragment)
        name, equals, value = fragment.partition("=")
        if self._verb.pairs and equals:
            return value, _beginning(value, self._choices(name), "value")
        found = self._in_slot(fragment)
        if self._verb.pairs:
            found += _beginning(
                fragment, (f"{name}=" for name in self._known.argument_names(self._given)), "param"
            )
        return fragment, found

    def is_closed(self, last: Word | None) -> bool:
        """Whether nothing else may stand in the place of the last word than what is known here."""
        text = last.text if last else ""
        if "{" in text or "$" in text:
            return False
        option = self._open_option
        if option is None and text.startswith("-") and "=" in text:
            option = self._verb.option(text.partition("=")[0])
        if option is not None:
            return bool(option.choices) or option.name in ("--tag", "--capability")
        slot = self._verb.slot(len(self._given.words))
        return slot is None or (slot.kind != "path" and slot.name != "VIEW")

    def _complete_option(self, fragment: str) -> tuple[str, Found]:
        name, equals, value = fragment.partition("=")
        option = self._verb.option(name)
        if equals:
            return value, _beginning(value, self._values(option), "value") if option else []
        free = [each.name for each in self._verb.options if each.many or each.name not in self._given.options]
        return fragment, _beginning(fragment, free, "option")

    def _values(self, option: Option) -> Iterable[str]:
        if option.name == "--tag":
            manifests = (app.definition.parsed.manifest for app in self._host)
            return sorted({tag for manifest in manifests if manifest for tag in manifest.tags})
        if option.name == "--capability":
            return sorted({each for app in self._host for each in capabilities(app)})
        return option.choices

    # -- words -----------------------------------------------------------------------------------

    def _in_slot(self, fragment: str) -> Found:
        slot = self._verb.slot(len(self._given.words))
        if slot is None:
            return []
        if slot.kind == "app":
            return self._apps(fragment)
        if slot.kind == "verb":
            return _beginning(fragment, VERBS, "verb")
        app = self._known.app(self._given)
        return _beginning(fragment, _offers(app, slot.kind), slot.kind) if app else []

    def _apps(self, fragment: str) -> Found:
        given = {word.text.casefold() for word in self._given.words}
        return _beginning(fragment, (app.id for app in self._host if app.id.casefold() not in given), "app")

    # -- arguments -------------------------------------------------------------------------------

    def _choices(self, name: str) -> list[str]:
        """The values that an argument may have, where they are few."""
        spec = arguments_.properties(self._known.schema(self._given)).get(name, {})
        return list(dict.fromkeys(_choices_of(spec)))


def _choices_of(spec: Mapping[str, Any]) -> Iterable[str]:
    values = spec.get("enum")
    for value in values if isinstance(values, list) else []:
        yield value if isinstance(value, str) else json.dumps(value)
    if "const" in spec:
        yield spec["const"] if isinstance(spec["const"], str) else json.dumps(spec["const"])
    if spec.get("type") == "boolean":
        yield from ("true", "false")
    for key in ("anyOf", "oneOf"):
        options = spec.get(key)
        for option in options if isinstance(options, list) else []:
            if isinstance(option, Mapping):
                yield from _choices_of(option)


def _offers(app: App, kind: str) -> list[str]:
    """What an app that was listed offers of a kind."""
    catalogue = app.catalogue
    if kind == "tool":
        return [tool.name for tool in catalogue.tools]
    if kind == "page":
        return [tool.name for tool in catalogue.pages]
    if kind == "prompt":
        return [str(prompt.get("name")) for prompt in catalogue.prompts]
    if kind == "uri":
        return [str(resource.get("uri")) for resource in catalogue.resources]
    return []
