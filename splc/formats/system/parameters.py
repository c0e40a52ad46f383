"""Parameters of ConfigSpace as options."""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from splc.errors import InputError, nearest
from splc.io.numbers import number_text
from splc.system.definition import alternative_options
from splc.system.options import BinaryOption, NumericOption

RANGES = ("uniform_int", "normal_int", "beta_int", "uniform_float", "normal_float", "beta_float")
LISTS = {"categorical": "choices", "ordinal": "sequence"}
# The most values of a range, and the number of levels of a range that has more.
MAX_VALUES, LEVELS = 100_000, 10


@dataclass(frozen=True)
class SpaceParameter:
    """A parameter."""

    # its option; for texts the option that it has a value, then those of the texts
    options: tuple[BinaryOption | NumericOption, ...]
    values: tuple[Any, ...]  # its values, in their order

    @property
    def name(self) -> str:
        """The name of its option."""
        return self.options[0].name

    @property
    def is_truth(self) -> bool:
        """Whether its values are true and false."""
        return len(self.options) == 1 and isinstance(self.options[0], BinaryOption)

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers."""
        return isinstance(self.options[0], NumericOption)

    def position(self, value: Any) -> int:
        """Return the position of a value."""
        # True equals 1.
        positions = [
            at for at, candidate in enumerate(self.values) if type(candidate) is type(value) and candidate == value
        ]
        if not positions:
            raise InputError(f"{self.name} is never {shown(value)}")
        return positions[0]


def parameter_of(
    entry: Mapping[str, Any],
    line: int | None,
    taken: Container[str],
    notes: list[str],
    *,
    conditional: bool,
    stated: Collection[Any] = (),
) -> SpaceParameter:
    """Return a parameter."""
    name, kind = entry["name"], entry.get("type")
    if kind in RANGES:
        values: tuple[Any, ...] = _range(name, entry, notes, stated)
    elif kind == "constant" and not isinstance(entry.get("value"), dict | list):
        values = (entry.get("value"),)
    elif kind in (*LISTS,):
        listed = entry.get(LISTS[kind])
        if not isinstance(listed, list) or not listed or any(isinstance(item, dict | list) for item in listed):
            raise InputError(f"{name} has no list of values in {LISTS[kind]!r}")
        values = tuple(listed)
        if len({(type(value), value) for value in values}) < len(values):
            raise InputError(f"{name} has a value twice")
    else:
        known_types = (*RANGES, *LISTS, "constant")
        hint = nearest(str(kind), known_types) or f"known are: {', '.join(known_types)}"
        raise InputError(f"{name} has the unknown type {kind!r}", hint=hint)
    if set(map(type, values)) == {bool} and True in values:
        optional = conditional or len(values) > 1
        return SpaceParameter((BinaryOption(name, optional=optional, line=line),), values)
    if all(isinstance(value, float) and math.isfinite(value) for value in values):
        numbers = tuple(sorted(values))
        flag = min(-1.0, numbers[0] - 1) if conditional else None
        return SpaceParameter((NumericOption(name, numbers, deselected_flag=flag, line=line),), values)
    texts = [shown(value) for value in values]
    if len(set(texts)) < len(texts):
        raise InputError(f"{name} has values that are the same text")
    parent, *members = alternative_options(name, texts, taken)
    return SpaceParameter((replace(parent, optional=conditional, line=line), *members), values)


def _range(name: str, entry: Mapping[str, Any], notes: list[str], stated: Collection[Any]) -> tuple[float, ...]:
    """Return the values of a range; one of any real number, or of very many, has levels."""
    lower, upper, step = (entry.get(key) for key in ("lower", "upper", "q"))
    is_integer = str(entry["type"]).endswith("_int")
    if not (isinstance(lower, float) and isinstance(upper, float) and math.isfinite(upper - lower)):
        raise InputError(f"{name} has no bounds: 'lower' and 'upper' are not two numbers")
    if upper < lower:
        raise InputError(f"{name} has no values: {number_text(lower)} is above {number_text(upper)}")
    if step is None and is_integer:
        step = 1.0
    if isinstance(step, float) and step > 0 and (upper - lower) / step < MAX_VALUES:
        size = (upper - lower) / step + 1e-9
        return tuple(float(f"{lower + at * step:.14g}") for at in range(int(size) + 1))
    is_log = entry.get("log") is True and lower > 0
    spaced = (np.geomspace if is_log else np.linspace)(lower, upper, LEVELS)
    levels = {float(f"{value:.6g}") for value in spaced[1:-1].tolist()}
    levels = {float(round(value)) for value in levels} if is_integer else levels
    default = entry.get("default", entry.get("default_value"))
    known = {value for value in (default, *stated) if isinstance(value, float) and lower <= value <= upper}
    kind, values = "whole" if is_integer else "real", tuple(sorted({lower, upper, *levels, *known}))
    notes.append(
        f"{name} is any {kind} number from {number_text(lower)} to {number_text(upper)}: it has {len(values)} levels"
        f"{' on a logarithmic scale' if is_log else ''}{', and values that the file states' if known else ''}; an "
        "ordinal parameter lists others"
    )
    return values


def shown(value: Any) -> str:
    """Return a value as text."""
    return number_text(value) if isinstance(value, float) else str(value)
