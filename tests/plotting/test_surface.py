"""Surfaces of scaling models: levels, and models of any values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.plotting.scaling import ScalingCurve, Slice, scaling_plot
from splc.plotting.surface import Surface, levels_of
from splc.types import Array
from tests.support.examples import examples
from tests.support.pictures import SIGNATURES, capture, texts

VALUES = st.floats(-1e300, 1e300) | st.floats(1e-5, 1e5) | st.just(float("nan"))
SIDE = np.array([1.0, 2.0, 40.0])
CURVE = ScalingCurve("main", SIDE, SIDE, SIDE, SIDE, SIDE, SIDE)


@examples(100)
@given(values=st.lists(VALUES, min_size=1, max_size=6))
def test_levels(values: list[float]) -> None:
    """Levels ascend, enclose all values up to rounding, and are few."""
    levels = levels_of(np.array(values))
    known = np.array(values)[~np.isnan(values)]
    assert len(levels) >= 2
    assert (np.diff(levels) > 0).all()
    if len(known):
        rounding = 1e-9 * np.abs(known).max()
        assert levels[0] - rounding <= known.min() <= known.max() <= levels[-1] + rounding
    if len(known) and known.min() > 1e-5 and known.max() < 1e5:
        assert len(levels) <= 20


@pytest.mark.parametrize(
    "predicted",
    [
        np.outer(SIDE, SIDE),
        np.full((3, 3), 5.0),
        np.zeros((3, 3)),
        np.full((3, 3), np.nan),
        np.array([[-1e300, np.inf, 0], [1, 2, 3], [4, 5, 1e300]]),
    ],
)
def test_any_model(predicted: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models that are constant, undefined or huge are drawn, too, with both names and a scale of colours."""
    surface = Surface(("p", "n"), SIDE, SIDE, predicted, np.array([[1.0, 1.0], [2.0, 40.0]]), np.array([1.0, 5.0]))
    pictures: list[bytes] = []
    slices = [Slice("p", {}, [CURVE])]
    figure = capture(monkeypatch, lambda: pictures.append(scaling_plot(slices, "time", "main", "png", surface)))
    assert pictures[0].startswith(SIGNATURES["png"])
    assert {"p", "n", "time", "main"} <= set(texts(figure))
    assert len(figure.axes) == 3
    drawn = figure.axes[1]
    assert (drawn.get_xscale(), drawn.get_xlim(), drawn.get_ylim()) == ("log", (1, 40), (1, 40))
    assert drawn.get_yscale() == "log"
