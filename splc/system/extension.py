"""Systems in which numeric options have more values than described, and those of several models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from splc.system.options import NumericOption, Option
from splc.system.variability import VariabilityModel


def extended(system: VariabilityModel, values: Mapping[str, Sequence[float]]) -> VariabilityModel:
    """Return a system with additional values of numeric options; its constraints are those of the system.

    Args:
        system: the system.
        values: numeric option → further values, which it does not have.
    """
    options = tuple(
        replace(option, values=tuple(sorted({*option.values, *values.get(option.name, ())})))
        if isinstance(option, NumericOption)
        else option
        for option in system.options
    )
    return replace(system, options=options)


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
