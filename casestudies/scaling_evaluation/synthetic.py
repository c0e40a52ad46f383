"""A synthetic evaluation: scaling models of known random functions.

The modules `single_functions` and `sparse_functions` define what is drawn and how models are scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from casestudies.scaling_evaluation.scaling import ScalingEvaluation


@dataclass(frozen=True)
class SyntheticEvaluation(ScalingEvaluation):
    """The settings that both synthetic evaluations have."""

    # how many functions are drawn of each kind; None: as many as the evaluation usually has
    functions: int | None = None
    seed: int = 0  # of the draws
    noise: tuple[float, ...] = ()  # largest relative deviations of a measurement; one evaluation each

    def picture_names(self) -> tuple[str, ...]:
        """Return the names of all pictures: one per noise."""
        return tuple(f"pictures/noise-{100 * noise:g}.png" for noise in self.noise)

    def shared(self) -> dict[str, Any]:
        """Return the settings that decide the rows of every cell, in JSON's types."""
        return {"functions": self.functions, "seed": self.seed}
