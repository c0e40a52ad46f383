"""Prioritised replay: a memory of transitions from which those with the largest errors are drawn most often.

Source: Schaul et al., Prioritized experience replay (2016), the proportional variant, eq. 1 and section 3.4.
"""

from __future__ import annotations

import numpy as np

from casestudies.sampling_agent.policies import Transitions
from splc.types import Array

# Gives transitions without any error a chance to be drawn, too.
_LEAST = 1e-3


class Replay:
    """A memory of limited size; the oldest transitions are forgotten."""

    def __init__(self, capacity: int, inputs: int, actions: int, alpha: float) -> None:
        """Start empty.

        `alpha`: how much surprise counts: 0 is drawing uniformly.
        """
        self._states = np.zeros((capacity, inputs), dtype=np.float32)
        self._next_states = np.zeros((capacity, inputs), dtype=np.float32)
        self._next_allowed = np.zeros((capacity, actions), dtype=bool)
        self._actions = np.zeros(capacity, dtype=np.int64)
        self._rewards = np.zeros(capacity, dtype=np.float32)
        self._priorities = np.zeros(capacity)
        self._alpha = alpha
        self._next = self._size = 0

    def __len__(self) -> int:
        """Return the number of transitions."""
        return self._size

    def add(self, new: Transitions) -> None:
        """Add transitions with the greatest priority so far, so that each is likely to be drawn once."""
        greatest = self._priorities.max() or 1.0
        capacity = len(self._actions)
        kept = new.part(np.arange(len(new))[-capacity:])
        rows = (self._next + np.arange(len(kept))) % capacity
        self._states[rows], self._next_states[rows] = kept.states, kept.next_states
        self._next_allowed[rows] = kept.next_allowed
        self._actions[rows], self._rewards[rows] = kept.actions, kept.rewards
        self._priorities[rows] = greatest
        self._next = int((self._next + len(kept)) % capacity)
        self._size = min(self._size + len(kept), capacity)

    def draw(self, number: int, beta: float, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw transitions by their priorities.

        `beta`: how far the weights undo that some come more often: 1 is fully.

        Returns:
            rows, and the weight of each, at most 1.
        """
        whole = np.cumsum(self._priorities[: self._size])
        rows = np.searchsorted(whole, rng.random(number) * whole[-1], side="right")
        rows = np.minimum(rows, self._size - 1)
        weights = (self._size * self._priorities[rows] / whole[-1]) ** -beta
        return rows, weights / weights.max()

    def at(self, rows: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Return states, actions, rewards, following states and following allowed actions."""
        return (
            self._states[rows],
            self._actions[rows],
            self._rewards[rows],
            self._next_states[rows],
            self._next_allowed[rows],
        )

    def surprised(self, rows: Array, errors: Array) -> None:
        """Set priorities by the errors of the values of transitions."""
        self._priorities[rows] = (np.abs(errors) + _LEAST) ** self._alpha
