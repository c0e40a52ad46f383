"""The default learner's parts: its fits, its evidence, its repetitions and its intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import digamma
from scipy.stats import chi2

from casestudies.scaling_evaluation.single_functions import LEARNERS, evaluate
from splc.scaling import fit_many
from splc.scaling.data import condensed
from splc.scaling.evidence import ANY_SCALE, BANK, FREEDOM, noise_evidence

X = np.array([2.0, 4.0, 8.0, 16.0, 32.0])


@pytest.mark.parametrize("repetitions", [1, 3])
@pytest.mark.parametrize("free", [1, 3, 4])
@pytest.mark.parametrize("squares", [1e-8, 1e-3, 0.5])
def test_evidence_is_the_integral_over_the_noise(squares: float, free: int, repetitions: int) -> None:
    """The log evidence is the log of the normal likelihood integrated over the prior of the noise of means."""
    values = 1 + 0.01 * np.random.default_rng(1).normal(size=(1, 5, repetitions))
    found = condensed(values, "mean")
    evidence = noise_evidence(found, found.values)
    parts = [(scale, FREEDOM, share) for scale, share in zip(np.exp(BANK), evidence.shares[0], strict=True)]
    if repetitions > 1:
        parts.append((evidence.implied[0], evidence.freedom[0], float(evidence.within[0, 0])))
    centers, freedoms, shares = np.array(parts, dtype=float).T
    assert shares.sum() == pytest.approx(1)

    def integrand(log_sigma: float) -> float:
        sigma = np.exp(log_sigma)
        scales = freedoms * centers**2 / sigma**2
        prior = ANY_SCALE * evidence.shares.sum() + (shares * 2 * scales * chi2.pdf(scales, freedoms)).sum()
        return float(prior * (2 * np.pi * sigma**2) ** (-free / 2) * np.exp(-squares / (2 * sigma**2)))

    low = 0.5 * np.log(squares) - 4
    peaks = [peak for peak in np.log(centers).tolist() if peak > low]
    total = quad(integrand, low, 12, points=[*peaks, 0.5 * np.log(squares)], limit=400)[0]
    # The tables are interpolated linearly, with differences of up to 0.0055 where noise is large.
    assert float(evidence.judged(np.array([squares]), free)[0][0]) == pytest.approx(np.log(total), abs=5e-3)


@pytest.mark.parametrize("repetitions", [1, 3])
@pytest.mark.parametrize("free", [1, 4])
@pytest.mark.parametrize("squares", [1e-6, 3e-3, 0.5])
def test_moments_are_those_of_the_posterior_of_the_noise(squares: float, free: int, repetitions: int) -> None:
    """The distribution of the noise's variance has the mean and variance of its logarithm, integrated numerically."""
    values = 1 + 0.02 * np.random.default_rng(1).normal(size=(1, 5, repetitions))
    found = condensed(values, "mean")
    evidence = noise_evidence(found, found.values)
    parts = [(np.exp(BANK), np.full(len(BANK), FREEDOM), evidence.shares[0])]
    if repetitions > 1:
        parts.append((evidence.implied, evidence.freedom, evidence.within[0]))
    centers, freedoms, shares = (np.concatenate(each)[:, None] for each in zip(*parts, strict=True))
    logs = np.linspace(-40, 40, 8_001)
    scales = freedoms * centers**2 / np.exp(logs)
    prior = (shares * scales * chi2.pdf(scales, freedoms)).sum(axis=0) + ANY_SCALE * evidence.shares.sum() / 2
    density = prior * np.exp(-free / 2 * logs - squares / 2 * np.exp(-logs))
    density /= density.sum()
    mean = float(density @ logs)
    variance = float(density @ (logs - mean) ** 2)
    size, freedom, _ = (float(each[0]) for each in evidence.moments(np.array([squares]), np.array([free])))
    assert np.log(size * freedom / 2) - float(digamma(freedom / 2)) == pytest.approx(mean, abs=2e-3)
    # The trigamma function is nearly 1 / x + 1 / (2 x^2).
    assert 2 / freedom + 2 / freedom**2 == pytest.approx(variance, rel=1e-3)


@pytest.mark.parametrize("number", [15, pytest.param(120, marks=pytest.mark.slow)])
def test_coverage_of_intervals(number: int) -> None:
    """Intervals of 90 % hold a new measurement at four times the largest x in about 90 % of all cases or more."""
    scores = evaluate({"default": LEARNERS["default"]}, number=number, seed=11, intervals=True)
    covered = [score.covered for score in scores if score.covered is not None]
    assert len(covered) == len(scores)
    # In all classes together; in each of them if it has enough cases.
    assert np.mean(covered) > 85
    assert number < 120 or min(covered) > 85


def test_intervals_widen_with_level_and_distance() -> None:
    """Intervals contain the prediction, grow with the level, and relative to the prediction with the distance."""
    rng = np.random.default_rng(5)
    for model in fit_many(X, (5 + X**1.5) * (1 + rng.uniform(-0.02, 0.02, (10, 5)))):
        far = np.array([64.0, 256.0, 4096.0])
        center = model.predict(far)
        narrow, wide = model.interval(far, 0.5), model.interval(far, 0.99)
        assert (wide[0] <= narrow[0]).all()
        assert (narrow[0] <= center).all()
        assert (center <= narrow[1]).all()
        assert (narrow[1] <= wide[1]).all()
        assert (np.diff((wide[1] - wide[0]) / center) > 0).all()


def test_noise_that_grows_is_extrapolated() -> None:
    """Intervals hold beyond the measured points if the relative noise grows, by 0.01 times the root of x."""
    rng = np.random.default_rng(12)
    x = np.append(X, [64.0, 128.0])[:, None]
    values = (5 + 3 * x) * (1 + 0.01 * np.sqrt(x) * rng.normal(size=(200, 7, 5)))
    models = fit_many(X, values[:, :5])
    bounds = np.array([model.interval([64.0, 128.0]) for model in models])
    held = (bounds[:, 0] <= values[:, 5:, 0]) & (values[:, 5:, 0] <= bounds[:, 1])
    assert (held.mean(axis=0) > 0.8).all()
