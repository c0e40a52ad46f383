"""Constraints that all rows of a table satisfy by far more than chance."""

from splc.system.mining.mined_constraint import MinedConstraint, MinedConstraints
from splc.system.mining.pairs import CHANCE, OptionRows, failing_combinations
from splc.system.mining.search import mined_constraints

__all__ = ["CHANCE", "MinedConstraint", "MinedConstraints", "OptionRows", "failing_combinations", "mined_constraints"]
