"""The posterior of the hypotheses of one parameter, and its least squares, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from splc.scaling import fit, fit_many
from splc.scaling.data import condensed
from splc.scaling.evidence import FLOORED, GROWING, RELATIVE, noise_evidence, noise_scales
from splc.scaling.exponents import columns
from splc.scaling.single import posterior, space
from splc.types import Array
from tests.scaling.test_prior import stated

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
