"""Values of options in a table that the description does not list."""

from __future__ import annotations

from collections.abc import Collection

from splc.data.configurations import unlisted_values as values_besides
from splc.formats import registry
from splc.formats.measurements.csv import has_header
from splc.formats.measurements.csv_table import body_columns, read_raw
from splc.io.files import Source
from splc.io.numbers import parse_column
from splc.system.extension import open_options
from splc.system.options import Option
from splc.system.variability import VariabilityModel


def unlisted_values(
    source: Source, system: VariabilityModel, unread: Collection[str] = ()
) -> dict[str, tuple[float, ...]] | None:
    """Return option → the numbers in its column that are not among its values, ascending.

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
    unlisted: dict[str, tuple[float, ...]] = {}
    options: dict[str, Option] = {option.name: option for option in open_options(system)}
    columns = body_columns(raw.rows[1:], len(raw.rows[0]), {})
    for at, cell in enumerate(raw.rows[0]):
        name = system.spellings.get(cell.strip(), "")
        if name in options and (values := values_besides(options[name], parse_column(columns[at]))):
            unlisted[name] = values
    return unlisted
