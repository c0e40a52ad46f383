"""CSV tables with one column per option: separator, header, rows, and option columns as value indices."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from splc.data.configurations import Configurations, value_indices, wrong_value
from splc.data.value_texts import TRUTH
from splc.errors import InputError, Problem, Problems, listed, nearest
from splc.formats.measurements.decimals import with_points
from splc.formats.measurements.group_columns import with_children
from splc.formats.measurements.selections import only_index, option_is_optional, reasons_by_row
from splc.io.cells import PlainRows, distinct_texts, plain_rows
from splc.io.csv_rows import SEPARATORS, first_line, header_names, split_line, split_rows
from splc.io.files import Source
from splc.io.numbers import column_texts, not_a_number, parse_column, parse_number
from splc.system.groups import wrong_child
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.units import unit_problem
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Array

_BINARY_VALUES, _BINARY_CELLS = frozenset((0.0, 1.0)), frozenset(("0", "1"))
_QUOTED_COMMA = re.compile(rb'"\s*+[+-]?\d*+,\d')
# Tables of fewer cells may have any number of missing ones.
_MAX_PADDED = 1_000_000


@dataclass(frozen=True)
class RawTable:
    """The rows of a CSV file that are not blank, with their lines; `notes` are remarks of the reader."""

    rows: Sequence[Sequence[str]]
    lines: Sequence[int] | Array
    separator: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class OptionTable:
    """A CSV table with a header, in which option columns are value indices."""

    lines: Array  # the line of each row
    indices: Array  # value indices, shape (n, options), -1 where a value is wrong
    reasons: dict[int, list[str]]  # row → problems of its configuration
    others: Mapping[str, Sequence[str]]  # name → texts of every other column
    malformed: frozenset[int] = frozenset()  # rows with a wrong number of fields
    notes: tuple[str, ...] = ()  # remarks of the reader

    def problems(self, file: str) -> Problems:
        """Return the problems of all rows, with their lines."""
        problems = Problems(file)
        for row, reason in reasons_by_row(self.reasons).items():
            problems.add(reason, int(self.lines[row]))
        return problems


def read_raw(
    source: Source,
    system: VariabilityModel,
    separator: str | None = None,
    decimal: str | None = None,
    exempt: Collection[str] = (),
) -> RawTable:
    """Split a CSV file into rows.

    By default, the separator is the one that gives the most option names in the first line. Without a decimal
    delimiter, decimal commas become points in a table that has another separator.
    """
    text = source.text()
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise InputError(Problem("the separator must be a single character", text=separator))
    if not text or text.isspace():
        raise InputError(Problem("the file is empty", source.name))
    character = separator or _sniff(text, system)
    return split_table(source, character, decimal, exempt)


def split_table(source: Source, separator: str, decimal: str | None = None, exempt: Collection[str] = ()) -> RawTable:
    """Split a CSV file with a known separator into rows, as `read_raw`."""
    if decimal is not None or separator == "," or b"," not in source.data:
        grid = plain_rows(source.content, separator)
        if grid is not None:
            return RawTable(grid, np.arange(1, len(grid) + 1), separator)
    rows, lines = split_rows(source, separator, lambda row: len(row) > 1 or bool(row and row[0].strip()))
    is_quoted = separator == ","
    if decimal is not None or (is_quoted and not _QUOTED_COMMA.search(source.data)):
        return RawTable(rows, lines, separator)
    rows, notes = with_points(rows, lines, source.name, exempt, quoted=is_quoted)
    return RawTable(rows, lines, separator, notes)


def _sniff(text: str, system: VariabilityModel) -> str:
    first = first_line(text)

    def names(separator: str) -> tuple[int, int]:
        cells = split_line(first, separator)
        return sum(cell.strip() in system.spellings for cell in cells), len(cells)

    return max(SEPARATORS, key=names)


def read_option_table(source: Source, system: VariabilityModel, raw: RawTable, decimal: str = ".") -> OptionTable:
    """Read the header and the option columns of a table.

    Options with only one possible value need no column, and neither do the members of a group that has a column
    (`splc.formats.measurements.group_columns`). Columns of `root`, `Enabledx` and `Disabledx` are checked.
    """
    header = header_names(raw.rows[0])
    lines = np.array(raw.lines[1:], dtype=np.int64)
    reasons: dict[int, list[str]] = {}
    try:
        body = body_columns(raw.rows[1:], len(header), reasons)
    except InputError as error:
        raise error.at(source.name) from None
    header, body = without_row_numbers(header, body)
    header, columns, groups = with_children(system, header, body)
    positions, extra_positions = _places(source, system, header, int(raw.lines[0]))
    malformed = frozenset(reasons)
    blank: list[str] = []
    sizes = [option.size for option in system.options]
    indices = np.zeros((len(lines), len(sizes)), dtype=np.min_scalar_type(-max(sizes, default=1)))
    for position, option in enumerate(system.options):
        if option.name not in positions:
            indices[:, position] = only_index(option, system.mandatory) or 0
            continue
        column, wrong = option_column(option, columns[positions[option.name]], decimal)
        texts = columns[positions[option.name]]
        if isinstance(option, BinaryOption) and not system.inferred and not wrong and "" in distinct_texts(texts)[0]:
            blank.append(option.name)
        if option.name in groups:
            children = groups[option.name]
            wrong |= {text: wrong_child(option.name, children, text.strip()) for text in wrong if text.strip()}
        indices[:, position] = column
        for row in np.flatnonzero(column < 0).tolist():
            if row not in malformed:
                reasons.setdefault(row, []).append(wrong[texts[row]])
    _apply_switches(system, positions, columns, indices, reasons, malformed, source.name)
    extra = {name: columns[at] for name, at in extra_positions.items()}
    notes = (f"empty cells are 0, which is deselected: {listed(blank)}",) if blank else ()
    return OptionTable(lines, indices, reasons, extra, malformed, notes)


def body_columns(body: Sequence[Sequence[str]], width: int, reasons: dict[int, list[str]]) -> list[Sequence[str]]:
    """Return the columns of rows, and add the problems of rows that do not have this width."""
    if isinstance(body, PlainRows):
        columns = body.columns()
        if not any(cells.widths[1] for cells in columns[width:]):
            return [*columns[:width]]
    if len(body) * width > _MAX_PADDED and sum(map(len, body)) < len(body) * width / 2:
        raise InputError(f"most rows have fewer fields than the header, which has {width:,}")
    rows = []
    for row, cells in enumerate(body):
        if len(cells) == width:
            rows.append(cells)
            continue
        if any(cell.strip() for cell in cells[width:]) or len(cells) < width:
            reasons[row] = [f"{len(cells)} fields, but the header has {width}"]
        rows.append([*cells, *[""] * width][:width])
    return list(zip(*rows, strict=True)) if rows else [()] * width


def without_row_numbers(header: list[str], columns: list[Sequence[str]]) -> tuple[list[str], list[Sequence[str]]]:
    """Return the columns of a table without a first column of whole numbers that has no name.

    Data frames are written with such a column.
    """
    if len(header) < 2 or header[0] or not columns[0]:
        return header, columns
    whole = bool((parse_column(columns[0]) % 1 == 0).all())
    return (header[1:], columns[1:]) if whole else (header, columns)


def _places(
    source: Source, system: VariabilityModel, header: Sequence[str], line: int
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the columns of options (and root, `Enabledx`, `Disabledx`), and the columns of other names."""
    problems = Problems(source.name)
    positions: dict[str, int] = {}
    extra: dict[str, int] = {}
    for at, cell in enumerate(header):
        spelling = system.spellings.get(cell)
        if spelling is not None and spelling != cell and spelling in header:
            # The table has a column of the exact name, too: an option `run-time` and a property `runtime`.
            spelling = None
        if not cell:
            problems.add(f"column {at + 1} has no name", line)
        elif cell in extra or spelling in positions:
            problems.add(f"duplicate column {cell!r}", line)
        elif spelling is not None:
            positions[spelling] = at
        else:
            extra[cell] = at
    missing = [
        option.name
        for option in system.options
        if option.name not in positions and only_index(option, system.mandatory) is None
    ]
    if len(missing) == len(system.options) and not positions:
        hint = f"the options of {system.name or 'the system'} are: {', '.join(system.names[:12])}"
        problems.add("no column has the name of an option", line, text=",".join(header), hint=hint)
        missing = []
    for name in missing:
        problems.add(f"there is no column for the option {name!r}", line, hint=nearest(name, extra, "is it the column"))
    problems.raise_if_any(InputError)
    return positions, extra


