"""CSV: rows with their line numbers, headers, and cells of plain tables as positions in the file.

A table is plain if it has no quotes and no blank lines, and as many cells in every row.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np

from splc.errors import InputError, Problem, Problems
from splc.io.files import Source
from splc.types import Array

_MAX_BYTES = 2**31 - 2  # positions have four bytes; larger files are read row by row
_BLOCK, _ROWS = 1 << 16, 1 << 10
_NEWLINE = 10
# The csv module refuses longer cells.
_LONGEST = 131_072
_CODED_WIDTH = 64
_SNIFFED, _MAX_DISTINCT = 2000, 1000
# Up to so many times as many slots as rows, a table of all slots is faster than sorting.
DENSE = 8
_WORD, _UNKNOWN = 8, 255
_MASKS: Array = np.array([(1 << 8 * count) - 1 for count in range(_WORD + 1)], dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class Cells(Sequence[str]):
    """n cells of a file as texts. Spaces before a text do not belong to it."""

    content: bytes  # the file
    before: Array  # the position before the first byte of each cell, shape (n,)
    ends: Array  # the position after the last byte of each cell, shape (n,)
    heads: Array  # the first two bytes of each cell as a number, 0 for those after its end, shape (n,)
    numbers: list[Array] = field(default_factory=list, repr=False)  # the numbers in the cells, once they were read

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: Any) -> Any:
        """Return the text of a cell, or the cells of a slice or of an array of rows."""
        if isinstance(row, slice | np.ndarray):
            return Cells(self.content, self.before[row], self.ends[row], self.heads[row])
        return self.content[self.before[row] + 1 : self.ends[row]].decode().lstrip(" ")

    def __iter__(self) -> Iterator[str]:
        content = self.content
        for start in range(0, len(self), _ROWS):
            blocks = (positions[start : start + _ROWS].tolist() for positions in (self.before, self.ends))
            for before, end in zip(*blocks, strict=True):
                yield content[before + 1 : end].decode().lstrip(" ")

    @property
    def lengths(self) -> Array:
        """The number of bytes of each cell, shape (n,)."""
        return self.ends - self.before - np.int32(1)

    @cached_property
    def widest(self) -> int:
        """The number of bytes of the widest cell."""
        return int(self.lengths.max(initial=0))

    @cached_property
    def is_varied(self) -> bool:
        """True if most of the first cells differ, so that deduplication saves no time."""
        beginning = self[:_SNIFFED]
        return self.widest > _CODED_WIDTH or (len(self) >= _SNIFFED and len(beginning.codes[0]) > _MAX_DISTINCT)

    @cached_property
    def codes(self) -> tuple[Array, Array]:
        """The first row of each distinct cell, ascending, and the position of each cell among these, shape (n,)."""
        rows = self[:_SNIFFED].codes[0] if len(self) > _SNIFFED else np.zeros(0, dtype=np.int64)
        if 0 < len(rows) < _UNKNOWN and len({*self.heads[rows].tolist()}) == len(rows):
            # Nearly always the first two bytes tell all cells apart, of which none is new.
            code_of = np.full(1 << 16, _UNKNOWN, dtype=np.uint8)
            code_of[self.heads[rows]] = np.arange(len(rows))
            codes = code_of.take(self.heads)
            words = map(self.word, range(0, self.widest if self.widest > 2 else 0, _WORD))
            if codes.max() < _UNKNOWN and all(np.array_equal(word[rows].take(codes), word) for word in words):
                return rows, codes
        rows, codes = first_appearances(self.word(0))
        for start in range(_WORD, self.widest, _WORD):
            _, further = first_appearances(self.word(start))
            rows, codes = first_appearances(codes * (int(further.max(initial=0)) + 1) + further)
        return rows, codes.astype(np.min_scalar_type(len(rows)))

    def word(self, start: int) -> Array:
        """Return eight bytes of each cell as a number, shape (n,); cells contain no NUL."""
        if self.widest <= start + 2 and start == 0:
            return self.heads
        content, positions = self.content.ljust(_WORD), self.before + np.int32(start + 1)
        # The words that begin at each byte.
        words: Array = np.ndarray(len(content) + 1 - _WORD, "<u8", content, strides=(1,))
        word = words[np.minimum(positions, len(words) - 1)]
        for row in np.flatnonzero(positions >= len(words)).tolist():
            word[row] = int.from_bytes(content[positions[row] : positions[row] + _WORD], "little")
        return np.asarray(word & _MASKS.take(self.ends - positions, mode="clip"))


@dataclass(frozen=True, eq=False)
class CodedTexts(Sequence[str]):
    """n texts as positions among distinct ones."""

    distinct: Sequence[str]  # the distinct texts
    codes: Array  # the position of each text among them, shape (n,)

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[str]:
        return map(self.distinct.__getitem__, self.codes.tolist())

    def __getitem__(self, row: Any) -> Any:
        """Return the text in a row, or the texts in a slice or an array of rows."""
        codes = self.codes[row]
        return CodedTexts(self.distinct, codes) if isinstance(row, slice | np.ndarray) else self.distinct[int(codes)]

    @classmethod
    def of(cls, texts: Sequence[str], others: Mapping[str, str]) -> CodedTexts:
        """Return the texts of a column, with others instead of some."""
        distinct, codes = distinct_texts(texts)
        replaced = [others.get(text, text) for text in distinct]
        position = {text: at for at, text in enumerate(dict.fromkeys(replaced))}
        return cls([*position], np.array([position[text] for text in replaced], dtype=np.int64)[codes])


def plain_columns(content: bytes, separator: str) -> list[Cells] | None:
    """Return the columns of a plain table of several columns, the header included; None for any other file."""
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n")
    if b"\r" in content or b'"' in content or separator == " " or not separator.isascii() or len(content) > _MAX_BYTES:
        return None
    if not content.endswith(b"\n"):
        content += b"\n"
    columns = content.count(separator.encode(), 0, content.index(b"\n")) + 1
    if columns < 2:
        return None
    lines = content.count(b"\n")
    data, mark = np.frombuffer(content, dtype=np.uint8), ord(separator)
    ends, heads = np.empty((columns, lines), dtype=np.int32), np.empty((columns, lines), dtype=np.uint16)
    start = row = 0
    # Blocks of whole lines fit into the cache.
    while start < len(content):
        stop = content.rfind(b"\n", start, start + _BLOCK) + 1
        block = data[start : stop or content.index(b"\n", start) + 1]
        # The position of each separator and line feed.
        marks = np.flatnonzero((block == mark) | (block == _NEWLINE)).astype(np.int32) + np.int32(start)
        stop = row + len(marks) // columns
        if len(marks) % columns or stop > lines:
            return None
        lengths = np.diff(marks, prepend=np.int32(start - 1))
        first, second = (data.take(marks - lengths + np.int32(at), mode="clip") * (lengths > at) for at in (1, 2))
        ends[:, row:stop] = marks.reshape(-1, columns).T
        heads[:, row:stop] = (first + second * np.uint16(256)).reshape(-1, columns).T
        start, row = start + len(block), stop
    if row < lines or (data[ends[-1]] != _NEWLINE).any() or int(np.diff(ends[-1], prepend=-1).max()) > _LONGEST:
        return None
    starts = np.insert(ends[-1, :-1], 0, -1)
    return [Cells(content, *column) for column in zip([starts, *ends[:-1]], ends, heads, strict=True)]


def is_coded(texts: Sequence[str]) -> bool:
    """Return whether a column has distinct texts that are known, or are found fast."""
    return isinstance(texts, CodedTexts) or (isinstance(texts, Cells) and not texts.is_varied)


def texts_in(texts: Sequence[str], rows: Array) -> Sequence[str]:
    """Return the texts of a column in some rows, by their positions."""
    if is_coded(texts) and isinstance(texts, Cells):
        texts = CodedTexts(*distinct_texts(texts))
    return texts[rows] if isinstance(texts, Cells | CodedTexts) else [texts[row] for row in rows.tolist()]


def has_text(texts: Sequence[str]) -> bool:
    """Return whether a text is not blank."""
    return any(text.strip() for text in distinct_texts(texts)[0])


def distinct_texts(texts: Sequence[str]) -> tuple[list[str], Array]:
    """Return the distinct texts of a column, and the position of each of its texts among them, shape (n,)."""
    if isinstance(texts, CodedTexts):
        # A part of a column may lack some of its texts.
        is_used = np.bincount(texts.codes, minlength=len(texts.distinct)) > 0
        return [*compress(texts.distinct, is_used)], (np.cumsum(is_used) - 1)[texts.codes]
    if isinstance(texts, Cells) and not texts.is_varied:
        rows, codes = texts.codes
        return [texts[row] for row in rows.tolist()], codes
    code_of: dict[str, int] = {}
    codes = np.fromiter((code_of.setdefault(text, len(code_of)) for text in texts), dtype=np.int64, count=len(texts))
    return list(code_of), codes


def rows_with(columns: Mapping[str, Sequence[str]], texts: Mapping[str, str]) -> Array:
    """Return the rows in which columns have these texts, but for spaces around them; unknown columns do not count."""
    chosen = np.ones(len(next(iter(columns.values()), ())), dtype=bool)
    for name in columns.keys() & texts.keys():
        distinct, codes = distinct_texts(columns[name])
        chosen &= np.array([text.strip() == texts[name].strip() for text in distinct], dtype=bool)[codes]
    return np.flatnonzero(chosen)


def distinct_numbers(values: Array, texts: Sequence[str] = ()) -> tuple[Array, Array]:
    """Return the distinct numbers of a column, that of `texts`, ascending and NaN last, and the positions of all."""
    if isinstance(texts, Cells) and not texts.is_varied:
        rows, codes = texts.codes
        distinct, positions = distinct_numbers(values[rows])
        return distinct, positions.astype(codes.dtype).take(codes)
    # Adding 0 turns -0.0 into 0.0.
    values, least = values + 0.0, values.min(initial=np.inf)
    if 0 <= values.max(initial=-np.inf) - least < DENSE * len(values) and np.array_equal(values, np.floor(values)):
        codes = renumbered((values - least).astype(np.int64))
        distinct = np.empty(int(codes.max()) + 1)
        distinct[codes] = values
        return distinct, codes
    distinct, codes = np.unique(values, return_inverse=True)
    return distinct, codes.reshape(-1)


def sorted_distinct(values: Array) -> Array:
    """Return the distinct numbers of an array, ascending."""
    # Without counts, numpy would hash the numbers, which takes longer than sorting, and import its masked arrays.
    return np.unique(values, return_counts=True)[0]


def renumbered(keys: Array) -> Array:
    """Return the positions of whole numbers from 0 on among the distinct ones, shape (n,), without sorting if dense."""
    end = int(keys.max(initial=0)) + 1
    if end > DENSE * len(keys):
        return np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
    is_used = np.zeros(end, dtype=bool)
    is_used[keys] = True
    codes = keys if is_used.all() else (np.cumsum(is_used, dtype=np.int32) - np.int32(1))[keys]
    return codes.astype(np.int64)


def first_appearances(keys: Array) -> tuple[Array, Array]:
    """Return the position of each distinct key's first appearance, ascending, and each key's place among them."""
    codes = renumbered(keys)
    first = np.empty(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    # Of several values for a position the last one stays.
    first[codes[::-1]] = np.arange(len(keys))[::-1]
    is_first = np.zeros(len(keys), dtype=bool)
    is_first[first] = True
    return np.flatnonzero(is_first), (np.cumsum(is_first) - 1)[first][codes]


# An odd number near 2^64 divided by the golden ratio, and a shift that brings its high bits down.
SPREAD, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


def row_groups(rows: Array) -> tuple[Array, Array]:
    """Return the position of each distinct row's first appearance, ascending, and each row's place among these.

    `rows`: a table, whose rows are told apart by numbers if few are possible, else by hashes of their bytes; those of
    equal hashes are compared.
    """
    is_whole = rows.dtype.kind in "bu" or (rows.dtype.kind == "i" and rows.min(initial=0) >= 0)
    sizes = [int(largest) + 1 for largest in rows.max(axis=0, initial=0)] if is_whole else []
    if is_whole and math.prod(sizes) <= DENSE * len(rows):
        keys = np.zeros(len(rows), dtype=np.min_scalar_type(-DENSE * len(rows) - 1))
        for size, column in zip(sizes, rows.T, strict=True):
            keys *= size
            keys += column.astype(keys.dtype)
        return first_appearances(keys)
    width = rows.dtype.itemsize * rows.shape[1]
    padded = np.zeros((len(rows), max(1, -(-width // _WORD)) * _WORD), dtype=np.uint8)
    padded[:, :width] = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), width)
    words = padded.view(np.uint64)
    hashes = np.zeros(len(rows), dtype=np.uint64)
    for word in words.T:
        hashes = (hashes ^ word) * SPREAD
        hashes ^= hashes >> _SHIFT
    first, group = first_appearances(hashes)
    if np.array_equal(words, words[first[group]]):
        return first, group
    # Different rows have the same hash, which is very rare.
    return first_appearances(np.unique(words, axis=0, return_inverse=True)[1].reshape(-1))


# The characters in which the first two lines are looked for.
_BEGINNING = 1 << 18
SEPARATORS = (",", ";", "\t", "|")


def first_line(text: str) -> str:
    """Return the first line that is not blank, without its end."""
    stop = text.find("\n", len(text) - len(text.lstrip()))
    return next(line for line in text[: None if stop < 0 else stop].splitlines() if line.strip())


def split_line(line: str, separator: str) -> list[str]:
    """Return the cells of a line; none if it is not CSV."""
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        return []


def likely_separator(text: str) -> str:
    """Return the separator that gives the most cells in the first line of a text that is not blank.

    One that gives as many in the next line is preferred: names and numbers may have commas. `|`, which may be part of
    names, counts once.
    """
    lines = [line for line in text[:_BEGINNING].splitlines() if line.strip()] or [first_line(text)]

    def fit(separator: str) -> tuple[bool, int]:
        first, second = (len(split_line(line, separator)) for line in (lines[0], *lines[1:2], "")[:2])
        return first == second > 1, min(first, 2 if separator == "|" else first)

    return max(SEPARATORS, key=fit)


def header_names(cells: Sequence[str]) -> list[str]:
    """Return the names of columns, without empty ones at the end: many programs end a line with a separator."""
    names = [cell.strip() for cell in cells]
    while len(names) > 1 and not names[-1]:
        names.pop()
    return names


def first_header(text: str) -> list[str]:
    """Return the names of columns in the first line of a table; none if it is blank."""
    return header_names(split_line(first_line(text), likely_separator(text))) if text.strip() else []


def check_header(names: Sequence[str], line: int, problems: Problems) -> None:
    """Add a problem for each column without a name, and for each name of several columns."""
    for at, name in enumerate(names):
        if not name:
            problems.add(f"column {at + 1} has no name", line)
    for name, count in Counter(names).items():
        if count > 1 and name:
            problems.add(f"duplicate column {name!r}", line)


def is_not_blank(cells: Sequence[str]) -> bool:
    """Return whether a row has a cell with a text."""
    return any(cell.strip() for cell in cells)


def split_rows(
    source: Source, separator: str | None = None, keep: Callable[[list[str]], bool] = is_not_blank
) -> tuple[list[list[str]], list[int]]:
    """Return the rows of a CSV file, and the line at which each row ends.

    `separator`: None is the likely one. `keep`: whether a row is kept; it must reject blank rows.
    """
    rows, lines, text = [], [], source.text()
    separator = separator or (likely_separator(text) if text.strip() else ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True, skipinitialspace=True)
    try:
        for row in reader:
            if keep(row):
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise InputError(Problem(f"not CSV: {error}", source.name, reader.line_num)) from None
    if not rows:
        # An empty pair of quotes is not a row either.
        raise InputError(Problem("the file is empty", source.name))
    return rows, lines
