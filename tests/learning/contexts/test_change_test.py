"""Tests of the test for changed influences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.learning.contexts.change_test import MIN_PAIRS, change_test
from splc.types import Array
from tests.support.examples import examples

OPTIONS = 12


def _runs(
    generator: np.random.Generator, pairs: int, noise: float, changes: dict[str, float], factor: float = 0.0
) -> tuple[dict[str, Array], Array, Array]:
    """Return columns of binary options and values before and after, with noise that has heavy tails."""
    columns = {f"o{at}": generator.integers(0, 2, pairs).astype(float) for at in range(OPTIONS)}
    base = np.exp(generator.normal(0, 0.5, pairs))
    noises = np.exp(noise * generator.standard_t(4, (2, pairs)) / np.sqrt(2))
    change = factor + sum(size * columns[name] for name, size in changes.items())
    return columns, base * noises[0], base * noises[1] * np.exp(change)


def _rate(changes: dict[str, float], pairs: int, draws: int) -> tuple[float, float]:
    """Return how often a change is stated, and how often the option o0 is named."""
    generator = np.random.default_rng(5)
    found = [change_test(*_runs(generator, pairs, 0.05, changes), seed=seed) for seed in range(draws)]
    named = [("o0",) in [each.options for each in test.influences] for test in found]
    return float(np.mean([test.changed for test in found])), float(np.mean(named))


@pytest.mark.parametrize("draws", [100, pytest.param(600, marks=pytest.mark.slow)])
def test_false_alarms(draws: int) -> None:
    """Without a change, at most about 5 % of the tests state one."""
    alarms, _ = _rate({}, 20, draws)
    # Three standard errors.
    assert alarms <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / draws)


@pytest.mark.parametrize("draws", [50, pytest.param(100, marks=pytest.mark.slow)])
def test_power(draws: int) -> None:
    """A change of 20 % of one influence is found and named in most of the tests with 20 pairs and noise of 5 %."""
    found, named = _rate({"o0": np.log(1.2)}, 20, draws)
    assert found >= 0.9
    assert named >= 0.75


@pytest.mark.parametrize("draws", [50, pytest.param(150, marks=pytest.mark.slow)])
def test_detectable(draws: int) -> None:
    """A change of the size that is stated as detectable is named in about three of four tests."""
    generator = np.random.default_rng(1)
    sizes = [change_test(*_runs(generator, 30, 0.05, {})).detectable or np.nan for _ in range(draws // 5)]
    _, named = _rate({"o0": float(np.log(np.median(sizes)))}, 30, draws)
    assert 0.6 <= named <= 0.9


@examples(20)
@given(
    seed=st.integers(0, 2**16), factor=st.floats(0.5, 2.0), size=st.floats(0.5, 2.0).filter(lambda x: abs(x - 1) > 0.1)
)
def test_without_noise(seed: int, factor: float, size: float) -> None:
    """Without noise, the factor and the influence are exact, and nothing else is named."""
    generator = np.random.default_rng(seed)
    columns, before, after = _runs(generator, 40, 0.0, {"o3": np.log(size)}, np.log(factor))
    test = change_test(columns, before, after)
    assert [each.options for each in test.influences] == [("o3",)]
    assert test.influences[0].factor == pytest.approx(size)
    assert test.influences[0].low <= size * (1 + 1e-9)
    assert test.factor == pytest.approx(factor * size ** columns["o3"].mean())


def test_numeric_option() -> None:
    """The factor of a numeric option is that between its greatest and its least value."""
    generator = np.random.default_rng(0)
    columns, before, after = _runs(generator, 60, 0.01, {})
    columns["n"] = generator.choice([1.0, 2, 4, 8], 60)
    test = change_test(columns, before, after * columns["n"] ** 0.5)
    assert [each.options for each in test.influences] == [("n",)]
    assert test.influences[0].low < 8**0.5 < test.influences[0].high


def test_interaction() -> None:
    """An interaction of two named options is named."""
    generator = np.random.default_rng(0)
    columns, before, after = _runs(generator, 80, 0.02, {"o0": 0.2, "o1": 0.2})
    test = change_test(columns, before, after * np.exp(0.4 * columns["o0"] * columns["o1"]))
    assert {each.options for each in test.influences} == {("o0",), ("o1",), ("o0", "o1")}


def test_equal_columns() -> None:
    """Options that are equal in all pairs are alternatives of each other."""
    generator = np.random.default_rng(0)
    columns, before, after = _runs(generator, 40, 0.02, {"o0": 0.5})
    columns["copy"], columns["inverse"], columns["same"] = columns["o0"], 1 - columns["o0"], np.ones(40)
    (found,) = change_test(columns, before, after).influences
    assert found.options == ("o0",)
    assert found.alternatives == (("copy",), ("inverse",))


def test_at_least() -> None:
    """Changes that may be smaller than the stated size are listed, but do not count."""
    generator = np.random.default_rng(0)
    columns, before, after = _runs(generator, 40, 0.01, {"o0": 0.1}, 0.1)
    loose, strict = (change_test(columns, before, after, at_least=size) for size in (0.02, 0.5))
    assert loose.factor_changed
    assert loose.changed
    assert not strict.factor_changed
    assert not strict.changed
    assert [each.relevant for each in strict.influences] == [False]


def test_exchange() -> None:
    """Before and after exchanged, factors are inverted and the decision is the same."""
    columns, before, after = _runs(np.random.default_rng(3), 30, 0.03, {"o2": 0.3})
    forth, back = change_test(columns, before, after), change_test(columns, after, before)
    assert forth.factor == pytest.approx(1 / back.factor)
    assert forth.low == pytest.approx(1 / back.high)
    assert [each.options for each in forth.influences] == [each.options for each in back.influences]


def test_equal_values() -> None:
    """Of equal values nothing changed."""
    columns, before, _ = _runs(np.random.default_rng(0), 10, 0.05, {})
    test = change_test(columns, before, before)
    assert (test.factor, test.changed, test.influences) == (1.0, False, ())


def test_extreme_values() -> None:
    """Factors beyond all numbers are as large as possible."""
    columns = {"o": np.arange(10.0) % 2}
    test = change_test(columns, np.full(10, 1e-308), np.full(10, 1e308))
    assert np.isfinite(test.factor)
    assert test.changed


def test_few_pairs() -> None:
    """Too few pairs and values without ratios are refused."""
    with pytest.raises(ValueError, match="pairs"):
        change_test({}, np.ones(MIN_PAIRS - 1), np.ones(MIN_PAIRS - 1))
    with pytest.raises(ValueError, match="positive"):
        change_test({}, np.zeros(MIN_PAIRS), np.ones(MIN_PAIRS))
