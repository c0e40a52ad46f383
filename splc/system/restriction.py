"""Systems in which some options have fixed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from splc.arithmetic.tree import Name, Number, Product
from splc.system.constraints import ArithmeticConstraint, BooleanConstraint, Constraint, OptionLiteral
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import DISABLED, ENABLED, VariabilityModel


def restricted(system: VariabilityModel, values: Mapping[str, int]) -> VariabilityModel:
    """Return a system whose valid configurations are those that have certain values of options."""
    stated: list[Constraint] = []
    for name, index in values.items():
        option = system.option(name)
        if isinstance(option, BinaryOption):
            stated.append(_literal(name, selected=index == 1))
            continue
        if option.optional:
            stated.append(_literal((DISABLED if index == len(option.values) else ENABLED) + name, selected=True))
        if index < len(option.values):
            stated.append(_equal(option, option.values[index]))
    return replace(system, constraints=(*system.constraints, *stated))


def _literal(name: str, *, selected: bool) -> BooleanConstraint:
    return BooleanConstraint((OptionLiteral(name, selected),), False, name if selected else f"!{name}")


def _equal(option: NumericOption, value: float) -> ArithmeticConstraint:
    # Comparisons tolerate differences of 1e-9 from values below 1: small values are compared in multiples of one.
    unit = min((abs(option_value) for option_value in option.values if option_value), default=1.0)
    left = Product(((1, Name(option.name)), (-1, Number(unit))))
    return ArithmeticConstraint(
        left, "=", Number(value / unit), "non-boolean", "all", False, f"{option.name} = {value:g}"
    )
