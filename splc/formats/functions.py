"""Columns that are functions of others: of the fewest, exactly or nearly, with the evidence that the rows give."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from splc.formats.coded_columns import (
    CROSSED,
    EVIDENCE,
    EXACT,
    HEAD,
    MAX_VALUES,
    MIN_GROUPS,
    NEARLY_ALL,
    CodedColumns,
    alike,
    residuals,
)
from splc.types import Array

_MOST_ARGUMENTS = 4  # a count is a function of few options


def near_arguments_of(table: CodedColumns, name: str, others: Sequence[str]) -> tuple[str, ...]:
    """Return the columns whose groups of rows have nearly the same number in a column; none if no columns have.

    The number is a function of them and a little noise: `NEARLY_ALL` of its variance, corrected for the number
    of groups, lies between these groups. These are few of the `others`.
    """
    # Ranks, which have no outliers.
    values, chosen, best = table.codes[name].astype(float), list[str](), 0.0
    group = table.groups(())
    # One at a time, the best one.
    while best < NEARLY_ALL and len(chosen) < _MOST_ARGUMENTS:
        free = (other for other in others if other not in chosen)
        explained = {other: _explained(values, table.groups((other,), group)) for other in free}
        other = max(explained, key=explained.__getitem__, default=name)
        if explained.get(other, 0.0) <= best:
            break
        best = explained[other]
        chosen.append(other)
        group = table.groups((other,), group)
    is_noisy = best >= NEARLY_ALL and table.differs(name, group)
    return tuple(sorted(chosen, key=[*table.codes].index)) if is_noisy else ()


def arguments_of(table: CodedColumns, name: str, others: Sequence[str]) -> tuple[str, ...] | None:
    """Return the fewest of other columns that numbers are a function of, None without enough evidence."""
    fewest, groups = fewest_of(table, name, others)
    rows = _uncrossed(table, others, fewest) if groups else 0
    # A text, or a number from 0 or 1 on, may name each combination.
    names = name not in table.numbers or (table.has_integers(name) and table.is_dense(name))
    is_function = groups >= MIN_GROUPS and (
        groups * EVIDENCE <= rows
        or _is_simple(table, name, fewest, groups)
        or _is_outcome(table, name, fewest, groups)
        or (names and len(fewest) > 1 and groups == table.sizes[name] > 2)
    )
    return fewest if is_function else None


def fewest_of(table: CodedColumns, name: str, others: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """Return the fewest of other columns that tell the values of a column, and their groups; 0 if none do."""
    group, needed = table.groups(others), [*others]
    if table.differs(name, group):
        return (), 0
    for other in table.larger_first(others):
        without = table.groups(argument for argument in needed if argument != other)
        if not table.differs(name, without):
            needed.remove(other)
            group = without
    return (*needed,), int(group.max()) + 1


def _uncrossed(table: CodedColumns, names: Sequence[str], required: Sequence[str]) -> int:
    """Return how many combinations of these columns there are without those that are crossed with the others."""
    # Values that were measured make combinations of repetitions.
    names = [name for name in names if name in required or table.is_few(name)]
    count = int(table.groups(names).max()) + 1
    for name in [name for name in names if name not in required]:
        subset = [other for other in names if other != name]
        without = int(table.groups(subset).max()) + 1
        if count >= CROSSED * table.sizes[name] * without:
            names, count = subset, without
    return count


def _is_outcome(table: CodedColumns, name: str, arguments: Sequence[str], groups: int) -> bool:
    """Return whether a column has values as those of a result of its arguments, a complete grid with repetitions.

    Designs have each value of an option as often, if these are not few. Else they are fractions or in a wide range,
    more than each argument has, and most combinations have one of their own.
    """
    if EVIDENCE * groups > table.rows or not table.is_grid(arguments):
        return False
    if groups >= MIN_GROUPS**2 and alike(np.bincount(table.codes[name])) < CROSSED:
        return True
    size = table.sizes[name]
    is_wide = not table.has_integers(name) or bool(np.ptp(table.numbers[name]) > MAX_VALUES * size)
    return is_wide and size > max(groups / 2, *(table.sizes[each] for each in arguments))


def _is_simple(table: CodedColumns, name: str, arguments: Sequence[str], groups: int) -> bool:
    """Return whether a column is a sum or a product of powers of others, with two combinations per coefficient."""
    if groups < 2 * (len(arguments) + 1) or not table.numbers.keys() >= {name, *arguments}:
        return False
    values, columns = table.numbers[name], np.stack([table.numbers[argument] for argument in arguments], axis=1)
    # The numbers of named options of text are NaN.
    if not (np.isfinite(values).all() and np.isfinite(columns).all()):
        return False
    pairs = [(values, columns)]
    if (values > 0).all() and (columns > 0).all():
        pairs.append((np.log(values), np.log(columns)))
    for target, factors in pairs:
        design = np.column_stack([np.ones(len(target)), factors])
        residual = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
        if np.abs(residual).max() <= EXACT * np.abs(target).max():
            return True
    return False


def _explained(values: Array, group: Array) -> float:
    """Return the share of the variance between groups of rows (adjusted R²), 0 if most rows are alone in theirs."""
    counts = np.bincount(group)
    within, total = len(values) - len(counts), len(values) - 1
    if EVIDENCE * len(counts) > len(values) or not np.ptp(values):
        return 0.0
    return 1 - float((residuals(values, group) ** 2).sum() / within / (values.var() * len(values) / total))


def steps_of(table: CodedColumns, name: str, options: Collection[str]) -> str | None:
    """Return the measured column of which a column of few values says no more than its range, None if there is none.

    Configurations of the other options have less equal numbers of rows with such a column, which repetitions differ in.
    """

    def is_step(of: str, rows: int) -> bool:
        known = np.flatnonzero(~table.gaps(of)[:rows])
        ordered = table.codes[name][known[np.argsort(table.numbers[of][known], kind="stable")]]
        changes = np.count_nonzero(np.diff(ordered))
        return bool(changes < len(np.unique(ordered)) and (changes > 0 or rows < table.rows))

    # The first rows refuse most.
    measured = (each for each in table.numbers if each not in options and table.is_various(each))
    found = next((each for each in measured if is_step(each, HEAD) and is_step(each, table.rows)), None)
    if found is None:
        return None
    group = table.groups((*table.contexts, *(other for other in options if other != name)))
    counts, both = np.bincount(group), np.bincount(table.groups((name,), group))
    return found if len(both) >= len(counts) + MIN_GROUPS and alike(both) < alike(counts) else None
