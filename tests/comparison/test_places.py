"""The factor by which predictions miss values, and the places where they miss them by another one."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison.places import Place, discrepancy
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.objects import present

SYSTEM = VariabilityModel.of({"fast": bool, "ranks": [1, 2, 4, 8], "size": range(1, 31)})
GENERATOR = np.random.default_rng(0)
COLUMNS = {
    "fast": GENERATOR.integers(0, 2, 400),
    "ranks": GENERATOR.choice([1, 2, 4, 8], 400),
    "size": GENERATOR.integers(1, 31, 400),
}
ROWS = Configurations.from_columns(SYSTEM, COLUMNS)
NOISE = np.exp(GENERATOR.normal(0, 0.05, 400))


def rows_of(text: str) -> Array:
    """Return which rows fulfil the conditions of a place."""
    fulfilled = []
    for condition in text.split(", "):
        if match := re.fullmatch(r"(\w+) (=|not) (.+)", condition):
            listed = np.isin(COLUMNS[match[1]], [int(value) for value in match[3].split(" or ")])
            fulfilled.append(listed if match[2] == "=" else ~listed)
        else:
            bounds = re.sub(r"^(\d+) <= (\w+) <= (\d+)$", r"(\1 <= \2) & (\2 <= \3)", condition)
            fulfilled.append(eval(bounds, {}, COLUMNS))  # noqa: S307
    return np.asarray(np.logical_and.reduce(fulfilled))


@given(values=st.lists(st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)), min_size=1, max_size=12))
def test_best_factor(values: list[tuple[float, float]]) -> None:
    """No factor on the predictions has a smaller mean relative error than the best one."""
    measured, predicted = np.array(values).T
    found = present(discrepancy(measured, predicted))
    assert found.unscaled == pytest.approx(mean_relative_error(predicted, measured))
    assert found.error == pytest.approx(mean_relative_error(found.factor * predicted, measured))
    for other in (*(measured / predicted), 1.0, 0.9 * found.factor, 1.1 * found.factor):
        error = present(mean_relative_error(other * predicted, measured))
        assert error >= found.error * (1 - 1e-9) - 1e-9


@given(factor=st.floats(1e-6, 1e6), weights=st.booleans())
def test_a_factor_is_found_again(factor: float, weights: bool) -> None:
    """Predictions that are wrong by a factor are right with it, whatever the weights are."""
    values = 10 + ROWS.column("size")
    found = present(discrepancy(values, values / factor, ROWS, np.arange(400.0) if weights else None))
    assert (found.ratio, found.factor) == pytest.approx((factor, factor))
    assert found.error == pytest.approx(0, abs=1e-9)
    assert found.places == ()
    assert found.by_factor == (not 0.5 < found.ratio < 2 or found.unscaled >= 10)


@pytest.mark.parametrize(
    ("values", "predicted"),
    [([], []), ([0, 0], [1, 2]), ([1, 2], [0, 0]), ([1, 2, 3], [-1, -2, 3]), ([1e300, 1e300], [1e-300, 1e-300])],
)
def test_no_factor(values: list[float], predicted: list[float]) -> None:
    """If no positive, finite factor relates the two, there is none, and no warning."""
    assert discrepancy(np.array(values, dtype=float), np.array(predicted, dtype=float)) is None


@pytest.mark.parametrize("seed", range(20))
def test_noise_has_no_place(seed: int) -> None:
    """Ratios that depend on no option are the same everywhere."""
    found = present(discrepancy(np.exp(np.random.default_rng(seed).normal(0, 0.1, 400)), np.ones(400), ROWS))
    assert (found.places, found.worst) == ((), None)


def places(ratio: Array) -> tuple[Place, ...]:
    """Return where values with noise are so many times the predictions."""
    return present(discrepancy(ratio * NOISE, np.ones(400), ROWS)).places


# Conditions, and those of the other configurations.
PARTS = {"fast = 0": "fast = 1", "ranks = 1": "ranks >= 2", "ranks = 4": "ranks not 4", "size <= 11": "size >= 12"}


@pytest.mark.parametrize("times", [1.3, 0.6, 1000.0])
@pytest.mark.parametrize(("condition", "other"), PARTS.items())
def test_a_place_is_found_again(condition: str, other: str, times: float) -> None:
    """Configurations with another factor are found, those with a value and those up to one."""
    found = {place.text: place for place in places(np.where(rows_of(condition), times, 1.0))}
    assert set(found) == {condition, other}
    assert found[condition].ratio / found[other].ratio == pytest.approx(times, rel=0.02)
    for text, ratio in ((condition, times), (other, 1.0)):
        assert found[text].low < found[text].ratio < found[text].high
        assert found[text].ratio == pytest.approx(ratio, rel=0.02)


@given(effects=st.lists(st.floats(-2, 2), min_size=3, max_size=3), seed=st.integers(0, 99))
def test_places_are_parts(effects: list[float], seed: int) -> None:
    """Every configuration is in one place, whose text, number, factor and error are those of its rows."""
    random = np.random.default_rng(seed)
    which = [random.permutation(np.unique(COLUMNS[name])) for name in SYSTEM.names]
    logs = sum(
        effect * np.isin(COLUMNS[name], chosen[: len(chosen) // 2])
        for effect, name, chosen in zip(effects, SYSTEM.names, which, strict=True)
    )
    values = np.exp(logs) * NOISE
    found = present(discrepancy(values, np.ones(400), ROWS))
    assert len(found.places) != 1
    assert len(found.places) <= 4
    assert found.places == tuple(sorted(found.places, key=lambda place: -place.error))
    if found.places:
        masks = [rows_of(place.text) for place in found.places]
        assert (np.sum(masks, axis=0) == 1).all()
        for place, rows in zip(found.places, masks, strict=True):
            assert place.configurations == rows.sum()
            assert math.log(place.ratio) == pytest.approx(np.log(values[rows]).mean(), abs=1e-9)
            assert place.error == pytest.approx(100 * np.mean(np.abs(found.factor / values[rows] - 1)))
