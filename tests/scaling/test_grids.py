"""The values of axes, and the form of measurements, against their descriptions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.scaling.data import quantities
from splc.scaling.suggestion.candidates import candidate_axes, continued
from tests.support.examples import examples


@examples(25)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 5), st.integers(0, 3), st.integers(1, 3), st.integers(0, 1))
def test_numbers_of_values(first: int, second: int, least: int, extend: int, start: int, single: int) -> None:
    """An axis has the wanted number of values, and the extension beyond; a single one has one more at least."""
    axes = [start * 2.0 ** np.arange(first), start + 3.0 * np.arange(second)][: 2 - single]
    points = np.array(np.meshgrid(*axes)).reshape(len(axes), -1).T
    found = candidate_axes(points, None, least, extend)
    for own, axis in zip(axes, found, strict=True):
        expected = max(len(own), least) + extend
        assert len(axis) == (max(expected, len(own) + 1) if single else expected)
        np.testing.assert_array_equal(axis[: len(own)], own)
        assert (np.diff(axis) > 0).all()
    assert candidate_axes(points, [[3.0, 1.0, 3.0]] * len(axes), least, extend)[0].tolist() == [1, 3]


AXES = "4, 8 16 32; 4 8, 16 32 64; 10 20 30, 40 50 60; 4 8 16, 32 64 128; 0, 1 2 3; 0 1 2, 3 4 5; 0.5 1 1.5, 2 2.5"


@pytest.mark.parametrize("axis", [*AXES.split("; "), "2 4 8 32, 64 128 256"])
def test_axes_keep_their_factor_or_step(axis: str) -> None:
    """Values are continued by their factor or by their step; one value is doubled, and 0 is followed by 1."""
    values, more = (np.array(part.split(), dtype=float) for part in axis.split(","))
    assert continued(values, len(more)).tolist() == pytest.approx([*values, *more])


@examples(25)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=8), st.integers(1, 3))
def test_measurements_in_one_form(rows: list[tuple[int, int]], repetitions: int) -> None:
    """Points are distinct and ascending, and have the values of all their rows, in the order of these."""
    values = np.arange(2.0 * len(rows) * repetitions).reshape(2, len(rows), repetitions)
    values[0, 0, 0] = np.nan
    values[0, :, -1] = 7
    found = quantities(np.array(rows, dtype=float), values)
    assert [tuple(point) for point in found.points.tolist()] == sorted(set(rows))
    for model in range(2):
        for point, own in zip(sorted(set(rows)), found.values[model], strict=True):
            expected = np.concatenate([values[model, row] for row, each in enumerate(rows) if each == point])
            np.testing.assert_array_equal(own[: len(expected)], expected)
            assert np.isnan(own[len(expected) :]).all()
    repeated = len(rows) - len(set(rows))
    assert any("a value of x and are used as repetitions" in note for note in found.notes) == (repeated > 0)
    assert len(found) == 2
    for array in (found.points, found.values):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
