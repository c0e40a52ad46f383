"""The options of a table as literals, and pairs of literals that never occur together, by far more than chance.

Two literals contradict each other if no row has both. If they are independent, n rows of which r have one and s the
other have both in none with the probability C(n - s, r) / C(n, r) (Fisher's exact test). This probability, times the
number of pairs that are tested (Bonferroni's correction), must be at most `CHANCE`.

The test assumes rows that were drawn independently. Designs are not: what is required of theirs, and why, is in
docs/decisions/0013.

Combinations of values of which every run failed are found likewise: binary options are selected or not, numeric ones in
a range or a multiple of a power of two. If f of n configurations fail at random, all r with a combination do with the
probability C(f, r) / C(n, r). The sum of these probabilities over all combinations with as many rows or more must be
small: runs that fail at random make no rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from splc.io.csv_rows import distinct_numbers, row_groups
from splc.types import Array

# Numeric options with more values have columns for the values of at least this share of the rows only.
MAX_VALUES, FREQUENT = 32, 0.05
MAX_NUMERIC = 600  # the most columns of numeric options
DISTINCT = 1e-6  # numbers that differ by less, relative to the larger one and 1, cannot be told apart in a constraint
COMBINED = 0.5  # tables with a larger share of all combinations of binary and numeric parts are designs


@dataclass(frozen=True, eq=False)
class OptionRows:
    """The values of options in the distinct rows of a table."""

    names: tuple[str, ...]  # columns of zeros and ones: binary options, and whether optional numbers have a value
    selected: Array  # their values, shape (n, columns), bool
    numbers: Mapping[str, Array] = field(default_factory=dict)  # numeric option → its values, shape (n,), NaN: none
    groups: tuple[tuple[tuple[str, ...], str | None], ...] = ()  # known alternative groups, with the parent of each

    def distinct(self) -> OptionRows:
        """Return the distinct rows."""
        codes = (distinct_numbers(values)[1] for values in self.numbers.values())
        columns = (each.astype(np.min_scalar_type(int(each.max(initial=0)))) for each in codes)
        rows, _ = row_groups(np.column_stack([self.selected.view(np.uint8), *columns]))
        numbers = {name: values[rows] for name, values in self.numbers.items()}
        return replace(self, selected=self.selected[rows], numbers=numbers)

    @cached_property
    def binary(self) -> tuple[Array, Array]:
        """The first row of each configuration of the binary options, and the number of its rows."""
        rows, group = row_groups(self.selected)
        return rows, np.bincount(group)

    @cached_property
    def is_combined(self) -> bool:
        """True if the table has most combinations of its binary and its numeric part."""
        if not self.numbers:
            return False
        numeric, _ = row_groups(np.stack([*self.numbers.values()], axis=1) + 0.0)
        return len(self.selected) >= COMBINED * len(self.binary[0]) * len(numeric)

    def is_crossed_alone(self, column: int) -> bool:
        """Return whether a binary option is combined with all configurations of the other binary options."""
        others, _ = row_groups(np.delete(self.selected, column, axis=1))
        return len(self.binary[0]) == 2 * len(others)


def numeric_columns(numbers: Mapping[str, Array]) -> list[tuple[str, bool, Array]]:
    """Return the columns `x = value` and `x <= value` of options that all rows have: option, whether `=`, rows."""
    columns: list[tuple[str, bool, Array]] = []
    for name, numeric in numbers.items():
        known = numeric[~np.isnan(numeric)]
        levels, counts = np.unique(known, return_counts=True)
        scale = np.maximum(np.abs(levels[1:]), 1.0)
        if len(levels) < 2 or len(known) < len(numeric) or (np.diff(levels) < DISTINCT * scale).any():
            continue
        many = len(levels) > MAX_VALUES
        equal = levels[counts >= FREQUENT * len(known)] if many else levels
        below = levels[:0] if many else levels[:-1]
        # Two values need one column, and thresholds at the ends have the column of an equality already.
        added = [(name, True, numeric == level) for level in (equal[:1] if len(levels) == 2 else equal)]
        added += [(name, False, numeric <= level) for level in below[1:-1]]
        if len(columns) + len(added) > MAX_NUMERIC:
            break
        columns += added
    return columns


CHANCE = 0.01  # the probability of a wrong constraint in a table of independent options
# The number of contradicting rows that independence must predict whatever other options are considered: e^-7 < 0.001.
LEAST_EXPECTED = 7.0
_BLOCK, _ROWS = 2_000, 1 << 13
# Of more columns, the numbers of rows with two of them are counted again where they are needed, for so many at a time.
MAX_KEPT, _COLUMNS = 2_048, 256
# The number of options that are tried as the first of two others, and the most numbers that are compared.
TRIED, MAX_WORK = 6, 30_000_000


def log_chance(rows: int, first: Array, second: Array) -> Array:
    """Return the log of the probability that no row has both of two independent literals."""
    small = np.minimum(first, second).astype(np.int64)
    remaining = rows - np.maximum(first, second).astype(np.int64)
    possible = remaining >= small
    # The logs of the factorials of 0, 1, …, rows.
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, rows + 1)))])
    free = np.where(possible, remaining, small)
    log_ratio = factorials[free] - factorials[free - small] - factorials[rows] + factorials[rows - small]
    return np.where(possible, log_ratio, -np.inf)


def column_of(literals: Any) -> Any:
    """Return the columns of literals, or of one."""
    return np.maximum(literals, ~literals)


@dataclass(frozen=True, eq=False)
class LiteralCounts:
    """The numbers of rows in which literals, and pairs of them, occur, by literal: column i is i, its negation ~i."""

    values: Array  # the columns, shape (n, k), bool

    @property
    def rows(self) -> int:
        """The number of rows n."""
        return len(self.values)

    @cached_property
    def single(self) -> Array:
        """The number of rows with each literal, shape (2k,)."""
        count = self.values.sum(axis=0)
        # The index ~i counts from the end.
        return np.concatenate([count, (self.rows - count)[::-1]]).astype(float)

    @cached_property
    def _columns(self) -> Array:
        """The number of rows with two columns, shape (k, k)."""
        return self._products(slice(None), slice(None))

    def _products(self, first: Any, second: Any) -> Array:
        # Blocks of rows fit into the cache; their sums are exact in single precision.
        blocks = (self.values[start : start + _ROWS].astype(np.float32) for start in range(0, self.rows, _ROWS))
        return np.asarray(sum((block[:, first].T @ block[:, second]).astype(float) for block in blocks))

    def both_columns(self, first: Array, second: Array) -> Array:
        """Return the numbers of rows with two columns, shape (first, second)."""
        is_kept = self.values.shape[1] <= MAX_KEPT
        return np.asarray(self._columns[np.ix_(first, second)] if is_kept else self._products(first, second))

    def both(self, first: Array, second: Array) -> Array:
        """Return the numbers of rows with two literals, shape (first, second)."""
        first_columns, second_columns = column_of(first), column_of(second)
        counts = self.both_columns(first_columns, second_columns)
        counts = np.where((first < 0)[:, None], self.single[second_columns] - counts, counts)
        return np.where(second < 0, self.single[first][:, None] - counts, counts)

    def dispersion(self, columns: Sequence[int]) -> float:
        """Return the variance of the distances of rows, relative to that of independent columns; at least 1.

        The distance of two rows is the number of the columns in which they differ. With the values +1 and -1, means m
        and mean products C, its variance is the sum of C² - m² m'² over all pairs of columns, up to a factor, and that
        of independent columns the sum of 1 - m⁴.
        """
        at = np.asarray(columns, dtype=np.int64)
        mean = 2 * self.single[at] / self.rows - 1
        independent = float((1 - mean**4).sum())
        if not independent:
            return 1.0
        # The products of rows have the same sum of squares as those of columns.
        signs = 2 * self.values[:, at].astype(np.float32) - 1
        products = np.matmul(*((signs, signs.T) if self.rows < len(at) else (signs.T, signs))).astype(float) / self.rows
        return max(float((products**2).sum() - (mean**2).sum() ** 2) / independent, 1.0)

    def never_together(self, binary: int, is_wanted: Callable[[Array, Array], Array]) -> tuple[Array, Array]:
        """Return the pairs of literals over two of the first columns that no row has and that are wanted."""
        single = self.single[:binary]
        found: list[Array] = [np.empty((2, 0), dtype=np.int64)]
        for start in range(0, binary, _COLUMNS):
            first, second = np.arange(start, min(start + _COLUMNS, binary)), np.arange(start, binary)
            both = self.both_columns(first, second)
            one, other = (single[at].astype(both.dtype) for at in (first[:, None], second))
            # The counts of two columns if no row has both, or their negations (x ^ -1 is ~x): the positive one first.
            for never, low, high in ((0.0, 0, 0), (one, 0, -1), (other, -1, 0), (one + other - self.rows, -1, -1)):
                at, of = (index + start for index in np.divmod(np.flatnonzero(both == never), len(second)))
                literals = (at[at < of] ^ low, of[at < of] ^ high)
                pairs = np.stack(literals[::-1] if low < high else literals)
                found.append(pairs[:, is_wanted(*pairs)])
        first, second = np.concatenate(found, axis=1)
        order = np.lexsort([np.where(each < 0, binary + ~each, each) for each in (second, first)])
        return first[order], second[order]

    def log_chance(self, first: Array, second: Array) -> Array:
        """Return the logs of the probabilities that no row has both of two independent literals, shape (pairs,)."""
        return log_chance(self.rows, self.single[first], self.single[second])

    def contradictions(self, first: Array, second: Array, tests: int, factor: float = 1.0) -> Array:
        """Return which pairs of literals that no row has contradict each other, not by chance, shape (pairs,), bool."""
        return np.asarray(self.log_chance(first, second) <= factor * math.log(CHANCE / max(tests, 1)))

    def combined(
        self, first: Array, second: Array, options: Array, third_columns: Sequence[int], factor: float = 1.0
    ) -> Array:
        """Return which pairs of literals occur with several values of a third option, and are not explained by others.

        Another option explains a pair if, given its value, independence predicts fewer than `LEAST_EXPECTED` rows, and
        so do two other options in tables that are not too large. `options`: the option of each column.
        """
        least = factor * LEAST_EXPECTED
        is_combined = np.zeros(len(first), dtype=bool)
        if not len(first):
            return is_combined
        columns = np.asarray(third_columns, dtype=np.int64)
        third_values, third_options = self.values[:, columns].astype(np.float32), options[columns]
        work = 0
        for start in range(0, len(first), _BLOCK):
            pairs = np.stack([first[start : start + _BLOCK], second[start : start + _BLOCK]])
            # Which third columns are of other options than both literals, shape (pairs, columns).
            third = (third_options != options[column_of(pairs)][:, :, None]).all(axis=0)
            crossed = third.copy()
            for literal in pairs:
                with_third = self.both(literal, columns)
                single, total = self.single[literal][:, None], self.single[columns]
                crossed &= (with_third > 0) & (with_third < single)
                # A column that is equal or opposite to a literal explains nothing.
                third &= (with_third < single) | (with_third < total)
                third &= (with_third > 0) | (single + total < self.rows)
            expected = np.zeros(crossed.shape)
            for side in (columns, ~columns):
                both = self.both(pairs[0], side) * self.both(pairs[1], side)
                expected += both / np.maximum(self.single[side], 1)
            expected[~third] = np.inf
            accepted = crossed.any(axis=1) & (expected.min(axis=1, initial=np.inf) >= least)
            work += int(accepted.sum()) * third_values.size
            if work <= MAX_WORK:
                for index in np.flatnonzero(accepted).tolist():
                    pair = [self.values[:, column_of(literal)] ^ (literal < 0) for literal in pairs[:, index].tolist()]
                    tried = np.argsort(expected[index], kind="stable")[:TRIED]
                    tried = tried[third[index, tried]]
                    accepted[index] = _expected_by_two(pair, third_values, third_options, third[index], tried) >= least
            is_combined[start : start + _BLOCK] = accepted
        return is_combined


def _expected_by_two(pair: Sequence[Array], third: Array, options: Array, usable: Array, tried: Array) -> float:
    """Return the least number of rows with two literals if they are independent given two other columns.

    `third`: the other columns, shape (n, k). `options`: the option of each; two columns of one option are not
    considered together. `usable`: which of these can be used, shape (k,). `tried`: the first of the two.
    """
    least = np.inf
    columns = third[:, usable]
    for column in tried.tolist():
        expected = np.zeros(columns.shape[1])
        for side in (third[:, column] > 0, third[:, column] == 0):
            rows, literals = columns[side], np.array([literal[side] for literal in pair], dtype=np.float32)
            ones = rows.sum(axis=0)
            inside = np.matmul(literals, rows).astype(float)
            outside = literals.sum(axis=1, keepdims=True) - inside
            expected += inside.prod(axis=0) / np.maximum(ones, 1)
            expected += outside.prod(axis=0) / np.maximum(len(rows) - ones, 1)
        expected[options[usable] == options[column]] = np.inf
        least = min(least, float(expected.min(initial=np.inf)))
    return least


# The least number of failed configurations of a combination, and the most literals of it.
LEAST_FAILED, LARGEST = 3, 3
# The expected number of combinations by chance up to which one is a rule, and the most literals that are combined.
FALSE_ALARMS, MAX_LITERALS = 0.05, 150
MAX_TRIED = 100  # the most combinations of a size that are tried
MAX_CELLS = 300_000  # three literals are combined if the table of their rows has no more cells: more take seconds
FEW_LEVELS = 10  # of a numeric option of more values, only ranges from the least or to the greatest one are literals
# The least and the greatest value of an option, and what divides it; a binary one is 1 where it is selected, else 0.
Values = tuple[float, float, int]


def failing_combinations(table: OptionRows, failed: Array) -> Iterator[tuple[Mapping[str, Values], Array]]:
    """Yield the smallest combinations that only failed configurations have, each with some that no other one has.

    `failed`: which of them failed in every run, shape (n,), bool. Yields: Option → its values, and the rows that have
    them, shape (n,), bool.
    """
    literals, columns, factor = _literals(table, failed)
    left, size = np.ones(len(failed), dtype=bool), 1
    largest = LARGEST if columns.size <= MAX_CELLS else 2
    while size <= largest and failed[left].sum() >= LEAST_FAILED and not failed.all():
        candidates = _candidates(columns[left], failed[left], size, factor**size)
        chosen = next((each for each in candidates if not _by_chance(columns[left], failed[left], each, factor)), None)
        if chosen is None:
            size += 1
            continue
        ranges: dict[str, Values] = {}
        for name, (low, high, divisor) in (literals[at] for at in chosen):
            least, greatest, other = ranges.get(name, (-math.inf, math.inf, 1))
            ranges[name] = (max(low, least), min(high, greatest), max(divisor, other))
        rows = np.asarray(columns[:, chosen].all(axis=1))
        yield ranges, rows
        # Other combinations explain the other failures.
        left &= ~rows


def _literals(table: OptionRows, failed: Array) -> tuple[list[tuple[str, Values]], Array, float]:
    """Return the distinct literals that enough failed rows have, simple ones first, and their rows, shape (n, k).

    The third result is how many times as many literals there are.
    """
    grouped = {name for members, _ in table.groups for name in members}
    listed = [(name, (1.0, 1.0, 1), table.selected[:, at]) for at, name in enumerate(table.names)]
    for name, values in table.numbers.items():
        levels = np.unique(values[~np.isnan(values)])
        last = len(levels) - 1
        for i, j in zip(*np.triu_indices(len(levels)), strict=True):
            if i == j or len(levels) <= FEW_LEVELS or i == 0 or j == last:
                ends = (float(levels[i]), float(levels[j]))
                open_ends = (-math.inf if i == 0 else ends[0], math.inf if j == last else ends[1])
                holds = (values >= ends[0]) & (values <= ends[1])
                listed.append((name, (*(ends if i == j else open_ends), 1), holds))
        powers = int(np.log2(np.abs(levels).max(initial=1))) if (levels % 1 == 0).all() else 0
        listed += [(name, (-math.inf, math.inf, 2**at), values % 2**at == 0) for at in range(1, powers + 1)]
    single = [(at, name) for at, name in enumerate(table.names) if name not in grouped]
    listed += [(name, (0.0, 0.0, 1), ~table.selected[:, at]) for at, name in single]
    distinct: dict[bytes, tuple[tuple[str, Values], Array]] = {}
    for name, own, holds in listed:
        if (holds & failed).sum() >= LEAST_FAILED and not holds.all():
            distinct.setdefault(holds.tobytes(), ((name, own), holds))
    every = list(distinct.values())
    # Of very many, those that the most failed rows have beyond their share.
    excess = [failed.mean() * holds.sum() - (holds & failed).sum() for _, holds in every]
    kept = np.sort(np.argsort(excess, kind="stable")[:MAX_LITERALS])
    columns = np.array([every[at][1] for at in kept], dtype=bool).reshape(len(kept), len(failed)).T
    return [every[at][0] for at in kept], columns, len(every) / max(len(kept), 1)


def _candidates(columns: Array, failed: Array, size: int, factor: float) -> Iterator[list[int]]:
    """Yield combinations of so many literals that only failed rows have, unless chance has them, the most rows first.

    `factor`: how many times as many combinations there are.
    """
    supports, found = np.zeros(len(failed) + 1), [np.empty((size + 1, 0), dtype=np.int64)]
    for members, bad, good in _supports(columns, failed, size):
        supports += np.bincount((bad + good).astype(int), minlength=len(supports))
        usable = (good == 0) & (bad >= LEAST_FAILED)
        found.append(np.stack([bad[usable].astype(np.int64), *(part[usable] for part in members)]))
    counts = np.arange(failed.sum() + 1)
    chances = np.exp(log_chance(len(failed), counts, np.full(len(counts), (~failed).sum())))
    expected = factor * np.cumsum((supports[counts] * chances)[::-1])[::-1]
    rows, *members_of = np.concatenate(found, axis=1)
    for at in np.argsort(-rows, kind="stable")[:MAX_TRIED].tolist():
        if expected[rows[at]] <= FALSE_ALARMS:
            yield [int(part[at]) for part in members_of]


def _by_chance(columns: Array, failed: Array, chosen: Sequence[int], factor: float) -> bool:
    """Return whether a part of a combination also fails elsewhere, so often that its other literals may add nothing.

    Where the memory is nearly full, some runs fail at random, and so do all of a few with something else in common.
    """
    width, having = round(factor * columns.shape[1]), columns[:, chosen].all(axis=1).sum()
    for size in range(1, len(chosen)):
        for part in combinations(chosen, size):
            own = failed[columns[:, part].all(axis=1)]
            chance = log_chance(len(own), np.array([having]), np.array([(~own).sum()]))
            log_expected = chance[0] + math.log(math.comb(width, len(chosen) - size))
            if own.sum() > having and log_expected > math.log(FALSE_ALARMS):
                return True
    return False


def _supports(columns: Array, failed: Array, size: int) -> Iterator[tuple[list[Array], Array, Array]]:
    """Yield sets of columns with the numbers of failed and of other rows that have all of them."""
    numbers, width = columns.astype(np.float32), columns.shape[1]
    if size == 1:
        yield [np.arange(width)], numbers[failed].sum(axis=0), numbers[~failed].sum(axis=0)
        return
    second, third = np.triu_indices(width, 1)
    for first in range(width) if size == LARGEST else (-1,):
        rows = columns[:, first] if first >= 0 else np.ones(len(columns), dtype=bool)
        bad, good = (numbers[rows & side].T @ numbers[rows & side] for side in (failed, ~failed))
        a, b = second[second > first], third[second > first]
        yield [*([] if first < 0 else [np.full(len(a), first)]), a, b], bad[a, b], good[a, b]
