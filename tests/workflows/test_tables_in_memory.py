"""The verbs on tables in memory: `splc.learn`, `splc.suggest` and `splc.explain` take the same ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import splc
from splc.errors import MeasurementError, SpecError
from splc.system.variability import VariabilityModel


@pytest.fixture
def table() -> dict[str, Any]:
    """Return measurements of three options."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {
        "cache": rng.integers(2, size=24),
        "zip": rng.integers(2, size=24),
        "threads": rng.choice([1.0, 2, 4, 8, 16], 24),
    }
    time = 20 - 4 * columns["cache"] + 2 * columns["zip"] - 0.5 * columns["threads"]
    return {**columns, "time": time + rng.normal(0, 0.05, 24)}


def test_suggestions_of_a_table(table: dict[str, Any]) -> None:
    """They are those of the measurements in it, and new ones."""
    found = splc.suggest({name: values[:12] for name, values in table.items()}, "time", 2)
    rows = {tuple(row) for row in np.stack([table[name][:12] for name in ("cache", "zip", "threads")], axis=1).tolist()}
    own = found.to_columns()
    assert len(found.configurations) == 2
    assert rows.isdisjoint(zip(own["cache"], own["zip"], own["threads"], strict=True))
    system = splc.infer_system({name: values[:12] for name, values in table.items()})
    measured = splc.Measurements.from_frame(system, {name: values[:12] for name, values in table.items()})
    assert splc.suggest(splc.Space(system), measured, "time", 2).configurations == found.configurations


def test_explanation_of_a_table(table: dict[str, Any]) -> None:
    """It is that of the model that is learned from it; a model itself has no property."""
    result = splc.learn(table, "time")
    assert splc.explain(table, "time").to_columns() == splc.explain(result).to_columns()
    with pytest.raises(SpecError, match="only a table"):
        splc.explain(result, "time")


def test_settings_by_name(table: dict[str, Any]) -> None:
    """A setting of the learner is an argument, as on the command line; unknown ones are refused by name."""
    assert len(splc.learn(table, "time", terms=2).terms) == 2
    with pytest.raises(SpecError, match="termz"):
        splc.learn(table, "time", termz=2)


def test_what_was_inferred_is_noted(table: dict[str, Any]) -> None:
    """The notes of a result have the roles of columns, and what is doubtful about the table."""
    first, *_ = splc.learn(table).notes
    assert "its options are inferred" in first
    assert "property: time" in first
    cells = ["" if row == 3 else f"{value:g}" for row, value in enumerate(table["threads"])]
    notes = splc.learn({**table, "threads": cells}, "time").notes
    assert any("threads has no value in 1 of 24 rows (line 5)" in note for note in notes)


def test_rows_that_the_system_excludes(table: dict[str, Any]) -> None:
    """They are refused with what they violate, or left out on request."""
    options = {"cache": bool, "zip": bool, "threads": [1, 2, 4, 8, 16]}
    system = VariabilityModel.of(options, ["!cache | !zip"])
    with pytest.raises(MeasurementError, match="not valid") as caught:
        splc.learn(table, "time", system=system)
    assert "!cache | !zip" in str(caught.value)
    with pytest.raises(MeasurementError, match="not valid"):
        splc.suggest(table, "time", system=system)
    kept = splc.learn(table, "time", system=system, invalid="drop")
    rows = np.stack([table["cache"], table["zip"], table["threads"]], axis=1)
    assert kept.learning_configurations == len(np.unique(rows[(table["cache"] * table["zip"]) == 0], axis=0))


@pytest.fixture
def versions() -> dict[str, Any]:
    """Return measurements of three versions, the last of which is slower where `zip` is selected."""
    rng = np.random.default_rng(3)
    columns: dict[str, Any] = {
        "cache": rng.integers(2, size=24),
        "zip": rng.integers(2, size=24),
        "threads": rng.choice([1.0, 2, 4, 8], 24),
        "version": rng.permutation(["v1", "v2", "v10"] * 8),
    }
    newest = columns["version"] == "v10"
    time = 8 * 1.5 ** columns["cache"] * (1 + 0.5 * newest * columns["zip"]) / columns["threads"] ** 0.5
    return {**columns, "time": time * np.exp(rng.normal(0, 0.01, 24))}


def test_versions_of_a_table(versions: dict[str, Any]) -> None:
    """Each version has a result; those that are learned together have weights and changes."""
    together = splc.learn(versions, "time", by="version", share=True, form="product")
    assert list(together) == list(together.weights) == ["v1", "v2", "v10"]
    assert [[each.option for each in change.settled] for change in together.changes] == [[], ["zip"]]
    assert len(together.to_columns()["configurations"]) == 3
    assert "learned together" in repr(together)
    assert any("its options are inferred" in note for note in together.notes)
    asked = {"cache": [0, 1], "zip": [1, 1], "threads": [4.0, 4.0]}
    np.testing.assert_allclose(together["v10"].predict(asked), [6, 9], rtol=0.05)
    alone = splc.learn(versions, "time", by="version", form="product")
    assert alone.weights == {}
    assert alone.changes == ()
    assert alone["v2"].terms == splc.learn(versions, "time", where={"version": "v2"}, form="product").terms


def test_versions_of_a_known_system(versions: dict[str, Any]) -> None:
    """A system, and measurements of each value that were read already, give the same results."""
    system = VariabilityModel.of({"cache": bool, "zip": bool, "threads": [1, 2, 4, 8]})
    found = splc.learn(versions, "time", by="version", share=True, system=system, form="product")
    parts = {
        value: splc.Measurements.from_frame(system, versions, where={"version": value}) for value in ("v1", "v2", "v10")
    }
    again = splc.learn(parts, "time", by="version", share=True, form="product")
    for value, result in found.items():
        asked = parts[value].configurations
        np.testing.assert_array_equal(result.predict(asked), again[value].predict(asked))


def test_refused_versions(versions: dict[str, Any]) -> None:
    """Values that cannot be learned together are refused."""
    with pytest.raises(SpecError, match="values of a context"):
        splc.learn(versions, "time", share=True)
    with pytest.raises(SpecError, match="alone"):
        splc.learn(versions, "time", by="version", share=True, learner="forest")
    system = VariabilityModel.of({"cache": bool, "zip": bool, "threads": [1, 2, 4, 8]})
    measured = splc.Measurements.from_frame(system, versions, where={"version": "v1"})
    with pytest.raises(SpecError, match="one value"):
        splc.learn(measured, "time", by="version")
