"""What a word stands for: variables and expressions are replaced; a whole word of one keeps the object."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Mapping
from typing import Any

from IPython.core.error import UsageError

from mcpapps_jupyter.errors import did_you_mean
from mcpapps_jupyter.magics.words import Chunk, Word, closing, sections
from mcpapps_jupyter.plain import NotPlainError, plain
from mcpapps_jupyter.redact import shortened

_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_VARIABLE = re.compile(rf"\$(\$|{_NAME})")
_WHOLE_VARIABLE = re.compile(rf"\$({_NAME})")
# ${env:NAME} and ${python} are for the manifest to expand.
_MANIFEST_VARIABLE = re.compile(r"\$\{[^{}]*\}")
_BARE_KEY = re.compile(r"(?<=[{,\s])([^\W\d]\w*)(?=\s*:)")
_NO_VALUE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, type)


class Typed(str):
    """Text as it was typed, to be read as whatever is wanted; a `str` object of the user's is not one."""

    __slots__ = ()


class Names:
    """The variables of the cell.

    Parameters
    ----------
    user : dict
        The notebook's variables.
    local : mapping, optional
        Those of a function that runs the magic.
    """

    def __init__(self, user: dict[str, Any], local: Mapping[str, Any] | None = None) -> None:
        self._names = user if local is None or local is user else {**user, **local}

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def evaluate(self, expression: str, shown: str) -> Any:
        """The value of a Python expression.

        Raises
        ------
        UsageError
            In one line; `shown` is how the expression stands in the line.
        """
        try:
            value = eval(_compiled(expression), self._names)  # noqa: S307 - the user's own cell
        except NameError as error:
            missing = getattr(error, "name", None) or expression
            hint = did_you_mean(missing, [name for name in self._names if not name.startswith("_")])
            literal = f"$${missing}" if shown.startswith("$") else f"{{{{{expression}}}}}"
            raise UsageError(
                f"{shown}: there is no variable '{missing}'.{hint} For the text itself write {literal}"
            ) from None
        except Exception as error:  # noqa: BLE001 - whatever the expression raises is the user's, in one line
            raise UsageError(f"{shown}: {type(error).__name__}: {' '.join(str(error).split())}") from None
        if isinstance(value, _NO_VALUE):
            raise UsageError(f"{shown} is {_kind(value)}, not a value. For the text itself write {{{shown}}}")
        return value

    def longest(self, dotted: str) -> tuple[Any, str]:
        """The value of as much of ``name.attribute…`` as there is, and the rest as text: ``$name.csv``.

        Raises
        ------
        UsageError
            There is no such variable at all.
        """
        name, *attributes = dotted.split(".")
        value = self.evaluate(name, f"${name}")
        while attributes and hasattr(value, attributes[0]):
            value = getattr(value, attributes.pop(0))
        return value, "".join(f".{attribute}" for attribute in attributes)


def _kind(value: Any) -> str:
    if isinstance(value, types.ModuleType):
        return "a module"
    return "a class" if isinstance(value, type) else "a function"


def _compiled(expression: str) -> Any:
    return compile(expression.strip(), "<magic>", "eval")


