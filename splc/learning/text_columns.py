"""The columns of a table for an estimator: texts become alternative options, the root is ignored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from splc.data.table import table_columns, texts_of, warn_of_unknown
from splc.io.numbers import parse_number
from splc.system.options import BinaryOption, NumericOption, Option, alternative_options
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Array


def texts_in(X: Any) -> dict[int, tuple[str, ...]]:
    """Return the positions of columns of text in a table, with their distinct texts; none in an array of numbers.

    A column that contains only numbers is not a column of text, even if the numbers are texts.
    """
    texts_by_position = {}
    for at, values in enumerate(_columns(X)):
        items = values.tolist() if values.dtype.kind not in "biufc" else []
        if not any(isinstance(item, str) and np.isnan(parse_number(item)) for item in items):
            continue
        cells = texts_of(values)
        if all(isinstance(item, str | Real) or not text for item, text in zip(items, cells, strict=True)):
            texts_by_position[at] = tuple(sorted({text for text in cells if text}))
    return texts_by_position


def numbers_in(X: Any, names: Sequence[str], texts: Mapping[int, tuple[str, ...]]) -> Array:
    """Return a table with the positions of texts instead of the texts, shape (n, columns).

    It is NaN for missing ones, and -1, with a warning, for others.
    """
    columns = _columns(X)
    numbers = np.empty((len(columns[0]), len(columns)), dtype=object)
    for at, values in enumerate(columns):
        if at not in texts:
            numbers[:, at] = values
            continue
        code_of: dict[str, float] = {text: code for code, text in enumerate(texts[at])} | {"": np.nan}
        cells = texts_of(values)
        if unknown := [text for text in cells if text not in code_of]:
            warn_of_unknown(names[at], unknown)
        numbers[:, at] = [code_of.get(text, -1.0) for text in cells]
    return numbers


def _columns(X: Any) -> list[Array]:
    """Return the columns of a data frame or an array of objects or texts; none of others."""
    if isinstance(X, np.ndarray):
        return [*X.T] if X.ndim == 2 and X.dtype.kind in "OU" else []
    is_frame = hasattr(X, "columns") and not hasattr(X, "collect")
    return [*table_columns(X).values()] if is_frame else []


@dataclass(frozen=True)
class TableColumns:
    """The columns of a table of numbers as options."""

    names: tuple[str, ...]  # the names of the columns
    # position of a column whose numbers are positions of texts → its option, and the children that these texts are
    groups: Mapping[int, tuple[BinaryOption, ...]]
    ignored: bool  # whether the column of the root is left out

    @classmethod
    def of(cls, names: tuple[str, ...], X: Array, texts: Mapping[int, tuple[str, ...]]) -> TableColumns:
        """Return the columns of a table of shape (n, columns); one of the root, which is constant, is ignored."""
        ignored = len(names) > 1 and ROOT in names and len(np.unique(X[:, names.index(ROOT)])) == 1
        used_names, groups = set(names), dict[int, tuple[BinaryOption, ...]]()
        for at, members in texts.items():
            if not (ignored and names[at] == ROOT):
                groups[at] = tuple(alternative_options(names[at], members, used_names))
                used_names.update(option.name for option in groups[at])
        return cls(names, groups, ignored)

    def values(self, X: Array) -> dict[str, Array]:
        """Return the name of each option → its values in rows of numbers; that of a column of text is always 1."""
        values_by_name = {}
        for at, name in enumerate(self.names):
            if at in self.groups:
                values_by_name[name] = np.ones(len(X))
                children = self.groups[at][1:]
                values_by_name |= {child.name: (X[:, at] == code).astype(float) for code, child in enumerate(children)}
            elif not (self.ignored and name == ROOT):
                values_by_name[name] = X[:, at]
        return values_by_name

    def system(self, values: Mapping[str, Array]) -> VariabilityModel:
        """Return the system of the values of options; those of only zeros and ones are binary."""
        by_name = {option.name: option for group in self.groups.values() for option in group}
        options: list[Option] = []
        for name, column in values.items():
            if name in by_name or np.isin(column, (0.0, 1.0)).all():
                options.append(by_name.get(name, BinaryOption(name)))
            else:
                options.append(NumericOption(name, tuple(np.unique(column).tolist())))
        binary_first = sorted(options, key=lambda option: isinstance(option, NumericOption))
        return VariabilityModel("table", tuple(binary_first), inferred=True)
