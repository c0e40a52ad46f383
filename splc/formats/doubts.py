"""Doubts about the roles of the columns of a table: what its rows do not decide, and the user is asked about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from splc.formats.coded_columns import CROSSED, EVIDENCE, MIN_GROUPS, NEARLY_ALL, SET, CodedColumns, alike, repeats
from splc.formats.evidence import family_of
from splc.formats.labels import are_hashes
from splc.formats.names import (
    is_count_name,
    is_hyperparameter_name,
    is_measurement_name,
    is_setting_name,
    may_be_context_name,
    words_of,
)
from splc.io.csv_rows import distinct_texts
from splc.types import Array

OPTION, CONTEXT, RESULT, OBSERVED, LEFT_OUT = "option", "context", "result", "observed", "left out"
# From this share of the variance of ranks on, which other columns explain, numbers may be a result; and the rows that
# this takes for each of these columns, at most so many.
_EXPLAINED, _ROWS_EACH, _MOST = 0.5, 5, 200
# Columns that change in one of so many rows change slowly, and so do numbers with such a correlation of neighbours,
# which is so many standard deviations of chance; the share by which the number of changes differs from chance.
_SLOW, _DRIFTS, _CLEAR, _NEAR_CHANCE = 4, 0.3, 4, 0.3
# What makes the correlations of a column that is a sum of others invertible.
_RIDGE = 1e-9
_BLOCK = 1 << 14
# Texts with at most so many values explain other columns, and contexts have models of their values.
_LEVELS = 10
# Names with so many words are those of options.
_WORDS = 3


@dataclass(frozen=True)
class Doubt:
    """The role of a column that the rows do not decide, and another one."""

    used: str  # its role
    other: str  # the role that it may have instead
    size: int  # the number of its different values
    usual: str  # the most frequent one in rows with those of contexts that have fewer values


def flags_of(doubts: Mapping[str, Doubt], roles: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the options of the command line that state roles; contexts of many values are left out."""
    flags: dict[str, list[str]] = {"options": [], "context": [], "ignore": []}
    for name in sorted(roles, key=lambda name: doubts[name].size):
        is_context = roles[name] == CONTEXT and doubts[name].size <= _LEVELS and doubts[name].usual
        flags["options" if roles[name] == OPTION else "context" if is_context else "ignore"].append(name)
    return flags


def doubts_about(
    columns: Mapping[str, Sequence[str]], kinds: Mapping[str, str], used: Mapping[str, str]
) -> dict[str, Doubt]:
    """Return the doubts about columns that may be options, or of these kinds, and are used so."""
    coded = {name: distinct_texts(columns[name]) for name in kinds}
    doubts, rows = dict[str, Doubt](), np.arange(len(next(iter(columns.values()), ())))
    for name in sorted(kinds, key=lambda name: len(coded[name][0])):
        distinct, codes = coded[name]
        usual = int(np.bincount(codes[rows]).argmax())
        # Hashes are never options.
        other = kinds[name] if used[name] == OPTION or are_hashes(distinct) else OPTION
        doubts[name] = Doubt(used[name], other, len(distinct), distinct[usual].strip())
        rows = rows[codes[rows] == usual] if CONTEXT in (used[name], other) else rows
    return {name: doubts[name] for name in kinds}


