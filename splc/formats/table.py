"""Tables of texts: CSV files, and what the output of benchmark tools, data frames and several tables become.

A CSV file is split into cells once its separator is known; all other tables have their cells from the beginning.
Numbers may have a decimal comma: quoted, or in tables whose fields are not separated by commas.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan
from typing import Any

import numpy as np

from splc.data.property_unit import GROUPED
from splc.errors import InputError, Problem, Problems, SplcError, listed, plural, shorten
from splc.formats.column_choice import StatedRoles, kind_of, words_in
from splc.formats.titles import LEAST_TABLE, LOOKED_AT, aligned, table_lines, units_below, without_rulers
from splc.io.csv_rows import (
    SEPARATORS,
    CodedTexts,
    check_header,
    first_line,
    has_text,
    header_names,
    is_not_blank,
    likely_separator,
    plain_columns,
    split_line,
    split_rows,
)
from splc.io.files import Source, sha256_of
from splc.io.numbers import parse_column, parse_number

DECIMAL_COMMAS = "are there decimal commas? they need semicolons or tabs between the fields"
NOTE = "numbers are read with a decimal comma"
# Tables of fewer cells may have any number of missing ones.
_MAX_PADDED = 1_000_000
_BLANK_ROW = re.compile(rb"\n[,;|\t\r ]*\n")
_QUOTED_COMMA = re.compile(rb'"\s*+[+-]?\d*+,\d')
_COMMA = re.compile(r"\s*[+-]?(?:\d+,\d*|,\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_POINT = re.compile(r"\s*[+-]?(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_BOTH = re.compile(r"\s*[+-]?\d{1,3}(?:(?:\.\d{3})+,\d*|(?:,\d{3})+\.\d*)\s*", re.ASCII)  # `1.234,5` and `1,234.5`

# So many different numbers with a decimal point are no versions.
_SURE = 10
# A sign → numbers in which it separates thousands, before the other one as a decimal sign.
_THOUSANDS = {
    sign: re.compile(rf"\s*[+-]?[1-9]\d{{0,2}}(?:\{sign}\d{{3}})+(?:\{decimal}\d*)?\s*", re.ASCII)
    for sign, decimal in (",.", ".,")
}


@dataclass(frozen=True, eq=False)
class ColumnRows(Sequence[Sequence[str]]):
    """The rows of a table that is kept by its columns."""

    first: tuple[str, ...]  # the first row
    texts: tuple[Sequence[str], ...]  # the columns without it
    named: bool = True  # whether the first row is known to be the names of the columns

    def __len__(self) -> int:
        return 1 + (len(self.texts[0]) if self.texts else 0)

    def __iter__(self) -> Iterator[Sequence[str]]:
        yield self.first
        yield from zip(*self.texts, strict=True)

    def __getitem__(self, row: Any) -> Any:
        """Return one row; there are no slices."""
        return self.first if row == 0 else [texts[row - 1] for texts in self.texts]


@dataclass(frozen=True, eq=False)
class TableSource(Source):
    """A table; its data are those of the file that it was read from, of another format or not."""

    rows: Sequence[Sequence[str]] = field(default=(), repr=False)  # header and rows but blank ones; none: not split yet
    lines: Sequence[int] = field(default=(), repr=False)  # the line of each of these rows; none for XML
    separator: str = ","
    remarks: tuple[str, ...] = ()  # remarks on reading the cells
    stated: StatedRoles | None = None  # the roles of its columns, None if the format does not state them
    main: str | None = None  # the property to use if the user names none, None if the format has none
    notes: tuple[str, ...] = ()  # remarks on what the table was made from
    units: Mapping[str, str] = field(default_factory=dict)  # property → its unit, where the format states it
    own_names: Mapping[str, str] = field(default_factory=dict)  # what the file calls a property → its column
    texts: tuple[str, ...] = ()  # columns of texts that may look like numbers, as data frames have them
    # of a union the file of each table, in order, with the line of each of its rows; None for a format without lines
    files: tuple[tuple[str, tuple[int | None, ...]], ...] = field(default=(), repr=False)
    original: str = ""  # the hash of a file in another encoding
    # separator → rows and lines: a file is split once
    _splits: dict[tuple[str, bool], tuple[Sequence[Sequence[str]], Sequence[int]]] = field(
        default_factory=dict, repr=False
    )

    @classmethod
    def of(cls, source: Source, header: Sequence[str], columns: Iterable[Sequence[str]], **facts: Any) -> TableSource:
        """Return a table with these columns, and other fields, that stands for a file; notes on the file come first.

        Without the lines of the header and the rows, these are numbered.
        """
        names = tuple(header_names([_clean(name, source) for name in header])) if header else ()
        texts = tuple(columns)[: len(names)]
        lines = facts.pop("lines", ()) or range(1, 2 + (len(texts[0]) if texts else 0))
        notes = (*(source.notes if isinstance(source, TableSource) else ()), *facts.pop("notes", ()))
        facts = {"remarks": source.remarks if isinstance(source, TableSource) else (), **facts}
        return cls(source.name, source.data, ColumnRows(names, texts), lines, notes=notes, **facts)

    @classmethod
    def of_rows(cls, source: Source, header: Sequence[str], rows: Iterable[Sequence[str]], **facts: Any) -> TableSource:
        """Return a table with these rows; otherwise as `of`."""
        # Workbooks leave out empty cells at the end of a row.
        blank = [""] * len(header)
        cells = [[_clean(text, source) for text in [*row, *blank[len(row) :]]] for row in rows]
        kept = [at for at, row in enumerate(cells) if len(row) > 1 or any(row)]
        if lines := facts.pop("lines", ()):
            facts["lines"] = [lines[0], *(lines[at + 1] for at in kept)]
        cells = [cells[at] for at in kept]
        return cls.of(source, header, list(zip(*cells, strict=True)) if cells else [()] * len(header), **facts)

    @cached_property
    def beside(self) -> tuple[int, int]:
        """The numbers of lines of a CSV file before its header, and of those of statistics below it."""
        return (0, 0) if self.rows else table_lines(super().content)

    @cached_property
    def content(self) -> bytes:
        """The bytes in UTF-8, without a byte order mark, lines before the header, and statistics at the end."""
        content, (before, after) = super().content, self.beside
        if before:
            content = b"\n" * before + content.split(b"\n", before)[-1]
        return content.rstrip().rsplit(b"\n", after)[0] + b"\n" if after else content

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 hash of the file, in hexadecimal; where there are several files or none, that of the table."""
        return self.original or sha256_of(self.data if self.data or not self.rows else self.text())

    def text(self) -> str:
        """Return the table as CSV."""
        if isinstance(self.rows, ColumnRows) and self.rows.named:
            return table_text(self.rows.first, self.rows.texts)
        return super().text()

    @cached_property
    def header(self) -> list[str]:
        """The names of the columns; the second `time` is `time.1`, as pandas calls it."""
        names, unique = header_names(self.rows[0]), list[str]()
        for name in names if len({*names}) < len(names) else ():
            turn, numbered = 1, name
            while name and (numbered in unique or (turn > 1 and numbered in names)):
                turn, numbered = turn + 1, f"{name}.{turn}"
            unique.append(numbered)
        return unique or names

    @property
    def repeated_names(self) -> list[str]:
        """The names that several columns have."""
        return [name for name, count in Counter(header_names(self.rows[0])).items() if count > 1 and name]

    @cached_property
    def columns(self) -> dict[str, Sequence[str]]:
        """Name → texts of each column."""
        return dict(zip(*self.body[:2], strict=True))

    @cached_property
    def body(self) -> tuple[list[str], list[Sequence[str]], dict[int, int]]:
        """The names and the texts of the columns, and row → its number of fields, of rows of another width.

        The index of a data frame, a first column of whole numbers without a name, is left out, and a blank one.
        """
        header, width, ragged = self.header, len(self.header), dict[int, int]()
        if isinstance(self.rows, ColumnRows) and not any(map(has_text, self.rows.texts[width:])):
            columns = [*self.rows.texts[:width]]
        else:
            body = [*self.rows][1:]
            if len(body) * width > _MAX_PADDED and sum(map(len, body)) < len(body) * width / 2:
                message = f"most rows have fewer fields than the header, which has {width:,}"
                raise InputError(Problem(message, self.name))
            for row, cells in enumerate(body):
                if len(cells) < width or is_not_blank(cells[width:]):
                    ragged[row] = len(cells)
            rows = (cells if len(cells) == width else [*cells, *[""] * width][:width] for cells in body)
            columns = list(zip(*rows, strict=True)) if body else [()] * width
        first = columns[0] if width > 1 and not header[0] else ()
        is_left_out = first and (not has_text(first) or (parse_column(first) % 1 == 0).all())
        return (header[1:], columns[1:], ragged) if is_left_out else (header, columns, ragged)

    @contextmanager
    def placing(self) -> Iterator[None]:
        """Let errors in the block name the file of a union, and the line there."""
        try:
            yield
        except SplcError as error:
            raise type(error)([self._placed(problem) for problem in error.problems]) from None

    def _placed(self, problem: Problem) -> Problem:
        if not self.files or problem.file != self.name or problem.line is None:
            return problem
        # The first line is the header, which is that of all files.
        places = [(self.name, None), *((file, line) for file, lines in self.files for line in lines)]
        file, line = places[problem.line - 1] if 0 < problem.line <= len(places) else places[0]
        return replace(problem, file=file, line=line)


