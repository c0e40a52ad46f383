"""Systems derived from others: with more values of options, with fixed ones, and those of several models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from splc.arithmetic.tree import Name, Number, Product
from splc.system.constraints import ArithmeticConstraint, BooleanConstraint, Constraint, OptionLiteral
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import DISABLED, ENABLED, VariabilityModel


def extended(system: VariabilityModel, values: Mapping[str, Sequence[float]]) -> VariabilityModel:
    """Return a system with additional values of options; its constraints are those of the system.

    Those that were inferred from a table say nothing about further values of their options.
    """
    options = (_extended(option, values.get(option.name, ())) for option in system.options)
    ordered = tuple(sorted(options, key=lambda option: isinstance(option, NumericOption)))
    rules = (rule for rule in system.constraints if not (system.inferred and values.keys() & set(rule.names)))
    return replace(system, options=ordered, constraints=tuple(rules))


def open_options(system: VariabilityModel) -> tuple[Option, ...]:
    """Return the options that can have further values: the numeric ones, of a table also columns of zeros and ones."""
    parents = {option.parent for option in system.options}

    def is_plain(option: BinaryOption) -> bool:
        alone = option.parent is None and option.name not in parents
        return alone and not (option.excluded or option.implied)

    return tuple(
        option
        for option in system.options
        if isinstance(option, NumericOption) or (system.inferred and is_plain(option))
    )


def _extended(option: Option, values: Sequence[float]) -> Option:
    if not len(values):
        return option
    if isinstance(option, NumericOption):
        return replace(option, values=tuple(sorted({*option.values, *values})))
    return NumericOption(option.name, tuple(sorted({0.0, 1.0, *values})))


def joint_system(systems: Sequence[VariabilityModel]) -> VariabilityModel | None:
    """Return a system that has the configurations of several ones; None if their options differ in more than values.

    It has the constraints that all have: descriptions inferred from different rows of a table differ in values.
    """
    first, *further = systems
    if all(system == first for system in further):
        return first
    plain = [tuple(map(_without_values, sorted(system.options, key=lambda option: option.name))) for system in systems]
    if any(options != plain[0] for options in plain[1:]):
        return None
    values: dict[str, set[float]] = {}
    for system in further:
        for option in system.numeric_options:
            values.setdefault(option.name, set()).update(option.values)
    shared = tuple(rule for rule in first.constraints if all(rule in other.constraints for other in further))
    return replace(extended(first, {name: tuple(numbers) for name, numbers in values.items()}), constraints=shared)


def _without_values(option: Option) -> Option:
    return replace(option, values=(0.0,), step=None, maximum=None) if isinstance(option, NumericOption) else option


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
