"""The printed model: known truth, invariances, the form, settings, aliases, and refits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from sampling import Space
from splc.learning.projection.candidates import Candidates
from splc.learning.projection.printed import Printed, PrintedTerm, PrintSettings, printed_model
from splc.learning.projection.refit import refit
from splc.learning.projection.rows import Rows
from splc.learning.projection.size import _selected, projected
from splc.learning.projection.target import Target
from splc.learning.projection.units import units_of
from splc.learning.projection.variables import Variable, variables_of
from splc.learning.result import PathPoint
from splc.models.terms import CONSTANT, Term, log_term, option_term
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import BINARY, MIXED, NUMERIC, Known, group, reordered, switch, target_of


def printed(target: Target, settings: PrintSettings | None = None) -> Printed:
    """Return the printed model of a target."""
    return printed_model(target, variables_of(target.configurations.system), settings or PrintSettings())


def values(target: Target, found: Printed) -> Array:
    """Return the predictions of a printed model, in the unit of the target."""
    return found.model().predict(target.configurations) / target.unit


A, B, X, Y = (option_term(name) for name in "abxy")
SUMS: dict[str, tuple[Known, dict[Term, float]]] = {
    "binary": (lambda c: 10 + 5 * c("a") - 3 * c("a") * c("b"), {CONSTANT: 10, A: 5, A * B: -3}),
    "numeric": (
        lambda c: 3 * c("x") ** 2 + 7 * c("x") * np.log10(c("y")) + 20,
        {CONSTANT: 20, X**2: 3, X * log_term("y"): 7},
    ),
    "mixed": (lambda c: 2 * c("x") * c("y") - c("a") * c("x") + 9, {CONSTANT: 9, X * Y: 2, A * X: -1}),
    "group": (
        lambda c: 50 + 3 * (c("g_1") + 5 * c("g_5") + 9 * c("g_9")) * c("a"),
        {CONSTANT: 50, **{A * option_term(f"g_{v}"): 3.0 * v for v in (1, 5, 9)}},
    ),
}


@pytest.mark.parametrize("unit", [1.0, 1e-7, 1e200])
@pytest.mark.parametrize("name", SUMS)
def test_known_sums_are_found(name: str, unit: float) -> None:
    """A sum without noise is found exactly, in the unit of the property."""
    known, expected = SUMS[name]
    target = target_of(MIXED, known, error=1e-3, unit=unit)
    found = printed(target)
    assert found.form == "sum"
    influences = {term: influence / unit for term, influence in found.terms}
    assert influences == pytest.approx(expected, rel=1e-8)
    np.testing.assert_allclose(values(target, found), target.predicted, rtol=1e-9)


def test_levels_are_found() -> None:
    """A peak at one value of a numeric option is one term."""
    target = target_of(MIXED, lambda c: 4 + 6 * (c("x") == 4) + 3 * c("y"), error=1e-3)
    found = printed(target)
    assert {each.text: round(each.influence, 6) for each in found.selected} == {"1": 4, "[x = 4]": 6, "y": 3}
    np.testing.assert_allclose(values(target, found), target.predicted, rtol=1e-9)


def test_products_have_no_cubes() -> None:
    """Terms of ln y are at most quadratic in an option, as cubes explode outside of the measured range."""
    target = target_of(MIXED, lambda c: np.exp((c("x") / 6) ** 3 + (c("y") / 4) ** 3))
    found = printed(target, PrintSettings(form="product"))
    assert found.form == "product"
    assert {"x", "y"} <= {name for term, _ in found.terms for name in term.options}
    assert all(factor.power < 3 for term, _ in found.terms for factor in term.factors)


def test_products_are_found() -> None:
    """A multiplicative system is printed as a product of factors, and the reason is given."""
    factors = (2, 0.25, 3, 0.5, 1.7, 5, 0.3)
    target = target_of(BINARY, lambda c: np.prod([f ** c(f"b{i}") for i, f in enumerate(factors)], axis=0), unit=8.0)
    found = printed(target)
    assert found.form == found.reason.split()[1] == "product"
    assert found.link == "log"
    expected = {CONSTANT: np.log(8.0), **{option_term(f"b{i}"): np.log(f) for i, f in enumerate(factors)}}
    assert dict(found.terms) == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(values(target, found), target.predicted, rtol=1e-9)
    forced = printed(target, PrintSettings(form="sum"))
    assert forced.form == "sum"
    assert not forced.reason


def test_reciprocals_follow_where_powers_fail() -> None:
    """An option that divides the property, such as a number of threads, is printed as x^-1."""
    model = VariabilityModel("scaling", (NumericOption("threads", tuple(2.0**i for i in range(12))), switch("a")))
    found = printed(target_of(model, lambda c: 1 + 1e4 * (1 + c("a")) / c("threads"), error=0.01))
    assert option_term("threads", -1) in dict(found.terms)
    assert found.form == "sum"


@pytest.mark.parametrize("form", ["sum", "product"])
def test_order_of_rows_and_options(form: str) -> None:
    """The model is the same, to the last bit, for any order of rows and options."""
    known: Known = lambda c: np.exp(0.3 * c("a") + 0.1 * c("x") ** 0.5 * c("b") + c("g_5") * c("y") / 9)  # noqa: E731
    target = target_of(MIXED, known)
    settings = PrintSettings(form="sum" if form == "sum" else "product")
    first = printed(target, settings)
    other = VariabilityModel("other", (*group("g_9", "g_1", "g_5"), switch("b"), switch("a"), *reversed(NUMERIC)))
    rows = np.random.default_rng(1).permutation(target.learned)
    second = printed(reordered(target, rows, other), settings)
    assert len(first.selected) > 3

    def comparable(model: Printed) -> tuple[list[PrintedTerm], list[PathPoint]]:
        """Return terms and path with factors of texts in one order: that of options decides about it."""
        terms = [replace(each, text=_sorted_factors(each.text), variables=()) for each in model.selected]
        return terms, [replace(each, added=_sorted_factors(each.added)) for each in model.path]

    assert comparable(first) == comparable(second)


def test_texts_have_the_order_of_options() -> None:
    """Factors in the texts of terms and of the path follow the order of options, as in the model's text."""
    x, y = (NumericOption(name, tuple(map(float, range(1, 9)))) for name in "xy")
    for options in ((x, y), (y, x)):
        found = printed(target_of(VariabilityModel("two", options), lambda c: 5 + 3 * c("x") * c("y")))
        product = " * ".join(option.name for option in options)
        assert product in [each.text for each in found.selected]
        assert found.path[0].added == product


