"""Models of few rows: a constant or one clear effect, and how many rows are needed."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import LearningResult, learn
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel

SYSTEM = VariabilityModel(
    "s", (*(BinaryOption(f"b{place}") for place in range(3)), NumericOption("x", (1.0, 2.0, 4.0, 8.0)))
)
ALL = Space(SYSTEM).enumerate()
ROWS = np.random.default_rng(3).permutation(len(ALL))


def learned(rows: int, slope: float, configurations: Configurations = ALL[ROWS]) -> LearningResult:
    """Return what is learned from some rows of `20 + slope * b0 + x`, with noise of 1 %."""
    names = ("b0", "x")
    first, x = (configurations.column(name) for name in names)
    noise = np.random.default_rng(0).normal(1, 0.01, len(configurations))
    measurements = Measurements(configurations, {"y": (20 + slope * first + x) * noise})
    return learn(measurements, "y", learning_set=np.arange(rows))


def needed(result: LearningResult) -> list[str]:
    """Return the notes that there are too few rows."""
    return [note for note in result.notes if note.startswith("too few measurements")]


@pytest.mark.parametrize("rows", [3, 5, 7])
@pytest.mark.parametrize("slope", [0.0, 3.0, 100.0])
def test_at_most_one_effect(rows: int, slope: float) -> None:
    """Below 8 rows and 3 per option, a model has at most one term with options, and the note has the number needed."""
    result = learned(rows, slope)
    assert sum(bool(term.options) for term, _ in result.model.terms) <= 1
    varying = sum(len(set(ALL[ROWS].column(name)[:rows])) > 1 for name in SYSTEM.names)
    (note,) = needed(result)
    assert f"at least {max(4, 3 * varying)} " in note


def test_a_clear_effect_is_kept() -> None:
    """An effect that is much larger than all else is the one term of a model of few rows."""
    (term,) = (term for term, _ in learned(7, 100.0).model.terms if term.options)
    assert term.options == {"b0"}


@pytest.mark.parametrize(("rows", "number"), [(11, "at least 12 "), (14, "")])
def test_several_effects(rows: int, number: str) -> None:
    """From 8 rows on the model has terms of all clear options; below 3 rows per option a note has the number."""
    result = learned(rows, 20.0)
    assert {"b0", "x"} <= result.model.options
    assert [number in note for note in needed(result)] == ([True] if number else [])


def test_many_options_without_influence() -> None:
    """Fewer than 3 rows per option suffice if most options have no influence; a note remains."""
    system = VariabilityModel("wide", tuple(BinaryOption(f"b{place}") for place in range(30)))
    rng = np.random.default_rng(1)
    columns = {option.name: rng.integers(0, 2, 60) for option in system.options}
    configurations = Configurations.from_columns(system, columns)
    y = (10 + 5 * columns["b0"] + 3 * columns["b1"]) * rng.normal(1, 0.01, 60)
    result = learn(Measurements(configurations, {"y": y}), "y")
    assert {"b0", "b1"} <= result.model.options
    assert "at least 90 " in needed(result)[0]
