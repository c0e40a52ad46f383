"""Folds and the groups of rows that they keep together, and the rows that a model is judged by (`JudgedRows`).

Rows that differ only in the version, the machine or the input are nearly copies of each other. If such rows are on
both sides of a fold, the error is that of known settings. Hence settings that repeat are found, and kept together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, Self

import numpy as np

from splc.data.accuracy import mean_relative_error, pooled_error, standard_error
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import SpecError, unknown_name_hint
from splc.io.csv_rows import sorted_distinct
from splc.system.variability import VariabilityModel
from splc.types import Array

# Settings without some options repeat if at least the first share of them has several rows, although fewer than the
# second share of their neighbours, which differ in one option, were measured: new settings can be asked for. In a
# random sample of a share f of all configurations, L of which have each setting, the shares are P(2 or more) / P(1 or
# more) and P(1 or more) of a binomial distribution of L and f: where the first one is 0.4, the second one is 0.6 or
# more. In full factorials the second one is 1, with constraints 0.4 and more (systems of the reference); in
# Plackett-Burman designs the first one is 0, and in one-factor designs only one setting repeats.
REPEATED, NEIGHBOURS = 0.4, 1 / 3
# The least share of the combinations of settings and of what varies that have a row, for one option and for two:
# central composite designs have up to 0.42, and two of many options repeat by chance.
FILLED = (0.45, 0.8)
# Columns that others determine, such as cores = nodes * cores per node, have no neighbours: settings are known, too, if
# so many of the combinations of a minimal key were measured.
COMPLETE = 0.8
# Fewer settings are not divided into folds.
FEWEST = 5
# Pairs of options are tried if rows times options^3 is less: half a second of work.
PAIRS = 3e7
# The candidates with the fewest settings that are tried.
TRIED = 4
FIRST = 1000  # rows that show of most options that others do not determine them
COUNTED = 30_000  # settings that show whether settings repeat; of more, about as many are counted


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of measured configurations that folds keep together."""

    labels: Array  # the group of each measured configuration, integers, shape (n,)
    # the options whose equal values make a group; empty if each configuration has a stated group
    same: tuple[str, ...] = ()
    column: str = ""  # the column that was stated; empty if `same` are the options of settings that repeat

    def __getitem__(self, rows: Array) -> Groups:
        """Return those of some of the configurations."""
        return Groups(self.labels[rows], self.same, self.column)

    @classmethod
    def stated(cls, configurations: Configurations, groups: Groups | str | Array | Sequence[Any]) -> Groups:
        """Return the groups of configurations: of equal values of an option, or as they are labelled."""
        if isinstance(groups, Groups):
            return groups
        system = configurations.system
        if isinstance(groups, str):
            if (same := options_of(system, groups)) is None:
                hint = unknown_name_hint(groups, system.names)
                raise SpecError(f"groups: there is no option {groups!r}", hint=hint)
            return cls(np.unique(_hashes(configurations, [same])[0], return_inverse=True)[1], same, groups)
        labels = np.array([str(label) for label in groups])
        if len(labels) != len(configurations):
            raise SpecError(f"{len(configurations)} configurations, but {len(labels)} groups")
        return cls(np.unique(labels, return_inverse=True)[1], column="group")

    @classmethod
    def of_parts(cls, configurations: Configurations, parts: Iterable[Configurations], column: str) -> Groups:
        """Return the groups of a column's values; those that have a configuration in common are one."""
        labels = np.full(len(configurations), -1)
        for number, part in enumerate(parts):
            rows = configurations.find(part)
            rows = rows[rows >= 0]
            known = np.unique(labels[rows])
            labels[rows] = number
            labels[np.isin(labels, known[known >= 0])] = number
        return cls(labels, column=column)

    @classmethod
    def repeated(cls, configurations: Configurations, rows: Array) -> Groups | None:
        """Return the groups of equal settings of all options but some, if these settings repeat in rows; else None."""
        group_of = {name: group for group in configurations.system.alternative_groups for name in group}
        # The members of an alternative group are one unit.
        units = [*dict.fromkeys(group_of.get(option.name, (option.name,)) for option in configurations.system.options)]
        hashes = _hashes(configurations, units)
        # A table of 10^6 rows should not be copied.
        kept, part = np.arange(len(units)), hashes if len(rows) == len(configurations) else hashes[:, rows]
        while part.shape[1] and (varied := _repeating(part)) is not None:
            kept, part = kept[~varied], part[~varied]
            part = part[:, np.unique(part.sum(axis=0), return_index=True)[1]]
        if len(kept) == len(units):
            return None
        labels = np.unique(hashes[kept].sum(axis=0), return_inverse=True)[1]
        names = {name for unit in kept.tolist() for name in units[unit]}
        return cls(labels, tuple(name for name in configurations.system.names if name in names))

    def known(self, learned: Configurations, others: Configurations) -> Array:
        """Return which of other configurations belong to the group of a learned one, shape (m,)."""
        if not self.same:
            return np.zeros(len(others), dtype=bool)
        return np.isin(_hashes(others, [self.same])[0], _hashes(learned, [self.same])[0])


