"""A scaling model: a PMNF function of one or several parameters, with its errors, notes and uncertainty.

Predictions at points beyond the measured ones have intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, reduce
from operator import mul
from typing import Any, Self

import numpy as np

from splc._version import __version__
from splc.errors import ConfigurationError, MeasurementError, plural
from splc.io.numbers import percentage
from splc.io.presentation import Bars, Presented
from splc.models.influence import InfluenceModel
from splc.models.terms import Factor, Term, exponent, factor_values
from splc.scaling.exponents import Exponents, column
from splc.scaling.intervals import PosteriorUncertainty, intervals
from splc.scaling.selection import FAR
from splc.types import Array


class Advice(str):
    """A note that advises other settings of the fit."""

    __slots__ = ("settings",)

    settings: Mapping[str, Any]  # the settings by their names

    @classmethod
    def of(cls, text: str, **settings: Any) -> Self:
        """Return the note with a text."""
        note = cls(text)
        note.settings = settings
        return note


@dataclass(frozen=True, repr=False)
class ScalingModel(Presented):
    """A model in the performance model normal form: coefficients times products of x^i * log2(x)^j."""

    names: tuple[str, ...]  # the parameters' names
    terms: tuple[tuple[Exponents, ...], ...]  # for each term the exponents of every parameter; all 0 is the constant
    coefficients: tuple[float, ...]  # the coefficient of each term
    ranges: tuple[tuple[float, float], ...]  # the smallest and the largest measured value of every parameter
    method: str  # the learner that found it
    settings: Mapping[str, Any] = field(hash=False)  # the learner's settings
    points: int  # number of distinct points
    measurements: int  # number of measurements that it was fitted to
    smape: float  # symmetric mean absolute percentage error at the measured points (0 to 200)
    adjusted_r2: float | None  # the adjusted share of the variance that it explains; None: too few points, no variance
    rss: float  # residual sum of squares at the measured points, in the unit of the values squared
    noise: float | None  # relative deviation of a measurement in percent, by repetitions or residuals; None if unknown
    certainty: float | None = None  # posterior probability of the lead term; None if the method has none
    notes: tuple[str, ...] = ()  # caveats
    below: ScalingModel | None = None  # for segmented data the lower segment's model; this one is the upper segment's
    change: float | None = None  # the end of the lower segment, a value of the parameter `changing`
    changing: str | None = None  # the parameter along which the behaviour changes
    # the source of prediction intervals
    uncertainty: PosteriorUncertainty | None = field(default=None, repr=False, compare=False)
    version: str = __version__  # the version of splc that made it

    @cached_property
    def model(self) -> InfluenceModel:
        """The same function as a performance-influence model (of the upper segment); logarithms have the base 10."""
        terms = []
        for term, coefficient in zip(self.terms, self.coefficients, strict=True):
            factors = tuple(
                Factor(name, exponent(exponents.power), exponent(exponents.log))
                for name, exponents in sorted(zip(self.names, term, strict=True))
                if not exponents.is_constant
            )
            logs = float(sum((exponents.log for exponents in term), Fraction(0)))
            terms.append((Term(factors), coefficient * float(np.log2(10.0)) ** logs))
        return InfluenceModel.from_terms(terms, self.names)

    @property
    def text(self) -> str:
        """The model as model text (of the upper segment)."""
        return self.model.text

    @cached_property
    def lead(self) -> dict[str, tuple[Fraction, Fraction]]:
        """The lead term: parameter → (power, log power); {} for a constant model.

        It is the term that contributes most where every parameter is four times its largest measured value
        (Following the Blind Seer, section 4.1).
        """

        def size(pair: tuple[tuple[Exponents, ...], float]) -> float:
            ends = zip(pair[0], self.ranges, strict=True)
            far = (float(column(factor, np.array([FAR * high]))[0]) for factor, (_, high) in ends)
            return sum(float(np.log(max(abs(value), 1e-300))) for value in (pair[1], *far))

        pairs = zip(self.terms, self.coefficients, strict=True)
        varying = [pair for pair in pairs if not all(factor.is_constant for factor in pair[0])]
        lead, _ = max(varying, key=size, default=((), 0.0))
        factors = zip(self.names, lead, strict=False)
        return {name: (factor.power, factor.log) for name, factor in factors if not factor.is_constant}

    def predict(self, x: Any) -> Array:
        """Return the predictions, one per point: of x's shape, or (n,).

        Args:
            x: for one parameter its values, of any shape; for several shape (n, parameters).

        Raises:
            ConfigurationError: if the shape does not fit, or the model has no finite value at a point.
        """
        rows, shape = self._rows(x)
        return self._values(rows).reshape(shape)

    def _values(self, rows: Array) -> Array:
        """Return the predictions at points, shape (points, parameters)."""
        columns = {name: rows[:, position] for position, name in enumerate(self.names)}
        total = np.zeros(len(rows))
        with np.errstate(all="ignore"):
            for term, influence in self.model.terms:
                factors = [factor_values(factor, columns[factor.option]) for factor in term.factors]
                total += influence * reduce(mul, factors) if factors else influence
        missing = np.isnan(rows)
        if np.count_nonzero(missing):
            total[missing.any(axis=1)] = np.nan
        if self.below is not None:
            lower = self._lower(rows)
            total[lower] = self.below.predict(rows[lower])
        wrong = ~np.isfinite(total)
        if np.count_nonzero(wrong):
            row = int(np.argmax(wrong))
            location = ", ".join(f"{name} = {rows[row, position]:g}" for position, name in enumerate(self.names))
            hint = "give smaller values, the prediction is too large"
            if missing[row].any():
                hint = "give a value of every parameter"
            elif (rows[row] <= 0).any():
                hint = "logarithms and roots need positive parameters"
            raise ConfigurationError(f"the model has no finite value where {location}", hint=hint)
        return total

    def interval(self, x: Any, level: float = 0.9) -> tuple[Array, Array]:
        """Return the bounds between which a new measurement is with a probability, each of the predictions' shape.

        They are infinite where too few points were measured.

        Args:
            x: as for `predict`.
            level: the probability, between 0 and 1.

        Raises:
            MeasurementError: if `level` is not between 0 and 1.
            ConfigurationError: as `predict`.
        """
        if not 0 < level < 1:
            raise MeasurementError(f"the level of an interval must be between 0 and 1, not {level:g}")
        rows, shape = self._rows(x)
        center = self._values(rows)
        if self.uncertainty is not None and len(rows):
            lower, upper = self.uncertainty.interval(rows, center, level)
        else:
            lower, upper = np.full(len(rows), -np.inf), np.full(len(rows), np.inf)
        if self.below is not None:
            is_lower = self._lower(rows)
            lower[is_lower], upper[is_lower] = self.below.interval(rows[is_lower], level)
        return np.minimum(lower, center).reshape(shape), np.maximum(upper, center).reshape(shape)

    def distance(self, x: Any) -> Array:
        """Return the factor by which points are beyond the measured ones, the largest over all parameters; 1 is inside.

        It is infinite where a factor does not exist, as beyond zero.

        Args:
            x: as for `predict`.
        """
        rows, shape = self._rows(x)
        segments = [self.ranges] if self.below is None else [self.ranges, self.below.ranges]
        lowest, highest = np.array(segments).min(axis=0)[:, 0], np.array(segments).max(axis=0)[:, 1]
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            beyond = np.where(rows > highest, rows / highest, np.where(rows < lowest, lowest / rows, 1.0))
            beyond = np.where((rows < lowest) | (rows > highest), np.where(beyond > 1, beyond, np.inf), 1.0)
        return np.asarray(beyond.max(axis=1)).reshape(shape)

    def _lower(self, rows: Array) -> Array:
        """Return which points the model of the lower segment is for."""
        at = 0 if self.changing is None else self.names.index(self.changing)
        return np.asarray(rows[:, at] <= (-np.inf if self.change is None else self.change))

    def _rows(self, x: Any) -> tuple[Array, tuple[int, ...]]:
        """Return points as rows, shape (points, parameters), and the shape that results have."""
        try:
            points = np.asarray(x, dtype=float)
        except (TypeError, ValueError):
            raise ConfigurationError("x is not an array of numbers") from None
        width = len(self.names)
        if width == 1:
            shape = points.shape[:-1] if points.ndim == 2 and points.shape[1] == 1 else points.shape
            return points.reshape(-1, 1), shape
        if points.ndim == 1 and len(points) == width:
            return points[None], ()
        if points.ndim != 2 or points.shape[1] != width:
            raise ConfigurationError(
                f"x has the shape {points.shape}", hint=f"give points of {', '.join(self.names)}: shape (n, {width})"
            )
        return points, points.shape[:1]

    def summary(self) -> str:
        """Return the model, its error and the notes as text."""
        points = plural(self.points, "point", "points")
        facts = [f"symmetric mean absolute percentage error {percentage(self.smape, 3)} at {points}"]
        if self.noise is not None:
            facts.append(f"noise of a measurement {percentage(self.noise, 3)}")
        return "\n".join([self.text, ", ".join(facts), *(f"note: {note}" for note in self.notes)])

    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the terms with their influences (of the upper segment)."""
        terms = self.model.terms
        return {
            "term": [term.text(self.names) for term, _ in terms],
            "influence": [influence for _, influence in terms],
        }

    def _bars(self) -> Bars:
        return self.model.bars

    def __str__(self) -> str:
        return self.text


