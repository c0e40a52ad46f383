"""Suggestions: the configurations to measure next, with predictions and expected gains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sampling.sequential import select
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError, MeasurementError, RequestError, plural
from splc.io.numbers import percentage
from splc.io.presentation import Bars, Presented
from splc.learning.active.design import (
    CANDIDATES,
    LEARNED_ROWS,
    Pool,
    Surrogate,
    VarianceStrategy,
    context_surrogate,
    paired,
)
from splc.learning.active.search_model import Runs, SearchModel, covering_rows, improving_rows
from splc.learning.contexts.joint_model import ContextRows
from splc.learning.projection import (
    ENUMERATED,
    FullModel,
    Variable,
    fit_full_model,
    option_constants,
    valid_configurations,
    variables_of,
)
from splc.learning.threads import one_thread
from splc.types import Array, Goal

# The cost that is the predicted value of the property itself.
MODEL = "model"
GAIN = {"variance": "variance_reduction_percent", "optimum": "expected_improvement"}
# Returns the cost of measuring each configuration, shape (m,).
Cost = Callable[[Configurations], Array]


@dataclass(frozen=True, eq=False)
class Known:
    """Measured configurations with values, and those without."""

    configurations: Configurations  # the n distinct measured configurations
    y: Array  # their values, finite, shape (n,)
    repetitions: Array  # the number of measurements of each, shape (n,)
    excluded: Configurations  # configurations that were measured without a value; they are not suggested either
    # which configurations are in the space that is searched, shape (n,), bool; None if all are
    inside: Array | None = None
    # the values of all runs, shape (n, repetitions), NaN where there is none; None: `y` are runs
    runs: Array | None = None

    @property
    def competing(self) -> Array:
        """Which configurations compete with suggestions, shape (n,), bool: all if none is in the space."""
        everything = np.ones(len(self.y), dtype=bool)
        return everything if self.inside is None or not self.inside.any() else self.inside


@dataclass(frozen=True, eq=False, repr=False)
class ConfigurationSuggestions(Presented):
    """Configurations to measure, in order.

    Attributes:
        configurations: the k configurations.
        gains: of the goal `variance`, the share of the mean variance before that each one takes off, in percent; of
            the goal `optimum`, the expected improvement in the unit of the property; shape (k,).
        predicted: the predicted values, NaN without a full model, shape (k,).
        low: the lower ends of their intervals.
        high: the upper ends of their intervals.
        costs: the expected costs, None if costs are not considered.
        goal: the goal that they were selected for.
        model: the model that they are based on, None of a first design.
        candidates: the number of configurations that they were selected from.
        notes: what was assumed to read the measurements.
    """

    configurations: Configurations
    gains: Array
    predicted: Array
    low: Array
    high: Array
    costs: Array | None
    goal: Goal
    model: FullModel | SearchModel | None
    candidates: int
    notes: tuple[str, ...] = ()

    def summary(self) -> str:
        """Return how many configurations are suggested, for what, and what is expected of them."""
        count = plural(len(self.configurations), "configuration", "configurations")
        based = "a first design, without predictions" if self.model is None else "based on the full model"
        if self.goal == "optimum":
            return f"{count} that may be the optimum, {based}"
        return f"{count} that reduce the mean variance of predictions by {percentage(self.gains.sum(), 3)}, {based}"

    def columns(self) -> dict[str, Array]:
        """Return name → values of what is known of the configurations, shape (k,)."""
        every = {GAIN[self.goal]: self.gains, "predicted": self.predicted, "low": self.low, "high": self.high}
        if self.costs is not None:
            every["cost"] = self.costs
        names = self.configurations.system.spellings
        return {
            name if name not in names else f"{name}_suggested": values
            for name, values in every.items()
            if not np.isnan(values).all()
        }

    def to_columns(self) -> dict[str, Array]:
        """Return name → values for the options, the expected gain, the prediction and its interval."""
        return {**self.configurations.to_columns(), **self.columns()}

    def _bars(self) -> Bars:
        rows = [(f"{index + 1}", float(gain)) for index, gain in enumerate(self.gains)]
        return Bars(GAIN[self.goal].replace("_", " "), rows)


def suggested_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a table that state what is known of suggestions: the gain and those to its right."""
    first = next((at for at, name in enumerate(names) if name in GAIN.values()), len(names))
    return tuple(names[first:])


