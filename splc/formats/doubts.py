"""Doubts about the roles of the columns of a table: what its rows do not decide, and the user is asked about."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from splc.formats.coded_columns import CROSSED, EVIDENCE, MIN_GROUPS, NEARLY_ALL, SET, CodedColumns, alike, repeats
from splc.formats.labels import EXIT_WORDS
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


def doubts_of(
    table: CodedColumns,
    order: Sequence[str],
    options: Sequence[str],
    others: Mapping[str, Sequence[str]],
    nfp: str,
    stated: Collection[str],
) -> dict[str, str]:
    """Return the columns whose role is uncertain, in the order of the table, and which roles they may have.

    `others`: `contexts`; `results`, all properties; those `differing` among rows of one configuration; and what is
    `left out` as the rows show. `nfp`: the property to learn; `stated`: the columns whose roles the user states.
    """
    group = table.groups((*options, *table.contexts))
    free = [name for name in options if name not in stated and table.sizes[name] > 1]
    results = [name for name in others["results"] if name != nfp]
    kinds = {name: LEFT_OUT for name in others["left out"] if table.sizes.get(name, 0) > 1}
    kinds |= {name: CONTEXT for name in others["contexts"] if table.sizes[name] > 1}
    # In regular repetitions they were measured: options would distinguish rows.
    if not repeats(np.bincount(group)):
        perhaps_set = {*_perhaps_set(table, results, options, group), *others["differing"]}
        kinds |= {name: RESULT for name in results if name in perhaps_set and not is_measurement_name(name, nfp)}
    left = {*order[: order.index(nfp)]}
    kinds |= {name: RESULT for name in results if name in left and table.is_few(name)}
    # Zeros and ones that distinguish no rows beside the others.
    binary = [name for name in free if name not in left and table.is_binary(name)]
    is_idle = binary and len(table.row_counts(name for name in options if name not in binary)) == table.rows
    kinds |= dict.fromkeys(binary if is_idle else (), RESULT)
    kinds |= dict.fromkeys(_explained(table, options, free), RESULT)
    kinds |= {name: RESULT for name in free if is_measurement_name(name, nfp) or is_count_name(name)}
    numbers = [name for name in free if name in table.numbers]
    zeros = [name for name in numbers if 2 * int((table.numbers[name] == 0).sum()) > table.rows]
    kinds |= {name: RESULT for name in zeros if name.casefold() in EXIT_WORDS}
    # Where most options have few values, one of many may be measured.
    dense = [name for name in numbers if table.has_integers(name) and table.is_dense(name, 1 / EVIDENCE)]
    many = [name for name in numbers if table.sizes[name] > SET and name not in dense]
    many = [name for name in many if not table.is_few(name) or alike(np.bincount(table.codes[name])) < CROSSED]
    kinds |= dict.fromkeys(many if 2 * len(many) < sum(table.sizes[name] > 1 for name in options) else (), RESULT)
    kinds |= {name: CONTEXT for name in numbers if is_numeric_context_name(name) and not table.is_binary(name)}
    named = [name for name in free if name not in table.numbers and words_of(name)[-1:] == ("name",)]
    kinds |= dict.fromkeys((*named, *_of_days(table, numbers, options)), CONTEXT)
    return {name: kinds[name] for name in order if name in kinds and name not in stated}


def _perhaps_set(table: CodedColumns, results: Iterable[str], options: Sequence[str], group: Array) -> Iterator[str]:
    """Yield the properties that the options do not explain: few values, or many."""
    ranks = _ranks(table, options)
    for name in (name for name in results if table.sizes[name] > 1 and not is_count_name(name)):
        if table.is_few(name) and not table.is_result(name, group):
            yield name
        elif not table.is_few(name) and table.complete(name):
            shares = _shares(table, {**ranks, name: table.codes[name].astype(float)})
            if shares.get(name, 1.0) < _UNEXPLAINED:
                yield name


def _of_days(table: CodedColumns, names: Sequence[str], options: Sequence[str]) -> Iterator[str]:
    """Yield numbers several of which change in the same rows, others in between: as the weather of a day does."""
    steps = {name: np.diff(table.codes[name]) != 0 for name in options}
    several = [name for name in names if table.is_few(name) and table.sizes[name] > MIN_GROUPS]
    several = [name for name in several if 2 * steps[name].sum() <= table.rows]
    for name in several:
        own, others = steps[name], [steps[other] for other in several]
        near = [each for each in others if 2 * (each & own).sum() >= NEARLY_ALL * (each.sum() + own.sum())]
        if len(near) > 1 and any(step[~own].any() for step in steps.values()):
            yield name


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