def _sorted_factors(text: str) -> str:
    return " * ".join(sorted(text.split(" * ")))


def test_roundoff_decides_nothing() -> None:
    """Predictions that differ by roundoff give the same terms, also where candidates are equal."""
    # b0 and b1 are exchangeable.
    target = target_of(BINARY, lambda c: 3 + np.sqrt(1 + c("b0") + c("b1")) + np.exp(c("b2") * c("b3")), error=0.02)
    noise = 1 + 1e-13 * np.random.default_rng(0).normal(size=len(target.predicted))
    predicted = target.predicted * noise
    first, second = printed(target), printed(replace(target, predicted=predicted, divisor=predicted))
    assert [each.text for each in first.selected] == [each.text for each in second.selected]


def test_signs() -> None:
    """Terms of numeric options alone have no negative influence unless the property can be negative."""
    known: Known = lambda c: 40 - 2 * c("x") + c("a") * c("y")  # noqa: E731
    positive = printed(target_of(MIXED, known, error=0.2), PrintSettings(form="sum"))
    assert all(each.free or each.influence > 0 for each in positive.selected)
    target = target_of(MIXED, lambda c: known(c) - 30, positive=False, error=0.01)
    free = printed(target)
    assert dict(free.terms) == pytest.approx({CONSTANT: 10, X: -2, A * Y: 1})


def test_constant_targets() -> None:
    """A constant full model is printed as a constant, for any settings and without variables."""
    target = target_of(MIXED, lambda c: np.full(len(c("a")), 7.0), unit=2.0)
    for settings in (PrintSettings(), PrintSettings(form="product"), PrintSettings(terms=1, readable=True)):
        found = printed(target, settings)
        np.testing.assert_allclose(found.model().predict(target.configurations), 14.0)
        assert len(found.selected) == 1
    found = printed_model(replace(target, folds=target.folds[:1]), (), PrintSettings())
    assert dict(found.terms) == pytest.approx({CONSTANT: 14})
    zero = replace(target, predicted=0 * target.predicted, divisor=target.predicted, positive=False)
    assert dict(printed(zero).terms) == pytest.approx({CONSTANT: 0})


