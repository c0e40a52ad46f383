"""Checks of JSON that other programs wrote, by the types that its values are declared to have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

# The types of JSON's values in messages.
WORDS = {dict: "an object", list: "a list", str: "a text", float: "a number"}


@dataclass(frozen=True)
class Mismatch:
    """A place in JSON whose value is not of the declared type."""

    path: str  # keys and positions, such as `jobs[2].options`; empty for the value itself
    expected: str  # the type in words
    value: Any = None  # the value
    missing: bool = False  # whether there is none


def mismatches(kind: Any, value: Any, path: str = "") -> Iterator[Mismatch]:
    """Yield where a value of JSON differs from its declared type, in the order of the declaration.

    `kind`: key → type; `[type]` or `list[type]`; `dict[str, type]`; `str`, `float`, `list`,
    `dict` or `Any`. What may be None may be missing.
    """
    if kind is Any or (value is None and _is_optional(kind)):
        return
    if isinstance(kind, UnionType):
        kind = next(part for part in get_args(kind) if part is not NoneType)
    origin, parts = get_origin(kind), get_args(kind)
    of_items = kind[0] if isinstance(kind, list) else parts[0] if origin is list else Any
    basic: Any = dict if isinstance(kind, dict) or origin is dict else list if of_items is not Any else origin or kind
    accepted: Any = (int, float) if basic is float else basic
    if not isinstance(value, accepted) or isinstance(value, bool):
        yield Mismatch(path, WORDS[basic], value)
    elif isinstance(kind, dict):
        for name, kind_of_entry in kind.items():
            place = f"{path}.{name}" if path else name
            if name in value or _is_optional(kind_of_entry):
                yield from mismatches(kind_of_entry, value.get(name), place)
            else:
                (expected, *_) = mismatches(kind_of_entry, None, place)
                yield replace(expected, missing=True)
    elif basic is dict and parts:
        for name, entry in value.items():
            yield from mismatches(parts[1], entry, f"{path}.{name}" if path else name)
    elif of_items is not Any:
        for position, entry in enumerate(value):
            yield from mismatches(of_items, entry, f"{path}[{position}]")


def _is_optional(kind: Any) -> bool:
    return kind is Any or (isinstance(kind, UnionType) and NoneType in get_args(kind))
