"""Facts about scaling models: their methods and exponents, caveats about them, and grids of points to measure."""

from __future__ import annotations

import itertools
from ast import literal_eval
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.stats import f_oneway

from splc.errors import MeasurementError
from splc.scaling import fit
from splc.scaling.caveats import about_fits, about_points, ambiguous, hidden
from splc.scaling.data import Condensed, quantities
from splc.scaling.exponents import FALLING, SETS, Exponents, Product, columns, exponents
from splc.scaling.methods import METHODS, exponent_set, parsed_settings, resolved_settings, settings_of
from splc.scaling.selection import CombinationShortlist, Selection
from splc.scaling.suggestion.candidates import candidate_axes, continued
from splc.types import Array
from tests.support.examples import examples
from tests.support.golden_messages import Lines, check_calls, check_messages, shown

X = np.array([2.0, 4.0, 8.0, 16.0, 32.0])
VALUES = st.one_of(st.floats(0.1, 100), st.sampled_from([0.0, -3.0, 1e-200, 50.0]))


@examples(60)
@given(st.lists(st.lists(VALUES, min_size=1, max_size=3), min_size=5, max_size=5), st.sampled_from(sorted(METHODS)))
def test_errors_and_noise(rows: list[list[float]], method: str) -> None:
    """Errors are those of the means, noise that of repetitions, or else of the residuals, by their formulas."""
    width = max(map(len, rows))
    values = np.array([[*row, *[np.nan] * (width - len(row))] for row in rows])
    model = fit(X, values, method=method, aggregate="mean")
    means, counts = np.array([np.mean(row) for row in rows]), np.array([len(row) for row in rows])
    found = model.predict(X)
    both = np.abs(found) + np.abs(means)
    symmetric = np.divide(np.abs(found - means), both, out=np.zeros(5), where=both > 0)
    assert model.smape == pytest.approx(200 * symmetric.mean(), rel=1e-6, abs=1e-6)
    assert model.rss == pytest.approx(((found - means) ** 2).sum(), rel=1e-6, abs=1e-9)
    assert (model.points, model.measurements) == (5, counts.sum())
    assert model.ranges == ((2.0, 32.0),)
    missing = 5 * width - int(counts.sum())
    assert any("missing" in note for note in model.notes) == (missing > 0)
    zeros = int((means == 0).sum())
    assert any("no relative error there" in note for note in model.notes) == (zeros > 0)
    falls_below = any("falls below 0" in note for note in model.notes)
    assert falls_below == (means.min() >= 0 and float(model.predict(128.0)) < 0)
    coefficients = len(model.terms)
    free = 5 - coefficients
    if means.var() > 1e-9 and free > 0:
        expected = 1 - ((found - means) ** 2).sum() / free / (((means - means.mean()) ** 2).sum() / 4)
        assert model.adjusted_r2 == pytest.approx(expected, rel=1e-6, abs=1e-6)
    if np.abs(means).min() < 0.1:
        return
    repeated = [(np.array(row) / mean - 1, mean) for row, mean in zip(rows, means, strict=True) if len(row) > 1]
    if repeated:
        pooled = sum(float((deviations**2).sum()) for deviations, _ in repeated) / float((counts - 1).sum())
        assert model.noise == pytest.approx(100 * np.sqrt(pooled), rel=1e-6, abs=1e-6)
    elif free > 0:
        expected = 100 * np.sqrt((counts * ((means - found) / means) ** 2).sum() / free)
        assert model.noise == pytest.approx(expected, rel=1e-6, abs=1e-4)


