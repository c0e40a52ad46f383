"""Predictions of many models at once against one after the other, and lines against least squares."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from splc.errors import ConfigurationError
from splc.scaling import fit
from splc.scaling.result import intervals_of, predictions

X = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0])
FALLING = np.where(X <= 16, 100 / X, 6 + 0.2 * X)


def test_predictions_of_many_models_are_those_of_each() -> None:
    """Models with and without segments, and of other parameters, have the predictions and intervals of each alone."""
    noise = 1 + 0.01 * np.random.default_rng(0).normal(size=len(X))
    models = [
        fit(X, (3 + 2 * X) * noise),
        fit(X, FALLING * noise, segmented=True),
        fit(X, 5 * np.sqrt(X) * noise, names="n"),
        fit(X, 100 / X * noise),
        fit(X, 7 + 0 * X, method="basic"),
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
    centers = np.array([models[1].predict(X)])
    bounds = intervals_of(models[1:2], X[:, None], centers, 0.5)
    np.testing.assert_allclose(bounds, np.array(models[1].interval(X, 0.5))[:, None], rtol=5e-3)


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
