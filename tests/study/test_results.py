"""Results of studies: numbers by definition, provenance, statistics and learning curves."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from comparison import compare
from comparison.measures import measure
from sampling import sample
from splc.data.accuracy import mean_relative_error
from splc.errors import RequestError
from splc.formats.models.json_writer import model_json_text
from splc.io.tables import Spread
from splc.learning import learn
from splc.models.influence import InfluenceModel
from splc.study import read_study
from splc.study.tasks import Loaded, load
from splc.study.results import OF_TERMS, Errors, Run, compare_runs, pair_values, study_test, titles
from splc.study.tables import curves_chart, curves_table, learning_curves
from splc.study.tasks import timeless
from tests.study.conftest import Studied, given_runs, rows


def learned(loaded: Loaded, run: Run) -> InfluenceModel:
    """Return the model of a run."""
    model = run.record.learned(loaded.inputs.system)
    assert model is not None
    return model


@pytest.mark.parametrize("scale", [1.0, 2.0, 0.25])
def test_error_of_the_analytical_model(study_file: Path, studied: Studied, scale: float) -> None:
    """The table has the error of the analytical model, and without its factor if there is one, by definition."""
    study_file.write_text(f'samplings = ["pb:9,3"]\nscale = {scale}\n', encoding="utf-8")
    found = [row for row in rows(studied().folder / "table.csv") if row["analytical"]]
    loaded = load(read_study(study_file)).inputs.measurements
    px, nx = (loaded.configurations.column(name) for name in ("px", "nx"))
    plain = 2 * np.log2(px) * 0.01 + 6 * nx * 0.001
    expected = {"measured_analytical": scale * plain, "measured_analytical_unscaled": plain}
    assert {row["compared"]: float(row["analytical"]) for row in found if row["measure"] == "error_rate"} == {
        key: pytest.approx(100 * np.mean(np.abs(loaded["time"] - values) / loaded["time"]), rel=1e-9)
        for key, values in expected.items()
        if scale != 1 or key == "measured_analytical"
    }
    assert {(row["learner"], row["pb:9,3"], row["source"]) for row in found} == {("", "", "ours")}


def test_further_measures(study_file: Path, studied: Studied) -> None:
    """Measures that a study names are in its tables, after the others, with their values by definition."""
    for measures in (["smape"], []):
        study_file.write_text(f'samplings = ["pb:9,3"]\nmeasures = {measures}\n', encoding="utf-8")
        result = studied(f"with{len(measures)}")
        loaded = load(read_study(study_file))
        measured = loaded.inputs.measured
        predicted = learned(loaded, result.runs[0]).predict(loaded.inputs.measurements.configurations)
        smape = 200 * np.mean(np.abs(measured - predicted) / (np.abs(measured) + np.abs(predicted)))
        (row,) = rows(result.folder / "runs.csv")
        assert ("measured_learned.smape" in row) == bool(measures)
        assert not measures or float(row["measured_learned.smape"]) == pytest.approx(smape, rel=1e-9)
    usual, found = titles("measured_learned"), titles("measured_learned", ["smape", "mae"])
    assert list(found)[: len(usual)] == list(usual)
    for key, title in found.items():
        assert title == usual.get(key) or title == measure(key).title + ", %" * (measure(key).kind == "percent")


def test_provenance_of_a_model(study_file: Path, studied: Studied) -> None:
    """A model file names the inputs that it was learned from, with their hashes."""
    study_file.write_text('samplings = ["pb:9,3"]\n[learners.scaling]\nlearner = "pmnf"\n', encoding="utf-8")
    result = studied()
    content = json.loads((result.folder / result.runs[0].task.log).read_text(encoding="utf-8"))["provenance"]
    assert {key: each["sha256"] for key, each in content["files"].items()} == {
        key: hashlib.sha256((study_file.parent / name).read_bytes()).hexdigest()
        for key, name in (("system", "system.xml"), ("measurements", "measurements.csv"))
    }
    assert content["measured_configurations"] == 24


def test_times_are_left_out(study_file: Path) -> None:
    """A result without its times is the same but for them."""
    result = learn(load(read_study(study_file)).inputs.measurements, "time", preset="splconqueror")
    found = timeless(result)
    assert result.seconds > 0
    assert any(each.seconds > 0 for each in result.rounds)
    assert [found.seconds, *(each.seconds for each in found.rounds)] == [0] * (1 + len(result.rounds))
    rounds = tuple(replace(new, seconds=old.seconds) for old, new in zip(result.rounds, found.rounds, strict=True))
    assert replace(found, seconds=result.seconds, rounds=rounds).rounds == result.rounds
    assert found.model == result.model


def test_records_have_the_error_of_the_stored_model(study_file: Path, studied: Studied) -> None:
    """The learning error and the number of rounds are those of the model that is stored, on all rows of `ff`."""
    study_file.write_text('nfp = "time"\nsamplings = ["ff"]\n[learners.a]\npreset = "splconqueror"\n', encoding="utf-8")
    loaded, (run,) = load(read_study(study_file)), studied().runs
    predicted = learned(loaded, run).predict(loaded.inputs.measurements.configurations)
    assert run.record.learning_error == pytest.approx(mean_relative_error(predicted, loaded.inputs.measured), rel=1e-6)
    assert (run.record.rounds or 0) >= 1
    assert run.record.error is None


def test_runs_have_the_seed_of_their_task(study_file: Path, studied: Studied) -> None:
    """A learner that draws numbers has the seed of the task, also where the sampling does not."""
    text = 'nfp = "time"\nsamplings = ["random:9"]\nseeds = [3, 5]\n[learners.a]\nlearner = "forest"\ntrees = 9\n'
    study_file.write_text(text, encoding="utf-8")
    measurements = load(read_study(study_file)).inputs.measurements
    for run in studied().runs:
        drawn = sample(measurements.system, run.task.sampling, seed=run.task.seed)
        settings = {"trees": 9}
        for seed in (3, 5):
            found = learn(measurements, learner="forest", settings=settings, learning_set=drawn, seed=seed)
            assert (run.record.error == pytest.approx(found.error, rel=1e-9)) == (run.task.seed == seed)


@pytest.mark.parametrize("constant", [True, False])
def test_constants(study_file: Path, studied: Studied, constant: bool) -> None:
    """The constants of models are compared if the study says so."""
    (study_file.parent / "analytical.txt").write_text("T = 0.3 + 0.01 * nx + 0.1 * px\n", encoding="utf-8")
    study_file.write_text(f'samplings = ["ff"]\nconstant = {str(constant).lower()}\n', encoding="utf-8")
    loaded, (run,) = load(read_study(study_file)), studied().runs
    assert loaded.analytical is not None
    model = learned(loaded, run)
    scores = [compare(loaded.analytical, model, constant=each).syntactic.score for each in (constant, not constant)]
    assert run.values["analytical_learned"]["syntactic"] == pytest.approx(scores[0], rel=1e-9)
    assert scores[0] != pytest.approx(scores[1], rel=1e-3)


def test_a_study_of_each_value(study_file: Path, studied: Studied) -> None:
    """A study of each value of a context is not done as one."""
    study_file.write_text('samplings = ["ff"]\nby = "version"\n', encoding="utf-8")
    with pytest.raises(RequestError, match=r"^the study is done of each value of 'version'\n    call run_study_by$"):
        studied()


def test_models_that_cannot_be_compared(study_file: Path) -> None:
    """A model that cannot be compared has a run with its number of terms and the reason, without values."""
    study, loaded, (run, *_) = given_runs(study_file)
    assert loaded.analytical is not None
    large = replace(loaded.analytical, link="log", terms=tuple((term, 1e5) for term, _ in loaded.analytical.terms))
    record = replace(run.record, model=model_json_text(large, "time"))
    [found] = compare_runs(study, loaded, [(run.task, record)]).runs
    assert (found.terms, dict(found.values), found.error) == (len(large.terms), {}, None)
    assert (found.reason or "").startswith("cannot be compared: the prediction is too large to be a number")


def test_values_of_a_pair(study_file: Path) -> None:
    """A pair has the scores of its terms and predictions; scores of terms are undefined if the links differ."""
    loaded = load(read_study(study_file))
    assert loaded.analytical is not None
    found = compare(loaded.analytical, loaded.analytical.scaled(2), loaded.inputs.measurements.configurations)
    values = pair_values(found)
    assert found.hybrid is not None
    scores = {"syntactic": found.syntactic.score, "syntactic_normalized": found.syntactic.normalized}
    hybrid = {"hybrid_syntactic": found.hybrid.syntactic, "hybrid_semantic": found.hybrid.semantic}
    # Two terms, and twice as much everywhere.
    expected = {**scores, **hybrid, "syntactic_lower": -4, "syntactic_upper": 4, "error_rate": pytest.approx(100)}
    assert {key: values[key] for key in expected} == expected
    without = pair_values(replace(found, hybrid=None, same_link=False))
    assert without == {key: None if key in OF_TERMS else value for key, value in values.items() if key not in hybrid}
    assert pair_values(replace(found, hybrid=None, semantic=None)).keys() == set(OF_TERMS) - hybrid.keys()


def test_samplings_with_several_seeds_are_compared(study_file: Path, studied: Studied) -> None:
    """A12 counts the pairs of runs of two samplings; those with one run are left out."""
    study_file.write_text('samplings = ["ff", "random:12", "random:6"]\nseeds = [0, 1, 2, 3]\n')
    result = studied()
    assert result.results is not None
    test = study_test(result.results)
    assert test is not None
    errors = defaultdict(list)
    for row in rows(result.folder / "runs.csv"):
        errors[row["sampling"]].append(float(row["error_all"]))
    assert {name: len(each) for name, each in errors.items()} == {"ff": 1, "random:12": 4, "random:6": 4}
    assert dict(test.medians) == pytest.approx({name: np.median(errors[name]) for name in ("random:12", "random:6")})
    [pair] = test.pairs
    wins = [(a > b) + (a == b) / 2 for a in errors["random:12"] for b in errors["random:6"]]
    assert pair.a12 == pytest.approx(np.mean(wins))


def test_learning_curves() -> None:
    """A point has the mean size, the mean error and its deviation; runs without an error do not count."""
    errors: Errors = {
        "a": {
            "late": [(10, 4.0)],
            "drawn": [(4, 6.0), (5, 8.0), (None, 1.0), (9, None)],
            "all": [(24, None)],
        },
        "b": {"late": [(10, 3.0)], "drawn": [(4, 1.0), (5, 1.0)], "all": [(24, None)]},
        "c": {"late": [], "drawn": [], "all": []},
    }
    found = learning_curves(errors)
    points = [(each.sampling, each.size, each.error) for each in found["a"]]
    assert points == [("drawn", 4.5, 7.0), ("late", 10.0, 4.0)]
    assert [each.deviation for each in found["a"]] == pytest.approx([2**0.5, 0])
    assert found["c"] == ()
    table = curves_table(errors)
    assert table is not None
    assert table.columns == ("sampling", "configurations", "a", "b", "c")
    drawn, late = table.rows
    assert drawn == ("drawn", 4.5, Spread(7.0, found["a"][0].deviation), Spread(1.0, 0.0), None)
    assert late == ("late", 10, 4.0, 3.0, None)
    assert isinstance(late[1], int)
    assert curves_table({"a": {"all": [(24, None)]}}) is None
    one = {"late": [(10, 4.0)]}
    assert curves_chart({"x": {"a": one}, "y": {"b": one}}, "one size") is None
    chart = curves_chart({"x": {"a": one}, "y": errors}, "several sizes")
    assert chart is not None
    assert list(chart.legend.values()) == ["a", "b"]