def suggest(
    space: Space,
    measured: Measurements | None = None,
    nfp: str | None = None,
    count: int = 1,
    *,
    goal: Goal = "variance",
    maximize: bool = False,
    cost: str | None = None,
    seed: int = 0,
    sources: Mapping[str, ContextRows] | None = None,
) -> ConfigurationSuggestions:
    """Return the configurations of a system to measure next.

    Args:
        space: the valid configurations.
        measured: what was measured; None or too few for a full model give a first design.
        nfp: the property; None for the only one.
        count: the number of configurations.
        goal: 'variance': good predictions of all valid configurations; 'optimum': the best configuration.
        maximize: whether large values are good, for 'optimum'.
        cost: a measured property that is the cost of a measurement, or 'model': the property itself; None is one each.
        seed: the seed of the draw from a large space.
        sources: other context, such as an earlier version → its rows; then the configurations tell most about the
            difference from these, and they were measured there, as far as there are enough.

    Raises:
        MeasurementError: if the property was not measured, or measured configurations are of another system.
        RequestError: if a cost is wanted that was not measured.
        LearningError: if fewer valid configurations are left, or costs are not positive.
        SpaceError: if the valid configurations cannot be counted.
    """
    variables = variables_of(space.system)
    known = _known(space, measured, nfp)
    if cost is not None and (measured is None or not len(known.y)):
        raise RequestError("there are no measurements from which a cost could be predicted", "cost")
    space.require_valid()
    # Measured configurations are not suggested, so their number is drawn in addition.
    most = min(space.count, ENUMERATED + len(known.configurations))
    drawn = valid_configurations(space.system, most, seed, option_constants(known.configurations, known.y))
    costs = None if cost is None or measured is None else _cost(cost, measured, known, variables)
    if sources:
        if goal == "optimum":
            raise RequestError("other versions help to predict, not to find an optimum", "goal", hint="leave it out")
        rows = Configurations.concatenate([drawn, *(part.configurations for part in sources.values())]).unique()
        drawn = rows[space.check(rows)]
    return suggestions(drawn, known, variables, count, goal=goal, maximize=maximize, cost=costs, sources=sources)


def _known(space: Space, measured: Measurements | None, nfp: str | None) -> Known:
    """Return the measured configurations with a value of the property, and those without."""
    if measured is None or not len(measured):
        nothing = Configurations(space.system, np.zeros((0, len(space.system.options)), dtype=np.uint8))
        return Known(nothing, np.zeros(0), np.zeros(0), nothing)
    if measured.system.options != space.system.options:
        raise MeasurementError("the measurements are of a system with other options")
    nfp = measured.resolve_property(nfp)
    configurations = Configurations(space.system, measured.configurations.indices)
    y = measured.column(nfp)
    failed = None if measured.failures is None else measured.failures.configurations
    finite = ~np.isnan(y)
    repetitions = (~np.isnan(measured.repetitions(nfp))).sum(axis=1)
    inside = space.check(configurations)[finite]
    excluded = [configurations[~finite], *([] if failed is None else [Configurations(space.system, failed.indices)])]
    unique = Configurations.concatenate(excluded).unique()
    rows = configurations[finite], y[finite], repetitions[finite], unique
    return Known(*rows, inside, measured.repetitions(nfp)[finite])


def _cost(name: str, measured: Measurements, known: Known, variables: tuple[Variable, ...]) -> Cost:
    """Return what predicts the cost of measuring configurations."""
    if name == MODEL:
        configurations, values = known.configurations, known.y
    else:
        try:
            column = measured.column(name)
        except MeasurementError as error:
            problem = error.problems[0]
            raise RequestError(f"{problem.message}; {problem.hint}, or {MODEL}", "cost") from None
        finite = ~np.isnan(column)
        configurations = Configurations(known.configurations.system, measured.configurations.indices[finite])
        values = column[finite]
    if not len(values) or values.min() <= 0:
        raise LearningError(f"--cost {name}: a cost must be positive", hint="name a property with positive values")
    return fit_full_model(configurations, values, variables).predict


