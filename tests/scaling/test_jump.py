"""Jumps that explain what a scaling model misses."""

from __future__ import annotations

import itertools

import numpy as np

from splc.scaling.fit import fit
from splc.scaling.segmented import jump

POINTS = np.array([*itertools.product((32, 48, 64, 96, 128, 192), (1, 2, 4, 8, 16))], dtype=float)
N, K = POINTS.T


def test_jump() -> None:
    """A step along a parameter is found with its place and factor, none where powers explain the values."""
    found = jump(POINTS, 0.1 * N * K * np.where(N >= 128, 8, 1))
    assert found is not None
    assert found[:2] == (0, 128)
    np.testing.assert_allclose(found[2], 8)
    assert jump(POINTS, 0.1 * N**1.5 * K * np.random.default_rng(0).normal(1, 0.05, len(N))) is None
    assert jump(POINTS, 0.0 * N) is None


def test_note() -> None:
    """The note of a model that misses the values names the jump."""
    model = fit(POINTS, 0.1 * N * K * np.where(N >= 128, 8, 1), names=("n", "k"))
    assert any(note.startswith("a jump at n = 128 by a factor of about 8 explains") for note in model.notes)