@pytest.mark.parametrize("values", [[1e-250, 1.0, 2.0, 3.0, 5.0], [-4.0, -2.0, 3.0, 20.0, 90.0], [3.0] * 5])
@pytest.mark.parametrize("method", sorted(METHODS))
def test_extreme_values_have_figures_or_none(values: list[float], method: str) -> None:
    """Figures are finite, or None where they are undefined, and computing them raises no warning."""
    model = fit(X, values, method=method)
    for figure in (model.smape, model.rss, model.noise, model.adjusted_r2):
        assert figure is None or np.isfinite(figure)
    assert (model.adjusted_r2 is None) == (len(set(values)) == 1)


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_value_beyond_all_others_is_refused(method: str, place: int) -> None:
    """A value whose square leaves the range of numbers beside usual ones is an error; those in a large unit are not."""
    values = [7.0, 19.0, 70.0, 250.0, 1030.0]
    assert fit(X, np.array(values) * 1e290, method=method).points == 5
    values[place] = 1e155
    with pytest.raises(MeasurementError, match=r"a value of quantity 0 is 1e\+155"):
        fit(X, values, method=method)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_result_states_the_settings_of_its_method(method: str) -> None:
    """A model states the settings that its method has, and no others."""
    stated = fit(X, [1.0, 2.0, 3.0, 5.0, 9.0], method=method).settings
    assert set(stated) - {"method", "aggregate"} == METHODS[method]
    assert stated["aggregate"] == ("robust" if method == "default" else "mean")
    for setting, value in {"strong_scaling": None, "local": True, "terms": 1, "criterion": "loo"}.items():
        assert stated.get(setting, value) == value
    assert settings_of(method).searches_falling == (method == "default")


def test_settings_and_sets_of_exponents() -> None:
    """Settings as texts, all settings of a method, sets of exponents, and terms without a number are golden rows."""
    calls = (parsed_settings, resolved_settings, exponent_set, exponents, columns, shown)
    check_calls("scaling-settings", *calls, SETS=SETS, FALLING=FALLING, WIDE=np.array([0.0, 1.0, 2.0, 1e200]))


def test_an_effect_that_no_function_fits_is_stated() -> None:
    """Values that differ on a line by more than their repetitions show an effect, although the model has none."""
    noise = 1 + 0.01 * np.random.default_rng(2).normal(size=(9, 5))
    values = np.array([500.0, 800, 1140, 1140, 1140, 1140, 1140, 1450, 1650])
    x = np.array([[40.0, 3], [50, 3], [60, 3], [70, 3], [80, 3], [60, 1], [60, 2], [60, 4], [60, 5]])
    model = fit(x, values[:, None] * noise, names=["x", "y"])
    assert not any(each for each in model.terms[0] if not each.is_constant)
    assert [note.partition(", although")[0] for note in model.notes[:2]] == [
        "the model has no effect of x",
        "the model has no effect of y",
    ]
    constant = fit(x, 500 * noise, names=["x", "y"])
    assert [note.partition(", where")[0] for note in constant.notes[:2]] == [
        "x shows no effect on its only line",
        "y shows no effect on its only line",
    ]


def test_wrong_sets() -> None:
    """A wrong set is an error that says what to give."""
    check_messages("exponents", lambda text: exponent_set(literal_eval(text)))


@examples(25)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 5), st.integers(0, 3), st.integers(1, 3), st.integers(0, 1))
def test_numbers_of_values(first: int, second: int, least: int, extend: int, start: int, single: int) -> None:
    """An axis has the wanted number of values, and the extension beyond; a single one has one more at least."""
    axes = [start * 2.0 ** np.arange(first), start + 3.0 * np.arange(second)][: 2 - single]
    points = np.array(np.meshgrid(*axes)).reshape(len(axes), -1).T
    found = candidate_axes(points, None, least, extend)
    for own, axis in zip(axes, found, strict=True):
        expected = max(len(own), least) + extend
        assert len(axis) == (max(expected, len(own) + 1) if single else expected)
        np.testing.assert_array_equal(axis[: len(own)], own)
        assert (np.diff(axis) > 0).all()
    assert candidate_axes(points, [[3.0, 1.0, 3.0]] * len(axes), least, extend)[0].tolist() == [1, 3]


AXES = "4, 8 16 32; 4 8, 16 32 64; 10 20 30, 40 50 60; 4 8 16, 32 64 128; 0, 1 2 3; 0 1 2, 3 4 5; 0.5 1 1.5, 2 2.5"


@pytest.mark.parametrize("axis", [*AXES.split("; "), "2 4 8 32, 64 128 256"])
def test_axes_keep_their_factor_or_step(axis: str) -> None:
    """Values are continued by their factor or by their step; one value is doubled, and 0 is followed by 1."""
    values, more = (np.array(part.split(), dtype=float) for part in axis.split(","))
    assert continued(values, len(more)).tolist() == pytest.approx([*values, *more])


