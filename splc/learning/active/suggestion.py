"""Suggestions: the configurations to measure next, with predictions and expected gains; and sequential designs.

For good predictions, the rows whose measurement reduces the variance of a surrogate most. A `Surrogate` has the
posteriors of measured configurations; that of a difference between contexts has no values (`context_surrogate`). A
`Pool` has the valid configurations that suggestions are picked from; a `VarianceStrategy` chooses greedily; on measured
rows, as if each row was measured only when it is suggested (`suggested_rows`). `suggest` is for both goals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, islice

import numpy as np

from sampling.draws import distinct_ranks, generator
from sampling.sequential import NextCandidates, most_worth, select
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError, MeasurementError, RequestError, plural, require_kind
from splc.io.numbers import percentage
from splc.io.presentation import Bars, Presented
from splc.learning import projection
from splc.learning.active.search_model import Runs, SearchModel, covering_rows, improving_rows
from splc.learning.contexts.sharing import ContextRows, fit_joint_model
from splc.learning.learner import one_thread
from splc.learning.projection import FullModel, KernelPosterior, Variable, fit_full_model
from splc.types import Array, Goal

# Configurations that are suggested from, and those among them whose mean variance is reduced.
CANDIDATES, REFERENCE = 2000, 500
LEARNED_ROWS = 10  # with fewer measured configurations hyperparameters are those of the prior
# A batch is this share of the rows measured so far, and at least this number of rows.
SHARE, LEAST = 0.25, 5
FIRST_ROWS = 10  # the rows of the first design, which the prior selects


@dataclass(frozen=True, eq=False)
class Pool:
    """Configurations in hash order, so that nothing depends on the order of rows."""

    configurations: Configurations  # m distinct valid configurations
    reference: Array  # the positions of those that represent the valid space, shape (r,)
    candidates: Array  # which ones may be suggested, shape (m,), bool

    @classmethod
    def of(cls, space: Configurations, allowed: Array | None = None, most: int = CANDIDATES) -> Pool:
        """Return the pool of configurations; `allowed`: which ones may be suggested, shape (n,); None is all."""
        everything = np.ones(len(space), dtype=bool) if allowed is None else allowed
        order = projection.hash_order(space)
        # Hashes are uniform: the first ones are a uniform subset.
        ranks = np.arange(len(order))
        mask = (ranks < REFERENCE) | (everything[order] & (np.cumsum(everything[order]) <= most))
        chosen = order[mask]
        return cls(space[chosen], np.flatnonzero(ranks[mask] < REFERENCE), everything[chosen])

    def __len__(self) -> int:
        return len(self.configurations)


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A full model of a property, or the prior where too little was measured for one."""

    basis: projection.OptionBasis  # the columns of the variables
    parts: tuple[KernelPosterior, ...]  # the posteriors given the measurements
    model: FullModel | None = None  # the full model; None for the prior

    @classmethod
    def of(
        cls, configurations: Configurations, y: Array, variables: Sequence[Variable], repetitions: Array | None = None
    ) -> Surrogate:
        """Return the surrogate of measured configurations; `repetitions`: of each one; None is 1."""
        basis = projection.OptionBasis(tuple(variables))
        if len(y) >= LEARNED_ROWS:
            model = fit_full_model(configurations, y, basis.variables, repetitions)
            if model.refits is not None:
                return cls(model.basis, model.refits.parts, model)
        design = basis.designs(configurations)[0]
        return cls(basis, (_prior_of(projection.start_of(design.distinct, len(basis.variables)), design, repetitions),))


def _prior_of(
    logarithms: Array, design: projection.KernelDesign, repetitions: Array | None, kind: int = 0
) -> KernelPosterior:
    """Return the posterior of rows whose values do not matter; `repetitions`: their measurements, None is 1 of each."""
    count = len(design)
    noise = np.ones(count) if repetitions is None else 1 / np.asarray(repetitions, dtype=float)
    return KernelPosterior(logarithms, design, np.zeros(count), noise, 0.0, 1.0, kind)


