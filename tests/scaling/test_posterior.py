"""The prior and the posterior of scaling models, and mixtures of several of them."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import norm

from splc.scaling import ScalingModel, fit, fit_many
from splc.scaling.data import condensed
from splc.scaling.evidence import FLOORED, GROWING, RELATIVE, noise_evidence, noise_scales
from splc.scaling.exponents import columns
from splc.scaling.intervals import mixture_intervals
from splc.scaling.single import HypothesisSpace, posterior, space
from splc.types import Array
from tests.support.examples import examples
from tests.support.paths import ROOT

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


X = np.array([2.0, 4.0, 8.0, 16.0, 32.0, 64.0])


def noisy(points: int, repetitions: int) -> Array:
    """Return values of a quantity that rises, with noise, shape (points, repetitions)."""
    rng = np.random.default_rng(points)
    x = X[:points, None]
    return np.asarray((1 + 0.02 * x * np.log2(x)) / 9 * (1 + 0.03 * rng.normal(size=(points, repetitions))))


@pytest.mark.parametrize("kind", [RELATIVE, FLOORED, GROWING])
@pytest.mark.parametrize(("points", "repetitions"), [(1, 1), (2, 1), (3, 4), (4, 1), (6, 3)])
def test_log_weights_are_prior_times_evidence(points: int, repetitions: int, kind: int) -> None:
    """Fits are those of `lstsq`; log weights add prior, evidence, and the share of its range each coefficient uses."""
    x = X[:points]
    measured = condensed(noisy(points, repetitions)[None], "mean")
    among = space(x, True)
    found = posterior(among, measured, np.array([0]), kind)
    evidence = noise_evidence(measured, noise_scales(measured.values, kind, x))
    [negative, per_point] = stated("a negative value at four or eight times the largest point")
    [price] = stated("a coefficient that is certainly negative")
    [decided, high, low] = stated("a fit that the largest point decides alone")
    far = np.vstack([columns(among.terms, np.array([4, 8]) * x[-1]), [1.0, 1.0]])
    known = np.vstack([columns(among.terms, x), np.ones(points)]) * evidence.weights
    lengths, z = np.linalg.norm(known, axis=1), (measured.values * evidence.weights)[0]
    checked, leverages = set(), [0.0]
    for at, size in enumerate(found.sizes.tolist()):
        terms = [place for place in (int(found.rows["first"][at]), int(found.rows["second"][at])) if place >= 0]
        with_constant = size > len(terms)
        used = [-1] * with_constant + terms
        design = (known[used] / lengths[used][:, None]).T
        gram = design.T @ design
        if np.linalg.cond(gram) > 1e6:
            continue
        checked.add((len(terms), with_constant))
        judged, noise = evidence.judged(found.squares[at], points - size)
        expected = float(among.log_prior[at] + judged[0] + evidence.density[0] - 0.5 * np.log(np.linalg.det(gram)))
        values = found.coefficients[[0] * with_constant + list(range(1, len(terms) + 1)), at, 0] * lengths[used]
        assert values == pytest.approx(np.linalg.lstsq(design, z, rcond=None)[0], rel=1e-6, abs=1e-9)
        assert found.squares[at, 0] == pytest.approx(float(((design @ values - z) ** 2).sum()), rel=1e-6, abs=1e-20)
        units = np.sqrt(np.diag(np.linalg.inv(gram)))
        if terms:
            leverage = design[-1] @ np.linalg.inv(gram) @ design[-1]
            expected += np.log(decided) * float(np.clip((leverage - low) / (high - low), 0, 1))
            leverages.append(leverage)
        if min((values / lengths[used]) @ far[used]) < 0:
            expected += np.log(min(negative, per_point**points))
        for value, unit in zip(values.tolist(), units.tolist(), strict=True):
            error = unit * float(noise[0])
            likely = max(norm.cdf(value / error), price)
            expected += np.log(np.sqrt(2 * np.pi) * likely / (5 * np.log(10) * max(abs(value), error, 1e-3)))
        assert float(found.log_weights[at, 0]) == pytest.approx(expected, abs=1e-6), (terms, with_constant)
    every = {1: 1, 2: 2, 3: 4, 4: 5, 6: 5}[points]
    assert (low < np.array(leverages)).sum() >= (0 if points < 3 else 10)
    assert checked == set([(0, True), (1, False), (1, True), (2, False), (2, True)][:every])


def test_the_largest_point_alone_does_not_show_a_steep_term() -> None:
    """A deviation of the largest point gives no steep term with noise; exact data show such a term."""
    x = 4.0 ** np.arange(3, 9)
    rng = np.random.default_rng(1)
    true = np.sqrt(x)
    noisy_ones = true * (1 + 0.03 * rng.normal(size=(60, 6)))
    noisy_ones[:, -1] = true[-1] * 1.1
    models = fit_many(x, noisy_ones[:, :, None])
    far = np.array([model.predict(4 * x[-1]) / np.sqrt(4 * x[-1]) for model in models])
    assert (far < 1.5).mean() >= 0.75
    steep = fit(x, true + 1e-13 * x**3)
    assert steep.predict(4 * x[-1]) == pytest.approx(np.sqrt(4 * x[-1]) + 1e-13 * (4 * x[-1]) ** 3, rel=1e-6)


SEEDS = st.integers(0, 10_000)
LEVELS = st.sampled_from([0.5, 0.9, 0.99])
GRID = np.array([(p, n) for p in (2.0, 4.0, 8.0, 16.0) for n in (10.0, 20.0, 40.0)])


def series(seed: int) -> ScalingModel:
    """Return the model of a random series of one parameter, with or without repetitions."""
    rng = np.random.default_rng(seed)
    x = 2.0 ** np.arange(rng.integers(0, 2), rng.integers(4, 8))
    values = 10 ** rng.uniform(-2, 3) + 10 ** rng.uniform(-2, 3) * x ** rng.choice([-1, 0, 0.5, 1, 2])
    noise = rng.choice([1e-6, 0.01, 0.05]) * rng.normal(size=(len(x), rng.choice([1, 3])))
    return fit(x, values[:, None] * (1 + noise))


def grid(seed: int) -> ScalingModel:
    """Return the model of random measurements of two parameters."""
    rng = np.random.default_rng(seed)
    values = 10 ** rng.uniform(-1, 2) + GRID[:, 0] ** rng.choice([0, 0.5, 1]) * GRID[:, 1]
    return fit(GRID, values[:, None] * (1 + 0.03 * rng.normal(size=(len(GRID), 2))))


def student(freedoms: Array, t: Array) -> Array:
    """Return Student's distribution function, approximated by the normal one."""
    normal = (8 * freedoms + 1) / (8 * freedoms + 3) * np.sqrt(freedoms * np.log1p(t * t / freedoms))
    return np.asarray(ndtr(np.sign(t) * normal))


