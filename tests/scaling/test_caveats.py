"""Caveats: exact texts, and the conditions for them by brute force."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import f_oneway

from splc.scaling import fit
from splc.scaling.caveats import about_fit, about_points, ambiguous, hidden
from splc.scaling.exponents import Exponents, exponents
from splc.scaling.noise import Condensed
from splc.types import Array
from tests.support.examples import examples

NAMES = ("p", "n", "g")
POINTS = st.sets(st.tuples(*[st.integers(1, 3)] * 3), min_size=1, max_size=12).map(
    lambda found: np.array(sorted(found), dtype=float)
)


def calm(**facts: Any) -> tuple[str, ...]:
    """Return the caveats of a good fit, but for some facts."""
    usual: dict[str, Any] = {
        "outliers": 0,
        "weighted": False,
        "smape": 1.0,
        "positive": True,
        "zeros": 0,
        "floored": False,
        "certainty": 0.9,
        "ends_below": False,
        "constant": False,
        "falling": (),
        "rising": (),
        "local": False,
    }
    return about_fit(("p", "n"), np.array([[2.0, 10.0], [8.0, 5.0]]), **{**usual, **facts})


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({}, None),
        ({"ends_below": True}, "no measured value is negative, but the model falls below 0 before p = 32, n = 40"),
        ({"outliers": 1}, "1 repetition far from the others: try aggregate='robust'"),
        ({"outliers": 2, "weighted": True}, "2 repetitions far from the others, with little or no weight"),
        ({"smape": 10.0}, None),
        ({"smape": 10.6}, "the model misses the measured values by 11 % on average"),
        (
            {"local": True},
            "residuals of neighbouring points are alike: "
            "the model fits the points near the largest values best",
        ),
        ({"zeros": 1}, "1 value is 0: no relative error there"),
        ({"zeros": 2}, "2 values are 0: no relative error there"),
        ({"floored": True}, "noise looks as large for small values as for large ones, and small ones count less"),
        ({"floored": True, "positive": False}, None),
        ({"falling": ("p",)}, "values fall as p grows, so that negative powers were searched"),
        ({"falling": ("p", "n")}, "values fall as p and n grow, so that negative powers were searched"),
        ({"rising": ("p",)}, "values fall as p grows, but negative powers were not searched (strong_scaling=True)"),
        ({"rising": ("p",), "constant": True}, None),
        ({"certainty": 0.5}, None),
        ({"certainty": None}, None),
        ({"certainty": 0.494}, "the lead term is not certain (probability 0.49); others fit about as well"),
    ],
)  # fmt: skip
def test_caveats_about_fits(facts: dict[str, Any], text: str | None) -> None:
    """A caveat is stated exactly where its fact holds."""
    assert calm(**facts) == (() if text is None else (text,))


def test_the_gravest_caveat_is_first() -> None:
    """Several caveats are in the order of their weight."""
    facts = {"ends_below": True, "outliers": 1, "smape": 50.0, "local": True, "zeros": 1, "floored": True}
    found = calm(**facts, falling=("p",), rising=("n",), constant=True, certainty=0.1)
    starts = ["no", "1", "the", "residuals", "1", "noise", "values", "values", "the"]
    assert [text.split()[0] for text in found] == starts
    # A constant that fits badly may fall.
    assert found[7].startswith("values fall as n grows, but")


def on_line(points: Array, at: int) -> list[Array]:
    """Return the lines of two points or more along a parameter, by brute force."""
    rows: dict[tuple[float, ...], list[int]] = {}
    for row, point in enumerate(points.tolist()):
        rows.setdefault((*point[:at], *point[at + 1 :]), []).append(row)
    return [np.array(each) for each in rows.values() if len(each) > 1]


@examples(25)
@given(POINTS, st.booleans())
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


LINEAR, CONSTANT = exponents(1), exponents(0)


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


def thrice(values: Array, squares: Array) -> Condensed:
    """Return values of three measurements each, with sums of squared deviations."""
    return Condensed(values[None], np.full((1, len(values)), 3), squares[None], np.zeros(1, dtype=int))


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


@pytest.mark.parametrize("count", [2, 3, 4])
def test_values_differ_as_in_an_analysis_of_variance(count: int) -> None:
    """Values on a line differ where an analysis of variance has a probability below 0.1 %, whatever their number."""
    points = np.array([[2.0**at, 1] for at in range(count)] + [[2, 3]])
    noise, differs, expected = np.array([-1e-3, 0.0, 1e-3]), [], []
    for step in np.linspace(0, 1e-2, 60):
        values = 1 + step * np.arange(count + 1)[:, None] + noise
        mean = values.mean(axis=1)
        squares = ((values - mean[:, None]) ** 2).sum(axis=1)
        measured = thrice(mean, squares)
        (found,) = hidden(NAMES[:2], points, [[CONSTANT] * 2, [CONSTANT, LINEAR]], measured, 0)
        differs.append(found.startswith("the model has no effect of p, although values differ"))
        expected.append(bool(f_oneway(*values[:count]).pvalue < 1e-3))
    # Noise is relative, and nearly the same for values so close.
    assert abs(sum(differs) - sum(expected)) <= 1
    assert 5 < sum(expected) < 55


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize(("step", "differs"), [(1e-13, False), (1e-9, True)])
def test_differences_of_rounding(unit: float, step: float, differs: bool) -> None:
    """Values whose repetitions are equal differ if they do by more than rounding, in any unit."""
    points = np.array([[2.0, 1], [4, 1], [8, 1], [2, 3]])
    values = unit * np.array([1.0, 1 + step, 1 - step, 5.0])
    measured = thrice(values, np.zeros(4))
    (found,) = hidden(NAMES[:2], points, [[CONSTANT] * 2, [CONSTANT, LINEAR]], measured, 0)
    assert found.startswith("the model has no effect of p, although values differ" if differs else "p shows no effect")


def test_zeros_do_not_differ() -> None:
    """Values on a line that are all 0 do not differ."""
    points = np.array([[2.0, 1], [4, 1], [8, 1], [2, 3]])
    values = np.array([0.0, 0.0, 0.0, 5.0])
    measured = thrice(values, np.zeros(4))
    (found,) = hidden(NAMES[:2], points, [[CONSTANT] * 2, [CONSTANT, LINEAR]], measured, 0)
    assert found.startswith("p shows no effect")


def test_caveats_of_fits() -> None:
    """A fit has the caveats of its points, and those of its values."""
    found = fit([[2.0, 1.0], [4.0, 1.0], [8.0, 1.0]], [3.0, 3.0, 3.0], names=["p", "n"])
    assert set(found.notes) == {
        "only 3 values of p were measured: exponents are guesses; measure at least 5",
        "only one value of n was measured: nothing is known about how it scales",
    }