def drawn_folds(order: Array, number: int, groups: Array | None = None) -> Array:
    """Return the fold of each row, (n,): groups (None: rows) in turn, in the order of their first rows."""
    turn = np.arange(len(order))
    if groups is not None:
        _, first, group = np.unique(groups[order], return_index=True, return_inverse=True)
        turn = np.argsort(np.argsort(first))[group]
    folds = np.empty(len(order), dtype=np.int64)
    folds[order] = turn % min(number, int(turn.max(initial=0)) + 1)
    return folds


def splits(folds: Array) -> Iterator[tuple[Array, Array]]:
    """Yield the rows of each fold, and the other rows; `folds`: the fold of each row, shape (n,)."""
    for fold in range(int(folds.max()) + 1):
        yield np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)


def options_of(system: VariabilityModel, name: str) -> tuple[str, ...] | None:
    """Return the options of a column: an option, or the members of an alternative group; None if it is none."""
    members = (group for group in system.alternative_groups if system.option(group[0]).parent == name)
    return next(members, (name,) if name in system.names else None)


def _hashes(configurations: Configurations, units: Sequence[Sequence[str]]) -> Array:
    """Return the hash of the values of each unit, shape (units, n); the sum of several is the hash of all of them."""
    factors = np.random.default_rng(0).integers(1, 2**64, configurations.indices.shape[1], dtype=np.uint64)
    hashes = np.zeros((len(units), len(configurations)), dtype=np.uint64)
    for unit, row in zip(units, hashes, strict=True):
        for position in (configurations.system.positions[name] for name in unit):
            row += configurations.indices[:, position].astype(np.uint64) * factors[position]
    return hashes


def _repeating(part: Array) -> Array | None:
    """Return which units differ in rows that are equal elsewhere, one or two with those they determine, or None."""
    sizes, count, whole = np.array([len(sorted_distinct(row)) for row in part]), part.shape[1], part.sum(axis=0)
    varies = sizes > 1
    varying = np.flatnonzero(varies).tolist()
    for size in (1, 2):
        found: list[tuple[int, Array]] = []
        for chosen in combinations(varying, size) if size == 1 or count * len(varying) ** 3 < PAIRS else ():
            keys = part[list(chosen)].sum(axis=0)
            determined = varies & _determined(part, keys)
            settings = whole - part[determined].sum(axis=0)
            counts = np.unique(settings[_counted(settings)], return_counts=True)[1]
            filled = counts.sum() / (len(counts) * (sizes[chosen[0]] if size == 1 else len(sorted_distinct(keys))))
            if len(counts) >= FEWEST and filled >= FILLED[size - 1] and np.mean(counts > 1) >= REPEATED:
                found.append((len(counts), determined))
        for _, determined in sorted(found, key=lambda pair: pair[0])[:TRIED]:
            if not _is_dense(part, whole - part[determined].sum(axis=0), np.where(determined, 1, sizes)):
                return determined
    return None


def _counted(settings: Array) -> Array | slice:
    """Return the rows whose settings are counted, of many settings a part; `settings`: the hash of each, shape (n,)."""
    parts = len(settings) // COUNTED
    return (settings >> np.uint64(32)).astype(np.uint32) % np.uint32(parts) == 0 if parts > 1 else slice(None)


def _determined(part: Array, keys: Array) -> Array:
    """Return which units have equal values wherever keys are equal, shape (units,); `keys`: shape (n,)."""
    order = np.argsort(keys[:FIRST], kind="stable")
    first, same = part[:, order], np.diff(keys[order]) == 0
    determined: Array = ~((first[:, 1:] != first[:, :-1]) & same).any(axis=1)
    if len(keys) > FIRST and determined.sum() > 1:
        order = np.argsort(keys, kind="stable")
        same = np.diff(keys[order]) == 0
        for at in np.flatnonzero(determined).tolist():
            ordered = part[at, order]
            determined[at] = not (ordered[1:] != ordered[:-1])[same].any()
    return determined