def test_numbers_of_terms() -> None:
    """`terms` limits the number of terms; the path says the error for every number, and contains the model."""
    target = target_of(MIXED, lambda c: np.sqrt(c("x") * c("y")) + 3 * c("a") * c("g_9") + c("b") * c("y"), error=0.01)
    whole = printed(target)
    readable = printed(target, PrintSettings(readable=True))
    assert len(readable.selected) <= len(whole.selected)
    assert [point.terms for point in whole.path] == sorted({point.terms for point in whole.path})
    assert len(whole.selected) in {point.terms for point in whole.path[:-1]}
    errors = [point.error for point in whole.path]
    assert errors[0] > 5 * errors[-1] > 0
    distances = []
    for most in range(1, len(whole.selected) + 2):
        found = printed(target, PrintSettings(terms=most, form=whole.form))
        # Several influences may become 0 at once.
        assert most - 2 <= len(found.selected) <= most or most > len(whole.selected)
        assert len(found.selected) in {point.terms for point in found.path}
        # The path continues to the model that would be printed without the limit.
        size = len(whole.selected)
        own, other = ([point.error for point in model.path if point.terms == size] for model in (whole, found))
        assert own == other
        distances.append(found.distance)
    assert distances == sorted(distances, reverse=True)
    assert all(len(term.factors) <= 1 for term, _ in printed(target, PrintSettings(order=1)).terms)


def test_aliases_are_reported() -> None:
    """Terms that are linear functions of a printed term on the learning set are reported, others are not."""
    target = target_of(MIXED, lambda c: 10 + 4 * c("x") + 3 * c("a"), error=0.01, learned=200)
    assert ("a", "b") not in printed(target).aliases
    columns = {name: target.configurations.column(name).copy() for name in MIXED.names}
    rows = np.flatnonzero(columns["a"][: target.learned] == columns["b"][: target.learned])
    everything = np.concatenate([rows, np.arange(target.learned, len(target.predicted))])
    fewer = replace(
        target,
        configurations=target.configurations[everything],
        weights=target.weights[everything],
        predicted=target.predicted[everything],
        divisor=target.divisor[everything],
        slope=target.slope[everything],
        folds=target.folds[:, everything],
        fold_of=target.fold_of[rows],
        measured=target.measured[rows],
        covariance=lambda projection: np.zeros((len(projection), len(projection))),
    )
    assert ("a", "b") in printed(fewer).aliases


def test_optional_numeric_options() -> None:
    """A system whose numeric option may be deselected gives a model that predicts there, too."""
    model = VariabilityModel("optional", (NumericOption("x", (1.0, 2.0, 4.0, 8.0), deselected_flag=0.0), switch("a")))
    known: Known = lambda c: 5 + 2 * np.nan_to_num(c("x")) + 4 * c("Enabledx") * c("a")  # noqa: E731
    target = target_of(model, known, error=1e-3)
    found = printed(target)
    expected = {CONSTANT: 5, X: 2, option_term("Enabledx") * A: 4}
    assert dict(found.terms) == pytest.approx(expected)


def test_observed_variables() -> None:
    """A numeric variable with many values has no levels."""
    variable = Variable("x", "numeric", ("x",), tuple(map(float, range(1, 40))))
    model = VariabilityModel("many", (NumericOption("x", variable.values),))
    target = target_of(model, lambda c: 5 + c("x"), error=1e-3)
    found = printed_model(target, [variable], PrintSettings())
    assert dict(found.terms) == pytest.approx({CONSTANT: 5, X: 1})


@pytest.mark.parametrize("form", ["sum", "product"])
def test_refit(form: str) -> None:
    """Influences refitted to many rows are those of the rows; what the rows do not vary stays as projected."""
    projected = printed(
        target_of(MIXED, lambda c: 10 + 4 * c("x") + 3 * c("a"), error=1e-3),
        PrintSettings(form="sum" if form == "sum" else "product"),
    )
    everything = Space(MIXED).enumerate()
    model = projected.model()
    changed = replace(
        model,
        terms=tuple((term, influence * (1.1 if term.is_constant else 0.9)) for term, influence in model.terms),
    )
    found = refit(projected, everything, changed.predict(everything))
    np.testing.assert_allclose(found.model().predict(everything), changed.predict(everything), rtol=0.01)
    assert abs(projected.model().predict(everything) / changed.predict(everything) - 1).max() > 0.05
    assert [each.influence for each in found.estimates] == [influence for _, influence in found.terms]
    same = refit(projected, everything, model.predict(everything))
    assert dict(same.terms) == pytest.approx(dict(projected.terms), rel=1e-6)
    one = everything[[0] * 10]
    stays = refit(projected, one, model.predict(one))
    assert dict(stays.terms) == pytest.approx(dict(projected.terms), rel=1e-6)


def test_refits_are_relative() -> None:
    """If the rows decide, refitted influences minimise relative differences."""
    found = printed(target_of(MIXED, lambda c: 10 + 4 * c("x") ** 2 + 3 * c("a"), error=1e-3))
    everything = Space(MIXED).enumerate()
    noise = np.exp(0.5 * np.random.default_rng(0).normal(size=len(everything)))
    measured = found.model().predict(everything) * noise
    columns = found.columns(everything)
    expected = np.linalg.lstsq(columns / measured[:, None], np.ones(len(measured)))[0]
    influences = [each.influence for each in refit(found, everything, measured).selected]
    np.testing.assert_allclose(influences, expected, rtol=0.02)
    assert abs(expected / [each.influence for each in found.selected] - 1).max() > 0.2


