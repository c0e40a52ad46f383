"""Values of options in a table that the description does not list."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from splc.data.configurations import unlisted_values as values_besides
from splc.errors import InputError
from splc.formats import registry
from splc.formats.measurements.csv import has_header
from splc.formats.measurements.csv_table import body_columns, read_raw
from splc.formats.measurements.file_columns import read_file_columns
from splc.io.files import Source
from splc.io.numbers import parse_column
from splc.system.extension import extended, open_options
from splc.system.options import Option
from splc.system.variability import VariabilityModel


def unlisted_values(
    source: Source, system: VariabilityModel, unread: Collection[str] = ()
) -> dict[str, tuple[float, ...]] | None:
    """Return option → the numbers in its column that are not among its values, ascending."""
    columns = _columns(source, system, unread)
    if columns is None:
        return None
    unlisted: dict[str, tuple[float, ...]] = {}
    options: dict[str, Option] = {option.name: option for option in open_options(system)}
    for title, cells in columns.items():
        name = system.spellings.get(title.strip(), "")
        if name in options and (values := values_besides(options[name], parse_column(cells))):
            unlisted[name] = values
    return unlisted


def with_unlisted(source: Source, system: VariabilityModel, unread: Collection[str] = ()) -> VariabilityModel:
    """Return an inferred system with the further values in a table; a description restricts them."""
    further = unlisted_values(source, system, unread) if system.inferred else None
    return extended(system, further) if further else system


def _columns(source: Source, system: VariabilityModel, unread: Collection[str]) -> Mapping[str, Sequence[str]] | None:
    """Return the columns of a CSV table with a header, or the options of XML."""
    form = registry.format_of("measurements", source)
    if form is None:
        return None
    if form.name != "csv":
        try:
            return read_file_columns(source).columns
        except InputError:
            # XML may have identifiers of configurations; the reader of measurements reports other problems.
            return None
    raw = read_raw(source, system, exempt=unread)
    if not has_header(raw, system, "."):
        return None
    return dict(zip(raw.rows[0], body_columns(raw.rows[1:], len(raw.rows[0]), {}), strict=True))
