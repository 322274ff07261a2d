"""Tool arguments: checked against the input schema before any call, coerced from text, exemplified.

Pure but for the late import of ``jsonschema``, which takes most of a second in a JupyterLab
environment and is therefore paid at the first check and not at load.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mcpapps_jupyter.errors import InvalidArguments, did_you_mean, nearest
from mcpapps_jupyter.redact import shortened
from mcpapps_jupyter.schema_check import Check

_EXAMPLES: dict[str, Any] = {
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "array": [],
    "object": {},
    "null": None,
}


#: With one of these, arguments may be declared elsewhere than in ``properties``.
_ELSEWHERE = frozenset(
    {"patternProperties", "allOf", "anyOf", "oneOf", "if", "then", "else", "$ref", "$dynamicRef"}
    | {"dependentSchemas", "unevaluatedProperties"}
)

_MOST_VALIDATORS = 256
#: By the schema's identity; the schema is kept beside, so that no other one gets its identity.
_validators: dict[int, tuple[Mapping[str, Any], Check]] = {}


def properties(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The declared arguments of an input schema, by name."""
    declared = schema.get("properties")
    if not isinstance(declared, Mapping):
        return {}
    return {str(name): spec if isinstance(spec, Mapping) else {} for name, spec in declared.items()}


def required(schema: Mapping[str, Any]) -> list[str]:
    """The names of the required arguments."""
    names = schema.get("required")
    return [str(name) for name in names] if isinstance(names, list) else []


def kinds(spec: Mapping[str, Any]) -> list[str]:
    """The JSON types one argument takes, through ``anyOf``/``oneOf`` too; empty for any."""
    declared = spec.get("type")
    if isinstance(declared, str):
        return [declared]
    if isinstance(declared, list):
        return [str(kind) for kind in declared]
    found: list[str] = []
    for key in ("anyOf", "oneOf"):
        options = spec.get(key)
        for option in options if isinstance(options, list) else []:
            if isinstance(option, Mapping):
                found += [kind for kind in kinds(option) if kind not in found]
    return found


def describe(spec: Mapping[str, Any]) -> str:
    """What one argument wants, in a few words: its types or its allowed values."""
    choices = spec.get("enum")
    if isinstance(choices, list) and choices:
        return "one of " + ", ".join(json.dumps(choice, ensure_ascii=False) for choice in choices[:8])
    wanted = [kind for kind in kinds(spec) if kind != "null"]
    return " or ".join(wanted) or "any value"


def signature(schema: Mapping[str, Any]) -> str:
    """The arguments in one line, required ones first: ``storeId: integer, q?: string``."""
    declared, needed = properties(schema), required(schema)
    names = [name for name in declared if name in needed] + [name for name in declared if name not in needed]
    return ", ".join(f"{name}{'' if name in needed else '?'}: {describe(declared[name])}" for name in names)