def _clean(text: str, source: Source) -> str:
    """Return a text as a CSV file would state it: UTF-8, without spaces before it."""
    if "\0" in text:
        raise InputError(Problem("a NUL character: this is binary data, not a text file", source.name))
    return (text if text.isascii() else text.encode("utf-8", "replace").decode()).lstrip(" ")


# Texts of western Europe have at most one other character in so many ASCII ones.
_FOREIGN, _ASCII = 8, 127


def in_utf8(source: Source) -> Source:
    """Return a file in Windows' encoding for western Europe, as spreadsheets write it, in UTF-8; others as they are."""
    data, beginning = source.data, source.data[:LOOKED_AT]
    with suppress(UnicodeDecodeError):
        if data.isascii() or data.decode():
            return source
    # UTF-16 has NUL characters; some bytes have no meaning in this encoding, and others have few ASCII characters.
    is_western = _FOREIGN * sum(byte > _ASCII for byte in beginning) <= len(beginning) and b"\0" not in data
    with suppress(UnicodeDecodeError):
        if is_western and data.decode("utf-8", "ignore").isascii():
            return Source(source.name, data.decode("cp1252").encode())
    return source


def table_of(source: Source) -> TableSource:
    """Return a file as a table, in UTF-8."""
    if isinstance(source, TableSource):
        return source
    found, table = in_utf8(source), TableSource(source.name, source.data)
    if (data := without_rulers(found.data)) is not source.data:
        notes = ("it is not UTF-8 and read as Windows-1252",) if found is not source else ()
        table = TableSource(source.name, data, notes=notes, original=source.sha256)
    if (cells := aligned(without_rulers(table.content))) is None:
        return table
    header, rows, lines = cells
    return TableSource.of_rows(table, header, rows, lines=lines, original=source.sha256)


