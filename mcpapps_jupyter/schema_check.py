"""JSON Schema validation that is cheap by construction, whatever the schema and the value.

Schemas come from servers and are checked on the thread that every app shares: one that would
take long must find nothing instead. The server checks what it gets by itself in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from itertools import islice
from typing import Any

_MOST_STEPS = 20_000
_MOST_SCHEMA = 2_000
_MOST_VALUE = 20_000
_MOST_ERRORS = 100
_DEEPEST = 100

#: Left out: a regular expression can run for ever and cannot be stopped; what the ``unevaluated``
#: keywords look at is evaluated again at each level.
_UNCHECKED = ("pattern", "patternProperties", "format", "unevaluatedItems", "unevaluatedProperties")
#: Compare or sort whole values.
_COMPARING = frozenset({"const", "enum", "uniqueItems"})
_REFERENCES = frozenset({"$ref", "$dynamicRef"})


class TooMuch(Exception):  # noqa: N818 - no failure: the check is given up
    """Checking this value against this schema would take too long."""


class _Budget:
    """What one check may still cost; `schema` and `value` are the weights of the two."""

    def __init__(self, schema: int, value: int) -> None:
        self._left = _MOST_STEPS
        self._schema = schema
        self._value = value

    def keyword(self, name: str, wanted: Any, given: Any) -> None:
        own = len(wanted) if isinstance(wanted, list | dict) else 0
        held = len(given) if isinstance(given, list | dict) else 0
        cost = 1 + (own + held) // 10 + own * held // 100
        if name in _REFERENCES:  # an anchor is looked for in the whole schema
            cost += self._schema // (50 if str(wanted).startswith("#/") else 2)
        elif name in _COMPARING and held:
            cost += self._value * (held if name == "uniqueItems" else 1)
        self._spend(cost)

    def error(self) -> None:
        self._spend(1 + self._value // 20)  # its message spells the value out

    def _spend(self, cost: int) -> None:
        self._left -= cost
        if self._left < 0:
            raise TooMuch


_budget: ContextVar[_Budget] = ContextVar("_budget")


class Check:
    """A schema, ready to check values.

    Parameters
    ----------
    schema
        JSON Schema 2020-12; nothing is fetched for its references.

    Raises
    ------
    TooMuch
        It is too large or nests too deep.
    Exception
        It is no schema; of whatever kind.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        from jsonschema import Draft202012Validator
        from jsonschema_specifications import REGISTRY

        self._weight = _weight(schema, _MOST_SCHEMA)
        Draft202012Validator.check_schema(schema, format_checker=None)
        # With a registry of its own: by default references to other addresses would be fetched.
        self._validator = _validator_class()(schema, registry=REGISTRY)

    def errors(self, value: Any) -> list[Any]:
        """The first ``jsonschema`` errors of `value`, at most 100: those that are soon found.

        Raises
        ------
        TooMuch
            `value` is too large or nests too deep.
        """
        token = _budget.set(_Budget(self._weight, _weight(value, _MOST_VALUE)))
        found: list[Any] = []
        try:
            for error in islice(self._validator.iter_errors(value), _MOST_ERRORS):
                found.append(error)
        except TooMuch:
            pass  # what was found until then is true all the same
        finally:
            _budget.reset(token)
        return found


def _weight(value: Any, most: int) -> int:
    """How much there is in `value`: its nodes, and a little for long texts."""
    weight = 0
    stack = [(value, 0)]
    while stack:
        node, depth = stack.pop()
        weight += 1
        if isinstance(node, Mapping):
            weight += sum(len(key) for key in node if isinstance(key, str)) // 100
            children = list(node.values())
        elif isinstance(node, list | tuple):
            children = list(node)
        else:
            weight += len(node) // 100 if isinstance(node, str) else 0
            children = []
        if weight + len(children) > most or depth > _DEEPEST:
            raise TooMuch
        stack += [(child, depth + 1) for child in children]
    return weight


@cache
def _validator_class() -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    plain = Draft202012Validator.VALIDATORS
    bounded = {name: _bounded(name, check) for name, check in plain.items()}
    validator_class: Any = extend(Draft202012Validator, {**bounded, **dict.fromkeys(_UNCHECKED, _unchecked)})
    evolve_plainly = validator_class.evolve

    def evolve(self: Any, **changes: Any) -> Any:
        """The same kind again: a ``$schema`` inside would bring the unbounded one back."""
        given = evolve_plainly(self, **changes)
        if type(given) is validator_class:
            return given
        schema = changes.get("schema", self.schema)
        resolver = changes.get("_resolver", self._resolver)
        return validator_class(schema, registry=self._registry, _resolver=resolver)

    validator_class.evolve = evolve
    return validator_class


def _bounded(name: str, check: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    def bounded(validator: Any, wanted: Any, given: Any, schema: Any) -> Iterator[Any]:
        budget = _budget.get()
        budget.keyword(name, wanted, given)
        if name == "additionalProperties" and "patternProperties" in schema:
            return  # which ones are additional is for expressions to say
        for error in check(validator, wanted, given, schema) or ():
            budget.error()
            yield error

    return bounded


def _unchecked(_validator: Any, _wanted: Any, _given: Any, _schema: Any) -> tuple[()]:
    return ()
