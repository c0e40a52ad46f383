"""A small picture of each kind. `python -m tests.plotting.pictures` writes the records of what they show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from matplotlib.figure import Figure

from comparison.changes import ModelCourse, TermCourse
from splc.plotting.changes import changes_plot
from splc.plotting.ranking import ShareBar, ranking_plot
from splc.plotting.scaling import ScalingCurve, Slice, scaling_plot
from splc.plotting.shares import Stack, grouped_bars, stacked_bars
from splc.plotting.surface import Surface
from tests.support.artists import description

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
        PICTURES[name]()
    (figure,) = figures
    figure.draw_without_rendering()
    return description(figure)


if __name__ == "__main__":
    RECORDS.mkdir(exist_ok=True)
    for each in PICTURES:
        (RECORDS / f"{each}.txt").write_text(record(each), encoding="utf-8")