def split_table(
    source: Source,
    names: Collection[str] = (),
    separator: str | None = None,
    decimal: str | None = None,
    exempt: Collection[str] = (),
) -> TableSource:
    """Return a table with its rows; the separator that is not stated gives the most names of options in the first line.

    Unless `decimal` is stated, decimal commas become points where they do not separate fields, but in `exempt` columns.
    """
    table = table_of(source)
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise InputError(Problem("the separator must be a single character", text=separator))
    if isinstance(table.rows, ColumnRows):
        if not table.rows.first:
            raise InputError(Problem("the file is empty", source.name))
        cells = (texts.distinct if isinstance(texts, CodedTexts) else texts for texts in table.rows.texts)
        table = _without_units(table)
        if decimal is not None or not any("," in text for texts in cells for text in texts):
            return table
        return _with_points(table, exempt, quoted=True)
    if not (text := table.text()) or text.isspace():
        raise InputError(Problem("the file is empty", source.name))
    if separator is None and names:
        cells_of = {each: split_line(first_line(text), each) for each in SEPARATORS}
        named = {each: sum(cell.strip() in names for cell in cells) for each, cells in cells_of.items()}
        separator = max(cells_of, key=lambda each: (named[each], len(cells_of[each])))
    separator = separator or likely_separator(text)
    plain = decimal is not None or separator == "," or b"," not in source.data
    if (key := (separator, plain)) not in table._splits:
        content = table.content.lstrip(b"\n")
        plain = plain and _BLANK_ROW.search(content) is None
        if (columns := plain_columns(content, separator) if plain else None) is not None:
            first, texts = tuple(cells[0] for cells in columns), tuple(cells[1:] for cells in columns)
            start = 1 + len(table.content) - len(content)
            table._splits[key] = ColumnRows(first, texts, named=False), range(start, start + len(columns[0]))
        else:
            every, ends = split_rows(table, separator, lambda row: len(row) > 1 or is_not_blank(row))
            filled = [at for at, row in enumerate(every) if not at or is_not_blank(row)]
            # Without a column that always has a text, a row without texts may be a configuration.
            if any(map(all, zip(*(every[at] for at in filled[1:]), strict=False))):
                every, ends = [every[at] for at in filled], [ends[at] for at in filled]
            table._splits[key] = every, ends
    rows, lines = table._splits[key]
    table = _without_units(replace(table, rows=rows, lines=lines, separator=separator))
    quoted = separator == ","
    if isinstance(rows, ColumnRows) or decimal is not None or (quoted and not _QUOTED_COMMA.search(source.data)):
        return table
    return _with_points(table, exempt, quoted=quoted)


