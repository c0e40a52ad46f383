"""A small picture of each kind. `python -m tests.plotting.pictures` writes the records of what they show."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from matplotlib.figure import Figure

from comparison.changes import ModelCourse, TermCourse
from splc.models.terms import option_term
from splc.plotting import terms as plotted_terms
from splc.plotting.changes import changes_plot
from splc.plotting.comparison import VIEWS, comparison_plot
from splc.plotting.curves import Curves
from splc.plotting.explanation import Bar, Line, contribution_plot, importance_plot
from splc.plotting.front import front_plot
from splc.plotting.prediction import prediction_plot
from splc.plotting.ranking import ShareBar, ranking_plot
from splc.plotting.scaling import ScalingCurve, Slice, scaling_plot
from splc.plotting.shares import Stack, grouped_bars, stacked_bars
from splc.plotting.surface import Surface
from tests.support.artists import description
from tests.support.pictures import EXAMPLE, X, Y, compared, score

RECORDS = Path(__file__).resolve().parent / "records"
LONG = "a_name_of_an_option_that_is_much_longer_than_the_space_for_it_on_any_picture_$x$"


def changes(link: Literal["identity", "log"]) -> bytes:
    """Draw five terms of three versions, or of products of twenty versions."""
    first = TermCourse("x", (2.0, 4.0, 4.1), (0.1, 0.2, 0.2), (True, False))
    same = [TermCourse(LONG, (at, at + 0.5, at), (0.5, 0.25, 0.5), (False, False)) for at in (1.0, 2.0, 3.0, 4.0)]
    if link == "identity":
        return changes_plot(ModelCourse(link, (first, *same), (0.9, 1.0)), ["1", "2", "3"], "v", "s by v", "t", "svg")
    values = tuple(at / 10 for at in range(20))
    course = ModelCourse(link, (TermCourse("x", values, (0.1,) * 20, (False,) * 18 + (True,)),), (1.0,) * 19)
    return changes_plot(course, [f"version {at}.0" for at in range(20)], "v", LONG, LONG, "svg")


def comparison() -> bytes:
    """Draw predictions of ten models above the terms of three."""
    values = np.array([[x * (1 + j / 10) for x in range(1, 8)] for j in range(10)])
    curves = Curves(tuple(f"model {j}" for j in range(10)), values, values[0] + 0.5, "time")
    other = compared("analytical.txt", "other.log", (["x"], [score(X, "opposite sign", 3, -5)]), ([], []))
    return comparison_plot(VIEWS, curves, [EXAMPLE, other], "svg")


def terms(models: int) -> bytes:
    """Draw the terms only, of more models and more terms than have space, or of none."""
    few = [(["x", LONG], [score(X**k, "same", 2, 2) for k in (1, 2)] + [score(option_term(LONG), "same", 2, 2)])]
    many = [*few, (["y"], [score(Y**k, "no class", 1, None) for k in range(1, models)])]
    compared_models = [compared("first", f"model {at}", *(many if at == 1 else few)) for at in range(models)]
    return comparison_plot(["terms"], None, compared_models or [compared("first", "second")], "svg")


def predictions(n: int) -> bytes:
    """Draw predictions of two models as joined or as scattered marks."""
    x = np.linspace(1, 2, n)
    return comparison_plot(["predictions"], Curves(("a", "b"), np.stack([x**2, 3 - x]), None, None), [], "svg")


def importance(product: bool) -> bytes:
    """Draw the shares of more options than have a bar or a panel."""
    bars = [
        Bar(f"{LONG if at == 1 else 'option'} {at}", 40.0 / (at + 1), 45.0 / (at + 1) if at % 2 else 5.0)
        for at in range(22 if product else 3)
    ]
    numbers = Line("n", tuple((str(x), float(x), math.sqrt(x)) for x in (1, 2, 4, 5, 64)))
    linear = Line("m", tuple((str(x), float(x), 2.0 + x) for x in range(3, 13)))
    binary = Line("b", (("off", None, 1.0), ("on", None, 3.0)))
    named = Line("c", tuple((f"{LONG} {at}", None, float(at)) for at in range(10)))
    return importance_plot(
        bars, [numbers, linear, binary, named, binary] if product else [binary], "shares", "time", "svg", product
    )


def contributions(product: bool) -> bytes:
    """Draw the steps from one prediction to another; of a product, more than have a bar."""
    steps = (
        [("x", 2.0), ("same", 0.0), (LONG, -0.5)] if not product else [(f"t{at}", 0.5 - at / 20) for at in range(25)]
    )
    return contribution_plot(steps, 4.0, ("base", "chosen"), "steps", "time", "svg", product)


def wide_contributions() -> bytes:
    """Draw steps over three decades of a product."""
    return contribution_plot([("x", math.log(2000.0))], 1.0, ("a", "b"), "steps", "time", "svg", product=True)


def front(wide: bool) -> bytes:
    """Draw a front with measured configurations, or over orders of magnitude without."""
    points = [(3.0, 1.0), (1.0, 3.0), (2.0, 1.5)]
    return front_plot(
        [(x**4, y) for x, y in points] if wide else points,
        [] if wide else [(4.0, 4.0), (2.0, 5.0)],
        ("a", "b"),
        "front",
        "svg",
    )


def prediction(wide: bool) -> bytes:
    """Draw predicted against measured values, over orders of magnitude or not."""
    measured = np.array([1.0, 10.0, 60.0] if wide else [1.0, 2.0, 3.0, 50.0])
    learned = np.zeros(len(measured), dtype=bool)
    learned[0] = not wide
    return prediction_plot(measured, measured * 1.1, learned, "time", "model", "svg")


def ranking() -> bytes:
    """Draw shares of three names."""
    return ranking_plot(
        [ShareBar("a", 30, 60), ShareBar(LONG, 70, 40), ShareBar("c", 0, 0)], "now", "later", "rank", "svg"
    )


def scaling(models: int, surface: bool) -> bytes:
    """Draw one panel per parameter, and the surface of two."""
    x, at = np.array([1.0, 2.0, 4.0, 16.0, 64.0]), np.array([1.0, 2.0, 4.0, 16.0])
    curves = [
        ScalingCurve(f"m{j}", at, at * (j + 1), x, x * (j + 1) * 1.1, x * j, x * (j + 2.0)) for j in range(models)
    ]
    fixed = {f"parameter_{j}": 1.5 * j for j in range(models)}
    grid = np.linspace(1, 10, 4)
    drawn = Surface(
        ("p", "n"), grid, grid, np.outer(grid, grid), np.array([[1.0, 1.0], [4.0, 7.0]]), np.array([2.0, 28.0])
    )
    return scaling_plot(
        [Slice(name, fixed, curves) for name in "pnqr"[: 1 if surface else 4]],
        "time",
        "main",
        "svg",
        drawn if surface else None,
    )


PICTURES: dict[str, Callable[[], Any]] = {
    "changes": lambda: changes("identity"),
    "changes_of_products": lambda: changes("log"),
    "comparison": comparison,
    "terms_of_many_models": lambda: terms(5),
    "terms_of_four_models": lambda: terms(4),
    "terms_of_none": lambda: terms(0),
    "predictions_of_three": lambda: predictions(3),
    "predictions_joined": lambda: predictions(40),
    "predictions_scattered": lambda: predictions(70),
    "importance": lambda: importance(False),
    "importance_of_many": lambda: importance(True),
    "contributions": lambda: contributions(False),
    "contributions_to_a_product": lambda: contributions(True),
    "contributions_to_a_small_product": lambda: contribution_plot([("x", 0.5)], 4.0, ("a", "b"), "s", "t", "svg", True),
    "contributions_over_decades": wide_contributions,
    "front": lambda: front(False),
    "front_over_decades": lambda: front(True),
    "prediction": lambda: prediction(False),
    "prediction_over_decades": lambda: prediction(True),
    "ranking": ranking,
    "scaling": lambda: scaling(4, False),
    "scaling_with_surface": lambda: scaling(1, True),
    "grouped_bars": lambda: grouped_bars(
        {"first": {"a": {"x": 10, "y": 20}, "b": {"y": 40, "z_$": 90}}, "second": {"a": {"x": 1}, "b": {"x": 2}}},
        "bars", "svg",
    ),
    "stacked_bars": lambda: stacked_bars(
        [[Stack(f"{row}{column}", ("5", "9"), ((10, 30), (50, 80))) for column in range(3)] for row in range(2)],
        ["small", "large"],
        "stacks",
        "svg",
    ),
}  # fmt: skip


def record(name: str) -> str:
    """Return the description of a picture."""
    figures: list[Figure] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Figure, "savefig", lambda figure, *_, **__: figures.append(figure))
        # A few terms and models show what many do.
        patched.setattr(plotted_terms, "MAX_TERMS", 4)
        patched.setattr(plotted_terms, "MAX_MODELS", 3)
        PICTURES[name]()
    (figure,) = figures
    figure.draw_without_rendering()
    return description(figure)


if __name__ == "__main__":
    RECORDS.mkdir(exist_ok=True)
    for each in PICTURES:
        (RECORDS / f"{each}.txt").write_text(record(each), encoding="utf-8")
