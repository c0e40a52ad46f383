"""Predictions of scaling models at points beyond the measured ones, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from splc.errors import ConfigurationError
from splc.scaling.result import ScalingModel
from splc.scaling.selection import FAR
from splc.types import Array

LEVEL = 0.9


@dataclass(frozen=True)
class Prediction:
    """A prediction at one point.

    Attributes:
        at: parameter → value.
        predicted: the prediction; None where the model has no finite value.
        lower: the lower bound of the interval; None where it is not finite or was not asked for, as for the upper one.
        upper: the upper bound of the interval.
        distance: by which factor the point is beyond the measured ones; 1 is inside.
        level: the probability with which a new measurement is in the interval.
    """

    at: Mapping[str, float]
    predicted: float | None
    lower: float | None
    upper: float | None
    distance: float
    level: float = LEVEL

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return asdict(self)


def predictions(
    model: ScalingModel, points: Iterable[Mapping[str, float]], *, intervals: bool = True
) -> tuple[Prediction, ...]:
    """Return the predictions of a model at points, each parameter → value; `intervals`: with intervals."""
    found = []
    for point in points:
        at = {name: point[name] for name in model.names}
        x = list(at.values()) if len(at) == 1 else [list(at.values())]
        distance = _only(model.distance(x))
        try:
            predicted = _only(model.predict(x))
            lower, upper = (_only(each) for each in model.interval(x, LEVEL)) if intervals else (None, None)
        except ConfigurationError:
            found.append(Prediction(at, None, None, None, distance))
        else:
            found.append(Prediction(at, predicted, lower, upper, distance))
    return tuple(found)


def far_point(model: ScalingModel) -> dict[str, float]:
    """Return the point at four times the largest measured value of every parameter."""
    return {name: FAR * high for name, (_, high) in zip(model.names, model.ranges, strict=True)}


def _only(values: Array) -> float:
    return float(values.reshape(-1)[0])
