"""Functions to model, with their measurements and costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from casestudies.scaling_evaluation.sparse_functions import LEAST, NOISE, functions
from splc.errors import SpecError
from splc.scaling import fit_many
from splc.types import Array

# Points (n, parameters), measurements (tasks, n, repetitions; NaN where none) and a target → predictions (tasks,).
Modeler = Callable[[Array, Array, Array], Array]


@dataclass(frozen=True, eq=False)
class Tasks:
    """Functions over the points of a grid."""

    costs: Array  # what each point costs, as a fraction of all points together, shape (tasks, n)
    measured: Array  # what is measured there, shape (tasks, n, repetitions)
    truth: Array  # the values at the target, without noise, shape (tasks,)

    def __len__(self) -> int:
        """Return the number of functions."""
        return len(self.truth)


# A number, and where draws come from → this number of tasks.
Draw = Callable[[int, np.random.Generator], Tasks]


@dataclass(frozen=True)
class Generator:
    """The paper's random functions of three parameters (`casestudies.scaling_evaluation.sparse_functions`)."""

    noise: float = NOISE  # largest relative deviation of a measurement
    repetitions: int = 4  # measurements per point
    least: float = LEAST  # the mean contribution that every term has at least

    def __post_init__(self) -> None:
        if not 0 <= self.noise < 1 or not 0 <= self.least < 1 or self.repetitions < 1:
            hint = "noise and least are fractions of at least 0 and below 1, repetitions a number of at least 1"
            raise SpecError(f"functions cannot be drawn like this: {self}", hint=hint)

    def __call__(self, number: int, rng: np.random.Generator) -> Tasks:
        """Draw and measure functions; a measurement costs p times its value (core hours)."""
        drawn = functions(3, number, rng, self.least)
        shape = (*drawn.values.shape, self.repetitions)
        measured = drawn.values[:, :, None] * (1 + rng.uniform(-self.noise, self.noise, shape))
        costs = drawn.points[:, 0] * drawn.values
        return Tasks(costs / costs.sum(axis=1, keepdims=True), measured, drawn.next)


def scaling_modeler(points: Array, measured: Array, target: Array) -> Array:
    """Predict by the project's scaling models (`splc.scaling.fit_many`)."""
    return np.array([float(model.predict(target)[0]) for model in fit_many(points, measured)])
