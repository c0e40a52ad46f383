"""Fits of the full model: the search of hyperparameters, the refits, and what evidence decides about them.

In: the columns and values of the rows (`Data`). Out: the most probable hyperparameters, by evidence and priors, in a
reproducible search (`search_hyperparameters`; where there are many more options than rows, of some blocks of columns
only: Wang 2009, "Forward regression for ultra-high dimensional variable screening"); the most probable model on a scale
(`first_fit`); models with the hyperparameters of each fold, and predictions outside of the folds (`refits`), on the
best scale (`best_refits`); and whether influences can be distinguished from noise (`permutation_test`).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from splc.learning.folds import drawn_folds, splits
from splc.learning.projection import constants
from splc.learning.projection.posterior import KernelDesign, KernelPosterior, objective
from splc.learning.projection.scales import Scale, general_scales, positive_scale
from splc.models.basis.regression import OrthogonalFit
from splc.types import Array

GRID = 2.0**-14  # iterates are multiples of this, so that rounding errors (about 1e-12) do not accumulate between CPUs
MEMORY = 10  # pairs of steps and changes of the gradient that the inverse Hessian is estimated from
_DECREASE, _HALVINGS, _LONGEST = 1e-4, 20, 3.0
_FLAT = 1e-3  # the search ends when the largest gradient is below this
OTHERS = ("interaction", "stationary", "width", "noise")  # the hyperparameters after the relevances
_SAME_SCORE = 1e-7  # scores that agree to this are equal: the first column is taken
# A share of the squared norm of a column, or of the targets, that is left by others.
_LEFT, _NOTHING = 1e-4, 1e-10


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The end of a search."""

    logarithms: Array  # the logarithms of the hyperparameters, relevances first
    value: float  # the objective with priors
    evidence: float  # the objective without priors


def start_of(columns: int, variables: int) -> Array:
    """Return the start of the first search."""
    relevances = np.full(columns, math.log(constants.START_RELEVANCE / max(variables, 1)))
    return np.append(relevances, [math.log(constants.START[name]) for name in OTHERS])


def penalty(logarithms: Array) -> tuple[float, Array]:
    """Return the negative logarithm of the prior, up to a constant, and its gradient."""
    relevances = logarithms[:-4]
    center, width = constants.RELEVANCE
    ratio = np.exp(relevances) / constants.RELEVANCE_SCALE
    distance = (relevances - center) / width
    value = float(np.log1p(ratio).sum() + (distance**2).sum() / 2)
    gradient = ratio / (1 + ratio) + distance / width
    priors = (constants.INTERACTION, constants.STATIONARY, constants.WIDTH, constants.NOISE)
    centers, widths = np.array(priors).T
    others = (logarithms[-4:] - centers) / widths
    return value + float((others**2).sum()) / 2, np.append(gradient, others / widths)


def search_hyperparameters(design: KernelDesign, z: Array, noise: Array, start: Array, iterations: int) -> SearchResult:
    """Return the most probable hyperparameters of standardised targets z with multiples of the noise, from a start."""
    lowest = constants.BOUNDS["relevance"][0]
    if (blocks := screened_blocks(design, z)) is not None:
        screened, numbers = design.blocks(blocks)
        # The search before this one had other blocks.
        begins = np.where(start[numbers] > lowest, start[numbers], start_of(1, len(blocks))[0])
        found = search_hyperparameters(screened, z, noise, np.append(begins, start[-4:]), iterations)
        logarithms = np.append(np.full(len(start) - 4, lowest), found.logarithms[-4:])
        logarithms[numbers] = found.logarithms[:-4]
        return replace(found, logarithms=logarithms)

    def negative_posterior(x: Array) -> tuple[float, Array]:
        value, gradient = objective(x, design, z, noise)
        prior, slope = penalty(x)
        return value + prior, gradient + slope

    low, high = np.array([constants.BOUNDS[name] for name in ("relevance",) * (len(start) - 4) + OTHERS]).T
    x, value = minimum(negative_posterior, start, low, high, iterations)
    return SearchResult(x, value, value - penalty(x)[0])


