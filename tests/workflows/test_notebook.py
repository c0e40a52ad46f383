"""The verbs on values in memory: tables, files, systems, results and models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import splc
from splc.errors import LearningError, MeasurementError, SplcError
from splc.workflows import learn
from tests.support.golden import PROJECTS
from tests.support.golden_messages import check_calls
from tests.support.objects import present
from tests.support.paths import SMG2000

# Binary options, numeric options and alternatives, all of whose configurations are in a table.
KNOWN = splc.VariabilityModel.of({"x": [1, 2, 3, 4, 5, 6], "tls": bool, "codec": ["a", "b"]})
VERSIONS = ("v1", "v2", "v10")


@cache
def grid() -> splc.Configurations:
    """Return all configurations."""
    return splc.Space(KNOWN).enumerate()


@pytest.fixture
def columns() -> dict[str, Any]:
    """Return a table of measurements of all of them."""
    x, tls, codec = (grid().value(name) for name in ("x", "tls", "codec_a"))
    values = {"time": 10 + 3 * x + 5 * tls, "size": 20 - 2 * x, "version": ["1"] * len(grid())}
    return {"x": x, "tls": tls, "codec": np.where(codec == 1, "a", "b"), **values}


@pytest.fixture
def result(columns: dict[str, Any]) -> splc.learning.LearningResult:
    """Return a model that is learned from the table."""
    return splc.learn(columns, "time", system=KNOWN)


@pytest.fixture
def table() -> dict[str, Any]:
    """Return noisy measurements of some configurations of three options."""
    rng = np.random.default_rng(0)
    found: dict[str, Any] = {name: rng.integers(2, size=24) for name in ("cache", "zip")}
    found["threads"] = rng.choice([1.0, 2, 4, 8, 16], 24)
    time = 20 - 4 * found["cache"] + 2 * found["zip"] - 0.5 * found["threads"]
    return {**found, "time": time + rng.normal(0, 0.05, 24)}


@pytest.fixture
def versions() -> dict[str, Any]:
    """Return measurements of three versions, the last of which is slower where `zip` is selected."""
    rng = np.random.default_rng(3)
    found: dict[str, Any] = {name: rng.integers(2, size=24) for name in ("cache", "zip")}
    found |= {"threads": rng.choice([1.0, 2, 4, 8], 24), "version": rng.permutation([*VERSIONS] * 8)}
    time = 8 * 1.5 ** found["cache"] * (1 + 0.5 * (found["version"] == "v10") * found["zip"]) / found["threads"] ** 0.5
    return {**found, "time": time * np.exp(rng.normal(0, 0.01, 24))}


def test_learning_from_a_table(columns: dict[str, Any], result: splc.learning.LearningResult) -> None:
    """A table gives what its measurements give, with a system or with the inferred one; `where` selects rows."""
    assert result.model == splc.learn(splc.read_measurements(columns, KNOWN), "time").model
    assert result.system == KNOWN
    inferred = splc.learn(columns, "time", options="codec", ignore="size")
    assert inferred.model.predict(columns) == pytest.approx(columns["time"])
    both = {name: [*values, *values] for name, values in columns.items()}
    both["version"] = ["1"] * len(grid()) + ["2"] * len(grid())
    both["time"][len(grid()) :] = [2 * value for value in columns["time"]]
    second = splc.learn(both, "time", system=KNOWN, where={"version": "2"})
    assert second.predict(grid()) == pytest.approx(2 * result.predict(grid()), rel=1e-6)
    with pytest.raises(SplcError, match="the context 'version' has 2 values"):
        splc.learn(both, "time", system=KNOWN)


def test_names_of_statsmodels(columns: dict[str, Any], result: splc.learning.LearningResult) -> None:
    """Intervals of influences and of predictions are frames; learners without them say so."""
    found = result.conf_int()
    assert found.index.tolist() == result.to_columns()["term"]
    assert found.low.tolist() == [each.low for each in result.estimates]
    assert found.high.tolist() == [each.high for each in result.estimates]
    table = pd.DataFrame(columns).iloc[3:7]
    predicted = result.get_prediction(table)
    assert predicted.index.tolist() == [3, 4, 5, 6]
    assert predicted.predicted.tolist() == result.predict(table).tolist()
    low, high = present(result.intervals).interval(table)
    assert (predicted.low.tolist(), predicted.high.tolist()) == (low.tolist(), high.tolist())
    stepwise = splc.learn(columns, "time", "splconqueror", system=KNOWN)
    with pytest.raises(LearningError, match="the learner stepwise has no intervals of influences"):
        stepwise.conf_int()
    with pytest.raises(LearningError, match="the learner stepwise has no prediction intervals"):
        stepwise.get_prediction(table)


def frame() -> pd.DataFrame:
    """Return a table with a time stamp, statistics, a column of text, a hash, a version and repetitions."""
    rng = np.random.default_rng(3)
    found = pd.DataFrame({"started": pd.date_range("2024-01-01", periods=90, freq="min")})
    columns: dict[str, list[Any]] = {"threads": [1, 2, 4, 8], "tls": [False, True], "codec": ["lz4", "zstd"]}
    for name, values in columns.items():
        found[name] = rng.choice(values, 90)
    mean = 5 + 100 / found.threads + 20 * found.tls + 8 * (found.codec == "zstd")
    found["time_mean"] = mean * rng.normal(1, 0.02, 90)
    found["time_stddev"] = found.time_mean * rng.uniform(0.01, 0.02, 90)
    found["version"] = "1.2.3"
    found["sha"] = [f"{number:015x}" for number in rng.integers(1 << 55, 1 << 60, 90)]
    return found


@pytest.mark.parametrize("nfp", [None, "time_mean"])
def test_roles_of_columns_are_those_of_the_command(nfp: str | None, tmp_path: Path) -> None:
    """Options, repetitions, the property, contexts and what is left out are those of the command; so is the model."""
    file = str(tmp_path / "table.csv")
    frame().to_csv(file, index=False)
    ours = splc.learn(frame(), nfp, options="codec")
    theirs = learn.run(learn.Request(measurements=file, nfp=nfp, options=("codec",), write=False)).result
    for each in (ours, theirs):
        assert (each.nfp, each.learning_configurations) == ("time_mean", 16)
    assert present(ours.system).options == present(theirs.system).options
    assert ours.model.influences == pytest.approx(theirs.model.influences)
    measured = present(ours.rows).measured
    assert (measured.properties, measured.contexts) == (("time_mean",), {"version": "1.2.3"})


def test_contexts() -> None:
    """A column of text that is named as a context is one; a value of it selects rows."""
    with pytest.raises(MeasurementError, match="the context 'codec' has 2 values"):
        splc.learn(frame(), contexts="codec")
    learned = splc.learn(frame(), where={"codec": "zstd"})
    assert (present(learned.system).names, learned.learning_configurations) == (("tls", "threads"), 8)


def test_learning_from_a_file() -> None:
    """A path is read as the commands read it; settings are those of `splc.learning.learn`."""
    case, nfp = SMG2000 / "2d", "solve_compute_seconds"
    system = splc.read_variability_model(case / "system.xml")
    result = splc.learn(case / "measurements.csv", nfp, "splconqueror", system=system, seed=3)
    measured = splc.read_measurements(case / "measurements.csv", system)
    assert (result.model, result.seed) == (splc.learning.learn(measured, nfp, "splconqueror").model, 3)


@pytest.mark.parametrize("preset", [None, "splconqueror"])
def test_optimizing(preset: str | None, columns: dict[str, Any]) -> None:
    """The best configurations are those of a search of all valid ones, by the full model where there is one."""
    result = splc.learn(columns, "time", preset, system=KNOWN)
    predicted = result.predict(grid())
    for maximize in (False, True):
        found = splc.optimize(result, count=3, maximize=maximize)
        values = np.sort(-predicted if maximize else predicted)
        # Configurations that differ only in options without a use are one.
        best = values[:3] if preset is None else np.unique(values.round(9))[:3]
        assert np.abs(found.predicted[0]) == pytest.approx(np.abs(best))
        assert result.predict(found.configurations) == pytest.approx(found.predicted[0])
    fixed = splc.optimize(result, splc.Space(KNOWN), fixed={"tls": True, "codec": "b"})
    assert fixed.configurations.value("tls") == [1]
    assert fixed.predicted[0] == pytest.approx(predicted[(columns["tls"] == 1) & (columns["codec"] == "b")].min())


def test_the_front_of_several_models(result: splc.learning.LearningResult) -> None:
    """Of several models it is the Pareto front; a model may be a formula."""
    size = splc.parse_model("20 - 2 * x", KNOWN)
    formulas = splc.optimize([splc.parse_model("x", KNOWN), size], splc.Space(KNOWN))
    for front in (splc.optimize([result, size]), formulas):
        assert sorted(front.configurations.value("x")) == [1, 2, 3, 4, 5, 6]
    assert splc.optimize([result, size], maximize=[False, True]).configurations.value("x") == [1]


def test_explaining(result: splc.learning.LearningResult, table: dict[str, Any]) -> None:
    """A result and its printed model have the same order of options here; a table is learned from."""
    for found in (splc.explain(result), splc.explain(result.model, splc.Space(KNOWN))):
        assert [each.name for each in found.options][:2] == ["x", "tls"]
    assert splc.explain(table, "time").to_columns() == splc.explain(splc.learn(table, "time")).to_columns()


def test_suggestions_of_a_table(table: dict[str, Any]) -> None:
    """They are those of the measurements in it, and new ones."""
    some = {name: values[:12] for name, values in table.items()}
    found = splc.suggest(some, "time", 2)
    names = ("cache", "zip", "threads")
    known, own = ({*zip(*(each[name] for name in names), strict=True)} for each in (some, found.to_columns()))
    assert len(found.configurations) == 2
    assert known.isdisjoint(own)
    system = splc.infer_system(some)
    measured = splc.read_measurements(some, system)
    assert splc.suggest(splc.Space(system), measured, "time", 2).configurations == found.configurations


@pytest.mark.parametrize("maximize", [False, True])
def test_directions(table: dict[str, Any], maximize: bool) -> None:
    """A note says how the greatest values are found, where more of a property is better by its name."""
    rates = {"images_per_s" if name == "time" else name: values[:12] for name, values in table.items()}
    suggested = splc.suggest(rates, "images_per_s", 2, goal="optimum", maximize=maximize)
    measured = splc.read_measurements(rates, system := splc.infer_system(rates))
    again = splc.suggest(splc.Space(system), measured, "images_per_s", 2, goal="optimum", maximize=maximize)
    for found in (suggested, again, splc.optimize(splc.learn(rates, "images_per_s"), maximize=maximize)):
        assert any("maximize=True" in note for note in found.notes) is not maximize


def test_refused(columns: dict[str, Any], result: splc.learning.LearningResult, versions: dict[str, Any]) -> None:
    """Wrong names, types, counts and values, empty tables, and what cannot be shared have their messages."""
    version = splc.read_measurements(versions, splc.infer_system(versions), where={"version": "v1"})
    names = {"columns": columns, "frame": pd.DataFrame(columns), "space": splc.Space(KNOWN), "KNOWN": KNOWN}
    names |= {"versions": versions, "version": version, "model": splc.parse_model("x", KNOWN)}
    check_calls("refused-in-python", splc=splc, result=result, **names)


def test_rows_that_the_system_excludes(table: dict[str, Any]) -> None:
    """They are refused with what they violate, or left out on request, which is noted."""
    system = splc.VariabilityModel.of({"cache": bool, "zip": bool, "threads": [1, 2, 4, 8, 16]}, ["!cache | !zip"])
    for verb in (splc.learn, splc.suggest):
        with pytest.raises(MeasurementError, match=r"(?s)violates: !cache \| !zip.*6 of 24 rows"):
            verb(table, "time", system=system)
    kept = splc.learn(table, "time", system=system, invalid="drop")
    rows = np.stack([table["cache"], table["zip"], table["threads"]], axis=1)
    assert kept.learning_configurations == len(np.unique(rows[(table["cache"] * table["zip"]) == 0], axis=0))
    assert kept.notes[0].startswith("table: 6 of 24 rows dropped, their configuration is not valid; table:3: ")


def test_versions_of_a_table(versions: dict[str, Any]) -> None:
    """Each version has a result; those that are learned together have weights and changes."""
    together = splc.learn(versions, "time", by="version", share=True, form="product")
    assert list(together) == list(together.weights) == [*VERSIONS]
    assert [[each.option for each in change.settled] for change in together.changes] == [[], ["zip"]]
    assert len(together.to_columns()["configurations"]) == 3
    assert "learned together" in repr(together)
    asked = {"cache": [0, 1], "zip": [1, 1], "threads": [4.0, 4.0]}
    np.testing.assert_allclose(together["v10"].predict(asked), [6, 9], rtol=0.05)
    alone = splc.learn(versions, "time", by="version", form="product")
    assert (alone.weights, alone.changes) == ({}, ())
    assert alone["v2"].terms == splc.learn(versions, "time", where={"version": "v2"}, form="product").terms


# The notes of all functions that read a table.
NOTES: Mapping[str, Callable[[Any], Iterable[str]]] = {
    "infer_system": lambda table: splc.infer_system(table).notes,
    "learn": lambda table: splc.learn(table).notes,
    "learn a system": lambda table: splc.learn(table, system=splc.infer_system(table)).notes,
    "learn by": lambda table: splc.learn(table, by="n").notes,
    "suggest": lambda table: splc.suggest(table).notes,
    "explain": lambda table: splc.explain(table).notes,
    "optimize": lambda table: splc.optimize(table).notes,
}


def test_versions_of_a_known_system(versions: dict[str, Any]) -> None:
    """A system, and measurements of each value that were read already, give the same results."""
    system = splc.VariabilityModel.of({"cache": bool, "zip": bool, "threads": [1, 2, 4, 8]})
    found = splc.learn(versions, "time", by="version", share=True, system=system, form="product")
    parts = {value: splc.read_measurements(versions, system, where={"version": value}) for value in VERSIONS}
    again = splc.learn(parts, "time", by="version", share=True, form="product")
    for value, result in found.items():
        asked = parts[value].configurations
        np.testing.assert_array_equal(result.predict(asked), again[value].predict(asked))


def test_groups_of_a_table() -> None:
    """Groups of a table are a column, which is no option then, or labels of its rows, also where rows are repeated."""
    draw = np.random.default_rng(0)
    table = {name: draw.integers(1, 9, 40).astype(float).repeat(2) for name in ("n", "m")}
    table["time"] = table["n"] * 3 + table["m"]
    days = [f"day {row // 8}" for row in range(80)]
    by_column = splc.learn({**table, "day": days}, "time", groups="day")
    by_label = splc.learn(table, "time", groups=days)
    groups = present(by_column.groups)
    assert groups.column == "day"
    assert np.array_equal(groups.labels, present(by_label.groups).labels)
    assert by_column.expected == by_label.expected
    assert splc.learn(table, "time", groups="n").groups is not None


def test_blocks_of_a_table() -> None:
    """Blocks of a table are a column of numbers or texts, which is neither option nor context; empty cells are none."""
    draw = np.random.default_rng(0)
    table = {name: draw.integers(1, 9, 48).astype(float) for name in ("n", "m")}
    day = np.arange(48) // 6
    table["time"] = (table["n"] * 3 + table["m"]) * np.exp(draw.normal(0, 0.1, 8)[day] + draw.normal(0, 0.01, 48))
    texts = ["" if row == 7 else f"day {row // 6}" for row in range(48)]
    by_number, by_text = (splc.learn({**table, "day": days}, "time", block="day") for days in (day, texts))
    assert present(by_number.system).names == ("n", "m")
    assert (present(by_number.blocks).number, present(by_text.blocks).number) == (8, 8)
    assert "left out, without a day: 1 run" in by_text.notes


# Functions that read no table, or return `Measurements`, whose `report` has everything.
OTHERS = (
    "calibrate compare parse_model read_measurements read_measurements_by read_model read_variability_model "
    "sample scale tune"
)


@pytest.mark.parametrize("name", NOTES)
def test_what_is_doubtful_about_a_table_is_noted(tmp_path: Path, name: str) -> None:
    """What functions return has notes on numbers that may be versions, and on values that are missing.

    A new function joins these, or the list of those that read no table.
    """
    rows = "version,fast,n,time\n1.9,0,1,3\n1.8,0,1,4\n1.9,1,2,5\n1.8,1,2,6.5\n1.9,0,3,x\n1.8,1,3,9\n"
    (tmp_path / "t.csv").write_text(rows, encoding="utf-8")
    notes = " ".join(NOTES[name](str(tmp_path / "t.csv")))
    assert ("version (option, or context?)" in notes) == (name != "learn a system")
    assert ("1 value of time is missing" in notes) == (name != "infer_system")
    functions = {name for name in vars(splc)["__all__"] if name.islower() and not name.startswith("_")}
    assert functions == {name.split()[0] for name in NOTES} | set(OTHERS.split())


HEADER = ["pcg", "smooth", "n", "sweeps"]
RULE = "all 6 runs with pcg and smooth=gs failed"


def test_failures_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that is learned from has the failures beside it, or its rows without a value; answers leave them out."""
    monkeypatch.chdir(PROJECTS / "failing")
    settings: dict[str, Any] = {"options": "smooth", "learner": "stepwise"}
    learned = splc.learn("measurements.csv", "time", **settings)
    assert any(RULE in note for note in learned.notes)
    assert learned.provenance["failures"]["rules"][0]["constraint"] == "!pcg | !smooth_gs"
    system = splc.read_variability_model("system.xml")
    described = splc.learn(splc.read_measurements("measurements.csv", system), "time", learner="stepwise")
    both = pd.concat([pd.read_csv("measurements.csv"), pd.read_csv("measurements.failures.csv")[HEADER]])
    answers: list[Any] = [splc.suggest("measurements.csv", "time", 5, options="smooth")]
    for result in (learned, described, splc.learn(both, "time", **settings)):
        answers.append(splc.optimize(result, count=30))
        assert any(RULE in note for note in splc.explain(result).notes)
    for found in answers:
        assert any(RULE in note for note in found.notes)
        rows = found.configurations
        assert not ((rows.value("pcg") == 1) & (rows.value("smooth_gs") == 1)).any()
    with pytest.raises(SplcError, match="pcg and smooth=gs failed"):
        splc.optimize(learned, fixed={"pcg": True, "smooth": "gs"})


def test_settings_with_units() -> None:
    """A model of settings with units predicts the table that it was learned from, and one with a single setting."""
    table = {"cache": ["512kB", "4MB", "1MB", "64kB"] * 4, "n": [1, 2, 4, 8] * 2 + [8, 4, 2, 1] * 2}
    seconds = {"512kB": 4.0, "4MB": 1.0, "1MB": 3.0, "64kB": 6.0}
    table["time"] = [2 * n + seconds[c] for c, n in zip(*table.values(), strict=True)]
    result = splc.learn(table, "time")
    assert [option.name for option in present(result.system).numeric_options] == ["cache", "n"]
    alone = result.predict({"cache": ["4MB"], "n": [2]})
    assert alone == pytest.approx(result.predict(table)[1:2])