def option_column(option: Option, texts: Sequence[str], decimal: str) -> tuple[Array, dict[str, str]]:
    """Return the value indices of a column (-1 for wrong texts), and wrong text → its problem."""
    distinct, codes = distinct_texts(texts)
    cells = [text.strip().casefold() for text in distinct]
    if isinstance(option, BinaryOption) or _BINARY_VALUES.issuperset(option.values):
        cells = [str(TRUTH.get(text, text)) for text in cells]
    if isinstance(option, BinaryOption) and not _BINARY_CELLS.isdisjoint(cells):
        # Tables of versions before the option have no value of it.
        cells = [text or "0" for text in cells]
    numbers = parse_column(cells, decimal)
    indices = value_indices(option, numbers)
    deselects = {"", "nan"} if option_is_optional(option) else set()
    wrong = {}
    unlisted = sorted(set(numbers[(indices < 0) & ~np.isnan(numbers)].tolist()))
    unit = None
    if isinstance(option, NumericOption):
        unit = unit_problem(option.name, option.values, unlisted)
    for at, text in enumerate(cells):
        if np.isnan(numbers[at]) and text not in deselects:
            indices[at] = -1
            stripped = distinct[at].strip()
            reason = not_a_number(text, decimal)
            fault = reason if "too large" in reason else "is not one of its values"
            wrong[distinct[at]] = f"{option.name}: {stripped!r} {fault}" if stripped else f"{option.name} has no value"
        elif indices[at] < 0:
            wrong[distinct[at]] = unit or wrong_value(option, float(numbers[at]))
    return indices.astype(np.int32)[codes], wrong


