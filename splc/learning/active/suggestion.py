"""ConfigurationSuggestions: the configurations to measure next, with predictions and expected gains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import LearningError, plural
from splc.learning.active.belief import Belief, PoolBelief
from splc.learning.active.pool import CANDIDATES, Pool
from splc.learning.active.selection import GreedySelection, select_optimum, select_variance
from splc.learning.projection.full_model import FullModel
from splc.learning.projection.unmeasured import ENUMERATED
from splc.learning.projection.variables import Variable
from splc.learning.threads import one_thread
from splc.types import Array, Goal

# Returns the cost of measuring each configuration, shape (m,).
Cost = Callable[[Configurations], Array]


@dataclass(frozen=True, eq=False)
class Known:
    """Measured configurations with values, and those without.

    Attributes:
        configurations: the n distinct measured configurations.
        y: their values, finite, shape (n,).
        repetitions: the number of measurements of each, shape (n,).
        excluded: configurations that were measured without a value; they are not suggested either.
    """

    configurations: Configurations
    y: Array
    repetitions: Array
    excluded: Configurations


@dataclass(frozen=True, eq=False)
class ConfigurationSuggestions:
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
        model: the full model, None if the prior selected them.
        candidates: the number of configurations that they were selected from.
    """

    configurations: Configurations
    gains: Array
    predicted: Array
    low: Array
    high: Array
    costs: Array | None
    goal: Goal
    model: FullModel | None
    candidates: int


def suggestions(
    space: Configurations,
    known: Known,
    variables: Sequence[Variable],
    count: int,
    *,
    goal: Goal = "variance",
    maximize: bool = False,
    cost: Cost | None = None,
) -> ConfigurationSuggestions:
    """Return the configurations to measure next.

    Too few measurements for a full model give a first design, which the prior selects by variance.

    Args:
        space: all valid configurations, or a uniform draw of them.
        known: what was measured.
        variables: the variables of the system.
        count: the number of configurations.
        goal: 'variance': reduce the variance of predictions over the valid space; 'optimum': find the best value.
        maximize: whether large values are good, for 'optimum'.
        cost: the cost of measuring configurations; the gain per cost counts.

    Raises:
        LearningError: if fewer than `count` configurations are left.
    """
    with one_thread():
        return _suggestions(space, known, variables, count, goal, maximize, cost)


def _suggestions(
    space: Configurations,
    known: Known,
    variables: Sequence[Variable],
    count: int,
    goal: Goal,
    maximize: bool,
    cost: Cost | None,
) -> ConfigurationSuggestions:
    allowed = (known.configurations.find(space) < 0) & (known.excluded.find(space) < 0)
    left = int(allowed.sum())
    _require_candidates(count, left, left)
    belief = Belief.of(known.configurations, known.y, variables, known.repetitions)
    # A search for the optimum needs no covariances, so that it can afford more candidates.
    best_of = goal == "optimum" and belief.model is not None
    pool = Pool.of(space, allowed, ENUMERATED if best_of else CANDIDATES)
    candidates = int(pool.candidates.sum())
    _require_candidates(count, candidates, left)
    believed = PoolBelief(belief, pool)
    costs = None if cost is None else cost(pool.configurations)
    if best_of:
        found = select_optimum(believed, belief.measured_means, count, costs, maximize)
        gains = _in_units(believed, belief, found)
    else:
        found = select_variance(believed, count, costs)
        gains = 100 * found.gains
    chosen = pool.configurations[found.positions]
    nothing = np.full(len(chosen), np.nan)
    model = belief.model
    low, high = (nothing, nothing) if model is None else model.interval(chosen)
    return ConfigurationSuggestions(
        chosen,
        gains,
        nothing if model is None else model.predict(chosen),
        low,
        high,
        None if costs is None else costs[found.positions],
        "optimum" if best_of else "variance",
        model,
        candidates,
    )


def _in_units(believed: PoolBelief, belief: Belief, found: GreedySelection) -> Array:
    """Return expected improvements in the unit of the property, to first order in the scale."""
    model = belief.model
    assert model is not None
    g = model.ensemble.moments(believed.pool.configurations[found.positions], variances=False)[0]
    slopes = model.scale.slope(g) * model.scale.divisor(g) * model.scale.unit
    return np.asarray(found.gains * belief.parts[0].deviation * slopes)


def _require_candidates(count: int, candidates: int, left: int) -> None:
    """Refuse a budget that is larger than the number of candidates."""
    if left == 0:
        raise LearningError("all valid configurations were measured", hint="there is nothing left to suggest")
    if count > left:
        what = plural(left, "valid configuration is", "valid configurations are")
        message = f"{count:,} configurations are requested, but only {what} not measured yet"
        raise LearningError(message, hint=f"ask for at most {left:,}")
    if count > candidates:
        message = f"{count:,} configurations are requested, but suggestions are picked from {candidates:,} at a time"
        raise LearningError(message, hint=f"ask for at most {candidates:,}, measure them, and ask again")
