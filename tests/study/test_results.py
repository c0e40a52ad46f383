"""Results of studies: tables of the analytical model, provenance and learning curves."""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from comparison import compare
from splc.errors import RequestError
from splc.formats.models.json_writer import model_json_text
from splc.io.tables import Spread
from splc.learning import learn
from splc.study import read_study
from splc.study.inputs import load
from splc.study.results import Errors, compare_runs
from splc.study.tables import curves_chart, curves_table, learning_curves
from splc.study.tasks import timeless
from tests.study.conftest import Studied, given_runs


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("scale", [1.0, 2.0, 0.25])
def test_error_of_the_analytical_model(study_file: Path, studied: Studied, scale: float) -> None:
    """The table has the error of the analytical model, and without its factor if there is one, by definition."""
    study_file.write_text(f'samplings = ["pb:9,3"]\nscale = {scale}\n', encoding="utf-8")
    found = [row for row in rows(studied().folder / "table.csv") if row["analytical"]]
    loaded = load(read_study(study_file)).inputs.measurements
    px, nx = (loaded.configurations.column(name) for name in ("px", "nx"))
    plain = 2 * np.log2(px) * 0.01 + 6 * nx * 0.001
    expected = {("measured_analytical", "ours"): scale * plain, ("measured_analytical_unscaled", "ours"): plain}
    if scale == 1:
        del expected["measured_analytical_unscaled", "ours"]
    measured = loaded["time"]
    errors = {
        (row["compared"], row["source"]): float(row["analytical"]) for row in found if row["measure"] == "error_rate"
    }
    assert errors == {
        key: pytest.approx(100 * np.mean(np.abs(measured - each) / measured), rel=1e-9)
        for key, each in expected.items()
    }
    assert all(row["learner"] == row["pb:9,3"] == "" for row in found)


def test_further_measures(study_file: Path, studied: Studied) -> None:
    """Measures that a study names are in its tables, with their values by definition."""
    study_file.write_text('samplings = ["pb:9,3"]\nmeasures = ["smape"]\n', encoding="utf-8")
    result = studied()
    assert result.results is not None
    (run,) = result.results.runs
    inputs = load(read_study(study_file)).inputs
    model = run.record.learned(inputs.system)
    assert model is not None
    measured, predicted = inputs.measurements["time"], model.predict(inputs.measurements.configurations)
    smape = 200 * np.mean(np.abs(measured - predicted) / (np.abs(measured) + np.abs(predicted)))
    (row,) = rows(result.folder / "runs.csv")
    assert float(row["measured_learned.smape"]) == pytest.approx(smape, rel=1e-9)
    study_file.write_text('samplings = ["pb:9,3"]\n', encoding="utf-8")
    (row,) = rows(studied("plain").folder / "runs.csv")
    assert "measured_learned.smape" not in row


def test_provenance_of_a_model(study_file: Path, studied: Studied) -> None:
    """A model file names the inputs that it was learned from, with their hashes."""
    study_file.write_text('samplings = ["pb:9,3"]\n[learners.scaling]\nlearner = "pmnf"\n', encoding="utf-8")
    result = studied()
    assert result.results is not None
    (run,) = result.results.runs
    content = json.loads((result.folder / run.task.log).read_text(encoding="utf-8"))
    expected = {
        key: hashlib.sha256((study_file.parent / name).read_bytes()).hexdigest()
        for key, name in (("system", "system.xml"), ("measurements", "measurements.csv"))
    }
    assert {key: each["sha256"] for key, each in content["provenance"]["files"].items()} == expected
    assert content["provenance"]["measured_configurations"] == 24


def test_times_are_left_out(study_file: Path) -> None:
    """A result without its times is the same but for them."""
    result = learn(load(read_study(study_file)).inputs.measurements, "time", preset="splconqueror")
    found = timeless(result)
    assert result.seconds > 0
    assert any(each.seconds > 0 for each in result.rounds)
    assert found.seconds == 0
    assert [each.seconds for each in found.rounds] == [0] * len(result.rounds)
    assert found.model == result.model
    assert [(each.number, each.terms) for each in found.rounds] == [(each.number, each.terms) for each in result.rounds]


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
    assert [(each.sampling, each.size, each.error) for each in found["a"]] == [
        ("drawn", 4.5, 7.0),
        ("late", 10.0, 4.0),
    ]
    assert [each.deviation for each in found["a"]] == pytest.approx([2**0.5, 0])
    assert found["c"] == ()
    table = curves_table(errors)
    assert table is not None
    assert table.columns == ("sampling", "configurations", "a", "b", "c")
    drawn, late = table.rows
    assert drawn[:2] == ("drawn", 4.5)
    assert drawn[2:] == (Spread(7.0, found["a"][0].deviation), Spread(1.0, 0.0), None)
    assert late == ("late", 10, 4.0, 3.0, None)
    assert isinstance(late[1], int)
    assert curves_table({"a": {"all": [(24, None)]}}) is None
    assert curves_chart({"x": {"a": {"late": [(10, 4.0)]}, "b": {"late": [(10, 4.0)]}}}, "one size") is None
    chart = curves_chart({"x": errors}, "several sizes")
    assert chart is not None
    assert list(chart.legend.values()) == ["a", "b"]


@pytest.mark.parametrize("constant", [True, False])
def test_constants(study_file: Path, studied: Studied, constant: bool) -> None:
    """The constants of models are compared if the study says so."""
    (study_file.parent / "analytical.txt").write_text("T = 0.3 + 0.01 * nx + 0.1 * px\n", encoding="utf-8")
    study_file.write_text(f'samplings = ["ff"]\nconstant = {str(constant).lower()}\n', encoding="utf-8")
    result = studied()
    assert result.results is not None
    (run,) = result.results.runs
    loaded = load(read_study(study_file))
    model = run.record.learned(loaded.inputs.system)
    assert model is not None
    assert loaded.analytical is not None
    scores = [compare(loaded.analytical, model, constant=each).syntactic.score for each in (constant, not constant)]
    assert run.values["analytical_learned"]["syntactic"] == pytest.approx(scores[0], rel=1e-9)
    assert scores[0] != pytest.approx(scores[1], rel=1e-3)


def test_a_study_of_each_value(study_file: Path, studied: Studied) -> None:
    """A study of each value of a context is not done as one."""
    study_file.write_text('samplings = ["ff"]\nby = "version"\n', encoding="utf-8")
    with pytest.raises(RequestError) as caught:
        studied()
    assert str(caught.value).split("\n    ") == ["the study is done of each value of 'version'", "call run_study_by"]


def test_models_that_cannot_be_compared(study_file: Path) -> None:
    """A model that cannot be compared has a run with its number of terms and the reason, without values."""
    study, loaded, (run, *_) = given_runs(study_file)
    assert loaded.analytical is not None
    large = replace(loaded.analytical, link="log", terms=tuple((term, 1e5) for term, _ in loaded.analytical.terms))
    record = replace(run.record, model=model_json_text(large, "time"))
    [found] = compare_runs(study, loaded, [(run.task, record)]).runs
    assert (found.terms, dict(found.values), found.error) == (len(large.terms), {}, None)
    assert found.reason is not None
    assert found.reason.startswith("cannot be compared: the prediction is too large to be a number")