def _apply_switches(
    system: VariabilityModel,
    positions: dict[str, int],
    columns: Sequence[Sequence[str]],
    indices: Array,
    reasons: dict[int, list[str]],
    malformed: frozenset[int],
    file: str,
) -> None:
    """Check the columns of the root and of SPL Conqueror's hidden options against the columns of the options."""

    def refuse(rows: Array, reason: str) -> None:
        for row in np.flatnonzero(rows).tolist():
            if row not in malformed:
                reasons.setdefault(row, []).append(reason)

    for name, (position, means_enabled) in {ROOT: (-1, True), **system.switches}.items():
        if name not in positions:
            continue
        switch, _ = option_column(BinaryOption(name), columns[positions[name]], ".")
        if position < 0:
            if len(switch) and (switch != 1).all():
                hint = "rename it, if it is another column"
                message = f"the column {ROOT!r} is the root of the options, which is always selected (1)"
                raise InputError(Problem(message, file, hint=hint))
            refuse(switch != 1, "the root is always selected")
            continue
        deselected = system.options[position].size - 1
        refuse(switch < 0, f"{name} must be 0 or 1")
        disabled = (switch == 0) if means_enabled else (switch == 1)
        indices[disabled, position] = deselected
        refuse(
            (switch >= 0) & ~disabled & (indices[:, position] == deselected),
            f"{name} contradicts the value of {system.names[position]}",
        )


def option_texts(configurations: Configurations, *, plain: bool = False) -> list[list[str]]:
    """Return one column of texts per option: its words, 0 or 1, the shortest number, or the flag where deselected.

    `plain`: whether binary options are 0 or 1 also if they have words.
    """
    texts = []
    for position, option in enumerate(configurations.system.options):
        if isinstance(option, NumericOption):
            flag = option.deselected_flag
            numbers = [*option.values, *([] if flag is None else [flag])]
            table = column_texts(np.array(numbers, dtype=float))
        else:
            table = ["0", "1"] if plain else list(option.presentation.words or ("0", "1"))
        texts.append([table[index] for index in configurations.indices[:, position].tolist()])
    return texts


def exact_names(system: VariabilityModel) -> frozenset[str]:
    """Return the names that other columns of a table must not have."""
    return frozenset((*system.names, *system.switches, ROOT))


def table_text(header: Sequence[str], columns: Iterable[Sequence[str]], separator: str = ",") -> str:
    """Return a CSV table as text."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue()


def is_number(text: str, decimal: str) -> bool:
    """Return whether a cell is a finite number."""
    return not np.isnan(parse_number(text.strip(), decimal))


def is_value(text: str, decimal: str) -> bool:
    """Return whether a cell can be the value of an option."""
    return text.strip().casefold() in TRUTH or is_number(text, decimal)
