"""Suggestions: the configurations to measure next, with predictions and expected gains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile

import numpy as np

from sampling.sequential import select
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError, MeasurementError, RequestError, plural
from splc.io.numbers import percentage
from splc.io.presentation import Bars, Presented
from splc.learning import projection
from splc.learning.active.design import CANDIDATES, LEARNED_ROWS, Pool, Surrogate, VarianceStrategy, context_surrogate
from splc.learning.active.search_model import Runs, SearchModel, covering_rows, improving_rows
from splc.learning.contexts.joint_model import ContextRows
from splc.learning.projection import ENUMERATED, FullModel, Variable, fit_full_model, option_constants, variables_of
from splc.learning.threads import one_thread
from splc.types import Array, Goal

# The cost that is the predicted value of the property itself.
MODEL = "model"
GAIN = {"variance": "variance_reduction_percent", "optimum": "expected_improvement"}
# Returns the cost of measuring each configuration, shape (m,).
Cost = Callable[[Configurations], Array]


@dataclass(frozen=True, eq=False, repr=False)
class ConfigurationSuggestions(Presented):
    """Configurations to measure, in order."""

    configurations: Configurations  # the k configurations
    # of the goal `variance`, the share of the mean variance before that each one takes off, in percent; of the goal
    # `optimum`, the expected improvement in the unit of the property; shape (k,)
    gains: Array
    predicted: Array  # the predicted values, NaN without a full model, shape (k,)
    low: Array  # the lower ends of their intervals
    high: Array  # the upper ends of their intervals
    costs: Array | None  # the expected costs, None if costs are not considered
    goal: Goal  # the goal that they were selected for
    model: FullModel | SearchModel | None  # the model that they are based on, None of a first design
    candidates: int  # the number of configurations that they were selected from
    notes: tuple[str, ...] = ()  # what was assumed to read the measurements

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
        known = {name: values for name, values in every.items() if not np.isnan(values).all()}
        return {f"{name}_suggested" if name in names else name: values for name, values in known.items()}

    def to_columns(self) -> dict[str, Array]:
        """Return name → values for the options, the expected gain, the prediction and its interval."""
        return {**self.configurations.to_columns(), **self.columns()}

    def _bars(self) -> Bars:
        rows = [(f"{index + 1}", float(gain)) for index, gain in enumerate(self.gains)]
        return Bars(GAIN[self.goal].replace("_", " "), rows)


def suggested_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a table that state what is known of suggestions: the gain and those to its right."""
    return tuple(dropwhile(lambda name: name not in GAIN.values(), names))


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
    runs, excluded = _measured_runs(space, measured, nfp)
    if cost is not None and not len(runs):
        raise RequestError("there are no measurements from which a cost could be predicted", "cost")
    space.require_valid()
    # Measured configurations are not suggested, so their number is drawn in addition.
    most = min(space.count, ENUMERATED + len(runs))
    drawn = projection.valid_configurations(space.system, most, seed, option_constants(runs.configurations, runs.y))
    predicted_cost = None if cost is None or measured is None else _cost(cost, measured, runs, variables)
    if sources:
        if goal == "optimum":
            raise RequestError("other versions help to predict, not to find an optimum", "goal", hint="leave it out")
        both = Configurations.concatenate([drawn, *(part.configurations for part in sources.values())]).unique()
        drawn = both[space.check(both)]
    allowed = (runs.configurations.find(drawn) < 0) & (excluded.find(drawn) < 0)
    available = int(allowed.sum())
    if sources:
        pairs = allowed & np.any([part.configurations.find(drawn) >= 0 for part in sources.values()], axis=0)
        allowed = pairs if pairs.sum() >= count else allowed
    # A search for the optimum needs no covariances, so that it can afford more candidates.
    pool = Pool.of(drawn, allowed, ENUMERATED if goal == "optimum" else CANDIDATES)
    candidates = pool.configurations[pool.candidates]
    _require_candidates(count, len(candidates), available, len(excluded))
    model: FullModel | SearchModel | None
    with one_thread():
        if goal == "optimum":
            if len(runs) < LEARNED_ROWS:
                rows = covering_rows(candidates, runs.configurations, variables, count)
                gains, model = np.full(count, np.nan), None
            else:
                # Configurations without a value count as those with the worst one.
                worst = np.full(len(excluded), runs.y.min() if maximize else runs.y.max())
                known = replace(runs, counts=np.maximum(runs.counts, 1)).added(excluded, worst, False)
                rows, gains, model = improving_rows(candidates, known, variables, count, maximize, predicted_cost)
            chosen = candidates[rows]
        else:
            other = context_surrogate(sources, runs.configurations, runs.counts, variables) if sources else None
            surrogate = other or Surrogate.of(runs.configurations, runs.y, variables, runs.counts)
            costs = None if predicted_cost is None else predicted_cost(pool.configurations)
            selection = select(VarianceStrategy(surrogate, pool, costs), count)
            chosen, gains, model = pool.configurations[selection.rows], 100 * selection.gains, surrogate.model
        if isinstance(model, FullModel) and measured is not None:
            name = measured.resolve_property(nfp)
            model = model.of_runs(measured.repetitions(name)[~np.isnan(measured.column(name))])
        low = high = predicted = np.full(len(chosen), np.nan)
        if model is not None:
            (low, high), predicted = model.interval(chosen), model.predict(chosen)
        costs = None if predicted_cost is None else predicted_cost(chosen)
    return ConfigurationSuggestions(chosen, gains, predicted, low, high, costs, goal, model, len(candidates))


