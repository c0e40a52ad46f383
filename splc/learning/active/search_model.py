"""The model of a search for the optimum, and the configurations that may be better than the best measured one.

In: the runs so far (`Runs`). The `SearchModel` has the kernel of the full model with three sets of hyperparameters.
They are searched from the last ones, so that each run can be learned from before the next one. Out: the candidates with
the largest expected improvement, each as if its predicted value had been measured (`improving_rows`), or those of a
first design, which sees every value of every option (`covering_rows`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sampling.sequential import most_worth
from splc.data.configurations import Configurations
from splc.learning import projection
from splc.learning.active.candidates import cells_of, covering_row
from splc.learning.projection import ITERATIONS, NUMBER_EVIDENCE, KernelDesign, KernelPosterior, OptionBasis, Variable
from splc.models.basis.regression import NORMAL_QUANTILE
from splc.types import Array

PARTS = 3  # the hyperparameters are those of all rows, of every second row, and of the others
# A column of which one side was seen less often keeps at least its initial relevance: values that were not tried are
# uncertain. Values that a covering first design has seen twice are not: the search would try each of them once more.
_SEEN = 2
_RIVAL_GROWTH = 1.5  # each time the rows grow by this factor, the search decides again on numbers in names
_BLOCK = 2048  # configurations that are predicted at a time
# Where the density of a normal distribution is too small, the asymptotic formula is used; without it the worth of all
# candidates underflows, and ties decide.
_FAR = -6.0
TOLERANCE = 0.01  # smaller gains count as none: a search that follows them stays where many values are nearly equal
_KEPT = 2000  # candidates that are considered again for each further suggestion


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs that a search learns from, in the order of measurement."""

    configurations: Configurations  # n distinct configurations
    y: Array  # their mean values, finite, shape (n,)
    counts: Array  # the number of runs of each, shape (n,)
    known: Array  # which can be the best so far, shape (n,), bool; values of failed or ended runs were not measured
    places: Array | None = None  # the context of each, 0 is the one that is searched, shape (n,); None: all are of that
    contexts: tuple[str, ...] = ()  # the names of the contexts, such as versions; empty without others

    @property
    def own(self) -> Configurations:
        """The configurations that were run in the context that is searched."""
        return self.configurations if self.places is None else self.configurations[self.places == 0]

    def __len__(self) -> int:
        return len(self.y)

    def added(self, configurations: Configurations, y: Array, known: bool) -> Runs:
        """Return them with one run of each of further configurations in the context that is searched."""
        count, places = len(configurations), self.places
        return replace(
            self,
            configurations=Configurations.concatenate([self.configurations, configurations]),
            y=np.append(self.y, y),
            counts=np.append(self.counts, np.ones(count)),
            known=np.append(self.known, np.full(count, known)),
            places=None if places is None else np.append(places, np.zeros(count, dtype=int)),
        )


