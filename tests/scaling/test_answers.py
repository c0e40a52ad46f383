"""Models, intervals and suggestions of functions with noise, as golden lines: a change of any rule is visible here."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from splc.scaling import ScalingModel, fit, fit_many, suggest
from splc.scaling.result import predictions
from splc.types import Array
from tests.support.golden_messages import Lines, check_calls, shown

LINE = np.array([[2.0], [4], [8], [16], [32], [64]])
FEW, MANY = LINE[:4], np.array([[float(x)] for x in (1, 2, 3, 5, 8, 13, 21, 34)])
AXES = (8.0, 16, 32, 64), (10.0, 20, 30, 40), (1.0, 2, 4)
GRID, CUBE = (np.array(list(itertools.product(*AXES[:number]))) for number in (2, 3))
CROSS, STAR = (points[(points > points.min(axis=0)).sum(axis=1) < 2] for points in (GRID, CUBE))
# Six lines of six values, so that cheap and dear ones differ.
FULL = np.array(list(itertools.product(np.arange(1.0, 7), np.arange(2.0, 8))))
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
