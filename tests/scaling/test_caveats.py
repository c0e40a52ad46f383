"""Caveats, and the conditions for them by brute force."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.stats import f_oneway

from splc.scaling import fit
from splc.scaling.caveats import about_fits, about_points, ambiguous, hidden
from splc.scaling.data import Condensed
from splc.scaling.exponents import Exponents, Product, exponents
from splc.scaling.methods import settings_of
from splc.scaling.selection import CombinationShortlist, Selection
from splc.types import Array
from tests.support.examples import examples
from tests.support.golden_messages import Lines, check_calls

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