def context_surrogate(
    sources: Mapping[str, ContextRows], known: Configurations, repetitions: Array, variables: Sequence[Variable]
) -> Surrogate | None:
    """Return the surrogate of the difference of a context from others; None if nothing influences these."""
    if len(sources) > 1:
        whole = fit_joint_model(sources, tuple(variables)).whole
    else:
        (rows,) = sources.values()
        whole = fit_full_model(rows.configurations, rows.y, tuple(variables), rows.repetitions)
    if whole.refits is None:
        return None
    basis = replace(whole.basis, context=None)
    parts, designs = [], basis.designs(known)
    for part in whole.refits.parts:
        design = designs[part.kind]
        # Relevances of the context follow those of the options.
        logarithms = np.concatenate([part.logarithms[: design.distinct], part.logarithms[-4:]])
        parts.append(_prior_of(logarithms, design, repetitions, part.kind))
    return Surrogate(basis, tuple(parts))


class VarianceStrategy:
    """Chooses the configuration whose measurement reduces the mean posterior variance of the reference most, per cost.

    The posterior of the pool is a mixture of Gaussian processes, whose covariances no value changes: configurations are
    added before they are measured, each in O(m (n + r + additions)) for n measured rows, a pool of m and a reference of
    r. The reduction counts times the deviation of the measurement: without this factor models are worse
    (casestudies/suggestion). The gain is the share of the first mean variance that a measurement takes off.
    """

    def __init__(self, surrogate: Surrogate, pool: Pool, cost: Array | None = None) -> None:
        parts, model, self._reference = surrogate.parts, surrogate.model, pool.reference
        self._allowed, self._cost = pool.candidates.copy(), cost
        designs = surrogate.basis.designs(pool.configurations)
        means = np.zeros((len(parts), len(pool)))
        self._weights = np.full(len(self._reference), 1 / max(len(self._reference), 1))
        noise = np.full(len(pool), float(np.mean([part.theta.noise for part in parts])))
        if model is not None:
            means = np.array([(part.means(designs[part.kind]) - part.mean) / part.deviation for part in parts])
            # Squared errors count as in the learner: relative ones for positive properties.
            predicted = model.ensemble.moments(pool.configurations, variances=False)[0]
            self._weights *= model.scale.slope(predicted[self._reference]) ** 2
            noise *= model.scale.noise(predicted) / model.ensemble.noise_unit
        self.noise = noise + projection.JITTER
        self._parts = [(part, designs[part.kind], part.whitened(designs[part.kind])) for part in parts]
        self._between = (means - means.mean(axis=0)) / np.sqrt(len(parts))
        self._updates = np.zeros((0, len(pool)))
        variances = [
            projection.kernel_diagonal(part.theta, design) - np.einsum("ij,ij->j", white, white)
            for part, design, white in self._parts
        ]
        self.variances: Array = np.mean(variances, axis=0) + np.einsum("ij,ij->j", self._between, self._between)
        self._covariances = self._prior(self._reference)
        self._squares: Array = np.einsum("i,ij,ij->j", self._weights, self._covariances, self._covariances)
        self._first_total = max(self.total, 1e-300)

    def _prior(self, rows: Array) -> Array:
        """Return the covariances of some configurations with all before any was added, shape (rows, m)."""
        prior: Array = self._between[:, rows].T @ self._between
        for part, design, white in self._parts:
            own = projection.kernel_matrix(part.theta, design.rows(rows), design) - white[:, rows].T @ white
            prior += own / len(self._parts)
        return prior

    @property
    def total(self) -> float:
        """The weighted sum of the variances of the reference."""
        return float(self._weights @ np.maximum(self.variances[self._reference], 0.0))

    def reductions(self) -> Array:
        """Return how much `total` falls if a configuration of the pool is measured, for each of them, shape (m,)."""
        return np.asarray(np.maximum(self._squares, 0.0) / (np.maximum(self.variances, 0.0) + self.noise))

    def choose(self) -> NextCandidates | None:
        """Return the best configuration that is left."""
        if not self._allowed.any():
            return None
        gains = self.reductions() / self._first_total
        deviations = np.sqrt(np.maximum(self.variances, 0.0) + self.noise)
        row = most_worth(gains * deviations, self._allowed, self._cost)
        return NextCandidates(np.array([row]), gain=float(gains[row]))

    def add(self, row: int) -> None:
        """Condition on a measurement of a configuration of the pool."""
        self._allowed[row] = False
        covariance = self._prior(np.array([row]))[0] - self._updates[:, row] @ self._updates
        update = covariance / np.sqrt(max(float(covariance[row]), 0.0) + self.noise[row])
        ends = self._weights * update[self._reference]
        # The stored covariances stay those before all additions, so that a step is a vector times a matrix.
        current = ends @ self._covariances - (self._updates[:, self._reference] @ ends) @ self._updates
        self._squares += update * (update * float(ends @ update[self._reference]) - 2 * current)
        self.variances = self.variances - update**2
        self._updates = np.vstack([self._updates, update])


