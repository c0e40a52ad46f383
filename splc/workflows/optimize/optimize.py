"""Find the valid configurations that models predict to be best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from sampling import Space
from sampling.space.optimum import free_options, positions_of, unused_options
from sampling.space.ranking import DIGITS, LOCAL, Ranking, best, front_of_rounded, pareto_front, searched, undominated
from sampling.space.space import DIAGRAMS, LIMIT
from splc.data.configurations import Configurations
from splc.data.measurements import Failures
from splc.data.property_unit import titled
from splc.errors import SpaceError, listed, plural
from splc.formats.measurements.selections import parse_assignments, with_assigned_values
from splc.io.files import STANDARD
from splc.io.numbers import count_text
from splc.learning.plausibility import implausible
from splc.learning.projection import variables_of
from splc.models.basis.regression import NORMAL_QUANTILE
from splc.plotting.charts.curves import front_chart
from splc.plotting.charts.drawing import require_picture, write_picture
from splc.types import Array
from splc.workflows import prediction_notes
from splc.workflows.fields import refuse
from splc.workflows.note import Note, Noted, Notes, Rank, direction_notes
from splc.workflows.optimize.objectives import Objective, Request, objectives_of
from splc.workflows.prediction_notes import Interval, learned_values
from splc.workflows.subspace import all_of, failure_notes, fixed_space, further_notes, working_space
from splc.workflows.views import UNWATCHED, Watch

STARTS = 1000  # the number of the best configurations of each printed model that a local search starts from
# Why the interval of a best prediction may not hold.
TOO_GOOD = "the best of many predictions is often too good; measure it before you rely on it"
NO_INFLUENCE = "no setting is better than the noise"  # where no option has an influence


@dataclass(frozen=True)
class PropertyValue:
    """A property of a configuration."""

    predicted: float  # the predicted value
    interval: Interval | None = None  # its prediction interval, None if the model has none
    measured: float | None = None  # the measured value, None if there is none
    of_best: bool = False  # whether the interval is that of the best of many predictions, see `_of_best`


@dataclass(frozen=True)
class RatedConfiguration:
    """A configuration that is among the best."""

    configuration: Configurations  # the configuration, one row
    values: tuple[PropertyValue, ...]  # its properties, in the order of the objectives


@dataclass(frozen=True)
class Result(Noted):
    """The best configurations."""

    objectives: tuple[Objective, ...]  # the properties with their models
    candidates: tuple[RatedConfiguration, ...]  # the best ones; of several properties the Pareto front by the first
    best_measured: RatedConfiguration | None = None  # None without measurements, and for several properties
    # the Pareto front of the measured ones with the fixed values; None unless several properties were measured
    measured_front: tuple[RatedConfiguration, ...] | None = None
    fixed: Mapping[str, int] = field(default_factory=dict, hash=False)  # option → the value index that all have
    examined: int = 0  # the number of (partial) configurations that were examined
    engine: str = DIAGRAMS  # what found them, see `Ranking`
    exhaustive: bool = True  # whether they are the best of all valid configurations, not of those that were examined
    unused: tuple[str, ...] = ()  # options that no model is about
    free: tuple[str, ...] = ()  # those of them that may have other values, with the same predictions
    unreached: tuple[str, ...] = ()  # the objectives of which no measured value reaches the best interval
    failures: Failures | None = None  # what never worked, which is left out; None if nothing is known
    plot: str | None = None  # the file that the plot was written to
    request: Request | None = None

    def like(self, index: int) -> tuple[float, ...]:
        """The values of a property whose readable unit all of its values are printed in."""
        rated = (*self.candidates, *filter(None, [self.best_measured]), *(self.measured_front or ()))
        return tuple(one.values[index].predicted for one in rated)

    @property
    def without_influence(self) -> bool:
        """True if nothing is known but the scatter of the only property: no option has an influence."""
        (first, *others) = self.objectives
        return not others and first.stored.intervals is not None and not first.options


def run(request: Request, watch: Watch = UNWATCHED) -> Result:
    """Find the best configurations, by full models where there are some, beside the best measured ones."""
    enough = "one of them is enough: for all properties, or for some"
    several = max(len(request.models), len(request.properties)) > 1
    refuse(
        (request.models.count(STANDARD) > 1, "only one of the models can be standard input", "models"),
        (request.top < 1, f"the number of configurations must be at least 1, not {request.top}", "top"),
        (several and request.top > 1, "several properties have a Pareto front, not an order; leave --top out", "top"),
        (request.plot and not several, "the plot shows the Pareto front of several properties; name them", "plot"),
        (request.maximize and request.maximize_only, enough, "maximize", "maximize_only"),
    )
    project = request.project_of_models(request.models)
    require_picture(request.plot, (*request.models, *project.files))
    notes = Notes()
    base = Space(request.read_system(project, notes))
    system = with_assigned_values(request.fix, base.system)
    fixed = parse_assignments(request.fix, system)
    space = fixed_space(Space(system), fixed)
    notes += further_notes(base.system, system)
    limit = LIMIT if request.limit is None else request.limit
    with notes:
        objectives = [goal.of_system(system) for goal in objectives_of(request, project, base, notes, watch)]
        # Of a formula the name is that of its file.
        names = (goal.name if goal.measured or goal.stored.nfp else "" for goal in objectives)
        facts = [(name, goal.unit, goal.maximize) for name, goal in zip(names, objectives, strict=True)]
        notes += direction_notes(facts, "optimize", request)
        result = best_configurations(objectives, space, fixed, request.top, limit, watch)
    if request.plot is not None:
        # The front of the first two properties, with the measured configurations.
        x, y = objectives[:2]
        front = [[value.predicted for value in one.values[:2]] for one in result.candidates]
        _, measured = _measured_in_all((x, y), fixed)
        titles = (titled(x.name, x.unit), titled(y.name, y.unit))
        write_picture(front_chart(np.array(front).reshape(-1, 2), measured, titles, base.system.name), request.plot)
    return replace(result, request=request, plot=request.plot, notes=(*notes, *result.notes))


def best_configurations(
    objectives: Sequence[Objective],
    space: Space,
    fixed: Mapping[str, int] | None = None,
    top: int = 1,
    limit: int = LIMIT,
    watch: Watch = UNWATCHED,
) -> Result:
    """Return the best configurations of objectives, and the best measured ones."""
    fixed = fixed or {}
    failures = objectives[0].failures
    with Notes() as notes:
        notes += failure_notes(failures, "left out")
        space = working_space(space, failures, fixed)
        found = best_of(objectives, space, top, limit, notes, watch, failures)
        ranking = found
        if len(objectives) > 1:
            # Without configurations that are dominated except for rounding.
            kept = front_of_rounded((found.predicted * signs_of(objectives)[:, np.newaxis]).T)
            ranking = replace(found, configurations=found.configurations[kept], predicted=found.predicted[:, kept])
            if left_out := len(found.configurations) - len(kept):
                text = plural(left_out, "configuration is left out", "configurations are left out")
                rest = f"others are at least as good to {DIGITS} digits of the predictions"
                notes.append(Note(f"{text}: {rest}", about=Rank.LIMIT))
        free = free_options(space.system, ranking.unused)
        if free:
            notes.append(prediction_notes.unused_note(free, len(objectives)))
        best = ranking.configurations
        variables = variables_of(space.system)
        columns = []
        for goal, predicted, sign in zip(objectives, ranking.predicted, signs_of(objectives).tolist(), strict=True):
            chosen = sum(not goal.options.isdisjoint({*each.members} - fixed.keys()) for each in variables)
            column = _values(goal, best, predicted)
            wider = [value.interval and _of_best(value.interval, chosen, sign) for value in column]
            both = zip(column, wider, strict=True)
            columns.append([replace(v, interval=ends, of_best=ends != v.interval) for v, ends in both])
        candidates = _rated(best, columns)
        rated = [value for column in columns for value in column]
        excluded = [value.interval.excludes(value.predicted) for value in rated if value.interval is not None]
        notes += prediction_notes.outside_notes(excluded)
        for goal, predicted in zip(objectives, ranking.predicted, strict=True):
            values = goal.values if len(goal.values) else learned_values(goal.stored.full)
            notes += (Note(text, warning=True) for text in implausible(predicted, values, goal.measured or goal.name))
        unreached = _unreached(objectives, columns)
        if unreached:
            what = "no measured value" + ("" if len(objectives) == 1 else f" of {listed(unreached)}")
            notes.append(Note(f"{what} reaches the interval: {TOO_GOOD}"))
        for goal in objectives:
            first = Configurations(goal.system, best.indices[:1])
            facts = (goal.known, goal.stored.full, goal.options, "best configuration")
            notes.add(prediction_notes.unmeasured_notes(first, *facts))
        measured, front = None, None
        known, known_values = _measured_in_all(objectives, fixed)
        if known is not None and len(objectives) > 1:
            order = front_of_rounded(known_values * signs_of(objectives))
            members = known[order]
            of_goals = zip(objectives, known_values[order].T.tolist(), strict=True)
            pairs = [zip(goal.predict(members).tolist(), y, strict=True) for goal, y in of_goals]
            shown = [[PropertyValue(one, measured=other) for one, other in column] for column in pairs]
            front = _rated(members, shown)
        elif known is not None and len(known):
            (goal,) = objectives
            row = known[[int(np.argmin(known_values[:, 0] * signs_of(objectives)))]]
            measured = RatedConfiguration(row, tuple(_values(goal, row, goal.predict(row))))
            interval, value = candidates[0].values[0].interval, measured.values[0].measured
            # The best of a part of the space is of another system.
            other = (best.indices[0] != row.indices).any()
            if other and interval is not None and value is not None and not interval.excludes(value):
                notes.append(Note("the best measured configuration may be as good: its value is in the interval"))
    engine = ranking.engine
    search = (fixed, ranking.examined, engine, engine != LOCAL, ranking.unused, free, unreached, failures)
    return Result(tuple(objectives), candidates, measured, front, *search, notes=tuple(notes))


def _values(objective: Objective, configurations: Configurations, predicted: Array) -> list[PropertyValue]:
    """Return the property of each configuration, given its predictions."""
    # Intervals and measurements belong to the system without fixed values.
    rows = Configurations(objective.system, configurations.indices)
    intervals: Sequence[Interval | None] = [None] * len(rows)
    if objective.stored.intervals is not None:
        intervals = prediction_notes.intervals_of(objective.stored.intervals, rows)
    measured = [None if index < 0 else float(objective.values[index]) for index in objective.find(rows)]
    return [PropertyValue(*row) for row in zip(predicted.tolist(), intervals, measured, strict=True)]


def _rated(found: Configurations, columns: Sequence[Sequence[PropertyValue]]) -> tuple[RatedConfiguration, ...]:
    """Return configurations with their properties, which are given property by property."""
    return tuple(RatedConfiguration(found[[row]], values) for row, values in enumerate(zip(*columns, strict=True)))


def _measured_in_all(objectives: Sequence[Objective], fixed: Mapping[str, int]) -> tuple[Configurations | None, Array]:
    """Return the configurations with the fixed values measured for all objectives, and these values, shape (n, k)."""
    known = objectives[0].known
    if known is None or any(goal.known is None for goal in objectives):
        return None, np.zeros((0, len(objectives)))
    indices = np.stack([goal.find(known) for goal in objectives], axis=1)
    allowed = (indices >= 0).all(axis=1)
    for name, index in fixed.items():
        allowed &= known.indices[:, known.system.positions[name]] == index
    columns = [goal.values[column] for goal, column in zip(objectives, indices[allowed].T, strict=True)]
    return known[np.flatnonzero(allowed)], np.stack(columns, axis=1)


def best_of(
    objectives: Sequence[Objective],
    space: Space,
    top: int,
    limit: int,
    notes: Notes,
    watch: Watch = UNWATCHED,
    failures: Failures | None = None,
) -> Ranking:
    """Return the best configurations of one property, or the Pareto front of several, as what predicts has them.

    The optimum of printed models is exact. With full models, all valid configurations are predicted if there are at
    most 100,000. Of more, and where the printed models are too complex for an exact optimum, it is a local search from
    the best 1,000 of the printed models, or from measured and drawn ones; a note says so.
    """
    inexact = None
    if all(objective.stored.full is None for objective in objectives):
        try:
            exact = _exact(objectives, space, top, limit)
            if failures is None or not failures.among(exact.configurations).any():
                return exact
        except SpaceError as error:
            inexact = error.problems[0].message
    signs = signs_of(objectives)

    def predict(configurations: Configurations) -> Array:
        return np.asarray(np.stack([objective.predict(configurations) for objective in objectives], axis=1) * signs)

    def order(values: Array) -> Array:
        # Of equal ones the first counts.
        order = np.lexsort(values.T[::-1])
        return order[:top] if len(objectives) == 1 else order[undominated(values[order])]

    used = set(positions_of(frozenset().union(*(objective.options for objective in objectives)), space.system))
    starts = partial(_starts, objectives, space, limit, fronts=not inexact)
    excluded = None if failures is None else Configurations(space.system, failures.configurations.indices)

    def report(done: int, total: int) -> None:
        watch.advance(done, total if done else None, f"predicting ({done:,} of {total:,} configurations)")

    result = searched(predict, space, starts, order, used=used, excluded=excluded, on_progress=report)
    if not result.exhaustive:
        count = f"{result.examined:,} of {count_text(space.count)}" if space.is_counted else f"{result.examined:,}"
        sources = "the best ones of the printed model"
        if inexact:
            sources = "the best ones of each model, or drawn ones"
            sources = "measured and drawn ones" if len(objectives) == 1 else sources
        text = f"{count} {all_of(space.system)} were predicted: those near {sources}, so that a better one may exist"
        reason = f"the exact optimum is not known: {inexact}"
        notes.append(Note(text, warning=inexact is not None, details=(reason,) if inexact else (), about=Rank.LIMIT))
    predicted = (result.values * signs).T
    unused = unused_options(space.system, used)
    engine = DIAGRAMS if result.exhaustive else LOCAL
    return Ranking(result.configurations, predicted, result.examined, unused, engine)


def signs_of(objectives: Sequence[Objective]) -> Array:
    """Return -1 for properties to maximize, 1 for others, shape (objectives,)."""
    return np.array([-1.0 if objective.maximize else 1.0 for objective in objectives])


def _exact(objectives: Sequence[Objective], space: Space, top: int, limit: int) -> Ranking:
    """Return the best configurations of the printed model, or the Pareto front of several."""
    models = [objective.stored.model for objective in objectives]
    if len(models) == 1:
        return best(models[0], space, top, objectives[0].maximize, limit)
    return pareto_front(models, space, [objective.maximize for objective in objectives], limit)


def _starts(objectives: Sequence[Objective], space: Space, limit: int, *, fronts: bool) -> Configurations:
    """Return the best configurations of each printed model, and those that are on the Pareto front of all.

    Where they are too complex, these are measured and drawn configurations. Without `fronts` the optimum or front of
    all is known to be too complex.
    """
    starts: list[Configurations] = []
    for objective in objectives if fronts or len(objectives) > 1 else ():
        for count in (STARTS, 1):
            with suppress(SpaceError):
                starts.append(best(objective.stored.model, space, count, objective.maximize, limit).configurations)
                break
    if len(objectives) > 1 and fronts:
        with suppress(SpaceError):
            starts.append(_exact(objectives, space, 1, limit).configurations)
    if not starts:
        pools = [Configurations(space.system, goal.known.indices) for goal in objectives if goal.known is not None]
        starts += (pool[space.check(pool)] for pool in pools)
        rng = np.random.default_rng(0)
        few = min(STARTS, space.count) if space.is_counted else STARTS
        starts.append(space.draw(few, rng) if space.is_counted else space.draw_approximately(few, rng)[0])
    return Configurations(space.system, np.concatenate([start.indices for start in starts]))


def _of_best(interval: Interval, chosen: int, sign: float) -> Interval:
    """Return the interval of the best of many predictions, whose worse end is farther from the middle.

    Of each variable the value is chosen that is predicted to be better, so that errors add up: the error of the best
    prediction is like the largest of n + 1 errors for n variables, sqrt(2 ln(n + 1)) deviations. Of 115 systems with a
    known truth 94 % of the intervals hold it, instead of 87 %; of those that no measured value reaches 89, not 78 %.

    `sign`: -1 where large values are good, else 1.
    """
    times = math.sqrt(2 * math.log(chosen + 1)) / NORMAL_QUANTILE
    low, high = interval.low, interval.high
    if times <= 1 or not low < high:
        return interval
    # That of a positive property is a factor on each side.
    if low > 0:
        worse = math.sqrt(low * high) * (high / low) ** (sign * times / 2)
    else:
        worse = (low + high + sign * times * (high - low)) / 2
    return replace(interval, high=worse) if sign > 0 else replace(interval, low=worse)


def _unreached(objectives: Sequence[Objective], columns: Sequence[Sequence[PropertyValue]]) -> tuple[str, ...]:
    """Return the objectives of which no measured value is as good as the worst end of the best interval."""
    names = []
    for objective, sign, column in zip(objectives, signs_of(objectives), columns, strict=True):
        known = np.concatenate([objective.values, learned_values(objective.stored.full)])
        known = known[~np.isnan(known)]
        intervals = [value.interval for value in column if value.interval is not None]
        ends = [sign * (interval.high if sign > 0 else interval.low) for interval in intervals]
        if len(known) and ends and min(ends) < (sign * known).min():
            names.append(objective.name)
    return tuple(names)
