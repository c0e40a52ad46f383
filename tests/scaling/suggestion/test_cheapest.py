"""Suggestions of the next point to measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import MeasurementError, SpecError
from splc.scaling.suggestion.candidates import candidate_axes, continued
from splc.scaling.suggestion.suggest import suggest
from tests.support.examples import examples

N = [10.0, 20.0, 30.0, 40.0, 50.0]
P = [4.0, 8.0, 16.0, 32.0, 64.0]


def time_of(points: Any) -> Any:
    """Return the run times of the measured program."""
    return 5 + 0.3 * points[:, 0] * points[:, 1]


def core_hours(points: Any, values: Any) -> Any:
    """Return the costs of measurements."""
    return points[:, 0] * values


def followed(until: float | None, budget: float | None, noise: float = 0.01, first: Any = None) -> tuple[Any, Any]:
    """Measure suggested points until there are none: the points in their order, and the last suggestions.

    `first`: the points that are measured already; None: one.
    """
    rng = np.random.default_rng(0)
    points = np.array([[4.0, 10.0]]) if first is None else first
    values = time_of(points)[:, None] * (1 + rng.uniform(-noise, noise, (len(points), 3)))
    for _ in range(40):
        found = suggest(points, values, names=["p", "n"], cost=core_hours, axes=[P, N], until=until, budget=budget)
        if found.done or not found.points:
            return points, found
        new = np.array([each.point for each in found.points])
        points = np.vstack([points, new])
        values = np.vstack([values, time_of(new)[:, None] * (1 + rng.uniform(-noise, noise, (len(new), 3)))])
    raise AssertionError("it never ends")


def test_lines_come_first_and_then_points_until_the_model_is_good_enough() -> None:
    """From one point on both cheapest lines are measured, then the cheapest other point, which settles it."""
    points, found = followed(until=5, budget=None)
    lines = {(4.0, n) for n in N} | {(p, 10.0) for p in P}
    assert {tuple(point) for point in points[:9].tolist()} == lines
    assert points[9].tolist() == [8, 20]
    assert found.done
    assert found.points == ()
    assert found.why.startswith("good enough")
    assert found.error is not None
    assert found.error <= 5
    assert found.checked == len(points) - 9
    assert found.model.predict([[128, 60]]) == pytest.approx(time_of(np.array([[128, 60]])), rel=0.05)


@pytest.mark.parametrize("known", [21, pytest.param(1, marks=pytest.mark.slow)])
def test_without_an_aim_all_candidates_are_measured_the_cheapest_first(known: int) -> None:
    """Points off the lines follow in the order of their costs, until none is left."""
    grid = np.array([[p, n] for p in P for n in N])
    order = np.lexsort((core_hours(grid, time_of(grid)), (grid > grid[0]).all(axis=1)))
    points, found = followed(until=None, budget=None, noise=0.0, first=grid[order[:known]])
    assert len(points) == 25
    assert not found.done
    assert found.why.startswith("all candidates are measured")
    costs = core_hours(points, time_of(points))[9:]
    assert (np.diff(costs) >= 0).all()


def test_the_budget_is_never_exceeded() -> None:
    """With a correct model the measurements stay within the budget, and the next point would exceed it."""
    budget = 60_000.0
    points, found = followed(until=None, budget=budget, noise=0.0)
    spent = 3 * core_hours(points, time_of(points)).sum()
    assert found.spent == pytest.approx(spent)
    assert spent <= budget
    assert found.done
    assert found.why.startswith("the budget is spent")


def test_the_cheapest_line_is_completed_first() -> None:
    """Of incomplete lines the cheapest to complete comes first, of any parameter."""
    points = np.array([[4.0, 10.0], [8.0, 10.0], [16.0, 10.0], [32.0, 10.0], [4.0, 20.0]])
    found = suggest(points, time_of(points), cost=core_hours, axes=[P, N])
    assert [each.point for each in found.points] == [(4, 30), (4, 40), (4, 50)]
    found = suggest(points, time_of(points), cost=lambda x, _: x[:, 1] ** 3, axes=[P, N])
    assert [each.point for each in found.points] == [(64, 10)]


def test_several_points_are_planned_at_once() -> None:
    """More points than the line lacks are suggested on demand, each with value, interval, cost and reason."""
    points = np.array([[p, 10.0] for p in P] + [[4.0, n] for n in N[1:4]])
    found = suggest(points, np.repeat(time_of(points)[:, None], 2, axis=1), cost=core_hours, axes=[P, N], count=3)
    assert [each.point for each in found.points] == [(4, 50), (8, 20), (8, 30)]
    assert [each.reason.split()[0] for each in found.points] == ["1", "the", "the"]
    for each in found.points:
        assert each.lower <= each.expected <= each.upper
        assert each.cost == pytest.approx(2 * each.point[0] * each.expected)
    assert found.repetitions == 2
    assert found.candidates == 25


def test_a_single_parameter_goes_on_beyond_its_line() -> None:
    """After five values of the only parameter the next one is suggested, in the steps of the others."""
    next_point = suggest(P, [3 * p for p in P], names=["p"]).points[0]
    assert next_point.point[0] == 128
    assert next_point.expected == pytest.approx(384)
    assert [each.point[0] for each in suggest(P[:3], P[:3]).points] == [32, 64]


def test_points_off_the_grid_count() -> None:
    """A measured point off the given axes is a candidate that needs no measurement."""
    points = np.array([[5.0, 11.0], [4.0, 10.0]])
    found = suggest(points, [1.0, 2.0], axes=[P, N])
    assert found.candidates == 26
    assert (5, 11) not in [each.point for each in found.points]


@examples(10)
@given(st.permutations(range(12)))
def test_the_order_of_measurements_does_not_matter(order: list[int]) -> None:
    """The same measurements in another order give the same suggestions."""
    points = np.array([[p, n] for p in P[:4] for n in N[:3]])
    values = time_of(points) * np.linspace(0.99, 1.01, 12)
    one, other = (suggest(points[rows], values[rows], axes=[P, N]) for rows in (list(range(12)), order))
    assert one.points == other.points
    assert one.error == other.error


@pytest.mark.parametrize(
    ("values", "more"),
    [
        ([4], [8, 16, 32]),
        ([4, 8], [16, 32, 64]),
        ([10, 20, 30], [40, 50, 60]),
        ([4, 8, 16], [32, 64, 128]),
        ([0], [1, 2, 3]),
        ([0, 1, 2], [3, 4, 5]),
        ([2, 4, 8, 32], [64, 128, 256]),
        ([0.5, 1.0, 1.5], [2, 2.5, 3]),
    ],
)
def test_axes_go_on_as_they_began(values: list[float], more: list[float]) -> None:
    """Values are continued by their factor or by their step."""
    assert continued(np.array(values, dtype=float), 3).tolist() == pytest.approx([*values, *more])


def test_axes_have_five_values() -> None:
    """Axes that are not given have five values, and more if extended; given ones do not change."""
    points = np.array([[4.0, 10.0], [8.0, 10.0]])
    first, second = candidate_axes(points, [None, None], 5, 1)
    assert first.tolist() == [4, 8, 16, 32, 64, 128]
    assert second.tolist() == [10, 20, 40, 80, 160, 320]
    assert candidate_axes(points, [None, np.array([3.0, 1.0])], 5, 0)[1].tolist() == [1, 3]


POINTS = np.array([[4.0, 10.0], [8.0, 10.0]])
VALUES = [1.0, 2.0]


@pytest.mark.parametrize(
    ("call", "kind", "part"),
    [
        (lambda: suggest(POINTS, VALUES, axes=[range(1000), range(1000)]), SpecError, "candidates are too many"),
        (lambda: suggest(POINTS, VALUES, cost=lambda x, y: -y), MeasurementError, "costs -1"),
        (lambda: suggest(POINTS, VALUES, cost=lambda x, y: y / 0), MeasurementError, "costs inf"),
    ],
)
def test_bad_input_is_refused(call: Callable[[], Any], kind: type[Exception], part: str) -> None:
    """Wrong settings and measurements are errors with the reason."""
    with pytest.raises(kind, match=part):
        call()