def _without_units(table: TableSource) -> TableSource:
    """Return a table without a row of units below its header."""
    rows = table.rows
    if len(rows) < LEAST_TABLE or not (units := units_below(rows)):
        return table
    shown = listed([f"{name} in {unit}" for name, unit in units.items()])
    remarks = (*table.remarks, f"the row of units below the header is left out: {shown}")
    kept: Sequence[Sequence[str]] = [row for at, row in enumerate(rows) if at != 1]
    if isinstance(rows, ColumnRows):
        kept = replace(rows, texts=tuple(texts[1:] for texts in rows.texts))
    lines = [table.lines[0], *table.lines[2:]]
    return replace(table, rows=kept, lines=lines, remarks=remarks, units={**table.units, **units})


def read_columns(source: Source, exempt: Collection[str] = ()) -> TableSource:
    """Return a table with its columns, where no description is known; rows that are too short are left out."""
    table = split_table(source, exempt=exempt)
    line, width, lines = int(table.lines[0]), len(table.header), table.lines
    remarks = (*table.remarks, *name_notes(table))
    if not isnan(parse_number(table.header[-1])):
        message = "the table has no header: its first line ends with a number"
        hint = "add a line with the names of the columns, or name the description of the system with --system"
        raise InputError(Problem(message, source.name, line, text=first_line(source.text()), hint=hint))
    if len(table.rows) == 1:
        raise InputError(Problem("the file has no rows", source.name))
    header, columns, ragged = table.body
    count, short = len(table.rows) - 1, {row for row, fields in ragged.items() if fields < width}
    if count in (len(short), len(ragged) - len(short)):
        message = f"every row has {'fewer' if short else 'more'} fields than the header, which has {width:,}"
        separate = f"separate the fields of rows as those of the header, by {table.separator!r}"
        raise InputError(Problem(message, source.name, int(lines[1]), hint=separate if short else DECIMAL_COMMAS))
    if short:
        full = [row for row in range(count) if row not in short]
        columns = [[texts[row] for row in full] for texts in columns]
        lines = [line, *(lines[row + 1] for row in full)]
        rows = plural(len(short), "row that has", "rows that have")
        remarks = (*remarks, f"{rows} fewer fields than the header left out")
    problems = Problems(source.name)
    check_header(header, line, problems)
    problems.raise_if_any(InputError)
    return replace(table, rows=ColumnRows((*header,), (*columns,)), lines=lines, remarks=remarks)


def name_notes(table: TableSource) -> Iterator[str]:
    """Yield a note for each name that several columns of a table have."""
    for name in table.repeated_names:
        unique = [new for new, stated in zip(table.header, header_names(table.rows[0]), strict=True) if stated == name]
        yield f"{len(unique)} columns have the name {name!r}: they are read as {listed(unique)}"


