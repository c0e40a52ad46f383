"""Tables in memory: dicts of columns, and the data frames of pandas, polars and the like."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from splc.errors import ConfigurationError, MeasurementError, listed, unknown_name_hint
from splc.types import Array

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
    return ["" if _is_missing(item) else _text(item) for item in values.tolist()]


def _is_missing(value: Any) -> bool:
    """Return whether a cell is None, pandas' NA or NaT, or NaN."""
    return (
        value is None
        or type(value).__name__ in {"NAType", "NaTType"}
        or (isinstance(value, float) and math.isnan(value))
    )


def _text(value: Any) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value).strip()


def selected_rows(columns: Mapping[str, Array], where: Mapping[str, Any]) -> dict[str, Array]:
    """Return the rows of a table in which columns have the stated values."""
    require_columns(columns, where)
    mask = np.ones(len(next(iter(columns.values()))) if columns else 0, dtype=bool)
    for name, value in where.items():
        texts = np.array(texts_of(columns[name]), dtype=object)
        equal = texts == _text(float(value) if isinstance(value, int | np.number) else value)
        if not equal.any():
            raise MeasurementError(f"{name} is never {value!r}", hint=f"its values are {shown_values(texts)}")
        mask &= equal
    if where and not mask.any():
        raise MeasurementError(f"no row has {listed([f'{name} = {value}' for name, value in where.items()])}")
    return {name: values[mask] for name, values in columns.items()}


def require_columns(columns: Mapping[str, Any], names: Iterable[str]) -> None:
    """Raise an error if a table lacks one of these columns."""
    for name in names:
        if name not in columns:
            raise MeasurementError(f"there is no column {name!r}", hint=unknown_name_hint(name, list(columns)))


def shown_values(texts: Iterable[str]) -> str:
    """Return the first distinct values of a column for a message."""
    return listed([repr(text) for text in dict.fromkeys(texts)], _SHOWN)


def whole_numbers(values: Array) -> Array:
    """Return numbers as integers, if all of them are whole."""
    is_whole = bool((np.isfinite(values) & (np.abs(values) < 2**53)).all()) and bool((values == np.trunc(values)).all())
    return values.astype(np.int64) if is_whole else values
