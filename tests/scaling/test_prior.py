"""The prior of the hypotheses, as docs/decisions/0014-scaling-prior.md states it."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from splc.scaling.single import HypothesisSpace, space
from tests.support.paths import ROOT

X = np.array([2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
NUMBER = r"\d+(?:\.\d+)?"

Power = tuple[Fraction, Fraction]


@cache
def page() -> str:
    """Return the text of the page."""
    return (ROOT / "docs" / "decisions" / "0014-scaling-prior.md").read_text(encoding="utf-8")


def stated(row: str) -> list[float]:
    """Return the numbers of a table's row on the page."""
    cells = re.findall(rf"^\| {re.escape(row)} \| (.*) \|$", page(), re.MULTILINE)
    [numbers] = {tuple(map(float, re.findall(NUMBER, cell))) for cell in cells}
    return list(numbers)


def stated_terms() -> dict[Power, float]:
    """Return the terms with the weights of the page."""
    none = Fraction(0)
    by_bottom = dict(zip((2, 3, 4, 5), stated("halves, thirds, quarters, fifths"), strict=True)) | {
        1: stated("x, x^2, x^3")[0]
    }
    found = {
        (Fraction(top, bottom), none): weight
        for bottom, weight in by_bottom.items()
        for top in range(1, 3 * bottom + 1)
        if Fraction(top, bottom).denominator == bottom
    }
    high = (Fraction(4), Fraction(5), Fraction(7, 2), Fraction(9, 2))
    found |= dict(zip(itertools.product(high, [none]), stated("x^4, x^5, x^(7/2), x^(9/2)"), strict=True))
    found |= dict(zip([(none, Fraction(1)), (none, Fraction(2))], stated("log(x), log(x)^2"), strict=True))
    found |= {(none, Fraction(each, 2)): stated("log(x)^(1/2), log(x)^(3/2)")[0] for each in (1, 3)}
    one, two, *times = stated("x^i log(x), x^i log(x)^2")
    for text in ("1/4", "1/3", "1/2", "2/3", "3/4", "1", "5/4", "4/3", "3/2", "2", "5/2", "3"):
        power = Fraction(text)
        for log, weight in ((1, one), (2, two)):
            found[power, Fraction(log)] = weight * times[power.denominator - 1]
    return found


def shares(among: HypothesisSpace) -> tuple[dict[Power, float], dict[frozenset[Power], float]]:
    """Return the probabilities of single terms and of pairs, which have a constant as the page states."""
    [alone] = stated("no constant")
    found: dict[frozenset[Power], list[float]] = {}
    for row, log_prior in zip(among.rows, among.log_prior.tolist(), strict=True):
        terms = frozenset(tuple(among.terms[at]) for at in (row["first"], row["second"]) if at >= 0)
        share = 1.0 if not terms else 1 - alone if row["constant"] else alone
        found.setdefault(terms, []).append(float(np.exp(log_prior)) / share)
    for both in found.values():
        assert both == pytest.approx([both[0]] * len(both))
    single = {term: each[0] for terms, each in found.items() if len(terms) == 1 for term in terms}
    return single, {terms: each[0] for terms, each in found.items() if len(terms) == 2}


def test_terms_of_one_parameter() -> None:
    """Terms have the probabilities that the page states, and all hypotheses together the probability 1."""
    weights = stated_terms()
    [constant], [two, least] = stated("a constant"), stated("two terms")
    single, double = shares(space(X, False))
    total = sum(weights.values())
    assert single == {
        each: pytest.approx((1 - constant) * (1 - two) * weight / total) for each, weight in weights.items()
    }
    paired = [
        each
        for each, weight in weights.items()
        if weight >= least and (0 in each or each == (Fraction(1), Fraction(1)))
    ]
    product = {frozenset(pair): weights[pair[0]] * weights[pair[1]] for pair in itertools.combinations(paired, 2)}
    whole = sum(product.values())
    assert double == {each: pytest.approx((1 - constant) * two * weight / whole) for each, weight in product.items()}
    assert sum(single.values()) + sum(double.values()) + constant == pytest.approx(1)
