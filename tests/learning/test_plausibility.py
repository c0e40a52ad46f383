"""Warnings about models that cannot be right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.data.observations import Observed
from splc.learning import learn
from splc.learning.plausibility import implausible, model_warnings, valid_predictions
from splc.learning.result import CrossValidated, LearningResult, SparseErrors
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, Term, option_term
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.learning_results import result_of

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
    printed = result((CONSTANT, 50.0), printed=steep.predictor, printed_errors=SparseErrors(1.0))
    wanted = text.replace("run time", "run time by the printed model")
    assert model_warnings(printed, measured([50, 49, 48], [0, 1, 2]), SPACE) == (wanted,)
    assert model_warnings(steep, measured([50, -1, 48], [0, 1, 2]), SPACE) == ()
    rounded = result((CONSTANT, -1e-14), (option_term("x"), 1.0))
    assert model_warnings(rounded, measured([0, 50, 100], [0, 1, 2]), SPACE) == ()


def test_a_model_without_a_value_somewhere() -> None:
    """Configurations without a prediction do not count."""
    model = result((CONSTANT, 1.0), (option_term("x", -1), 1.0))
    assert model_warnings(model, measured([2, 1.5], [1, 2]), SPACE) == ()


@pytest.mark.parametrize(
    ("learning", "error", "crossed", "warned"),
    [
        (2.0, 30.0, None, "the error on other configurations is 30 %, on the configurations learned from only 2 %"),
        (2.0, 30.0, 5.0, None),
        (2.0, None, 30.0, "the cross-validated error is 30 %, on the configurations learned from only 2 %"),
        (2.0, 11.9, None, None),
        (20.0, 59.0, None, None),
        (None, 30.0, None, None),
        (2.0, None, None, None),
    ],
)
def test_errors_that_differ_widely(
    learning: float | None, error: float | None, crossed: float | None, warned: str | None
) -> None:
    """An error three times the learning error and ten percent above it is a warning."""
    cross = None if crossed is None else CrossValidated(1.0, crossed, 90.0)
    found = replace(result((CONSTANT, 2.0)), learning_error=learning, error=error, cross_validated=cross)
    texts = model_warnings(found, measured([2, 2], [1, 2]), SPACE)
    assert len(texts) == (warned is not None)
    assert warned is None or texts[0].startswith(warned)


@pytest.mark.parametrize(
    ("stated", "outside", "others", "warned"),
    [(4.0, 6.1, 10, True), (4.0, 6.0, 10, False), (4.0, 6.1, 9, False), (0.2, 1.1, 99, False), (0.2, 1.3, 99, True)],
)
def test_errors_outside_of_the_learning_set(stated: float, outside: float, others: int, warned: bool) -> None:
    """An error outside that is 1.5 times the cross-validated one is a warning, where ten configurations say so."""
    x = [float(each) for each in (0, 1, 2, 100)] * 2
    data = measured([5.0] * 8, x, [0.0] * 4 + [1.0] * 4)
    crossed = CrossValidated(stated, stated, stated)
    found = result((CONSTANT, 5.0), cross_validated=crossed, error=outside, learning_configurations=8 - others)
    texts = model_warnings(found, data, SPACE)
    assert [("times the cross-validated one" in text) for text in texts] == [True] * warned


@pytest.mark.parametrize(
    ("printed", "full", "warned"),
    [
        ((6.1, None), (4.0, None), True),
        ((6.0, None), (4.0, None), False),
        ((1.1, None), (0.2, None), False),
        ((None, 6.1), (None, 4.0), True),
        ((4.5, 6.1), (4.0, 4.0), False),
        ((None, None), (None, None), False),
    ],
)
def test_printed_against_full(
    printed: tuple[float | None, float | None], full: tuple[float | None, float | None], warned: bool
) -> None:
    """A printed model whose error is 1.5 times that of the full one is a warning, by errors outside if known."""

    def crossed(mean: float | None) -> CrossValidated | None:
        return None if mean is None else CrossValidated(mean, mean, mean)

    model = InfluenceModel.of_system(((CONSTANT, 5.0),), SYSTEM)
    errors = SparseErrors(1.0, printed[0], None, crossed(printed[1]))
    found = result(
        (CONSTANT, 5.0),
        printed=model,
        printed_errors=errors,
        error=full[0],
        cross_validated=crossed(full[1]),
        learning_configurations=3,
    )
    texts = model_warnings(found, measured([5, 5, 5], [0, 1, 2]), SPACE)
    assert [text.startswith("the printed terms explain only a part") for text in texts] == [True] * warned


def test_logarithms_of_options_that_can_be_0() -> None:
    """With learn_logFunction, an option with a value 0 is named, since it gets no logarithms."""
    data = measured([1, 2, 3, 4], [0, 1, 2, 100])
    found = learn(data, preset="splconqueror", settings={"learn_logFunction": True})
    assert "learn_logFunction has no effect on x: its values are not all positive" in model_warnings(found, data, SPACE)
    assert not any("log" in text for text in model_warnings(learn(data, preset="splconqueror"), data, SPACE))


@pytest.mark.parametrize(
    ("predicted", "values", "expected"),
    [
        ([-3.0, 2.0], [1.0, 2.0], "predictions of t are negative for 1 of 2 valid configurations: the least is -3"),
        ([-3.0], [1.0, 2.0], "the predicted value of t is negative: -3, although no measured value is negative"),
        ([-3.0], [0.0, 2.0], "the predicted value of t is negative: -3, although no measured value is negative"),
        ([-3.0], [-0.1, 2.0], ""),
        ([-3.0], [], "the predicted value of t is negative: -3"),
        (
            [20.1, 1.0],
            [1.0, 2.0],
            "exceed ten times the measured range (1 to 2) for 1 of 2 valid configurations: one is 20.1",
        ),
        ([20.1], [1.0, 2.0], "the predicted value of t exceeds ten times the measured range (1 to 2): 20.1"),
        ([-40.0, 1.0], [-1.0, 2.0], "for 1 of 2 valid configurations: one is -40"),
        ([20.0, 1.0], [1.0, 2.0], ""),
        ([50.0, -49.0], [-1.0, 5.0], ""),
        ([1.0, 2.0], [0.0, 0.0], ""),
        ([], [1.0], ""),
        ([np.nan], [1.0], ""),
        ([100.0], [np.nan], ""),
        ([-3.0, np.nan, 2.0], [1.0, np.nan], "negative for 1 of 2 valid configurations"),
    ],
)
def test_messages(predicted: list[float], values: list[float], expected: str) -> None:
    """There is a warning exactly where predictions contradict the measured values."""
    found = implausible(np.array(predicted), np.array(values), "t")
    assert len(found) == bool(expected)
    assert expected in "".join(found)


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
