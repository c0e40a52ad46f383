"""Sequential designs for good predictions: the rows whose measurement reduces the variance of a surrogate most.

In: measured configurations. A `Surrogate` has their posteriors; that of a difference between contexts has no values
(`context_surrogate`). A `Pool` has the valid configurations that suggestions are picked from. Out: the positions in the
pool that a `VarianceStrategy` chooses greedily; on measured rows, as if each row was measured only when it is suggested
(`suggested_rows`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from sampling.draws import distinct_ranks, generator
from sampling.sequential import NextCandidates, most_worth, select
from splc.data.configurations import Configurations
from splc.learning import projection
from splc.learning.contexts.joint_model import ContextRows, fit_joint_model
from splc.learning.projection import JITTER, FullModel, KernelPosterior, OptionBasis, Variable, fit_full_model
from splc.learning.threads import one_thread
from splc.types import Array

# Configurations that are suggested from, and those among them whose mean variance is reduced.
CANDIDATES, REFERENCE = 2000, 500
# With at least this many measured configurations hyperparameters are learned; with fewer, those of the prior are used.
LEARNED_ROWS = 10
# A batch is this share of the rows measured so far, and at least this number of rows.
SHARE, LEAST = 0.25, 5
# The rows of the first design, which the prior selects.
FIRST_ROWS = 10


@dataclass(frozen=True, eq=False)
class Pool:
    """Configurations in hash order, so that nothing depends on the order of rows."""

    configurations: Configurations  # m distinct valid configurations
    reference: Array  # the positions of those that represent the valid space, shape (r,)
    candidates: Array  # which ones may be suggested, shape (m,), bool

    @classmethod
    def of(cls, space: Configurations, allowed: Array | None = None, most: int = CANDIDATES) -> Pool:
        """Return the pool of distinct configurations.

        `allowed`: which ones may be suggested, shape (n,), bool; None is all.
        """
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

    basis: OptionBasis  # the columns of the variables
    parts: tuple[KernelPosterior, ...]  # the posteriors given the measurements
    model: FullModel | None = None  # the full model; None for the prior

    @classmethod
    def of(
        cls, configurations: Configurations, y: Array, variables: Sequence[Variable], repetitions: Array | None = None
    ) -> Surrogate:
        """Return the surrogate given measured configurations, shape (n,).

        `y`: their values, finite, shape (n,). `repetitions`: the number of measurements of each; None is 1.
        """
        basis = OptionBasis(tuple(variables))
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

    The posterior of the pool is a mixture of Gaussian processes with different hyperparameters. Its covariances are the
    means of theirs, plus the covariances of their means, which stand for what is not known about the hyperparameters.
    All are of standardised values, in units of the squared deviation. Values do not matter for covariances, so that
    configurations can be added before they are measured: the hyperparameters stay as they are. Each addition costs
    O(m (n + r + additions)) for n measured rows, a pool of m and a reference of r configurations.

    The reduction counts times the standard deviation of the measurement: hyperparameters are uncertain, and
    measurements where predictions are uncertain too tell most about them. Without this factor, models of as many rows
    are worse (casestudies/suggestion). The gain is the share of the mean variance at first that a measurement takes
    off.

    `cost`: the cost of each configuration of the pool, positive, shape (m,).
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
        self.noise = noise + JITTER
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
            prior += (projection.kernel_matrix(part.theta, design.rows(rows), design) - white[:, rows].T @ white) / len(
                self._parts
            )
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
    """Yield the positions of rows in the order in which they are suggested, until none is left.

    The first row is drawn; the others of the first design are those that the prior selects. Then batches follow, each
    given the values of all rows before it.

    `allowed`: which rows may be suggested, shape (n,), bool; None is all.
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
