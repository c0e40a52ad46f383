"""The environment of the agent (Ritter et al., III.C): many episodes at once, one function each.

An episode takes one line per parameter, in order, then single points. Once all lines are there, the points are
modelled after every step; the episode ends when the model predicts well at the next value of all parameters, when all
points are taken, or after a number of single points.
"""

from __future__ import annotations

import numpy as np

from casestudies.sampling_agent.grid import Grid
from casestudies.sampling_agent.tasks import Modeler, Tasks
from splc.errors import SpecError
from splc.types import Array

BAND = 0.05
MAX_SINGLE = 10


class Episodes:
    """Episodes side by side, from their first step to their last.

    Attributes:
        grid: the points and the actions.
        tasks: the function of each episode.
        taken: the points that are used, bool, shape (episodes, n).
        phase: which parameter a line is asked for; the number of parameters: single points, shape (episodes,).
        steps: actions so far, shape (episodes,).
        done: whether an episode is over, shape (episodes,).
        accurate: whether its last model was good enough, shape (episodes,).
        modelled: how many models were made, of all episodes.
    """

    def __init__(
        self, grid: Grid, tasks: Tasks, modeler: Modeler, band: float = BAND, most_single: int = MAX_SINGLE
    ) -> None:
        """Begin."""
        if tasks.costs.shape[1] != len(grid.points):
            raise SpecError(f"tasks of {tasks.costs.shape[1]} points on a grid of {len(grid.points)}")
        number = len(tasks)
        self.grid, self.tasks = grid, tasks
        self._modeler, self._band, self._most_single = modeler, band, most_single
        self.taken = np.zeros((number, len(grid.points)), dtype=bool)
        self.phase = np.zeros(number, dtype=np.int64)
        self.steps = np.zeros(number, dtype=np.int64)
        self.done = np.zeros(number, dtype=bool)
        self.accurate = np.zeros(number, dtype=bool)
        self.modelled = 0

    def __len__(self) -> int:
        """Return the number of episodes."""
        return len(self.tasks)

    @property
    def costs(self) -> Array:
        """The cost of the points taken, as a fraction of all points, shape (episodes,)."""
        return np.asarray((self.tasks.costs * self.taken).sum(axis=1))

    @property
    def points(self) -> Array:
        """The number of points taken, shape (episodes,)."""
        return np.asarray(self.taken.sum(axis=1))

    def states(self) -> Array:
        """Return the states, [p, i, j, c] of the paper, each between 0 and 1, shape (episodes, n + 3)."""
        n = len(self.grid.points)
        extra = np.stack([self.phase / self.grid.parameters, self.points / n, self.costs], axis=1)
        return np.hstack([self.taken, extra]).astype(np.float32)

    def allowed(self) -> Array:
        """Return the allowed actions, shape (episodes, actions): those of the phase that add a point."""
        # Of points that are taken, an action adds those it takes beyond them.
        adds = (~self.taken).astype(np.float32) @ self.grid.takes.T.astype(np.float32) > 0
        return np.asarray(adds & (self.grid.phases == self.phase[:, None]) & ~self.done[:, None])

    def added_costs(self) -> Array:
        """Return the cost that each action would add, as a fraction, shape (episodes, actions)."""
        return np.asarray((self.tasks.costs * ~self.taken) @ self.grid.takes.T)

    def step(self, actions: Array) -> Array:
        """Take one action in every episode that is not over; return the rewards 1 - c, 0 for episodes that are over.

        `actions`: shape (episodes,); the entry of a finished episode is ignored.
        """
        active = ~self.done
        rows = np.flatnonzero(active)
        if not self.allowed()[rows, actions[rows]].all():
            raise SpecError("an action is not allowed here", hint="choose among those that `allowed` tells")
        self.taken[rows] |= self.grid.takes[actions[rows]]
        self.steps[rows] += 1
        self.phase[rows] = np.minimum(self.phase[rows] + 1, self.grid.parameters)
        complete = rows[self.steps[rows] >= self.grid.parameters]
        if len(complete):
            self._judge(complete)
        return np.where(active, 1 - self.costs, 0.0)

    def _judge(self, rows: Array) -> None:
        """Model the points of some episodes, and end those that are good enough, or long enough."""
        known = np.where(self.taken[rows][:, :, None], self.tasks.measured[rows], np.nan)
        predicted = self._modeler(self.grid.points, known, self.grid.target)
        self.modelled += len(rows)
        truth = self.tasks.truth[rows]
        self.accurate[rows] = np.abs(predicted - truth) <= self._band * np.abs(truth)
        long = self.steps[rows] >= self.grid.parameters + self._most_single
        self.done[rows] = self.accurate[rows] | long | self.taken[rows].all(axis=1)
