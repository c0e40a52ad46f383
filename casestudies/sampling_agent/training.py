"""The training of the agent, epoch after epoch (Ritter et al., III.C-D, Fig. 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from casestudies.sampling_agent.agent import Agent
from casestudies.sampling_agent.environment import Episodes
from casestudies.sampling_agent.grid import Grid
from casestudies.sampling_agent.network import Network
from casestudies.sampling_agent.outcome import EpisodeOutcome, outcome_of
from casestudies.sampling_agent.policies import by_chance, by_value, exploring, play
from casestudies.sampling_agent.replay import Replay
from casestudies.sampling_agent.settings import TrainingSettings
from casestudies.sampling_agent.tasks import Draw, Modeler

# The streams of draws: what one of them draws does not change with how much another one did.
_COMPARED, _TRAINED, _AGENT = 1, 2, 3
# A modeler that is hardly ever right ends the first epoch, too.
_MAX_DRAWN = 20


@dataclass(frozen=True)
class Epoch:
    """One epoch."""

    number: int  # counted from 1
    epsilon: float  # the share of drawn actions
    trained: EpisodeOutcome  # its episodes
    # what its network reaches on the functions on which networks are compared, without drawn actions
    compared: EpisodeOutcome
    better: bool  # whether it took the place of the best network so far
    best: Network  # the best network so far


def train(grid: Grid, draw: Draw, modeler: Modeler, settings: TrainingSettings) -> Iterator[Epoch]:
    """Train an agent, and yield every epoch once it is over.

    Transitions are remembered only of episodes that ended with an accurate model. After each epoch the network is
    compared with the best one so far on functions of their own, and the better one is kept.
    """
    replay = Replay(settings.capacity, grid.inputs, grid.actions, settings.alpha)
    agent = Agent(grid.inputs, grid.actions, settings, np.random.default_rng([settings.seed, _AGENT]))
    rng = np.random.default_rng([settings.seed, _TRAINED])
    compared_tasks = draw(settings.compared, np.random.default_rng([settings.seed, _COMPARED]))
    best, reached = agent.network(), -np.inf
    for number in range(1, settings.epochs + 1):
        epsilon = settings.epsilon_at(number)
        parts: list[EpisodeOutcome] = []
        while not _over(parts, number, settings):
            tasks = draw(settings.side_by_side, rng)
            episodes = Episodes(grid, tasks, modeler, settings.band, settings.most_single)
            policy = by_chance(rng) if number == 1 else exploring(by_value(agent.network()), epsilon, rng)
            steps = play(episodes, policy)
            replay.add(steps.part(episodes.accurate[steps.episodes]))
            parts.append(outcome_of(episodes, steps))
            if number > 1 and len(replay):
                for _ in range(len(episodes)):
                    agent.learn(replay, settings.beta_at(number), settings.rate_at(number))
        episodes = Episodes(grid, compared_tasks, modeler, settings.band, settings.most_single)
        compared = outcome_of(episodes, play(episodes, by_value(agent.network())))
        better = compared.score >= reached
        if better:
            best, reached = agent.network(), compared.score
        elif settings.from_best:
            agent.become(best)
        yield Epoch(number, epsilon, EpisodeOutcome.joined(parts), compared, better, best)


def _over(parts: list[EpisodeOutcome], epoch: int, settings: TrainingSettings) -> bool:
    """Return whether an epoch is over: in the first one, only episodes with an accurate model count."""
    played = sum(len(part.accurate) for part in parts)
    if epoch > 1 or played >= _MAX_DRAWN * settings.episodes:
        return played >= settings.episodes
    return sum(int(part.accurate.sum()) for part in parts) >= settings.episodes
