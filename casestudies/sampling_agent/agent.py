"""The agent: double DQN, in PyTorch (the extra `agent`), which is imported when an agent is made.

Sources: Mnih et al., Human-level control through deep reinforcement learning (2015); van Hasselt et al., Deep
reinforcement learning with double Q-learning (2016), eq. 4; Schaul et al., Prioritized experience replay (2016).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from casestudies.sampling_agent.network import Network, drawn_network
from casestudies.sampling_agent.replay import Replay
from casestudies.sampling_agent.settings import TrainingSettings


class Agent:
    """A network that learns the value of actions, one update at a time."""

    def __init__(self, inputs: int, actions: int, settings: TrainingSettings, rng: np.random.Generator) -> None:
        """Start with a new network."""
        import torch

        self._torch: Any = torch
        # Matrices as small as these take longer on several threads.
        torch.set_num_threads(1)
        self._settings, self._rng = settings, rng
        sizes = (inputs, *settings.hidden, actions)
        self._online: Any = self._blank(sizes)
        self._target: Any = self._blank(sizes)
        self._optimiser: Any = torch.optim.Adam(self._online.parameters(), lr=settings.rate)
        self._updates = 0
        self.become(drawn_network(sizes, rng))

    def _blank(self, sizes: tuple[int, ...]) -> Any:
        nn = self._torch.nn
        layers: list[Any] = []
        for before, after in itertools.pairwise(sizes):
            layers += [nn.Linear(before, after), nn.ReLU()]
        return nn.Sequential(*layers[:-1])

    def network(self) -> Network:
        """Return the network as it is now."""
        linear = [each for each in self._online if isinstance(each, self._torch.nn.Linear)]
        return Network(
            tuple((each.weight.detach().numpy().copy(), each.bias.detach().numpy().copy()) for each in linear)
        )

    def become(self, network: Network) -> None:
        """Continue from another network."""
        torch = self._torch
        for model in (self._online, self._target):
            linear = [each for each in model if isinstance(each, torch.nn.Linear)]
            with torch.no_grad():
                for each, (weights, biases) in zip(linear, network.layers, strict=True):
                    each.weight.copy_(torch.tensor(weights))
                    each.bias.copy_(torch.tensor(biases))

    def learn(self, replay: Replay, beta: float, rate: float) -> float:
        """Make one update from remembered transitions, and return the loss.

        The present network chooses the following action, the target network says what it is worth: r + γ·Q'(s',
        argmax Q(s', a)), over the actions that are allowed there.

        `beta`: see `Replay.draw`.
        """
        torch = self._torch
        self._optimiser.param_groups[0]["lr"] = rate
        rows, weights = replay.draw(self._settings.batch, beta, self._rng)
        states, actions, rewards, following, allowed = (torch.from_numpy(each) for each in replay.at(rows))
        with torch.no_grad():
            choice = self._online(following).masked_fill(~allowed, -torch.inf).argmax(dim=1, keepdim=True)
            later = self._target(following).gather(1, choice).squeeze(1)
            wanted = rewards + self._settings.gamma * later * allowed.any(dim=1)
        found = self._online(states).gather(1, actions[:, None]).squeeze(1)
        errors = found - wanted
        losses = torch.nn.functional.smooth_l1_loss(found, wanted, reduction="none")
        loss = (torch.from_numpy(weights).float() * losses).mean()
        self._optimiser.zero_grad()
        loss.backward()
        self._optimiser.step()
        replay.surprised(rows, errors.detach().numpy())
        self._updates += 1
        if self._updates % self._settings.target_every == 0:
            self._target.load_state_dict(self._online.state_dict())
        return float(loss.detach())
