"""Blocks of runs: their variance and effects, what is learned without them, and errors of runs in new blocks."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import sample
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements, side_by_side
from splc.errors import LearningError, SpecError
from splc.learning import learn
from splc.learning.blocks import around_configurations, estimated, groups_of, variance_components
from splc.learning.result import intervals_object, intervals_of
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.prediction_notes import expected_error
from tests.support.objects import present

NUMBERS = [NumericOption(f"n{at}", tuple(map(float, range(1, 9)))) for at in range(2)]
SYSTEM = VariabilityModel("made", (BinaryOption("a"), BinaryOption("b"), *NUMBERS))
NOISE = 0.05


def truth(configurations: Configurations) -> Array:
    """Return the values of configurations without noise."""
    a, b, n, m = (configurations.column(name) for name in SYSTEM.names)
    return np.asarray(5 + 4 * a + 2 * n * (1 + b) + 0.5 * m**2)


def table(row: Array, block: Array, effects: Array, seed: int, count: int = 0) -> Measurements:
    """Return runs of random configurations, with the number of the block of each run."""
    configurations = sample(SYSTEM, f"random:{count or row.max() + 1}", seed=seed)
    y = truth(configurations)[row] * np.exp(effects[block] + np.random.default_rng(seed).normal(0, NOISE, len(row)))
    columns = {"time": y[:, None], "block": block[:, None].astype(float)}
    return Measurements(configurations, side_by_side(columns, row, np.ones(len(row), dtype=int)))


def design(kind: str) -> tuple[Array, Array]:
    """Return the configuration and the block of each run: twelve blocks of ten single runs, or all in four blocks."""
    if kind == "all in each":
        return np.tile(np.arange(40), 4), np.repeat(np.arange(4), 40)
    row, block = np.arange(120), np.repeat(np.arange(12), 10)
    if kind == "reference":
        return np.append(row, np.zeros(12, dtype=int)), np.append(block, np.arange(12))
    return row, block


def test_variances_of_balanced_blocks() -> None:
    """With equally many runs in all blocks the variances are those of the analysis of variance."""
    block = np.repeat(np.arange(8), 5)
    t = np.random.default_rng(1).normal(0, 1, 40) + np.random.default_rng(2).normal(0, 0.7, 8)[block]
    means = t.reshape(8, 5).mean(axis=1)
    within = ((t - means[block]) ** 2).sum() / 32
    between = (5 * means.var(ddof=1) - within) / 5
    parts = [np.eye(40), np.equal.outer(block, block).astype(float)]
    variances, (mean,), weights = variance_components(t, parts, np.ones((40, 1)))
    np.testing.assert_allclose(variances, [within, between], rtol=1e-6)
    # Henderson's shrunken means.
    effects = between * np.bincount(block, weights)
    np.testing.assert_allclose(effects, 5 * between / (5 * between + within) * (means - mean), rtol=1e-5)


def test_blocks_around_configurations() -> None:
    """In a table of all configurations in all blocks, variances are those of the two-way analysis of variance."""
    row, block = design("all in each")
    made = table(row, block, np.array([-0.2, 0.1, 0.0, 0.1]), 3)
    t = np.log(made.repetitions("time"))
    residuals = t - t.mean(axis=0) - t.mean(axis=1)[:, None] + t.mean()
    within = (residuals**2).sum() / (39 * 3)
    between = t.mean(axis=0).var(ddof=1) - within / 40
    found = around_configurations(made, "time", "block")
    np.testing.assert_allclose([found.within, found.variance], [within, between], rtol=1e-5)
    assert found.facts["share"] == pytest.approx(100 * between / (between + within), rel=1e-5)
    # Differences between configurations that have no block in common do not count.
    row = np.repeat(np.arange(40), 2)
    nested = table(row, 2 * (row // 10) + np.tile([0, 1], 40), np.tile([-0.1, 0.1], 4), 3)
    found = around_configurations(nested, "time", "block")
    assert found.variance**0.5 == pytest.approx(0.1 * 2**0.5, abs=0.05)


@pytest.mark.parametrize("kind", ["single", "reference", "all in each"])
def test_errors_in_new_blocks(kind: str) -> None:
    """The stated error, and that in known blocks, are the true ones, and 90 % intervals hold for runs in new blocks."""
    row, block = design(kind)
    rng, count = np.random.default_rng(len(kind)), block.max() + 1
    effects = rng.normal(0, 0.15, count)
    made = table(row, block, effects, 5)
    result = learn(made, "time", block="block")
    blocks, stated = present(result.blocks), expected_error(result, made["time"], len(made))
    assert np.corrcoef(blocks.effects, effects)[0, 1] > 0.95
    new = sample(SYSTEM, "random:100", seed=6)
    new = new[np.flatnonzero(made.configurations.find(new) < 0)]
    runs = truth(new)[:, None] * np.exp(rng.normal(0, effects.std(ddof=1), 400) + rng.normal(0, NOISE, (len(new), 400)))
    predicted = result.predict(new)[:, None]
    assert 0.85 <= present(stated.percent) / (100 * np.mean(abs(predicted - runs) / runs)) <= 1.15
    low, high = present(result.intervals).interval(new)
    assert 0.85 <= np.mean((low[:, None] <= runs) & (runs <= high[:, None])) <= 0.99
    known = truth(new)[:, None] * np.exp(effects + rng.normal(0, NOISE, (len(new), count)))
    errors = abs(predicted * np.exp(blocks.effects) - known) / known
    assert 0.8 <= present(stated.known_percent) / (100 * errors.mean()) <= 1.2
    assert stated.about == "a run in a new block"
    # A file of the model keeps its intervals.
    again = present(intervals_of(intervals_object(result.intervals), SYSTEM))
    np.testing.assert_allclose(again.interval(new), (low, high))


def test_the_order_of_rows() -> None:
    """Nothing depends on the order of rows and on the numbers of blocks."""
    made = table(*design("reference"), np.random.default_rng(0).normal(0, 0.2, 12), 1)
    order = np.random.default_rng(1).permutation(len(made))
    values = {"time": made.repetitions("time"), "block": 100 - made.repetitions("block")}
    other = Measurements(made.configurations[order], {name: each[order, ::-1] for name, each in values.items()})
    first, second = (learn(each, "time", block="block") for each in (made, other))
    np.testing.assert_allclose(
        present(second.blocks).effects[::-1], present(first.blocks).effects, rtol=1e-6, atol=1e-9
    )
    assert first.model.text == second.model.text


def test_many_runs() -> None:
    """Blocks beyond those that variances are estimated from have effects, too."""
    block = np.repeat(np.arange(40), 25)
    rng = np.random.default_rng(0)
    row, effects = rng.permutation(1000) % 250, rng.normal(0, 0.1, 40)
    made = table(row, block, effects, 0)
    labels = np.nan_to_num(made.repetitions("block"), nan=-1).astype(int)
    rows = np.arange(len(made))
    f = np.log(truth(made.configurations))
    found = estimated("block", made.repetitions("time"), labels, rows, rows * 0, lambda a, b: np.outer(f[a], f[b]))
    assert found.number == 40
    assert np.std(found.effects - effects + effects.mean()) < 2 * NOISE / 5


def test_confounded_blocks() -> None:
    """Blocks that options tell apart are refused; nested ones, and few ones, are noted."""
    made = table(*design("single"), np.zeros(12), 2)
    a, n = made.configurations.column("a"), made.configurations.column("n0")

    def learned(block: Array, **values: Array) -> tuple[str, ...]:
        return learn(
            Measurements(made.configurations, {"time": made["time"], "block": block, **values}), "time", block="block"
        ).notes

    for block, message in (
        (n, "n0"),
        (np.zeros(120), "at least two"),
        (np.arange(120.0), "noise"),
    ):
        with pytest.raises(LearningError, match=message):
            learned(block)
    third = np.arange(120) % 3
    assert any("a do not vary within a block" in note for note in learned(a * 3 + third))
    assert any("n0 is between" in note for note in learned(np.where(third == 0, (n + 1) // 2, n // 2)))
    missing = np.where(np.arange(120) < 7, np.nan, np.arange(120) % 6)
    assert "left out, without a block: 7 runs" in learned(missing)
    with pytest.raises(LearningError, match="positive"):
        learn(Measurements(made.configurations, {"time": -made["time"], "block": third}), "time", block="block")
    with pytest.raises(SpecError):
        learn(made, "time", block="block", groups="a")


def test_groups_of_blocks() -> None:
    """Folds keep a block together; a configuration with runs in several blocks is a group of its own."""
    labels = np.array([[0, -1], [0, -1], [1, -1], [0, 1], [1, 1]])
    groups = groups_of(labels, "day")
    same = np.equal.outer(groups.labels, groups.labels)
    assert same.tolist() == [[True, True, False, False, False]] * 2 + [
        [False, False, True, False, True],
        [False, False, False, True, False],
        [False, False, True, False, True],
    ]
