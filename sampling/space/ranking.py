"""The best configurations of a model, and the Pareto front of several models: exactly, or by local search.

Sums of terms are ranked exactly, in spaces of any size, for independent parts of the space (see
`sampling.space.optimum`): a combination that is not among the k best of its part, or is dominated there, is so in the
whole space, since predictions are sums over parts (with the link 'log' the exponentials of such sums). Configurations
that differ only in options that no model uses count as one.

Other predictors can only be evaluated: at every valid configuration where these are few, or else in the neighbourhood
of good ones (`searched`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from sampling.space.optimum import parts_of, unused_options
from sampling.space.rows import distinct_rows, packed
from sampling.space.satisfiability import is_installed
from sampling.space.space import DIAGRAMS, LIMIT, WEIGHTED, Space
from splc.data.configurations import Configurations, describe_configuration
from splc.errors import SpaceError, SpecError, listed, plural
from splc.io.presentation import Bars, Drawn
from splc.models.influence import InfluenceModel
from splc.types import Array

LOCAL = "local search"  # the engine of inexact rankings
DIGITS = 6  # predictions that agree to so many digits are printed as equal, and differ by rounding or noise of a fit
# The most valid configurations of which a local search predicts all, the most that it predicts, the good ones whose
# neighbours it predicts at a time, and the number of predictions between reports of progress.
ENUMERATED, MAX_PREDICTED, TOGETHER, REPORTED = 100_000, 50_000, 20, 4096


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Drawn):
    """Configurations that are best in some sense."""

    configurations: Configurations  # n configurations, the best first; of a front, in the order of the first model
    predicted: Array  # the predictions of each model, shape (models, n)
    examined: int  # the number of (partial) configurations that were examined
    unused: tuple[str, ...]  # options that make no difference to any model
    engine: str = DIAGRAMS  # what found them: `decision diagrams` or `MaxSAT (RC2)`, both exact, or `local search`
    notes: tuple[str, ...] = ()  # what the user should know

    def summary(self) -> str:
        """Return the number of configurations, and the first one with its predictions."""
        count = plural(len(self.configurations), "configuration", "configurations")
        predicted = listed([f"{value:.6g}" for value in self.predicted[:, 0]])
        return f"{count}, the first: {predicted} predicted for {describe_configuration(self.configurations, 0)}"

    def to_columns(self) -> Mapping[str, Sequence[Any] | Array]:
        """Return the configurations and their predictions: `predicted`, of several models `predicted_1`, …."""
        many = len(self.predicted) > 1
        names = [f"predicted_{number}" if many else "predicted" for number in range(1, len(self.predicted) + 1)]
        return {**self.configurations.to_columns(), **dict(zip(names, self.predicted, strict=True))}

    def _bars(self) -> Bars:
        rows = [(f"{index + 1}", float(value)) for index, value in enumerate(self.predicted[0])]
        return Bars("predicted by the first model" if len(self.predicted) > 1 else "predicted", rows)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Combinations of values of some options with their sums of terms."""

    positions: tuple[int, ...]  # the positions of the options, ascending
    rows: Array  # the combinations, shape (n, positions)
    sums: Array  # the sums of each model, negative where the greatest is wanted, shape (n, models)

    def __getitem__(self, selection: Array) -> _Rows:
        return _Rows(self.positions, self.rows[selection], self.sums[selection])

    def in_order(self, sizes: Sequence[int], count: int | None = None) -> Array:
        """Return the permutation that sorts by sums, then by the values of options; the first ones of it."""
        words = packed(list(self.rows.T), [sizes[position] for position in self.positions])
        return np.lexsort([*words[::-1], *self.sums.T[::-1]])[:count]

    def with_all(self, other: _Rows, limit: int) -> _Rows:
        """Return all combinations with those of another part."""
        if len(self.rows) * len(other.rows) > limit:
            count = f"{len(self.rows):,} and {len(other.rows):,} optimal combinations of independent options"
            hint = "raise --limit (in Python the argument limit), or fix some options (--fix, or Space.with_values)"
            raise SpaceError(f"{count} are too many to combine (the limit is {limit:,})", hint=hint)
        first = np.repeat(np.arange(len(self.rows)), len(other.rows))
        second = np.tile(np.arange(len(other.rows)), len(self.rows))
        positions = (*self.positions, *other.positions)
        order = np.argsort(positions, kind="stable")
        rows = np.concatenate([self.rows[first], other.rows[second]], axis=1)[:, order]
        return _Rows(tuple(sorted(positions)), rows, self.sums[first] + other.sums[second])


def require_count(count: int) -> None:
    """Refuse a number of configurations that is less than 1."""
    if count < 1:
        raise SpecError(f"the number of configurations must be at least 1, not {count}")