def minimum(
    function: Callable[[Array], tuple[float, Array]], start: Array, low: Array, high: Array, iterations: int
) -> tuple[Array, float]:
    """Return the point and value that a bounded quasi-Newton search (L-BFGS) ends with.

    scipy's search is not reproducible across CPUs, since rounding errors accumulate over its iterations.
    """

    def on_grid(point: Array) -> Array:
        return np.asarray(np.clip(np.rint(np.clip(point, low, high) / GRID) * GRID, low, high))

    x = on_grid(start)
    value, gradient = function(x)
    memory: deque[tuple[Array, Array, float]] = deque(maxlen=MEMORY)
    for _ in range(iterations):
        is_free = ~(((x <= low) & (gradient > 0)) | ((x >= high) & (gradient < 0)))
        if not is_free.any() or abs(gradient[is_free]).max() < _FLAT:
            break
        direction = np.where(is_free, descent_direction(np.where(is_free, gradient, 0.0), memory), 0.0)
        if float(direction @ gradient) >= 0:
            memory.clear()
            direction = -np.where(is_free, gradient, 0.0)
        step = 1.0 if memory else min(1.0, 1.0 / float(np.linalg.norm(gradient[is_free])))
        step = min(step, _LONGEST / float(abs(direction).max()))
        for _ in range(_HALVINGS):
            candidate = on_grid(x + step * direction)
            move = candidate - x
            candidate_value, slope = function(candidate)
            if candidate_value <= value + _DECREASE * float(gradient @ move):
                break
            step /= 2
        else:
            break
        if not move.any():
            break
        change = slope - gradient
        curvature = float(change @ move)
        if curvature > 1e-10 * float(change @ change):
            memory.append((move, change, curvature))
        x, value, gradient = candidate, candidate_value, slope
    return x, value


def descent_direction(gradient: Array, memory: deque[tuple[Array, Array, float]]) -> Array:
    """Return minus the estimated inverse Hessian times the gradient (two loops over the memory)."""
    q, weights = gradient.copy(), []
    for move, change, curvature in reversed(memory):
        weight = float(move @ q) / curvature
        q -= weight * change
        weights.append(weight)
    if memory:
        _, change, curvature = memory[-1]
        q *= curvature / float(change @ change)
    for (move, change, curvature), weight in zip(memory, reversed(weights), strict=True):
        q += (weight - float(change @ q) / curvature) * move
    return np.asarray(-q)


