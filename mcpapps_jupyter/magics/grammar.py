"""What a verb's line may hold, as a table that parsing, help and completion share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from IPython.core.error import UsageError

from mcpapps_jupyter.magics.words import Word

Kind = Literal["app", "tool", "page", "prompt", "uri", "path", "id", "address", "verb"]


@dataclass(frozen=True)
class Slot:
    """A word that stands at its place.

    Attributes
    ----------
    name : str
        As help shows it, in capitals.
    kind : str
        What it names; completion knows by it what to offer.
    required, many : bool
        Whether it must be there, and whether it may stand more than once.
    """

    name: str
    kind: Kind
    required: bool = True
    many: bool = False

    def __str__(self) -> str:
        shown = self.name + ("…" if self.many else "")
        return shown if self.required else f"[{shown}]"


@dataclass(frozen=True)
class Option:
    """An option.

    Attributes
    ----------
    name : str
        With its dashes.
    value : str
        What follows it, as help shows it; empty for a switch.
    help : str
        What it does.
    choices : tuple of str
        The values it takes, where they are few.
    many : bool
        Whether it may be given more than once.
    """

    name: str
    value: str
    help: str
    choices: tuple[str, ...] = ()
    many: bool = False

    def __str__(self) -> str:
        shown = f"{self.name} {self.value}" if self.value else self.name
        return f"[{shown}]" + ("…" if self.many else "")


@dataclass(frozen=True)
class Verb:
    """One verb of the magic.

    Attributes
    ----------
    name, summary : str
        What to type, and what it does.
    run : callable
        Does it; gets an `Invocation`, gives what the cell shows.
    slots, options : tuple
        What its line may hold.
    pairs : bool
        Whether ``name=value`` words are arguments.
    command : bool
        Whether a command may follow after ``--``.
    examples : tuple of str
        Lines to copy.
    forms : tuple of str
        The whole line, in as many forms as it has; made of the rest by default.
    short : str
        What stands behind the verb in the overview; the slots by default.
    """

    name: str
    summary: str
    run: Callable[[Any], Any]
    slots: tuple[Slot, ...] = ()
    options: tuple[Option, ...] = ()
    pairs: bool = False
    command: bool = False
    examples: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    short: str = ""

    def option(self, name: str) -> Option | None:
        """The option of this name."""
        return next((option for option in self.options if option.name == name), None)

    def slot(self, position: int) -> Slot | None:
        """The slot that the word at this position fills."""
        if position < len(self.slots):
            return self.slots[position]
        return self.slots[-1] if self.slots and self.slots[-1].many else None

    @property
    def usage(self) -> str:
        """The whole line in one, without its options."""
        if self.forms:
            return "  or  ".join(self.forms)
        return " ".join(
            [f"%mcpapp {self.name}", *map(str, self.slots), *(["[key=value…]"] if self.pairs else [])]
        )


@dataclass
class Given:
    """The words of one line, sorted by what they are; nothing in them is expanded yet."""

    words: list[Word] = field(default_factory=list)
    pairs: dict[str, Word] = field(default_factory=dict)
    options: dict[str, list[Word]] = field(default_factory=dict)
    command: list[Word] | None = None


class Hints(Protocol):
    """Knows the apps, for what is right in place of what was typed."""

    def no_option(self, given: Given, name: str, value: str | None) -> str:
        """What to write instead of an option that there is none of."""

    def no_app(self, given: Given) -> str:
        """What to say where words are missing and the first one names no app; empty where it does."""


def parse(verb: Verb, words: Sequence[Word], hints: Hints) -> Given:
    """Sort the words after a verb.

    Raises
    ------
    UsageError
        An unknown option, one without its value, too many words or too few.
    """
    given = Given()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        pair = word.pair() if verb.pairs else None
        if word.is_separator and verb.command:
            given.command, rest = rest, []
        elif word.is_option:
            _take_option(verb, given, word, rest, hints)
        elif pair is not None:
            name, value = pair
            if name in given.pairs:
                raise UsageError(f"{name} is given twice.")
            given.pairs[name] = value
        else:
            given.words.append(word)
    _check(verb, given, hints)
    return given


def _take_option(verb: Verb, given: Given, word: Word, rest: list[Word], hints: Hints) -> None:
    name, equals, _ = word.chunks[0].text.partition("=")
    option = verb.option(name)
    if option is None:
        if verb.command and len(given.words) >= len(verb.slots):
            given.words.append(word)  # of a command whose "--" was forgotten, which is said later
            return
        following = rest[0] if rest and not rest[0].is_option else None
        value = word.after(len(name) + 1) if equals else following
        hint = hints.no_option(given, name, value.text if value is not None else None)
        raise UsageError(f"{verb.name} has no option {name}.{hint}")
    values = given.options.setdefault(name, [])
    if values and not option.many:
        raise UsageError(f"{name} is given twice.")
    if not option.value:
        if equals:
            raise UsageError(f"{name} takes no value.")
        values.append(word)
    elif equals:
        values.append(word.after(len(name) + 1))
    elif not rest or rest[0].is_separator or (rest[0].is_option and verb.option(rest[0].text) is not None):
        raise UsageError(f"{name} needs a value: {option.name} {option.value}")
    else:
        values.append(rest.pop(0))


def _check(verb: Verb, given: Given, hints: Hints) -> None:
    if given.words and verb.slot(len(given.words) - 1) is None and not verb.command:
        extra = given.words[len(verb.slots)].text
        if verb.pairs:
            raise UsageError(
                f"'{extra}' has no name: arguments are written name=value, without spaces around '=', and in "
                "quotes where they have spaces inside."
            )
        raise UsageError(f"'{extra}' is one word too many: {verb.usage}")
    missing = [slot.name for slot in verb.slots[len(given.words) :] if slot.required]
    if missing:
        if no_app := hints.no_app(given):
            raise UsageError(no_app)
        raise UsageError(f"{verb.name} needs {' and '.join(missing)}: {verb.usage}")