def best(model: InfluenceModel, space: Space, count: int, maximize: bool = False, limit: int = LIMIT) -> Ranking:
    """Return the valid configurations with the least (or greatest) predicted values.

    Of equally good ones the first in the order of `space.enumerate()` count, where no part of the space exceeds the
    limit. Where constraints connect too many options, or options of the model have more combinations than the limit, a
    MaxSAT solver finds them (see `sampling.space.maxsat`), in any order.

    Args:
        model: the performance-influence model.
        space: the valid configurations.
        count: the number of configurations; there may be fewer.
        maximize: whether the greatest values are wanted.
        limit: the greatest number of combinations to examine in one part.

    Raises:
        SpaceError: if more combinations would have to be examined.
        ConfigurationError: if the model uses unknown options or has no finite value somewhere.
        VariabilityError: if there is no valid configuration.
        SpecError: if the count is less than 1.

    Examples:
        >>> sampling.best(formula, space, 1).configurations.assignment(0)
        {'tls': 0.0, 'cache': 0.0, 'threads': 8.0}
    """
    require_count(count)

    def solved() -> Ranking:
        from sampling.space.maxsat import WeightedClauses

        clauses = WeightedClauses(model, space, maximize)
        rows = clauses.best(count)
        if not len(rows):
            space.require_valid()
        found = Configurations(space.system, rows)
        predicted = model.predict(found)
        # Weights are rounded to the last bits of the predictions.
        order = np.argsort(-predicted if maximize else predicted, kind="stable")
        unused = unused_options(space.system, clauses.used)
        return Ranking(found[order], predicted[None, order], len(rows), unused, WEIGHTED)

    if space.is_large and is_installed():
        with suppress(SpaceError):
            return solved()
    try:
        chosen = partial(_Rows.in_order, sizes=space.problem.sizes, count=count)
        return _ranked((model,), space, (maximize,), chosen, limit)
    except SpaceError:
        if not space.is_large and is_installed():
            with suppress(SpaceError):
                return solved()
        raise


def pareto_front(
    models: Sequence[InfluenceModel], space: Space, maximize: bool | Sequence[bool] = False, limit: int = LIMIT
) -> Ranking:
    """Return the valid configurations that no other one surpasses: better in one prediction and not worse in any.

    Of several configurations with the same predictions it has one.

    Args:
        models: at least one model.
        space: the valid configurations.
        maximize: whether the greatest value is wanted: of all models, or for each one.
        limit: the greatest number of combinations to examine in one part.

    Raises:
        SpaceError, ConfigurationError, VariabilityError: as `best`.
        SpecError: if there is no model, or `maximize` has another length.

    Examples:
        >>> len(sampling.pareto_front([formula, size], space).configurations)
        4
    """
    greatest = (maximize,) * len(models) if isinstance(maximize, bool) else maximize
    if len(greatest) != len(models) or not models:
        raise SpecError(f"maximize has {len(greatest)} values for {plural(len(models), 'model', 'models')}")

    def kept(rows: _Rows) -> Array:
        order = rows.in_order(space.problem.sizes)
        return order[undominated(rows.sums[order])]

    return _ranked(models, space, greatest, kept, limit)


def front_of_rounded(values: Array) -> Array:
    """Return the positions of the rows on the Pareto front, in lexicographic order; less is better.

    Values, of shape (n, objectives), that agree to six digits count as equal; of equal rows the front has the least.
    """
    sizes = np.where(values != 0, np.abs(values), 1.0)
    units = 10.0 ** (np.floor(np.log10(sizes)) - DIGITS + 1)
    rounded = np.rint(values / units) * units
    order = np.lexsort([*values.T[::-1], *rounded.T[::-1]])
    return order[undominated(rounded[order])]


def undominated(values: Array) -> Array:
    """Return the positions of the rows that no other row surpasses; less is better, the first of equal rows counts.

    `values`: shape (n, objectives), in lexicographic order of the rows.
    """
    if values.shape[1] == 1:
        return np.arange(min(1, len(values)))
    if values.shape[1] == 2:
        # In this order a row is dominated unless its second value is below those of all rows before it.
        lowest = np.minimum.accumulate(values[:, 1])
        return np.flatnonzero(np.append(True, values[1:, 1] < lowest[:-1])[: len(values)])
    front, remaining = [], np.arange(len(values))
    while len(remaining):
        # The first row of the rest is dominated by none.
        front.append(remaining[0])
        remaining = remaining[~(values[remaining] >= values[remaining[0]]).all(axis=1)]
    return np.array(front, dtype=int)


