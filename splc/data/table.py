"""Tables in memory: dicts of columns, data frames of pandas, polars and the like, and their columns of options."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from splc.errors import ConfigurationError, MeasurementError, listed, unknown_name_hint
from splc.io.numbers import parse_column
from splc.system.groups import child_texts, text_groups
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array

# Text → value of a binary option.
TRUTH = {"true": 1, "false": 0, "yes": 1, "no": 0, "on": 1, "off": 0, "1": 1, "0": 0}
SELECTED, NOT_SELECTED, DESELECTED = "selected", "-", "deselected"


def text_values(system: VariabilityModel) -> dict[str, tuple[str, str]]:
    """Return child → its parent and text, for options that have texts as values."""
    return {
        child.name: (parent, child.presentation.output_string or child.name)
        for parent, children in text_groups(system).items()
        for child in children
    }


def value_texts(system: VariabilityModel, values: Mapping[str, float]) -> dict[str, str]:
    """Return option → text of its value in one configuration: `selected`, `-`, `yes`, `4`, `deselected`, `zlib`.

    An option that has texts as values stands for its children. `values`: option → number, NaN where deselected.
    """
    children = text_values(system)
    chosen = {parent: text for child, (parent, text) in children.items() if values[child]}
    parents = {parent for parent, _ in children.values()}
    return {
        option.name: chosen.get(option.name, NOT_SELECTED) if option.name in parents else value_text(option, value)
        for option, value in zip(system.options, values.values(), strict=True)
        if option.name not in children
    }


def value_text(option: Option, value: float) -> str:
    """Return the text of a value; NaN is deselected."""
    if isinstance(option, BinaryOption):
        return (option.presentation.words or (NOT_SELECTED, SELECTED))[value > 0]
    return DESELECTED if np.isnan(value) else f"{value:g}"


def assignment_texts(system: VariabilityModel, values: Mapping[str, float]) -> dict[str, str]:
    """Return option → text such as `cache`, `x=4` or `codec=zlib` of what a configuration selects, in their order.

    The option of `codec=zlib` is the child of `codec`.
    """
    children, found = text_values(system), {}
    parents = {parent for parent, _ in children.values()}
    for option, value in zip(system.options, values.values(), strict=True):
        if not isinstance(option, BinaryOption):
            found[option.name] = f"{option.name}={value_text(option, value)}"
        elif value and option.name not in parents:
            words = option.presentation.words
            plain = option.name if words is None else f"{option.name}={words[1]}"
            found[option.name] = "=".join(children[option.name]) if option.name in children else plain
    return found


_SHOWN = 6


def table_columns(table: Any) -> dict[str, Array]:
    """Return the columns of a table, each of shape (n,)."""
    if hasattr(table, "collect"):
        raise MeasurementError(f"{type(table).__name__} is not a table yet", hint="collect() it first")
    if isinstance(table, Sequence) and table and all(isinstance(row, Mapping) for row in table):
        keys = dict.fromkeys(key for row in table for key in row)
        table = {key: [row.get(key) for row in table] for key in keys}
    names = table if isinstance(table, Mapping) else getattr(table, "column_names", getattr(table, "columns", None))
    if names is None:
        raise MeasurementError(
            f"{type(table).__name__} is not a table", hint="give a data frame, a dict of columns, or a list of dicts"
        )
    spellings = [str(name) for name in names]
    for name in spellings:
        if spellings.count(name) > 1:
            raise MeasurementError(f"duplicate column {name!r}", hint="rename it")
    columns: dict[str, Array] = {}
    for name in names:
        try:
            values = _array(table[name])
        except TypeError:
            values = np.asarray(table[name])
        if values.ndim != 1 or (columns and len(values) != len(next(iter(columns.values())))):
            raise ConfigurationError(
                f"{name}: one value per configuration is needed, not {values.shape or table[name]}"
            )
        columns[str(name)] = values
    return columns


def _array(values: Any) -> Array:
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if not isinstance(values, np.ndarray):
        items = list(values)
        # Otherwise numpy turns the numbers beside a text into texts, and gives all the width of the widest.
        has_texts = any(isinstance(item, str) for item in items)
        values = np.array(items, dtype=object) if has_texts else np.asarray(items)
    array: Array = values
    return array.astype(str).astype(object) if array.dtype.kind in "mM" else array


def names_of(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return names as a tuple; a text is one name."""
    return (names,) if isinstance(names, str) else tuple(names)


def numbers_of(values: Array) -> Array | None:
    """Return a column as numbers, NaN where one is missing; None if a value is text."""
    if values.dtype.kind in "biuf":
        return values.astype(float)
    items = values.tolist()
    if any(isinstance(item, str) for item in items):
        return None
    try:
        return np.array([math.nan if _is_missing(item) else float(item) for item in items], dtype=float)
    except (TypeError, ValueError):
        return None


