"""Settings of the training: the values of the paper, scaled down, and our choices where it states none."""

from __future__ import annotations

from dataclasses import dataclass

from casestudies.sampling_agent.environment import BAND, MAX_SINGLE
from splc.errors import SpecError


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of the training."""

    seed: int = 0  # of all draws
    epochs: int = 60  # how many epochs; in the first one all actions are drawn (paper: 200)
    episodes: int = 500  # per epoch; in the first one, episodes that ended with an accurate model (paper: 1000)
    side_by_side: int = 50  # episodes that are played at once, before the network learns from them (paper: 1)
    epsilon: tuple[float, float] = (1.0, 0.1)  # share of drawn actions at first, and at last (paper: 1.0, 0.1)
    annealed: float = 0.25  # the share of epochs after which it has become the last one, linearly (paper: 50 of 200)
    compared: int = 100  # functions on which networks are compared after each epoch (paper: 100)
    # whether each epoch continues from the best network so far, not from the latest ("will be used as a baseline for
    # training in the next epoch" can be read either way)
    from_best: bool = False
    band: float = BAND  # relative error at the target that is good enough (paper: 5 %)
    most_single: int = MAX_SINGLE  # most single points of an episode (paper: "a predefined maximum")
    hidden: tuple[int, ...] = (64, 64)  # sizes of the two hidden layers (not in the paper, as all that follows)
    gamma: float = 0.5  # how much later rewards count
    # learning rate of Adam in the first epoch; it falls linearly, to a twentieth in the last one, since the cost of one
    # function says little of the next one's
    rate: float = 1e-3
    batch: int = 64  # transitions per update; there is one update per episode (paper: one as well)
    target_every: int = 100  # updates after which the target network becomes the present one
    capacity: int = 100_000  # transitions that are remembered
    alpha: float = 0.6  # how much surprise counts when transitions are drawn
    beta: float = 0.4  # at first, how far importance weights undo this; it grows linearly to 1

    def __post_init__(self) -> None:
        if self.epochs < 2 or self.episodes < 1 or self.side_by_side < 1 or self.compared < 1:
            hint = "two epochs or more, and one episode or more in each"
            raise SpecError("nothing can be learned from so little", hint=hint)

    def epsilon_at(self, epoch: int) -> float:
        """Return the share of drawn actions in an epoch, counted from 1."""
        first, last = self.epsilon
        length = max(self.annealed * self.epochs - 1, 1)
        return first + (last - first) * min((epoch - 1) / length, 1.0)

    def beta_at(self, epoch: int) -> float:
        """Return the exponent of importance weights in an epoch, counted from 1."""
        return self.beta + (1 - self.beta) * (epoch - 1) / (self.epochs - 1)

    def rate_at(self, epoch: int) -> float:
        """Return the learning rate in an epoch, counted from 1."""
        return self.rate * (1 - 0.95 * (epoch - 1) / (self.epochs - 1))
