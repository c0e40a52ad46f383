"""`learn`: from measurements to a result; functions as factors of terms in every learner and format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sampling import Space
from splc import read_model
from splc.arithmetic.functions import TABLE, Function
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError, MeasurementError, SpecError
from splc.formats.models.json import models_json_text
from splc.formats.models.log_reader import parse_stored_log
from splc.formats.models.log_writer import learned_log_text
from splc.formats.models.stored_model import learned_file
from splc.formats.models.text import model_text_file
from splc.io.files import Source
from splc.learning import Settings, learn
from splc.learning.features import feature_table
from splc.learning.stepwise.algorithm import ForwardSelection
from splc.models.basis.atom import call
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.systems import group

MODEL = VariabilityModel(
    "s",
    (
        BinaryOption("always", optional=False),
        BinaryOption("a"),
        BinaryOption("b"),
        NumericOption("x", (1.0, 2.0, 4.0, 8.0, 16.0)),
        NumericOption("y", (1.0, 2.0, 3.0), deselected_flag=-1.0),
    ),
)
EXACT: dict[str, Any] = {"abortError": 0, "minImprovementPerRound": 0, "learn_logFunction": True}


def everything() -> Configurations:
    """All configurations in which `always` is selected."""
    grid = np.indices([option.size for option in MODEL.options]).reshape(len(MODEL.options), -1).T
    return Configurations(MODEL, grid[grid[:, 0] == 1])


def measure(configurations: Configurations, seed: int = 0) -> Measurements:
    """Measure a property that has terms of every kind, with noise, and an exact one."""
    value = {name: configurations.column(name) for name in (*MODEL.names, "Enabledy")}
    y = np.nan_to_num(value["y"])
    exact = 10 + 3 * value["a"] + 2 * value["b"] * value["x"] + 4 * np.log10(value["x"]) + 0.5 * y
    noise = np.random.default_rng(seed).uniform(0.9, 1.1, (len(exact), 3))
    return Measurements(configurations, {"exact": exact, "time": exact[:, np.newaxis] * noise})


def test_errors_are_on_learning_set_rest_and_all() -> None:
    """Errors are mean relative ones over their rows; the rest is what was not learned from, or an evaluation set."""
    ms = measure(everything())
    rows = np.arange(0, len(ms), 3)
    result = learn(ms, "time", learning_set=rows)
    rest = np.setdiff1d(np.arange(len(ms)), rows)
    for errors, predicted in (
        (result, result.predict(ms.configurations)),
        (result.printed_errors, result.model.predict(ms.configurations)),
    ):
        assert errors is not None
        relative = np.abs(predicted - ms["time"]) / ms["time"] * 100
        assert errors.learning_error == pytest.approx(relative[rows].mean())
        assert errors.error == pytest.approx(relative[rest].mean())
        assert errors.error_all == pytest.approx(relative.mean())
    assert result.rounds == ()
    stepwise = learn(ms, "time", preset="splconqueror", learning_set=rows)
    assert stepwise.learning_error == pytest.approx(stepwise.rounds[-1].learning_error, rel=1e-6)
    other = measure(everything(), seed=5)[np.arange(20)]
    found = learn(ms, "time", preset="splconqueror", evaluation=other)
    relative = np.abs(found.predict(other.configurations) - other["time"]) / other["time"] * 100
    assert found.error == pytest.approx(relative.mean())
    whole = learn(ms, "time", preset="splconqueror")
    assert (whole.error, whole.error_all) == (None, whole.learning_error)


def test_missing_values_and_zeros_are_left_out_and_said() -> None:
    """Configurations without a value are not learned from; values of 0 do not count in relative errors."""
    ms = measure(everything())
    values = np.array(ms["time"])
    values[:7] = np.nan
    values[7:10] = 0.0
    result = learn(Measurements(ms.configurations, {"time": values}), "time", learning_set=np.arange(40))
    assert result.learning_configurations == 33
    assert result.left_out == 3
    assert any("without a value of time: 7 configurations" in note for note in result.notes)
    assert any("where time is 0: 3 configurations" in note for note in result.notes)


def test_wrong_requests_are_refused() -> None:
    """Unknown and several properties, unknown settings, no values, and an empty learning set in any form are errors."""
    ms = measure(everything())
    empty_sets: list[Any] = [[], np.zeros(0), np.zeros(80, dtype=bool)]
    for empty in empty_sets:
        with pytest.raises(LearningError, match="the learning set is empty"):
            learn(ms, "time", learning_set=empty)
    with pytest.raises(MeasurementError, match="did you mean 'time'"):
        learn(ms, "tme")
    with pytest.raises(MeasurementError, match="several properties"):
        learn(ms)
    with pytest.raises(SpecError, match="unknown setting"):
        learn(ms, "time", settings={"abort": 1})
    nothing = Measurements(ms.configurations, {"time": np.full(len(ms), np.nan)})
    with pytest.raises(LearningError, match="no configuration has a value"):
        learn(nothing, "time")
    with pytest.raises(LearningError, match="3 of 6 sampled configurations were not measured"):
        learn(ms[::2], "time", learning_set=ms.configurations[:6])
    found = learn(ms[::2], "time", learning_set=ms.configurations[:6], missing="drop")
    assert found.learning_configurations == 3


def test_result_knows_what_produced_it() -> None:
    """Preset, settings, seed, property and given provenance are part of the result."""
    stated: dict[str, Any] = {"settings": {"abortError": 3}, "seed": 8, "provenance": {"sampling": "ff"}}
    result = learn(measure(everything()), "time", preset="splconqueror", **stated)
    assert (result.preset, result.seed, result.nfp, result.base) == ("splconqueror", 8, "time", "always")
    assert result.settings == Settings().changed({"abortError": 3}).as_dict()
    assert result.provenance["sampling"] == "ff"
    assert result.provenance["system"] == "s"


def test_top_level_alternative_group_is_learned() -> None:
    """Members of an alternative group at top level are candidates, and the constant is the root."""
    system = VariabilityModel("group", (*group("one", "two", "three"), BinaryOption("c")))
    rows = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]]
    ms = Measurements(Configurations(system, np.array(rows)), {"t": np.array([1.0, 20.0, 300.0, 6.0, 25.0, 305.0])})
    result = learn(ms, preset="splconqueror", settings={"abortError": 0, "minImprovementPerRound": 0})
    assert result.base == "root"
    assert result.learning_error is not None
    assert result.learning_error < 1e-9
    assert {option for term, _ in result.model.terms for option in term.options} > {"c"}


def test_bag_and_folds_are_reachable_by_settings() -> None:
    """Bagging and cross-validation are switched on by SPL Conqueror's names, with the seed of the run."""
    ms = measure(everything())
    bag = learn(ms, "time", preset="splconqueror", settings={"bagging": True}, seed=1)
    assert bag.termination == "bagging"
    assert bag.terms == learn(ms, "time", preset="splconqueror", settings={"bagging": True}, seed=1).terms
    plain = learn(ms, "time", preset="splconqueror", settings={"abortError": 0})
    folds = learn(ms, "time", preset="splconqueror", settings={"abortError": 0, "crossValidation": True})
    assert folds.rounds
    assert folds.rounds[0].error != plain.rounds[0].error
    both = learn(ms, "time", preset="splconqueror", settings={"bagging": True, "crossValidation": True}, seed=1)
    assert both.terms == bag.terms
    assert any("crossValidation has no effect" in text for text in both.notes)
    # A bag that draws only zeros is judged by all rows.
    mostly = Measurements(ms.configurations, {"t": np.where(np.arange(len(ms)) % 25, 0.0, 3.0)})
    few = {"bagging": True, "baggingNumbers": 8, "baggingTestDataFraction": 5}
    assert learn(mostly, preset="splconqueror", settings=few, seed=2).termination == "bagging"


