"""Results of studies: tables, manifests, learning curves, and pictures."""

from __future__ import annotations

import json
import platform
import sys
from collections import defaultdict
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from comparison import compare
from comparison.compare import compare_all, compared_model
from comparison.measures import measure
from sampling import sample
from splc.errors import OutputError
from splc.formats.models.json import model_json_text, parse_stored_json
from splc.formats.models.read import read_model
from splc.io.files import Source, read_source
from splc.io.tables import Spread, markdown_text
from splc.learning import learn
from splc.plotting.charts.drawing import chart_file
from splc.plotting.charts.influences import term_chart
from splc.plotting.charts.predictions import sorted_chart
from splc.study import folder, read_study, run_study
from splc.study.results import Errors, Results, compare_runs, manifest_of, pair_values, titles
from splc.study.tables import (
    ERRORS,
    PREDICTIONS,
    TERM_SCORES,
    UNSCALED,
    curves_chart,
    curves_table,
    learning_curves,
    pictures_of,
    spread,
    tables_of,
)
from splc.study.tasks import load
from tests.study.conftest import Studied, given_runs, rows
from tests.study.conftest import manifest_of as read_manifest
from tests.support.golden_messages import Lines, check_calls, check_lines
from tests.support.objects import contents, present

NUMBERS = st.floats(-1e9, 1e9)


def test_numbers(study_file: Path, studied: Studied) -> None:
    """The numbers of a run are those of a comparison of its stored model, distances as published without a root.

    A random sampling's column is mean and standard deviation of its runs, a design's is its only run.
    """
    result = studied()
    measured = load(read_study(study_file)).inputs.measurements
    parameters = {"alpha": 0.01, "f": 0.001}
    unscaled = read_model(study_file.parent / "analytical.txt", measured.system, parameters=parameters)
    analytical = unscaled.scaled(2)
    expected = analytical.predict(measured.configurations)
    found = [row for row in rows(result.folder / "runs.csv") if not row["reason"]]
    cosines = defaultdict(list)
    for row in found:
        log = read_model(result.folder / row["log"], measured.system)
        predicted = log.predict(measured.configurations)
        error = 100 * np.mean(np.abs(measured["time"] - predicted) / measured["time"])
        numbers = {
            "analytical_learned.chebyshev": np.abs(expected - predicted).max(),
            "analytical_learned.syntactic": compare(analytical, log).syntactic.score,
            "measured_learned.error_rate": error,
            "error_all": error,
        }
        for power in (1, 2, 3):
            by_hand = sum(abs(float(a) - float(b)) ** power for a, b in zip(expected, predicted, strict=True)) / 24
            numbers[f"analytical_learned.mean_power_{power}"] = by_hand
        if row["sampling"] == "ff":
            numbers["learning_error"] = error
            assert (row["error"], int(row["rounds"]) >= 1) == ("", True)
        assert {key: float(row[key]) for key in numbers} == pytest.approx(numbers, rel=1e-6)
        cosines[row["sampling"]].append(100 * float(row["analytical_learned.cosine"]))
    assert {name: len(each) for name, each in cosines.items()} == {"ff": 1, "pb:9,3": 1, "random:6": 3}
    table = rows(result.folder / "table.csv")
    plain = {"": expected, "_unscaled": unscaled.predict(measured.configurations)}
    rates = {f"measured_analytical{name}": np.abs(measured["time"] - values) for name, values in plain.items()}
    assert {
        row["compared"]: float(row["analytical"])
        for row in table
        if row["analytical"] and row["measure"] == "error_rate"
    } == pytest.approx({name: 100 * np.mean(deviations / measured["time"]) for name, deviations in rates.items()})
    group = ("analytical_learned", "cosine")
    (means,) = [row for row in table if (row["compared"], row["measure"]) == group]
    assert {name: float(means[name]) for name in cosines} == pytest.approx(
        {name: np.mean(each) for name, each in cosines.items()}
    )
    assert float(means["random:6 deviation"]) == pytest.approx(np.std(cosines["random:6"], ddof=1))
    for run in result.runs:
        if run.record.model is not None:
            stored = parse_stored_json(Source("", run.record.model.encode())).model
            assert dict(stored.terms) == pytest.approx(dict(read_model(result.folder / run.task.log).terms), rel=1e-14)


