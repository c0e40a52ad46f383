"""The printed model: known truth, invariances, positivity, settings, uncertainty, refits, and terms not told apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc.learning.projection import printed_model as choice
from splc.learning.projection.basis import variables_of
from splc.learning.projection.columns import CONSTANT_PLACE, aliases_of
from splc.learning.projection.constants import Form, ProjectionSettings
from splc.learning.projection.printed_model import PrintedModel, printed_model
from splc.learning.projection.submodels import Target
from splc.learning.projection.term_search import forward
from splc.models.terms import CONSTANT, option_term
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import BINARY, MIXED, NUMERIC, Known, candidates_of, switch, target_of
from tests.support.examples import examples

FEW = (NumericOption("x", (1.0, 2.0, 4.0, 8.0)), NumericOption("y", (1.0, 2.0, 3.0, 4.0)))
SMALL = VariabilityModel("small", (switch("a"), switch("b"), *FEW))


def printed(target: Target, settings: ProjectionSettings | None = None) -> PrintedModel:
    """Return the printed model of a target, positive over all valid configurations."""
    system = target.configurations.system
    return printed_model(target, variables_of(system), settings or ProjectionSettings(), Space(system).enumerate())


def values(target: Target, found: PrintedModel) -> Array:
    """Return the predictions of a printed model, in the unit of the target."""
    return found.model.predict(target.configurations) / target.unit


def wavy(c: Callable[[str], Array]) -> Array:
    """Return values that few terms do not follow."""
    return np.asarray(9 + np.sin(c("x")) + c("a") * np.cos(2 * c("y")) + c("b") * c("y"))


A, B, X, Y = (option_term(name) for name in "abxy")
SUMS: dict[str, tuple[Known, dict[str, float]]] = {
    "binary": (lambda c: 10 + 5 * c("a") - 3 * c("a") * c("b"), {"1": 10, "a": 5, "a * b": -3}),
    "numeric": (lambda c: 3 * c("x") ** 2 + 7 * c("x") * np.log10(c("y")) + 20, {"1": 20, "x^2": 3, "x * log10(y)": 7}),
    "mixed": (lambda c: 2 * c("x") * c("y") - c("a") * c("x") + 9, {"1": 9, "x * y": 2, "a * x": -1}),
    "falling": (lambda c: 40 - 2 * c("x") + 3 * c("a"), {"1": 40, "x": -2, "a": 3}),
    "reciprocal": (lambda c: 4 + 50 * c("a") / c("x"), {"1": 4, "a * x^-1": 50}),
    # The number of a group is one term, whatever the number of its members.
    "group": (lambda c: 50 + 3 * (c("g_1") + 5 * c("g_5") + 9 * c("g_9")) * c("a"), {"1": 50, "a * g": 3}),
}


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        *((name, 1.0) for name in SUMS),
        ("group", 1e-7),
        ("binary", 1e200),
        *(pytest.param(name, unit, marks=pytest.mark.slow) for name in SUMS for unit in (1e-7, 1e200)),
    ],
)
def test_known_sums_are_found(name: str, unit: float) -> None:
    """A sum without noise is found exactly, in the unit of the property."""
    known, expected = SUMS[name]
    target = target_of(MIXED, known, error=1e-3, unit=unit)
    target = replace(target, measured=target.predicted[: target.learned])
    found = printed(target)
    assert found.model.link == "identity"
    influences = {each.text: each.influence / unit for each in found.selected}
    assert influences == pytest.approx(expected, rel=1e-8)
    np.testing.assert_allclose(values(target, found), target.predicted, rtol=1e-9)


@pytest.mark.parametrize(
    ("known", "texts"),
    [
        (lambda c: 40 + 60 * (c("n") >= 7) + 30 * c("a"), {"1": 40, "[n >= 7]": 60, "a": 30}),
        (lambda c: 40 + 20 * np.minimum(c("n"), 6) * c("a"), {"1": 40, "a * min(n, 6)": 20}),
        (lambda c: 300 - 20 * np.minimum(c("n"), 9), {"1": 300, "min(n, 9)": -20}),
    ],
)
def test_thresholds_and_saturations_are_found(known: Known, texts: dict[str, float]) -> None:
    """A step, or an option that has no influence above some value, is one term."""
    model = VariabilityModel("many", (switch("a"), switch("b"), NumericOption("n", tuple(map(float, range(1, 14))))))
    target = target_of(model, known, error=1e-3, learned=30)
    found = printed(replace(target, measured=target.predicted[: target.learned]))
    assert {each.text: round(each.influence, 6) for each in found.selected} == texts
    np.testing.assert_allclose(values(target, found), target.predicted, rtol=1e-9)


def test_products_are_found() -> None:
    """A multiplicative system is printed as a product of factors."""
    factors = (2, 0.25, 3, 0.5, 1.7, 5, 0.3)
    target = target_of(BINARY, lambda c: np.prod([f ** c(f"b{i}") for i, f in enumerate(factors)], axis=0), unit=8.0)
    found = printed(target)
    assert found.model.link == "log"
    assert [each.form for each in found.forms] == ["product", "sum"]
    terms = {CONSTANT, *(option_term(f"b{i}") for i in range(7))}
    assert set(dict(found.model.terms)) == terms
    np.testing.assert_allclose(values(target, found), target.predicted, rtol=0.1)
    exact = printed(replace(target, measured=target.predicted[: target.learned]))
    expected = {CONSTANT: np.log(8.0), **{option_term(f"b{i}"): np.log(f) for i, f in enumerate(factors)}}
    assert dict(exact.model.terms) == pytest.approx(expected, rel=1e-6)
    assert printed(target, ProjectionSettings(form="sum")).model.link == "identity"


@examples(6)
@given(seed=st.integers(0, 1000))
def test_roundoff_decides_nothing(seed: int) -> None:
    """Predictions that differ by roundoff give the same terms, also where candidates are equal."""
    # b0 and b1 are exchangeable.
    target = target_of(BINARY, lambda c: 3 + np.sqrt(1 + c("b0") + c("b1")) + np.exp(c("b2") * c("b3")), error=0.02)
    noise = 1 + 1e-13 * np.random.default_rng(seed).normal(size=len(target.predicted))
    predicted = target.predicted * noise
    first, second = printed(target), printed(replace(target, predicted=predicted, divisor=predicted))
    assert [each.text for each in first.selected] == [each.text for each in second.selected]
    np.testing.assert_allclose(
        [each.influence for each in first.selected], [each.influence for each in second.selected], rtol=1e-9
    )


def test_texts_have_the_order_of_options() -> None:
    """Factors in the texts of terms and of the path follow the order of options, as in the model's text."""
    x, y = (NumericOption(name, tuple(map(float, range(1, 9)))) for name in "xy")
    for options in ((x, y), (y, x)):
        found = printed(target_of(VariabilityModel("two", options), lambda c: 5 + 3 * c("x") * c("y")))
        product = " * ".join(option.name for option in options)
        assert found.selected[0].text == "1"
        assert product in [each.text for each in found.selected]
        assert product in [point.added for point in found.path]


