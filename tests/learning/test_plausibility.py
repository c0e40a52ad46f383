"""Warnings about models that cannot be right, and rows that all others contradict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations, Observed
from splc.data.measurements import Measurements
from splc.learning import learn
from splc.learning.folds import CrossValidated, PrintedErrors
from splc.learning.plausibility import Outlier, implausible, model_warnings, outlier_of, valid_predictions
from splc.learning.projection.basis import variables_of
from splc.learning.projection.full_model import fit_full_model
from splc.learning.result import LearningResult
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, Term, option_term
from splc.project import Project
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.golden_messages import Lines, check_calls
from tests.support.learning_results import result_of
from tests.support.shared_systems import SYSTEMS, small_table

SEEDS = 4
FACTOR = 50


def judged(measured: Measurements, y: Array) -> Outlier | None:
    """Return the outlier among the values of configurations."""
    known = measured.configurations
    found = [
        variable
        for variable in variables_of(known.system, (), known)
        if any(len(np.unique(np.nan_to_num(known.column(name), nan=-1e9))) > 1 for name in variable.members)
    ]
    ones = np.ones(len(y))
    model = fit_full_model(known, y, tuple(found), ones).ensemble
    rows = known.find(model.configurations)
    outlier = outlier_of(model, y[rows], ones)
    return None if outlier is None else Outlier(int(rows[outlier.row]), outlier.expected)


def some(factor: float, rows: int = 25) -> tuple[Measurements, Array]:
    """Return measurements of three options and their values, one of which is multiplied."""
    system = VariabilityModel(
        "app", (BinaryOption("a"), BinaryOption("b"), NumericOption("n", tuple(map(float, range(1, 21)))))
    )
    rng = np.random.default_rng(3)
    known = Configurations(system, rng.permutation(list(np.ndindex(2, 2, 20)))[:rows])
    a, b, n = (known.column(name) for name in "abn")
    y = (10 + 5 * a + 2 * n + b * n) * rng.normal(1, 0.03, rows)
    y[7] *= factor
    return Measurements(known, {"time": y}), y


@pytest.mark.parametrize(
    ("factor", "rows", "found"),
    [
        (1, 25, False),
        (2, 25, False),
        (20, 25, True),
        (0.01, 25, True),
        (50, 11, False),
        pytest.param(50, 40, True, marks=pytest.mark.slow),
        pytest.param(1e4, 40, True, marks=pytest.mark.slow),
    ],
)
def test_a_row_that_the_others_contradict(factor: float, rows: int, found: bool) -> None:
    """A value is an outlier if it is far from its prediction by the others, in either direction."""
    measured, y = some(factor, rows)
    outlier = judged(measured, y)
    assert (outlier is not None) == found
    if outlier is not None:
        assert outlier.row == 7
        assert outlier.expected == pytest.approx(y[7] / factor, rel=0.3)


def test_a_value_between_the_others() -> None:
    """An outlier need not be the largest or the smallest value."""
    measured, _ = some(1, 40)
    known = measured.configurations
    y = np.exp(known.column("n") / 3) * (1 + known.column("a"))
    row = int(np.argsort(y)[2])
    y[row] *= 40
    assert y.min() < y[row] < y.max() / 10
    outlier = judged(Measurements(known, {"time": y}), y)
    assert outlier is not None
    assert outlier.row == row


def test_rows_that_may_be_right() -> None:
    """Values that are not positive are not judged, nor is a row with an option that no other row has."""
    measured, y = some(50)
    assert judged(measured, y - 30) is None
    measured, y = some(1)
    system = VariabilityModel("app", (*measured.system.options, BinaryOption("debug")))
    debug = (np.arange(len(y)) == 7).astype(float)
    columns = {name: measured.configurations.column(name) for name in "abn"} | {"debug": debug}
    y[7] *= 50
    assert judged(Measurements(Configurations.from_columns(system, columns), {"time": y}), y) is None


@pytest.mark.slow
@pytest.mark.real_data
def test_real_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In random rows of all systems at most 2 % have an outlier; a value times 50 is found in 95 %."""
    alarms = samples = hits = 0
    for name in SYSTEMS:
        for seed in range(SEEDS):
            folder = tmp_path / f"{name}{seed}"
            folder.mkdir()
            nfp = small_table(name, folder, versions=False, seed=seed)
            monkeypatch.chdir(folder)
            project = Project(folder, {"nfp": nfp})
            measured = project.measurements(project.variability_model(), invalid="drop").measured(nfp)
            measured = measured[measured[nfp] > 0]
            y = np.array(measured[nfp])
            samples += 1
            alarms += judged(measured, y) is not None
            at = int(np.random.default_rng(seed).integers(len(y)))
            y[at] *= FACTOR
            found = judged(measured, y)
            hits += found is not None and found.row == at
    assert alarms <= max(1, 0.02 * samples)
    assert hits >= 0.95 * samples