def screened_blocks(design: KernelDesign, z: Array) -> Array | None:
    """Return the blocks that a search is about, by forward regression, then by correlation; None: all."""
    blocks = len(design.starts) - 1
    if not is_screened(blocks, len(z)):
        return None
    centred = design.columns - design.columns.mean(axis=0)
    norms = np.linalg.norm(centred, axis=0)
    columns = np.divide(centred, norms, out=np.zeros_like(centred), where=norms > 0)
    selected = _forward(columns, z, min(constants.SCREENED, len(z)) // 2)
    # The order of Python's sort is stable: the first of equal columns.
    correlations = np.round(abs(z @ columns), 9)
    order = [*selected, *sorted(range(len(norms)), key=lambda column: -correlations[column])]
    kept = dict.fromkeys([*range(blocks - design.unscreened, blocks), *design.owners[order].tolist()])
    return np.array(sorted([*kept][: constants.SCREENED]))


def is_screened(blocks: int, rows: int) -> bool:
    """Return whether a search is about some of so many blocks only."""
    return blocks > max(constants.SCREENED, constants.OPTIONS_PER_ROW * rows)


def _forward(columns: Array, z: Array, steps: int) -> list[int]:
    """Return the columns of unit norm that lower the sum of squares most, one after another."""
    fit, selected = OrthogonalFit(z), []
    left, moments = (columns**2).sum(axis=0), z @ columns
    for _ in range(steps):
        scores = np.divide(moments**2, left, out=np.zeros_like(left), where=left > _LEFT)
        best = float(scores.max(initial=0.0))
        if best <= _NOTHING * float(z @ z):
            break
        selected.append(int(np.flatnonzero(scores >= best * (1 - _SAME_SCORE))[0]))
        fit.add(columns[:, selected[-1]])
        along = fit.basis[-1] @ columns
        moments = moments - fit.parts[-1] * along
        left = left - along**2
    return selected


@dataclass(frozen=True, eq=False)
class Data:
    """The learning set of a full model, in hash order."""

    designs: tuple[KernelDesign, ...]  # columns of the n configurations, of one or two kinds (`OptionBasis.designs`)
    y: Array  # the measured values, shape (n,)
    repetitions: Array  # the number of measurements of each, shape (n,)
    # called after each search for hyperparameters, with its number of iterations at most
    on_fit: Callable[[int], None] = lambda iterations: None
    given_folds: Array | None = None  # the fold of each row, shape (n,), if contexts are divided alike; None: in turn
    groups: Array | None = None  # the group of each row, shape (n,), that folds keep together; None: a row each

    @property
    def folds(self) -> Array:
        """The fold of each row, shape (n,); each row is a fold of its own if there are few."""
        if self.given_folds is not None:
            return self.given_folds
        return drawn_folds(np.arange(len(self.y)), constants.FOLDS, self.groups)

    @property
    def independent(self) -> int:
        """The number of groups."""
        return len(self.y) if self.groups is None else len(np.unique(self.groups))


@dataclass(frozen=True, eq=False)
class FirstFit:
    """The most probable full model on one scale."""

    scale: Scale  # the scale
    noise_unit: float  # the mean multiple that `Scale.noise` is divided by
    posterior: KernelPosterior  # the posterior given all rows
    evidence: float  # the logarithm of the evidence with priors, comparable across scales
    gain: float  # the logarithm of the evidence minus that of a constant with noise


def first_fit(data: Data, variables: int, scale: Scale, fitted: Array | None = None, kind: int = 0) -> FirstFit:
    """Return the most probable full model on a scale."""
    y = data.y / scale.unit
    t = scale.forward(y)
    mean, deviation = float(t.mean()), float(t.std())
    multiples = np.ones(len(y)) if fitted is None else scale.noise(fitted)
    unit = float(multiples.mean())
    noise = multiples / unit / data.repetitions
    search_rows = slice(constants.ROWS_OF_SEARCH)
    design, z = data.designs[kind].rows(search_rows), (t[search_rows] - mean) / deviation
    start = start_of(design.distinct, variables)
    optimum = search_hyperparameters(design, z, noise[search_rows], start, constants.ITERATIONS)
    data.on_fit(constants.ITERATIONS)
    evidence = -optimum.value - len(z) * math.log(deviation)
    if scale.name == "log":
        evidence -= float(np.log(y[search_rows]).sum())
    gain = float(z @ z) / 2 - optimum.evidence
    posterior = KernelPosterior(optimum.logarithms, data.designs[kind], t, noise, mean, deviation, kind)
    return FirstFit(scale, unit, posterior, evidence, gain)


@dataclass(frozen=True, eq=False)
class Refits:
    """The refits of a full model, one per fold."""

    first: FirstFit  # the fit that they started from
    parts: tuple[KernelPosterior, ...]  # the posteriors given all rows, with the hyperparameters of each refit
    folds: tuple[KernelPosterior, ...]  # the posteriors given the rows outside of each fold
    means: Array  # predictions of each row without its fold, on the scale of the model, shape (n,)
    deviations: Array  # their standard deviations with noise, shape (n,)
    explained: float  # the share of the variance that they explain

    @property
    def searched(self) -> Array:
        """The positions of the blocks of columns that a search was about, ascending."""
        posteriors = [self.first.posterior, *self.parts]
        return np.array(sorted({block for part in posteriors for block in part.searched.tolist()}), dtype=int)

    def of_blocks(self, blocks: Array) -> Refits:
        """Return the refits with some of the blocks only; the others are without influence."""
        return replace(
            self,
            first=replace(self.first, posterior=self.first.posterior.of_blocks(blocks)),
            parts=tuple(part.of_blocks(blocks) for part in self.parts),
            folds=tuple(fold.of_blocks(blocks) for fold in self.folds),
        )

    def means_by_rows(self, data: Data) -> Array:
        """Return predictions of each row by all but an eighth of the rows, whatever their groups, shape (n,)."""
        means = np.empty(len(data.y))
        for fold, (out, training) in enumerate(splits(drawn_folds(np.arange(len(data.y)), constants.FOLDS))):
            part = self.parts[fold % len(self.parts)]
            design, t = data.designs[part.kind], part.t[training]
            known = replace(part, design=design.rows(training), t=t, noise=part.noise[training])
            means[out] = known.means(design.rows(out))
        return means


def refits(data: Data, firsts: Sequence[FirstFit]) -> Refits:
    """Return the refits of a full model, which start in turn from fits on one scale; the first one is kept."""
    first, posterior = firsts[0], firsts[0].posterior
    means, deviations, baseline = np.empty((3, len(data.y)))
    parts, folds = [], []
    for fold, (out, training) in enumerate(splits(data.folds)):
        first_model = firsts[fold % len(firsts)]
        kind = first_model.posterior.kind
        t, noise, design = posterior.t[training], posterior.noise[training], data.designs[kind].rows(training)
        mean, deviation = float(t.mean()), float(t.std())
        if deviation <= 1e-9 * posterior.deviation:
            deviation = posterior.deviation
        rows, start = slice(constants.ROWS_OF_REFIT), first_model.posterior.logarithms
        z = (t[rows] - mean) / deviation
        optimum = search_hyperparameters(design.rows(rows), z, noise[rows], start, constants.REFIT_ITERATIONS)
        logarithms = optimum.logarithms
        data.on_fit(constants.REFIT_ITERATIONS)
        held_out = KernelPosterior(logarithms, design, t, noise, mean, deviation, kind)
        folds.append(held_out)
        parts.append(replace(first_model.posterior, logarithms=logarithms))
        design = data.designs[kind].rows(out)
        means[out], variances = held_out.mean_of(cross := held_out.cross(design)), held_out.variances(cross, design)
        deviations[out] = np.sqrt(variances + held_out.noise_variance * posterior.noise[out])
        baseline[out] = mean
    missed = float(np.mean((means - posterior.t) ** 2))
    explained = 1 - missed / float(np.mean((baseline - posterior.t) ** 2))
    return Refits(first, tuple(parts), tuple(folds), means, deviations, explained)


def best_refits(data: Data, variables: int, setting: str, *, positive: bool) -> Refits:
    """Return the refits on the stated scale, or that with most evidence; of values of any sign, least error."""

    def in_turn(first: FirstFit, fitted: Array | None) -> Refits:
        """Return the refits, in turn with each kind of columns."""
        others = (first_fit(data, variables, first.scale, fitted, kind) for kind in range(1, len(data.designs)))
        return refits(data, [first, *others])

    fitted = None
    if positive:
        scale = positive_scale("log", data.y)
        best = first_fit(data, variables, scale)
        fits = len(data.y) >= constants.ROWS_OF_SCALE and float(data.y.max() / scale.unit) <= constants.LARGEST
        if setting == "raw" or (setting == "auto" and fits):
            predicted = np.exp(best.posterior.means(data.designs[0]))
            raw = first_fit(data, variables, positive_scale("raw", data.y), predicted)
            if setting == "raw" or raw.evidence - best.evidence > constants.SCALE_EVIDENCE:
                best, fitted = raw, predicted
        return in_turn(best, fitted)
    found: list[tuple[float, Refits]] = []
    for scale in general_scales(data.y):
        if float(abs(scale.forward(data.y / scale.unit)).max()) <= constants.LARGEST:
            grown = fitted if scale.grows else None
            first = first_fit(data, variables, scale, grown)
            fitted = first.posterior.means(data.designs[0]) if fitted is None else fitted
            refitted = in_turn(first, grown)
            found.append((float(abs(scale.backward(refitted.means) - data.y / scale.unit).mean()), refitted))
    least = min(error for error, _ in found)
    return next(refitted for error, refitted in found if error * (1 - 1e-9) <= least)


def permutation_test(data: Data, variables: int, found: Refits) -> bool:
    """Return whether the influences of a full model can be distinguished from noise."""
    first, few = found.first, len(data.y) < constants.GUARD_ROWS
    if first.gain >= constants.GUARD_CERTAIN or (few and found.explained >= constants.GUARD_EXPLAINED):
        return True
    searched, posterior = slice(constants.ROWS_OF_SEARCH), first.posterior
    design, t, noise = data.designs[0].rows(searched), posterior.t[searched], posterior.noise[searched]
    columns, count, margin = constants.GUARD_SINGLE
    if design.distinct > columns and has_large_correlation(design.columns, t, count, margin):
        return True
    permutations, allowed = constants.GUARD_FEW_ROWS if few else constants.GUARD_PERMUTATIONS
    z, draws = (t - posterior.mean) / posterior.deviation, np.random.default_rng(0)
    start = start_of(design.distinct, variables)
    larger = 0
    for _ in range(permutations):
        # The noise is permuted with the values, since it may depend on the value.
        order = draws.permutation(len(z))
        optimum = search_hyperparameters(design, z[order], noise[order], start, constants.ITERATIONS)
        larger += float(z @ z) / 2 - optimum.evidence >= first.gain
        if larger > allowed:
            return False
    return True


def has_large_correlation(columns: Array, values: Array, permutations: int, margin: float) -> bool:
    """Return whether a column correlates more with the values, by a margin, than any does with permuted values."""
    z = (values - values.mean()) / values.std()
    centered = columns - columns.mean(axis=0)
    norms = np.linalg.norm(centered, axis=0)
    centered = centered[:, norms > 0] / norms[norms > 0]
    permuted = np.random.default_rng(0).permuted(np.tile(z, (permutations, 1)), axis=1)
    return bool(abs(z @ centered).max(initial=0.0) > margin * abs(permuted @ centered).max(initial=0.0))
