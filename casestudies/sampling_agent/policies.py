"""Policies: the paper's heuristic, chance, and the values of a network; and episodes played by them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from casestudies.sampling_agent.environment import Episodes
from casestudies.sampling_agent.network import Network
from splc.types import Array

# Episodes → an action for each of them; any for those that are over.
Policy = Callable[[Episodes], Array]


@dataclass(frozen=True, eq=False)
class Transitions:
    """Steps of episodes: state, action, reward, following state."""

    states: Array  # shape (transitions, inputs)
    actions: Array  # shape (transitions,)
    rewards: Array  # shape (transitions,)
    next_states: Array  # shape (transitions, inputs)
    next_allowed: Array  # which actions follow, none where the episode is over, shape (transitions, actions)
    ranks: Array  # of the action among those allowed, by the cost that it adds: 0 for the cheapest, 1 for the dearest
    phases: Array  # shape (transitions,)
    episodes: Array  # which episode a step belongs to, shape (transitions,)

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self.actions)

    def part(self, rows: Array) -> Transitions:
        """Return some of them."""
        return Transitions(*(array[rows] for array in vars(self).values()))


def heuristic(episodes: Episodes) -> Array:
    """Choose the least added cost: the cheapest line of each parameter, then the cheapest points (III.E)."""
    return np.asarray(np.where(episodes.allowed(), episodes.added_costs(), np.inf).argmin(axis=1))


def by_chance(rng: np.random.Generator) -> Policy:
    """Return a policy that draws among the allowed actions."""

    def policy(episodes: Episodes) -> Array:
        allowed = episodes.allowed()
        return np.asarray(np.where(allowed, rng.random(allowed.shape), -1.0).argmax(axis=1))

    return policy


def by_value(network: Network) -> Policy:
    """Return the policy that takes the allowed action that a network values most."""

    def policy(episodes: Episodes) -> Array:
        values = network.values(episodes.states())
        return np.asarray(np.where(episodes.allowed(), values, -np.inf).argmax(axis=1))

    return policy


def exploring(policy: Policy, share: float, rng: np.random.Generator) -> Policy:
    """Return a policy that draws some of its actions by chance (ε-greedy)."""
    chance = by_chance(rng)

    def mixed(episodes: Episodes) -> Array:
        drawn = rng.random(len(episodes)) < share
        return np.asarray(np.where(drawn, chance(episodes), policy(episodes)))

    return mixed


def play(episodes: Episodes, policy: Policy) -> Transitions:
    """Play episodes to their end, and return all their steps, in order of time."""
    parts = []
    state, allowed = episodes.states(), episodes.allowed()
    while not episodes.done.all():
        rows = np.flatnonzero(~episodes.done)
        actions = policy(episodes)
        adds, phases = episodes.added_costs(), episodes.phase.copy()
        own = np.take_along_axis(adds, actions[:, None], axis=1)
        cheaper = (allowed & (adds < own)).sum(axis=1)
        ranks = cheaper / np.maximum(allowed.sum(axis=1) - 1, 1)
        rewards = episodes.step(actions)
        after, next_allowed = episodes.states(), episodes.allowed()
        steps = Transitions(state, actions, rewards, after, next_allowed, ranks, phases, np.arange(len(ranks)))
        parts.append(steps.part(rows))
        state, allowed = after, next_allowed
    return Transitions(*map(np.concatenate, zip(*(vars(part).values() for part in parts), strict=True)))