SYSTEM = VariabilityModel(
    "system", (BinaryOption("base", optional=False), BinaryOption("a"), NumericOption("x", (0.0, 1.0, 2.0, 100.0)))
)
SPACE = Space(SYSTEM)


def measured(values: list[float], x: list[float], a: list[float] | None = None) -> Measurements:
    """Return measurements of `time`."""
    columns = {"base": np.ones(len(x)), "a": np.array(a or [0.0] * len(x)), "x": np.array(x)}
    return Measurements(Configurations.from_columns(SYSTEM, columns), {"run time": np.array(values)})


def result(*terms: tuple[Term, float], **changes: object) -> LearningResult:
    """Return a result of learning with these terms."""
    model = InfluenceModel.of_system(terms, SYSTEM)
    return replace(result_of(SYSTEM, []), predictor=model, learning_error=1.0, **changes)  # type: ignore[arg-type]


def test_negative_predictions() -> None:
    """Negative predictions at valid configurations are a warning if no measured value is; a measured 0 is not."""
    steep = result((CONSTANT, 50.0), (option_term("x"), -1.0))
    text = "predictions of run time are negative for 2 of 8 valid configurations: the least is -50, "
    text += "although no measured value is negative"
    for least in (49.0, 0.0):
        assert model_warnings(steep, measured([50, least, 48], [0, 1, 2]), SPACE) == (text,)
    # The printed model is checked like the full one, which predicts.
    printed = result((CONSTANT, 50.0), printed=steep.predictor, printed_errors=PrintedErrors(1.0))
    wanted = text.replace("run time", "run time by the printed model")
    assert model_warnings(printed, measured([50, 49, 48], [0, 1, 2]), SPACE) == (wanted,)
    assert model_warnings(steep, measured([50, -1, 48], [0, 1, 2]), SPACE) == ()
    rounded = result((CONSTANT, -1e-14), (option_term("x"), 1.0))
    assert model_warnings(rounded, measured([0, 50, 100], [0, 1, 2]), SPACE) == ()
    # Configurations without a prediction do not count.
    without = result((CONSTANT, 1.0), (option_term("x", -1), 1.0))
    assert model_warnings(without, measured([2, 1.5], [1, 2]), SPACE) == ()


def crossed_of(mean: float | None) -> CrossValidated | None:
    """Return cross-validated errors."""
    return None if mean is None else CrossValidated(1.0, mean, 90.0)


def errors(
    learning: float | None = 1.0,
    error: float | None = None,
    crossed: float | None = None,
    others: int = 0,
    printed: tuple[float | None, float | None] | None = None,
) -> Lines:
    """Return the warnings about errors of eight rows; `printed`: `error` and `crossed` of the printed model."""
    found = replace(
        result((CONSTANT, 5.0)),
        learning_error=learning,
        error=error,
        cross_validated=crossed_of(crossed),
        learning_configurations=8 - others,
    )
    if printed is not None:
        own = PrintedErrors(1.0, printed[0], None, crossed_of(printed[1]))
        found = replace(found, printed=found.model, printed_errors=own)
    data = measured([5.0] * 8, [0.0, 1.0, 2.0, 100.0] * 2, [0.0] * 4 + [1.0] * 4)
    return Lines("\n".join(model_warnings(found, data, SPACE)) or "no warning")


def contradicted(predicted: list[float], values: list[float]) -> Lines:
    """Return the warnings about predictions beside measured values."""
    return Lines("\n".join(implausible(np.array(predicted), np.array(values), "t")) or "no warning")


def test_messages() -> None:
    """There are warnings about errors that differ widely, and predictions that contradict the measured values."""
    check_calls("implausible-models", errors, contradicted)


def test_logarithms_of_options_that_can_be_0() -> None:
    """With learn_logFunction, an option with a value 0 is named, since it gets no logarithms."""
    data = measured([1, 2, 3, 4], [0, 1, 2, 100])
    found = learn(data, preset="splconqueror", settings={"learn_logFunction": True})
    assert "learn_logFunction has no effect on x: its values are not all positive" in model_warnings(found, data, SPACE)
    assert not any("log" in text for text in model_warnings(learn(data, preset="splconqueror"), data, SPACE))


def test_models_of_observed_variables() -> None:
    """Models are checked at all valid configurations of a small system, each once; with observed variables, which only
    measured ones have, at these.
    """
    system = VariabilityModel("system", (NumericOption("x", (0.0, 1.0, 2.0, 100.0)),), observed=("level",))
    rows = np.array([[0], [1]])
    known = Observed({"level": np.array([3.0, 5.0])}, np.ones(2, dtype=bool))
    some, space = Configurations(system, rows, known), Space(system)
    observed = InfluenceModel.of_system([(option_term("level"), 2.0), (option_term("x"), 1.0)], system)
    assert valid_predictions(observed, some, space).tolist() == [6.0, 11.0]
    plain = InfluenceModel.of_system([(option_term("x"), 1.0)], system)
    assert sorted(valid_predictions(plain, some, space).tolist()) == [0.0, 1.0, 2.0, 100.0]
