"""The most probable hyperparameters of the kernel: evidence, priors, and a reproducible search.

In: the columns of rows, standardised targets, and where to start. Out: the logarithms of the hyperparameters, and the
evidence. Where there are many more options than rows, a search is about some blocks of columns only (Wang 2009,
"Forward regression for ultra-high dimensional variable screening").
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from splc.learning.projection import constants
from splc.learning.projection.kernel import Hyperparameters, KernelDesign, KernelParts
from splc.learning.projection.posterior import negative_evidence
from splc.models.basis.regression import OrthogonalFit
from splc.types import Array

# Iterates are rounded to multiples of this: rounding errors of another CPU, about 1e-12, then cannot accumulate over
# iterations, and the search ends at the same point.
GRID = 2.0**-14
# Pairs of steps and changes of the gradient that the inverse Hessian is estimated from.
MEMORY = 10
_DECREASE = 1e-4
_HALVINGS = 20
# The search ends when the largest gradient is below this.
_FLAT = 1e-3
_LONGEST = 3.0
# Scores that agree to this are equal: the first column is taken.
_SAME_SCORE = 1e-7
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
    start = constants.START
    relevances = np.full(columns, math.log(constants.START_RELEVANCE / max(variables, 1)))
    other_start = [math.log(start[name]) for name in ("interaction", "stationary", "width", "noise")]
    return np.concatenate([relevances, other_start])


def penalty(logarithms: Array) -> tuple[float, Array]:
    """Return the negative logarithm of the prior, up to a constant, and its gradient."""
    relevances = logarithms[:-4]
    center, width = constants.RELEVANCE
    ratio = np.exp(relevances) / constants.RELEVANCE_SCALE
    distance = (relevances - center) / width
    value = float(np.log1p(ratio).sum() + (distance**2).sum() / 2)
    gradient = ratio / (1 + ratio) + distance / width
    priors = (constants.INTERACTION, constants.STATIONARY, constants.WIDTH, constants.NOISE)
    other_distances = np.array(
        [(x - center) / width for x, (center, width) in zip(logarithms[-4:], priors, strict=True)]
    )
    widths = np.array([width for _, width in priors])
    return value + float((other_distances**2).sum()) / 2, np.concatenate([gradient, other_distances / widths])


def objective(logarithms: Array, design: KernelDesign, z: Array, noise: Array) -> tuple[float, Array]:
    """Return the negative log evidence of standardised targets z (without the constant), and its gradient.

    `logarithms`: those of the hyperparameters, relevances first. `noise`: multiples of the noise of each row.
    """
    theta = Hyperparameters.of(logarithms)
    kernel = KernelParts(theta, design, design)
    matrix = kernel.kernel
    matrix.flat[:: len(z) + 1] += theta.noise * noise + constants.JITTER
    evidence = negative_evidence(matrix, z)
    if evidence is None:
        return np.inf, np.zeros_like(logarithms)
    value, outer = evidence
    return value, kernel.derivative(outer, noise)


def search_hyperparameters(design: KernelDesign, z: Array, noise: Array, start: Array, iterations: int) -> SearchResult:
    """Return the most probable hyperparameters for standardised targets z with multiples of the noise."""
    blocks = screened_blocks(design, z)
    if blocks is not None:
        return _screened_search(design, blocks, z, noise, start, iterations)

    def negative_posterior(x: Array) -> tuple[float, Array]:
        value, gradient = objective(x, design, z, noise)
        prior, slope = penalty(x)
        return value + prior, gradient + slope

    bounds = constants.BOUNDS
    names = ["relevance"] * (len(start) - 4) + ["interaction", "stationary", "width", "noise"]
    low, high = np.array([bounds[name] for name in names]).T
    x, value = minimum(negative_posterior, start, low, high, iterations)
    return SearchResult(x, value, value - penalty(x)[0])


def _screened_search(
    design: KernelDesign, blocks: Array, z: Array, noise: Array, start: Array, iterations: int
) -> SearchResult:
    """Return the most probable hyperparameters, with the smallest relevance of all blocks but some."""
    screened, numbers = design.blocks(blocks)
    lowest = constants.BOUNDS["relevance"][0]
    # The search before this one had other blocks.
    begins = np.where(start[numbers] > lowest, start[numbers], start_of(1, len(blocks))[0])
    found = search_hyperparameters(screened, z, noise, np.append(begins, start[-4:]), iterations)
    logarithms = np.append(np.full(len(start) - 4, lowest), found.logarithms[-4:])
    logarithms[numbers] = found.logarithms[:-4]
    return replace(found, logarithms=logarithms)


def minimum(
    function: Callable[[Array], tuple[float, Array]], start: Array, low: Array, high: Array, iterations: int
) -> tuple[Array, float]:
    """Return the point and value that a bounded quasi-Newton search (L-BFGS) ends with.

    scipy's search is not reproducible across CPUs, since rounding errors accumulate over its iterations.
    """
    x = _rounded(np.clip(start, low, high), low, high)
    value, gradient = function(x)
    memory: deque[tuple[Array, Array, float]] = deque(maxlen=MEMORY)
    for _ in range(iterations):
        stuck = ((x <= low) & (gradient > 0)) | ((x >= high) & (gradient < 0))
        is_free = ~stuck
        if not is_free.any() or abs(gradient[is_free]).max() < _FLAT:
            break
        direction = descent_direction(np.where(is_free, gradient, 0.0), memory)
        direction[stuck] = 0.0
        if float(direction @ gradient) >= 0:
            memory.clear()
            direction = -np.where(is_free, gradient, 0.0)
        step = 1.0 if memory else min(1.0, 1.0 / float(np.linalg.norm(gradient[is_free])))
        step = min(step, _LONGEST / float(abs(direction).max()))
        for _ in range(_HALVINGS):
            candidate = _rounded(np.clip(x + step * direction, low, high), low, high)
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


def _rounded(x: Array, low: Array, high: Array) -> Array:
    on_grid: Array = np.clip(np.rint(x / GRID) * GRID, low, high)
    return on_grid


def descent_direction(gradient: Array, memory: deque[tuple[Array, Array, float]]) -> Array:
    """Return minus the estimated inverse Hessian times the gradient (two loops over the memory)."""
    q = gradient.copy()
    weights = []
    for move, change, curvature in reversed(memory):
        weight = float(move @ q) / curvature
        q -= weight * change
        weights.append(weight)
    if memory:
        _, change, curvature = memory[-1]
        q *= curvature / float(change @ change)
    for (move, change, curvature), weight in zip(memory, reversed(weights), strict=True):
        q += (weight - float(change @ q) / curvature) * move
    direction: Array = -q
    return direction


def screened_blocks(design: KernelDesign, z: Array) -> Array | None:
    """Return the positions of the blocks that may have an influence, ascending; None where all are searched.

    These are what forward regression selects, and then the blocks that correlate most with the targets z.
    """
    blocks = len(design.starts) - 1
    if not is_screened(blocks, len(z)):
        return None
    centred = design.columns - design.columns.mean(axis=0)
    norms = np.linalg.norm(centred, axis=0)
    columns = np.divide(centred, norms, out=np.zeros_like(centred), where=norms > 0)
    correlations = abs(z @ columns)
    selected = _forward(columns, z, min(constants.SCREENED, len(z)) // 2)
    # The order of Python's sort is stable: the first of equal columns.
    rounded = np.round(correlations, 9)
    order = [*selected, *sorted(range(len(norms)), key=lambda column: -rounded[column])]
    fixed = range(blocks - design.unscreened, blocks)
    kept = dict.fromkeys([*fixed, *design.owners[order].tolist()])
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
