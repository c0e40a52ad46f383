"""The importance of options in a stored model: in a full one by flipping them, with intervals.

The full model has no terms, so that nothing is exact: means are over all valid configurations if there are at most
20,000, otherwise over drawn ones. Intervals come from the posterior of the full model and from the draw.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sampling import Space
from sampling.space.dependence import ChoiceValues, Flips, flipped, values_of
from sampling.space.optimum import positions_of
from splc.data.configurations import Configurations
from splc.errors import SpaceError
from splc.formats.models.stored_model import StoredModel, Support
from splc.learning.contexts.contrasts import joint_ensemble
from splc.learning.plausibility import valid_predictions
from splc.learning.projection import Full, predictions, valid_configurations
from splc.models.basis.regression import NORMAL_QUANTILE
from splc.models.influence import InfluenceModel
from splc.types import Array, Link
from splc.workflows.explain import importance
from splc.workflows.note import Note, Notes
from splc.workflows.views import UNWATCHED, Watch

DRAWN = 4000  # configurations that are drawn from larger spaces
# Predictions of the effects of all choices, and for the intervals of their effects; at least and at most per choice.
PREDICTED, MIN_PREDICTED, MAX_PREDICTED = 20_000, 400, 4000
JOINT, MIN_JOINT, MAX_JOINT = 6000, 64, 400
MAX_WORK = 1e10  # the cost of intervals: predictions times the square of the rows learned from, for all posteriors
# Interactions are looked for among so many choices, and so many are listed; those of the printed model always are.
AMONG, LISTED = 12, 10
MAX_VALUES = 6  # values per choice of an interaction


@dataclass(frozen=True, eq=False)
class _Effects:
    """The effects of one choice."""

    values: ChoiceValues  # its values
    counts: Array  # the number of configurations with each value, shape (k,)
    means: Array  # their mean prediction, shape (k,)
    changes: Array  # the mean change from the first value, shape (k,); NaN where no valid configuration allows it
    widths: Array  # the half widths of their intervals, shape (k,)
    alone: float  # the variance that the choice explains alone
    total: float  # the mean variance that is left if all other options are fixed
    low: float  # the lower end of the interval of the standard deviation that it causes
    high: float  # the upper end
    strength: float  # this standard deviation: interactions are divided evenly


def overview_of_full(
    full: Full, printed: InfluenceModel, support: Support, space: Space, notes: Notes, watch: Watch = UNWATCHED
) -> importance.Overview:
    """Return the importance of all options of a full model, on the scale of its printed model."""
    system, product = space.system, printed.link == "log"
    titles, choices = importance.choices_of(system)
    used = set(positions_of(full.options, system))
    among = [number for number, members in enumerate(choices) if full.parts and not used.isdisjoint(members)]
    explained = _Explained(full, printed.link, space, len(among))
    if not explained.exhaustive:
        notes.append(Note(f"averages are over {len(explained.pool):,} drawn valid configurations"))
    effects: dict[int, _Effects] = {}
    for done, number in enumerate(among, 1):
        effect = explained.effects(choices[number])
        watch.advance(done, len(among), f"explaining {len(among):,} options")
        if len(effect.values.values) > 1:
            effects[number] = effect
    total = math.fsum(effect.strength**2 for effect in effects.values())
    variance = explained.variance
    if not total:
        notes.append(Note("the prediction is the same for all valid configurations"))
    options = []
    for number in sorted(effects, key=lambda item: (-round(effects[item].strength ** 2 / (total or 1), 12), item)):
        effect = effects[number]
        share, low, high = _share(effect, [other for other in effects.values() if other is not effect])
        alone, whole = (part / variance if variance else 0.0 for part in (effect.alone, effect.total))
        values = tuple(_option_values(effect, explained, product=product))
        names = tuple(system.names[position] for position in choices[number])
        options.append(importance.OptionImportance(titles[number], names, share, alone, whole, values, low, high))
    folds = importance.folds_of(support, choices, system)
    strongest = sorted(effects, key=lambda item: -effects[item].strength)[:AMONG]
    interactions = []
    for numbers, ends in explained.interactions(effects, strongest, folds).items():
        names = tuple(titles[number] for number in sorted(numbers))
        interactions.append(importance.OptionInteraction(names, *ends, numbers in folds, folds.get(numbers)))
    found = (explained.mean, math.sqrt(variance), tuple(options), (), tuple(interactions), True, product)
    return importance.Overview(*found).of_system(system)


def model_overview(stored: StoredModel, space: Space, notes: Notes, watch: Watch = UNWATCHED) -> importance.Overview:
    """Return the importance of the options of a model: of its full model, if it has one."""
    full = stored.full if isinstance(stored.full, Full) else joint_ensemble(stored.full)
    if full is not stored.full:
        notes.append(Note("values of other contexts at the same configurations are left out of these effects"))
    if full is not None:
        support = {stored.model.options_of(term): None for term, _ in stored.model.terms} | dict(stored.support)
        summary = overview_of_full(full, stored.model, support, space, notes, watch)
    else:
        summary = importance.overview_of(stored.model, space, notes, stored.support)
    notes += importance.alias_notes(full, space)
    return summary


def checked_predictions(stored: StoredModel, rows: Sequence[Configurations], space: Space) -> Array:
    """Return the predictions that are explained: of one or two configurations, or else of valid ones."""
    if rows:
        return np.concatenate([stored.predictor.predict(row) for row in rows])
    if stored.model.link == "log":
        return np.zeros(0)
    return valid_predictions(stored.predictor, Configurations(space.system, np.zeros((0, 0), dtype=int)), space)


def mean_of_full(full: Full, link: Link, space: Space) -> float:
    """Return the mean prediction over the valid space; with the link 'log' that of the logarithm."""
    return _Explained(full, link, space).mean


def _share(effect: _Effects, effects: Sequence[_Effects]) -> tuple[float, float, float]:
    """Return the share of the variance of a choice, and the ends of its interval."""
    # The deviations because of the choice itself and of each other one are independent, so that their squares add up.
    total = math.fsum(other.strength**2 for other in effects)

    def share(strength: float, remainder: float) -> float:
        return strength**2 / (strength**2 + remainder) if strength else 0.0

    middle = share(effect.strength, total)
    below, above = (
        math.hypot(*(rest_end**2 - other.strength**2 for rest_end, other in zip(ends, effects, strict=True)))
        for ends in ([other.low for other in effects], [other.high for other in effects])
    )
    low = math.hypot(middle - share(effect.low, total), middle - share(effect.strength, total + above))
    high = math.hypot(share(effect.high, total) - middle, share(effect.strength, max(total - below, 0.0)) - middle)
    return middle, max(middle - low, 0.0), min(middle + high, 1.0)


def _option_values(effects: _Effects, explained: _Explained, *, product: bool) -> list[importance.OptionValue]:
    system, choice = explained.space.system, effects.values
    values = []
    for row, value in enumerate(choice.values):
        label, number = importance.label_of(system, dict(zip(choice.positions, value.tolist(), strict=True)))
        change, width = float(effects.changes[row]), float(effects.widths[row])
        ends = [change, change - width, change + width]
        mean = float(effects.means[row])
        if product:
            mean, ends = math.exp(mean), [math.exp(end) for end in ends]
        bounds = [None if math.isnan(end) else end for end in ends]
        fraction = float(effects.counts[row] / effects.counts.sum())
        own = bounds if row else (bounds[0], None, None)
        values.append(importance.OptionValue(label, number, fraction, mean, *own))
    return values


class _Explained:
    """A full model with the valid configurations that it is explained on."""

    def __init__(self, full: Full, link: Link, space: Space, choices: int = 1) -> None:
        self.full, self.link, self.space = full, link, space
        work = MAX_WORK / (len(full.configurations) ** 2 * max(len(full.parts), 1))
        self.predicted = int(np.clip(PREDICTED / max(choices, 1), MIN_PREDICTED, MAX_PREDICTED))
        self.joint = int(np.clip(min(JOINT, work) / max(choices, 1), MIN_JOINT, MAX_JOINT))
        # The multiple of prediction intervals may be small because their noise is overestimated.
        self.multiple = max(full.quantile, NORMAL_QUANTILE)
        try:
            self.pool = valid_configurations(space.system, DRAWN)
            self.exhaustive = len(self.pool) == space.count
        except SpaceError:
            self.pool = space.draw_approximately(DRAWN, np.random.default_rng(0))[0]
            self.exhaustive = False
        self.f = predictions(full, self.pool, link)
        self.mean = float(self.f.mean())
        self.variance = float(self.f.var())
        self.shuffled = np.random.default_rng(0).permutation(len(self.pool))

    def contexts(self, per_context: int, budget: int) -> Array:
        """Return the indices of random valid configurations, so many that predictions are within a budget."""
        return np.sort(self.shuffled[: max(budget // per_context, 8)])

    def flipped_predictions(self, choice: ChoiceValues) -> tuple[Array, Flips]:
        """Return the predictions with each value of a choice, shape (k, m), 0 where that is invalid, and the flips."""
        indices = self.contexts(len(choice.values), self.predicted)
        flips = flipped(self.pool[indices], [choice], self.space)
        codes = choice.codes[indices]
        f = np.zeros(flips.valid.shape)
        f[codes, np.arange(len(codes))] = self.f[indices]
        mask = flips.valid.copy()
        mask[codes, np.arange(len(codes))] = False
        if mask.any():
            f[mask] = predictions(self.full, flips.configurations[mask.ravel()], self.link)
        return f, flips

    def effects(self, positions: Sequence[int]) -> _Effects:
        """Return the effects of a choice."""
        choice = values_of(self.pool, positions, self.space)
        size = len(choice.values)
        counts = np.bincount(choice.codes, minlength=size)
        means = np.bincount(choice.codes, self.f, size) / counts
        alone = self._between(choice.codes, size)
        f, flips = self.flipped_predictions(choice)
        within = np.where(flips.valid, f, 0.0).sum(axis=0) * flips.weights
        total = float((np.where(flips.valid, (f - within) ** 2, 0.0).sum(axis=0) * flips.weights).mean())
        changes, deviations = self._changes(f, flips)
        strength = math.sqrt((alone + total) / 2)
        posterior, ends = self._uncertainty(choice, counts, strength)
        widths = np.hypot(self.multiple * posterior, NORMAL_QUANTILE * deviations)
        return _Effects(choice, counts, means, changes, widths, alone, total, *ends, strength)

    def _between(self, codes: Array, size: int) -> float:
        """Return Var(E[f | codes]), of drawn configurations without the part that is due to the draw."""
        counts = np.bincount(codes, minlength=size)
        mask = counts > 0
        means = np.bincount(codes, self.f, size)[mask] / counts[mask]
        spread = np.bincount(codes, (self.f - self.mean) ** 2, size)[mask].sum() / len(codes)
        between = float(counts[mask] @ (means - self.mean) ** 2) / len(codes)
        chance = 0.0
        if not self.exhaustive and len(codes) > mask.sum():
            chance = (mask.sum() - 1) / (len(codes) - mask.sum()) * max(spread - between, 0.0)
        return max(between - chance, 0.0)

    def _changes(self, f: Array, flips: Flips) -> tuple[Array, Array]:
        """Return the mean changes from the first value, and their standard errors because of the draw of contexts."""
        allowed = flips.valid & flips.valid[0]
        weights = allowed * flips.weights
        sums = weights.sum(axis=1)
        safe = np.where(sums > 0, sums, 1.0)
        differences = np.where(allowed, f - f[0], 0.0)
        changes = (weights * differences).sum(axis=1) / safe
        squares = (weights**2 * (differences - changes[:, None]) ** 2).sum(axis=1) / safe**2
        fraction = 1 - f.shape[1] / len(self.pool) if self.exhaustive else 1.0
        errors = np.sqrt(squares * max(fraction, 0.0))
        return np.where(sums > 0, changes, np.nan), errors

    def _uncertainty(self, choice: ChoiceValues, counts: Array, strength: float) -> tuple[Array, tuple[float, float]]:
        """Return the standard deviations of the changes, and the ends of the interval of the strength."""
        size = len(choice.values)
        flips = flipped(self.pool[self.contexts(size, self.joint)], [choice], self.space)
        weights = flips.valid * flips.weights
        sums = weights.sum(axis=1, keepdims=True)
        weights = weights / np.where(sums > 0, sums, 1.0)
        blocks = _by_value(weights)
        means, joint = self.full.weighted_sums(flips.configurations, np.eye(blocks.shape[1]), self.link)
        covariance = blocks @ joint @ blocks.T
        spread = np.diag(covariance)
        changes = np.sqrt(np.maximum(spread + spread[0] - 2 * covariance[0], 0.0))
        shares = counts / counts.sum()
        centred = np.eye(size) - shares
        low, high = self._ends(strength, centred @ blocks @ means, centred @ covariance @ centred.T, shares)
        # What is unknown of single flips may be interactions.
        return changes, (low, math.hypot(high, math.sqrt(_spread_of_flips(joint, flips) / 2)))

    def _ends(self, strength: float, values: Array, covariance: Array, shares: Array) -> tuple[float, float]:
        """Return the ends of the interval of a standard deviation of values with these shares."""
        # A deviation in the direction of the values changes it in proportion, others only add to it.
        variance = float(shares @ np.diag(covariance))
        direction = shares * values
        size = float(direction @ values)
        along = float(direction @ covariance @ direction) / size if size > 0 else variance
        width = self.multiple * math.sqrt(max(along, 0.0))
        return max(strength - width, 0.0), math.hypot(strength + width, math.sqrt(max(variance - along, 0.0)))

    def interactions(
        self, effects: Mapping[int, _Effects], strongest: Sequence[int], printed: Mapping[frozenset[int], int | None]
    ) -> dict[frozenset[int], tuple[float, float | None, float | None]]:
        """Return sets of choices → share of their interaction, and the ends of its interval if it has one."""
        if not self.variance:
            return {}
        pairs = sorted(map(frozenset, combinations(strongest, 2)), key=lambda pair: -abs(self._joint(effects, pair)))
        sets = [*pairs[:LISTED], *(group for group in printed if len(group) > 1 and group <= effects.keys())]
        shares: dict[frozenset[int], tuple[float, float | None, float | None]] = {}
        for numbers in dict.fromkeys(sets):
            contrast = self._contrast(effects, numbers) if len(numbers) == 2 else None
            if contrast is None:
                shares[numbers] = max(self._joint(effects, numbers), 0.0) / self.variance, None, None
            else:
                share, low, high = (min(value**2 / self.variance, 1.0) for value in contrast)
                shares[numbers] = share, low, high
        return shares

    def _joint(self, effects: Mapping[int, _Effects], numbers: frozenset[int]) -> float:
        """Return the variance that choices explain together, and not in smaller sets."""
        total = 0.0
        for size in range(1, len(numbers) + 1):
            for subset in combinations(sorted(numbers), size):
                choices = [effects[number].values for number in subset]
                sizes = [len(choice.values) for choice in choices]
                codes = np.ravel_multi_index([choice.codes for choice in choices], sizes)
                total += (-1) ** (len(numbers) - size) * self._between(codes, math.prod(sizes))
        return total

    def _contrast(self, effects: Mapping[int, _Effects], pair: frozenset[int]) -> tuple[float, float, float] | None:
        """Return the deviation that an interaction causes, and its ends; None where no context allows all values."""
        first, two = (_some(effects[number].values) for number in sorted(pair))
        cells = len(first.values) * len(two.values)
        flips = flipped(self.pool[self.contexts(cells, self.joint)], [first, two], self.space)
        free = flips.valid.all(axis=0)
        if not free.any():
            return None
        weights = _by_value(np.tile(free / free.sum(), (cells, 1)))
        centre = np.kron(*(np.eye(len(choice.values)) - 1 / len(choice.values) for choice in (first, two)))
        values, covariance = self.full.weighted_sums(flips.configurations, centre @ weights, self.link)
        strength = math.sqrt(float((values**2).mean()))
        return strength, *self._ends(strength, values, covariance, np.full(cells, 1 / cells))


def _spread_of_flips(covariance: Array, flips: Flips) -> float:
    """Return the mean variance that the values of a context have by their posterior covariance."""
    size, contexts = flips.valid.shape
    blocks = np.einsum("ksls->skl", covariance.reshape(size, contexts, size, contexts))
    valid = flips.valid.T
    together = np.einsum("skl,sk,sl->s", blocks, valid, valid)
    single = np.einsum("skk,sk->s", blocks, valid)
    return max(float((flips.weights * (single - together * flips.weights)).mean()), 0.0)


def _by_value(weights: Array) -> Array:
    """Return the weights of the configurations of `Flips` in means per value, shape (k, k m), for weights (k, m)."""
    return (np.eye(len(weights))[:, :, np.newaxis] * weights).reshape(len(weights), weights.size)


def _some(choice: ChoiceValues) -> ChoiceValues:
    """Return a choice with some of its values, from the first to the last."""
    if len(choice.values) <= MAX_VALUES:
        return choice
    indices = np.linspace(0, len(choice.values) - 1, MAX_VALUES).round().astype(int)
    return ChoiceValues(choice.positions, choice.values[indices], choice.codes)