def table_text(header: Sequence[str], columns: Iterable[Sequence[str]], separator: str = ",") -> str:
    """Return a CSV table as text."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue()


def _with_points(table: TableSource, exempt: Collection[str], *, quoted: bool) -> TableSource:
    """Return a table with a decimal point in each number that has a decimal comma, and a remark.

    Separators of thousands (`1,234,567`) are removed where the decimal sign is known, and stay elsewhere. Where
    commas separate the cells, which are `quoted` then, what is in doubt stays, and columns with other commas, such as
    lists (`0,1,2`).
    """
    rows, lines, file = [*map(list, table.rows)], table.lines, table.name
    skipped = {at for at, cell in enumerate(rows[0]) if cell.strip() in exempt}
    if names := _remove_thousands(rows, skipped, quoted=quoted):
        table = _with_rows(table, rows, f"separators of thousands are left out: {listed(names)}")
    if quoted:
        skipped |= {at for row in rows[1:] for at, cell in enumerate(row) if "," in cell and not _COMMA.fullmatch(cell)}

    def matching(sign: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int, str]]:
        """Yield row, column and text of the cells that match a pattern and so contain a sign."""
        for row, cells in enumerate(rows):
            for at, cell in enumerate(cells):
                if sign in cell and at not in skipped and pattern.fullmatch(cell):
                    yield row, at, cell

    def is_text(at: int) -> bool:
        """Return whether a column has mostly texts, such as versions (`0.9` and `0.9.1`)."""
        texts = [cells[at] for cells in rows[1:] if at < len(cells)]
        return kind_of(texts, parse_column(texts, ",")) == "text"

    commas = list(matching(",", _COMMA))
    grouped = all(GROUPED.fullmatch(cell) for *_, cell in commas)
    if not commas or (grouped and any(cell.count(",") > 1 for *_, cell in matching(",", GROUPED))):
        return table
    row, _, cell = commas[0]
    both = next(matching(",", _BOTH), None)
    # `3.5` in another column, such as a version, is no other number, but `3.500` may be.
    mixed = {at for _, at, _ in commas}
    points = (hit for hit in matching(".", _POINT) if quoted or hit[1] in mixed or _THOUSANDS["."].fullmatch(hit[2]))
    point = next((hit for hit in points if not is_text(hit[1])), None)
    if quoted and (both or point or grouped):
        return table
    shown = repr(shorten(cell.strip()))
    if conflict := both or point:
        sign, other = "a separator of thousands" if both else "a decimal point", repr(shorten(conflict[2].strip()))
        column = repr(shorten(rows[0][conflict[1]].strip()))
        message = f"{other} in {column} has {sign}, but {shown} in line {lines[row]} has a decimal comma"
        hint = "write all numbers alike; columns that are contexts or ignored (--context, --ignore) do not count"
        raise InputError(Problem(message, file, int(lines[conflict[0]]), hint=hint))
    if grouped:
        message = f"{shown} is either {cell.strip().replace(',', '.')} or {cell.strip().replace(',', '')}"
        raise InputError(Problem(message, file, int(lines[row]), hint="write numbers with a decimal point"))
    for row, at, cell in commas:
        rows[row][at] = cell.replace(",", ".")
    return _with_rows(table, rows, NOTE)


def _with_rows(table: TableSource, rows: Sequence[list[str]], remark: str) -> TableSource:
    """Return a table with other cells, and a remark."""
    made = ColumnRows((*rows[0],), tuple(zip(*rows[1:], strict=True))) if isinstance(table.rows, ColumnRows) else rows
    return replace(table, rows=made, remarks=(*table.remarks, remark))


def _remove_thousands(rows: Sequence[list[str]], skipped: Collection[int], *, quoted: bool) -> list[str]:
    """Remove separators of thousands from columns of numbers where they are no decimal signs; return their names."""
    decimals, separators, found = set[str](), set[str](), dict[int, str]()
    for at in (at for at in range(len(rows[0])) if at not in skipped):
        texts = list(dict.fromkeys(cells[at] for cells in rows[1:] if at < len(cells)))
        for sign, decimal, single in ((",", ".", _POINT), (".", ",", _COMMA)):
            grouped = {text for text in texts if _THOUSANDS[sign].fullmatch(text)}
            plain = [text.replace(sign, "") if text in grouped else text for text in texts]
            if words_in(plain, numbers := parse_column(plain, decimal)):
                continue
            both = any(decimal in text for text in grouped)
            if both or any(single.fullmatch(text) and not _THOUSANDS[decimal].fullmatch(text) for text in texts):
                decimals.add(decimal)
            if grouped:
                found[at] = sign
                # `3,413` in each row may have decimals, unless commas separate the cells; `10.000` may always.
                mixed = any(text.count(sign) > 1 for text in grouped) or len(grouped) < np.isfinite(numbers).sum()
                separators |= {sign} if both or (sign == "," and (quoted or mixed)) else set()
            elif sum(single.fullmatch(text) is not None for text in texts) >= _SURE:
                # Many numbers with a point leave no doubt about the commas of other columns.
                separators |= {","} if decimal == "." else set()
    removed = {at: sign for at, sign in found.items() if sign in separators and decimals == {",."[sign == ","]}}
    for cells in rows[1:]:
        for at, sign in removed.items():
            if at < len(cells):
                cells[at] = cells[at].replace(sign, "")
    return [rows[0][at].strip() for at in removed]
