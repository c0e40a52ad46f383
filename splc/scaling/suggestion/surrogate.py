"""The joint uncertainty of the value at a target and of measurements elsewhere, under all plausible hypotheses.

Each hypothesis of the posterior is a linear model with a normal posterior of its coefficients. A further measurement
changes their probabilities by Bayes' rule, and the prediction of each at the target by a rank-one update. The expected
variance afterwards is a mean over possible outcomes (law of total variance), without a new fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from splc.scaling.evidence import COMMON_SHARE
from splc.scaling.intervals import PosteriorUncertainty, mixture_intervals
from splc.types import Array

# Hypotheses with a smaller share of the probability are left out, and those beyond this number.
_SHARE = 1e-3
_MOST = 100
OUTCOMES = 24  # outcomes of a measurement: this number of hypotheses at most, and for each a Gauss-Hermite rule
NODES, NODE_WEIGHTS = (-np.sqrt(3.0), 0.0, np.sqrt(3.0)), (1 / 6, 2 / 3, 1 / 6)
# The power of the likelihood of a further measurement. Functions are rarely exactly one of the hypotheses: without it,
# cheap points and repetitions seem to tell hypotheses apart that they do not.
TEMPER = 0.5
_FACTOR = 8.0  # predictions at the target that differ by more than this factor are equally wrong
_TEMPORARY = 4_000_000  # numbers in a temporary array
_NO_VARIANCE = 1e-200  # a variance that counts as 0: its square root is below the rounding error of every value


@dataclass(frozen=True, eq=False)
class TargetSurrogate:
    """The plausible hypotheses with the normal posteriors of their coefficients, in the posterior's unit."""

    weights: Array  # probabilities, shape (hypotheses,)
    coefficients: Array  # shape (hypotheses, coefficients); 0 for unused ones
    covariances: Array  # of the coefficients, shape (hypotheses, coefficients, coefficients); 0 for unused ones
    noise: Array  # relative standard deviation of the mean of a typical point, shape (hypotheses,)
    single: Array  # relative variance of a measurement beyond that of such a mean, shape (hypotheses,)
    floors: Array  # the size that is added to a value to give what noise is relative to, shape (hypotheses,)
    freedoms: Array  # degrees of freedom, shape (hypotheses,)
    columns: Callable[[Array], Array]  # points (n, parameters) → values of columns, (hypotheses, coefficients, n)
    repetitions: float  # the number of measurements of a typical point
    size: float  # the mean size of the measured values
    positive: bool  # whether all measured values are positive

    @classmethod
    def of(cls, uncertainty: PosteriorUncertainty) -> TargetSurrogate:
        """Return the surrogate of a fitted quantity."""
        plausible = uncertainty.plausible
        logs = plausible.log_weights[: len(plausible.log_weights) - plausible.hidden]
        logs = logs - logs.max()
        rows = np.argsort(-logs, kind="stable")[:_MOST]
        rows = rows[np.exp(logs[rows]) > _SHARE]
        weights = np.exp(logs[rows])
        factors, noise = plausible.factors[rows], plausible.noise[rows]
        return cls(
            weights / weights.sum(),
            plausible.coefficients[rows],
            np.swapaxes(factors, 1, 2) @ factors * noise[:, None, None] ** 2,
            noise,
            plausible.single[rows],
            plausible.floors[rows],
            plausible.freedoms[rows],
            lambda points: plausible.columns(uncertainty.columns_of(points))[rows],
            float(1 / (1 / uncertainty.counts).mean()),
            float(np.abs(uncertainty.values).mean()),
            bool((uncertainty.values > 0).all()),
        )

    def after(self, point: Array, count: int, measured: int) -> TargetSurrogate:
        """Return the surrogate after `count` measurements of a point, as if they gave the expected value."""
        columns = self._columns(point[None])
        means = self._means(columns)
        shared = (self.covariances @ columns)[:, :, 0]
        noise = self._noise(columns, np.array([count]), np.array([measured]))
        variance = (self._covariance(columns, columns) + noise)[:, 0]
        residuals = _median(means[:, 0], self.weights) - means[:, 0]
        logs = self._logs - 0.5 * TEMPER * (residuals**2 / variance + np.log(variance))
        weights = np.exp(logs - logs.max())
        return replace(
            self,
            weights=weights / weights.sum(),
            coefficients=self.coefficients + shared * (residuals / variance)[:, None],
            covariances=self.covariances - shared[:, :, None] * shared[:, None] / variance[:, None, None],
        )

    @property
    def _logs(self) -> Array:
        return np.asarray(np.log(np.maximum(self.weights, 1e-300)))

    def _columns(self, points: Array) -> Array:
        """Return the finite values of the columns, shape (hypotheses, coefficients, points)."""
        with np.errstate(all="ignore"):
            columns = self.columns(points)
        return np.asarray(np.where(np.isfinite(columns), columns, 0.0))

    def _means(self, columns: Array) -> Array:
        return np.asarray((self.coefficients[:, :, None] * columns).sum(axis=1))

    def _sizes(self, columns: Array) -> Array:
        """Return the squares of what noise is relative to, shape (hypotheses, points)."""
        return np.asarray(np.maximum(np.abs(self._means(columns)) + self.floors[:, None], 1e-300) ** 2)

    def _noise(self, columns: Array, counts: Array, measured: Array) -> Array:
        """Return the variance of the information that new measurements add to existing ones, (hypotheses, points)."""

        def precision(number: Array) -> Array:
            with np.errstate(divide="ignore"):
                return np.asarray(1 / (COMMON_SHARE + (1 - COMMON_SHARE) * self.repetitions / number))

        added = precision(measured + counts) - np.where(measured > 0, precision(measured), 0.0)
        return np.asarray(self.noise[:, None] ** 2 * self._sizes(columns) / added)

    def interval(self, target: Array, center: float, level: float, *, noise: bool) -> tuple[float, float]:
        """Return the interval of the expected value at a target, or with the noise of a measurement there."""
        columns = self._columns(target[None])
        variances = self._covariance(columns, columns)
        if noise:
            variances = variances + (self.noise**2 + self.single)[:, None] * self._sizes(columns)
        means, errors = self._means(columns), np.sqrt(variances)
        number = np.array([len(means)])
        lower, upper = mixture_intervals(self._logs, means, errors, self.freedoms, np.array([[center]]), level, number)
        return float(lower[0, 0]), float(upper[0, 0])

    def variances(self, target: Array, points: Array, counts: Array, measured: Array) -> tuple[float, Array]:
        """Return the variance of the value at a target, and the one expected after measurements of each candidate.

        The variance is that of the logarithm, or relative where values are not positive; large errors are limited.
        """
        target_columns = self._columns(target[None])
        aim = self._means(target_columns)[:, 0]
        spread = self._covariance(target_columns, target_columns)[:, 0]
        scale = self.scale_at(aim)
        now = float(_variance(self.weights[:, None], *_limited(aim[:, None], spread[:, None], scale))[0])
        columns = self._columns(points)
        means = self._means(columns)
        shared = self._covariance(target_columns, columns)
        point_variances = self._covariance(columns, columns) + self._noise(columns, counts, measured)
        after = np.empty(len(points))
        step = max(_TEMPORARY // (len(self.weights) * OUTCOMES * len(NODES)), 1)
        for start in range(0, len(points), step):
            part = slice(start, start + step)
            after[part] = self._expected(aim, spread, scale, means[:, part], shared[:, part], point_variances[:, part])
        return now, after

    def _expected(
        self, aim: Array, spread: Array, scale: tuple[float, bool], means: Array, shared: Array, variance: Array
    ) -> Array:
        """Return the expected variances at the target, shape (candidates,); see `variances`."""
        # A hypothesis without a term that noise can change has no variance where there is no noise.
        variance = np.maximum(variance, _NO_VARIANCE)
        top = np.argsort(-self.weights, kind="stable")[:OUTCOMES]
        nodes, node_weights = np.array(NODES), np.array(NODE_WEIGHTS)
        # Outcomes: (hypotheses of outcomes, nodes, candidates), then flat: (outcomes, candidates).
        outcomes = means[top, None] + nodes[:, None] * np.sqrt(variance[top, None])
        outcomes = outcomes.reshape(-1, means.shape[1])
        shares = np.outer(self.weights[top] / self.weights[top].sum(), node_weights).ravel()
        residuals = outcomes - means[:, None]
        logs = self._logs[:, None, None] - 0.5 * TEMPER * (residuals**2 / variance[:, None] + np.log(variance)[:, None])
        logs -= logs.max(axis=0)
        weights = np.exp(logs)
        weights /= weights.sum(axis=0)
        updated = aim[:, None, None] + (shared / variance)[:, None] * residuals
        remaining = np.maximum(spread[:, None] - shared**2 / variance, 0.0)[:, None]
        return np.asarray(shares @ _variance(weights, *_limited(updated, remaining, scale)))

    def _covariance(self, first: Array, second: Array) -> Array:
        """Return covariances of predictions, shape (hypotheses, points); one point or as many as `second`."""
        return np.asarray(((self.covariances @ first) * second).sum(axis=1))

    def scale_at(self, aim: Array) -> tuple[float, bool]:
        """Return the size of the value at the target, and whether variances are those of the logarithm."""
        center = _median(aim, self.weights)
        logarithmic = center > 0 and self.positive
        return (center if logarithmic else max(abs(center), self.size)), logarithmic


def _limited(means: Array, variances: Array, scale: tuple[float, bool]) -> tuple[Array, Array]:
    """Return means and variances in units in which large errors are limited."""
    size, logarithmic = scale
    most = float(np.log(_FACTOR)) ** 2
    if logarithmic:
        ratio = np.clip(means / size, 1 / _FACTOR, _FACTOR)
        return np.log(ratio), np.minimum(variances / (ratio * size) ** 2, most)
    return np.clip(means / size, -_FACTOR, _FACTOR), np.minimum(variances / size**2, most)


def _variance(weights: Array, means: Array, variances: Array) -> Array:
    """Return the variance of mixtures; hypotheses come first."""
    middle = (weights * means).sum(axis=0)
    return np.asarray((weights * (variances + (means - middle) ** 2)).sum(axis=0))


def _median(values: Array, weights: Array) -> float:
    order = np.argsort(values, kind="stable")
    position = int(np.searchsorted(np.cumsum(weights[order]), 0.5))
    return float(values[order[min(position, len(order) - 1)]])
