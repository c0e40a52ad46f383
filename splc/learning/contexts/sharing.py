"""Learn the values of a context together: each value with the joint model, unless learning alone is clearly better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning.contexts.joint_model import ContextRows, JointModel, fit_joint_model
from splc.learning.contexts.mapped_model import fit_mapped_model
from splc.learning.contexts.resampled_errors import shares_of_smaller_errors
from splc.learning.problem import LearningProblem
from splc.learning.projection import NO_INFLUENCE, FullModel, SingleFit, variables_of, varies
from splc.types import Array

# A value of the context is learned alone if its held-out errors are then smaller in this share of the resamples.
ALONE = 0.8
# Fewer rows cannot show that learning alone is better.
FEWEST = 10


@dataclass(frozen=True, eq=False)
class SharedFit:
    """Fits the full model of one value of a context with the rows of all values."""

    name: str  # the value
    sharing: Sharing  # the rows of all values

    def __call__(self, problem: LearningProblem, alone: SingleFit, on_fit: Callable[[int], None]) -> FullModel:
        """Return the full model: the joint one, unless the one of these rows alone is clearly better."""
        rows = ContextRows.of(problem.configurations, problem.target, problem.repetitions)
        joint = self.sharing.joint(self.name, rows, on_fit)
        mapped = fit_mapped_model(joint, self.name, {**self.sharing.parts, self.name: rows})
        shared = joint.of(self.name) if mapped is None else mapped
        # The rows that are given may be in another order.
        shared = replace(shared, rows=rows.configurations.find(shared.configurations))
        # The test whether influences can be distinguished from noise takes longest: it is left out where both of its
        # results have the same consequence.
        single = alone(tested=False)
        constant = replace(single, refits=None, constant=NO_INFLUENCE)
        weight, other = (weight_of_alone(each, shared, len(rows.y)) for each in (single, constant))
        if max(weight, other) > ALONE:
            single = alone()
            weight = weight_of_alone(single, shared, len(rows.y))
        if self.sharing.is_given(self.name, rows):
            self.sharing.weights[self.name] = weight
        return single if weight > ALONE else shared


class Sharing:
    """The rows of all values of a context, and their joint model.

    Args:
        parts: value of the context → what was measured of it.
        scale: the scale of the full models, see `splc.learning.projection.fit_full_model`.

    Attributes:
        weights: value → the weight of learning it alone, of the values that were learned.
    """

    def __init__(self, parts: Mapping[str, ContextRows], scale: str = "auto") -> None:
        self.parts, self.scale = dict(parts), scale
        self.weights: dict[str, float] = {}
        self._joint: JointModel | None = None

    @classmethod
    def of(cls, parts: Mapping[str, Measurements], nfp: str, scale: str = "auto") -> Sharing:
        """Return the rows of all values of a context that have a value of the property."""
        rows = {}
        for value, part in parts.items():
            usable = part.measured(nfp)
            rows[value] = ContextRows.of(usable.configurations, usable.column(nfp), usable.repetitions(nfp))
        return cls(rows, scale)

    @property
    def given(self) -> JointModel | None:
        """The joint model of the given rows, None if it was not fitted yet."""
        return self._joint

    @property
    def counts_numbers(self) -> bool:
        """True if the values of the context count as numbers in the joint model of the given rows."""
        context = None if self._joint is None else self._joint.whole.basis.context
        return context is not None and bool(context.numbers)

    def weights_of(self, values: Iterable[str]) -> dict[str, float]:
        """Return value → the weight of learning it alone, of those values that were learned."""
        return {value: self.weights[value] for value in values if value in self.weights}

    def fit_of(self, name: str) -> SharedFit | None:
        """Return the fit of one value; None without rows of it and of others."""
        return SharedFit(name, self) if name in self.parts and len(self.parts) > 1 else None

    def is_given(self, name: str, own: ContextRows) -> bool:
        """Return whether rows are those that are given of a value; the rows of a fold are fewer."""
        part = self.parts[name]
        return len(part.y) == len(own.y) and bool((own.configurations.find(part.configurations) >= 0).all())

    def joint(self, name: str, own: ContextRows, on_fit: Callable[[int], None] = lambda iterations: None) -> JointModel:
        """Return the joint model of all values, with these rows of one of them."""
        if not self.is_given(name, own):
            return _fitted({**self.parts, name: own}, self.scale, on_fit)
        if self._joint is None:
            self._joint = _fitted(self.parts, self.scale, on_fit)
        return self._joint


def weight_of_alone(alone: FullModel, shared: FullModel, rows: int) -> float:
    """Return the weight of a model of rows alone beside one of all rows, between 0 and 1.

    It is the share of the resamples in which it has smaller errors of held-out values, by both measures; 0 with few
    rows.
    """
    if shared.refits is None:
        return 1.0
    if rows < FEWEST:
        return 0.0
    first, second = (_residuals(model, rows) for model in (alone, shared))
    finite = np.isfinite(first) & np.isfinite(second)
    if not finite.any():
        return 0.0
    return min(shares_of_smaller_errors(first[finite], second[finite], positive=shared.scale.positive))


def _residuals(model: FullModel, rows: int) -> Array:
    """Return the errors of held-out values, shape (rows,); NaN of other rows."""
    residuals = np.full(rows, np.nan)
    residuals[model.rows] = model.residuals
    return residuals


def _fitted(parts: Mapping[str, ContextRows], scale: str, on_fit: Callable[[int], None]) -> JointModel:
    every = Configurations.concatenate([part.configurations for part in parts.values()])
    variables = tuple(variable for variable in variables_of(every.system) if varies(variable, every))
    return fit_joint_model(parts, variables, scale, on_fit)
