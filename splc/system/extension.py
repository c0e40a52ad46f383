"""Systems in which numeric options have more values than described."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from splc.system.options import NumericOption
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
