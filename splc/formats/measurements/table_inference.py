"""Inference of the description of a system from a data frame or a dict of columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from splc.data.table import names_of, numbers_of, table_columns, texts_of
from splc.errors import InputError, Problem
from splc.formats.measurements import inference
from splc.formats.measurements.columns import ColumnChoice
from splc.formats.measurements.shapes import read_table
from splc.io.files import Source
from splc.io.numbers import column_texts
from splc.system.variability import VariabilityModel


def infer_system(
    table: Any,
    *,
    options: str | Collection[str] = (),
    nfp: str | None = None,
    contexts: str | Collection[str] = (),
    ignore: str | Collection[str] = (),
    constraints: bool = True,
) -> VariabilityModel:
    """Return the system whose measurements a table contains: its options with the values that occur.

    One name may be a text: `options="algorithm"`.

    Args:
        table: a data frame (pandas, polars, …), a dict of columns, or the path of a CSV or XML file.
        options: columns that are options; further ones are inferred. Columns of texts among them become
            alternative groups.
        nfp: a column that is a property, which separates options to its left from properties.
        contexts: columns of numbers that are contexts.
        ignore: columns that are neither options nor properties.
        constraints: whether to infer constraints that all rows satisfy by far more than chance.

    Returns:
        The system; its `notes` are the assumptions, and what is doubtful about them.

    Raises:
        InputError: if the file cannot be read, or the table lacks a named column, or has no options or no property.
        MeasurementError: if it is not a table.
    """
    choice = ColumnChoice(names_of(contexts), names_of(ignore), options=names_of(options), constraints=constraints)
    return inferred_from(table, nfp, choice).system


def inferred_from(table: Any, nfp: str | None, choice: ColumnChoice) -> inference.Inference:
    """Return the inference from a table, as in `infer_system`; the notes of the system are the assumptions.

    `nfp`: a column that is a property; None if none is named.
    """
    result = inference.infer_system(table_source(table), nfp=nfp, choice=choice)
    name = result.system.name if isinstance(table, str | Path) else "system"
    notes = (*result.system.notes, *result.assumptions, *result.warnings, *result.notes)
    system = replace(result.system, name=name, notes=notes)
    return replace(result, system=system)


def table_source(table: Any) -> Source:
    """Return the content of a table: a file, a data frame, or a dict of columns."""
    return read_table(table if isinstance(table, str | Path) else _source(table))


def _source(table: Any) -> Source:
    """Return a table in memory as the content of a CSV file."""
    columns = []
    for values in table_columns(table).values():
        # Truth values are words, as in a CSV file.
        numbers = None if np.asarray(values).dtype == bool else numbers_of(values)
        columns.append(texts_of(values) if numbers is None else column_texts(numbers))
    names = list(table_columns(table))
    if not names or not columns[0]:
        raise InputError(Problem("the table has no rows", "table"))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(zip(*columns, strict=True))
    return Source("table", text.getvalue().encode())
