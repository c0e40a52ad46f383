"""Least squares fits of a few columns, against `numpy.linalg`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.scaling.single.posterior import triangular
from tests.support.examples import examples


@examples(25)
@given(
    seed=st.integers(0, 2**32),
    fits=st.integers(1, 4),
    size=st.integers(1, 4),
    absent=st.sampled_from([None, 0, 1]),
)
def test_fits_are_those_of_lstsq(seed: int, fits: int, size: int, absent: int | None) -> None:
    """Coefficients, squares and errors are those of `lstsq`; a column of zeros has none; arguments are not changed."""
    rng = np.random.default_rng(seed)
    designs = rng.normal(size=(fits, size, 6)) * 10.0 ** rng.integers(-3, 4, (fits, size, 1))
    used = [at for at in range(size) if at != absent]
    designs[:, [at for at in range(size) if at not in used]] = 0.0
    values, there = rng.normal(size=(fits, 6)), rng.normal(size=size)
    before = designs.copy(), values.copy()
    squares, coefficients, factors = triangular(designs, values)
    assert np.array_equal(designs, before[0])
    assert np.array_equal(values, before[1])
    for at in range(fits):
        design = designs[at, used].T
        expected = np.linalg.lstsq(design, values[at], rcond=None)[0]
        assert coefficients[at, used] == pytest.approx(expected, rel=1e-6)
        assert squares[at] == pytest.approx(float(((design @ expected - values[at]) ** 2).sum()), rel=1e-9)
        error = np.linalg.solve(np.linalg.qr(design)[1].T, there[used])
        assert ((factors[at] @ there) ** 2).sum() == pytest.approx((error**2).sum(), rel=1e-6)
        assert not coefficients[at, [other for other in range(size) if other not in used]].any()
