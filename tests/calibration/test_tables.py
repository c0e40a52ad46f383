"""Parameters that are tables."""

from __future__ import annotations

import numpy as np
import pytest

from splc.models.parameters import Parameters, ParameterTable, Quantity
from tests.support.calibration_problems import ALL, fitted, noisy, read, tabled


def test_a_table_has_one_factor() -> None:
    """A table keeps the proportions of its rows, a row of 0 stays 0, and its interval goes with every row."""
    text = "alpha * log2(nx) + f * nx"
    measured = noisy(read(text, tabled(12)).predict(ALL), 0.02)
    found = fitted(text, tabled(1), measured, ("alpha", "f"))
    estimate = found["alpha"]
    assert (estimate.key, estimate.by, estimate.benchmarked) == (3.0, "px", 4e-6)
    assert estimate.factor == pytest.approx(12, rel=0.1)
    assert estimate.factor is not None
    assert estimate.factor == pytest.approx(estimate.ratio)
    assert estimate.low is not None
    table = next(parameter for parameter in found.model.parameters if parameter.name == "alpha")
    assert table.values_of == pytest.approx([0, 3e-6 * estimate.factor, estimate.value, 5e-6 * estimate.factor])
    assert table.low == pytest.approx([0, estimate.low * 3 / 4, estimate.low, estimate.low * 5 / 4])
    assert table.low[0] == table.values_of[0] == table.high[0] == 0
    assert fitted(text, tabled(1), read(text, tabled(12)).predict(ALL), ("alpha",))["alpha"].ratio == pytest.approx(12)


def test_the_row_that_stands_for_a_table_is_not_0() -> None:
    """If a table's middle row is 0, its nearest other row is used; a table of zeros has no effect."""
    rows = tuple((float(key), Quantity.exactly(value)) for key, value in ((1, 5.0), (2, 0.0), (3, 0.0), (4, 2.0)))
    parameters = Parameters({"alpha": ParameterTable("px", rows)})
    found = fitted("alpha * nx", parameters, read("alpha * nx", parameters).predict(ALL) * 3 + 1e-9, ("alpha",))
    assert (found["alpha"].key, found["alpha"].benchmarked) == (4.0, 2.0)
    zeros = Parameters({"alpha": ParameterTable("px", tuple((key, Quantity.exactly(0.0)) for key, _ in rows))})
    found = fitted("alpha * nx + 1", zeros, np.ones(20), ("alpha",))
    assert found.without_effect == ("alpha",)
    assert (found["alpha"].value, found["alpha"].ratio, found["alpha"].low) == (0.0, None, None)
    # Row 1 is nearer to row 2 than row 0 is.
    values = {50.0: 5.0, 100.0: 3.0, 200.0: 0.0, 400.0: 0.0, 800.0: 0.0}
    rows = tuple((key, Quantity.exactly(value)) for key, value in values.items())
    nearer = Parameters({"alpha": ParameterTable("nx", rows)})
    found = fitted("alpha * px", nearer, read("alpha * px", nearer).predict(ALL) * 3 + 1e-9, ("alpha",))
    assert (found["alpha"].key, found["alpha"].benchmarked) == (100.0, 3.0)
