"""The columns of a file of measurements, read without a description of the system."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from splc.errors import InputError, Problem, Problems, plural
from splc.formats.detect import is_xml
from splc.formats.measurements.columns import natural
from splc.formats.measurements.csv_table import split_table, without_row_numbers
from splc.formats.measurements.rows import DECIMAL_COMMAS
from splc.formats.measurements.splconqueror_xml import BINARY, IDENTIFIER, NUMERIC, first_attribute
from splc.io.cells import PlainRows
from splc.io.csv_rows import check_header, first_line, header_names, likely_separator
from splc.io.files import Source
from splc.io.numbers import parse_number
from splc.io.xml import inner_text, line_of, read_xml_children
from splc.system.variability import ROOT
from splc.types import Array


@dataclass(frozen=True, eq=False)
class FileColumns:
    """The columns of a file of measurements."""

    # name → cells, in the order of the file. For XML only those of options; an empty cell of a numeric option means
    # that it is deselected.
    columns: Mapping[str, Sequence[str]]
    # the options, if the format separates them from properties (XML); None for tables
    options: tuple[str, ...] | None = None
    numeric: tuple[str, ...] = ()  # the numeric ones of these options
    properties: tuple[str, ...] = ()  # the properties, if the format separates them
    notes: tuple[str, ...] = ()  # remarks of the reader
    lines: Sequence[int] | Array = ()  # the line of each row of a table; empty for XML


def read_file_columns(source: Source, exempt: Collection[str] = ()) -> FileColumns:
    """Read the columns of a CSV table or of SPL Conqueror's XML."""
    return _xml_columns(source) if is_xml(source) else _table_columns(source, exempt)


def _table_columns(source: Source, exempt: Collection[str]) -> FileColumns:
    text = source.text()
    if not text.strip():
        raise InputError(Problem("the file is empty", source.name))
    raw = split_table(source, likely_separator(text), exempt=exempt)
    line = int(raw.lines[0])
    header = header_names(raw.rows[0])
    if parse_number(header[-1]) == parse_number(header[-1]):
        message = "the table has no header: its first line ends with a number"
        hint = "add a line with the names of the columns, or name the description of the system with --system"
        raise InputError(Problem(message, source.name, line, text=first_line(text), hint=hint))
    if len(raw.rows) == 1:
        raise InputError(Problem("the file has no rows", source.name))
    if all(any(cell.strip() for cell in row[len(header) :]) for row in raw.rows[1:]):
        message = f"every row has more fields than the header, which has {len(header):,}"
        raise InputError(Problem(message, source.name, int(raw.lines[1]), hint=DECIMAL_COMMAS))
    width = len(header)
    body, lines, notes = raw.rows[1:], raw.lines[1:], raw.notes
    if not isinstance(body, PlainRows):
        # Where measurements are read, rows that are too short are refused.
        full = [at for at, row in enumerate(body) if len(row) >= width]
        if not full:
            message = f"every row has fewer fields than the header, which has {width:,}"
            hint = f"separate the fields of rows as those of the header, by {raw.separator!r}"
            raise InputError(Problem(message, source.name, int(lines[0]), hint=hint))
        if missing := len(body) - len(full):
            rows = plural(missing, "row that has", "rows that have")
            notes = (*notes, f"{rows} fewer fields than the header left out")
        body, lines = [body[at][:width] for at in full], [lines[at] for at in full]
    columns = body.columns()[:width] if isinstance(body, PlainRows) else zip(*body, strict=True)
    header, cells = without_row_numbers(header, [*columns])
    problems = Problems(source.name)
    check_header(header, line, problems)
    problems.raise_if_any(InputError)
    return FileColumns(dict(zip(header, cells, strict=True)), notes=notes, lines=lines)


def _xml_columns(source: Source) -> FileColumns:
    _, rows = read_xml_children(source, "results", "a measurement file")
    selected: list[frozenset[str]] = []
    values: list[dict[str, str]] = []
    binary: dict[str, None] = {}
    numeric: dict[str, None] = {}
    properties: dict[str, None] = {}
    for row in rows:
        children: list[str] = []
        pairs: dict[str, str] = {}
        for data in row:
            kind, text = first_attribute(data).strip(), inner_text(data)
            if kind.casefold() in IDENTIFIER:
                hint = "name the description of the system with --system"
                raise InputError(
                    Problem("options cannot be inferred from ConfigID", source.name, line_of(data), hint=hint)
                )
            if kind.casefold() in BINARY:
                children += [name for part in text.split(",") if (name := part.strip()) and name != ROOT]
            elif kind.casefold() in NUMERIC:
                pairs |= _pairs(data, text, source)
            elif kind:
                properties.setdefault(kind)
        binary |= dict.fromkeys(children)
        numeric |= dict.fromkeys(pairs)
        selected.append(frozenset(children))
        values.append(pairs)
    if not selected:
        raise InputError(Problem("the file has no rows", source.name))
    names = sorted((name for name in binary if name not in numeric), key=natural)
    columns: dict[str, Sequence[str]] = {name: ["1" if name in row else "0" for row in selected] for name in names}
    columns |= {name: [row.get(name, "") for row in values] for name in numeric}
    return FileColumns(columns, tuple(columns), tuple(numeric), tuple(properties))


def _pairs(data: etree._Element, text: str, source: Source) -> dict[str, str]:
    """Return option → value of a list such as `x;4,y;0.5`."""
    pairs = {}
    for part in text.split(","):
        name, separator, value = part.strip().rpartition(";") if ";" in part else part.strip().rpartition(" ")
        if separator and name.strip():
            pairs[name.strip()] = value.strip()
        elif part.strip():
            raise InputError(Problem(f"{part.strip()!r} is not an option with a value", source.name, line_of(data)))
    return pairs