def _is_dense(part: Array, keys: Array, sizes: Array) -> bool:
    """Return whether most settings of units with some `sizes` were measured: neighbours of each, or of a key all."""
    units, neighbours = np.flatnonzero(sizes > 1), 0.0
    sizes = sizes[units]
    for unit in units.tolist():
        rests = keys - part[unit]
        rows = _counted(rests)
        settings, first = np.unique(keys[rows], return_index=True)
        counts = np.unique(rests[rows][first], return_counts=True)[1]
        neighbours += (counts * (counts - 1)).sum() / len(settings)
    if neighbours >= NEIGHBOURS * (sizes - 1).sum():
        return True
    keys, first = np.unique(keys, return_index=True)
    # Units that the others determine are not part of the key.
    rest, is_key = keys, np.ones(len(sizes), dtype=bool)
    for at in np.argsort(-sizes, kind="stable").tolist():
        without = rest - part[units[at], first]
        if len(sorted_distinct(without)) == len(keys):
            rest, is_key[at] = without, False
    return bool(sizes[is_key].astype(object).prod() <= len(keys) / COMPLETE)


# The most configurations learned from, and the most others, that judge a model which predicts slower than measurements
# are read: a full model takes a second for so many, and a minute for 600,000. The standard error of their mean error is
# a hundredth of the deviation of single errors: ± 0.03 % where these are about 3 %.
MOST_JUDGED = 10_000
# The names of errors in `LearningResult`.
ERRORS = ("learning_error", "error", "error_all")
# Learning sets that are drawn with the same seed have another stream of random numbers.
_STREAM = 1


@dataclass(frozen=True)
class CrossValidated:
    """The relative error in percent at held-out configurations of the learning set."""

    median: float  # the median
    mean: float  # the mean
    p95: float  # the 95th percentile

    @classmethod
    def of(cls, differences: Array) -> Self:
        """Return the errors for differences of ln y, shape (n,)."""
        errors: Array = np.abs(np.expm1(np.minimum(differences, 600.0))) * 100
        return cls(float(np.median(errors)), float(errors.mean()), float(np.quantile(errors, 0.95)))


@dataclass(frozen=True)
class PrintedErrors:
    """The errors of a printed model that is not what predicts (mean relative ones in percent; None: undefined)."""

    learning_error: float | None = None  # on the learning set
    error: float | None = None  # on the measured configurations outside of the learning set, or on the evaluation set
    error_all: float | None = None  # on all measured configurations
    # the error on held-out folds of the learning set; None where it means nothing
    cross_validated: CrossValidated | None = None
    distance: float | None = None  # the mean relative difference to the full model at unmeasured configurations


@dataclass(frozen=True)
class ErrorSample:
    """The sample of configurations that an error is computed on."""

    configurations: int  # the number of configurations in the sample
    of: int  # the number of configurations that they were drawn from
    standard_error: float | None  # the standard error of the error in percentage points, None where it is undefined
    printed: float | None = None  # the same of the error of the printed model, None without one