def exceeded(model: ScalingModel, x: Array, level: float) -> list[float]:
    """Return the probabilities of being below and above the interval at one point."""
    assert model.uncertainty is not None
    found = model.uncertainty.plausible
    means, errors = found.predictions(model.uncertainty.columns_of(x[None]))
    number = np.array([len(means)])
    bounds = mixture_intervals(found.log_weights, means, errors, found.freedoms, means[:1], level, number)
    weights = np.exp(found.log_weights - np.logaddexp.reduce(found.log_weights))
    away = [side * (bound - means[:, 0]) / errors[:, 0] for (bound,), side in zip(bounds, (1, -1), strict=True)]
    return [float(weights @ student(found.freedoms, each)) for each in away]


@examples(20)
@given(seed=SEEDS, factor=st.sampled_from([0.25, 1.0, 4.0]), level=LEVELS)
@example(seed=100, factor=4.0, level=0.99)  # a last step from further away is not precise there
def test_bounds_are_exceeded_as_often_as_said(seed: int, factor: float, level: float) -> None:
    """The share of the distributions beyond each bound is that of the tail, for one parameter and for products."""
    for model in (series(seed), grid(seed % 100)):
        highest = np.array([high for _, high in model.ranges])
        assert exceeded(model, factor * highest, level) == pytest.approx([(1 - level) / 2] * 2, rel=5e-6)


@pytest.mark.parametrize("y", [[3.0, 5.0, 9.0], [3.0, 5.2, 9.1, 16.0, 33.0]])
def test_points_so_far_away_that_spreads_overflow(y: list[float]) -> None:
    """A prediction that is finite where variances are not has no interval, and no error."""
    model = fit(2.0 ** np.arange(1, 1 + len(y)), y)
    assert np.isfinite(model.predict(1e200))
    assert not np.isfinite(model.interval(1e200)).any()
