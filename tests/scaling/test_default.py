"""The default learner's parts: its fits, its evidence, its repetitions and its intervals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import digamma
from scipy.stats import chi2

from casestudies.scaling_evaluation.single_functions import LEARNERS, evaluate
from splc.scaling import fit, fit_many
from splc.scaling.data import condensed, repetition_weights
from splc.scaling.evidence import ANY_SCALE, BANK, FLOORED, FREEDOM, noise_evidence
from splc.scaling.result import predictions
from splc.scaling.selection import Shortlist

X = np.array([2.0, 4.0, 8.0, 16.0, 32.0])
SQUARE = (Fraction(2), Fraction(0))


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


@pytest.mark.parametrize("counts", [(1, 1, 1), (3, 3, 3), (4, 2, 1)])
def test_the_density_of_repetitions_has_their_unit(counts: tuple[int, ...]) -> None:
    """Values in another unit have a density that is smaller by the unit for each repetition."""
    values = 1 + 0.01 * np.random.default_rng(2).normal(size=(1, 3, 4))
    values[0][np.arange(4) >= np.array(counts)[:, None]] = np.nan

    def density(unit: float) -> float:
        found = condensed(values * unit, "mean")
        return float(noise_evidence(found, found.values).density[0])

    assert density(1000.0) - density(1.0) == pytest.approx(-sum(counts) * np.log(1000.0))


def test_noise_that_repetitions_share_is_seen() -> None:
    """Points that deviate by 4 % in all repetitions, which agree within 0.5 %, are no effect of the parameter."""
    rng = np.random.default_rng(7)
    values = (1 + 0.04 * rng.normal(size=(100, 5)))[:, :, None] * (1 + 0.005 * rng.normal(size=(100, 5, 5)))
    models = fit_many(X, values)
    assert sum(not model.lead for model in models) > 90
    new = 1 + 0.04 * rng.normal(size=100)
    held = [
        bool(low <= value <= high) for value, (low, high) in zip(new, (m.interval(9.0) for m in models), strict=True)
    ]
    assert sum(held) > 80


def test_data_without_noise_are_recognised_among_close_hypotheses() -> None:
    """Without noise exponents as close as 6/5 and 5/4 are told apart, with a constant and without."""
    for power in (6 / 5, 5 / 4):
        for constant in (0.0, 100.0):
            model = fit(X, constant + 0.01 * X**power)
            assert float(model.lead["x"][0]) == pytest.approx(power)
            assert model.certainty == pytest.approx(1)


@pytest.mark.parametrize("power", [4, 5, Fraction(7, 2)])
def test_high_powers_are_found(power: int | Fraction) -> None:
    """Powers above 3 are rare, and found where measurements show them."""
    rng = np.random.default_rng(8)
    values = (10 + X ** float(power)) * (1 + rng.uniform(-0.01, 0.01, 5))
    assert fit(X, values).lead == {"x": (Fraction(power), Fraction(0))}


def test_an_outlier_has_no_weight() -> None:
    """One of four repetitions ten times too large changes only the notes; other methods only note it."""
    rng = np.random.default_rng(1)
    y = (3 * X**2)[:, None] * (1 + rng.uniform(-0.02, 0.02, (5, 4)))
    y[1, 2] *= 10
    model = fit(X, y)
    assert model.lead == {"x": SQUARE}
    assert float(model.predict(128)) == pytest.approx(3 * 128**2, rel=0.02)
    assert any("1 repetition far from the others, with little or no weight" in note for note in model.notes)
    assert any("1 repetition far from the others" in note for note in fit(X, y, method="basic").notes)
    assert fit(X, y, method="basic", aggregate="robust").lead == {"x": SQUARE}


def test_normal_noise_has_few_outliers() -> None:
    """Fewer than one in a thousand normally distributed repetitions is an outlier."""
    values = 1 + 0.05 * np.random.default_rng(2).normal(size=(500, 5, 4))
    assert (repetition_weights(values) < 0.5).mean() < 1e-3


@pytest.mark.parametrize("aggregate", ["mean", "median", "minimum", "maximum"])
def test_repetitions_are_condensed_as_asked(aggregate: str) -> None:
    """Each way to condense repetitions gives the model of the values it gives."""
    rng = np.random.default_rng(4)
    y = (5 + X)[:, None] * (1 + rng.uniform(-0.02, 0.02, (5, 3)))
    condense: Any = {"mean": np.mean, "median": np.median, "minimum": np.min, "maximum": np.max}[aggregate]
    model = fit(X, y, method="basic", aggregate=aggregate)
    assert model.coefficients == pytest.approx(fit(X, condense(y, axis=1), method="basic").coefficients)


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


@pytest.mark.parametrize("method", ["default", "extrap"])
def test_intervals_of_many_models_are_those_of_each(method: str) -> None:
    """Models whose intervals are found together have the intervals that each of them has."""
    rng = np.random.default_rng(9)
    values = (5 + X ** rng.uniform(-1, 2, (15, 1)))[:, :, None] * (1 + 0.03 * rng.normal(size=(15, 5, 3)))
    models = (*fit_many(X, values, method=method), fit(X, 3 * X, method=method), fit(X[1:], 3 + X[1:], method=method))
    points = [{"x": value} for value in (5.0, 64.0, 512.0)]
    for model, found in zip(models, predictions(models, points), strict=True):
        lower, upper = model.interval([5.0, 64.0, 512.0])
        assert [each.lower for each in found] == pytest.approx(lower.tolist(), rel=5e-3, abs=1e-3)
        assert [each.upper for each in found] == pytest.approx(upper.tolist(), rel=5e-3, abs=1e-3)
        assert [each.predicted for each in found] == pytest.approx(model.predict([5.0, 64.0, 512.0]).tolist())


@pytest.mark.parametrize("noise", [0.003, 0.1])
def test_the_choice_out_of_the_plausible_hypotheses(noise: float) -> None:
    """The most plausible one; with large noise the nearest to the median at four times x, of those about as plausible.

    Noise is large where partly absolute noise is among the hypotheses.
    """
    rng = np.random.default_rng(13)
    large = 0
    for model in fit_many(X, (5 + X**1.3) * (1 + noise * rng.normal(size=(30, 5)))):
        assert model.uncertainty is not None
        assert isinstance(model.uncertainty.shortlist, Shortlist)
        found = model.uncertainty.plausible
        values = found.predictions(np.array([[4 * X[-1]]]))[0][:, 0] * model.uncertainty.unit
        weights = np.exp(found.log_weights)
        order = np.argsort(values)
        median = values[order][np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)]
        noisy = bool((model.uncertainty.shortlist.rows["noise"] == FLOORED).any())
        likely = values[weights >= (0.7 if noisy else 1.0) * weights.max()]
        nearest = likely[np.abs(likely - median).argmin()]
        assert float(model.predict(4 * X[-1])) == pytest.approx(nearest, rel=1e-6)
        large += noisy
    assert large == 0 if noise < 0.03 else large > 20


def test_noise_that_grows_is_extrapolated() -> None:
    """Intervals hold beyond the measured points if the relative noise grows, by 0.01 times the root of x."""
    rng = np.random.default_rng(12)
    x = np.append(X, [64.0, 128.0])[:, None]
    values = (5 + 3 * x) * (1 + 0.01 * np.sqrt(x) * rng.normal(size=(200, 7, 5)))
    models = fit_many(X, values[:, :5])
    bounds = np.array([model.interval([64.0, 128.0]) for model in models])
    held = (bounds[:, 0] <= values[:, 5:, 0]) & (values[:, 5:, 0] <= bounds[:, 1])
    assert (held.mean(axis=0) > 0.8).all()


def test_absolute_noise_is_recognised() -> None:
    """Most quadratic terms are found with noise that is as large for small values as for large ones."""
    rng = np.random.default_rng(6)
    values = 1 + X**2 + rng.normal(0, 5, (200, 5))
    models = fit_many(X, values)
    assert np.mean([model.lead == {"x": SQUARE} for model in models]) > 0.8
    assert any("noise looks as large for small values" in note for model in models for note in model.notes)
