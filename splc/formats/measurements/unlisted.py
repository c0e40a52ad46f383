"""Values of numeric options in a table that the description does not list."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from splc.data.configurations import value_indices
from splc.formats import registry
from splc.formats.measurements.csv import has_header
from splc.formats.measurements.csv_table import body_columns, read_raw
from splc.io.files import Source
from splc.io.numbers import parse_column
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel


def unlisted_values(
    source: Source, system: VariabilityModel, unread: Collection[str] = ()
) -> dict[str, tuple[float, ...]] | None:
    """Return numeric option → the numbers in its column that are not among its values, ascending.

    Args:
        source: the table.
        system: the system.
        unread: columns that may have numbers with other decimal delimiters.

    Returns:
        The values, without options that have none; None if the file is not a CSV table with a header.

    Raises:
        InputError: if the file is empty or cannot be read.
    """
    form = registry.format_of("measurements", source)
    if form is None or form.name != "csv":
        return None
    raw = read_raw(source, system, exempt=unread)
    if not has_header(raw, system, "."):
        return None
    unlisted = {}
    columns = body_columns(raw.rows[1:], len(raw.rows[0]), {})
    for at, cell in enumerate(raw.rows[0]):
        name = system.spellings.get(cell.strip())
        option = system.option(name) if name in system.positions else None
        if isinstance(option, NumericOption):
            numbers = np.unique(parse_column(columns[at]))
            numbers = numbers[np.isfinite(numbers)]
            values = numbers[value_indices(option, numbers) < 0]
            if len(values):
                unlisted[option.name] = tuple(map(float, values))
    return unlisted
