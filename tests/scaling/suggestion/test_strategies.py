"""Suggested points: the strategies `target` and `cheapest`, and the uncertainty at the target."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from splc.errors import MeasurementError
from splc.scaling import fit, suggest
from splc.scaling.suggestion.candidates import costs_of
from splc.scaling.suggestion.surrogate import TEMPER, TargetSurrogate
from tests.support.golden_messages import check_messages
from tests.support.objects import present

N = [10.0, 20.0, 30.0, 40.0, 50.0]
P = [4.0, 8.0, 16.0, 32.0, 64.0]
TARGET = {"p": 256.0, "n": 64.0}
CROSS = np.array([[p, 10.0] for p in P] + [[4.0, n] for n in N[1:]])


def measured(function: Callable[[Any], Any], points: Any, noise: float, seed: int = 0) -> Any:
    """Measure points three times each."""
    rng = np.random.default_rng(seed)
    return function(points)[:, None] * (1 + noise * rng.standard_normal((len(points), 3)))


def hidden(points: Any) -> Any:
    """Return run times whose dependence on p is invisible where n is small."""
    return 500 + 0.003 * points[:, 0] * points[:, 1] ** 2


def core_hours(points: Any, values: Any) -> Any:
    """Return the costs of measurements."""
    return points[:, 0] * values


def test_an_effect_that_cheap_points_hide_is_found_before_it_stops() -> None:
    """A parameter without visible effect is reported, points further out follow, and the value at the end is right."""
    rows: dict[tuple[float, ...], Any] = {(4.0, 10.0): measured(hidden, np.array([[4.0, 10.0]]), 0.01)[0]}
    reasons: list[str] = []
    notes: list[str] = []
    for step in range(25):
        points = np.array(list(rows))
        width = max(map(len, rows.values()))
        values = np.array([np.pad(row, (0, width - len(row)), constant_values=np.nan) for row in rows.values()])
        found = suggest(
            points, values, names=["p", "n"], target=TARGET, until=10, axes=[P, N], cost=core_hours, repetitions=3
        )
        if found.done or not found.points:
            break
        reasons.append(found.why)
        notes.extend(found.notes)
        for each in found.points:
            new = measured(hidden, np.array([each.point]), 0.01, 100 + step)[0]
            rows[each.point] = np.concatenate([rows.get(each.point, np.zeros(0)), new])
    assert found.done
    assert found.why.startswith("good enough: the expected value at p = 256, n = 64")
    assert found.target is not None
    assert found.target.error <= 10
    assert found.target.predicted == pytest.approx(hidden(np.array([[256.0, 64.0]]))[0], rel=0.1)
    assert any(reason.startswith("no line shows an effect of p yet: a point further out") for reason in reasons)
    assert "no line shows an effect of p: it may show at larger values" in notes
    assert max(p for p, _ in rows) == 64


def test_expected_variances_are_those_of_simulated_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    """The expected variance is the mean over outcomes of the variance after weighing and updating every hypothesis."""
    # The default rule has three outcomes of each of 24 hypotheses; it differs from this one by a fifth here.
    nodes, node_weights = np.polynomial.hermite_e.hermegauss(15)
    for name, value in {"NODES": nodes, "NODE_WEIGHTS": node_weights / node_weights.sum(), "OUTCOMES": 1000}.items():
        monkeypatch.setattr(f"splc.scaling.suggestion.surrogate.{name}", value)
    values = measured(lambda points: 5 + 0.3 * points[:, 0] * points[:, 1], CROSS, 0.03)
    uncertainty = present(fit(CROSS, values).uncertainty)
    surrogate = TargetSurrogate.of(uncertainty)
    target, candidate = np.array([128.0, 60.0]), np.array([[8.0, 20.0]])
    now, after = surrogate.variances(target, candidate, np.array([3.0]), np.array([0]))
    rng = np.random.default_rng(1)
    found = uncertainty.plausible
    kept = np.argsort(-found.log_weights, kind="stable")[: len(surrogate.weights)]
    columns = [found.columns(at)[kept, :, 0] for at in (target[None], candidate)]
    covariances = np.swapaxes(found.factors[kept], 1, 2) @ found.factors[kept] * found.noise[kept, None, None] ** 2
    there, here = (np.einsum("hk,hk->h", found.coefficients[kept], each) for each in columns)
    shared = np.einsum("hk,hkl,hl->h", columns[0], covariances, columns[1])
    spread = np.einsum("hk,hkl,hl->h", columns[0], covariances, columns[0])
    own = np.einsum("hk,hkl,hl->h", columns[1], covariances, columns[1])
    own += found.noise[kept] ** 2 * (np.abs(here) + found.floors[kept]) ** 2
    variances = []
    for _ in range(4000):
        h = rng.choice(len(surrogate.weights), p=surrogate.weights)
        residuals = here[h] + np.sqrt(own[h]) * rng.standard_normal() - here
        weights = surrogate.weights * (np.exp(-0.5 * residuals**2 / own) / np.sqrt(own)) ** TEMPER
        weights /= weights.sum()
        means = np.clip((there + shared / own * residuals) / surrogate.scale_at(there)[0], 1 / 8, 8)
        left = np.minimum((spread - shared**2 / own) / (means * surrogate.scale_at(there)[0]) ** 2, np.log(8) ** 2)
        center = weights @ np.log(means)
        variances.append(weights @ (left + (np.log(means) - center) ** 2))
    assert after[0] == pytest.approx(np.mean(variances), rel=0.05)
    assert after[0] < now


def test_repetitions_gain_less_than_new_measurements_of_the_same_number() -> None:
    """Noise that repetitions share is not reduced by more of them: the more there are, the less a further one gains."""
    values = measured(lambda points: 5 + 0.3 * points[:, 0] * points[:, 1], CROSS, 0.03)
    uncertainty = present(fit(CROSS, values).uncertainty)
    surrogate = TargetSurrogate.of(uncertainty)
    point = np.repeat(CROSS[:1], 3, axis=0)
    _, after = surrogate.variances(np.array([128.0, 60.0]), point, np.full(3, 3.0), np.array([0, 3, 12]))
    assert after[0] < after[1] < after[2]


def time_of(points: Any) -> Any:
    """Return the run times of the measured program."""
    return 5 + 0.3 * points[:, 0] * points[:, 1]


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


def test_suggestions() -> None:
    """Wrong targets, strategies, limits, axes and values are refused with the reason."""

    def reject(text: str) -> None:
        arguments = json.loads(text)
        suggest(CROSS, arguments.pop("y", hidden(CROSS)), names=["p", "n"], **arguments)

    check_messages("suggestions", reject)


@pytest.mark.parametrize("cost", [-1.0, np.nan, np.inf, 1e307])
def test_wrong_costs(cost: float) -> None:
    """A cost that is negative, too large or no number is an error with the point and value; one number is a cost."""
    points, values = np.array([[1.0, 2.0], [3.0, 4.5]]), np.array([7.0, 0.25])
    with pytest.raises(MeasurementError) as caught:
        costs_of(lambda *_: np.array([1.0, cost]), points, values)
    problem = caught.value.problems[0]
    assert problem.message == f"a measurement at (3, 4.5), value 0.25, costs {cost:g}"
    assert problem.hint == "costs are at least 0 and at most 1e+302: give another cost"
    assert costs_of(lambda *_: np.array(2.0), points, values).tolist() == [2, 2]
    assert costs_of(lambda *_: np.zeros(2), points, values).tolist() == [0, 0]
