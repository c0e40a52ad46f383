"""The JSON of a full model's intervals: the same intervals again, and errors for damaged objects."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from splc.learning.projection.ensemble import Ensemble
from tests.learning.projection.test_full_model import drawn, known, learned, system


def stored(seed: int = 0, noise: bool = False) -> tuple[Ensemble, dict[str, Any]]:
    """Return an ensemble, and its JSON read again."""
    configurations = drawn(system(), 25, seed)
    rng = np.random.default_rng(seed)
    y = np.exp(rng.normal(size=25)) if noise else known(configurations)
    ensemble = learned(configurations, y).ensemble
    return ensemble, json.loads(json.dumps(ensemble.as_json(), allow_nan=False))


@pytest.mark.parametrize("noise", [False, True])
def test_round_trip(noise: bool) -> None:
    """The intervals of a stored ensemble are those of the original, also of a constant one."""
    ensemble, content = stored(1, noise)
    again = Ensemble.from_json(content, system())
    others = drawn(system(), 50, 7)
    assert bool(ensemble.parts) is not noise
    np.testing.assert_allclose(again.interval(others), ensemble.interval(others), rtol=1e-9)
    np.testing.assert_allclose(again.predict(others), ensemble.predict(others), rtol=1e-9)


@pytest.mark.parametrize("key", ["scale", "quantile", "hyperparameters", "configurations", "values", "mean"])
def test_missing_part(key: str) -> None:
    """An object without one of its parts is refused."""
    _, content = stored()
    del content[key]
    with pytest.raises(KeyError):
        Ensemble.from_json(content, system())


def test_other_system() -> None:
    """An object is refused with a system of other options, and with hyperparameters of other columns."""
    _, content = stored()
    with pytest.raises(ValueError, match="n1"):
        Ensemble.from_json(content, system(4, 1))
    with pytest.raises(ValueError, match="do not fit"):
        Ensemble.from_json({**content, "hyperparameters": [[0.0] * 3]}, system())
    with pytest.raises(ValueError, match="do not fit"):
        Ensemble.from_json({**content, "values": content["values"][1:]}, system())
