"""Outcomes of episodes: accuracy, cost, points, and the distance of their choices from the cheapest ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from casestudies.sampling_agent.environment import Episodes
from casestudies.sampling_agent.policies import Transitions
from splc.types import Array


@dataclass(frozen=True, eq=False)
class EpisodeOutcome:
    """Episodes that are over."""

    accurate: Array  # whether the last model was good enough, shape (episodes,)
    costs: Array  # of all points taken, as a fraction of all points, shape (episodes,)
    points: Array  # how many points were taken, shape (episodes,)
    steps: Array  # how many actions that were, shape (episodes,)
    cheapest: Array  # whether all lines were the cheapest ones, shape (episodes,)
    line_ranks: Array  # mean rank of the lines among those allowed (0: the cheapest), shape (episodes,)
    single_ranks: Array  # the same of single points; NaN where none was taken, shape (episodes,)

    @staticmethod
    def joined(parts: Sequence[EpisodeOutcome]) -> EpisodeOutcome:
        """Return several outcomes as one."""
        return EpisodeOutcome(*map(np.concatenate, zip(*(vars(part).values() for part in parts), strict=True)))

    @property
    def share(self) -> float:
        """The share of episodes that ended with an accurate model."""
        return float(self.accurate.mean())

    @property
    def reward(self) -> float:
        """Mean of 1 - c over the episodes with an accurate model (III.C); NaN without any."""
        return 1 - self.cost

    @property
    def cost(self) -> float:
        """Mean cost of the episodes with an accurate model, as a fraction; NaN without any."""
        return float(self.costs[self.accurate].mean()) if self.accurate.any() else float("nan")

    @property
    def score(self) -> float:
        """Mean reward, which compares networks; an episode without an accurate model counts 0."""
        return float(np.where(self.accurate, 1 - self.costs, 0.0).mean())

    @property
    def single_rank(self) -> float:
        """Mean rank of single points over the episodes that took some; NaN if none did."""
        there = ~np.isnan(self.single_ranks)
        return float(self.single_ranks[there].mean()) if there.any() else float("nan")


def outcome_of(episodes: Episodes, steps: Transitions) -> EpisodeOutcome:
    """Return the outcome of episodes."""
    number, lines = len(episodes), steps.phases < episodes.grid.parameters
    line_ranks, single_ranks = (_means(steps.ranks[rows], steps.episodes[rows], number) for rows in (lines, ~lines))
    return EpisodeOutcome(
        episodes.accurate.copy(),
        episodes.costs,
        episodes.points,
        episodes.steps.copy(),
        line_ranks == 0,
        line_ranks,
        single_ranks,
    )


def _means(values: Array, groups: Array, number: int) -> Array:
    counts = np.bincount(groups, minlength=number)
    totals = np.bincount(groups, values, minlength=number)
    return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)
