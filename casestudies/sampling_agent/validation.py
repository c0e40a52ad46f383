"""The trained agent against the heuristic and chance, on functions that were not used in training (III.D)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from casestudies.sampling_agent.environment import Episodes
from casestudies.sampling_agent.grid import Grid
from casestudies.sampling_agent.network import Network
from casestudies.sampling_agent.outcome import EpisodeOutcome, outcome_of
from casestudies.sampling_agent.policies import by_chance, by_value, exploring, heuristic, play
from casestudies.sampling_agent.settings import TrainingSettings
from casestudies.sampling_agent.tasks import Modeler, Tasks
from splc.types import Array

# "we let the agent choose random actions with a probability of 5%"
DRAWN = 0.05
AGENT, HEURISTIC, CHANCE = "agent", "heuristic", "chance"
AGENT_DRAWN, HEURISTIC_DRAWN = f"agent, {DRAWN:.0%} drawn", f"heuristic, {DRAWN:.0%} drawn"
_VALIDATED, _DRAWN = 4, 5


@dataclass(frozen=True, eq=False)
class Validation:
    """The results of each policy on the same functions."""

    outcomes: Mapping[str, EpisodeOutcome]  # policy → what it reached
    lines: tuple[Mapping[str, float], ...]  # parameter → which line the agent took, as text → the share of functions


def validation_rng(seed: int) -> np.random.Generator:
    """Return the random generator of the functions of the validation."""
    return np.random.default_rng([seed, _VALIDATED])


def validate(grid: Grid, tasks: Tasks, modeler: Modeler, network: Network, settings: TrainingSettings) -> Validation:
    """Play all functions by every policy."""
    policies = {
        AGENT: by_value(network),
        AGENT_DRAWN: exploring(by_value(network), DRAWN, np.random.default_rng([settings.seed, _DRAWN, 0])),
        HEURISTIC: heuristic,
        HEURISTIC_DRAWN: exploring(heuristic, DRAWN, np.random.default_rng([settings.seed, _DRAWN, 1])),
        CHANCE: by_chance(np.random.default_rng([settings.seed, _DRAWN, 2])),
    }
    outcomes: dict[str, EpisodeOutcome] = {}
    lines: tuple[dict[str, float], ...] = ()
    for name, policy in policies.items():
        episodes = Episodes(grid, tasks, modeler, settings.band, settings.most_single)
        steps = play(episodes, policy)
        outcomes[name] = outcome_of(episodes, steps)
        if name == AGENT:
            lines = tuple(_lines(grid, steps.actions[steps.phases == at], at) for at in range(grid.parameters))
    return Validation(outcomes, lines)


def _lines(grid: Grid, actions: Array, parameter: int) -> dict[str, float]:
    """Return the positions of the lines along a parameter → their share, the most frequent one first."""
    others = [at for at in range(grid.parameters) if at != parameter]
    found = {}
    for action, count in Counter(sorted(actions.tolist())).most_common():
        point = grid.points[grid.takes[action]][0]
        text = ", ".join(f"x{at + 1} = {point[at]:g}" for at in others)
        found[text] = count / len(actions)
    return found