@examples(6)
@given(seed=st.integers(0, 1000), form=st.sampled_from(["auto", "sum"]))
def test_positive_over_the_valid_space(seed: int, form: Form) -> None:
    """No prediction of a positive property is 0 or less at any valid configuration, also where none was learned."""
    rng = np.random.default_rng(seed)
    sizes = rng.normal(0, 1.5, 4)
    target = target_of(
        SMALL,
        lambda c: np.exp(sizes[0] * c("a") + sizes[1] * c("b") + sizes[2] * c("x") / 8 + sizes[3] * c("y") / 3),
        learned=30,
        error=0.3,
        seed=seed,
    )
    found = printed(target, ProjectionSettings(form=form))
    assert (found.model.predict(Space(SMALL).enumerate()) > 0).all()


@pytest.mark.parametrize("exact", [False, True])
def test_values_that_the_rows_do_not_have(exact: bool) -> None:
    """A falling sum that is negative at a value of no row is not taken, however exact it is."""
    system = VariabilityModel("two", (switch("a"), NUMERIC[0], FEW[1]))
    target = target_of(system, lambda c: 20 - 2 * c("x") + c("a"), positive=False, error=0.02)
    rows = np.flatnonzero(target.configurations.column("x") <= 8)
    learned = int((rows < target.learned).sum())
    predicted = target.predicted[rows]
    target = replace(
        target,
        configurations=target.configurations[rows],
        weights=target.weights[rows],
        predicted=predicted,
        divisor=predicted,
        slope=target.slope[rows],
        folds=predicted * (1 + 0.02 * np.random.default_rng(0).normal(size=(8, len(rows)))),
        fold_of=np.arange(learned) % 8,
        measured=predicted[:learned] * (1 if exact else 1 + 0.01 * np.random.default_rng(1).normal(size=learned)),
        positive=True,
        covariance=lambda projection: projection @ projection.T,
    )
    everything = Space(system).enumerate()
    anywhere = printed_model(target, variables_of(system), ProjectionSettings())
    assert (anywhere.model.predict(everything) < 0).any()
    assert (printed(target).model.predict(everything) > 0).all()


