"""The differences between the values of a context: contrasts of the posterior of their joint model.

In: a joint model. Out: the level and the influences of options with each value (`ContextInfluences`), what differs
between two values (`contrast`) or over all of them (`variations`), and the places where influences change along the
values of an ordered context, such as versions (`change_points`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import SpaceError
from splc.io.numbers import comparable_size
from splc.learning.contexts.change_test import option_column
from splc.learning.contexts.sharing import JointModel
from splc.learning.contexts.sources import SourceMixture
from splc.learning.projection import Ensemble, Mixture, valid_configurations
from splc.models.basis.regression import NORMAL_QUANTILE
from splc.types import Array

FALSE_CHANGES = 0.05  # the probability that any change is stated for a pair of values although no influence changed
ROWS_PER_OPTION = 2  # with fewer rows per option of a value, some changes are stated of the wrong options
# Valid configurations to average over: of two values, and of all values together.
AVERAGED, AVERAGED_IN_ALL = 500, 2000
_NUMBERED = re.compile(r"(\D*)\d+(?:[._-]\d+)*(\D*)")


@dataclass(frozen=True)
class InfluenceContrast:
    """The influence of an option with one value of a context relative to that with another one."""

    option: str  # the option
    factor: float  # the factor between its greatest and its least value, or selected and not, after relative to before
    low: float  # the lower end of the 90 % interval
    high: float  # the upper end
    settled: bool  # whether the change is larger than its uncertainty


@dataclass(frozen=True)
class ContextContrast:
    """The values with one value of a context relative to those with another one."""

    first: str  # the value of the context before
    second: str  # the value after
    factor: float  # the common factor: the geometric mean of the ratios over valid configurations
    low: float  # the lower end of its 90 % interval
    high: float  # the upper end
    influences: tuple[InfluenceContrast, ...]  # the influences, the largest change first
    few_rows: bool = False  # whether a value has so few rows that some changes are of the wrong options
    threshold: float = NORMAL_QUANTILE  # the number of standard deviations above which changes are settled

    @property
    def settled(self) -> tuple[InfluenceContrast, ...]:
        """The influences that changed by more than their uncertainty."""
        return tuple(influence for influence in self.influences if influence.settled)

    @property
    def rest(self) -> float:
        """The largest change among the others, as a factor above 1; 1 if there are none."""
        sizes = [abs(math.log(influence.factor)) for influence in self.influences if not influence.settled]
        return math.exp(max(sizes, default=0.0))


@dataclass(frozen=True)
class InfluenceVariation:
    """The influence of an option over the values of a context."""

    option: str  # the option
    factors: tuple[float, ...]  # the factor between its greatest and least value (selected and not), with each value
    spread: float  # the standard deviation of the logarithms of these factors
    settled: bool  # whether the influence differs between two of the values by more than the uncertainty


@dataclass(frozen=True)
class ChangePoint:
    """A change of an influence, or of the common factor, between two values of an ordered context."""

    option: str | None  # the option; None is the common factor
    first: str  # the last value before the change
    second: str  # the first value after it: the change happened between both
    factor: float  # the factor after relative to before
    low: float  # the lower end of its 90 % interval
    high: float  # the upper end


@dataclass(frozen=True, eq=False)
class ContextInfluences:
    """The level and the influences of options with each value of a context, in logarithms; options are linear in it."""

    names: tuple[str, ...]  # the values of the context
    options: tuple[str, ...]  # k options that vary
    means: Array  # the level, and the influence of each option over its range, shape (values, 1 + k)
    covariances: Array  # the covariance of each of these between the values, shape (1 + k, values, values)
    rows: tuple[int, ...] = ()  # the number of rows of each value; none if they are not known

    @classmethod
    def of(cls, full: Ensemble, names: Sequence[str] = ()) -> ContextInfluences | None:
        """Return the influences with some values; none: all. None without factors, or of one context."""
        block = full.basis.context
        if block is None or not full.parts or full.scale.name != "log":
            return None
        names, members = tuple(names or block.names), [each for one in full.basis.variables for each in one.members]
        try:
            configurations = valid_configurations(full.configurations.system, AVERAGED)
        except SpaceError:
            configurations = full.configurations.unique()
        # Fewer for many values, but more than options.
        count = min(AVERAGED, max(AVERAGED_IN_ALL // len(names), 2 * len(members) + 20))
        some = np.random.default_rng(0).permutation(len(configurations))[:count]
        configurations = configurations[np.sort(some)]
        columns = {name: option_column(configurations.column(name)) for name in members}
        columns = {name: column for name, column in columns.items() if np.ptp(column) > 0}
        centred = np.column_stack([np.ones(len(configurations)), *(x - x.mean() for x in columns.values())])
        spans = np.array([1.0, *(float(np.ptp(x)) for x in columns.values())])
        weights = np.linalg.pinv(centred) * spans[:, None]
        # The configurations with each value, one after the other.
        places = np.repeat([block.names.index(name) for name in names], len(configurations))
        designs = full.basis.designs(Configurations.concatenate([configurations] * len(names)), places)
        mixture = Mixture(full.parts, designs)
        every = np.kron(np.eye(len(names)), weights)
        shape = len(names), len(spans)
        means = (every @ mixture.means.mean(axis=0)).reshape(shape)
        # Between the parts, the influences of all values differ together.
        covariance = np.einsum("cidi->icd", mixture.covariance(every).reshape(shape + shape))
        # If held-out values of all contexts deviate more than expected, influences deviate more, too.
        quantile = full.quantile if full.joint_quantile is None else full.joint_quantile
        wider = max(1.0, quantile / NORMAL_QUANTILE)
        counts = () if full.places is None else np.bincount(full.places, minlength=len(block.names)).tolist()
        rows = tuple(counts[block.names.index(name)] for name in names) if counts else ()
        return cls(names, tuple(columns), means, wider**2 * covariance, rows)

    @classmethod
    def of_joint(cls, joint: JointModel) -> ContextInfluences | None:
        """Return the influences with all values of a joint model; None of one without factors."""
        return cls.of(joint.of(joint.names[0]).ensemble)

    def contrast(self, first: str, second: str) -> ContextContrast:
        """Return what differs between two values."""
        mean, deviation = self.difference(self.names.index(first), self.names.index(second))
        settled = abs(mean) > self.threshold(1) * deviation
        factors, low, high = _factors(mean, deviation).tolist()
        rows = zip(self.options, factors[1:], low[1:], high[1:], settled[1:].tolist(), strict=True)
        contrasts = [InfluenceContrast(*row) for row in rows]
        ranked = tuple(sorted(contrasts, key=lambda contrast: -comparable_size(abs(math.log(contrast.factor)))))
        few = self.few_rows(first, second)
        return ContextContrast(first, second, factors[0], low[0], high[0], ranked, few, self.threshold(1))

    def few_rows(self, *names: str) -> bool:
        """Return whether one of the values has fewer than two rows per option; no names: any of all."""
        rows = dict(zip(self.names, self.rows, strict=False))
        return any(rows.get(name, math.inf) < ROWS_PER_OPTION * len(self.options) for name in names or self.names)

    def variations(self) -> tuple[InfluenceVariation, ...]:
        """Return the influences of all options, those that vary most first."""
        settled = np.any([np.zeros(1 + len(self.options)), *self._settled().values()], axis=0)
        spreads = self.means.std(axis=0)
        factors = np.exp(np.clip(self.means, -600, 600))
        rows = zip(self.options, factors.T[1:].tolist(), spreads[1:].tolist(), settled[1:].tolist(), strict=True)
        variations = [InfluenceVariation(name, tuple(each), spread, clear) for name, each, spread, clear in rows]
        return tuple(sorted(variations, key=lambda variation: -comparable_size(variation.spread)))

    def difference(self, before: int, after: int) -> tuple[Array, Array]:
        """Return the differences of logarithms between two values, and their standard deviations."""
        matrices = self.covariances
        variance = matrices[:, before, before] + matrices[:, after, after] - 2 * matrices[:, before, after]
        return self.means[after] - self.means[before], np.sqrt(np.maximum(variance, 0.0))

    def _settled(self) -> dict[tuple[int, int], Array]:
        """Return pair of values → which of the level and the influences differ by more than the uncertainty."""
        threshold = self.threshold(self.pairs)
        differences = {pair: self.difference(*pair) for pair in combinations(range(len(self.names)), 2)}
        return {pair: abs(mean) > threshold * spread for pair, (mean, spread) in differences.items()}

    @property
    def ordered(self) -> bool:
        """True if the values of the context differ in numbers only, as versions do."""
        matches = [_NUMBERED.fullmatch(value) for value in self.names]
        return len(matches) > 1 and all(matches) and len({match.groups() for match in matches if match}) == 1

    def change_points(self) -> tuple[ChangePoint, ...]:
        """Return the changes along the values, each in the smallest range whose ends differ for certain."""
        settled, points = self._settled(), []
        for index, option in enumerate((None, *self.options)):
            pairs = [pair for pair, differs in settled.items() if differs[index]]
            for first, second in pairs:
                inner = (pair for pair in pairs if first <= pair[0] and pair[1] <= second)
                if all(pair == (first, second) for pair in inner):
                    middle, spread = (values[index] for values in self.difference(first, second))
                    ends = _factors(middle, spread).tolist()
                    points.append(ChangePoint(option, self.names[first], self.names[second], *ends))
        return tuple(points)

    @property
    def pairs(self) -> int:
        """The number of pairs of values."""
        return math.comb(len(self.names), 2)

    def threshold(self, pairs: int) -> float:
        """Return how many standard deviations a changed influence differs by, where so many pairs are compared."""
        compared = max(1, pairs * len(self.options))
        return NormalDist().inv_cdf(1 - FALSE_CHANGES / 2 / compared)


def _factors(mean: Array, deviation: Array) -> Array:
    """Return the factor for a difference of logarithms, and the ends of its 90 % interval, shape (3, …)."""
    reach = NORMAL_QUANTILE * deviation
    return np.asarray(np.exp(np.clip([mean, mean - reach, mean + reach], -600, 600)))


def in_half_widths(threshold: float) -> str:
    """Return in words by how much a change exceeds its uncertainty if it is settled: by so many deviations."""
    return f"by more than {threshold / NORMAL_QUANTILE:.3g} times half the width of the 90 % interval"


def joint_ensemble(full: object) -> Ensemble | None:
    """Return the joint model in a full model that predicts one value of a context; None of other models."""
    model = full.sources.joint if isinstance(full, SourceMixture) else full
    return model if isinstance(model, Ensemble) else None