@pytest.mark.parametrize("constant", [True, False])
def test_settings_of_comparisons(study_file: Path, studied: Studied, constant: bool) -> None:
    """Constants are compared if the study says so; measures that it names are in its tables, after the others."""
    (study_file.parent / "analytical.txt").write_text("T = 0.3 + 0.01 * nx + 0.1 * px\n", encoding="utf-8")
    text = f'samplings = ["ff"]\nconstant = {str(constant).lower()}\n' + 'measures = ["smape"]\n' * constant
    study_file.write_text(text, encoding="utf-8")
    loaded, result = load(read_study(study_file)), studied()
    model = present(result.runs[0].record.learned(loaded.inputs.system))
    scores = [
        compare(present(loaded.analytical), model, constant=each).syntactic.score for each in (constant, not constant)
    ]
    assert result.runs[0].values["analytical_learned"]["syntactic"] == pytest.approx(scores[0], rel=1e-9)
    assert scores[0] != pytest.approx(scores[1], rel=1e-3)
    measured, predicted = loaded.inputs.measured, model.predict(loaded.inputs.measurements.configurations)
    smape = 200 * np.mean(np.abs(measured - predicted) / (np.abs(measured) + np.abs(predicted)))
    (row,) = rows(result.folder / "runs.csv")
    assert float(row.get("measured_learned.smape", "nan")) == pytest.approx(smape if constant else np.nan, nan_ok=True)
    usual, found = titles("measured_learned"), titles("measured_learned", ["smape", "mae"])
    assert list(found)[: len(usual)] == list(usual)
    for key, title in found.items():
        assert title == usual.get(key) or title == measure(key).title + ", %" * (measure(key).kind == "percent")


def test_runs_have_the_seed_of_their_task(study_file: Path, studied: Studied) -> None:
    """A learner that draws numbers has the seed of the task, also where the sampling does not."""
    text = 'nfp = "time"\nsamplings = ["random:9"]\nseeds = [3, 5]\n[learners.a]\nlearner = "forest"\ntrees = 9\n'
    study_file.write_text(text, encoding="utf-8")
    measurements = load(read_study(study_file)).inputs.measurements
    for run in studied().runs:
        drawn = sample(measurements.system, run.task.sampling, seed=run.task.seed)
        for seed in (3, 5):
            found = learn(measurements, learner="forest", settings={"trees": 9}, learning_set=drawn, seed=seed)
            assert (run.record.error == pytest.approx(found.error, rel=1e-9)) == (run.task.seed == seed)


def test_given_runs(study_file: Path) -> None:
    """Cells are means over the seeds, captions name the factor, and runs without a result are listed with reasons.

    A caption names the models without a syntactic score, whose mean is undefined. The manifest has the log of a run if
    its model has terms, the seed if it draws, and the best run.
    """
    study, loaded, runs = given_runs(study_file)
    fixed = replace(runs[0], reason="cannot be compared")
    product = replace(runs[2], values={"analytical_learned": {"syntactic": None, "error_rate": 3.0}})
    lines = []
    for scale, each in ((0.5, runs), (1.0, (*runs[:2], product)), (1.0, (fixed, *runs[1:3]))):
        lines.append(f"$ {len(each)} runs, scale {scale}")
        for table in tables_of(replace(study, scale=scale), Results(each)):
            lines += markdown_text(table).splitlines()
    for best in (runs[0], runs[2], None):
        content = manifest_of(study, loaded, Results(runs, best=best))
        lines.append(f"$ manifest: best is {content['best']}")
    for task in content["tasks"]:
        lines.append(json.dumps({key: value for key, value in task.items() if key != "key"}))
    check_lines("study-runs", lines)


