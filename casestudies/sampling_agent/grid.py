"""The points that can be measured, and the actions that take them: whole lines first, then single points."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from casestudies.scaling_evaluation.sparse_functions import AXES, NEXT
from splc.errors import SpecError
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Grid:
    """All combinations of the values of some parameters.

    Phase k, counted from 0, asks for a line along parameter k; the last phase asks for single points.
    """

    points: Array  # shape (n, parameters)
    target: Array  # the point at which models are judged, shape (1, parameters)
    # which points an action takes, shape (actions, n): the lines along the first parameter, along the second, …, then
    # every point by itself
    takes: Array
    phases: Array  # the phase in which an action is allowed, shape (actions,)

    @property
    def parameters(self) -> int:
        """The number of parameters; also the phase of single points."""
        return int(self.points.shape[1])

    @property
    def actions(self) -> int:
        """The number of actions."""
        return len(self.phases)

    @property
    def inputs(self) -> int:
        """The number of values that describe a state: a flag per point, phase, points taken, cost."""
        return len(self.points) + 3


def grid_of(axes: Sequence[Sequence[float]], target: Sequence[float]) -> Grid:
    """Return the grid of all combinations of values.

    `axes`: the values of each parameter.
    """
    if len(axes) != len(target) or not axes or min(len(set(axis)) for axis in axes) < 3:
        raise SpecError("this is no grid to choose lines from", hint="give three or more values for each parameter")
    points = np.array(list(itertools.product(*axes)), dtype=float)
    takes, phases = [], []
    for at in range(len(axes)):
        others = np.delete(points, at, axis=1)
        through = np.unique(others, axis=0)
        takes.append((others[None] == through[:, None]).all(axis=2))
        phases += [at] * len(through)
    takes.append(np.eye(len(points), dtype=bool))
    phases += [len(axes)] * len(points)
    found = Grid(points, np.array([target], dtype=float), np.vstack(takes), np.array(phases))
    for each in (found.points, found.target, found.takes, found.phases):
        each.flags.writeable = False
    return found


def paper_grid() -> Grid:
    """Return the paper's 125 points: 75 lines and 125 points to choose."""
    return grid_of(AXES[:3], NEXT[:3])
