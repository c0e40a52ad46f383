"""Cells of plain CSV tables as positions in the file, decoded to texts or numbers on access.

A table is plain if it has no quotes and no blank lines, and as many cells in every row; others are read by
`splc.io.csv_rows`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import overload

import numpy as np

from splc.types import Array

# Positions have four bytes; larger files are read row by row.
_MAX_BYTES = 2**31 - 2
_BLOCK, _ROWS = 1 << 20, 1 << 12
_NEWLINE = 10
# The csv module refuses longer cells.
_LONGEST = 131_072
_CODED_WIDTH = 64
_SNIFFED, _MAX_DISTINCT = 2000, 1000
_SLOT_BITS = 16
# Up to so many times as many slots as rows, a table of all slots is faster than sorting.
_DENSE = 8
# Up to this number of keys, a dictionary is faster than a table of all slots.
_FEW = 1000
_HEAD, _WORD = 2, 8
_MASKS: Array = np.array([(1 << 8 * count) - 1 for count in range(_WORD + 1)], dtype=np.uint64)
# Fibonacci hashing: an odd number near 2^64 divided by the golden ratio.
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Cells(Sequence[str]):
    """n cells of a file as texts. Spaces before a text do not belong to it.

    Args:
        content: the file.
        before: the position before the first byte of each cell, shape (n,).
        ends: the position after the last byte of each cell, shape (n,).
        heads: the first two bytes of each cell as a number, 0 after its end, shape (n,).
    """

    content: bytes
    before: Array
    ends: Array
    heads: Array

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, row: int) -> str: ...

    @overload
    def __getitem__(self, row: slice) -> Cells: ...

    def __getitem__(self, row: int | slice) -> str | Cells:
        if isinstance(row, slice):
            return self.take(row)
        return self.content[self.before[row] + 1 : self.ends[row]].decode().lstrip(" ")

    def __iter__(self) -> Iterator[str]:
        content = self.content
        for start in range(0, len(self), _ROWS):
            blocks = (positions[start : start + _ROWS].tolist() for positions in (self.before, self.ends))
            for before, end in zip(*blocks, strict=True):
                yield content[before + 1 : end].decode().lstrip(" ")

    def take(self, rows: Array | slice) -> Cells:
        """Return the cells of some rows."""
        return Cells(self.content, self.before[rows], self.ends[rows], self.heads[rows])

    @cached_property
    def widths(self) -> tuple[int, int]:
        """The number of bytes of the narrowest and of the widest cell."""
        widths = self.lengths
        return (int(widths.min()), int(widths.max())) if len(widths) else (0, 0)

    @property
    def lengths(self) -> Array:
        """The number of bytes of each cell, shape (n,)."""
        return self.ends - self.before - np.int32(1)

    @cached_property
    def is_varied(self) -> bool:
        """True if most of the first cells differ, so that deduplication saves no time."""
        if self.widths[1] > _CODED_WIDTH:
            return True
        beginning = self[:_SNIFFED]
        return len(beginning) == _SNIFFED and len(beginning.codes()[0]) > _MAX_DISTINCT

    def codes(self) -> tuple[Array, Array]:
        """Return a row of each distinct cell, and the position of each cell among these rows, shape (n,)."""
        rows, codes = self._small_codes
        return rows, codes.astype(np.int64)

    @cached_property
    def _small_codes(self) -> tuple[Array, Array]:
        """The rows and positions of `codes`, which take one byte each if there are few."""
        rows, codes = _codes(self.heads if self.widths[1] <= _HEAD else self._word(0))
        for start in range(8, self.widths[1], 8):
            block_rows, block_codes = _codes(self._word(start))
            rows, codes = _codes(codes.astype(np.uint64) * np.uint64(len(block_rows)) + block_codes.astype(np.uint64))
        return rows, codes.astype(np.min_scalar_type(len(rows)))

    def padded(self) -> Array:
        """Return the cells as byte strings of the same width, shape (n,)."""
        words = [self._word(start) for start in range(0, max(1, self.widths[1]), 8)]
        return np.stack(words, axis=1).astype("<u8").view(f"S{8 * len(words)}").reshape(-1)

    def bytes_at(self, at: int) -> Array:
        """Return the byte at a place in each cell, 0 after its end, shape (n,)."""
        if at < _HEAD:
            return (self.heads >> np.uint16(8 * at)).astype(np.uint8)
        data = np.frombuffer(self.content, dtype=np.uint8)
        positions = self.before + np.int32(at + 1)
        values: Array = data.take(positions, mode="clip")
        return values if at < self.widths[0] else values * (positions < self.ends)

    def _word(self, start: int) -> Array:
        """Return eight bytes of each cell as a number, shape (n,); cells contain no NUL."""
        if len(self.content) < _WORD:
            word: Array = np.zeros(len(self), dtype=np.uint64)
            for at in range(_WORD):
                word |= self.bytes_at(start + at).astype(np.uint64) << np.uint64(8 * at)
            return word
        # A word begins at every byte of the file; the last ones are read from an earlier place.
        words: Array = np.ndarray(len(self.content) - 7, dtype="<u8", buffer=self.content, strides=(1,))
        positions = self.before + np.int32(start + 1)
        starts = np.minimum(positions, len(words) - 1)
        beyond = np.minimum(positions - starts, 7).astype(np.uint64) * np.uint64(8)
        masked: Array = (words[starts] >> beyond) & _MASKS[np.clip(self.ends - positions, 0, 8)]
        return masked


@dataclass(frozen=True, eq=False)
class PlainRows(Sequence[Sequence[str]]):
    """The rows of a plain table.

    Args:
        content: the file.
        separator: the separator of cells.
        ends: the position after the last byte of each cell, shape (columns, rows + 1); the first ones are those of what
            is before the table.
        heads: the first two bytes of each cell, as in `Cells`, shape (columns, rows).
    """

    content: bytes
    separator: str
    ends: Array
    heads: Array

    def __len__(self) -> int:
        return int(self.heads.shape[1])

    def __iter__(self) -> Iterator[list[str]]:
        lines = self.content[self.ends[-1, 0] + 1 : self.ends[-1, -1]].decode().split("\n")
        for line in lines if len(self) else ():
            yield [cell.lstrip(" ") for cell in line.split(self.separator)]

    @overload
    def __getitem__(self, row: int) -> list[str]: ...

    @overload
    def __getitem__(self, row: slice) -> PlainRows: ...

    def __getitem__(self, row: int | slice) -> list[str] | PlainRows:
        if isinstance(row, slice):
            start, stop, step = row.indices(len(self))
            assert step == 1
            stop = max(start, stop)
            return PlainRows(self.content, self.separator, self.ends[:, start : stop + 1], self.heads[:, start:stop])
        at = range(len(self))[row]
        ends = self.ends[:, at + 1]
        return list(Cells(self.content, np.append(self.ends[-1, at], ends[:-1]), ends, self.heads[:, at]))

    def columns(self) -> list[Cells]:
        """Return the columns."""
        starts = [self.ends[-1, :-1], *self.ends[:-1, 1:]]
        return [Cells(self.content, *column) for column in zip(starts, self.ends[:, 1:], self.heads, strict=True)]


@dataclass(frozen=True, eq=False)
class CodedTexts(Sequence[str]):
    """n texts as positions among distinct ones.

    Args:
        distinct: the distinct texts.
        codes: the position of each text among them, shape (n,).
    """

    distinct: Sequence[str]
    codes: Array

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, row: int) -> str: ...

    @overload
    def __getitem__(self, row: slice) -> CodedTexts: ...

    def __getitem__(self, row: int | slice) -> str | CodedTexts:
        if isinstance(row, slice):
            return CodedTexts(self.distinct, self.codes[row])
        return self.distinct[int(self.codes[row])]

    @classmethod
    def of(cls, texts: Sequence[str], replace: Callable[[str], str]) -> CodedTexts:
        """Return the texts of a column, each replaced by another one."""
        distinct, codes = distinct_texts(texts)
        replaced = [replace(text) for text in distinct]
        position = {text: at for at, text in enumerate(dict.fromkeys(replaced))}
        return cls([*position], np.array([position[text] for text in replaced], dtype=np.int64)[codes])


def plain_rows(content: bytes, separator: str) -> PlainRows | None:
    """Return the rows of a plain table of several columns, None for any other file."""
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n")
    if b"\r" in content or b'"' in content or separator == " " or not separator.isascii() or len(content) > _MAX_BYTES:
        return None
    if not content.endswith(b"\n"):
        content += b"\n"
    lines, first = content.count(b"\n"), content.index(b"\n")
    columns = content.count(separator.encode(), 0, first) + 1
    if columns < 2:
        return None
    data, mark = np.frombuffer(content, dtype=np.uint8), ord(separator)
    # The position before the file, and that of each separator and line feed.
    marks = np.empty(columns * lines + 1, dtype=np.int32)
    marks[0], count = -1, 1
    for start in range(0, len(data), _BLOCK):
        block = data[start : start + _BLOCK]
        block_marks = np.flatnonzero((block == mark) | (block == _NEWLINE))
        target = marks[count : count + len(block_marks)]
        if len(target) < len(block_marks):
            return None
        np.add(block_marks, start, out=target, casting="unsafe")
        count += len(block_marks)
    if count < len(marks):
        return None
    last = marks[::columns]
    if (data[last[1:]] != _NEWLINE).any() or int(np.diff(last).max()) > _LONGEST:
        return None
    ends = np.empty((columns, lines + 1), dtype=np.int32)
    heads = np.empty((columns, lines), dtype=np.uint16)
    ends[:, 0] = -1
    # Process blocks of rows that fit into the cache.
    for start in range(0, lines, _ROWS):
        stop = min(start + _ROWS, lines)
        row_marks = marks[start * columns : stop * columns + 1]
        ends[:, start + 1 : stop + 1] = row_marks[1:].reshape(-1, columns).T
        heads[:, start:stop] = _heads(data, row_marks).reshape(-1, columns).T
    return PlainRows(content, separator, ends, heads)


def _heads(data: Array, marks: Array) -> Array:
    """Return the first two bytes of the cells between marks, 0 after the end of a cell, shape (cells,)."""
    starts, lengths = marks[:-1], np.diff(marks)
    first, second = (data.take(starts + np.int32(at), mode="clip") * (lengths > at) for at in range(1, _HEAD + 1))
    return first.astype(np.uint16) | second.astype(np.uint16) << np.uint16(8)


def texts_in(texts: Sequence[str], rows: Array) -> Sequence[str]:
    """Return the texts of a column in some rows, by their positions."""
    if not isinstance(texts, Cells):
        return [texts[row] for row in rows.tolist()]
    if texts.is_varied:
        return texts.take(rows)
    distinct, codes = distinct_texts(texts)
    return CodedTexts(distinct, codes[rows])


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
        rows, codes = texts.codes()
        return [texts[row] for row in rows.tolist()], codes
    code_of: dict[str, int] = {}
    codes = np.fromiter((code_of.setdefault(text, len(code_of)) for text in texts), dtype=np.int64, count=len(texts))
    return list(code_of), codes


def distinct_numbers(values: Array) -> tuple[Array, Array]:
    """Return the distinct numbers of a column, ascending and NaN last, and the position of each number among them.

    The same as `numpy.unique` returns, which sorts all numbers, also those of columns with few distinct ones.
    """
    if len(sorted_distinct(values[:_SNIFFED])) > _MAX_DISTINCT:
        distinct, codes = np.unique(values, return_inverse=True)
        return distinct, codes.reshape(-1)
    # Adding 0 turns -0.0 into 0.0.
    same = np.where(np.isnan(values), np.nan, values + 0.0)
    rows, codes = _codes(same.view(np.uint64))
    order = np.argsort(same[rows])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return same[rows[order]], rank[codes]


def sorted_distinct(values: Array) -> Array:
    """Return the distinct numbers of an array, ascending."""
    # Without counts, numpy would import its masked arrays, which takes longer than small columns do.
    return np.unique(values, return_counts=True)[0]


def renumbered(keys: Array) -> Array:
    """Return the positions of whole numbers from 0 on among the distinct ones, shape (n,), without sorting if dense."""
    end = int(keys.max(initial=-1)) + 1
    if end > _DENSE * len(keys):
        return np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
    is_used = np.zeros(end, dtype=bool)
    is_used[keys] = True
    positions: Array = (np.cumsum(is_used, dtype=np.int64) - 1)[keys]
    return positions


def _codes(keys: Array) -> tuple[Array, Array]:
    """Return a row of each distinct key, and the position of each key among these rows, shape (n,)."""
    if len(keys) <= _FEW:
        values = keys.tolist()
        row_of = {key: row for row, key in enumerate(values)}
        code_of = {key: code for code, key in enumerate(row_of)}
        return np.array([*row_of.values()], dtype=np.int64), np.array([code_of[key] for key in values], dtype=np.int64)
    is_short = keys.dtype == np.uint16
    slots = keys if is_short else ((keys * _SPREAD) >> np.uint64(64 - _SLOT_BITS)).astype(np.uint16)
    table = np.full(1 << _SLOT_BITS, -1, dtype=np.int32)
    table[slots] = np.arange(len(keys), dtype=np.int32)
    if not is_short and not np.array_equal(keys[table[slots]], keys):
        # Two keys share a slot.
        _, rows, codes = np.unique(keys, return_index=True, return_inverse=True)
        return rows, codes.reshape(-1)
    is_used = table >= 0
    return table[is_used], (np.cumsum(is_used, dtype=np.int32) - 1)[slots]