@examples(25)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=8), st.integers(1, 3))
def test_measurements_in_one_form(rows: list[tuple[int, int]], repetitions: int) -> None:
    """Points are distinct and ascending, and have the values of all their rows, in the order of these."""
    values = np.arange(2.0 * len(rows) * repetitions).reshape(2, len(rows), repetitions)
    values[0, 0, 0] = np.nan
    values[0, :, -1] = 7
    found = quantities(np.array(rows, dtype=float), values)
    assert [tuple(point) for point in found.points.tolist()] == sorted(set(rows))
    for model in range(2):
        for point, own in zip(sorted(set(rows)), found.values[model], strict=True):
            expected = np.concatenate([values[model, row] for row, each in enumerate(rows) if each == point])
            np.testing.assert_array_equal(own[: len(expected)], expected)
            assert np.isnan(own[len(expected) :]).all()
    repeated = len(rows) - len(set(rows))
    assert any("a value of x and are used as repetitions" in note for note in found.notes) == (repeated > 0)
    assert len(found) == 2
    for array in (found.points, found.values):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


NAMES = ("p", "n", "g")
POINTS = st.sets(st.tuples(*[st.integers(1, 3)] * 3), min_size=1, max_size=12).map(
    lambda found: np.array(sorted(found), dtype=float)
)


def thrice(values: Array, squares: Array) -> Condensed:
    """Return values of three measurements each, with sums of squared deviations."""
    return Condensed(values[None], np.full((1, len(values)), 3), squares[None], np.zeros(1, dtype=int))


LINEAR, INVERSE, CONSTANT = exponents(1), exponents(-1), exponents(0)
LINE = {"p": (LINEAR, CONSTANT)}
INVERSES = {"p": (INVERSE, CONSTANT), "n": (CONSTANT, INVERSE)}


def calm(
    values: tuple[float, ...] = (1, 2, 3, 4),
    *,
    terms: Mapping[str, Product] = LINE,
    coefficient: float = 1.0,
    outliers: int = 0,
    smape: float = 1.0,
    misfit: float = 0.0,
    floored: bool = False,
    certainty: float = 0.9,
    **settings: Any,
) -> Lines:
    """Return the caveats of a good fit, but for some facts."""
    points = np.array([[2.0, 5.0], [2.0, 10.0], [8.0, 5.0], [8.0, 10.0]])
    measured = replace(thrice(np.array(values, dtype=float), np.zeros(4)), outliers=np.array([outliers]))
    products, number = tuple(terms.values()), len(terms)
    places = np.arange(number)[:, None] if number else np.full((1, 1), -1)
    none = np.zeros(0)
    plausible = CombinationShortlist(none, none, none, none, misfit)
    chosen = Selection(
        products, places, np.array([[5.0], *[[coefficient]] * max(number, 1)]), np.array([certainty]),
        np.array([floored]), (plausible,),
    )  # fmt: skip
    (found,) = about_fits(("p", "n"), points, measured, chosen, settings_of(**settings), np.array([smape]))
    return Lines("\n".join(found) or "none")


def test_caveats_about_fits() -> None:
    """A caveat is stated exactly where its fact holds, the gravest one first, as in the golden file."""
    check_calls("caveats-of-fits", calm, INVERSES=INVERSES)


def on_line(points: Array, at: int) -> list[Array]:
    """Return the lines of two points or more along a parameter, by brute force."""
    rows: dict[tuple[float, ...], list[int]] = {}
    for row, point in enumerate(points.tolist()):
        rows.setdefault((*point[:at], *point[at + 1 :]), []).append(row)
    return [np.array(each) for each in rows.values() if len(each) > 1]


@examples(25)
@given(POINTS, st.booleans())
@example(np.array([[1.0, 10.0, 1.0], [2.0, 20.0, 1.0], [2.0, 20.0, 3.0]]), False)
def test_caveats_about_points(points: Array, spread: bool) -> None:
    """Parameters with few values, without lines of five points, and that never change alone have a caveat."""
    if spread:
        points = np.vstack([points, [[value, 1, 1] for value in (4.0, 5.0, 6.0)]])
    expected = []
    for at, name in enumerate(NAMES):
        values = len(set(points[:, at].tolist()))
        line = max(map(len, on_line(points, at)), default=1)
        if values == 1:
            expected.append(f"only one value of {name} was measured: nothing is known about how it scales")
        elif values < 5:
            expected.append(f"only {values} values of {name} were measured: exponents are guesses; measure at least 5")
        elif line < 5:
            what = "no two points differ" if line == 1 else f"no more than {line} points differ"
            expected.append(f"{what} in {name} alone: its exponents are less certain than with a line of 5")
    for p, q in itertools.combinations(range(3), 2):
        pairs = {tuple(pair) for pair in points[:, [p, q]].tolist()}
        one, other = ({pair[i] for pair in pairs} for i in (0, 1))
        alone = any((a == c) != (b == d) for (a, b), (c, d) in itertools.combinations(pairs, 2))
        if not alone and len(one) > 1 and len(other) > 1:
            expected.append(
                f"{NAMES[p]} and {NAMES[q]} change together at all points, so that their effects cannot be told apart: "
                "measure points at which only one differs"
            )
    assert about_points(NAMES, points) == tuple(expected)


