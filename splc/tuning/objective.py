"""The objective of a tuning run: the property to make small or large, limits of others, and when runs end early."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import MeasurementError
from splc.learning.active.search_model import SearchModel
from splc.tuning.history import History
from splc.types import Array


@dataclass(frozen=True)
class Limit:
    """A limit of a property."""

    nfp: str  # the property
    relation: Literal["<=", ">="]  # whether its values must be at most or at least the limit
    value: float  # the limit

    def holds(self, value: float) -> bool:
        """Return whether a value is within the limit."""
        return value <= self.value if self.relation == "<=" else value >= self.value

    def log_probability(self, means: Array, deviations: Array, model: SearchModel) -> Array:
        """Return the logarithm of the probability that the limit holds, given moments on the scale of the model."""
        from scipy.special import log_ndtr

        with np.errstate(divide="ignore", invalid="ignore"):
            limit = float(model.transformed(np.array([self.value]))[0])
        if np.isnan(limit):
            # Values of ln y are above any negative limit.
            limit = -model.sign * np.inf
        return np.asarray(log_ndtr((limit - means) / np.maximum(deviations, 1e-9)))


@dataclass(frozen=True)
class Goal:
    """A property to minimize or to maximize."""

    nfp: str  # the property
    maximize: bool = False  # whether large values are good


@dataclass(frozen=True)
class TuningObjective:
    """The goal of a tuning run: a property, or the Pareto front of several, and limits of others."""

    nfp: str  # the property, the first of several
    maximize: bool = False  # whether large values of it are good
    limits: tuple[Limit, ...] = ()  # limits of other properties
    cost: str | None = None  # a property that is the cost of a run; None if all runs cost the same
    further: tuple[Goal, ...] = ()  # the other properties of a front

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals of all properties to optimize."""
        return (Goal(self.nfp, self.maximize), *self.further)

    @property
    def properties(self) -> tuple[str, ...]:
        """The properties that every run must report."""
        cost = () if self.cost is None else (self.cost,)
        goals = [goal.nfp for goal in self.goals]
        return tuple(dict.fromkeys((*goals, *(limit.nfp for limit in self.limits), *cost)))

    def values_of(self, value: float | Mapping[str, float]) -> dict[str, float]:
        """Return property → value of what a run reports, those that it must report first."""
        values = value if isinstance(value, Mapping) else {self.nfp: value}
        for name in self.properties:
            if name not in values:
                raise MeasurementError(f"the run has no value of {name}")
        ordered = {name: float(values[name]) for name in dict.fromkeys((*self.properties, *values))}
        for name, number in ordered.items():
            if not math.isfinite(number):
                raise MeasurementError(f"{name} is {number}, not a finite number")
        if self.cost is not None and ordered[self.cost] <= 0:
            raise MeasurementError(f"{self.cost} is the cost of a run, which must be positive")
        return ordered

    def admissible(self, history: History, row: int) -> bool:
        """Return whether a configuration was measured and is within all limits, by its mean values."""
        if history.mean(row, self.nfp) is None:
            return False
        means = [(limit, history.mean(row, limit.nfp)) for limit in self.limits]
        return all(mean is not None and limit.holds(mean) for limit, mean in means)

    def with_limits(self, worths: Array, models: Mapping[str, SearchModel], candidates: Configurations) -> Array:
        """Return log worths times the probability that the limits hold; a limit without a model is left out."""
        for limit in self.limits:
            if limit.nfp in models:
                model = models[limit.nfp]
                worths = worths + limit.log_probability(*model.moments(candidates), model)
        return worths

    def better(self, first: float, second: float) -> bool:
        """Return whether the first value is better."""
        return first > second if self.maximize else first < second

    def wants_large(self, nfp: str) -> bool:
        """Return whether large values of a property are good."""
        goals = {goal.nfp: goal.maximize for goal in self.goals}
        return goals.get(nfp, any(limit.nfp == nfp and limit.relation == ">=" for limit in self.limits))


def racing_value(history: History, objective: TuningObjective, factor: float) -> float | None:
    """Return the value at which a run can be ended: a factor times the best mean value within the limits.

    None before there is a positive one.
    """
    means = [
        history.mean(row, objective.nfp) or 0.0
        for row in range(len(history.configurations))
        if objective.admissible(history, row)
    ]
    return factor * min(means) if means and min(means) > 0 else None
