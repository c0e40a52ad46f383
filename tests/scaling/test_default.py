"""The default method of scaling models: what it finds, its predictions, and the answers of its models."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import digamma
from scipy.stats import chi2

from casestudies.scaling_evaluation.single_functions import LEARNERS, evaluate
from splc.errors import ConfigurationError
from splc.scaling import ScalingModel, fit, fit_many, suggest
from splc.scaling.data import condensed
from splc.scaling.evidence import ANY_SCALE, BANK, FREEDOM, noise_evidence
from splc.scaling.result import intervals_of, predictions
from splc.types import Array
from tests.support.golden_messages import Lines, check_calls, shown

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


POINTS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0])
FALLING = np.where(POINTS <= 16, 100 / POINTS, 6 + 0.2 * POINTS)


def test_predictions_of_many_models_are_those_of_each() -> None:
    """Models with and without segments, and of other parameters, have the predictions and intervals of each alone."""
    noise = 1 + 0.01 * np.random.default_rng(0).normal(size=len(POINTS))
    models = [
        fit(POINTS, (3 + 2 * POINTS) * noise),
        fit(POINTS, FALLING * noise, segmented=True),
        fit(POINTS, 5 * np.sqrt(POINTS) * noise, names="n"),
        fit(POINTS, 100 / POINTS * noise),
        fit(POINTS, 7 + 0 * POINTS, method="basic"),
    ]
    assert [model.below is not None for model in models] == [False, True, False, False, False]
    points = [{"x": value, "n": 2 * value} for value in (0.0, 3.0, 8.0, 1000.0)]
    for model, found in zip(models, predictions(models, points), strict=True):
        for point, each in zip(points, found, strict=True):
            at = point[model.names[0]]
            assert each.at == {model.names[0]: at}
            assert each.distance == model.distance(at)
            if at == 0 and model in (models[1], models[3]):
                assert (each.predicted, each.lower, each.upper) == (None, None, None)
                continue
            assert each.predicted == pytest.approx(float(model.predict(at)))
            low, high = model.interval(at)
            if np.isfinite(low):
                assert each.lower == pytest.approx(float(low), rel=5e-3)
                assert each.upper == pytest.approx(float(high), rel=5e-3)
    plain = predictions(models, points, with_intervals=False)
    assert all(each.lower is None and each.upper is None for found in plain for each in found)
    assert predictions([], points) == []
    assert predictions(models[:2], []) == [(), ()]
    centers = np.array([models[1].predict(POINTS)])
    bounds = intervals_of(models[1:2], POINTS[:, None], centers, 0.5)
    np.testing.assert_allclose(bounds, np.array(models[1].interval(POINTS, 0.5))[:, None], rtol=5e-3)


@pytest.mark.parametrize("method", ["default", "basic", "refinement", "extrap"])
@pytest.mark.parametrize(
    ("point", "message"),
    [
        ([1e200, 1e90], "where p = 1e+200, n = 1e+90 (give smaller values, the prediction is too large)"),
        ([1.0, 0.0], "where p = 1, n = 0 (logarithms and roots need positive parameters)"),
        ([1.0, np.nan], "where p = 1, n = nan (give a value of every parameter)"),
    ],
)
def test_points_without_a_prediction(method: str, point: list[float], message: str) -> None:
    """A prediction that is not finite is an error with the point and a hint, without a warning."""
    points = np.array(list(itertools.product((2.0, 4, 8, 16, 32), (10.0, 20, 30, 40, 50))))
    model = fit(points, 3 + points[:, 0] ** 2 * np.log2(points[:, 1]), names=["p", "n"], method=method)
    with pytest.raises(ConfigurationError) as caught:
        model.predict(np.array([[1.0, 1.0], point]))
    problem = caught.value.problems[0]
    assert f"{problem.message} ({problem.hint})" == f"the model has no finite value {message}"


LINE = np.array([[2.0], [4], [8], [16], [32], [64]])
FEW, MANY = LINE[:4], np.array([[float(x)] for x in (1, 2, 3, 5, 8, 13, 21, 34)])
AXES = (8.0, 16, 32, 64), (10.0, 20, 30, 40), (1.0, 2, 4)
GRID, CUBE = (np.array(list(itertools.product(*AXES[:number]))) for number in (2, 3))
CROSS, STAR = (points[(points > points.min(axis=0)).sum(axis=1) < 2] for points in (GRID, CUBE))
# Six lines of six values, so that cheap and dear ones differ.
FULL = np.array(list(itertools.product(np.arange(1.0, 7), np.arange(2.0, 8))))
JUMPING = np.array([*itertools.product((32, 48, 64, 96, 128, 192), (1, 2, 4, 8, 16))], dtype=float)
SCATTERED = np.random.default_rng(0).integers(1, 60, (15, 2)).astype(float)


def measured(
    function: Callable[..., Array], points: Array, noise: float, repetitions: int, absolute: float, seed: int = 0
) -> Array:
    """Return repeated values of a function with relative and absolute noise."""
    rng = np.random.default_rng(seed)
    values = np.broadcast_to(function(*points.T), len(points))[:, None]
    scatter, further = rng.normal(size=(2, len(points), repetitions))
    return np.asarray(values * (1 + noise * scatter) + absolute * further)


def described(model: ScalingModel) -> Iterator[str]:
    """Yield a model with its figures, its values inside and far away with their intervals, and its notes."""
    text = re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.5g}", model.text)
    figures = [model.smape, model.adjusted_r2, model.rss, model.noise, model.certainty, model.measurements]
    # Squares of rounding errors are 0.
    yield f"{text}   {shown([0.0 if figure is not None and abs(figure) < 1e-9 else figure for figure in figures])}"
    places = [{name: by * high for name, (_, high) in zip(model.names, model.ranges, strict=True)} for by in (0.9, 4)]
    yield shown([(each.predicted, each.lower, each.upper) for each in predictions([model], places)[0]])
    yield from (f"    {note}" for note in model.notes)
    if model.below is not None:
        yield f"below {model.changing} = {shown(model.change)}: {next(described(model.below))}"


def model(
    function: Callable[..., Array], points: Array, noise: float = 0.0, repetitions: int = 1, absolute: float = 0.0,
    seed: int = 0, **settings: Any,
) -> Lines:  # fmt: skip
    """Fit a function with noise."""
    values = measured(function, points, noise, repetitions, absolute, seed)
    return Lines("\n".join(described(fit(points, values, **settings))))


def suggestions(function: Callable[..., Array], points: Array, noise: float = 0.02, **settings: Any) -> Lines:
    """Suggest points to measure next for a function with noise; ends of intervals and gains depend on the CPU."""
    found = suggest(points, measured(function, points, noise, 2, 0.0), **settings)
    points_of = [shown([each.point, each.expected, each.cost, each.measured]) for each in found.points]
    target = None if found.target is None else [found.target.point, found.target.predicted]
    about = f"{found.why}: {shown([target, found.error, found.spent])}"
    return Lines("\n".join([*points_of, about, *found.notes]))


@pytest.mark.parametrize("part", ["one-parameter", "several-parameters", "suggested-points"])
def test_answers(part: str) -> None:
    """Functions have the models, intervals and suggestions that the golden files show."""
    points = {name: value for name, value in globals().items() if name.isupper() and isinstance(value, np.ndarray)}
    check_calls(part, model, suggestions, log2=np.log2, where=np.where, sin=np.sin, **points)


def test_refused_measurements_and_settings() -> None:
    """Measurements that cannot be modelled, and settings, are errors with the reason and what to do."""
    check_calls("refused-fits", fit, fit_many)
