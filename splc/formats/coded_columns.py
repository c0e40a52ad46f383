"""The columns of a table as positions among their distinct values, and what these say about the columns."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product

import numpy as np

from splc.formats.names import is_measurement_name, words_of
from splc.io.csv_rows import DENSE, distinct_numbers, distinct_texts, renumbered
from splc.types import Array

SET = 10  # more fractions than these may be measured ones, such as a temperature
# Options with fractions or many values have at most this many values, if the user does not name them as options.
MAX_VALUES = 50
# "Nearly a different value in every row" are this many of at least this number of rows.
NEARLY_ALL, MIN_ROWS = 0.8, 5
NAMED = 3  # of a column with the name of a measured value, one in this number of rows has a value of its own
# A function of other options has each of their combinations this many times, and at least this number of combinations.
EVIDENCE, MIN_GROUPS = 2, 4
# Repetitions at each value of another column are no evidence. A column is crossed with the rest if at least this share
# of the combinations of both occurs.
CROSSED = 0.75
EXACT = 1e-9  # the greatest deviation of a column from a sum or a product of others, relative to its greatest value
LARGER = (60, 3600, 1e3, 1e6, 1e9, 2**10, 2**20, 2**30)  # how many units of times and of memory another one has
ROUNDED_TEXT = 1e-3  # relative differences of numbers that were written with fewer digits
MAX_TESTS = 5000
# Configurations have as many rows as the others in this share of cases; and the rows that are looked at first.
NEARLY_SAME, _MOST_CELLS, HEAD = 0.9, 10_000_000, 2000
# Names of counters of rows; those of runs, where each row has another number; and those of repetitions.
ROW_COUNTERS = ("id", "index", "row", "no", "nr", "n°", "number", "#", "config_id", "configid", "lauf", ".parent.")
# What programs that track runs write before the names of columns.
_PREFIX = re.compile(r".*/|(?:params?|parameters|config|hparams|tags)\.", re.IGNORECASE)
ROW_NUMBERS = re.compile(
    r"(?:job|run|trial|task|build|experiment|test|row|pipeline|measurement|database|config|tuning_run|workflow|runner|user|node)_?"
    r"(?:id|number|nr|no)|configuration|candidate|pid"
)
REPETITION_COUNTERS = (
    *("rep", "reps", "repeat", "repetition", "repetitions", "replicate", "replication"),
    *("run", "run_id", "trial", "iteration", "seed", "random_state", "attempt", "run_attempt"),
    *("invocation", "randomseed", "randomseedshift", "rngrun"),
    *("wiederholung", "wdh", "durchgang", "durchlauf", "répétition", "essai"),
)
# The same if they count from 0 or 1.
WEAK_COUNTERS = frozenset(("iter", "it", "sample", "try", "replica", "rerun", "teil", "fork"))
_ROW_WORDS = frozenset(ROW_COUNTERS)
# The words of which the name of a counter may consist: 'run no', 'experiment id'.
_COUNTED = frozenset((*ROW_COUNTERS, *REPETITION_COUNTERS, "config", "configuration", "experiment", "versuch"))
_WORD = re.compile(r"n°|[^\W_]+|#")

_BINARY = frozenset((0.0, 1.0))


def is_row_counter(name: str) -> bool:
    """Return whether a name is that of a counter of rows: 'id', 'Row No', 'experiment-id'."""
    words = _WORD.findall(name.casefold())
    if "_".join(words) in REPETITION_COUNTERS:
        return False
    consists = not _ROW_WORDS.isdisjoint(words) and _COUNTED.issuperset(words)
    return is_index_name(name) or name.casefold() in ROW_COUNTERS or consists


def is_index_name(name: str) -> bool:
    """Return whether a name is that of the index of a data frame, which was written without a name: `Unnamed: 0`."""
    return re.fullmatch(r"Unnamed: \d+(?:\.\d+)*", name) is not None


def is_counter(name: str) -> bool:
    """Return whether a name is that of a counter of rows or repetitions."""
    name = _PREFIX.sub("", name, count=1)
    is_repetition = "_".join(_WORD.findall(name.casefold())) in REPETITION_COUNTERS or words_of(name)[-1:] == ("seed",)
    return is_repetition or is_row_counter(name)


class CodedColumns:
    """The columns of a table, as positions among their distinct values, and the numbers of those that have some."""

    def __init__(self, numbers: Mapping[str, Array], text: Collection[str], cells: Mapping[str, Sequence[str]]) -> None:
        # A named option of text has no numbers.
        self.numbers = {name: values for name, values in numbers.items() if name not in text}
        self.codes: dict[str, Array] = {}
        # The number of distinct values; a column with gaps has one more.
        self.sizes: dict[str, int] = {}
        # Columns whose cells without a number are empty.
        self.blank: set[str] = set()
        # Columns that are contexts, and those that the user named as options; and those that the user leaves out.
        self.contexts, self.unused = tuple[str, ...](), tuple[str, ...]()
        # The columns, and the number of rows, whose groups were asked for last, and these.
        self._grouped: tuple[tuple[tuple[str, ...], int], Array] = (((), -1), np.zeros(0))
        self._gaps: set[str] = set()
        self._texts: dict[str, Sequence[str]] = {}
        self._binary: set[str] = set()
        self._integers: set[str] = set()
        for name, values in self.numbers.items():
            distinct, codes = distinct_numbers(values, cells.get(name, ()))
            self.sizes[name] = len(distinct)
            # Few bytes for each row, of which rules read many.
            self.codes[name] = codes.astype(np.min_scalar_type(len(distinct)))
            levels: list[float] = distinct.tolist()
            if levels and levels[-1] != levels[-1]:
                self._gaps.add(name)
                levels.pop()
            if len(levels) <= len(_BINARY) and _BINARY.issuperset(levels):
                self._binary.add(name)
            if all(map(float.is_integer, levels)):
                self._integers.add(name)
        for name in text:
            # An array of texts has the width of the widest one in every row.
            self._texts[name], codes = distinct_texts(cells[name])
            self.sizes[name] = len(self._texts[name])
            self.codes[name] = codes.astype(np.min_scalar_type(len(self._texts[name])))
        self.rows = len(next(iter(self.codes.values()))) if self.codes else 0

    def complete(self, name: str) -> bool:
        """Return whether a column has a number in every row."""
        return name not in self._gaps

    def gaps(self, name: str) -> Array:
        """Return the rows in which a column has no number, as a mask of shape (n,)."""
        return np.isnan(self.numbers[name])

    def is_binary(self, name: str) -> bool:
        """Return whether a column has only zeros and ones."""
        return name in self._binary and self.complete(name)

    def is_switch(self, name: str) -> bool:
        """Return whether a column has ones, and else only zeros and gaps."""
        return name in self._binary and bool((self.numbers[name] == 1).any())

    def has_integers(self, name: str) -> bool:
        """Return whether a column has a whole number in every row."""
        return self.complete(name) and name in self._integers

    def counts(self, name: str) -> bool:
        """Return whether a column numbers the rows in their order, or counts rows or repetitions by its name."""
        numbers = self.numbers[name]
        is_long = self.rows >= 2 * SET and self.sizes[name] == self.rows == 1 + numbers[-1] - numbers[0]
        is_long = is_long and np.array_equal(numbers - numbers[0], np.arange(self.rows))
        # In fewer rows one of few columns may be an option that counts.
        if is_long and (self.rows >= MAX_VALUES or sum(map(self.is_few, self.codes)) > 2):
            return True
        if name.casefold() in WEAK_COUNTERS and name in self._integers and 2 < self.sizes[name] <= MAX_VALUES:
            return self.is_dense(name)
        # Zeros and ones number two repetitions, but not rows.
        return is_counter(name) and name in self._integers and not (is_row_counter(name) and self.is_binary(name))

    def is_dense(self, name: str, share: float = 1.0) -> bool:
        """Return whether whole numbers, but for gaps, are this share at least of all from 0 or 1 to the greatest."""
        least, most = np.nanmin(self.numbers[name]), np.nanmax(self.numbers[name])
        return bool(least in (0, 1) and share * (most - least + 1) <= self.filled(name)[0])

    def differs_everywhere(self, name: str) -> bool:
        """Return whether a column has a different number in every row."""
        return self.complete(name) and self.sizes[name] == self.rows

    def seems_measured(self, name: str) -> bool:
        """Return whether a column has fractions and nearly a different value in every row, or many values.

        If the name is that of a measured value (`time_ms`), fewer values are enough, also whole ones. Rows in which it
        has no value do not count.
        """
        size, rows = self.filled(name)
        nearly_all = rows >= MIN_ROWS and size >= NEARLY_ALL * rows
        return self.is_named_measured(name) or (name not in self._integers and (size > MAX_VALUES or nearly_all))

    def is_named_measured(self, name: str, nfp: str | None = None) -> bool:
        """Return whether a column has the name of a measured value, and not few values, or gaps."""
        if not is_measurement_name(name, nfp) or name in self._binary:
            return False
        return self.is_various(name) or self.sizes[name] > SET or not self.has_integers(name)

    def is_various(self, name: str) -> bool:
        """Return whether one in `NAMED` rows has a value of its own; rows without a value do not count."""
        size, rows = self.filled(name)
        return size > 1 and NAMED * size >= rows

    def is_few(self, name: str) -> bool:
        """Return whether a column has few values, several of them, each in `EVIDENCE` rows on average."""
        size, rows = self.filled(name)
        return self.rows >= MIN_ROWS and self.sizes[name] > 1 and size <= MAX_VALUES and EVIDENCE * size <= rows

    def written(self, name: str) -> tuple[int, int]:
        """Return the number of different texts in a column, and of the cells that have one."""
        blank = np.array([not text.strip() for text in self._texts[name]], dtype=bool)
        filled = self.codes[name][~blank[self.codes[name]]]
        return len(np.unique(filled)), len(filled)

    def says_why(self, name: str) -> bool:
        """Return whether a column has texts in a part of the rows only, in which numbers are missing."""
        has_text = np.array([bool(text.strip()) for text in self._texts[name]], dtype=bool)[self.codes[name]]
        missing = np.zeros(self.rows, dtype=bool)
        for other in (self._gaps & self.numbers.keys()) - self._texts.keys():
            missing |= self.gaps(other)
        return 0 < 2 * int(has_text.sum()) <= self.rows and bool(missing[has_text].all())

    def agrees(self, name: str, other: str) -> bool:
        """Return whether each value of a column, of several, belongs to one value of another one, and the reverse."""
        size = self.sizes[name]
        if not 1 < size == self.sizes[other]:
            return False
        # The first rows refuse most.
        counts = (int(self.groups((name, other), rows=rows).max(initial=-1)) + 1 for rows in (HEAD, self.rows))
        return all(count <= size for count in counts)

    def filled(self, name: str) -> tuple[int, int]:
        """Return the number of values of a column, and of the rows that have one."""
        if name in self._gaps:
            return self.sizes[name] - 1, self.rows - int(self.gaps(name).sum())
        return self.sizes[name], self.rows

    def is_told(self, name: str, others: Iterable[str]) -> bool:
        """Return whether a column has more values than options have, in every row, and is a function of others."""
        return self.sizes[name] > MAX_VALUES and self.complete(name) and not self.differs(name, self.groups(others))

    def has_digits(self, name: str) -> bool:
        """Return whether each text of a column has a digit."""
        return all(any(map(str.isdigit, text)) for text in self._texts[name])

    def _known(self, name: str, other: str) -> tuple[Array, Array]:
        """Return the numbers of two columns in the rows in which both have one."""
        values, second = self.numbers[name], self.numbers[other]
        known = np.isfinite(values) & np.isfinite(second)
        return values[known], second[known]

    def is_best_so_far(self, name: str, other: str) -> bool:
        """Return whether a column is the least or the largest value of another one up to each row, from either end."""
        values, second = self._known(name, other)
        steps = np.diff(second)
        if len(values) < MIN_ROWS or self.sizes[name] == 1 or (steps >= 0).all() or (steps <= 0).all():
            return False
        orders = product(((values, second), (values[::-1], second[::-1])), (np.fmax, np.fmin))
        best = ((own, extreme.accumulate(of)) for (own, of), extreme in orders)
        return any(np.allclose(*each, rtol=ROUNDED_TEXT, atol=0.0) for each in best)

    def is_rounded(self, name: str, other: str) -> bool:
        """Return whether a column is another one in a larger unit, rounded to whole numbers: minutes of seconds."""
        if self.sizes[name] < MIN_GROUPS or len((known := self._known(name, other))[0]) < MIN_ROWS:
            return False
        values, second = known
        pairs = product((np.ceil, np.rint, np.floor), (second / unit for unit in LARGER))
        return any(np.array_equal(near(ratios), values) for near, ratios in pairs)

    def decides(self, name: str, rows: Array) -> bool:
        """Return whether the values of a column, each in `EVIDENCE` rows on average, say if a row is one of these."""
        pairs = np.unique(np.int64(2) * self.codes[name] + rows)
        return len(pairs) == self.sizes[name] and EVIDENCE * self.sizes[name] <= self.rows

    def groups(self, names: Iterable[str], group: Array | None = None, rows: int | None = None) -> Array:
        """Return the group of each row, or of the first `rows`.

        Rows with equal values in these columns, and of one given group, are one.
        """
        names, count = (*names,), min(self.rows, rows or self.rows)
        if group is None and self._grouped[0] == (names, count):
            return self._grouped[1]
        most = DENSE * count
        keys = np.zeros(count, dtype=np.min_scalar_type(-most - 1)) if group is None else group
        end = int(keys.max(initial=-1)) + 1
        for name in names if end < count else ():
            codes, size = self.codes[name][:count], self.sizes[name]
            if end * size > most:
                keys = renumbered(keys)
                end = int(keys.max()) + 1
                if end == count:
                    break
            if end * size <= most:
                keys, end = keys * size + codes, end * size
                continue
            # A row that is alone in its group stays alone: the keys of all rows take long to sort.
            several = np.flatnonzero(np.bincount(keys)[keys] > 1)
            keys[several] = end + renumbered(keys[several] * size + codes[several])
            end += len(several)
        keys = renumbered(keys)
        if group is None and len(names) > 2:
            self._grouped = ((names, count), keys)
        return keys

    def larger_first(self, names: Iterable[str]) -> list[str]:
        """Return columns with more values first, whatever their order: results have more than options."""
        return sorted(names, key=lambda name: (self.sizes[name], name), reverse=True)

    def differs(self, name: str, group: Array) -> bool:
        """Return whether a column differs among rows of one group, of all rows or the first ones."""
        codes = self.codes[name][: len(group)]
        one = np.empty(int(group.max(initial=-1)) + 1, dtype=codes.dtype)
        one[group] = codes
        return not np.array_equal(one[group], codes)

    def is_scattered(self, name: str, group: Array) -> bool:
        """Return whether a column differs as much within groups of rows as among all rows: no result of a group."""
        known = ~np.isnan(self.numbers[name])
        values, group = self.numbers[name][known], group[known]
        freedom = len(values) - int(np.count_nonzero(np.bincount(group)))
        return freedom > 0 and 2 * float((residuals(values, group) ** 2).sum()) / freedom >= values.var()

    def row_counts(self, names: Iterable[str]) -> Array:
        """Return the number of rows of each configuration, in each context, if these columns are the options."""
        return np.bincount(self.groups((*self.contexts, *names)))

    def set_among(self, columns: Sequence[str], group: Array) -> list[str]:
        """Return the columns that were set in each run, as groups of rows with the same options show.

        The groups have each value of such a column as often as the others; or they are no repetitions, as many in each
        group, but all configurations have as many rows with these columns.
        """
        counts, both = np.bincount(group), np.bincount(self.groups(columns, group))
        # Some configurations of repetitions were only one without the columns.
        clearer = alike(counts) < alike(both) and np.bincount(both).argmax() == np.bincount(counts).argmax()
        if len(both) >= len(counts) + MIN_GROUPS and alike(both) >= NEARLY_SAME and (clearer or not repeats(counts)):
            # Various fractions to the right of a property were rather measured.
            is_set = {name: name not in self.numbers or self.has_integers(name) for name in columns}
            return [name for name in columns if is_set[name] or self.sizes[name] <= SET]
        return [name for name in columns if self.is_crossed(name, group)]

    def scattered(self, names: Sequence[str], removable: Collection[str]) -> list[str]:
        """Return the columns that differ among repetitions, so that other columns have as many rows of each value."""
        kept, removed = [*names], list[str]()
        counts = self.row_counts(kept)
        while alike(counts) < NEARLY_SAME and (last := [name for name in kept if name in removable]):
            if len(kept) * len(last) * self.rows > _MOST_CELLS:
                return []
            worst = max(last, key=lambda name: alike(self.row_counts(other for other in kept if other != name)))
            kept.remove(worst)
            removed.append(worst)
            counts = self.row_counts(kept)
        group = self.groups((*self.contexts, *kept))
        return [name for name in removed if repeats(counts) and not self.is_crossed(name, group)]

    def is_result(self, name: str, group: Array) -> bool:
        """Return whether the rows of each group agree in a column, and groups have several rows."""
        return EVIDENCE * (group.max() + 1) <= self.rows and not self.differs(name, group)

    def is_crossed(self, name: str, group: Array) -> bool:
        """Return whether nearly all groups of rows have the same values of a column, all of them and as often."""
        count, size = int(group.max(initial=0)) + 1, self.sizes[name]
        if not 1 < size <= MAX_VALUES or count * size * CROSSED > self.rows:
            return False
        table = np.bincount(group * size + self.codes[name], minlength=count * size).reshape(count, size)
        vectors, times = np.unique(table, axis=0, return_counts=True)
        return bool(times.max() >= CROSSED * count and vectors[times.argmax()].all())

    def is_grid(self, names: Iterable[str]) -> bool:
        """Return whether rows have nearly all combinations of several columns, each as often as the others."""
        varying = [name for name in names if self.sizes[name] > 1]
        cells = math.prod(self.sizes[name] for name in varying)
        if len(varying) < 2 or not MIN_GROUPS / CROSSED <= cells <= self.rows / CROSSED:
            return False
        counts = np.bincount(self.groups(varying))
        return len(counts) >= CROSSED * cells and alike(counts) >= CROSSED


def alike(counts: Array) -> float:
    """Return the share of the most frequent one of some numbers."""
    return float(np.bincount(counts).max() / len(counts))


def repeats(counts: Array) -> bool:
    """Return whether nearly all configurations have as many rows, and several; `counts`: those of each."""
    return len(counts) >= 2 * MIN_GROUPS and alike(counts) >= CROSSED and int(np.bincount(counts).argmax()) > 1


def residuals(values: Array, group: Array) -> Array:
    """Return the differences of values to the mean of their group, shape (n,)."""
    return np.asarray(values - (np.bincount(group, values) / np.maximum(np.bincount(group), 1))[group])