@dataclass(frozen=True, eq=False)
class Judgement:
    """The predictions of a model at the rows that judge it, and its mean relative errors in percent."""

    predicted: Array  # predictions at the measured configurations that judge it, shape (n,), NaN where it has no value
    evaluated: Array  # predictions at the evaluation set, shape (m,)
    errors: Mapping[str, float | None]  # by their names in `LearningResult`; None where one is undefined
    standard_errors: Mapping[str, float | None]  # those of errors of a sample, by the same names


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """The measurements that a model was learned from and judged by."""

    measured: Measurements  # the measured configurations
    nfp: str  # the property
    learned: Array  # the positions of the learning set among these
    judging: tuple[Array, Array]  # the positions of those of the learning set, and of the others, that judge a model
    evaluation: Measurements | None = None  # the configurations of the evaluation set that judge it, None without one
    # error of a sample, by its name in `LearningResult` → the size of the sample, and of what it was drawn from
    samples: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    deviations: Array | None = None  # what ln y of each measured run differs by in new blocks, shape (n, repetitions)

    @classmethod
    def of(
        cls,
        measured: Measurements,
        nfp: str,
        learned: Array,
        evaluation: Measurements | None = None,
        *,
        seed: int = 0,
        limit: int | None = MOST_JUDGED,
    ) -> JudgedRows:
        """Return all rows, or samples of those learned from, of the others, and of the evaluation set.

        `evaluation`: measurements for the error outside of the learning set; None: the other measured configurations.
        `limit`: the most rows of each of the three; None: all.
        """
        rng = np.random.default_rng((seed, _STREAM))
        samples: dict[str, tuple[int, int]] = {}

        def drawn(name: str, table: Measurements, rows: Array) -> Array:
            known = rows[~np.isnan(table.column(nfp)[rows])]
            if limit is None or len(known) <= limit:
                return rows
            samples[name] = limit, len(known)
            return np.sort(rng.choice(known, limit, replace=False))

        judging = (
            drawn("learning_error", measured, learned),
            drawn("error", measured, np.delete(np.arange(len(measured)), learned)),
        )
        if samples:
            samples["error_all"] = sum(map(len, judging)), len(measured.measured(nfp))
        if evaluation is not None:
            samples.pop("error", None)
            evaluation = evaluation.measured(nfp)
            rows = drawn("error", evaluation, np.arange(len(evaluation)))
            evaluation = evaluation if len(rows) == len(evaluation) else evaluation[rows]
        return cls(measured, nfp, learned, judging, evaluation, samples)

    @cached_property
    def places(self) -> Array:
        """The positions of the measured configurations that judge a model, ascending."""
        return np.sort(np.concatenate(self.judging))

    @cached_property
    def configurations(self) -> Configurations:
        """The measured configurations that judge a model."""
        configurations = self.measured.configurations
        return configurations if len(self.places) == len(configurations) else configurations[self.places]

    def judge(self, predict: Callable[[Configurations], Array]) -> Judgement:
        """Return the judgement of the model with these predictions."""
        values, predicted = self.measured.column(self.nfp), predict(self.configurations)
        # Errors leave out rows without a prediction.
        everywhere = np.full(len(values), np.nan)
        everywhere[self.places] = predicted
        is_used = (values != 0) & ~np.isnan(values)
        used = int(is_used[self.learned].sum())
        sizes = used, int(is_used.sum()) - used
        parts = [(everywhere[rows], values[rows]) for rows in self.judging]
        learning, rest = (mean_relative_error(*part) for part in parts)
        deviations = [standard_error(*part, size) for part, size in zip(parts, sizes, strict=True)]
        total, total_deviation = mean_relative_error(everywhere, values), None
        if len(self.places) < len(values):
            total, total_deviation = pooled_error((learning, rest), deviations, sizes)
        evaluated = np.zeros(0)
        if self.evaluation is not None:
            evaluated, known = predict(self.evaluation.configurations), self.evaluation.column(self.nfp)
            rest = mean_relative_error(evaluated, known)
            deviations[1] = standard_error(evaluated, known, self.samples.get("error", (0, len(known)))[1])
        errors = dict(zip(ERRORS, (learning, rest, total), strict=True))
        stated = zip(ERRORS, (*deviations, total_deviation), strict=True)
        standard_errors = {name: deviation for name, deviation in stated if name in self.samples}
        return Judgement(predicted, evaluated, errors, standard_errors)

    def known(self, groups: Groups) -> Array:
        """Return which values of `tested`, with `unlearned`, are of groups that were learned from, shape (n,)."""
        table, rows = self._tested_rows(unlearned=True)
        rows = rows[~np.isnan(table.column(self.nfp)[rows])]
        if self.evaluation is None:
            return np.isin(groups.labels[rows], groups.labels[self.learned])
        return groups.known(self.measured.configurations[self.learned], table.configurations[rows])

    def _tested_rows(self, *, unlearned: bool = False, learned: bool = False) -> tuple[Measurements, Array]:
        """Return the measurements that `tested` is about, and their rows."""
        if self.evaluation is None or learned:
            return self.measured, self.judging[0 if learned else 1]
        places = self.measured.configurations[self.learned].find(self.evaluation.configurations)
        return self.evaluation, np.flatnonzero((places < 0) | (not unlearned))

    def tested(
        self,
        judgement: Judgement,
        *,
        unlearned: bool = False,
        runs: bool = False,
        learned: bool = False,
        kept: Array | None = None,
    ) -> tuple[Array, Array]:
        """Return values and predictions that the error outside of the learning set is computed on, shapes (n,).

        `unlearned`: without learned ones of an evaluation set; `runs`: values of single runs, as if their blocks were
        new; `learned`: those of the learning error instead; `kept`: which of those with a value.
        """
        table, rows = self._tested_rows(unlearned=unlearned, learned=learned)
        if kept is not None:
            rows = rows[~np.isnan(table.column(self.nfp)[rows])][kept]
        own = table is self.measured
        predicted = judgement.predicted[np.searchsorted(self.places, rows)] if own else judgement.evaluated[rows]
        values = table.repetitions(self.nfp)[rows] if runs else table.column(self.nfp)[rows, None]
        if own and runs and self.deviations is not None:
            values = values * np.exp(self.deviations[rows])
        known = ~np.isnan(values)
        return values[known], np.broadcast_to(predicted[:, None], values.shape)[known]
