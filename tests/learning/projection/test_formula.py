"""Learning with an analytical model: right ones, wrong ones, exact ones, and their files."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations, Observed
from splc.data.measurements import Measurements
from splc.errors import ConfigurationError
from splc.formats.models.json import learned_json_text, parse_stored_json
from splc.io.files import Source
from splc.learning import LearningResult, learn
from splc.learning.projection import ProjectionLearner
from splc.learning.projection.predictor import Ensemble
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.models.text.reader import expand_model
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.objects import present

SYSTEM = VariabilityModel(
    "made", tuple(NumericOption(name, (1.0, 2.0, 4.0, 8.0, 16.0)) for name in ("px", "py", "nx", "ny"))
)
# Messages cost something with several processes only.
LATENCY = ParameterTable("px * py", tuple((2.0**k, Quantity.exactly(0.5 * (k > 0))) for k in range(9)))
TEXT = "nx * ny / (px * py) + alpha * log2(px * nx) + 0.1 * max(nx, ny)"


def model_of(text: str, system: VariabilityModel = SYSTEM) -> InfluenceModel:
    """Return an analytical model."""
    expanded = expand_model(text, system.term_names, Parameters({"alpha": LATENCY}))
    return InfluenceModel.of_system(expanded.expansion.items(), system, derived=expanded.derived)


@cache
def space() -> Configurations:
    """Return all configurations."""
    return Space(SYSTEM).enumerate()


def truth(noise: float) -> Array:
    """Return values that are about three times the formula: less for large nx."""
    values = 3 * model_of(TEXT).predict(space()) * space().column("nx") ** -0.2
    return np.asarray(values * np.exp(noise * np.random.default_rng(1).standard_normal(len(values))))


def learned(values: Array, formula: str | None, rows: int = 12, seed: int = 3) -> LearningResult:
    """Return what is learned from some of the configurations with a formula."""
    measured = Measurements(space(), {"time": values})
    chosen = np.random.default_rng(seed).choice(len(values), rows, replace=False)
    learner = ProjectionLearner(formula=None if formula is None else model_of(formula))
    return learn(measured, "time", learner=learner, learning_set=chosen)


def again(result: LearningResult) -> Ensemble:
    """Return the full model of the file of a result."""
    text = learned_json_text(result, result.system)
    stored = parse_stored_json(Source("learned.json", text.encode("utf-8")))
    assert isinstance(stored.full, Ensemble)
    return stored.full


@pytest.mark.parametrize("rows", [9, 25])
def test_a_formula_that_is_right_in_parts(rows: int) -> None:
    """With it errors are a fraction of those of learning alone, what is stated is right, and the file predicts so."""
    values = truth(0.05)
    alone, both = learned(values, None, rows), learned(values, TEXT, rows)
    assert 2 * present(both.error) < present(alone.error)
    low, high = present(both.intervals).interval(space())
    assert np.mean((low <= values) & (values <= high)) >= 0.8
    np.testing.assert_allclose(again(both).predict(space()), both.predict(space()), rtol=1e-12)
    np.testing.assert_allclose(again(both).interval(space()), (low, high), rtol=1e-12)
    assert sorted(again(both).measured) == pytest.approx(sorted(again(alone).measured))


def test_an_exact_formula() -> None:
    """Values that are a multiple of the formula are predicted exactly, by the file, too; terms follow the formula."""
    values = 7 * model_of(TEXT).predict(space())
    result = learned(values, TEXT)
    np.testing.assert_allclose(result.predict(space()), values, rtol=1e-9)
    np.testing.assert_allclose(again(result).predict(space()), values, rtol=1e-9)
    assert result.model.options


@pytest.mark.parametrize(
    "formula", [f"1 / ({TEXT})", "exp(3 * [px >= 2] - 4 * [py >= 4] + 2 * [nx >= 8] - 3 * [ny >= 4])"]
)
def test_a_wrong_formula(formula: str) -> None:
    """It is not used: predictions are those of learning alone, and a note says so."""
    values = truth(0.05)
    alone, both = learned(values, None), learned(values, formula)
    np.testing.assert_array_equal(both.predict(space()), alone.predict(space()))
    assert any("formula" in note and "not used" in note for note in both.notes)


def test_values_without_logarithms() -> None:
    """A formula, or a property, that is not positive is refused."""
    with pytest.raises(ConfigurationError, match="no logarithm"):
        learned(truth(0.0), "nx - 4")


def test_values_beyond_the_learned_rows() -> None:
    """Logarithms of a formula go half of their range beyond those at the learned rows, at both ends, and no further."""
    measured = Measurements(space(), {"time": space().column("nx") ** 3})
    rows = np.flatnonzero(np.isin(space().column("nx"), (2.0, 4.0)))
    result = learn(measured, "time", learner=ProjectionLearner(formula=model_of("nx^3")), learning_set=rows)
    assert isinstance(result.predictor, Ensemble)
    known = present(result.predictor.basis.formula).logarithms(space())
    steps = {1.0: -1.0, 2.0: -0.5, 4.0: 0.5, 8.0: 1.0, 16.0: 1.0}
    np.testing.assert_allclose(known / np.log(8), [steps[nx] for nx in space().column("nx").tolist()], atol=1e-9)


def test_observed_variables() -> None:
    """A formula of observed variables predicts what was observed, also from its file."""
    watched = VariabilityModel("made", SYSTEM.options, observed=("cells",))
    cells = np.random.default_rng(0).integers(100, 1000, len(space())).astype(float)
    every = Configurations(watched, space().indices, Observed({"cells": cells}, np.ones(len(cells), dtype=bool)))
    learner = ProjectionLearner(formula=model_of("cells / px", watched))
    values = 5 * cells / every.column("px") * np.exp(0.02 * np.random.default_rng(1).standard_normal(len(cells)))
    result = learn(Measurements(every, {"time": values}), "time", learner=learner, learning_set=np.arange(0, 625, 40))
    assert present(result.error) < 5
    np.testing.assert_allclose(again(result).predict(every), result.predict(every), rtol=1e-12)