def test_manifest(study_file: Path, studied: Studied, monkeypatch: pytest.MonkeyPatch) -> None:
    """The manifest has the hashes of all inputs and results, all settings, the best run, and the time of every task.

    So has a model file that of its inputs. A package that is not installed has no version.
    """
    monkeypatch.setattr(folder, "PACKAGES", ("numpy", "no-such-package"))
    study_file.write_text(
        'samplings = ["pb:9,3", "random:6"]\nseeds = [0, 1]\n'
        '[learners.scaling]\nlearner = "pmnf"\n[learners.terms]\npreset = "splconqueror"\nlearn_logFunction = true\n',
        encoding="utf-8",
    )
    result = studied()
    content, best = read_manifest(result.folder), None if result.results is None else result.results.best
    names = {"system": "system.xml", "measurements": "measurements.csv"}
    hashes = {key: read_source(study_file.parent / name).sha256 for key, name in names.items()}
    for key, name in {**names, "analytical": "analytical.txt", "parameters": "parameters.txt"}.items():
        assert content["inputs"][key] == {"path": name, "sha256": read_source(study_file.parent / name).sha256}
    written = [name for name in contents(result.folder) if name != "manifest.json" and not name.startswith("tasks/")]
    assert content["files"] == {name: read_source(result.folder / name).sha256 for name in sorted(written)}
    assert {name for name in written if "/" in name} == {run.log for run in result.runs if run.log}
    assert content["study"]["learners"]["terms"]["learn_logFunction"] is True
    assert content["study"]["seeds"] == [0, 1]
    found = {name: content["versions"][name] for name in ("numpy", "python", "no-such-package")}
    assert found == {"numpy": version("numpy"), "python": platform.python_version(), "no-such-package": None}
    assert {task["key"] for task in content["tasks"]} == set(content["times"]["tasks"])
    assert best is not None
    assert content["best"]["sampling"] == best.sampling
    assert best.error == min(run.error for run in result.runs if run.error is not None)
    provenance = json.loads((result.folder / result.runs[0].task.log).read_text(encoding="utf-8"))["provenance"]
    assert {key: file["sha256"] for key, file in provenance["files"].items()} == hashes
    assert provenance["measured_configurations"] == 24


def test_models_that_cannot_be_compared(study_file: Path) -> None:
    """A model that cannot be compared has a run with its number of terms and the reason, without values."""
    study, loaded, (run, *_) = given_runs(study_file)
    assert loaded.analytical is not None
    large = replace(loaded.analytical, link="log", terms=tuple((term, 1e5) for term, _ in loaded.analytical.terms))
    record = replace(run.record, model=model_json_text(large, "time"))
    [found] = compare_runs(study, loaded, [(run.task, record)]).runs
    assert (found.terms, dict(found.values), found.error) == (len(large.terms), {}, None)
    assert (found.reason or "").startswith("cannot be compared: the prediction is too large to be a number")


@example([0.0, 1.2e-167], 0)
@given(st.lists(NUMBERS, min_size=2, max_size=6, unique=True), st.integers(0, 6))
def test_spread(values: list[float], place: int) -> None:
    """Several values have the mean and the sample standard deviation, equal ones none, and a single one is as it is.

    There is no mean of no values, of undefined ones, or of values whose sum is too large.
    """
    found = spread(values)
    assert isinstance(found, Spread)
    scale = max(map(abs, values))
    assert found.mean == pytest.approx(np.mean(values), rel=1e-9, abs=1e-9 * scale)
    # Squares of tiny numbers are 0.
    deviation = scale * np.std(np.array(values) / scale, ddof=1)
    assert found.deviation == pytest.approx(deviation, rel=1e-6, abs=1e-9 * scale)
    one = spread(values[:1])
    assert (one, isinstance(one, Spread)) == (values[0], False)
    assert spread([values[0]] * (place + 2)) == Spread(values[0], 0.0)
    assert spread([*values[:place], None, *values[place:]]) is spread([]) is spread([1.7e308, 1.6e308]) is None


# Learner → sampling → the size and the error of each run.
CURVES: Errors = {
    "a": {"late": [(10, 4.0)], "drawn": [(4, 6.0), (5, 8.0), (None, 1.0), (9, None)], "all": [(24, None)]},
    "b": {"late": [(10, 3.0)], "drawn": [(4, 1.0), (5, 1.0)], "all": [(24, None)]},
    "c": {"late": [], "drawn": [], "all": []},
}


