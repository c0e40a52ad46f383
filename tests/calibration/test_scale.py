"""A factor on the whole model."""

from __future__ import annotations

import pytest

from splc.calibration import calibrate
from splc.models.influence import InfluenceModel
from tests.support.calibration_problems import ALL, BENCHMARKED, LINEAR, SYSTEM, fitted, noisy, read


def test_scale_is_a_factor_on_the_whole_model() -> None:
    """`scale` multiplies every term and is benchmarked to be 1; a parameter of that name is only what it is."""
    plain = read(LINEAR, BENCHMARKED)
    measured = noisy(500 * plain.predict(ALL), 0.1)
    found = fitted(LINEAR, BENCHMARKED, measured, ("scale",))
    shares = plain.predict(ALL) / measured
    assert found["scale"].value == pytest.approx(shares.sum() / (shares @ shares), rel=1e-12)
    assert found["scale"].ratio == found["scale"].value
    assert found.model.predict(ALL) == pytest.approx(found["scale"].value * plain.predict(ALL), rel=1e-12)
    own = fitted("scale * nx + 3", {"scale": 2.0}, read("scale * nx + 3", {"scale": 8.0}).predict(ALL), ("scale",))
    assert own["scale"].value == pytest.approx(8)
    assert own["scale"].benchmarked == 2.0


def test_scale_multiplies_predictions_under_a_link_too() -> None:
    """A model whose sum is the logarithm of the prediction is scaled by its predictions."""
    terms = read("0.5 + 0.1 * px", {}).terms
    model = InfluenceModel.from_terms(terms, SYSTEM.names, "log")
    found = calibrate(model, ALL, 7 * model.predict(ALL), ("scale",))
    assert found["scale"].value == pytest.approx(7)
    assert found.model.predict(ALL) == pytest.approx(7 * model.predict(ALL))
