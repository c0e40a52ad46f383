"""Doubts about the roles of the columns of a table: what its rows do not decide, and the user is asked about."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from splc.formats.coded_columns import MIN_GROUPS, NEARLY_ALL, SET, CodedColumns, repeats
from splc.formats.column_choice import version_in
from splc.formats.labels import may_be_exit_code
from splc.formats.names import is_count_name, is_measurement_name, is_numeric_context_name, words_of
from splc.types import Array

CONTEXT, RESULT, LEFT_OUT = "context or option", "result or option", "left out or option"
# From this share of the variance of ranks on, which other columns explain, numbers may be a result; and the rows that
# this takes for each of these columns, at most so many; below the other share they may have been set.
_EXPLAINED, _UNEXPLAINED, _ROWS_EACH, _MOST = 0.5, 0.1, 5, 200
# What makes the correlations of a column that is a sum of others invertible.
_RIDGE = 1e-9
# Texts with at most so many values explain other columns.
_LEVELS = 10
# As many pairs of rows that agree by chance, and pairs of repetitions among them.
_CHANCE, _PAIRS = 0.05, 3


def doubts_of(
    table: CodedColumns,
    columns: Mapping[str, Sequence[str]],
    options: Sequence[str],
    contexts: Iterable[str],
    results: Sequence[str],
    left_out: Iterable[str],
    nfp: str,
    stated: Collection[str],
    marks: Iterable[str],
) -> dict[str, str]:
    """Return the columns whose role is uncertain, in the order of the table, and which roles they may have.

    `nfp`: the property to learn; `results`: all properties; `left_out`: columns that are left out as the rows show;
    `stated`: the columns whose roles the user states; `marks`: those that are left out and name days or groups of rows.
    """
    order = [*columns]
    free = [name for name in options if name not in stated and table.sizes[name] > 1]
    kinds = {name: LEFT_OUT for name in left_out if table.sizes.get(name, 0) > 1}
    kinds |= {name: CONTEXT for name in contexts if table.sizes[name] > 1}
    kinds |= dict.fromkeys(_perhaps_set(table, [name for name in results if name != nfp], options, nfp), RESULT)
    left = {*order[: order.index(nfp)]}
    kinds |= {name: RESULT for name in results if name in left and table.is_few(name)}
    right = [name for name in free if name not in left]
    kinds |= {name: RESULT for name in right if table.is_various(name) and not table.is_few(name)}
    kinds |= dict.fromkeys((*_idle(table, right, options), *perhaps_measured(table, options, stated)), RESULT)
    kinds |= dict.fromkeys(_explained(table, options, free), RESULT)
    kinds |= {name: RESULT for name in free if is_measurement_name(name, nfp) or is_count_name(name)}
    numbers = [name for name in free if name in table.numbers]
    kinds |= {name: RESULT for name in numbers if may_be_exit_code(name, table.numbers[name])}
    few = [name for name in options if table.is_few(name)]
    various = [name for name in numbers if table.is_various(name) and not table.is_few(name)]
    kinds |= dict.fromkeys(various if len(various) == 1 and table.is_grid(few, once=True) else (), RESULT)
    dated = [name for name in numbers if is_numeric_context_name(name) and not table.is_binary(name)]
    kinds |= {name: CONTEXT for name in numbers if name in dated or version_in(columns[name])}
    named = [name for name in free if name not in table.numbers and words_of(name)[-1:] == ("name",)]
    kinds |= dict.fromkeys((*named, *_companions(table, numbers, marks)), CONTEXT)
    return {name: kinds[name] for name in order if name in kinds and name not in stated}


def _perhaps_set(table: CodedColumns, results: Iterable[str], options: Sequence[str], nfp: str) -> Iterator[str]:
    """Yield the properties without a name of one that the options do not explain: few values, or many.

    In regular repetitions they were measured: options would distinguish rows.
    """
    group, ranks = table.groups((*options, *table.contexts)), _ranks(table, options)
    for name in () if repeats(np.bincount(group)) else results:
        if is_measurement_name(name, nfp) or is_count_name(name) or table.sizes[name] < 2:
            continue
        if table.is_few(name) and not table.is_result(name, group):
            yield name
        elif not table.is_few(name) and table.complete(name):
            shares = _shares(table, {**ranks, name: table.codes[name].astype(float)})
            if shares.get(name, 1.0) < _UNEXPLAINED:
                yield name


def _companions(table: CodedColumns, names: Sequence[str], marks: Iterable[str]) -> Iterator[str]:
    """Yield numbers which another one, or a mark such as a day, tells, that has about as many values, in another order.

    That is what holds for a day, such as the weather: of levels that were set together, one follows from the other.
    """
    several = [name for name in names if table.is_few(name) and table.sizes[name] > MIN_GROUPS]
    for name, other in product(several, (*several, *marks)):
        size = int(table.groups((other,)).max()) + 1
        if name == other or NEARLY_ALL * size > table.sizes[name] or table.differs(name, table.groups((other,))):
            continue
        steps = np.diff(table.codes[name][np.argsort(table.codes[other], kind="stable")])
        if other not in table.numbers or (steps.min() < 0 < steps.max()):
            yield name


def _idle(table: CodedColumns, names: Sequence[str], options: Iterable[str]) -> list[str]:
    """Return zeros and ones among some options that distinguish no rows beside the others."""
    binary = [name for name in names if table.is_binary(name)]
    without = table.row_counts(name for name in options if name not in binary)
    return binary if binary and len(without) == table.rows else []


def _explained(table: CodedColumns, options: Iterable[str], free: Collection[str]) -> Iterator[str]:
    """Yield numbers whose ranks are mostly a sum of those of other options, the one with most values first.

    That is a variance inflation factor of 2: a design has about 1, and what a run measures far more.
    """
    ranks = _ranks(table, options)
    while shares := _shares(table, ranks):
        many = [name for name in shares if shares[name] >= _EXPLAINED and name in free and table.sizes[name] > 2]
        if not many:
            return
        yield (first := max(many, key=table.sizes.__getitem__))
        del ranks[first]


def _shares(table: CodedColumns, ranks: Mapping[str, Array]) -> dict[str, float]:
    """Return the share of the variance of each column that the others explain (adjusted R²); none of few rows."""
    if not 1 < len(ranks) <= min(_MOST, table.rows / _ROWS_EACH):
        return {}
    correlations = np.corrcoef(np.stack([*ranks.values()])) + _RIDGE * np.eye(len(ranks))
    freedom = (table.rows - 1) / (table.rows - len(ranks))
    return dict(zip(ranks, 1 - freedom / np.diag(np.linalg.inv(correlations)), strict=True))


def _ranks(table: CodedColumns, options: Iterable[str]) -> dict[str, Array]:
    """Return the ranks of the numbers among some options, and zeros and ones for each of few texts."""
    ranks: dict[str, Array] = {}
    for name in (name for name in options if table.sizes[name] > 1):
        if name not in table.numbers and table.sizes[name] <= _LEVELS:
            ranks |= {f"{name}\n{code}": table.codes[name] == code for code in range(1, table.sizes[name])}
        elif name in table.numbers and table.complete(name):
            ranks[name] = table.codes[name].astype(float)
    return ranks


def perhaps_measured(table: CodedColumns, options: Collection[str], stated: Collection[str]) -> list[str]:
    """Return options with many values that differ among rows which are repetitions without them.

    All configurations have as many such rows, or there are far more pairs of them than by chance.
    """
    numbers = [name for name in options if name in table.numbers and name not in stated and table.sizes[name] > SET]
    noisy = [name for name in numbers if not (table.has_integers(name) and table.is_few(name))]
    group = table.groups((*table.contexts, *(name for name in options if name not in noisy)))
    if repeats(np.bincount(group)):
        return [name for name in noisy if not table.is_crossed(name, group)]
    noisy = [name for name in noisy if table.is_various(name)]
    others = [name for name in options if name not in noisy and table.sizes[name] > 1]
    group = table.groups(others)
    counts, every = np.bincount(group), table.rows * (table.rows - 1) / 2
    shares = (1 / table.spread(name) for name in others)
    pairs = int((counts * (counts - 1) // 2).sum())
    if not others or pairs < _PAIRS or every * math.prod(shares) > _CHANCE * pairs:
        return []
    again = counts[group] > 1
    cells = {name: group[again] * table.sizes[name] + table.codes[name][again] for name in noisy}
    return [name for name in noisy if len(np.unique(cells[name])) >= NEARLY_ALL * again.sum()]
