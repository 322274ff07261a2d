"""Python values as JSON can say them: what a notebook has at hand, NumPy's and pandas' values included."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import os
import uuid
from collections.abc import Mapping
from typing import Any


class NotPlainError(TypeError):
    """A value that JSON cannot say; the text names its type."""


def plain(value: Any) -> Any:
    """`value` as dicts, lists, texts, numbers, booleans and None.

    Raises
    ------
    NotPlainError
        It has no such form. A set has none either: JSON has no sets, and ``{x}`` is more often meant as a
        place holder than as a set.
    """
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool):
        return value
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)  # also of a subclass, such as NumPy's float64
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | range):
        return [plain(item) for item in value]
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, uuid.UUID):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    return _foreign(value)


def _key(key: Any) -> str:
    return key if isinstance(key, str) else str(plain(key))


def _foreign(value: Any) -> Any:
    """Values of other packages, known by what they can do: none of those packages need be imported."""
    if isinstance(value, type):
        raise NotPlainError(_refusal(value))
    if callable(getattr(value, "model_dump", None)):  # pydantic
        return plain(value.model_dump(mode="json"))
    if callable(getattr(value, "iterrows", None)):  # a table of pandas: one object a row
        return plain(value.to_dict(orient="records"))
    for method in ("tolist", "to_list", "item"):  # NumPy, pandas, polars
        if callable(getattr(value, method, None)):
            found = getattr(value, method)()
            if found is value or type(found) is type(value):
                break
            return plain(found)
    raise NotPlainError(_refusal(value))


def _refusal(value: Any) -> str:
    if isinstance(value, set | frozenset):
        return "a set cannot be sent, JSON has none; write a list, and names in braces without braces"
    return f"a value of type {type(value).__name__} cannot be sent as JSON"