def doubts_of(
    table: CodedColumns,
    order: Sequence[str],
    options: Sequence[str],
    others: Mapping[str, Sequence[str]],
    nfp: str,
    stated: Collection[str],
) -> dict[str, str]:
    """Return the columns whose role is uncertain, in the order of the table, and what they may be beside options.

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
        few = [name for name in results if table.is_few(name) and not is_count_name(name)]
        perhaps_set = [*others["differing"], *(name for name in few if not table.is_result(name, group))]
        kinds |= {name: RESULT for name in perhaps_set if name in results and not is_measurement_name(name, nfp)}
    left = {*order[: order.index(nfp)]}
    unnamed = (name for name in results if not is_measurement_name(name, nfp) and not is_count_name(name))
    kinds |= {name: RESULT for name in unnamed if name in left and table.is_few(name)}
    # Zeros and ones that distinguish no rows beside the others.
    binary = [name for name in free if name not in left and table.is_binary(name)]
    is_idle = binary and len(table.row_counts(name for name in options if name not in binary)) == table.rows
    kinds |= dict.fromkeys(binary if is_idle else (), RESULT)
    kinds |= dict.fromkeys(_explained(table, options, free), RESULT)
    varying = [name for name in options if table.sizes[name] > 1]
    numbers = [name for name in free if name in table.numbers]
    # Where most options have few values, one of many may be measured.
    dense = [name for name in numbers if table.has_integers(name) and table.is_dense(name, 1 / EVIDENCE)]
    many = [name for name in numbers if table.sizes[name] > SET and name not in dense]
    many = [name for name in many if not is_hyperparameter_name(name)]
    many = [name for name in many if not table.is_few(name) or alike(np.bincount(table.codes[name])) < CROSSED]
    kinds |= {name: OBSERVED for name in (many if 2 * len(many) <= len(varying) else ()) if name not in kinds}
    # Most options have names that begin alike.
    families = Counter(map(family_of, varying)).most_common(1)
    common = families[0][0] if families and 2 * families[0][1] > len(varying) else ""
    kin = {name for name in varying if common and family_of(name) == common}
    kinds |= dict.fromkeys((name for name in numbers if kin and name not in kin), RESULT)
    named = (name for name in free if name not in kin and (is_measurement_name(name, nfp) or is_count_name(name)))
    kinds |= dict.fromkeys((name for name in named if is_count_name(name) or not table.is_even(name)), RESULT)
    # A run that ends early counts less than others.
    uneven = [name for name in numbers if table.sizes[name] > MIN_GROUPS]
    uneven = [name for name in uneven if 2 * int(np.bincount(table.codes[name]).max()) > table.rows]
    # In one-factor designs most options are like that.
    kinds |= dict.fromkeys(uneven if 2 * len(uneven) < len(varying) else (), RESULT)
    places = [name for name in free if may_be_context_name(name, of_numbers=name in table.numbers)]
    places = [name for name in places if not table.is_binary(name)]
    # Names such as `-march`, `opt_level` and `flush_log_at_commit` say that they were set.
    short = {name for name in free if not name.startswith("-") and len(words_of(name)) < _WORDS}
    places += [name for name in _of_days(table, free, varying) if name in short and not is_setting_name(name)]
    kinds |= dict.fromkeys(places, CONTEXT)
    if kinds.keys() >= {*varying} != set():
        # Something is an option.
        del kinds[varying[0]]
    return {name: kinds[name] for name in order if name in kinds and name not in stated}


def _of_days(table: CodedColumns, names: Sequence[str], options: Sequence[str]) -> Iterator[str]:
    """Yield columns that change slowly while options change at random, as persons do, or together, as weather does."""
    changes = {name: np.diff(table.codes[name]) != 0 for name in options}
    moves = np.flatnonzero(np.any([*changes.values()], axis=0)) if changes else np.zeros(0, dtype=np.int64)
    count = {name: int(changes[name].sum()) for name in options}
    # In random orders this is about the number of changes, and in nested loops far more or less.
    chance = {name: len(moves) * (1 - ((np.bincount(table.codes[name]) / table.rows) ** 2).sum()) for name in options}
    random = [name for name in options if abs(count[name] - chance[name]) <= _NEAR_CHANCE * chance[name]]
    several = [name for name in names if name in table.numbers and table.sizes[name] > MIN_GROUPS]
    weather, slow = list[str](), list[str]()
    for name in (name for name in names if name in changes and not table.is_binary(name)):
        codes, own = table.codes[name].astype(float), changes[name]
        is_slow = _SLOW * count[name] <= len(moves)
        if name in several and not ((np.diff(codes) >= 0).all() or (np.diff(codes) <= 0).all()):
            # The correlation of neighbours in random orders has a standard deviation of 1 / sqrt(n).
            clear = max(_DRIFTS, _CLEAR / np.sqrt(len(moves)))
            is_slow |= bool(np.corrcoef(codes[moves + 1], codes[moves])[0, 1] >= clear)
        near = (2 * (changes[each] & own).sum() >= NEARLY_ALL * (count[each] + count[name]) for each in several)
        if name in several and 2 * count[name] <= len(moves) and sum(near) > 1:
            weather.append(name)
        elif is_slow and not table.is_even(name) and 2 * len({*random} - {name}) > len(options) - 1:
            slow.append(name)
    for name in (*weather, *(slow if not table.is_grid(slow) else ())):
        if not table.is_crossed(name, table.groups(other for other in options if other != name)):
            yield name


def _explained(table: CodedColumns, options: Iterable[str], free: Collection[str]) -> Iterator[str]:
    """Yield numbers whose ranks are mostly a sum of those of other options, the one with most values first.

    That is a variance inflation factor of 2: a design has about 1, and what a run measures far more.
    """
    ranks = _ranks(table, options)
    while shares := _shares(table, ranks):
        many = [name for name in free if shares.get(name, 0.0) >= _EXPLAINED and table.sizes[name] > MIN_GROUPS]
        if not many:
            return
        yield (first := max(many, key=table.sizes.__getitem__))
        del ranks[first]


def _shares(table: CodedColumns, ranks: Mapping[str, Array]) -> dict[str, float]:
    """Return the share of the variance of each column that the others explain (adjusted R²); none of few rows."""
    if not 1 < len(ranks) <= min(_MOST, table.rows / _ROWS_EACH):
        return {}
    columns, products = [*ranks.values()], np.zeros((len(ranks), len(ranks)))
    means = np.array([column.mean() for column in columns])[:, np.newaxis]
    # Blocks of rows fit into the cache.
    for start in range(0, table.rows, _BLOCK):
        centred = np.array([column[start : start + _BLOCK] for column in columns], dtype=float) - means
        products += centred @ centred.T
    scale = np.sqrt(np.diag(products))
    inverse = np.linalg.inv(products / scale / scale[:, np.newaxis] + _RIDGE * np.eye(len(ranks)))
    freedom = (table.rows - 1) / (table.rows - len(ranks))
    return dict(zip(ranks, 1 - freedom / np.diag(inverse), strict=True))


def _ranks(table: CodedColumns, options: Iterable[str]) -> dict[str, Array]:
    """Return the ranks of the numbers among some options, and zeros and ones for each of few texts."""
    ranks: dict[str, Array] = {}
    for name in (name for name in options if table.sizes[name] > 1):
        if name not in table.numbers and table.sizes[name] <= _LEVELS:
            ranks |= {f"{name}\n{code}": table.codes[name] == code for code in range(1, table.sizes[name])}
        elif name in table.numbers and table.complete(name):
            ranks[name] = table.codes[name]
    return ranks
