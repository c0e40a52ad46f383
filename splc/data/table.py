"""Values as texts, and tables in memory: dicts of columns, and data frames of pandas, polars and the like."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from splc.data.property_unit import setting_numbers
from splc.errors import ConfigurationError, MeasurementError, listed
from splc.io.csv_rows import CodedTexts, distinct_numbers, distinct_texts
from splc.io.numbers import column_texts, parse_number
from splc.system.groups import child_texts, text_groups
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array

TRUTH = {"true": 1, "false": 0, "yes": 1, "no": 0, "on": 1, "off": 0, "1": 1, "0": 0}  # text → value of a binary option
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
        return (option.presentation.words or (NOT_SELECTED, SELECTED))[bool(value)]
    return DESELECTED if np.isnan(value) else f"{value:g}"


def assignment_texts(system: VariabilityModel, values: Mapping[str, float], *, every: bool = False) -> dict[str, str]:
    """Return option → `cache`, `x=4`, `mode=fast`, or `codec=zlib` of a child; `every`: also `tls=0` and parents."""
    texts, children = {}, text_values(system)
    parents = {parent for parent, _ in children.values()}
    for name, value in values.items():
        option = system.option(name)
        if isinstance(option, BinaryOption) and not every and (not value or name in parents):
            continue
        if not isinstance(option, BinaryOption) or option.presentation.words is not None:
            texts[name] = f"{name}={value_text(option, value)}"
        else:
            texts[name] = "=".join(children.get(name, (name,))) if value else f"{name}=0"
    return texts


def table_columns(table: Any) -> dict[str, Array]:
    """Return the columns of a table, each of shape (n,)."""
    if hasattr(table, "collect"):
        raise MeasurementError(f"{type(table).__name__} is not a table yet", hint="collect() it first")
    if isinstance(table, Sequence) and table and all(isinstance(row, Mapping) for row in table):
        keys = dict.fromkeys(key for row in table for key in row)
        table = {key: [row.get(key) for row in table] for key in keys}
    names = table if isinstance(table, Mapping) else getattr(table, "column_names", getattr(table, "columns", None))
    if names is None:
        hint = "give a data frame, a dict of columns, or a list of dicts"
        raise MeasurementError(f"{type(table).__name__} is not a table", hint=hint)
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
            found = values.shape or table[name]
            raise ConfigurationError(f"{name}: one value per configuration is needed, not {found}")
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
    return (names,) if isinstance(names, str) else tuple(map(str, names))


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
    known = ("" if _is_missing(item) else item for item in values.tolist())
    return [f"{item:.15g}" if isinstance(item, float) else str(item).strip() for item in known]


def coded_texts(values: Array) -> CodedTexts:
    """Return a column as the texts of a CSV file: those of missing values are empty."""
    if (numbers := numbers_of(values)) is None:
        return CodedTexts(*distinct_texts(texts_of(values)))
    distinct, codes = distinct_numbers(numbers)
    return CodedTexts(column_texts(distinct), codes)


def _is_missing(value: Any) -> bool:
    """Return whether a cell is None, pandas' NA or NaT, or NaN."""
    is_nan = isinstance(value, float) and math.isnan(value)
    return value is None or is_nan or type(value).__name__ in {"NAType", "NaTType"}


def whole_numbers(values: Array) -> Array:
    """Return numbers as integers, if all of them are whole."""
    is_whole = bool((np.isfinite(values) & (np.abs(values) < 2**53)).all()) and bool((values == np.trunc(values)).all())
    return values.astype(np.int64) if is_whole else values


def warn_of_unknown(name: str, texts: Iterable[str]) -> None:
    """Warn about texts of an option that were not learned from."""
    shown = listed([repr(text) for text in dict.fromkeys(texts)], 6)
    warnings.warn(f"{name}: {shown} is predicted as the mean of the known values", stacklevel=2)


# The cells of options that are not used: empty ones, and what R and pandas write for them.
NOT_USED = frozenset(("", "-", "--", "–", "na", "n/a", "nan"))


def only_index(option: Option, mandatory: frozenset[str]) -> int | None:
    """Return the index of the only value of an option, None if it has several."""
    if isinstance(option, NumericOption):
        return 0 if option.size == 1 else None
    return 1 if option.name in mandatory else None


def is_text(text: str) -> bool:
    """Return whether a cell is neither empty nor a value of a binary option."""
    return text.casefold() not in {*TRUTH, "", "nan"} and parse_number(text) not in (0, 1)


# Option → its children, of which exactly one is selected.
Groups = dict[str, tuple[BinaryOption, ...]]


def named_columns(system: VariabilityModel, frame: Any) -> tuple[int, dict[str, Sequence[str]], Groups]:
    """Return the number of rows of a table, option → its texts, and the groups that have one column."""
    table, named = table_columns(frame), dict[str, Sequence[str]]()
    for name, values in table.items():
        if (known := system.spellings.get(name)) in system.positions:
            if known in named:
                raise ConfigurationError(f"several columns are the option {known!r}")
            named[known] = texts = coded_texts(values)
            if isinstance(system.option(known), NumericOption) and values.dtype.kind not in "biuf":
                named[known] = CodedTexts.of(texts, setting_numbers(texts.distinct)[1])
    return len(next(iter(table.values()), ())), named, add_children(system, named)


def add_children(system: VariabilityModel, named: dict[str, Sequence[str]]) -> Groups:
    """Add columns of zeros and ones for the children of groups that have one column, and return these groups.

    The column of an option is that of its group if its children have no columns and some of its cells name a child, or
    are other texts, which are kept: they are wrong values. `named`: option → its column.
    """
    groups = {}
    for parent, children in system.child_groups.items():
        texts, child_of = named.get(parent), child_texts(parent, children)
        if texts is None or any(child.name in named for child in children):
            continue
        distinct = {text: child_of.get(text.strip()) for text in distinct_texts(texts)[0]}
        if not any(child or is_text(text.strip()) for text, child in distinct.items()):
            continue
        groups[parent] = children
        for child in children:
            selected = {text: "1" if name == child.name else "0" for text, name in distinct.items()}
            named[child.name] = CodedTexts.of(texts, selected)
        needed = parent in system.mandatory
        values = {text: "1" if child else text if needed or text.strip() else "0" for text, child in distinct.items()}
        named[parent] = CodedTexts.of(texts, values)
    return groups