def suggestions(
    space: Configurations,
    known: Known,
    variables: Sequence[Variable],
    count: int,
    *,
    goal: Goal = "variance",
    maximize: bool = False,
    cost: Cost | None = None,
    sources: Mapping[str, ContextRows] | None = None,
) -> ConfigurationSuggestions:
    """Return the configurations to measure next.

    Too few measurements for a full model give a first design, which the prior selects by variance.

    `goal`: 'variance': reduce the variance of predictions over the valid space; 'optimum': find the best value. `cost`:
    the cost of measuring configurations; the gain per cost counts.
    """
    allowed = (known.configurations.find(space) < 0) & (known.excluded.find(space) < 0)
    available = int(allowed.sum())
    _require_candidates(count, available, available, len(known.excluded))
    model: FullModel | SearchModel | None
    with one_thread():
        if goal == "optimum":
            # A search for the optimum needs no covariances, so that it can afford more candidates.
            pool = Pool.of(space, allowed, ENUMERATED)
            configurations = pool.configurations[pool.candidates]
            candidates = len(configurations)
            _require_candidates(count, candidates, available)
            if len(known.y) < LEARNED_ROWS:
                improving = covering_rows(configurations, known.configurations, variables, count)
            else:
                improving = improving_rows(configurations, _runs(known, maximize), variables, count, maximize, cost)
            chosen, gains, model = configurations[improving.rows], improving.gains, improving.model
        else:
            surrogate = None
            if sources:
                surrogate = context_surrogate(sources, known.configurations, known.repetitions, variables)
                pairs = allowed & paired(sources, space)
                allowed = pairs if pairs.sum() >= count else allowed
            if surrogate is None:
                surrogate = Surrogate.of(known.configurations, known.y, variables, known.repetitions)
            pool = Pool.of(space, allowed, CANDIDATES)
            candidates = int(pool.candidates.sum())
            _require_candidates(count, candidates, available)
            costs = None if cost is None else cost(pool.configurations)
            selection = select(VarianceStrategy(surrogate, pool, costs), count)
            chosen, gains, model = pool.configurations[selection.rows], 100 * selection.gains, surrogate.model
        if isinstance(model, FullModel) and known.runs is not None:
            model = model.of_runs(known.runs)
        low = high = predicted = np.full(len(chosen), np.nan)
        if model is not None:
            (low, high), predicted = model.interval(chosen), model.predict(chosen)
        costs = None if cost is None else cost(chosen)
    return ConfigurationSuggestions(chosen, gains, predicted, low, high, costs, goal, model, candidates)


def _runs(known: Known, maximize: bool) -> Runs:
    """Return what was measured; configurations without a value count as those with the worst one.

    Only those in the space that is searched can be the best so far.
    """
    failed = len(known.excluded)
    return Runs(
        Configurations.concatenate([known.configurations, known.excluded]),
        np.append(known.y, np.full(failed, known.y.min() if maximize else known.y.max())),
        np.append(np.maximum(known.repetitions, 1), np.ones(failed)),
        np.append(known.competing, np.zeros(failed, dtype=bool)),
    )


def _require_candidates(count: int, candidates: int, available: int, without_value: int = 0) -> None:
    """Refuse a budget that is larger than the number of candidates."""
    if available == 0:
        message, hint = "all valid configurations were measured", "there is nothing left to suggest"
        if without_value:
            message += f", {without_value:,} of them without a value"
            hint = "to have these suggested again, remove their rows from the table"
        raise LearningError(message, hint=hint)
    if count > available:
        what = plural(available, "valid configuration is", "valid configurations are")
        message = f"{count:,} configurations are requested, but only {what} not measured yet"
        raise LearningError(message, hint=f"ask for at most {available:,}")
    if count > candidates:
        message = f"{count:,} configurations are requested, but suggestions are picked from {candidates:,} at a time"
        raise LearningError(message, hint=f"ask for at most {candidates:,}, measure them, and ask again")
