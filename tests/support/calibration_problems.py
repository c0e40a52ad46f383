"""Models whose parameters are estimated, and what they are estimated from."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from splc.calibration import Calibration, calibrate
from splc.data.configurations import Configurations
from splc.formats.models.read import parse_stored_models
from splc.formats.models.stored_model import ReadOptions
from splc.io.files import Source
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel

SYSTEM = VariabilityModel("grid", (NumericOption("px", (1, 2, 3, 4)), NumericOption("nx", (50, 100, 200, 400, 800))))
ALL = Configurations(SYSTEM, np.array(list(itertools.product(range(4), range(5)))))
LINEAR = "4 * log2(px) * alpha + 4 * nx * beta + 2 * nx^2 * f"
BENCHMARKED = {"alpha": 2.2e-7, "beta": 1e-9, "f": 1.75e-11}
FREE = tuple(BENCHMARKED)
VALUES = st.floats(1e-12, 1e-3)
Values = dict[str, float]


def read(text: str, values: Values | Parameters, free: Sequence[str] = (), system: Any = SYSTEM) -> InfluenceModel:
    """Return a model with free parameters as names."""
    source = Source("model.txt", text.encode())
    [stored] = parse_stored_models(source, system, ReadOptions(Parameters.of(values), symbols=free))
    return stored.model


def fitted(text: str, values: Values | Parameters, measured: Any, free: Sequence[str], **how: Any) -> Calibration:
    """Return the calibration of a model on all configurations."""
    return calibrate(read(text, values, free), ALL, measured, free, **how)


def noisy(values: Any, deviation: float, seed: int = 0) -> Any:
    """Return values with relative errors."""
    return values * (1 + deviation * np.random.default_rng(seed).standard_normal(len(values)))


def tabled(factor: float) -> Parameters:
    """Return a table by px, whose first row is 0, and a number."""
    rows = [(1.0, 0.0), (2.0, 3e-6), (3.0, 4e-6), (4.0, 5e-6)]
    table = ParameterTable("px", tuple((key, Quantity.exactly(value * factor)) for key, value in rows))
    return Parameters({"alpha": table, "f": Quantity.exactly(1e-9)})
