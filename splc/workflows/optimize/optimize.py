"""Find the valid configurations that models predict to be best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sampling import Space
from sampling.space.optimum import free_options
from sampling.space.ranking import Ranking, front_of_rounded
from sampling.space.space import DIAGRAMS, LIMIT
from splc.data.configurations import Configurations
from splc.data.failures import Failures
from splc.data.property_unit import titled
from splc.errors import RequestError
from splc.formats.measurements.assignment import parse_assignments, with_assigned_values
from splc.io.files import STANDARD, standard_input_kept, write_whole
from splc.io.outputs import require_writable
from splc.learning.plausibility import implausible
from splc.plotting import plot_format
from splc.plotting.charts.curves import front_chart
from splc.plotting.charts.drawing import chart_file
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.note import Note, Notes
from splc.workflows.optimize.best import best_of, signs_of, unreached_notes, unreached_objectives, without_equals
from splc.workflows.optimize.objectives import Objective, Request, objectives_of
from splc.workflows.prediction_notes import (
    Interval,
    interval_of,
    intervals_of,
    learned_values,
    outside_notes,
    unmeasured_notes,
    unused_note,
)
from splc.workflows.subspace import failure_notes, fixed_space, further_notes, working_space
from splc.workflows.verb import NOBODY, Watch

__all__ = ["PropertyValue", "RatedConfiguration", "Request", "Result", "best_configurations", "run"]

# Where no option has an influence.
NO_INFLUENCE = "no setting is better than the noise"


@dataclass(frozen=True)
class PropertyValue:
    """A property of a configuration."""

    predicted: float  # the predicted value
    interval: Interval | None = None  # its prediction interval, None if the model has none
    measured: float | None = None  # the measured value, None if there is none


@dataclass(frozen=True)
class RatedConfiguration:
    """A configuration that is among the best."""

    configuration: Configurations  # the configuration, one row
    values: tuple[PropertyValue, ...]  # its properties, in the order of the objectives


@dataclass(frozen=True)
class Result:
    """The best configurations."""

    objectives: tuple[Objective, ...]  # the properties with their models
    # the best configurations; of several properties the Pareto front, in the order of the first
    candidates: tuple[RatedConfiguration, ...]
    # the best measured configuration, None without measurements and for several properties
    best_measured: RatedConfiguration | None = None
    # the Pareto front of the measured configurations with the fixed values, in the order of the first property; None
    # for one property, and unless all properties were measured
    measured_front: tuple[RatedConfiguration, ...] | None = None
    # option → value index that the configurations must have
    fixed: Mapping[str, int] = field(default_factory=dict, hash=False)
    examined: int = 0  # the number of (partial) configurations that were examined
    engine: str = DIAGRAMS  # what found them, see `Ranking`
    exhaustive: bool = True  # whether they are the best of all valid configurations, not of those that were examined
    unused: tuple[str, ...] = ()  # options that no model is about
    # those of them that may have other values in the best configurations, with the same predictions
    free: tuple[str, ...] = ()
    # the objectives of which no measured value is as good as the worst end of the best interval
    unreached: tuple[str, ...] = ()
    # the configurations that never worked, and combinations of values that failed, which are left out; None if none are
    # known
    failures: Failures | None = None
    plot: str | None = None  # the file that the plot was written to
    notes: tuple[Note, ...] = ()  # what the user should know
    request: Request | None = None

    @property
    def without_influence(self) -> bool:
        """True if nothing is known but the scatter of the only property: no option has an influence."""
        (first, *others) = self.objectives
        return not others and first.intervals is not None and not first.options


@standard_input_kept()
def run(request: Request, watch: Watch = NOBODY) -> Result:
    """Find the best configurations, by full models where there are some, beside the best measured ones."""
    _require_consistent(request)
    project = request.project_of_models(request.models)
    file_format = None if request.plot is None else plot_format(request.plot)
    require_writable(request.plot, (*request.models, *project.files))
    notes = Notes()
    base = Space(request.read_system(project, notes))
    system = with_assigned_values(request.fix, base.system)
    fixed = parse_assignments(request.fix, system)
    space = fixed_space(Space(system), fixed)
    notes += further_notes(base.system, system)
    limit = LIMIT if request.limit is None else request.limit
    with notes:
        learned = objectives_of(request, project, base, notes, watch)
        objectives = [goal.of_system(system) for goal in learned]
        result = best_configurations(objectives, space, fixed, request.top, limit, watch)
    if file_format is not None and request.plot is not None:
        write_whole(request.plot, _picture(base.system.name, objectives, result.candidates, fixed, file_format))
    return replace(result, request=request, plot=request.plot, notes=(*notes, *result.notes))


def best_configurations(
    objectives: Sequence[Objective],
    space: Space,
    fixed: Mapping[str, int] | None = None,
    top: int = 1,
    limit: int = LIMIT,
    watch: Watch = NOBODY,
) -> Result:
    """Return the best configurations of objectives, and the best measured ones."""
    fixed = fixed or {}
    notes = Notes()
    failures = objectives[0].failures
    with notes:
        notes += failure_notes(failures, "left out")
        space = working_space(space, failures, fixed)
        found, exhaustive = best_of(objectives, space, top, limit, notes, watch, failures)
        ranking = without_equals(found, objectives, notes)
        free = free_options(space.system, ranking.unused)
        if free:
            notes.append(unused_note(free, len(objectives)))
        columns = [_values(objective, ranking, number) for number, objective in enumerate(objectives)]
        candidates = tuple(
            RatedConfiguration(ranking.configurations[[row]], tuple(column[row] for column in columns))
            for row in range(len(ranking.configurations))
        )
        rated = [value for column in columns for value in column]
        notes += outside_notes([item.interval.excludes(item.predicted) for item in rated if item.interval is not None])
        for number, objective in enumerate(objectives):
            values = objective.values if len(objective.values) else learned_values(objective.full)
            texts = implausible(ranking.predicted[number], values, objective.measured or objective.name)
            notes += (Note(text, warning=True) for text in texts)
        unreached = unreached_objectives(objectives, [[item.interval for item in column] for column in columns])
        notes += unreached_notes(unreached, len(objectives))
        for objective in objectives:
            best = Configurations(objective.system, ranking.configurations.indices[:1])
            notes.add(unmeasured_notes(best, objective.known, objective.full, objective.options, "best configuration"))
        single = len(objectives) == 1
        measured = _best_measured(objectives[0], fixed) if single else None
        if measured is not None and _may_be_as_good(candidates, measured):
            notes.append(Note("the best measured configuration may be as good: its value is in the interval"))
        front = None if single else _measured_front(objectives, fixed)
    return Result(
        tuple(objectives),
        candidates,
        measured,
        front,
        fixed,
        ranking.examined,
        ranking.engine,
        exhaustive,
        ranking.unused,
        free,
        unreached,
        failures,
        notes=tuple(notes),
    )


def _require_consistent(request: Request) -> None:
    several = max(len(request.models), len(request.properties)) > 1
    if request.models.count(STANDARD) > 1:
        raise RequestError("only one of the models can be standard input", "models")
    if request.top < 1:
        raise RequestError(f"the number of configurations must be at least 1, not {request.top}", "top")
    if several and request.top > 1:
        raise RequestError("several properties have a Pareto front, not an order; leave --top out", "top")
    if request.plot is not None and not several:
        raise RequestError("the plot shows the Pareto front of several properties; name them", "plot")
    if request.maximize and request.maximize_only:
        raise RequestError("one of them is enough: for all properties, or for some", "maximize", "maximize_only")


def _values(objective: Objective, ranking: Ranking, number: int) -> list[PropertyValue]:
    """Return the property of each configuration."""
    # Intervals and measurements belong to the system without fixed values.
    rows = Configurations(objective.system, ranking.configurations.indices)
    predicted = ranking.predicted[number].tolist()
    intervals = [None] * len(predicted) if objective.intervals is None else intervals_of(objective.intervals, rows)
    indices = objective.find(rows)
    measured = [None if index < 0 else float(objective.values[index]) for index in indices]
    return [PropertyValue(*row) for row in zip(predicted, intervals, measured, strict=True)]


def _may_be_as_good(candidates: Sequence[RatedConfiguration], reference: RatedConfiguration) -> bool:
    """Return whether another configuration was measured to be as good as the best prediction, as far as is known."""
    # The best of a part of the space is of another system.
    if not candidates or (candidates[0].configuration.indices == reference.configuration.indices).all():
        return False
    best, measured = candidates[0].values[0], reference.values[0].measured
    return best.interval is not None and measured is not None and best.interval.low <= measured <= best.interval.high


def _best_measured(objective: Objective, fixed: Mapping[str, int]) -> RatedConfiguration | None:
    """Return the best measured configuration with the fixed values, None if there is none."""
    rows = np.flatnonzero(_allowed(objective, fixed))
    if not len(rows) or objective.known is None:
        return None
    values = objective.values[rows]
    row = int(rows[np.argmax(values) if objective.maximize else np.argmin(values)])
    best = objective.known[[row]]
    predicted = float(objective.predict(best)[0])
    interval = None if objective.intervals is None else interval_of(objective.intervals, best)
    return RatedConfiguration(best, (PropertyValue(predicted, interval, float(objective.values[row])),))


def _measured_front(objectives: Sequence[Objective], fixed: Mapping[str, int]) -> tuple[RatedConfiguration, ...] | None:
    """Return the Pareto front of the configurations with the fixed values of which all properties were measured."""
    rows, indices = _measured_in_all(objectives, fixed)
    configurations = objectives[0].known
    if configurations is None or any(goal.known is None for goal in objectives):
        return None
    values = np.stack([goal.values[index] for goal, index in zip(objectives, indices, strict=True)], axis=1)
    order = front_of_rounded(values * signs_of(objectives))
    front = configurations[rows[order]]
    predicted = [goal.predict(front).tolist() for goal in objectives]
    return tuple(
        RatedConfiguration(
            front[[index]],
            tuple(
                PropertyValue(column[index], measured=value)
                for column, value in zip(predicted, values[row].tolist(), strict=True)
            ),
        )
        for index, row in enumerate(order.tolist())
    )


def _measured_in_all(objectives: Sequence[Objective], fixed: Mapping[str, int]) -> tuple[Array, list[Array]]:
    """Return the rows of the first property's configurations measured for all, with their indices in each."""
    configurations = objectives[0].known
    if configurations is None:
        return np.zeros(0, dtype=int), [np.zeros(0, dtype=int) for _ in objectives]
    indices = [goal.find(configurations) for goal in objectives]
    rows = np.flatnonzero(np.all([column >= 0 for column in indices], axis=0) & _allowed(objectives[0], fixed))
    return rows, [column[rows] for column in indices]


def _allowed(objective: Objective, fixed: Mapping[str, int]) -> Array:
    """Return which measured configurations have the fixed values, shape (n,), bool."""
    if objective.known is None:
        return np.zeros(0, dtype=bool)
    system: VariabilityModel = objective.system
    allowed = np.ones(len(objective.known), dtype=bool)
    for name, index in fixed.items():
        allowed &= objective.known.indices[:, system.positions[name]] == index
    return allowed


def _picture(
    name: str,
    objectives: Sequence[Objective],
    candidates: Sequence[RatedConfiguration],
    fixed: Mapping[str, int],
    file_format: str,
) -> bytes:
    """Return the plot of the front of the first two properties as a file, with the measured configurations."""
    x, y = objectives[:2]
    front = np.array([[value.predicted for value in candidate.values[:2]] for candidate in candidates]).reshape(-1, 2)
    _, (first, second) = _measured_in_all((x, y), fixed)
    measured = np.stack([x.values[first], y.values[second]], axis=1)
    names = (titled(x.name, x.unit), titled(y.name, y.unit))
    return chart_file(front_chart(front, measured, names, name), file_format)
