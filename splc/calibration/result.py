"""The result of a calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from splc.errors import listed, plural
from splc.io.numbers import number_text, percentage
from splc.io.presentation import Presented
from splc.models.influence import InfluenceModel

Weights = Literal["relative", "absolute", "log"]
WEIGHTS: tuple[Weights, ...] = ("relative", "absolute", "log")


@dataclass(frozen=True)
class Estimate:
    """The estimate of a free parameter."""

    name: str  # its name
    value: float  # its estimate; of a table its representative row's; if not determined, one of those that fit equally
    low: float | None  # the lower end of its interval, cut off at bounds; None if it is not determined
    high: float | None  # the upper end
    benchmarked: float | None  # the value before the calibration; None if there is none
    at_bound: Literal["low", "high"] | None = None  # the bound that it is equal to, None for neither
    determined: bool = True  # whether the measurements determine it
    factor: float | None = None  # of a table the factor on all of its rows, None for a number
    key: float | None = None  # the key of the row that represents a table, None for a number
    by: str = ""  # the expression of the table, empty for a number

    @property
    def ratio(self) -> float | None:
        """Estimate / benchmarked value; None where there is no such value, or it is 0."""
        return self.value / self.benchmarked if self.benchmarked else None

    @property
    def ratio_interval(self) -> tuple[float, float] | None:
        """The interval of the ratio, None where one of the two has none."""
        if self.low is None or self.high is None or not self.benchmarked:
            return None
        low, high = sorted((self.low / self.benchmarked, self.high / self.benchmarked))
        return low, high


@dataclass(frozen=True)
class DeterminedCombination:
    """A combination of parameters that is determined although they are not."""

    kind: Literal["sum", "product"]  # 'sum': each parameter times its number; 'product': each to the power of it
    parts: tuple[tuple[str, float], ...]  # (parameter, number); of a table the row that represents it
    value: float  # its estimate
    low: float  # the lower end of its interval
    high: float  # the upper end

    @property
    def text(self) -> str:
        """The combination as text: `alpha + 512 * beta`, `scale * f`."""
        pieces: list[str] = []
        for name, number in self.parts:
            size = number_text(float(f"{abs(number):.6g}"))
            if self.kind == "product":
                power = "" if size == "1" else f"^{size}"
                pieces.append((" / " if number < 0 else " * ") * bool(pieces) + name + power)
            else:
                times = "" if size == "1" else f"{size} * "
                pieces.append((" - " if number < 0 else " + ") * bool(pieces) + times + name)
        return "".join(pieces)


@dataclass(frozen=True)
class Confounded:
    """Parameters that the measurements cannot tell apart."""

    names: tuple[str, ...]  # the parameters
    combinations: tuple[DeterminedCombination, ...]  # those that are determined; empty if there are no simple ones


@dataclass(frozen=True)
class Residual:
    """A configuration with its measured and predicted value."""

    configuration: Mapping[str, float]  # option → value
    text: str  # the configuration as text
    measured: float  # the measured value
    predicted: float  # the prediction

    @property
    def error(self) -> float | None:
        """The relative error, (predicted - measured) / |measured|, in percent; None where 0 was measured."""
        return 100 * (self.predicted / self.measured - 1) * (1 if self.measured > 0 else -1) if self.measured else None


@dataclass(frozen=True, repr=False)
class Calibration(Presented):
    """Free parameters of a model, estimated from measurements."""

    model: InfluenceModel  # the model with the estimates
    estimates: tuple[Estimate, ...]  # one per free parameter, in the order of the request
    confounded: tuple[Confounded, ...]  # groups of parameters that cannot be told apart
    without_effect: tuple[str, ...]  # parameters that change none of the predictions
    weights: Weights  # the residuals: relative, absolute, or logarithms of predicted / measured
    level: float  # the level of the intervals
    linear: bool  # whether the prediction is linear in the free parameters: the estimate is exact and global
    converged: bool  # whether the search converged (always, if it is linear)
    configurations: int  # the number of fitted configurations
    zeros: int  # configurations left out because the value is 0 (relative residuals) or not positive (logarithms)
    missing: int  # the number of configurations without a finite measured value
    degrees: int  # degrees of freedom left
    deviation: float  # standard deviation: a fraction (relative), in the property's unit (absolute), or of logarithms
    error_before: float | None  # mean relative error in percent with the benchmarked values, where there is one
    error_after: float | None  # the same with the estimates, on the configurations that they were estimated from
    # the same where each configuration is predicted with estimates from the others (all but its fold); None where that
    # was not requested, or some of these have no predictions
    error_cross_validated: float | None = None
    folds: int = 0  # the number of folds of the cross-validation; 0: none
    worst: tuple[Residual, ...] = ()  # the configurations with the greatest residuals (weighted), the worst one first

    def __getitem__(self, name: str) -> Estimate:
        """Return the estimate of a parameter."""
        return next(estimate for estimate in self.estimates if estimate.name == name)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """The parameters that the measurements do not determine."""
        return tuple(estimate.name for estimate in self.estimates if not estimate.determined)

    def summary(self) -> str:
        """Return the estimates and the errors as text."""
        names = listed([estimate.name for estimate in self.estimates])
        lines = [f"estimates of {names} from {plural(self.configurations, 'configuration', 'configurations')}"]
        for estimate in self.estimates:
            interval = "not determined" if estimate.low is None else f"{estimate.low:.6g} to {estimate.high:.6g}"
            lines.append(f"{estimate.name} = {estimate.value:.6g} ({interval})")
        errors = {"": self.error_after, " with the benchmarked values": self.error_before}
        if self.folds:
            errors[" cross-validated"] = self.error_cross_validated
        known = [f"{percentage(error, 3)}{name}" for name, error in errors.items() if error is not None]
        return "\n".join([*lines, f"mean relative error: {', '.join(known) or 'undefined'}"])

    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the estimates with their intervals and benchmarked values."""
        fields = ("name", "value", "low", "high", "benchmarked", "ratio", "determined", "at_bound")
        return {field: [getattr(estimate, field) for estimate in self.estimates] for field in fields}
