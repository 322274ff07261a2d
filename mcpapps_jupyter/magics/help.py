"""The help texts, made from the table of verbs."""

from __future__ import annotations

import html
import textwrap

from IPython.core.error import UsageError

from mcpapps_jupyter.errors import did_you_mean
from mcpapps_jupyter.magics.grammar import Verb
from mcpapps_jupyter.magics.shown import Note
from mcpapps_jupyter.magics.verbs import VERBS

_NOTES = """
Arguments are key=value words, quoted where they have spaces: q="a b". {expression} and $name stand for
their Python value, all arguments at once are --args {"storeId": 1} or --args {payload}, and --as NAME keeps
the result. APP is an id or its beginning. The same in Python: mcpapps.get_host()["grocery"].call(…)
"""


class Help(Note):
    """A help text."""

    def _repr_html_(self) -> str:
        return f'<pre style="white-space:pre-wrap">{html.escape(self.text)}</pre>'


def help_on(name: str | None) -> Help:
    """All verbs on one screen, or one verb in full.

    Raises
    ------
    UsageError
        There is no such verb.
    """
    return Help(overview() if name is None else details(find_verb(name)))


def find_verb(name: str) -> Verb:
    """The verb of this name.

    Raises
    ------
    UsageError
        With the nearest verbs.
    """
    verb = VERBS.get(name.casefold())
    if verb is None:
        hint = did_you_mean(name, VERBS) or " %mcpapp alone lists them."
        raise UsageError(f"There is no verb '{name}'.{hint}")
    return verb


def overview() -> str:
    """Every verb with what it takes and does."""
    lines = [(_short(verb), verb.summary) for verb in VERBS.values()]
    width = max(len(usage) for usage, _ in lines)
    table = [f"  {usage:{width}}  {summary}" for usage, summary in lines]
    return "\n".join(["%mcpapp VERB …, and %mcpapp help VERB for its options", *table, _NOTES.rstrip()])


def _short(verb: Verb) -> str:
    words = [verb.short] if verb.short else [*map(str, verb.slots), *(["key=value…"] if verb.pairs else [])]
    return " ".join([verb.name, *words])


def details(verb: Verb) -> str:
    """One verb: its forms, its options, examples."""
    parts = [f"{verb.name}: {verb.summary}", "\n".join(f"  {form}" for form in verb.forms or (verb.usage,))]
    if verb.options:
        heads = [f"{option.name} {option.value}".strip() for option in verb.options]
        width = max(map(len, heads))
        parts.append(
            "\n".join(
                textwrap.fill(
                    option.help + (f": {', '.join(option.choices)}" if option.choices else ""),
                    108,
                    initial_indent=f"  {head:{width}}  ",
                    subsequent_indent=" " * (width + 4),
                )
                for head, option in zip(heads, verb.options, strict=True)
            )
        )
    if verb.examples:
        parts.append("\n".join(f"  {example}" for example in verb.examples))
    return "\n\n".join(parts)
