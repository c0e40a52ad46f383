"""Pictures of studies: the curves, errors and comparisons that are drawn."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from comparison.compare import compare_all, compared_model
from splc.errors import OutputError
from splc.formats.models.json import model_json_text
from splc.models.influence import InfluenceModel
from splc.models.terms import Term
from splc.plotting.charts.drawing import chart_file
from splc.plotting.charts.influences import term_chart
from splc.plotting.charts.predictions import sorted_chart
from splc.study import read_study, run_study
from splc.study.results import Results, errors_of
from splc.study.tables import ERRORS, PREDICTIONS, TERM_SCORES, UNSCALED, curves_chart, pictures_of
from splc.study.tasks import Loaded, load
from tests.study.conftest import Studied, given_runs


def drawn(study_file: Path, studied: Studied, text: str) -> tuple[Loaded, InfluenceModel, Mapping[str, bytes]]:
    """Do a study; return its inputs, the model of its first run, and its pictures."""
    study_file.write_text(text, encoding="utf-8")
    results, loaded = studied().results, load(study := read_study(study_file))
    assert results is not None
    model = results.runs[0].record.learned(loaded.inputs.system)
    assert model is not None
    return loaded, model, pictures_of(study, loaded, results)


@pytest.mark.parametrize(("scale", "analytical", "constant"), [(1, True, True), (2.5, True, False), (2, False, True)])
def test_pictures_of_models(study_file: Path, studied: Studied, scale: float, analytical: bool, constant: bool) -> None:
    """A picture has the learned model and the analytical one, whose title has its factor unless that is 1.

    Constants are drawn as they are compared.
    """
    if not analytical:
        (study_file.parent / "analytical.txt").unlink()
    text = f'samplings = ["pb:9,3"]\nscale = {scale}\nconstant = {str(constant).lower()}\n'
    loaded, learned, pictures = drawn(study_file, studied, text)
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
        assert loaded.analytical is not None
        models = [compared_model("analytical", loaded.analytical.scaled(scale))]
        models.append(compared_model("learned, pb:9,3", learned))
        terms, other = (term_chart(compare_all(models, constant=each).comparisons) for each in (constant, not constant))
        found[TERM_SCORES] = chart_file(terms, "svg")
        assert found[TERM_SCORES] != chart_file(other, "svg")
    assert pictures == found


def test_models_without_common_terms(study_file: Path) -> None:
    """There is no picture of terms if equal terms of the two models do not mean the same, or if there are none."""
    study, loaded, (run, *_) = given_runs(study_file)
    known, constant = loaded.analytical, InfluenceModel.of_system([(Term(), 1.0)], loaded.inputs.system)
    assert known is not None
    found = []
    for analytical, model in ((known, known), (known, replace(known, link="log")), (constant, constant)):
        stored = replace(run, record=replace(run.record, model=model_json_text(model, "time")))
        given = replace(study, constant=False), replace(loaded, analytical=analytical)
        found.append([*pictures_of(*given, Results((stored,), best=stored))])
    assert found == [[PREDICTIONS, TERM_SCORES], [PREDICTIONS], [PREDICTIONS]]


@pytest.mark.parametrize("pictures", [True, False])
def test_without_matplotlib(study_file: Path, monkeypatch: pytest.MonkeyPatch, pictures: bool) -> None:
    """Pictures need no matplotlib, and there are none if none were asked for."""
    study_file.write_text('samplings = ["pb:9,3"]\n', encoding="utf-8")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert (PREDICTIONS in run_study(read_study(study_file), pictures=pictures).files) is pictures


def test_picture_of_errors(study_file: Path, studied: Studied) -> None:
    """Errors are drawn by the number of configurations, under the names of the system and the property."""
    _, _, pictures = drawn(study_file, studied, 'samplings = ["random:12", "random:6"]\nseeds = [0, 1]\n')
    chart = curves_chart({"grid: time": errors_of(studied().runs)}, "grid: time")
    assert chart is not None
    assert pictures[ERRORS] == chart_file(chart, "svg")
    assert (list(chart.table["configurations"]), set(chart.table["learner"])) == ([6, 12], {"default"})


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