def texts_of(values: Array) -> list[str]:
    """Return a column as texts, without spaces around them; those of missing values are empty."""
    return [
        "" if _is_missing(item) else f"{item:.15g}" if isinstance(item, float) else str(item).strip()
        for item in values.tolist()
    ]


def _is_missing(value: Any) -> bool:
    """Return whether a cell is None, pandas' NA or NaT, or NaN."""
    return (
        value is None
        or type(value).__name__ in {"NAType", "NaTType"}
        or (isinstance(value, float) and math.isnan(value))
    )


def whole_numbers(values: Array) -> Array:
    """Return numbers as integers, if all of them are whole."""
    is_whole = bool((np.isfinite(values) & (np.abs(values) < 2**53)).all()) and bool((values == np.trunc(values)).all())
    return values.astype(np.int64) if is_whole else values


def option_columns(system: VariabilityModel, columns: Mapping[str, Array]) -> dict[str, Array]:
    """Return option → numbers, shape (n,), for all options of a system. Other columns are left out.

    One column of texts may represent an alternative group. Options with one possible value need no column.
    """
    named: dict[str, Array] = {}
    for name, values in columns.items():
        known = system.spellings.get(name)
        if known in system.positions:
            if known in named:
                raise ConfigurationError(f"several columns are the option {known!r}")
            named[known] = values
    numbers: dict[str, Array] = {}
    for parent, children in system.child_groups.items():
        if parent in named and not any(child.name in named for child in children):
            numbers |= _group(system, parent, children, named[parent])
    rows = len(next(iter(columns.values()))) if columns else 0
    for option in system.options:
        if option.name in numbers:
            continue
        if option.name in named:
            numbers[option.name] = _column(system, option, named[option.name])
        elif (only := only_index(option, system.mandatory)) is not None:
            numbers[option.name] = np.full(rows, option.values[only] if isinstance(option, NumericOption) else 1.0)
        elif rows == 0:
            raise ConfigurationError("the table has no rows")
        else:
            hint = unknown_name_hint(option.name, [*named]) if named else None
            raise ConfigurationError(f"no values for the option {option.name!r}", hint=hint)
    return numbers


def only_index(option: Option, mandatory: frozenset[str]) -> int | None:
    """Return the index of the only value of an option, None if it has several."""
    if isinstance(option, NumericOption):
        return 0 if option.size == 1 else None
    return 1 if option.name in mandatory else None


def _group(system: VariabilityModel, parent: str, children: Sequence[BinaryOption], values: Array) -> dict[str, Array]:
    """Return the columns of an option and its children for a column of texts, none for a column of numbers."""
    if numbers_of(values) is not None:
        return {}
    child_of = child_texts(parent, children)
    if parent not in system.mandatory:
        child_of = {"": "", **child_of}
    texts = texts_of(values)
    if unknown := [text for text in texts if text not in child_of]:
        wrong = unknown[0]
        if not wrong or not system.inferred:
            known = listed([child.presentation.output_string or child.name for child in children], _SHOWN)
            raise ConfigurationError(f"row {texts.index(wrong)}: {parent} cannot be {wrong!r}; its values are {known}")
        warn_of_unknown(parent, unknown)
    chosen = np.array([child_of.get(text) for text in texts], dtype=object)
    return {parent: (chosen != "").astype(float)} | {
        child.name: (chosen == child.name).astype(float) for child in children
    }


def warn_of_unknown(name: str, texts: Iterable[str]) -> None:
    """Warn about texts of an option that were not learned from."""
    shown = listed([repr(text) for text in dict.fromkeys(texts)], _SHOWN)
    warnings.warn(f"{name}: {shown} is predicted as the mean of the known values", stacklevel=2)


def _column(system: VariabilityModel, option: Option, values: Array) -> Array:
    """Return the numbers in the column of an option."""
    numbers, is_binary = numbers_of(values), isinstance(option, BinaryOption)
    if numbers is None:
        cells = [text.casefold() for text in texts_of(values)]
        if is_binary:
            cells = [str(TRUTH.get(text, text)) for text in cells]
        numbers = parse_column(cells)
        wrong = next((row for row, text in enumerate(cells) if text and np.isnan(numbers[row])), None)
        if wrong is not None:
            cure = "write 1 or 0" if is_binary else "its values are numbers"
            raise ConfigurationError(f"row {wrong}: {option.name} cannot be {cells[wrong]!r}", hint=cure)
    # Tables of versions before the option have no value of it.
    has_blanks = system.inferred and is_binary and not np.isnan(numbers).all()
    return np.nan_to_num(numbers) if has_blanks else numbers