def test_signs() -> None:
    """Terms of numeric options alone are costs in a sum of costs; of a property with negative values all are free."""
    target = target_of(MIXED, lambda c: 20 + c("x") + c("a") * c("y"), error=0.2)
    costs = printed(target, ProjectionSettings(form="sum"))
    assert costs.forms[0].form == "sum"
    assert all(each.influence > 0 for each in costs.selected if each.term.options <= {"x", "y"})
    known: Known = lambda c: 10 - 2 * c("x") + c("a") * c("y")  # noqa: E731
    free = printed(target_of(MIXED, known, positive=False, error=1e-9))
    assert dict(free.model.terms) == pytest.approx({CONSTANT: 10, X: -2, A * Y: 1}, rel=1e-5)


@pytest.mark.parametrize("value", [7.0, 1.0, 0.3])
def test_constant_targets(value: float) -> None:
    """A constant full model is printed as a constant, for any settings, unit and without variables."""
    target = target_of(SMALL, lambda c: np.full(len(c("a")), value), unit=2.0)
    for settings in (
        ProjectionSettings(),
        ProjectionSettings(form="product"),
        ProjectionSettings(terms=1, readable=True),
    ):
        found = printed(target, settings)
        np.testing.assert_allclose(found.model.predict(target.configurations), 2 * value, rtol=0.05)
        assert len(found.selected) == 1
        without = printed_model(replace(target, folds=target.folds[:1]), (), settings)
        np.testing.assert_allclose(without.model.predict(target.configurations), 2 * value, rtol=0.05)
    zero = replace(target, predicted=0 * target.predicted, divisor=target.predicted, positive=False)
    assert dict(printed(zero).model.terms) == pytest.approx({CONSTANT: 0}, abs=0.05 * value)


def test_numbers_of_terms() -> None:
    """`terms` and `readable` limit the number of terms; the path has the errors of the sizes of the language."""
    target = target_of(SMALL, wavy, error=0.01)
    assert len(printed(target, ProjectionSettings(readable=True)).selected) <= 10
    assert len(printed(target).selected) <= 20
    for most in (1, 5, 30):
        found = printed(target, ProjectionSettings(terms=most))
        assert len(found.selected) <= most
        sizes = [point.terms for point in found.path]
        assert sizes == sorted(set(sizes))
        assert sizes[-1] <= most
        assert all(point.added for point in found.path)
        assert found.forms[0].cross_validated == pytest.approx(found.cross_validated.mean)
        assert found.forms[0].terms in sizes
    assert all(len(each.term.factors) <= 1 for each in printed(target, ProjectionSettings(order=1)).selected)


