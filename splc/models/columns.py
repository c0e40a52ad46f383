"""Columns of a table in memory, as values of the names in terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.data.table import numbers_of, table_columns
from splc.errors import ConfigurationError, unknown_name_hint
from splc.system.variability import ROOT
from splc.types import Array

FROM_FRAME = "Configurations.from_frame(system, table) reads columns of texts and missing values"


@dataclass(frozen=True, eq=False)
class TableRows:
    """The rows of a table without a system; a model needs the columns that its terms name."""

    columns: Mapping[str, Array]  # name → values, shape (n,)
    rows: int  # the number of rows n

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, rows: slice) -> TableRows:
        """Return some rows."""
        return TableRows({name: values[rows] for name, values in self.columns.items()}, len(range(self.rows)[rows]))

    def column(self, name: str) -> Array:
        """Return the values of a name in terms, floats of shape (n,)."""
        if name == ROOT:
            return np.ones(self.rows)
        if name not in self.columns:
            near = unknown_name_hint(name, list(self.columns))
            raise ConfigurationError(f"the table has no column {name!r}, which the model uses", hint=_hint(near))
        values = numbers_of(self.columns[name])
        if values is None:
            raise ConfigurationError(f"the column {name!r} contains text, but the option has numbers", hint=FROM_FRAME)
        if np.isnan(values).any():
            row = int(np.argmax(np.isnan(values)))
            raise ConfigurationError(f"row {row}: the option {name!r} has no value", hint=FROM_FRAME)
        return values


def _hint(near: str) -> str:
    return f"{near}{' ' if near.endswith('?') else '; '}{FROM_FRAME}"


def rows_of(table: Any) -> Configurations | TableRows:
    """Return configurations as they are, and a data frame or a dict of columns as its rows."""
    if isinstance(table, Configurations | TableRows):
        return table
    columns = table_columns(table)
    return TableRows(columns, len(next(iter(columns.values()))) if columns else 0)