def test_calls(study_file: Path) -> None:
    """Learning curves, and the values of a pair of models."""
    loaded = load(read_study(study_file))
    model = present(loaded.analytical)
    compared = compare(model, model.scaled(2), loaded.inputs.measurements.configurations)

    def pair(*without: str, same_link: bool = True) -> dict[str, float | None]:
        """Return the values of a model and twice this model, without some of its measures."""
        missing: dict[str, Any] = dict.fromkeys(without)
        values = pair_values(replace(compared, same_link=same_link, **missing))
        return {key: value and float(f"{value:.6g}") for key, value in values.items()}

    def table(errors: Errors) -> Lines:
        found = curves_table(errors)
        return Lines(found and markdown_text(found))

    def legend(**errors: Errors) -> tuple[Any, ...]:
        chart = curves_chart(errors, "title")
        return () if chart is None else tuple(chart.legend.values())

    check_calls("curves-and-pairs", learning_curves, table, legend, pair, CURVES=CURVES)


@pytest.mark.parametrize(("scale", "analytical", "constant"), [(1, True, True), (2.5, True, False), (2, False, True)])
def test_pictures_of_models(study_file: Path, studied: Studied, scale: float, analytical: bool, constant: bool) -> None:
    """A picture has the learned model and the analytical one, whose title has its factor unless that is 1.

    Constants are drawn as they are compared.
    """
    if not analytical:
        (study_file.parent / "analytical.txt").unlink()
    text = f'samplings = ["pb:9,3"]\nscale = {scale}\nconstant = {str(constant).lower()}\n'
    study_file.write_text(text, encoding="utf-8")
    results, loaded = present(studied().results), load(study := read_study(study_file))
    learned = present(results.runs[0].record.learned(loaded.inputs.system))
    configurations = loaded.inputs.measurements.configurations
    plain = 0.02 * np.log2(configurations.column("px")) + 0.006 * configurations.column("nx")
    expected = {PREDICTIONS: {"analytical" if scale == 1 else f"analytical × {scale}": scale * plain}}
    expected |= {UNSCALED: {"analytical": plain}} if scale != 1 else {}
    expected = expected if analytical else {PREDICTIONS: {}}
    found = {
        name: chart_file(
            sorted_chart(
                (*models, "learned, pb:9,3"),
                np.array([*models.values(), learned.predict(configurations)]),
                loaded.inputs.measured,
                "time",
            ),
            "svg",
        )
        for name, models in expected.items()
    }
    if analytical:
        models = [compared_model("analytical", present(loaded.analytical).scaled(scale))]
        models.append(compared_model("learned, pb:9,3", learned))
        terms, other = (term_chart(compare_all(models, constant=each).comparisons) for each in (constant, not constant))
        found[TERM_SCORES] = chart_file(terms, "svg")
        assert found[TERM_SCORES] != chart_file(other, "svg")
    assert pictures_of(study, loaded, results) == found


@pytest.mark.parametrize("pictures", [True, False])
def test_without_matplotlib(study_file: Path, monkeypatch: pytest.MonkeyPatch, pictures: bool) -> None:
    """Pictures need no matplotlib, and there are none if none were asked for."""
    study_file.write_text('samplings = ["pb:9,3"]\n', encoding="utf-8")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert (PREDICTIONS in run_study(read_study(study_file), pictures=pictures).files) is pictures


@pytest.mark.parametrize(
    ("scale", "analytical", "others"),
    [(1, False, []), (2, False, []), (1, True, [TERM_SCORES]), (2, True, [TERM_SCORES, UNSCALED])],
)
def test_pictures_of_others_are_kept(
    study_file: Path, studied: Studied, scale: int, analytical: bool, others: list[str]
) -> None:
    """A file with the name of a picture is not replaced, unless the study can have no such picture."""
    if not analytical:
        (study_file.parent / "analytical.txt").unlink()
    study_file.write_text(f'samplings = ["ff"]\nscale = {scale}\n', encoding="utf-8")
    folder = studied().folder
    (folder / "pictures").mkdir()
    for name in (ERRORS, PREDICTIONS, TERM_SCORES, UNSCALED):
        (folder / name).write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError) as caught:
        studied()
    expected = [str(folder / name) for name in sorted([ERRORS, PREDICTIONS, *others])]
    assert [problem.file for problem in caught.value.problems] == expected
