"""Tests of changes along the values of an ordered context."""

from __future__ import annotations

import numpy as np
import pytest

from splc.learning.contexts.contrasts import ContextInfluences


def _influences(levels: list[float], influence: list[float], deviations: list[float]) -> ContextInfluences:
    means = np.array([levels, influence]).T
    covariances = np.array([np.diag(np.square(deviations))] * 2)
    names = tuple(f"v{at}" for at in range(len(levels)))
    return ContextInfluences(names, ("a",), means, covariances)


def test_points() -> None:
    """A change is between the last value before and the first after it, with its factor."""
    found = _influences([0, 0, 0, 0], [0.1, 0.1, 0.5, 0.5], [0.01] * 4).change_points()
    [point] = found
    assert (point.option, point.first, point.second) == ("a", "v1", "v2")
    assert point.low < np.exp(0.4) < point.high
    assert point.factor == pytest.approx(np.exp(0.4))


def test_range() -> None:
    """If an intermediate value has a wide interval, the change is in the range around it."""
    found = _influences([0, 0, 0.2, 0.4], [0] * 4, [0.01, 0.01, 1.0, 0.01]).change_points()
    assert [(each.option, each.first, each.second) for each in found] == [(None, "v1", "v3")]


def test_no_change() -> None:
    """Differences within their uncertainty are no changes."""
    assert _influences([0, 0.01, 0], [0.1, 0.11, 0.1], [0.05] * 3).change_points() == ()


@pytest.mark.parametrize(
    ("values", "ordered"),
    [
        (("v1.9", "v1.10", "v2.0"), True),
        (("10", "20"), True),
        (("ref_1", "ref_9"), True),
        (("a.mp4", "b.mp4"), False),
        (("x1", "y2"), False),
        (("v1",), False),
        (("old", "new"), False),
    ],
)
def test_ordered(values: tuple[str, ...], ordered: bool) -> None:
    """Values are ordered if only their numbers differ."""
    nothing = np.zeros((len(values), 1))
    influences = ContextInfluences(values, (), nothing, np.zeros((1, len(values), len(values))))
    assert influences.ordered is ordered
