"""An independent reading of what makes a configuration valid: one at a time, in plain Python."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from splc.system.constraints import ArithmeticConstraint, BooleanConstraint
from splc.system.options import BinaryOption
from splc.system.variability import ROOT, VariabilityModel
from tests.support.arithmetic_oracle import value

_COMPARE = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
    "!=": operator.ne,
}


def is_valid(model: VariabilityModel, values: dict[str, float]) -> bool:
    """Return whether one configuration (name → value; NaN is deselected) is valid."""

    def selected(name: str) -> bool:
        if name == ROOT:
            return True
        if name in model.switches:
            position, enabled = model.switches[name]
            return math.isnan(values[model.options[position].name]) != enabled
        option = model.option(name)
        return values[name] == 1 if isinstance(option, BinaryOption) else not math.isnan(values[name])

    return (
        _hierarchy(model, selected)
        and all(
            _boolean(constraint, selected)
            for constraint in model.constraints
            if isinstance(constraint, BooleanConstraint)
        )
        and all(_arithmetic(model, constraint, values) for constraint in model.arithmetic_constraints)
    )


def _hierarchy(model: VariabilityModel, selected: Callable[[str], bool]) -> bool:
    binary = {option.name: option for option in model.binary_options}
    excludes = {
        frozenset((option.name, group[0])) for option in binary.values() for group in option.excluded if len(group) == 1
    }
    for option in binary.values():
        parent = option.parent or ROOT
        if selected(option.name):
            if not selected(parent):
                return False
            if any(not any(selected(name) for name in group) for group in option.implied):
                return False
        excluded = [other for other in binary if frozenset((option.name, other)) in excludes and other != option.name]
        if selected(option.name) and any(selected(other) for other in excluded):
            return False
        rivals = [other for other in excluded if not binary[other].optional and binary[other].parent == option.parent]
        if not option.optional and selected(parent):
            if not excluded and not selected(option.name):
                return False
            if rivals and not any(selected(name) for name in (option.name, *rivals)):
                return False
    return True


def _boolean(constraint: BooleanConstraint, selected: Callable[[str], bool]) -> bool:
    truths = [selected(literal.name) == literal.positive for literal in constraint.literals]
    return all(truths) if constraint.conjunction else any(truths)


def _arithmetic(model: VariabilityModel, constraint: ArithmeticConstraint, values: dict[str, float]) -> bool:
    seen: dict[str, float] = {ROOT: 1.0}
    for name in constraint.names:
        if name == ROOT:
            continue
        if name in model.switches:
            position, enabled = model.switches[name]
            seen[name] = float(math.isnan(values[model.options[position].name]) != enabled)
            binary = True
        else:
            seen[name] = values[name]
            binary = isinstance(model.option(name), BinaryOption)
        if binary and seen[name] == 0 and constraint.requires == "all":
            return True
        if math.isnan(seen[name]):
            return True
    left, right = (value(side, seen, zero_safe=True) for side in (constraint.left, constraint.right))
    if abs(left - right) <= 1e-9 * max(abs(left), abs(right), 1.0):
        left = right
    return bool(_COMPARE[constraint.comparison](left, right) != constraint.negated)
