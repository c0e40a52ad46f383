"""A small system with known values, for tests of active learning."""

from __future__ import annotations

from sampling import Space
from splc.data.configurations import Configurations
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array


def system() -> VariabilityModel:
    """Return a system with three binary and two numeric options, 96 valid configurations."""
    return VariabilityModel(
        "made",
        (
            *(BinaryOption(name) for name in ("b0", "b1", "b2")),
            NumericOption("x", (1.0, 2.0, 4.0, 8.0)),
            NumericOption("y", (10.0, 20.0, 30.0)),
        ),
    )


def enumerated(model: VariabilityModel) -> Configurations:
    """Return all valid configurations."""
    return Space(model).enumerate()


def values(configurations: Configurations) -> Array:
    """Return values of a known model with interactions."""
    column = configurations.column
    found: Array = 10 + 3 * column("x") * (1 + column("b0")) + column("y") * column("b1") / 5 + 2 * column("b2")
    return found
