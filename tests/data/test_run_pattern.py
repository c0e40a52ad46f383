"""Patterns of the runs of configurations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements, ReadingReport
from splc.data.summary import Kind, run_pattern
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array

COUNT = 24
SYSTEM = VariabilityModel("s", (NumericOption("x", tuple(map(float, range(COUNT)))),))
# Returns the factor of each run for its configuration, its repetition and its row in a file in blocks.
Factor = Callable[[Array, Array, Array], Array]


def measured(factor: Factor, repetitions: int = 6, noise: float = 0.01, *, adjacent: bool = False) -> Measurements:
    """Return measurements of a file: all configurations once, then all again; or the runs of each side by side."""
    rng = np.random.default_rng(3)
    configuration, repetition = (each.ravel() for each in np.indices((COUNT, repetitions)))
    order = np.arange(len(repetition)) if adjacent else np.lexsort((configuration, repetition))
    places = np.empty(len(order), dtype=int)
    places[order] = np.arange(len(order))
    values = (5 + configuration) * factor(configuration, repetition, places)
    values = values * np.exp(noise * rng.normal(size=len(order)))
    report = ReadingReport(lines=np.arange(len(order)) + 2, groups=configuration[order])
    configurations = Configurations(SYSTEM, np.arange(COUNT)[:, np.newaxis])
    return Measurements(configurations, {"time": values.reshape(COUNT, repetitions)}, report=report)


def coins(chance: float) -> Array:
    """Return for each run whether it is slow, by chance."""
    return np.random.default_rng(5).random(COUNT * 6) < chance


PATTERNS: dict[str, tuple[Measurements, Kind | None, int | None, float]] = {
    "blocks": (measured(lambda c, r, p: np.array([1, 1.8, 2, 1.2, 1, 1.5])[r]), "position", COUNT, 2),
    "every other one": (measured(lambda c, r, p: 1 + 2 * (r % 2), adjacent=True), "alternate", None, 3),
    "two blocks": (measured(lambda c, r, p: 1 + r * 1.0, repetitions=2), "position", COUNT, 2),
    "a first run that is slow": (measured(lambda c, r, p: 1 + 0.8 * (r == 0), adjacent=True), "first", None, 1.8),
    "a trend": (measured(lambda c, r, p: 1 + 0.1 * r), "trend", COUNT, 1.5),
    "two machines by chance": (measured(lambda c, r, p: 1 + 2 * coins(0.5), adjacent=True), "groups", None, 3),
    "independent runs": (measured(lambda c, r, p: np.ones(len(r)), noise=0.3), None, None, 1),
    "runs that hardly differ": (measured(lambda c, r, p: 1 + 0.01 * (r % 2), noise=0.001), None, None, 1),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_pattern(name: str) -> None:
    """What moves runs together is found, with the rows of its blocks and the factor; independent runs have none."""
    table, kind, block, factor = PATTERNS[name]
    found = run_pattern([table], "time")
    assert (None if found is None else found.kind) == kind
    if found is not None:
        assert found.block == block
        assert found.factor == pytest.approx(factor, rel=0.15)


def test_neighbours_in_the_file() -> None:
    """Rows next to each other in a file in random order move together where the machine changed in between."""
    table = measured(lambda c, r, p: np.ones(len(r)))
    order = np.random.default_rng(1).permutation(len(table.report.groups))
    groups = table.report.groups[order]
    values = np.full((COUNT, 6), np.nan)
    slots = np.array([int((groups[:at] == group).sum()) for at, group in enumerate(groups.tolist())])
    values[groups, slots] = (5 + groups) * np.where(np.arange(len(groups)) % 40 < 20, 1.0, 1.5)
    found = run_pattern([replace(table, values={"time": values}, report=replace(table.report, groups=groups))], "time")
    assert found is not None
    assert found.kind == "neighbours"


@pytest.mark.parametrize("seed", range(4))
def test_independent_runs_have_no_pattern(seed: int) -> None:
    """Runs with noise of their own have no pattern, whatever their number; nor have negative values or huge ones."""
    rng = np.random.default_rng(seed)
    for repetitions in (2, 3, 5, 10):
        values = 5 * np.exp(rng.normal(0, 0.2, (COUNT, repetitions)))
        configurations = Configurations(SYSTEM, np.arange(COUNT)[:, np.newaxis])
        for scale in (1.0, -1.0, 1e300):
            assert run_pattern([Measurements(configurations, {"time": scale * values})], "time") is None
