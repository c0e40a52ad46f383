"""The differences between two values of a context: contrasts of the posterior of their joint model."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.contexts.change_test import option_column
from splc.learning.contexts.joint_model import JointModel
from splc.learning.projection import KernelDesign
from splc.models.basis.regression import NORMAL_QUANTILE
from splc.types import Array

# A change is stated if it is larger than this many standard deviations.
SETTLED = 2.0


@dataclass(frozen=True)
class InfluenceContrast:
    """The influence of an option with one value of a context relative to that with another one.

    Attributes:
        option: the option.
        factor: the factor between its greatest and its least value, or selected and not, after relative to before.
        low: the lower end of the 90 % interval.
        high: the upper end.
        settled: whether the change is larger than its uncertainty.
    """

    option: str
    factor: float
    low: float
    high: float
    settled: bool


@dataclass(frozen=True)
class ContextContrast:
    """The values with one value of a context relative to those with another one.

    Attributes:
        first: the value of the context before.
        second: the value after.
        factor: the common factor: the geometric mean of the ratios over valid configurations.
        low: the lower end of its 90 % interval.
        high: the upper end.
        influences: the influences, the largest change first.
    """

    first: str
    second: str
    factor: float
    low: float
    high: float
    influences: tuple[InfluenceContrast, ...]

    @property
    def settled(self) -> tuple[InfluenceContrast, ...]:
        """The influences that changed by more than their uncertainty."""
        return tuple(each for each in self.influences if each.settled)

    @property
    def rest(self) -> float:
        """The largest change among the others, as a factor above 1; 1 if there are none."""
        rest = [abs(math.log(each.factor)) for each in self.influences if not each.settled]
        return math.exp(max(rest, default=0.0))


def contrast(joint: JointModel, first: str, second: str, configurations: Configurations) -> ContextContrast | None:
    """Return what differs between two values of a context; None of a model without factors, or without influences.

    Options are linear in it: a change of an interaction counts for its options, at the mean of the others.

    Args:
        joint: the joint model.
        first: the value before.
        second: the value after.
        configurations: m valid configurations to average over.
    """
    whole = joint.whole
    if whole.refits is None or whole.scale.name != "log":
        return None
    names = [name for variable in whole.basis.variables for name in variable.members]
    columns = {name: option_column(configurations.column(name)) for name in names}
    columns = {name: column for name, column in columns.items() if np.ptp(column) > 0}
    centred = np.column_stack([np.ones(len(configurations)), *(each - each.mean() for each in columns.values())])
    spans = np.array([1.0, *(float(np.ptp(each)) for each in columns.values())])
    weights = np.linalg.pinv(centred) * spans[:, None]
    both = [joint.of(name).basis.designs(configurations) for name in (first, second)]
    means, covariances = [], []
    for part in whole.refits.parts:
        before, after = (designs[part.kind] for designs in both)
        mean, covariance = part.projected(_joined(before, after), np.hstack([-weights, weights]))
        means.append(mean)
        covariances.append(covariance)
    mean = np.mean(means, axis=0)
    deviation = np.sqrt(np.maximum(np.diag(np.mean(covariances, axis=0)), 0.0) + np.var(means, axis=0))
    settled = abs(mean) > SETTLED * deviation
    ends = (mean, mean - NORMAL_QUANTILE * deviation, mean + NORMAL_QUANTILE * deviation)
    factors, low, high = (np.exp(np.clip(each, -600, 600)).tolist() for each in ends)
    found = [
        InfluenceContrast(name, factors[at], low[at], high[at], bool(settled[at]))
        for at, name in enumerate(columns, start=1)
    ]
    ranked = sorted(found, key=lambda each: -abs(math.log(each.factor)))
    return ContextContrast(first, second, factors[0], low[0], high[0], tuple(ranked))


def _joined(first: KernelDesign, second: KernelDesign) -> KernelDesign:
    """Return the rows of two designs, one after the other."""
    columns: Array = np.vstack([first.columns, second.columns])
    return KernelDesign(columns, first.starts, first.signs, first.relevances)