def _is_expression(text: str) -> bool:
    try:
        _compiled(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def expand(word: Word, names: Names) -> Any:
    """What `word` stands for.

    ``{expression}`` and ``$name`` give their object; JSON stays as it is; ``{"a": x}`` gives the dict. Inside
    other text an expression becomes its text. ``{{…}}`` and ``$$`` stand for braces and dollar themselves;
    a dollar in single quotes is text, as in a shell.

    Returns
    -------
    Typed or Any
        `Typed` for text, otherwise the object.

    Raises
    ------
    UsageError
        An expression fails, or names what does not exist.
    """
    text = word.text
    match = _WHOLE_VARIABLE.fullmatch(text)
    if match and word.chunks[0].quote != "'":
        value, rest = names.longest(match[1])
        return Typed(text_of(value) + rest) if rest else value
    if text.startswith(("{", "[")) and _is_json(text):
        return Typed(text)
    if text.startswith("{") and closing(text, 0) == len(text) - 1 and not _escaped(text):
        for expression in (text[1:-1], text):
            if _is_expression(expression):
                return names.evaluate(expression, text)
    return Typed("".join(_expanded(chunk, names) for chunk in word.chunks))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _escaped(section: str) -> bool:
    """Whether a piece in braces is one in doubled braces."""
    return section.startswith("{{") and closing(section, 1) == len(section) - 2


def _expanded(chunk: Chunk, names: Names) -> str:
    kept = _MANIFEST_VARIABLE.split(chunk.text)
    between = _MANIFEST_VARIABLE.findall(chunk.text)
    parts = [_replaced(text, names, dollars=chunk.quote != "'") for text in kept]
    return "".join(part + own for part, own in zip(parts, [*between, ""], strict=True))


def _replaced(text: str, names: Names, *, dollars: bool) -> str:
    def variable(match: re.Match[str]) -> str:
        if match[1] == "$":
            return "$"
        value, rest = names.longest(match[1])
        return text_of(value) + rest

    parts = []
    for piece, in_braces in sections(text):
        inner = piece[1:-1]
        if not in_braces:
            parts.append(_VARIABLE.sub(variable, piece) if dollars else piece)
        elif _escaped(piece):
            parts.append("{" + _replaced(piece[2:-2], names, dollars=dollars) + "}")
        elif inner.strip() and _is_expression(inner):
            parts.append(text_of(names.evaluate(inner, piece)))
        else:
            parts.append("{" + _replaced(inner, names, dollars=dollars) + "}")
    return "".join(parts)


def text_of(value: Any) -> str:
    """`value` as text: what JSON can say as JSON, the rest as ``str`` does it."""
    if isinstance(value, str):
        return str(value)
    try:
        value = plain(value)
    except NotPlainError:
        return str(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def mapping_of(word: Word, names: Names) -> dict[str, Any]:
    """The arguments that ``--args`` gives: JSON, an expression, or a variable by its name.

    Raises
    ------
    UsageError
        It is none of these, or no dict.
    """
    try:
        value = expand(word, names)
    except UsageError:
        _check_keys(word.text, names)
        raise
    if isinstance(value, Typed) and value.isidentifier() and value in names:
        value = names.evaluate(value, value)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            _check_keys(value, names)
            raise UsageError(
                f"--args: {_cut(value)!r} is neither JSON ({error}) nor a variable. "
                'Write for example --args {"storeId": 1}'
            ) from None
    if not isinstance(value, Mapping):
        raise UsageError(f"--args: wanted a JSON object or a dict, got {type(value).__name__}.")
    return {str(key): plain_or_usage(item, f"--args: {key}") for key, item in value.items()}


def _check_keys(text: str, names: Names) -> None:
    """Raise when `text` would be a dict or a JSON object if its keys had quotes; JavaScript's need none."""
    bare = [key for key in _BARE_KEY.findall(text) if key not in names]
    quoted = _BARE_KEY.sub(r'"\1"', text)
    if bare and (_is_json(quoted) or _is_expression(quoted)):
        raise UsageError(f"--args: keys need quotes: --args {quoted}")


def plain_or_usage(value: Any, what: str) -> Any:
    """`value` as JSON can say it; `Typed` text stays what it is.

    Raises
    ------
    UsageError
        JSON cannot say it.
    """
    if isinstance(value, Typed):
        return value
    try:
        return plain(value)
    except NotPlainError as error:
        raise UsageError(f"{what}: {error}") from None


def _cut(text: str) -> str:
    return shortened(text, 60)


def written(value: Any) -> str:
    """`value` as a word of the line: reading that word gives the value again."""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False, default=str)
    if re.fullmatch(r"[^\s'\"{}$#\[\];-][^\s'\"{}$;]*", value):
        return value
    if re.search(r"[{}$\x00-\x1f\x7f]", value) or ("'" in value and '"' in value) or value.endswith("\\"):
        return f"{{{value!r}}}"
    quote = "'" if '"' in value else '"'
    return f"{quote}{value}{quote}"