@dataclass(frozen=True, eq=False)
class SearchModel:
    """A model of a property on a scale on which less is better."""

    runs: Runs  # the runs that it is conditioned on
    basis: OptionBasis  # the columns of the variables
    designs: tuple[KernelDesign, ...]  # those of the runs, of each kind
    scale: projection.Scale  # the scale of values: ln y where all are positive, otherwise asinh y
    sign: float  # -1 where large values are good, else 1
    searched: tuple[Array, ...]  # the hyperparameters that were found, for each part
    rows: int  # the number of rows that they were searched with
    believed: int = 0  # how many of the runs, the last ones, have predicted values
    evidence: float = 0.0  # the logarithm of the evidence of all rows, with the priors of hyperparameters
    rival: SearchModel | None = None  # the model with, or without, numbers in names, which was not chosen

    @classmethod
    def of(
        cls, runs: Runs, variables: Sequence[Variable], maximize: bool = False, before: SearchModel | None = None
    ) -> SearchModel:
        """Return the model of runs.

        The numbers in names of members, as in `ref_1 ref_5 ref_9`, are a hypothesis, which is used until the evidence
        is against it: with few runs a search needs it, and a wrong one costs less than a missing one.
        """
        if before is not None and before.rival is not None and len(runs) < _RIVAL_GROWTH * before.rival.rows:
            return replace(cls._of(runs, before.basis.variables, maximize, before), rival=before.rival)
        earlier = () if before is None else (before, before.rival)
        by_variables = {model.basis.variables: model for model in earlier if model is not None}
        both = tuple(dict.fromkeys((tuple(variables), projection.without_numbers(variables))))
        numbered, *others = (cls._of(runs, each, maximize, by_variables.get(each)) for each in both)
        if others and others[0].evidence > numbered.evidence + NUMBER_EVIDENCE:
            return replace(others[0], rival=numbered)
        return replace(numbered, rival=others[0] if others else None)

    @classmethod
    def _of(
        cls, runs: Runs, variables: tuple[Variable, ...], maximize: bool, before: SearchModel | None
    ) -> SearchModel:
        y, n = runs.y, len(runs)
        scale = projection.positive_scale("log", y) if y.min() > 0 else projection.general_scales(y)[-1]
        context = projection.ContextBlock(runs.contexts) if runs.contexts else None
        basis = OptionBasis(variables, context, divisible=True)
        designs = basis.designs(runs.configurations, runs.places)
        model = cls(runs, basis, designs, scale, -1.0 if maximize else 1.0, (), n)
        # Contexts that were told since have columns of their own.
        sizes = [designs[part % len(designs)].distinct + 4 for part in range(PARTS)]
        if before is not None and [len(points) for points in before.searched] != sizes:
            before = None
        if before is not None and n < before.rows + max(1, before.rows // 10):
            return replace(model, searched=before.searched, rows=before.rows, evidence=before.evidence)
        searches = [model._search(part, None if before is None else before.searched[part]) for part in range(PARTS)]
        return replace(model, searched=tuple(search.logarithms for search in searches), evidence=-searches[0].value)

    def interval(self, good: Configurations, quantile: float = NORMAL_QUANTILE, runs: float = 1) -> tuple[Array, Array]:
        """Return intervals of the mean of some runs of good configurations, in the unit of the property, shapes (m,).

        The worse end is the farther away the more variables there are, whose errors were chosen with their values.
        """
        means, deviations = self.moments(good)
        scatter = self.miss * np.sqrt(deviations**2 + self.noise**2 / runs)
        worse = max(math.sqrt(2 * math.log(len(self.basis.variables) + 1)), quantile)
        # Predictions are at least a third of the best run; the best configuration may be below that.
        scale = replace(self.scale, lowest=min(self.scale.lowest, 0.0))
        ends = scale.backward(self.sign * np.array([means - quantile * scatter, means + worse * scatter])) * scale.unit
        return ends.min(axis=0), ends.max(axis=0)

    def predict(self, configurations: Configurations) -> Array:
        """Return the predictions, shape (m,), in the unit of the property."""
        return self.untransformed(self.means(configurations))

    def _search(self, part: int, start: Array | None) -> projection.SearchResult:
        """Return the most probable hyperparameters of a part."""
        design, some = self.designs[part % len(self.designs)], np.arange(len(self.runs))[-projection.ROWS_OF_SEARCH :]
        if part and len(some) > 2 * PARTS:
            some = some[part - 1 :: 2]
        t = self.t[some]
        z = (t - float(t.mean())) / (float(t.std()) or 1.0)
        begin = projection.start_of(design.distinct, len(self.basis.variables)) if start is None else start
        iterations = ITERATIONS if start is None else projection.REFIT_ITERATIONS
        return projection.search_hyperparameters(design.rows(some), z, 1 / self.runs.counts[some], begin, iterations)

    @cached_property
    def t(self) -> Array:
        """The values of the runs on the scale, shape (n,)."""
        return self.transformed(self.runs.y)

    def transformed(self, y: Array) -> Array:
        """Return values on the scale."""
        return np.asarray(self.sign * self.scale.forward(y / self.scale.unit))

    def untransformed(self, t: Array) -> Array:
        """Return values of the scale in the unit of the property."""
        return np.asarray(self.scale.backward(self.sign * t) * self.scale.unit)

    @cached_property
    def parts(self) -> tuple[KernelPosterior, ...]:
        """The posteriors given all runs, with the hyperparameters of each part."""
        t = self.t
        measured = t[: len(t) - self.believed]
        mean, deviation = float(measured.mean()), float(measured.std()) or 1.0
        parts, least = [], math.log(projection.START_RELEVANCE / max(len(self.basis.variables), 1))
        for part, logarithms in enumerate(self.searched):
            kind = part % len(self.designs)
            design = self.designs[kind]
            # The least logarithm of each relevance.
            above = (design.columns > 0).sum(axis=0)
            floor = np.full(design.distinct, least)
            floor[design.relevances[np.minimum(above, len(t) - above) >= _SEEN]] = -np.inf
            floored = np.append(np.maximum(logarithms[:-4], floor), logarithms[-4:])
            parts.append(KernelPosterior(floored, design, t, 1 / self.runs.counts, mean, deviation, kind))
        return tuple(parts)

    def moments(self, configurations: Configurations) -> tuple[Array, Array]:
        """Return the means and standard deviations of configurations on the scale, without noise, shapes (m,)."""
        means, deviations = np.empty((2, len(configurations)))
        for start in range(0, len(configurations), _BLOCK):
            block = slice(start, start + _BLOCK)
            mixture = projection.Mixture(self.parts, self.basis.designs(configurations[block]))
            means[block], deviations[block] = mixture.means.mean(axis=0), np.sqrt(mixture.variances())
        return means, deviations

    def means(self, configurations: Configurations) -> Array:
        """Return the means of configurations on the scale, shape (m,)."""
        return self.moments(configurations)[0]

    @cached_property
    def measured(self) -> Array:
        """The posterior means of the runs' configurations on the scale, shape (n,)."""
        if self.runs.places is not None:
            return self.means(self.runs.configurations)
        # K w for the weights w with (K + S) w = t: no kernel is needed.
        shifts = [p.deviation * (p.theta.noise * p.noise + projection.JITTER) * p.weights for p in self.parts]
        return np.asarray(self.t - np.mean(shifts, axis=0))

    @property
    def noise(self) -> float:
        """The standard deviation of a run on the scale."""
        return math.sqrt(float(np.mean([part.noise_variance for part in self.parts])))

    @cached_property
    def miss(self) -> float:
        """The root mean square of the errors at runs that are left out, in deviations that are expected; at least 1."""
        squares = [part.weights * (part.t - part.left_out) / part.deviation for part in self.parts]
        return max(1.0, math.sqrt(float(np.mean(squares))))

    @cached_property
    def ranking(self) -> Array:
        """The places of the measured runs, those with the best posterior mean first."""
        order = np.argsort(self.measured, kind="stable")
        return order[self.runs.known[order]]

    def believing(self, configurations: Configurations) -> SearchModel:
        """Return the model as if configurations had the values that are predicted for them."""
        if not len(configurations):
            return self
        # The columns stay those of the runs.
        both = self.runs.added(configurations, self.predict(configurations), True)
        designs = self.basis.designs(both.configurations, both.places)
        return replace(self, runs=both, designs=designs, believed=self.believed + len(configurations))


def log_improvements(means: Array, deviations: Array, best: float) -> Array:
    """Return the logarithm of how far below `best` normally distributed values are expected to be, shape (m,)."""
    from scipy.special import ndtr

    deviations = np.maximum(deviations, 1e-9)
    u = (best - means) / deviations
    near = np.maximum(u, _FAR)
    density = np.exp(-(near**2) / 2) / np.sqrt(2 * np.pi)
    far = np.minimum(u, _FAR)
    tail = -(far**2) / 2 - np.log(2 * np.pi) / 2 - 2 * np.log(-far)
    return np.asarray(np.log(deviations) + np.where(u < _FAR, tail, np.log(near * ndtr(near) + density)))


def least_gain(model: SearchModel) -> float:
    """Return the least gain that is worth a run, on the scale of a model."""
    return math.log1p(TOLERANCE) if model.scale.name == "log" else TOLERANCE * float(model.t.std())


def gain_in_units(model: SearchModel, level: float, improvement: float) -> float:
    """Return an improvement on a value in the unit of the property, both on the scale of the model."""
    now, then = model.untransformed(np.array([level, level - improvement])).tolist()
    return float(abs(then - now))


def improving_rows(
    candidates: Configurations,
    runs: Runs,
    variables: Sequence[Variable],
    count: int,
    maximize: bool = False,
    cost: Callable[[Configurations], Array] | None = None,
) -> tuple[Array, Array, SearchModel]:
    """Return the positions of the candidates that may be better than the best run, in order, and the model of the runs.

    Each has the largest expected improvement, in the unit of the property (second, shape (k,)), of those that are left,
    and is added as if its predicted value had been measured.

    `cost`: the cost of measuring configurations; the improvement per cost counts.
    """
    constants = projection.option_constants(runs.configurations, runs.y)
    # Neither the order of rows nor that of options matters.
    order = projection.hash_order(runs.configurations, constants)
    ordered = Runs(runs.configurations[order], runs.y[order], runs.counts[order], runs.known[order])
    model = SearchModel.of(ordered, projection.canonical_order(variables, constants), maximize)
    level = float(model.measured[ordered.known].min())
    remaining, current = np.arange(len(candidates)), model
    log_costs = np.zeros(len(candidates)) if cost is None else np.log(cost(candidates))
    rows, gains = list[int](), list[float]()
    while len(rows) < count:
        means, deviations = current.moments(candidates[remaining])
        improvements = log_improvements(means, deviations, level - least_gain(model))
        worths = improvements - log_costs[remaining]
        best = most_worth(worths, np.ones(len(remaining), dtype=bool))
        rows.append(int(remaining[best]))
        gains.append(gain_in_units(model, level, math.exp(improvements[best])))
        level = min(level, float(means[best]))
        top = np.sort(np.argsort(-worths, kind="stable")[: _KEPT + count])
        remaining = remaining[top[top != best]]
        current = model.believing(candidates[np.array(rows)])
    return np.array(rows), np.array(gains), model


def covering_rows(
    candidates: Configurations, known: Configurations, variables: Sequence[Variable], count: int
) -> Array:
    """Return the positions of the candidates of a first design that sees every value of every option."""
    used = projection.without_numbers(variables)
    cells, drawn = cells_of(used, known), cells_of(used, candidates)
    rows: list[int] = []
    for _ in range(count):
        left = np.delete(np.arange(len(candidates)), rows)
        rows.append(int(left[covering_row(np.vstack([cells, drawn[rows]]), drawn[left])]))
    return np.array(rows, dtype=int)