def example(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that fit the required part of `schema`, to be pasted and changed."""
    declared = properties(schema)
    return {name: _example_value(name, declared.get(name, {})) for name in required(schema)}


def _example_value(name: str, spec: Mapping[str, Any]) -> Any:
    if "const" in spec:
        return spec["const"]
    if spec.get("default") is not None:
        return spec["default"]
    for key in ("examples", "enum"):
        values = spec.get(key)
        if isinstance(values, list) and values:
            return values[0]
    wanted = next((kind for kind in kinds(spec) if kind != "null"), "string")
    if wanted in ("integer", "number") and isinstance(spec.get("minimum"), int | float):
        return spec["minimum"]
    return _EXAMPLES.get(wanted, f"<{name}>")


def coerce(name: str, text: str, schema: Mapping[str, Any]) -> Any:
    """`text` of a ``key=value`` word as the type that the schema wants for `name`.

    Text that does not read as the wanted type is returned as it is: the check that follows
    says what was wanted. Without a schema, JSON is tried first.
    """
    spec = properties(schema).get(name)
    wanted = kinds(spec) if spec is not None else []
    if "string" in wanted and not ({"null"} <= set(wanted) and text == "null"):
        choices = (spec or {}).get("enum")
        if not (isinstance(choices, list) and text not in choices):
            return text
    lowered = text.lower()
    if "boolean" in wanted and lowered in ("true", "false", "yes", "no", "on", "off"):
        return lowered in ("true", "yes", "on")
    if "null" in wanted and lowered in ("null", "none"):
        return None
    try:
        value = json.loads(text, parse_constant=lambda constant: text)
    except RecursionError:
        return text
    except ValueError:
        if lowered in ("true", "false", "none") and not wanted:
            return {"true": True, "false": False, "none": None}[lowered]
        return text
    if wanted == ["integer"] and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def problems(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[str]:
    """What is wrong with `arguments`, one line each; empty when they fit.

    An undeclared argument is a problem here although JSON Schema lets it pass by default: in a
    cell it is a typing error far more often than a wish.
    """
    declared = properties(schema)
    found = []
    open_ended = schema.get("additionalProperties") not in (None, False) or not _ELSEWHERE.isdisjoint(schema)
    if "properties" in schema and not open_ended:
        for name in arguments:
            if name not in declared:
                hint = did_you_mean(name, declared) if declared else ""
                takes = f"it takes {signature(schema)}" if declared else "it takes no arguments"
                found.append(f"there is no argument {name!r}; {takes}.{hint}")
    for name in required(schema):
        if name not in arguments:
            spec = declared.get(name, {})
            about = spec.get("description")
            meaning = f": {about}" if isinstance(about, str) and len(about) < 120 else ""
            found.append(f"{name} is required ({describe(spec)}{meaning})")
    return found or schema_problems(schema, dict(arguments))


def schema_problems(schema: Mapping[str, Any], value: Any) -> list[str]:
    """Where `value` misses a JSON Schema, at most three lines.

    A broken schema finds nothing, nor does one whose check would take long, and no regular
    expression is tried: what is left is for the server to say.
    """
    try:
        errors = sorted(
            _validator(schema).errors(value), key=lambda error: list(map(str, error.absolute_path))
        )
    except Exception:  # noqa: BLE001 - the server's schema is its own mistake, of whatever kind; it decides
        return []
    return [_in_words(error, properties(schema)) for error in errors[:3]]


def _validator(schema: Mapping[str, Any]) -> Check:
    """A check for `schema`. Making one takes longer than a call, so the last ones are kept."""
    kept = _validators.get(id(schema))
    if kept is not None:
        return kept[1]
    validator = Check(schema)
    if len(_validators) >= _MOST_VALIDATORS:
        _validators.pop(next(iter(_validators)), None)
    _validators[id(schema)] = schema, validator
    return validator


def warm_up() -> None:
    """Load what the first check needs, ahead of it and on any thread."""
    _validator({})


def _in_words(error: Any, declared: Mapping[str, Mapping[str, Any]]) -> str:
    path = [str(part) for part in error.absolute_path]
    given = shortened(json.dumps(error.instance, ensure_ascii=False, default=str), 60)
    if len(path) == 1 and error.validator in ("type", "anyOf", "oneOf", "enum"):
        return f"{path[0]} must be {describe(declared.get(path[0], {}))}, got {given}"
    where = ".".join(path) or "the arguments"
    message = error.message if len(error.message) < 160 else error.message[:160] + "…"
    return f"{where}: {message}"


class InvalidToolArguments(InvalidArguments):
    """Arguments that do not fit a tool's input schema.

    Attributes
    ----------
    problem
        What is wrong, in words.
    example
        Arguments that would fit, for a line to paste.
    """

    def __init__(
        self, tool: str, found: list[str], schema: Mapping[str, Any], given: Mapping[str, Any]
    ) -> None:
        self.tool = tool
        self.problem = "; ".join(found)
        declared = properties(schema)
        kept = {
            name: value if _fits(schema, name, value) else _example_value(name, declared[name])
            for name, value in given.items()
            if name in declared
        }
        self.example = {**example(schema), **_meant(schema, given), **kept}
        super().__init__(f"{tool}: {self.problem}")

    def with_line(self, line: str) -> InvalidToolArguments:
        """The same error, with a line that the person can paste."""
        end = "" if self.problem.endswith("?") else "."
        self.args = (f"{self.tool}: {self.problem.rstrip('.')}{end} Paste: {line}",)
        return self


def _meant(schema: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given under a misspelled name, under the only declared one near it."""
    declared = properties(schema)
    meant: dict[str, Any] = {}
    for name, value in given.items():
        near = [] if name in declared else [other for other in nearest(name, declared) if other not in given]
        if len(near) == 1:
            [other] = near
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            fitting = [each for each in (value, coerce(other, text, schema)) if _fits(schema, other, each)]
            meant[other] = fitting[0] if fitting else _example_value(other, declared[other])
    return meant


def _fits(schema: Mapping[str, Any], name: str, value: Any) -> bool:
    spec = properties(schema).get(name, {})
    definitions = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    return not schema_problems({**definitions, "properties": {name: spec}}, {name: value})


def check(tool: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Raise when `arguments` do not fit.

    Raises
    ------
    InvalidToolArguments
        Says what the schema wants, before any call is made.
    """
    found = problems(schema, arguments)
    if found:
        raise InvalidToolArguments(tool, found, schema, arguments)
