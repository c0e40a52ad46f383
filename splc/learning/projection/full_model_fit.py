"""Fits of full models: from the rows of a problem alone, or from further rows, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from splc.learning.problem import LearningProblem
from splc.learning.projection.full_model import FullModel


class SingleFit(Protocol):
    """Fits the full model of the rows of a problem alone."""

    def __call__(self, tested: bool = True) -> FullModel:
        """Return the full model; `tested`: whether it is a constant without clear influences."""


class FullModelFit(Protocol):
    """Returns the full model of a problem that learns from further rows, such as those of other versions."""

    def __call__(self, problem: LearningProblem, alone: SingleFit, on_fit: Callable[[int], None]) -> FullModel:
        """Return the full model."""
