"""The result of `suggest`: points to measure next, and what is known at the target."""

from __future__ import annotations

from dataclasses import dataclass

from splc.scaling.result import ScalingModel


@dataclass(frozen=True)
class Suggestion:
    """A point to measure.

    Attributes:
        point: its coordinates.
        expected: the value that the model predicts there, at least 0.
        lower, upper: the 90 % interval of a measurement there, at least 0; infinite where too little is known.
        cost: the cost of all suggested measurements of it.
        reason: the reason for this point.
        measured: the number of existing measurements of it; above 0, it is measured again.
        gain: the expected reduction of the variance at the target, in percent; None without a target, and for points
            that are suggested for another reason.
    """

    point: tuple[float, ...]
    expected: float
    lower: float
    upper: float
    cost: float
    reason: str
    measured: int = 0
    gain: float | None = None


@dataclass(frozen=True)
class TargetPrediction:
    """The prediction at the target.

    Attributes:
        point: its coordinates.
        predicted: the prediction.
        lower, upper: the 90 % interval of a measurement there, as of `splc scale`; infinite where too little is known.
        mean: that of the expected value, the mean of many measurements.
    """

    point: tuple[float, ...]
    predicted: float
    lower: float
    upper: float
    mean: tuple[float, float]

    @property
    def error(self) -> float:
        """The half width of the interval `mean`: the larger distance of a bound, in percent of the prediction."""
        distance = max(self.mean[1] - self.predicted, self.predicted - self.mean[0])
        if distance == 0:
            return 0.0
        return 100 * distance / abs(self.predicted) if self.predicted else float("inf")


@dataclass(frozen=True)
class Suggestions:
    """The points to measure next, and the model of the measured ones."""

    names: tuple[str, ...]  # the parameters
    # the points in the order in which to measure them; empty if no more measurements are needed
    points: tuple[Suggestion, ...]
    why: str  # the reason for these points, or for none
    done: bool  # whether the model is good enough, or the budget is spent
    model: ScalingModel  # the model of what was measured
    strategy: str  # 'target' or 'cheapest'
    target: TargetPrediction | None  # the prediction at the target; None without one
    # mean relative error in percent of predicting points off the cheapest lines from all others; None with a target,
    # and where there are none
    error: float | None
    checked: int  # the number of these points
    spent: float  # the cost of the existing measurements
    repetitions: int  # measurements per suggested point, which costs include
    candidates: int  # the number of points that were considered
    notes: tuple[str, ...] = ()  # parameters without a visible effect, and limits of the criterion
