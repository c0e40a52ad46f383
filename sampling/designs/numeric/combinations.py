"""Combinations of numeric values that satisfy the constraints among numeric options."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sampling.space.parts import Parts
from sampling.space.rows import without_repeats
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.errors import SpaceError
from splc.system.variability import VariabilityModel
from splc.types import Array


class Combinations:
    """The combinations of values of all numeric options of a system.

    Constraints that depend on binary options, or on whether an optional numeric option has a value, are not considered.

    Args:
        system: the system.
    """

    def __init__(self, system: VariabilityModel) -> None:
        options = tuple(replace(option, parent=None, deselected_flag=None) for option in system.numeric_options)
        fixed = {option.name for option in system.numeric_options if not option.optional}
        stated = tuple(constraint for constraint in system.arithmetic_constraints if fixed.issuperset(constraint.names))
        self.system = VariabilityModel(system.name, options, stated)
        self.sizes = [len(option.values) for option in options]
        self._space = Space(self.system)

    def valid(self, rows: Array) -> Array:
        """Return the distinct rows that satisfy the constraints, in order of first appearance."""
        rows = without_repeats(rows)
        return rows[self._space.check(Configurations(self.system, rows))] if len(rows) else rows

    def at(self, points: Array) -> Array:
        """Return the value indices of points of the unit cube [0, 1)^k, shape (n, k).

        Each value of an option has an equal share of the unit interval.
        """
        sizes = np.array(self.sizes)
        rows: Array = np.minimum((points * sizes).astype(np.int64), sizes - 1)
        return rows


def require_room(text: str, parts: Parts, n: int) -> None:
    """Check that there are at least n valid combinations of numeric values."""
    # The product is a bound that needs no diagram.
    bound = math.prod(len(option.values) for option in parts.system.numeric_options)
    count = bound if n > bound else parts.numeric.count
    if n > count:
        raise SpaceError(
            f"{text}: there are only {count:,} valid numeric parts, not {n:,}", hint=f"ask for at most {count:,}"
        )
