"""Tests of suggestions for a new version of which others are known."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import Space
from splc.data.measurements import Measurements
from splc.errors import RequestError
from splc.learning import suggest
from splc.learning.contexts.joint_model import ContextRows
from splc.learning.contexts.sharing import Sharing
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array

SYSTEM = VariabilityModel("s", tuple(BinaryOption(f"b{at}") for at in range(8)))
SPACE = Space(SYSTEM)
EVERY = SPACE.enumerate()


def _values(version: int) -> Array:
    column = EVERY.column
    found: Array = 0.8 * column("b0") + 0.5 * column("b1") + 0.4 * column("b2") - 0.4 * column("b0") * column("b3")
    return np.exp(found + version * (0.3 + 0.3 * column("b0") - 0.25 * column("b2")))


def _rows(version: int, rows: Array) -> ContextRows:
    noise = np.random.default_rng(version).normal(0, 0.01, len(rows))
    return ContextRows(EVERY[rows], _values(version)[rows] * np.exp(noise), np.ones(len(rows)))


@pytest.fixture(scope="module")
def old() -> dict[str, ContextRows]:
    """Return 60 rows of the old version."""
    return {"v1": _rows(0, np.random.default_rng(1).permutation(len(EVERY))[:60])}


def _error(old: dict[str, ContextRows], rows: Array) -> float:
    own = _rows(1, rows)
    joint = Sharing({**old, "v2": own}).joint("v2", own)
    return float(np.abs(joint.of("v2").predict(EVERY) / _values(1) - 1).mean())


def test_pairs(old: dict[str, ContextRows]) -> None:
    """Suggestions are configurations of the old version, and not those that were measured in the new one."""
    first = suggest(SPACE, None, None, 4, sources=old)
    assert (old["v1"].configurations.find(first.configurations) >= 0).all()
    measured = Measurements(first.configurations, {"time": np.arange(1.0, 5.0)})
    second = suggest(SPACE, measured, "time", 4, sources=old)
    assert (old["v1"].configurations.find(second.configurations) >= 0).all()
    assert (first.configurations.find(second.configurations) < 0).all()
    # Together they are what is suggested at once: values do not matter.
    both = suggest(SPACE, None, None, 8, sources=old)
    assert both.configurations[4:] == second.configurations
    assert suggest(SPACE, None, None, 61, sources=old).candidates > 60


def test_better_than_random(old: dict[str, ContextRows]) -> None:
    """As many random rows of the new version have a larger error."""
    suggested = EVERY.find(suggest(SPACE, None, None, 6, sources=old).configurations)
    generator = np.random.default_rng(0)
    errors = [_error(old, generator.permutation(len(EVERY))[:6]) for _ in range(3)]
    assert _error(old, suggested) < 0.8 * np.mean(errors)


def test_influential_options(old: dict[str, ContextRows]) -> None:
    """Options that matter are balanced in few suggestions; those without influence need not be."""
    chosen = suggest(SPACE, None, None, 4, sources=old).configurations
    for name in ("b0", "b1", "b2"):
        assert chosen.column(name).sum() in (1, 2, 3)


def test_optimum(old: dict[str, ContextRows]) -> None:
    """A search for the optimum does not use other versions."""
    with pytest.raises(RequestError):
        suggest(SPACE, None, None, 4, goal="optimum", sources=old)