def _ranked(
    models: Sequence[InfluenceModel],
    space: Space,
    maximize: Sequence[bool],
    chosen: Callable[[_Rows], Array],
    limit: int,
) -> Ranking:
    """Return the configurations that `chosen` keeps, of each part and of all combinations of parts."""
    space.require_valid()
    combined = _Rows((), np.zeros((1, 0), dtype=np.int64), np.zeros((1, len(models))))
    parts = list(parts_of(models, space))
    examined = 0
    for part in parts:
        if part.used:
            positions, rows = part.listed(limit)
            examined += len(rows)
            # The first combination of the part with each combination of the used options.
            columns = [positions.index(position) for position in part.used]
            first, _ = distinct_rows(rows[:, columns], [space.problem.sizes[position] for position in part.used])
            rows = rows[np.sort(first)]
            sums = [part.sums(number, positions, rows) * (-1 if high else 1) for number, high in enumerate(maximize)]
            part_rows = _Rows(positions, rows, np.stack(sums, axis=1))
            combined = combined.with_all(part_rows[chosen(part_rows)], limit)
            combined = combined[chosen(combined)]
    indices = np.zeros((len(combined.rows), len(space.system.options)), dtype=np.int64)
    indices[:, list(combined.positions)] = combined.rows
    for part in parts:
        if part.count > limit:
            completed = cache(part.completed)
            for row in indices:
                row[list(part.variables)] = completed(tuple(row[list(part.used)].tolist()))
        elif not part.used:
            indices[:, list(part.variables)] = space.projection(part.variables).enumerate(limit)[0]
    found = Configurations(space.system, indices)
    used = {position for part in parts for position in part.used}
    predicted = np.array([model.predict(found) for model in models])
    return Ranking(found, predicted, examined, unused_options(space.system, used))


@dataclass(frozen=True, eq=False)
class Searched:
    """Configurations with their values."""

    configurations: Configurations  # the configurations, the best first
    values: Array  # what the predictor returned for them, shape (n, values)
    examined: int  # the number of configurations that were predicted
    exhaustive: bool  # whether these are all valid ones


def searched(
    predict: Callable[[Configurations], Array],
    space: Space,
    starts: Callable[[], Configurations],
    kept: Callable[[Array], Array],
    *,
    used: Collection[int] | None = None,
    excluded: Configurations | None = None,
    enumerated: int = ENUMERATED,
    most: int = MAX_PREDICTED,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Searched:
    """Return the best valid configurations of a predictor.

    The local search changes one option or alternative group of the best configurations, as long as that improves them.
    `predict` returns values of configurations, shape (n, values), and `kept` the positions of the best rows of values,
    the best first; of equal rows the first one. `used`: the positions of the options that the values depend on; of
    configurations that only differ in others, the first one counts. `excluded`: configurations that are left out.
    """
    positions = range(len(space.problem.sizes)) if used is None else sorted(used)

    def predicted(configurations: Configurations, before: int = 0) -> Array:
        count = len(configurations)
        parts = []
        for start in range(0, max(count, 1), REPORTED):
            parts.append(predict(configurations[start : start + REPORTED]))
            done = before + min(start + REPORTED, count)
            on_progress(done, before + count if with_all else max(most, done))
        return np.concatenate(parts)

    def first(configurations: Configurations) -> Configurations:
        """Return the first of all configurations that have the same values of the used options."""
        sizes = [space.problem.sizes[position] for position in positions]
        rows, _ = distinct_rows(configurations.indices[:, list(positions)], sizes)
        return configurations[np.sort(rows)]

    def usable(configurations: Configurations) -> Configurations:
        return configurations if excluded is None else configurations[excluded.find(configurations) < 0]

    with_all = space.is_counted and space.count <= enumerated
    candidates = first(usable(space.enumerate() if with_all else starts()))
    values = predicted(candidates)
    expanded = np.zeros(len(candidates), dtype=bool)
    while not with_all and len(candidates) < most:
        best = kept(values)
        best = best[~expanded[best]][:TOGETHER]
        if not len(best):
            break
        expanded[best] = True
        # Of equal ones, those that are known come first.
        near = usable(neighbours(candidates[best], space, used))
        both = first(Configurations(space.system, np.concatenate([candidates.indices, near.indices])))
        values = np.concatenate([values, predicted(both[len(candidates) :], len(candidates))])
        expanded = np.append(expanded, np.zeros(len(both) - len(candidates), dtype=bool))
        candidates = both
    best = kept(values)
    return Searched(candidates[best], values[best], len(candidates), with_all)


def neighbours(configurations: Configurations, space: Space, used: Collection[int] | None = None) -> Configurations:
    """Return the distinct valid configurations that differ from given ones in one used option or alternative group."""
    system, indices = space.system, configurations.indices
    varied = range(len(system.options)) if used is None else used
    changes: list[tuple[list[int], list[int]]] = [([], [])]  # changes: positions of options, and the value of each
    for group in system.alternative_groups:
        positions = [system.positions[name] for name in group]
        parent = system.option(group[0]).parent
        both = positions if parent is None else [*positions, system.positions[parent]]
        # None of the members, or one; the parent is selected with one.
        for member in (None, *positions) if any(position in varied for position in both) else ():
            changes += [(both, [*(int(position == member) for position in positions), int(member is not None)])]
    grouped = {name for group in system.alternative_groups for name in group}
    for position, name in enumerate(system.names):
        if name not in grouped and position in varied:
            changes += [([position], [index]) for index in range(space.problem.sizes[position])]
    rows = np.tile(indices, (len(changes), 1, 1))
    for block, (positions, values) in zip(rows, changes, strict=True):
        block[:, positions] = values[: len(positions)]
    rows = rows.reshape(-1, indices.shape[1])
    first, _ = distinct_rows(rows, space.problem.sizes)
    changed = Configurations(system, rows[np.sort(first)])
    return changed[space.check(changed)]
