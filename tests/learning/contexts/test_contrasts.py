"""Changes between contexts: tests, orders, contrasts; and values of other contexts where these are measured."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc.data.measurements import Measurements
from splc.formats.models.json import learned_json_text, parse_stored_json
from splc.io.files import Source
from splc.learning import learn
from splc.learning.contexts.change_test import MIN_PAIRS, change_test
from splc.learning.contexts.contrasts import ContextInfluences
from splc.learning.contexts.sharing import ContextRows, Sharing
from splc.learning.contexts.sources import PRIORS, MappedProcess, MappedRows, SourceMixture
from splc.learning.projection import Hyperparameters, KernelDesign, ProjectionLearner, kernel_matrix
from splc.learning.result import LearningResult
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
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
    found = {each.values: each.factor for each in test.by_values}
    assert found == {(("o3", 0.0),): pytest.approx(factor), (("o3", 1.0),): pytest.approx(factor * size)}


def test_numeric_option() -> None:
    """The factor of a numeric option is that between its greatest and its least value."""
    generator = np.random.default_rng(0)
    columns, before, after = _runs(generator, 60, 0.01, {})
    columns["n"] = generator.choice([1.0, 2, 4, 8], 60)
    test = change_test(columns, before, after * columns["n"] ** 0.5)
    assert [each.options for each in test.influences] == [("n",)]
    assert test.influences[0].low < 8**0.5 < test.influences[0].high


def test_interaction() -> None:
    """An interaction of two named options is named, and the change with both of them is that of all influences."""
    generator = np.random.default_rng(0)
    columns, before, after = _runs(generator, 80, 0.02, {"o0": 0.2, "o1": 0.2})
    test = change_test(columns, before, after * np.exp(0.4 * columns["o0"] * columns["o1"]))
    assert {each.options for each in test.influences} == {("o0",), ("o1",), ("o0", "o1")}
    assert test.by_values[0].values == (("o0", 1.0), ("o1", 1.0))
    assert test.by_values[0].low < np.exp(0.8) < test.by_values[0].high
    assert len(test.by_values) == 8


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


def _influences(levels: list[float], influence: list[float], deviations: list[float]) -> ContextInfluences:
    means = np.array([levels, influence]).T
    covariances = np.array([np.diag(np.square(deviations))] * 2)
    names = tuple(f"v{at}" for at in range(len(levels)))
    return ContextInfluences(names, ("a",), means, covariances)


def test_points() -> None:
    """A change is between the last value before and the first after it, with its factor."""
    found = _influences([0, 0, 0, 0], [0.1, 0.1, 0.5, 0.5], [0.01] * 4).change_points()
    [point] = found
    assert (point.option, point.first, point.second) == ("a", "v1", "v2")
    assert point.low < np.exp(0.4) < point.high
    assert point.factor == pytest.approx(np.exp(0.4))


def test_range() -> None:
    """If an intermediate value has a wide interval, the change is in the range around it."""
    found = _influences([0, 0, 0.2, 0.4], [0] * 4, [0.01, 0.01, 1.0, 0.01]).change_points()
    assert [(each.option, each.first, each.second) for each in found] == [(None, "v1", "v3")]


def test_no_change() -> None:
    """Differences within their uncertainty are no changes."""
    assert _influences([0, 0.01, 0], [0.1, 0.11, 0.1], [0.05] * 3).change_points() == ()


SYSTEM = VariabilityModel("s", tuple(BinaryOption(f"b{at}") for at in range(6)))
SPACE = Space(SYSTEM).enumerate()
# What single configurations have in all versions, and no option explains.
OWN = np.random.default_rng(7).normal(0, 0.5, len(SPACE))


def _values(version: str) -> Array:
    column = SPACE.column
    found: Array = 10 * np.exp(0.8 * column("b0") + 0.5 * column("b1") - 0.4 * column("b2") * column("b3") + OWN)
    return found if version != "v3" else 2 * found**0.8 * np.exp(-0.5 * column("b0"))


def _rows(version: str, places: Array) -> ContextRows:
    noise = np.random.default_rng(len(places)).normal(0, 0.02, len(places))
    return ContextRows(SPACE[places], _values(version)[places] * np.exp(noise), np.ones(len(places)))


@pytest.fixture(scope="module")
def sharing() -> Sharing:
    """Return two versions that are measured everywhere but in one configuration, and few rows of a third one."""
    places = np.random.default_rng(3).permutation(len(SPACE))[:16]
    everywhere = np.arange(1, len(SPACE))
    return Sharing({"v1": _rows("v1", everywhere), "v2": _rows("v2", everywhere), "v3": _rows("v3", places)})


def _learned(sharing: Sharing, version: str) -> LearningResult:
    rows = sharing.parts[version]
    measured = Measurements(rows.configurations, {"time": rows.y})
    return learn(measured, "time", learner=ProjectionLearner(fit=sharing.fit_of(version)))


@pytest.fixture(scope="module")
def result(sharing: Sharing) -> LearningResult:
    """Return the model of the third version."""
    return _learned(sharing, "v3")


def _error(predicted: Array) -> float:
    return float(np.mean(np.abs(predicted / _values("v3") - 1)))


def test_measured_elsewhere(sharing: Sharing, result: LearningResult) -> None:
    """Effects of single configurations are learned from the versions in which they are measured.

    The intervals hold about as often as they say; the printed model follows as far as options explain it.
    """
    assert result.intervals is not None
    low, high = result.intervals.interval(SPACE)
    assert 0.75 < np.mean((low <= _values("v3")) & (_values("v3") <= high)) <= 1
    assert _error(result.model.predict(SPACE)) < 0.7
    assert result.printed is not None
    joint = sharing.joint("v3", sharing.parts["v3"]).of("v3")
    assert _error(result.predict(SPACE)) < 0.6 * _error(joint.predict(SPACE))
    assert isinstance(result.predictor, SourceMixture)
    assert sharing.weights["v3"] < 0.1
    assert np.isfinite(result.predict(SPACE[:1])).all()


def test_stored(result: LearningResult) -> None:
    """A stored model predicts the same, with the same intervals; damaged files are refused."""
    assert isinstance(result.predictor, SourceMixture)
    content = result.predictor.as_json()
    stored = parse_stored_json(Source("m.json", learned_json_text(result, SYSTEM).encode()))
    assert isinstance(stored.full, SourceMixture)
    np.testing.assert_allclose(stored.full.predict(SPACE), result.predict(SPACE), rtol=1e-9)
    np.testing.assert_allclose(stored.full.interval(SPACE), result.predictor.interval(SPACE), rtol=1e-9)
    changes: tuple[Callable[[Any], Any], ...] = (
        lambda damaged: damaged["process"].update(variances=[0.0]),
        lambda damaged: damaged["process"]["t"].pop(),
        lambda damaged: damaged["sources"].update(places=[0, 9]),
        lambda damaged: damaged["sources"]["logarithms"].pop(),
        lambda damaged: damaged["sources"]["configurations"].pop("b0"),
    )
    for change in changes:
        damaged = copy.deepcopy(content)
        change(damaged)
        with pytest.raises((KeyError, TypeError, ValueError)):
            SourceMixture.from_json(damaged, SYSTEM)


def test_not_measured_elsewhere() -> None:
    """Versions with other configurations, or with as few, are learned by the joint model only."""
    order = np.random.default_rng(3).permutation(len(SPACE))
    for places in (order[16:60], order[:16]):
        found = _learned(Sharing({"v1": _rows("v1", places), "v3": _rows("v3", order[:16])}), "v3")
        assert not isinstance(found.predictor, SourceMixture)


def _process(count: int) -> tuple[MappedProcess, MappedRows]:
    generator = np.random.default_rng(count)
    design = KernelDesign.of([generator.choice([-1.0, 1.0], (count + 3, 1)) for _ in range(2)])
    values = generator.normal(0, 1, (count + 3, 2))
    # The others are beyond the measured ones.
    values[count:] *= 4
    rows = MappedRows(values, design)
    known = rows.rows(np.arange(count))
    t = known.values.mean(axis=1) + generator.normal(0, 0.1, count)
    return MappedProcess.fit(known, t, np.ones(count), np.zeros(design.distinct + 4)), rows


def _kernel(process: MappedProcess, rows: MappedRows, variances: Array) -> tuple[Array, Array]:
    """Return the standardised prior means and covariances of rows, by their definition."""
    known = process.known.values
    low, high = known.min(axis=0), known.max(axis=0)
    values = np.clip(rows.values, low - 0.25 * (high - low), high + 0.25 * (high - low))
    columns = (values - known.mean(axis=0)) / process.t.std()
    mean = columns.mean(axis=1)
    options = kernel_matrix(Hyperparameters.of(process.theta), rows.design, rows.design) - 1
    slopes, average, difference, _ = np.exp(variances)
    return mean, 1 + slopes * columns @ columns.T / 2 + average * np.outer(mean, mean) + difference * options


def test_posterior() -> None:
    """Mean, variance and covariance are those of the joint normal distribution of all rows."""
    process, rows = _process(9)
    level, deviation = process.t.mean(), process.t.std()
    mean, kernel = _kernel(process, rows, process.variances)
    gain = kernel[9:, :9] @ np.linalg.inv(kernel[:9, :9] + (np.exp(process.variances[3]) + 1e-8) * np.eye(9))
    expected = level + deviation * (mean[9:] + gain @ ((process.t - level) / deviation - mean[:9]))
    covariance = deviation**2 * (kernel[9:, 9:] - gain @ kernel[:9, 9:])
    others = rows.rows(np.arange(9, 12))
    np.testing.assert_allclose(process.moments(others)[0], expected, rtol=1e-9)
    np.testing.assert_allclose(process.moments(others)[1], np.diag(covariance), rtol=1e-7)
    np.testing.assert_allclose(process.covariance(others, np.eye(3)), covariance, rtol=1e-7, atol=1e-9)


def test_most_probable_variances() -> None:
    """Steps to either side of the variances that were found do not raise the posterior density."""
    process, _ = _process(12)
    z = (process.t - process.t.mean()) / process.t.std()

    def value(variances: Array) -> float:
        mean, kernel = _kernel(process, process.known, variances)
        kernel += (np.exp(variances[3]) + 1e-8) * np.eye(12)
        prior = (((variances - PRIORS[:, 0]) / PRIORS[:, 1]) ** 2).sum() / 2
        return float(np.linalg.slogdet(kernel)[1] / 2 + (z - mean) @ np.linalg.solve(kernel, z - mean) / 2 + prior)

    for step in 0.2 * np.vstack([np.eye(4), -np.eye(4)]):
        assert value(process.variances + step) > value(process.variances)


def test_same_measured_values(sharing: Sharing, result: LearningResult) -> None:
    """Values of the property in another unit give the same model."""
    scaled = {
        name: ContextRows(part.configurations, 1000 * part.y, part.repetitions) for name, part in sharing.parts.items()
    }
    other: Any = _learned(Sharing(scaled), "v3")
    np.testing.assert_allclose(other.predict(SPACE), 1000 * result.predict(SPACE), rtol=1e-3)
