"""Strict JSON (distinct keys, numbers of any length, bounded nesting), and checks of JSON that other programs wrote."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, partial
from types import MappingProxyType, NoneType, UnionType
from typing import Any, get_args, get_origin

from splc.errors import InputError, Problem

Getter = Callable[[Any], Any]

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str, *, whole: bool = False, file: str | None = None) -> Any:
    """Return the value of a JSON text. All numbers become floats: infinite if they are too large, and NaN stays NaN.

    Errors have line and column in the text, if known. `whole`: whether whole numbers stay whole.
    """
    duplicates: list[str] = []

    def checked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            duplicates.extend(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        return values

    try:
        content = json.loads(text, parse_int=int if whole else float, object_pairs_hook=checked)
    except json.JSONDecodeError as error:
        raise InputError(Problem(f"not JSON: {error.msg}", file, error.lineno, error.colno)) from None
    except RecursionError:
        raise InputError(Problem("nested too deeply", file)) from None
    except ValueError:
        # Python refuses to read whole numbers of more than 4300 digits as such.
        raise InputError(Problem("a number has too many digits", file)) from None
    if duplicates:
        raise InputError(Problem(f"duplicate key {duplicates[0][:40]!r} in an object", file))
    if _SURROGATE.search(text):
        try:
            json.dumps(content, ensure_ascii=False).encode()
        except (UnicodeEncodeError, RecursionError):
            raise InputError(Problem("not JSON: a string has an unpaired surrogate", file)) from None
    return content


def plain_values(value: Any) -> Any:
    """Return a value in JSON's types: numbers and arrays of numpy as Python's, NaN and infinities as None.

    A dataclass is an object with its fields as keys. An iterator stays one, with values in JSON's types.
    """
    # Checks for abstract classes take longer, and most values are these.
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain_values(item) for item in value]
    if is_dataclass(value):
        return {field.name: plain_values(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Iterator):
        return map(plain_values, value)
    return plain_values(value.tolist()) if hasattr(value, "tolist") else value


def picked(source: Any, keys: str) -> dict[str, Any]:
    """Return key → value of an object; the keys of `"name, error = errors.mean"` are the name and `errors.mean`.

    Values are attributes, items of mappings, and numbers positions of tuples; a path ends early at None.
    """
    return {key: _value_at(path, source) for key, path in _paths(keys)}


def getter(path: str | int | Getter) -> Getter:
    """Return the function that gets the value of an object at a path, as for `picked`, or a position."""
    return path if callable(path) else partial(_value_at, str(path).split("."))


@cache
def _paths(keys: str) -> list[tuple[str, list[str]]]:
    pairs = [entry.partition("=")[::2] for entry in keys.split(",")]
    return [(key.strip(), (path or key).strip().split(".")) for key, path in pairs]


def _value_at(path: list[str], source: Any) -> Any:
    for name in path:
        if source is None:
            return None
        if name.isdecimal():
            source = source[int(name)]
        else:
            source = source.get(name) if isinstance(source, (dict, MappingProxyType)) else getattr(source, name)
    return source


WORDS = {dict: "an object", list: "a list", str: "a text", float: "a number"}  # the types of JSON's values in messages


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


def declared(kind: Any, value: Any, default: Any = None) -> Any:
    """Return a value of JSON if it has its declared type (see `mismatches`), else a default."""
    return default if any(True for _ in mismatches(kind, value)) else value


def _is_optional(kind: Any) -> bool:
    return kind is Any or (isinstance(kind, UnionType) and NoneType in get_args(kind))