@pytest.mark.parametrize("functions", [("asym",), ("ratio",), ("asym", "mirrowed"), ("ratio", "mirrowed")])
@pytest.mark.parametrize("disabled", [False, True])
def test_powers_of_optional_options_that_cancel_keep_the_switch(functions: tuple[str, ...], disabled: bool) -> None:
    """In products of x and 1/x a deselected x still counts as 0: the model predicts the values of its rounds."""
    configurations = everything()
    y, b = configurations.column("y"), configurations.column("b")
    here = ~np.isnan(y)
    wanted = {f"learn_{name}Function": True for name in functions}
    for target in (
        100 + 50 * here + 30 * np.nan_to_num(y),
        100 + b * (50 * here + 3 * np.nan_to_num(y)),
        100 + 50 * np.nan_to_num((3 - y) / y) + 20 * b * np.nan_to_num((3 - y) / y),
    ):
        ms = Measurements(configurations, {"time": target})
        result = learn(
            ms, "time", preset="splconqueror", settings={**EXACT, **wanted, "learn_numeric_disabled": disabled}
        )
        terms = result.terms
        assert len({term.log_text() for term in terms}) == len(terms)
        assert result.learning_error == pytest.approx(result.rounds[-1].error, rel=1e-6, abs=1e-9)
        [told] = parse_stored_log(Source("a.log", learned_log_text(result).encode()), MODEL)
        assert told.model == result.model