def test_sums_that_stay_far_away_are_replaced() -> None:
    """If switches change values by orders of magnitude, the reason given is that a sum cannot follow them."""
    model = VariabilityModel("switches", tuple(switch(f"b{i}") for i in range(11)))
    known: Known = lambda c: np.exp(sum((3.0 - 0.4 * i) * c(f"b{i}") for i in range(11)))  # noqa: E731
    found = printed(target_of(model, known, error=0.02))
    assert found.form == "product"
    assert "times as far from the full model" in found.reason
    assert len(found.selected) == 12


def test_sums_whose_terms_cancel_are_replaced() -> None:
    """A sum of powers that cancel has shares of many times 100 %; a product that is as close is printed instead."""
    levels = (NumericOption("level", (1.0, 3.0, 5.0, 9.0)), NumericOption("size", (16.0, 64.0, 256.0)))
    model = VariabilityModel("packer", (*group("lzma", "zlib"), switch("delta"), *levels))

    def known(c: Callable[[str], Array]) -> Array:
        level, size = c("level"), np.log10(c("size"))
        power = c("lzma") * (0.1 * level**2 + 0.1 * level * size**2 - 0.05 * level**2 * size)
        return np.asarray(np.exp(power + c("delta")))

    target = target_of(model, known, error=0.1)
    found = printed(target)
    assert found.form == "product"
    assert found.reason == "a product of factors: the terms of a sum cancel"
    contributions = printed(target, PrintSettings(form="sum")).model().contributions(target.configurations).mean(axis=0)
    assert np.abs(contributions).sum() > 3 * contributions.sum()


@pytest.mark.parametrize("factor", [2.0, 1 / 3])
def test_sums_are_preferred(factor: float) -> None:
    """A function that is both a sum and a product of few terms is printed as a sum, however exact the product."""
    found = printed(target_of(MIXED, lambda c: 7 * factor ** c("a"), error=0.02))
    assert found.form == "sum"
    assert dict(found.terms) == pytest.approx({CONSTANT: 7, A: 7 * (factor - 1)})


@pytest.mark.parametrize(("learned", "limit"), [(8, 0.4), (40, 0.5)])
def test_tolerance(learned: int, limit: float) -> None:
    """A quarter of the expected error is allowed: of the cross-validated, twice the median deviation, or 0.4."""
    target = target_of(MIXED, lambda c: np.exp(c("x") / 16 + c("a") * c("y")), learned=learned)
    settings = PrintSettings(form="sum")
    allowed = {
        (rms, spread): printed(replace(target, rms=rms, spread=spread), settings)
        for rms, spread in ((0.08, 1.0), (1.0, 0.04), (0.5, 0.5))
    }
    for (rms, spread), found in allowed.items():
        # What the whole path does not explain is allowed, too.
        floor = found.floor if found.floor > found.tolerance / 50 else 0.0
        expected = found.kappa * min(rms, 2 * spread, limit)
        assert found.tolerance == pytest.approx(np.hypot(expected, floor), rel=0.02)
        assert found.distance <= found.tolerance * (1 + 1e-8)


def test_larger_tolerances_need_a_smaller_error() -> None:
    """A larger share of the expected error is allowed if the error outside of the folds falls, or is readable."""
    rows = Rows(target_of(BINARY, lambda c: 1 + c("b0")))
    units, columns = units_of(variables_of(BINARY), rows.configurations)
    candidates = Candidates(units, columns, rows.weights(product=False), order=1, penalty=(1.0,))
    first = projected(rows, candidates, product=False)

    def kappa(*errors: float, readable: bool = False) -> float:
        pairs = zip((0.25, 0.5, 1.0), errors, strict=True)
        return _selected([replace(first, kappa=kappa, error=error) for kappa, error in pairs], readable).kappa

    assert kappa(1.0, 0.96, 0.97) == 0.25
    assert kappa(1.0, 0.94, 0.97) == 0.5
    assert kappa(1.0, 0.94, 0.9) == 1.0
    assert kappa(1.0, 0.9, 0.94) == 0.5
    assert kappa(1.0, 0.9, 0.9) == 1.0
    assert kappa(1.0, 1.04, 1.06, readable=True) == 0.5
    assert kappa(1.0, 1.06, 1.04, readable=True) == 1.0