LEVEL = 0.9


@dataclass(frozen=True)
class Prediction:
    """A prediction at one point."""

    at: Mapping[str, float]  # parameter → value
    predicted: float | None  # the prediction; None where the model has no finite value
    lower: float | None  # the lower bound of the interval; None: not finite, or not requested; `upper` likewise
    upper: float | None  # the upper bound of the interval
    distance: float  # by which factor the point is beyond the measured ones; 1 is inside
    level: float = LEVEL  # the probability with which a new measurement is in the interval


def predictions(
    models: Sequence[ScalingModel], points: Sequence[Mapping[str, float]], *, with_intervals: bool = True
) -> list[tuple[Prediction, ...]]:
    """Return the predictions of each model at points, each parameter → value; `with_intervals`: with intervals."""
    predictions_of: list[tuple[Prediction, ...]] = [()] * len(models)
    groups: dict[tuple[str, ...], list[int]] = {}
    for i, model in enumerate(models):
        groups.setdefault(model.names, []).append(i)
    for names, rows in groups.items():
        group = [models[row] for row in rows]
        x = np.array([[point[name] for name in names] for point in points], dtype=float)
        centers = np.array([_predicted(model, x) for model in group])
        unknown = np.full(centers.shape, np.nan)
        lower, upper = intervals_of(group, x, centers, LEVEL) if with_intervals else (unknown, unknown)
        for row, model, *numbers in zip(rows, group, centers, lower, upper, strict=True):
            center, low, high = (
                [value if np.isfinite(value) else None for value in values.tolist()] for values in numbers
            )
            predictions_of[row] = tuple(
                Prediction({name: point[name] for name in names}, center[i], low[i], high[i], distance)
                for i, (point, distance) in enumerate(zip(points, model.distance(x).tolist(), strict=True))
            )
    return predictions_of


