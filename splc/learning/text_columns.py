"""The columns of a table for an estimator: texts become alternative options, the root is ignored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from splc.data.table import table_columns, texts_of, warn_of_unknown
from splc.io.numbers import parse_number
from splc.system.options import BinaryOption, alternative_options
from splc.system.variability import ROOT
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
    texts: Mapping[int, tuple[str, ...]]  # position of a column whose numbers are positions of texts → these texts
    ignored: frozenset[int] = frozenset()  # the positions of columns to leave out

    @classmethod
    def of(cls, names: tuple[str, ...], X: Array, texts: Mapping[int, tuple[str, ...]]) -> TableColumns:
        """Return the columns of a table of shape (n, columns); one of the root, which is constant, is ignored."""
        constant = {at for at, name in enumerate(names) if name == ROOT and len(np.unique(X[:, at])) == 1}
        return cls(names, texts, frozenset(constant if len(names) > 1 else ()))

    @cached_property
    def groups(self) -> dict[int, tuple[BinaryOption, ...]]:
        """The position of each column of texts → its option, and the children that its texts are."""
        used_names = set(self.names)
        groups_by_position = {}
        for at, texts in self.texts.items():
            if at in self.ignored:
                continue
            groups_by_position[at] = tuple(alternative_options(self.names[at], texts, used_names))
            used_names.update(option.name for option in groups_by_position[at])
        return groups_by_position

    def values(self, X: Array) -> dict[str, Array]:
        """Return the name of each option → its values in rows of numbers; that of a column of text is always 1."""
        values_by_name = {}
        for at, name in enumerate(self.names):
            if at in self.groups:
                values_by_name[name] = np.ones(len(X))
                children = self.groups[at][1:]
                values_by_name |= {child.name: (X[:, at] == code).astype(float) for code, child in enumerate(children)}
            elif at not in self.ignored:
                values_by_name[name] = X[:, at]
        return values_by_name