@examples(25)
@given(POINTS, st.permutations([LINEAR, exponents(2), CONSTANT]))
def test_sums_and_products_that_fit_the_same(points: Array, own: list[Exponents]) -> None:
    """A pair of parameters has a caveat where the product of its terms is a sum of them and a constant."""
    terms = [[CONSTANT] * 3] + [
        [each if at == place else CONSTANT for at in range(3)] for place, each in enumerate(own)
    ]
    p, q = (at for at, each in enumerate(own) if not each.is_constant)
    pairs = np.unique(points[:, [p, q]], axis=0)
    one, other = pairs[:, 0] ** float(own[p].power), pairs[:, 1] ** float(own[q].power)
    assume(len({*one}) > 1 and len({*other}) > 1)
    distinct = np.linalg.matrix_rank(np.column_stack([np.ones(len(pairs)), one, other, one * other])) == 4
    found = ambiguous(NAMES, points, terms)
    assert (not found) == distinct
    # The units of parameters change nothing.
    assert bool(ambiguous(NAMES, points * [1.0, 2.0**20, 2.0**-20], terms)) == bool(found)
    for text in found:
        assert text.startswith(f"a sum and a product of the terms of {NAMES[p]} and {NAMES[q]} cannot be told apart")
        where = text.partition("such as ")[2].split(" and ")
        for name, at, part in zip((NAMES[p], NAMES[q]), (p, q), where, strict=True):
            values, counts = np.unique(points[:, at], return_counts=True)
            rest = [value for value in values if value != values[counts.argmax()]]
            assert part == f"{name} = {min(rest):g}"
    assert ambiguous(NAMES[:1], points[:, :1], terms) == ()


@pytest.mark.parametrize("step", [0.0, 0.03, 2.0])
def test_parameters_without_effect_on_their_only_line(step: float) -> None:
    """A parameter that the model leaves out has a caveat, which depends on whether repetitions differ less."""
    points = np.array([[2.0, 1, 7], [4, 1, 7], [8, 1, 7], [2, 3, 7]])
    values = np.array([[1.0, 1.1, 0.9], [1 + step, 1.1 + step, 0.9 + step], [1.0, 1.05, 0.95], [5.0, 5.1, 4.9]])
    mean = values.mean(axis=1)
    measured = thrice(mean, ((values - mean[:, None]) ** 2).sum(axis=1))
    terms = [[CONSTANT, CONSTANT, CONSTANT], [CONSTANT, LINEAR, CONSTANT]]
    # Noise is relative, and nearly the same for values so close.
    differ = f_oneway(*values[:3]).pvalue < 1e-3
    assert differ == (step == 2.0)
    where = "n = 1"
    assert hidden(NAMES, points, terms, measured, 0) == (
        f"the model has no effect of p, although values differ along p by more than repetitions do, where {where}: no "
        "plausible function fits them; measure more values of p there"
        if differ
        else f"p shows no effect on its only line, where {where}: it may have one elsewhere; measure other values of p "
        "there",
    )
    both = np.vstack([points, [[4, 3, 7]]])
    assert hidden(NAMES, both, terms, measured, 0) == ()
    assert hidden(NAMES[:1], points[:, :1], [[CONSTANT]], measured, 0) == ()
    assert hidden(NAMES[:2], points[:3, :2], [[CONSTANT] * 2], measured, 0) == ()


def test_caveats_of_fits() -> None:
    """A fit has the caveats of its points, and those of its values."""
    found = fit([[2.0, 1.0], [4.0, 1.0], [8.0, 1.0]], [3.0, 3.0, 3.0], names=["p", "n"])
    assert set(found.notes) == {
        "only 3 values of p were measured: exponents are guesses; measure at least 5",
        "only one value of n was measured: nothing is known about how it scales",
    }