def sequential_rows(
    configurations: Configurations, y: Array, variables: Sequence[Variable], count: int, seed: int
) -> Array:
    """Return the positions of measured rows in the order in which they are suggested; all represent the valid space."""
    with one_thread():
        return np.array(list(islice(suggested_rows(configurations, y, variables, seed), count)))


def suggested_rows(
    configurations: Configurations, y: Array, variables: Sequence[Variable], seed: int, *, allowed: Array | None = None
) -> Iterator[int]:
    """Yield the positions of allowed rows in the order in which they are suggested, until none is left.

    The first one is drawn, the others of the first design are those that the prior selects; then batches follow, each
    given the values of all rows before it.
    """
    free = np.ones(len(y), dtype=bool) if allowed is None else allowed.copy()
    order = np.flatnonzero(free)
    order = order[np.argsort(configurations.keys[order], kind="stable")]
    rows = [int(order[rank]) for rank in distinct_ranks(len(order), 1, generator(seed, "measured"))]
    yield rows[0]
    while len(rows) < len(order):
        free[rows] = False
        chosen = np.array(rows)
        surrogate = Surrogate.of(configurations[chosen], y[chosen], variables)
        pool = Pool.of(configurations, free, len(y))
        number = FIRST_ROWS - len(rows) if len(rows) < FIRST_ROWS else max(LEAST, int(SHARE * len(rows)))
        selection = select(VarianceStrategy(surrogate, pool), number)
        batch = configurations.find(pool.configurations[selection.rows]).tolist()
        rows += batch
        yield from batch


# The cost that is the predicted value of the property itself.
MODEL = "model"
GAIN = {"variance": "variance_reduction_percent", "optimum": "expected_improvement"}
# Returns the cost of measuring each configuration, shape (m,).
Cost = Callable[[Configurations], Array]


@dataclass(frozen=True, eq=False, repr=False)
class ConfigurationSuggestions(Presented):
    """Configurations to measure, in order."""

    configurations: Configurations  # the k configurations
    gains: Array  # for `variance`, the share of the mean variance, in percent; for `optimum`, the improvement; (k,)
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

    Examples:
        >>> splc.learning.suggest(space, measured[:8], "time", 2).to_frame()["threads"].tolist()
        [1, 8]
    """
    variables = projection.variables_of(space.system)
    runs, excluded = _measured_runs(space, measured, nfp)
    if cost is not None and not len(runs):
        raise RequestError("there are no measurements from which a cost could be predicted", "cost")
    space.require_valid()
    # Measured configurations are not suggested, so their number is drawn in addition.
    most = min(space.count, projection.ENUMERATED + len(runs))
    drawn = projection.valid_configurations(
        space.system, most, seed, projection.option_constants(runs.configurations, runs.y)
    )
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
    pool = Pool.of(drawn, allowed, projection.ENUMERATED if goal == "optimum" else CANDIDATES)
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
    require_kind(measured, Measurements, "splc.read_measurements(table, space.system)")
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