def _measured_runs(space: Space, measured: Measurements | None, nfp: str | None) -> tuple[Runs, Configurations]:
    """Return the configurations with a value of the property, and those that were measured without one."""
    if measured is None or not len(measured):
        nothing = Configurations(space.system, np.zeros((0, len(space.system.options)), dtype=np.uint8))
        return Runs(nothing, np.zeros(0), np.zeros(0), np.zeros(0, dtype=bool)), nothing
    if measured.system.options != space.system.options:
        raise MeasurementError("the measurements are of a system with other options")
    nfp = measured.resolve_property(nfp)
    configurations = Configurations(space.system, measured.configurations.indices)
    finite = ~np.isnan(measured.column(nfp))
    excluded = [configurations[~finite]]
    if measured.failures is not None:
        excluded.append(Configurations(space.system, measured.failures.configurations.indices))
    known, counts = configurations[finite], (~np.isnan(measured.repetitions(nfp)[finite])).sum(axis=1)
    # Only those in the space that is searched can be the best so far; all if none is.
    inside = space.check(known)
    competing = inside if inside.any() else np.ones(len(known), dtype=bool)
    return Runs(known, measured.column(nfp)[finite], counts, competing), Configurations.concatenate(excluded).unique()


def _cost(name: str, measured: Measurements, runs: Runs, variables: tuple[Variable, ...]) -> Cost:
    """Return what predicts the cost of measuring configurations."""
    configurations, values = runs.configurations, runs.y
    if name != MODEL:
        try:
            column = measured.column(name)
        except MeasurementError as error:
            problem = error.problems[0]
            raise RequestError(f"{problem.message}; {problem.hint}, or {MODEL}", "cost") from None
        finite = ~np.isnan(column)
        configurations = Configurations(configurations.system, measured.configurations.indices[finite])
        values = column[finite]
    if not len(values) or values.min() <= 0:
        raise LearningError(f"--cost {name}: a cost must be positive", hint="name a property with positive values")
    return fit_full_model(configurations, values, variables).predict


def _require_candidates(count: int, candidates: int, available: int, without_value: int) -> None:
    """Refuse a budget that is larger than the number of candidates."""
    if available == 0:
        message, hint = "all valid configurations were measured", "there is nothing left to suggest"
        if without_value:
            message += f", {without_value:,} of them without a value"
            hint = "to have these suggested again, remove their rows from the table"
    elif count > available:
        what = plural(available, "valid configuration is", "valid configurations are")
        message = f"{count:,} configurations are requested, but only {what} not measured yet"
        hint = f"ask for at most {available:,}"
    elif count > candidates:
        message = f"{count:,} configurations are requested, but suggestions are picked from {candidates:,} at a time"
        hint = f"ask for at most {candidates:,}, measure them, and ask again"
    else:
        return
    raise LearningError(message, hint=hint)
