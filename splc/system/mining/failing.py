"""Combinations of values of options of which every run failed, by far more often than chance explains.

A combination has at most `LARGEST` literals: a binary option is selected or not, a numeric option is in a range or a
multiple of a power of two. If f of n configurations fail at random, all r with a combination do with the probability
C(f, r) / C(n, r). The sum of these probabilities over all combinations with as many rows or more is the expected number
of such combinations by chance. It must be small: runs that fail at random make no rule.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from splc.system.mining.pairs import OptionRows, log_chance
from splc.types import Array

# The least number of failed configurations of a combination, and the most literals of it.
LEAST_FAILED, LARGEST = 3, 3
# The expected number of combinations by chance up to which one is a rule, and the most literals that are combined.
FALSE_ALARMS, MAX_LITERALS = 0.05, 150
# Three literals are combined where the table of their rows has at most so many cells: more take seconds.
MAX_CELLS = 300_000
# Of a numeric option of more values, only ranges from the least or to the greatest one are literals.
FEW_LEVELS = 10
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
        chosen = _best(columns[left], failed[left], size, factor**size)
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


def _best(columns: Array, failed: Array, size: int, factor: float) -> list[int] | None:
    """Return the combination of so many literals that most failed rows and no others have, None if chance has it.

    `factor`: how many times as many combinations there are.
    """
    supports = np.zeros(len(failed) + 1)
    most, best = LEAST_FAILED - 1, list[int]()
    for members, bad, good in _supports(columns, failed, size):
        supports += np.bincount((bad + good).astype(int), minlength=len(supports))
        usable = np.where(good == 0, bad, 0)
        if usable.max(initial=0) > most:
            most, best = int(usable.max()), [int(part[usable.argmax()]) for part in members]
    counts = np.arange(most, failed.sum() + 1)
    chances = np.exp(log_chance(len(failed), counts, np.full(len(counts), (~failed).sum())))
    return best if best and factor * float(supports[counts] @ chances) <= FALSE_ALARMS else None


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
