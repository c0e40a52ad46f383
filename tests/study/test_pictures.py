"""Pictures of studies: the curves, errors and comparisons that are drawn."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comparison.compare import compare_all, compared_model
from splc.errors import OutputError
from splc.formats.models.json_writer import model_json_text
from splc.models.influence import InfluenceModel
from splc.models.terms import Term
from splc.plotting.charts.drawing import chart_file
from splc.plotting.charts.influences import term_chart
from splc.plotting.charts.predictions import sorted_chart
from splc.study import read_study, run_study
from splc.study.inputs import load
from splc.study.results import Results, errors_of
from splc.study.tables import ERRORS, PREDICTIONS, TERM_SCORES, UNSCALED, curves_chart, pictures_of
from tests.study.conftest import Studied, given_runs


def drawn_terms(analytical: InfluenceModel, learned: InfluenceModel, name: str, *, constant: bool = True) -> bytes:
    """Return the picture of the terms of two models."""
    models = [compared_model("analytical", analytical), compared_model(name, learned)]
    return chart_file(term_chart(compare_all(models, constant=constant).comparisons), "svg")


@pytest.mark.parametrize(("scale", "analytical"), [(1, True), (2.5, True), (2, False)])
def test_pictures_of_models(study_file: Path, studied: Studied, scale: float, analytical: bool) -> None:
    """A picture has the learned model and the analytical one, whose title has its factor unless that is 1."""
    if not analytical:
        (study_file.parent / "analytical.txt").unlink()
    study_file.write_text(f'samplings = ["pb:9,3"]\nscale = {scale}\n', encoding="utf-8")
    results = studied().results
    assert results is not None
    loaded = load(study := read_study(study_file))
    pictures = pictures_of(study, loaded, results)
    learned = results.runs[0].record.learned(loaded.inputs.system)
    assert learned is not None
    configurations = loaded.inputs.measurements.configurations
    plain = 0.02 * np.log2(configurations.column("px")) + 0.006 * configurations.column("nx")
    expected: dict[str, dict[str, Any]] = {PREDICTIONS: {}}
    if analytical:
        expected = {PREDICTIONS: {"analytical" if scale == 1 else "analytical × 2.5": scale * plain}}
        if scale != 1:
            expected[UNSCALED] = {"analytical": plain}
        assert loaded.analytical is not None
        assert pictures.pop(TERM_SCORES) == drawn_terms(loaded.analytical.scaled(scale), learned, "learned, pb:9,3")
    assert pictures.keys() == expected.keys()
    measured = loaded.inputs.measured
    for name, models in expected.items():
        values = np.array([*models.values(), learned.predict(configurations)])
        chart = sorted_chart((*models, "learned, pb:9,3"), values, measured, "time")
        assert pictures[name] == chart_file(chart, "svg")


@pytest.mark.parametrize("constant", [True, False])
def test_constants_are_drawn_as_compared(study_file: Path, studied: Studied, constant: bool) -> None:
    """The picture of terms has the comparison of the study, with or without constants."""
    (study_file.parent / "analytical.txt").write_text("T = 0.3 + 0.01 * nx + 0.1 * px\n", encoding="utf-8")
    study_file.write_text(f'samplings = ["ff"]\nconstant = {str(constant).lower()}\n', encoding="utf-8")
    results = studied().results
    assert results is not None
    loaded = load(study := read_study(study_file))
    learned = results.runs[0].record.learned(loaded.inputs.system)
    assert loaded.analytical is not None
    assert learned is not None
    with_constant, without = (
        drawn_terms(loaded.analytical, learned, "learned, ff", constant=each) for each in (True, False)
    )
    assert with_constant != without
    assert pictures_of(study, loaded, results)[TERM_SCORES] == (with_constant if constant else without)


def test_models_without_common_terms(study_file: Path) -> None:
    """There is no picture of terms if equal terms of the two models do not mean the same, or if there are none."""
    study, loaded, (run, *_) = given_runs(study_file)
    assert loaded.analytical is not None
    system = loaded.inputs.system
    constant = InfluenceModel.of_system([(Term(), 1.0)], system)
    links: list[list[str]] = []
    for analytical, model in (
        (loaded.analytical, loaded.analytical),
        (loaded.analytical, replace(loaded.analytical, link="log")),
        (constant, constant),
    ):
        stored = replace(run, record=replace(run.record, model=model_json_text(model, "time")))
        given = replace(study, constant=False), replace(loaded, analytical=analytical)
        links.append([*pictures_of(*given, Results((stored,), best=stored))])
    assert links == [[PREDICTIONS, TERM_SCORES], [PREDICTIONS], [PREDICTIONS]]


@pytest.mark.parametrize("pictures", [True, False])
def test_without_matplotlib(study_file: Path, monkeypatch: pytest.MonkeyPatch, pictures: bool) -> None:
    """Pictures need no matplotlib, and there are none if none were asked for."""
    study_file.write_text('samplings = ["pb:9,3"]\n', encoding="utf-8")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run_study(read_study(study_file), pictures=pictures)
    assert (PREDICTIONS in result.files) is pictures


def test_picture_of_errors(study_file: Path, studied: Studied) -> None:
    """Errors are drawn by the number of configurations, under the names of the system and the property."""
    study_file.write_text('samplings = ["random:12", "random:6"]\nseeds = [0, 1]\n', encoding="utf-8")
    results = studied().results
    assert results is not None
    loaded = load(study := read_study(study_file))
    chart = curves_chart({"grid: time": errors_of(results.runs)}, "grid: time")
    assert chart is not None
    assert pictures_of(study, loaded, results)[ERRORS] == chart_file(chart, "svg")
    expected = []
    for size in (6, 12):
        errors = [run.record.error for run in results.runs if run.task.sampling == f"random:{size}"]
        numbers = [each for each in errors if each is not None]
        assert len(numbers) == 2
        expected.append((size, np.mean(numbers), np.std(numbers, ddof=1)))
    assert set(chart.table["learner"]) == {"default"}
    points = [chart.table[name] for name in ("configurations", "error %", "standard deviation")]
    assert pytest.approx(np.array(expected)) == np.array(points).T


@pytest.mark.parametrize("analytical", [True, False])
def test_pictures_of_others_are_kept(study_file: Path, studied: Studied, analytical: bool) -> None:
    """A file with the name of a picture is not replaced, unless the study can have no such picture."""
    if not analytical:
        (study_file.parent / "analytical.txt").unlink()
    study_file.write_text('samplings = ["ff"]\nscale = 2\n', encoding="utf-8")
    folder = studied().folder
    for name in (ERRORS, PREDICTIONS, TERM_SCORES, UNSCALED):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError) as caught:
        studied()
    expected = [ERRORS, PREDICTIONS, *([TERM_SCORES, UNSCALED] if analytical else [])]
    assert [problem.file for problem in caught.value.problems] == [str(folder / name) for name in sorted(expected)]