def test_accumulated_logarithm_of_an_optional_option() -> None:
    """No logarithm of a product is learned that counts for its other options where one is deselected."""
    configurations = everything()
    x, y = configurations.column("x"), configurations.column("y")
    both = np.nan_to_num(x * y**3)
    ms = Measurements(configurations, {"time": 100 + 50 * both + 20 * np.log10(np.maximum(both, 1))})
    settings = Settings().changed({**EXACT, "learn_accumulatedLogFunction": True, "numberOfRounds": 20})
    selection = ForwardSelection(feature_table(configurations, ms["time"]), settings)
    assert len(selection.run().rounds) > 2
    for candidate in selection.terms:
        split = sum(weight * term.evaluate(configurations.column) for term, weight in candidate.expansion.items())
        np.testing.assert_allclose(candidate.evaluate(configurations.column), split, rtol=1e-9)


def test_notes_say_what_makes_a_result_less_than_it_seems() -> None:
    """A property that never changes, a saturated model and a setting without effect are in the notes."""
    ms = measure(everything())
    same = Measurements(ms.configurations, {"t": np.full(len(ms), 7.0)})
    for rows, noted in ((2, True), (1, False)):
        found = learn(same, learning_set=np.arange(rows), preset="splconqueror")
        assert any("nothing to explain" in note for note in found.notes) == noted
    small = learn(ms, "time", learning_set=np.arange(0, len(ms), 40), preset="splconqueror", settings={"abortError": 0})
    assert any("as many terms" in note for note in small.notes)
    switched = learn(ms, "time", preset="splconqueror", settings={"learn_accumulatedLogFunction": True})
    assert any("no effect without learn_logFunction" in note for note in switched.notes)


def test_validation_judges_candidates() -> None:
    """Candidates are judged by the validation set: one that fits the learning set only is not selected."""
    system = VariabilityModel.of({"x": [0, 1], "y": [0, 1], "z": [0, 1]})
    every = Configurations(system, np.array([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]))
    x, y = every.column("x"), every.column("y")
    rows = np.arange(8)
    # In the learning set x has the larger effect, in the validation set only y has one.
    time = np.where(rows % 2 == 0, 10 + 9 * x + 4 * y, 10 + 9 * y)
    measured = Measurements(every, {"time": time})
    settings = {"numberOfRounds": 1}
    own = learn(measured, learning_set=rows[::2], preset="splconqueror", settings=settings)
    other = learn(measured, learning_set=rows[::2], validation=rows[1::2], preset="splconqueror", settings=settings)
    assert own.model.options == {"x"}
    assert other.model.options == {"y"}


SYSTEM = VariabilityModel(
    "small",
    (NumericOption("x", (0.5, 1.0, 1.7, 2.4, 3.5, 4.25, 6.6)), NumericOption("y", (0.0, 1.0)), BinaryOption("a")),
)
EVERYTHING = Space(SYSTEM).enumerate()
# Logarithms are terms without the setting.
OWN = [function for function in TABLE if function.base is None]


@pytest.mark.parametrize("preset", ["default", "splconqueror"])
@pytest.mark.parametrize("function", OWN, ids=lambda function: function.name)
def test_learned_functions(function: Function, preset: str, tmp_path: Path) -> None:
    """A learner finds a function of an option, and logs, text and JSON give the same terms."""
    x, a = EVERYTHING.column("x"), EVERYTHING.column("a")
    target = 20 + 7 * function.values(x) + 3 * a * function.values(x)
    measured = Measurements(EVERYTHING, {"time": target})
    result = learn(measured, "time", preset=preset, settings={"functions": function.name})
    np.testing.assert_allclose(result.model.predict(EVERYTHING), target, rtol=1e-9)
    atom = call(function.name, "x").term
    assert atom in result.model.influences
    for name, text in (
        ("m.log", learned_log_text(result)),
        ("m.txt", model_text_file(result.model)),
        ("m.json", models_json_text(learned_file(result, "here", system=SYSTEM))),
    ):
        (tmp_path / name).write_text(text)
        found = read_model(tmp_path / name, SYSTEM)
        assert found.terms == result.model.terms, name


@pytest.mark.parametrize("preset", ["default", "splconqueror"])
def test_functions_without_values(preset: str) -> None:
    """A function that has no value at a listed value of an option is not offered for this option."""
    system = VariabilityModel("signs", (NumericOption("x", (-1.0, 0.0, 1.0, 2.0)), NumericOption("y", (1.0, 4.0, 9.0))))
    everything = Space(system).enumerate()
    target = 9 + everything.column("x") + np.sqrt(everything.column("y"))
    result = learn(Measurements(everything, {"time": target}), "time", preset=preset, settings={"functions": "sqrt"})
    assert call("sqrt", "y").term in result.model.influences
    np.testing.assert_allclose(result.model.predict(everything), target, rtol=1e-9)