def intervals_of(models: Sequence[ScalingModel], x: Array, centers: Array, level: float) -> tuple[Array, Array]:
    """Return the intervals of models at the same points, faster than `ScalingModel.interval` of each."""
    lower, upper = np.full(centers.shape, -np.inf), np.full(centers.shape, np.inf)
    unsegmented = [row for row, model in enumerate(models) if model.below is None and model.uncertainty is not None]
    known = [uncertainty for uncertainty in (models[row].uncertainty for row in unsegmented) if uncertainty is not None]
    if len(x):
        lower[unsegmented], upper[unsegmented] = intervals(known, x, centers[unsegmented], level)
    for row, model in enumerate(models):
        if model.below is not None:
            defined = np.isfinite(centers[row])
            lower[row, defined], upper[row, defined] = model.interval(x[defined], level)
    return np.minimum(lower, centers), np.maximum(upper, centers)


def _predicted(model: ScalingModel, x: Array) -> Array:
    """Return the predictions at points, NaN where the model has no finite value."""
    try:
        return model.predict(x)
    except ConfigurationError:
        return np.array([_predicted(model, x[[at]])[0] if len(x) > 1 else np.nan for at in range(len(x))])


def far_point(model: ScalingModel) -> dict[str, float]:
    """Return the point at four times the largest measured value of every parameter."""
    return {name: FAR * high for name, (_, high) in zip(model.names, model.ranges, strict=True)}