@pytest.mark.parametrize("form", ["sum", "product"])
def test_estimates(form: Form) -> None:
    """There is an estimate for each term, in the unit of the property; terms of a group share one's uncertainty."""
    known: Known = lambda c: 9 + 2 * (c("g_1") + 5 * c("g_5") + 9 * c("g_9")) + c("x") * c("a")  # noqa: E731
    unit = 1e150
    found = printed(target_of(MIXED, known, error=0.05, unit=unit), ProjectionSettings(form=form))
    assert all(0 <= each.folds <= found.folds == 8 for each in found.selected if each.folds is not None)
    for each in found.selected:
        assert 0 < each.standard_error < 3 * max(abs(each.influence), unit if form == "sum" else 1.0)
        assert each.low < each.influence < each.high


def test_no_consensus_about_a_number_of_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a number of terms, or few rows, the closest model is returned; otherwise that of the terms of most folds."""
    target, few = (target_of(SMALL, wavy, error=0.2, seed=2, learned=learned) for learned in (40, 29))
    cases = [(target, None), (few, None), *((target, number) for number in (4, 6, 8))]
    before = [printed(given, ProjectionSettings(terms=number)).selected for given, number in cases]
    monkeypatch.setattr(choice, "RISE", 0.0)
    after = [printed(given, ProjectionSettings(terms=number)).selected for given, number in cases]
    assert before[0] != after[0]
    assert before[1:] == after[1:]


def correlated(one: Array, other: Array) -> bool:
    """Return whether one of two columns is a linear function of the other, up to a thousandth of its variance."""
    if np.ptp(one) <= 1e-9 or np.ptp(other) <= 1e-9:
        return False
    return bool(np.corrcoef(one, other)[0, 1] ** 2 >= 1 - 1e-3)


@pytest.mark.parametrize("model", [BINARY, MIXED])
@pytest.mark.parametrize("learned", [5, 8, 12])
def test_aliases_by_trying_all_pairs(learned: int, model: VariabilityModel) -> None:
    """Aliases are no more complex, and functions of a term on the learning set only; the simplest three are told."""
    switches = ("b0", "b1") if model is BINARY else ("a", "b")
    target = target_of(
        model, lambda c: 10 + 4 * c(switches[0]) + 3 * c(switches[0]) * c(switches[1]), error=0.01, learned=learned
    )
    candidates = candidates_of(target, 2)
    # The constant has no aliases.
    terms = forward(candidates, target.scaled(target.predicted, False)[None], 4)[0].chosen
    assert len(terms) > 1
    plain = candidates.columns / target.factors(False)
    expected = []
    told: set[int] = set()
    for term in sorted(set(terms) - {CONSTANT_PLACE}, key=candidates.name):
        others = [
            other
            for other in range(1, len(plain))
            if other != term
            and candidates.factors[other] <= candidates.factors[term]
            and correlated(plain[term][:learned], plain[other][:learned])
            and not correlated(plain[term], plain[other])
            # A pair of printed terms is told once, with the later one.
            and (other not in terms or other in told)
        ]
        told.add(term)
        others.sort(key=lambda at: (candidates.factors[at], candidates.name(at)))
        expected += [(candidates.text(term), candidates.text(other)) for other in others[:3]]
    assert list(aliases_of(candidates, terms, learned)) == expected
    assert expected or model is MIXED or learned > 8


def test_nothing_to_tell() -> None:
    """The constant, and a learning set without rows, have no aliases."""
    rows = target_of(BINARY, lambda c: 10 + 4 * c("b0"), learned=5)
    candidates = candidates_of(rows, 2)
    assert aliases_of(candidates, [CONSTANT_PLACE], 5) == ()
    assert aliases_of(candidates, [0, 1, 2], 0) == ()
    assert aliases_of(candidates, (), 5) == ()
