"""Intervals of several parameters where few points leave the function open."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from casestudies.scaling_evaluation.several_functions import AXES, evaluate_several
from splc.scaling import fit
from splc.types import Array

CUBE = np.array(list(itertools.product(*AXES[:3])))
STAR = CUBE[(CUBE.min(axis=0) < CUBE).sum(axis=1) <= 1]
FAR = [[256.0, 20.0, 320.0]]


def test_product_hidden_at_cheap_points() -> None:
    """A product that the lines through the smallest values hardly show has a wide interval, and a note."""

    def function(x: Array) -> Array:
        return np.asarray(1 + 1e-9 * x[:, 0] ** 2 * x[:, 1] ** 2 * x[:, 2])

    rng = np.random.default_rng(3)
    measured = function(STAR)[:, None] * (1 + 0.02 * rng.normal(size=(len(STAR), 4)))
    model = fit(STAR, measured, names=["p", "d", "g"])
    (low,), (high,) = model.interval(FAR)
    assert low <= function(np.array(FAR))[0] <= high
    assert high > 2 * low
    hidden = [note for note in model.notes if "no effect on its only line" in note]
    unused = [name for at, name in enumerate("pdg") if all(term[at].is_constant for term in model.terms)]
    assert [note[0] for note in hidden] == unused != []


def test_single_effect_on_a_star() -> None:
    """The interval of a model with one of three parameters allows for effects of the others that a star hides."""
    rng = np.random.default_rng(1)
    y = (5 + STAR[:, 0])[:, None] * (1 + 0.02 * rng.normal(size=(len(STAR), 4)))
    model = fit(STAR, y, names=["p", "d", "g"])
    assert set(model.lead) == {"p"}
    dense = fit(CUBE, (5 + CUBE[:, 0])[:, None] * (1 + 0.02 * rng.normal(size=(len(CUBE), 4))), names=["p", "d", "g"])
    widths = [np.subtract(*each.interval(FAR)[::-1])[0] for each in (model, dense)]
    assert widths[0] > 3 * widths[1]
    assert not any("only line" in note for note in dense.notes)
    assert sum("only line" in note for note in model.notes) == 2


def test_noise_common_to_a_point() -> None:
    """Most 90 % intervals hold although repetitions show an eighth of the noise."""
    scores = evaluate_several(2, "grid", "product", "common to a point", number=30, seed=5)
    assert all(score.covered is not None and score.covered >= 80 for score in scores)


@pytest.mark.parametrize(("value", "number"), [(0.0, 1), (3.0, 1), (2.0, 30)])
def test_constant_parameters_change_nothing(value: float, number: int) -> None:
    """Parameters that have one value at all points, also 0, leave model and interval as they are without them."""
    points = np.array([(p, n) for p in (1, 2, 4, 8) for n in (1, 2, 3)], dtype=float)
    y = (10 + points.prod(axis=1)) * (1 + 0.05 * np.random.default_rng(0).standard_normal(len(points)))
    alone = fit(points, y, names=["p", "n"])
    names = [f"c{at}" for at in range(number)]
    both = fit(np.insert(points, [1] * number, value, axis=1), y, names=["p", *names, "n"])
    assert str(both) == str(alone)
    for x in ([[16.0, 3.0]], [[16.0, 3.0], [2.0, 9.0]]):
        found = both.interval(np.insert(x, [1] * number, value, axis=1))
        np.testing.assert_allclose(found, alone.interval(x), rtol=1e-9)
