"""Search for the parameters with the least misfit: exact for linear models, otherwise by trust regions.

The bounded linear least squares below copes with columns of very different length, and says which unknowns are
determined.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from splc.calibration.free_parameters import Sensitivity
from splc.errors import LearningError
from splc.models.basis.regression import independent
from splc.types import Array

# Start points per parameter that does not enter linearly, their greatest number, and the number of searches.
_TRIED = 60
_MAX_TRIED = 300
_FOLLOWED = 4
_DECADES = 3.0
_UNKNOWN_DECADES = 9.0
COLLINEAR = 1e-9  # a column (of length 1) that is nearer to the span of the others counts as their combination
_GENTLE = 1e-6  # the weight of the preference among equally good solutions, where bounds make it conflict with the fit


@dataclass(frozen=True)
class Misfit:
    """The misfit of a model: weighted residuals."""

    predictions: Sensitivity  # the model
    measured: Array  # shape (n,), finite
    weights: Array  # the weight of each residual, shape (n,)
    low: Array  # lower bounds, shape (k,), in the parameters' units
    high: Array  # upper bounds
    logarithmic: bool = False  # whether residuals are logarithms of predicted / measured; both are positive then

    @property
    def aim(self) -> Array:
        """The scale of the residuals: the weighted measurements, or 1 for each logarithm. Shape (n,)."""
        return np.ones(len(self.measured)) if self.logarithmic else self.measured * self.weights

    @property
    def size(self) -> float:
        """The length of `aim`, positive."""
        return float(column_lengths(self.aim[:, np.newaxis])[0]) or 1.0

    def __getitem__(self, rows: Array) -> Misfit:
        """Return the misfit on some of the configurations."""
        model = self.predictions
        predictions = Sensitivity(model.model, model.configurations[rows], model.free)
        return replace(self, predictions=predictions, measured=self.measured[rows], weights=self.weights[rows])

    def __call__(self, at: Array) -> tuple[Array, Array]:
        """Return the weighted residuals, shape (n,), and their derivatives, shape (n, k).

        Residuals are predicted - measured, or ln(predicted / measured); NaN where that is undefined.
        """
        predicted, slopes = self.predictions(at)
        with np.errstate(all="ignore"):
            if self.logarithmic:
                logarithms = np.log(np.where(predicted > 0, predicted, np.nan) / self.measured)
                return logarithms * self.weights, slopes * (self.weights / predicted)[:, np.newaxis]
            return (predicted - self.measured) * self.weights, slopes * self.weights[:, np.newaxis]

    def cost(self, at: Array) -> float:
        """Return the length of the weighted residuals, inf where there is no prediction."""
        residuals, slopes = self(at)
        if not (np.isfinite(residuals).all() and np.isfinite(slopes).all()):
            return math.inf
        return float(column_lengths(residuals[:, np.newaxis])[0])


@dataclass(frozen=True)
class Minimum:
    """The best point of a search."""

    at: Array  # the parameters, in their units, shape (k,)
    linear: bool  # whether no search was needed
    converged: bool = True  # whether the search converged


def search(misfit: Misfit) -> Minimum | None:
    """Return the parameters within bounds with the least misfit, None if no predictions are found.

    For a model that is linear in them this is exact (`solve`). Otherwise it is the best result of several searches by a
    trust region (scipy's `least_squares`). The first one starts from the benchmarked values, the others from the best
    of a fixed set of points, at each of which the parameters that enter linearly are solved for. Logarithms of
    predictions are linear in none, but one search starts from the least relative residuals.
    """
    free = misfit.predictions.free
    start = np.array([parameter.start for parameter in free])
    block = () if misfit.logarithmic else misfit.predictions.linear_block()
    if len(block) == len(free):
        at = _with_block(misfit, start, block)
        return None if at is None or not math.isfinite(misfit.cost(at)) else Minimum(at, linear=True)
    tried: list[tuple[float, int, Array]] = []
    for number, point in enumerate(start_points(misfit, start, block)):
        at = _with_block(misfit, point, block)
        if at is not None and math.isfinite(cost := misfit.cost(at)):
            tried.append((cost, number, at))
    begins = [start] if math.isfinite(misfit.cost(start)) else []
    if misfit.logarithmic:
        relative = search(replace(misfit, weights=misfit.weights / misfit.measured, logarithmic=False))
        if relative is not None and math.isfinite(misfit.cost(relative.at)):
            begins.append(relative.at)
    begins += [at for _, _, at in sorted(tried, key=lambda trial: trial[:2])[:_FOLLOWED]]
    best: tuple[float, Minimum] | None = None
    for begin in begins:
        followed, converged = trust_region_search(misfit, begin)
        at = polished(misfit, followed)
        cost = misfit.cost(at)
        # Of equally good minima the first one is kept: it was reached from the benchmarked values.
        if best is None or cost < best[0] * (1 - 1e-9) - 1e-13 * misfit.size:
            best = cost, Minimum(at, linear=False, converged=converged)
    if best is None:
        return None
    cost, minimum = best
    if misfit.logarithmic:
        # Of equally good values, take the nearest to the benchmarked ones, as without logarithms.
        slopes = misfit(minimum.at)[1]
        nearest = solve(slopes, slopes @ minimum.at, misfit.low, misfit.high, start)
        if dependence(slopes).dependent and misfit.cost(nearest) <= cost * (1 + 1e-9):
            cost, minimum = misfit.cost(nearest), replace(minimum, at=nearest)
    # Parameters without an effect keep their benchmarked values, also where the search began elsewhere.
    restored = np.where(column_lengths(misfit(minimum.at)[1]) == 0, start, minimum.at)
    return replace(minimum, at=restored) if misfit.cost(restored) <= cost * (1 + 1e-12) else minimum


def search_near(misfit: Misfit, begin: Array) -> Array | None:
    """Return the best parameters near others, as those of slightly different measurements; None without predictions."""
    if not misfit.logarithmic and len(misfit.predictions.linear_block()) == len(begin):
        minimum = search(misfit)
        return None if minimum is None else minimum.at
    return polished(misfit, trust_region_search(misfit, begin)[0]) if math.isfinite(misfit.cost(begin)) else None


def _with_block(misfit: Misfit, point: Array, block: tuple[int, ...]) -> Array | None:
    """Return a point with the parameters that enter linearly solved for, None where there are no predictions."""
    if not block:
        return point
    columns = list(block)
    origin = point.copy()
    origin[columns] = 0.0
    residuals, slopes = misfit(origin)
    slopes = slopes[:, columns]
    if not (np.isfinite(residuals).all() and np.isfinite(slopes).all()):
        return None
    origin[columns] = solve(slopes, -residuals, misfit.low[columns], misfit.high[columns], point[columns])
    return origin


def start_points(misfit: Misfit, start: Array, block: tuple[int, ...]) -> Iterator[Array]:
    """Yield start points: the start, then points that evenly fill the space of parameters that do not enter linearly.

    These are the additive recurrence of the generalised golden ratio (Roberts, 2018: R_d), which needs no seed.
    """
    yield start
    nonlinear = [index for index in range(len(start)) if index not in block]
    ratio = 2.0
    for _ in range(60):
        ratio = (1 + ratio) ** (1 / (len(nonlinear) + 1))
    steps = ratio ** -np.arange(1.0, len(nonlinear) + 1)
    for number in range(min(_TRIED * len(nonlinear), _MAX_TRIED)):
        point = start.copy()
        for index, share in zip(nonlinear, (0.5 + (number + 1) * steps) % 1.0, strict=True):
            point[index] = _within(misfit, index, float(share), number)
        yield point


def _within(misfit: Misfit, index: int, share: float, number: int) -> float:
    """Return a value within the bounds of a parameter: over magnitudes, or evenly between bounds of both signs."""
    low, high = float(misfit.low[index]), float(misfit.high[index])
    if math.isfinite(low) and math.isfinite(high):
        if low > 0:
            return float(np.clip(low * (high / low) ** share, low, high))
        if low < 0 or number % 2:
            return low + share * (high - low)
    parameter = misfit.predictions.free[index]
    below, above = (-_UNKNOWN_DECADES, _DECADES) if parameter.benchmarked is None else (-_DECADES, _DECADES)
    value = 10 ** (below + share * (above - below))
    if high <= 0 or (low < 0 and number % 2 == 1):
        value = -value
    # Every third point is of the size of the benchmarked value: exponents do not go over magnitudes.
    if number % 3 == 0:
        value = math.copysign(4 * share, value)
    return float(np.clip(value, low, high))


def trust_region_search(misfit: Misfit, begin: Array) -> tuple[Array, bool]:
    """Return the result of a search by a trust region, and whether it converged."""
    from scipy.optimize import least_squares

    size = misfit.size
    last: list[Array] = [begin]

    def residuals(at: Array) -> Array:
        return misfit(at)[0] / size

    def slopes(at: Array) -> Array:
        derivatives = misfit(at)[1] / size
        if np.isfinite(derivatives).all():
            last[0] = at
        return derivatives

    try:
        # The search also tries points without predictions, and rejects them.
        with np.errstate(all="ignore"):
            exactly = partial(least_squares, x_scale="jac", ftol=1e-14, xtol=1e-14, gtol=1e-14)
            bounds = misfit.low, misfit.high
            result = exactly(residuals, begin, jac=slopes, bounds=bounds, max_nfev=100 * len(begin))
    except (ValueError, np.linalg.LinAlgError):
        # Predictions without finite derivatives: the point reached before is polished, and its cost decides.
        return last[0], False
    return np.asarray(result.x), bool(result.status > 0)


def polished(misfit: Misfit, at: Array) -> Array:
    """Return a point after a few Gauss-Newton steps, in which bounds are met exactly, unlike in the search before."""
    cost = misfit.cost(at)
    for _ in range(20):
        residuals, slopes = misfit(at)
        if not (np.isfinite(residuals).all() and np.isfinite(slopes).all()):
            return at
        with np.errstate(all="ignore"):
            linearized = slopes @ at - residuals
        target = solve(slopes, linearized, misfit.low, misfit.high, at)
        for share in (1.0, 0.5, 0.1, 0.01):
            trial = target if share == 1.0 else at + share * (target - at)
            trial_cost = misfit.cost(trial)
            if trial_cost < cost or (share == 1.0 and trial_cost <= cost * (1 + 1e-12) and (trial != at).any()):
                break
        else:
            return at
        gain = cost - trial_cost
        at, cost = trial, trial_cost
        if gain <= 1e-15 * cost:
            return at
    return at


@dataclass(frozen=True)
class Dependence:
    """The columns of a matrix that are combinations of others."""

    lengths: Array  # the length of each column, shape (k,)
    basis: tuple[int, ...]  # the columns that are not, in order
    dependent: tuple[int, ...]  # columns that are combinations of the basis
    coefficients: Array  # of these combinations, between columns scaled to length 1, shape (basis, dependent)
    zero: tuple[int, ...]  # columns of zeros

    @property
    def directions(self) -> Array:
        """Changes of the unknowns without an effect, shape (k, dependent + zero)."""
        basis, dependent, zero = (list(columns) for columns in (self.basis, self.dependent, self.zero))
        directions = np.eye(len(self.lengths))[:, [*dependent, *zero]]
        directions[:, : len(dependent)] /= self.lengths[dependent]
        directions[basis, : len(dependent)] = -self.coefficients / self.lengths[basis, np.newaxis]
        return directions


def column_lengths(matrix: Array) -> Array:
    """Return the lengths of columns, without overflow, shape (k,)."""
    largest = np.abs(matrix).max(axis=0, initial=0.0)
    safe = np.where(largest > 0, largest, 1.0)
    return np.asarray(np.linalg.norm(matrix / safe, axis=0) * largest)


def dependence(matrix: Array) -> Dependence:
    """Return which columns are combinations of the ones before them. Shape (n, k), finite."""
    lengths = column_lengths(matrix)
    even = matrix / np.where(lengths > 0, lengths, 1.0)
    basis, zero = independent(even, COLLINEAR), np.flatnonzero(lengths == 0).tolist()
    dependent = [column for column in range(len(lengths)) if column not in (*basis, *zero)]
    coefficients = np.linalg.lstsq(even[:, basis], even[:, dependent], rcond=None)[0]
    coefficients = np.where(np.abs(coefficients) > 10 * COLLINEAR, coefficients, 0.0)
    return Dependence(lengths, tuple(basis), tuple(dependent), coefficients, tuple(zero))


def solve(matrix: Array, target: Array, low: Array, high: Array, preferred: Array) -> Array:
    """Return x within bounds that makes |matrix x - target| least; of several the one nearest to the preferred x.

    The columns of the matrix, shape (n, k), may differ in length by any number of magnitudes.
    """
    from scipy.optimize import lsq_linear

    known = dependence(matrix)
    size = float(column_lengths(target[:, np.newaxis])[0]) or 1.0
    # The change of each unknown that changes the target by its size.
    with np.errstate(over="ignore", invalid="ignore"):
        units = size / np.where(known.lengths > 0, known.lengths, size)
        even, aim = matrix / size * units, target / size
    if not (np.isfinite(units).all() and np.isfinite(even).all() and (units > 0).all()):
        raise LearningError(
            "the measured values are too large or too small beside what the model predicts",
            hint="give benchmarked values (or measurements) in another unit",
        )
    directions = np.linalg.qr(known.directions)[0].T
    if len(directions):
        # The preference decides along directions without an effect, and has no influence across them.
        rows = directions * units
        sizes = np.linalg.norm(rows, axis=1)
        rows, preference = rows / sizes[:, np.newaxis], directions @ preferred / sizes
        free = np.linalg.lstsq(np.vstack([even, rows]), np.concatenate([aim, preference]), rcond=None)[0] * units
        if ((low <= free) & (free <= high)).all():
            return np.asarray(free)
        # With bounds, preference and fit may conflict.
        even, aim = np.vstack([even, _GENTLE * rows]), np.concatenate([aim, _GENTLE * preference])
    with np.errstate(all="ignore"):
        # Bounds that force all columns far beyond the target have an infinite misfit.
        fit = lsq_linear(even, aim, (low / units, high / units), method="bvls", max_iter=100 * len(low), tol=1e-15)
    # A bound is met exactly, so that it can be recognised.
    x = np.clip(np.where(fit.active_mask < 0, low, np.where(fit.active_mask > 0, high, fit.x * units)), low, high)
    # A gentle preference is met to few digits; along directions that no bound is in the way of, it is met exactly.
    nearest = x + directions.T @ (directions @ (preferred - x))
    return nearest if ((low <= nearest) & (nearest <= high)).all() else x
