"""Models compared as wholes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison import ComparedModel, compare, compare_all, compared_model
from comparison.semantic import compare_values
from comparison.syntactic import compare_terms
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, ExpressionError, InputError, MeasurementError
from splc.formats.models.text import parse_model_text
from splc.io.files import Source
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel

SYSTEM = VariabilityModel("s", (NumericOption("x", (1.0, 2.0, 3.0, 4.0)), NumericOption("y", (0.0, 1.0, 5.0))))
ALL = Configurations.from_columns(SYSTEM, {"x": [1, 2, 3, 4] * 3, "y": [0] * 4 + [1] * 4 + [5] * 4})
TERMS = ("1", "x", "y", "x^2", "log10(x)", "x * y", "log10(x) * y", "y^2")


def model(text: str, parameters: Parameters | None = None) -> InfluenceModel:
    """Return the model that a text is."""
    return parse_model_text(Source("model.txt", text.encode()), SYSTEM, parameters)


def named(**models: InfluenceModel) -> list[ComparedModel]:
    """Return models with these names."""
    return [compared_model(name, each) for name, each in models.items()]


@st.composite
def models(draw: st.DrawFn) -> InfluenceModel:
    """Models of a few terms with positive influences."""
    names = draw(st.lists(st.sampled_from(TERMS), min_size=1, max_size=5, unique=True))
    return model(" + ".join(f"{draw(st.integers(1, 9))} * {name}" for name in names))


@given(models(), models())
def test_it_is_what_its_parts_say(first: InfluenceModel, second: InfluenceModel) -> None:
    """The semantic part compares the predictions of both models, the shares of classes add up to 1."""
    found = compare(first, second, ALL, names=("a", "b"))
    assert (found.first, found.second) == ("a", "b")
    assert found.semantic == compare_values(first.predict(ALL), second.predict(ALL), powers=(1.0, 2.0, 3.0))
    assert found.hybrid is not None
    assert sum(share.weight for share in found.hybrid.classes) == pytest.approx(1)
    assert 0 <= found.hybrid.syntactic <= 1
    assert 0 <= found.hybrid.semantic <= 1


@given(models(), models(), st.lists(st.integers(0, 3), min_size=len(ALL), max_size=len(ALL)).filter(any))
def test_weights_are_repetitions(first: InfluenceModel, second: InfluenceModel, counts: list[int]) -> None:
    """The weight 2 of a configuration has the effect of the configuration twice, in every part."""
    found = compare(first, second, ALL, weights=np.array(counts, dtype=float))
    repeated = compare(first, second, ALL[np.repeat(np.arange(len(ALL)), counts)])
    assert found.hybrid is not None
    assert repeated.hybrid is not None
    own, other = found.hybrid, repeated.hybrid
    assert (own.syntactic, own.semantic) == pytest.approx((other.syntactic, other.semantic))
    assert [each.weight for each in own.classes] == pytest.approx([each.weight for each in other.classes])
    assert found.semantic is not None
    assert repeated.semantic is not None
    assert found.semantic.values["error_rate"] == pytest.approx(repeated.semantic.values["error_rate"])


@given(models(), models(), models())
def test_others_do_not_matter(first: InfluenceModel, second: InfluenceModel, third: InfluenceModel) -> None:
    """Each pair is compared as if it were alone, and each model is judged as if it were alone."""
    measured = np.linspace(1.0, 7.0, len(ALL))
    found = compare_all(named(a=first, b=second, c=third), ALL, measured=measured, nfp="t")
    assert found.comparisons[1] == compare(first, third, ALL, names=("a", "c"))
    told: list[tuple[int, str]] = []
    compare_all(named(a=first, b=second, c=third), on_pair=lambda done, name: told.append((done, name)))
    assert told == [(1, "b"), (2, "c")]
    alone = compare_all(named(c=third, a=first), ALL, measured=measured, nfp="t")
    assert found.judged[2] == alone.judged[0]


def test_only_what_was_measured_judges() -> None:
    """Configurations without a measured value take part in comparing models, not in judging them."""
    measured = np.full(len(ALL), np.nan)
    measured[:3] = (2.0, 4.0, 6.0)
    found = compare_all(named(a=model("2 * x"), b=model("3 * x")), ALL, measured=measured)
    assert found.comparisons[0].semantic is not None
    assert found.comparisons[0].semantic.configurations == len(ALL)
    assert [judged.semantic.configurations for judged in found.judged] == [3, 3]
    assert found.judged[0].semantic.values["error_rate"] == 0
    assert found.judged[1].semantic.values["error_rate"] == pytest.approx(50)


def test_measured_values_are_expected_within_intervals_of_single_values() -> None:
    """The coverage of measured values is that of intervals of single values, never that of bands of the mean."""
    first, second = named(a=model("2 * x"), b=model("3 * x"))
    narrow = replace(first, intervals=np.array([[1.0], [2.0]]) * np.ones(len(ALL)))
    measured = np.where(np.arange(len(ALL)) < 3, 1.5, 9.0)
    found = compare_all([narrow, second], ALL, measured=measured, level=0.9)
    assert [judged.covered for judged in found.judged] == [None, None]
    wide = replace(narrow, single=np.array([[0.0], [10.0]]) * np.ones(len(ALL)))
    found = compare_all([wide, second], ALL, measured=measured, level=0.9)
    assert [judged.covered for judged in found.judged] == [1, None]
    between = found.comparisons[0].intervals
    assert between is not None
    assert list(between.width) == [1, 0]
    nothing = np.full(len(ALL), np.nan)
    found = compare_all([wide, second], ALL, measured=nothing, level=0.9)
    assert [judged.covered for judged in found.judged] == [None, None]


def test_unknown_intervals_are_not_compared() -> None:
    """A model with unknown intervals is not compared by intervals; one with exact predictions is."""
    first, second, third = named(a=model("2 * x"), b=model("3 * x"), c=model("4 * x"))
    band = np.array([[1.0], [2.0]]) * np.ones(len(ALL))
    found = compare_all([replace(first, intervals=band), replace(second, exact=False), third], ALL, level=0.9)
    assert [pair.intervals is None for pair in found.comparisons] == [True, False]
    found = compare_all([replace(first, exact=False), replace(second, intervals=band), third], ALL, level=0.9)
    assert [pair.intervals for pair in found.comparisons] == [None, None]


def test_settings_are_kept() -> None:
    """A comparison knows the settings that decide about its numbers."""
    first, second = named(a=model("2 * x"), b=model("3 * x"))
    plain = compare_all([first, second])
    assert (plain.constant, plain.weights, plain.level) == (True, None, None)
    other = replace(second, intervals=np.ones((2, len(ALL))))
    found = compare_all([first, other], ALL, constant=False, weights=np.arange(len(ALL)), level=0.9)
    assert (found.constant, found.weights, found.level) == (False, "given", 0.9)


def test_the_constant_counts_if_it_is_asked_for() -> None:
    """Without the constant, models that differ in it only have equal terms."""
    first, second = model("1 + 2 * x"), model("5 + 2 * x")
    for constant in (True, False):
        expected = compare_terms(first, second, constant=constant)
        assert compare(first, second, constant=constant).syntactic == expected
        assert compare_all(named(a=first, b=second), constant=constant).comparisons[0].syntactic == expected
        assert (expected.normalized == 1) == (not constant)


def test_a_single_model_is_compared_with_measurements() -> None:
    """One model alone is compared with the measurements, as it is among others."""
    measured = np.linspace(1.0, 7.0, len(ALL))
    alone = compare_all(named(a=model("2 * x")), ALL, measured=measured)
    among = compare_all(named(a=model("2 * x"), b=model("3 * x")), ALL, measured=measured)
    assert alone.comparisons == ()
    assert alone.judged == among.judged[:1]


def test_tables_predict_by_row_and_compare_by_one() -> None:
    """A tabled parameter has its row's value in predictions, and its middle (or chosen) row's in terms."""
    rows = tuple((float(x), Quantity.exactly(10.0 * x)) for x in (1, 2, 3, 4))
    tabled = model("alpha * y", Parameters({"alpha": ParameterTable("x", rows)}))
    other = model("10 * x * y")
    found = compare(tabled, other, ALL)
    assert found.semantic is not None
    assert found.semantic.values["chebyshev"] == 0
    assert [term.first for group in found.syntactic.classes for term in group.terms] == [30.0, None]
    chosen = compare(tabled, other, ALL, at={"x": 1})
    assert [term.first for group in chosen.syntactic.classes for term in group.terms] == [10.0, None]
    with pytest.raises(InputError, match="no row for x = 7"):
        compare(tabled, other, ALL, at={"x": 7})


def test_without_configurations_only_terms_are_compared() -> None:
    """Without configurations there is no semantic part; without measured ones no model is judged."""
    found = compare_all(named(a=model("x"), b=model("y")))
    assert found.comparisons[0].semantic is None
    assert found.comparisons[0].hybrid is None
    assert found.judged == ()


def test_models_with_another_link_have_no_shares() -> None:
    """Contributions to a sum and to its logarithm are not compared class by class."""
    logarithmic = InfluenceModel.from_terms(model("0.1 * x").terms, SYSTEM.names, "log")
    found = compare(model("x"), logarithmic, ALL)
    assert found.hybrid is None
    assert found.semantic is not None


def test_no_configurations_at_all() -> None:
    """On no configurations every measure is undefined."""
    found = compare(model("x"), model("y"), ALL[:0])
    assert found.semantic is not None
    assert set(found.semantic.values.values()) == {None}


def test_errors_say_which_model_and_which_configuration() -> None:
    """A model without a value somewhere is named, with the configuration; so are unknown options."""
    with pytest.raises(
        ConfigurationError, match=r"(?s)b: .*y = 0.*configuration x = 1, y = 0.*compare on configurations where"
    ):
        compare(model("x"), model("x / y"), ALL, names=("a", "b"))
    stranger = parse_model_text(Source("other.txt", b"3 * z"))
    with pytest.raises(ConfigurationError, match=r"b: .*'z'"):
        compare(model("x"), stranger, ALL, names=("a", "b"))


def test_bad_arguments() -> None:
    """Fewer than two models and measured values of another number are refused."""
    with pytest.raises(ConfigurationError, match="two models"):
        compare_all(named(a=model("x")), ALL)
    with pytest.raises(MeasurementError, match="one measured value"):
        compare_all(named(a=model("x"), b=model("y")), ALL, measured=np.ones(3))
    with pytest.raises(ExpressionError):
        model("log(0)")
