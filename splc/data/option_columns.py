"""The columns of a table that are options: one per option, or one of texts for an alternative group."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping

import numpy as np

from splc.data.table import numbers_of, shown_values, texts_of
from splc.data.value_texts import TRUTH
from splc.errors import ConfigurationError, listed, unknown_name_hint
from splc.io.numbers import parse_column
from splc.system.groups import child_groups, child_texts
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array

_SHOWN = 6


def option_columns(system: VariabilityModel, columns: Mapping[str, Array]) -> dict[str, Array]:
    """Return option → numbers, shape (n,), for all options of a system. Other columns are left out.

    One column of texts may represent an alternative group. Options with one possible value need no column.

    `columns`: the columns of a table, each of shape (n,).
    """
    named: dict[str, Array] = {}
    for name, values in columns.items():
        known = system.spellings.get(name)
        if known is None or known not in system.positions:
            continue
        if known in named:
            raise ConfigurationError(f"several columns are the option {known!r}")
        named[known] = values
    numbers: dict[str, Array] = {}
    for parent, children in child_groups(system).items():
        if parent in named and not any(child.name in named for child in children):
            numbers |= _group(system, parent, children, named[parent])
    rows = len(next(iter(columns.values()))) if columns else 0
    for option in system.options:
        if option.name not in numbers:
            numbers[option.name] = _column(system, option, named, rows)
    return numbers


def _group(system: VariabilityModel, parent: str, children: list[BinaryOption], values: Array) -> dict[str, Array]:
    """Return the columns of an option and its children for a column of texts, none for a column of numbers."""
    if numbers_of(values) is not None:
        return {}
    child_of = child_texts(parent, children)
    if parent not in system.mandatory:
        child_of = {"": "", **child_of}
    texts = texts_of(values)
    wrong = next((row for row, text in enumerate(texts) if text not in child_of), None)
    if wrong is not None:
        if not texts[wrong] or not system.inferred:
            known = listed([child.presentation.output_string or child.name for child in children], _SHOWN)
            raise ConfigurationError(f"row {wrong}: {parent} cannot be {texts[wrong]!r}; its values are {known}")
        warn_of_unknown(parent, [text for text in texts if text not in child_of])
    chosen = np.array([child_of.get(text) for text in texts], dtype=object)
    return {parent: (chosen != "").astype(float)} | {
        child.name: (chosen == child.name).astype(float) for child in children
    }


def warn_of_unknown(name: str, texts: Iterable[str]) -> None:
    """Warn about texts of an option that were not learned from."""
    warnings.warn(f"{name}: {shown_values(texts)} is predicted as the mean of the known values", stacklevel=2)


def _column(system: VariabilityModel, option: Option, named: Mapping[str, Array], rows: int) -> Array:
    """Return the numbers of an option, or its only value where it has no column."""
    if option.name in named:
        numbers = numbers_of(named[option.name])
        if numbers is None:
            cells = [text.casefold() for text in texts_of(named[option.name])]
            if isinstance(option, BinaryOption):
                cells = [str(TRUTH.get(text, text)) for text in cells]
            numbers = parse_column(cells)
            wrong = next((row for row, text in enumerate(cells) if text and np.isnan(numbers[row])), None)
            if wrong is not None:
                cure = "its values are numbers" if isinstance(option, NumericOption) else "write 1 or 0"
                raise ConfigurationError(f"row {wrong}: {option.name} cannot be {cells[wrong]!r}", hint=cure)
        # Tables of versions before an option have no value of it.
        has_blanks = system.inferred and isinstance(option, BinaryOption) and not np.isnan(numbers).all()
        return np.nan_to_num(numbers) if has_blanks else numbers
    if isinstance(option, BinaryOption):
        if option.name in system.mandatory:
            return np.ones(rows)
    elif option.size == 1:
        return np.full(rows, option.values[0])
    if rows == 0:
        raise ConfigurationError("the table has no rows")
    known_hint = unknown_name_hint(option.name, [name for name in named if name != option.name]) if named else None
    raise ConfigurationError(f"no values for the option {option.name!r}", hint=known_hint)
