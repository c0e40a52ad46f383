"""By which factor predictions miss values, and where: a tree over value / prediction.

In: values, predictions and their configurations. Out: a `Discrepancy`, with the factor of the least error and the
`places`, the leaves of a regression tree (Breiman et al., Classification and Regression Trees, 1984) of at most three
splits. A value or a bound of one option splits the configurations where this explains most of the squared deviations of
ln(value / prediction).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from splc.data.accuracy import relative_errors
from splc.data.configurations import Configurations, value_table
from splc.data.table import DESELECTED
from splc.io.numbers import short_number
from splc.types import Array

SPLITS = 3
# A split is made if its sides differ by as many standard errors, since some hundreds of conditions are tried, and if it
# explains such a share of all squared deviations.
_STANDARD_ERRORS = 4.0
_SHARE = 0.05
_FEWEST = 3
_TIMES_WORSE = 1.25  # errors in a place are worse than elsewhere from so many times on
_MOST = 0.9  # without as large a share of positive ratios there is no factor
_MOST_VALUES = 10  # options with more values are only cut in two, at so many places
_ROUNDING = 1e-10  # ratios that differ by less are equal
_QUANTILE = 1.96  # of the standard normal distribution, for 95 % intervals


@dataclass(frozen=True)
class Place:
    """Configurations that are missed by another factor than the others."""

    text: str  # what they have in common, such as `px = 1`
    configurations: int  # their number
    ratio: float  # the geometric mean of value / prediction
    low: float  # the lower bound of its 95 % interval
    high: float  # the upper bound
    error: float  # their mean relative error with the factor of all configurations, in percent


@dataclass(frozen=True)
class Discrepancy:
    """The factor by which predictions miss values, and their errors with and without it."""

    ratio: float  # the geometric mean of value / prediction, where it is positive
    factor: float  # the factor on all predictions with the least mean relative error
    error: float  # the mean relative error with this factor, in percent
    unscaled: float  # the mean relative error without a factor, in percent
    places: tuple[Place, ...] = ()  # the leaves of the tree, that of the greatest error first; none without a split

    @property
    def by_factor(self) -> bool:
        """True if predictions are wrong mainly by a factor: of 2 at least, or one that halves an error of 10 %."""
        return not 0.5 < self.ratio < 2 or self.error <= self.unscaled / 2 >= 5

    @property
    def worst(self) -> Place | None:
        """The place with the greatest error, None if no place is much worse than the others."""
        if not self.places:
            return None
        found, *others = self.places
        elsewhere = np.average([each.error for each in others], weights=[each.configurations for each in others])
        return found if found.error > _TIMES_WORSE * elsewhere else None


def discrepancy(
    values: Array, predicted: Array, configurations: Configurations | None = None, weights: Array | None = None
) -> Discrepancy | None:
    """Return how predictions miss values, None where no positive factor relates most of them.

    `values`, `predicted`, `weights`: shape (n,). Rows in which either value is 0 are left out.
    """
    used = (values != 0) & (predicted != 0)
    values, predicted = values[used], predicted[used]
    weights = np.ones(len(values)) if weights is None else weights[used]
    with np.errstate(all="ignore"):
        ratios = values / predicted
        positive = (ratios > 0) & (weights > 0)
        # The error is convex and piecewise linear in the factor: it is least at a weighted median.
        order = np.argsort(ratios)
        sums = (weights / np.abs(ratios))[order].cumsum()
        if not positive.any() or positive.mean() < _MOST or not sums[-1] < np.inf:
            return None
        factor = float(ratios[order][np.searchsorted(sums, sums[-1] / 2)])
        logs = np.log(ratios[positive])
        ratio = float(np.exp(np.average(logs, weights=weights[positive])))
        errors, unscaled = (100 * relative_errors(times * predicted, values) for times in (factor, 1))
        if not (factor > 0 and np.isfinite([errors, unscaled]).all()):
            return None
    mean, mean_unscaled = (float(np.average(each, weights=weights)) for each in (errors, unscaled))
    leaves = () if configurations is None else places_of(logs, errors[positive], configurations[used][positive])
    return Discrepancy(ratio, factor, mean, mean_unscaled, leaves)


def places_of(logs: Array, errors: Array, configurations: Configurations) -> tuple[Place, ...]:
    """Return the leaves of the tree, the one with the greatest error first; none without a split.

    `logs`: ln(value / prediction), shape (n,). `errors`: in percent, shape (n,).
    """
    # Rows of a leaf, position of an option → the levels that its conditions leave, and the best split.
    leaves: list[tuple[Array, dict[int, Array], tuple[float, int, Array]]]
    leaves = [(np.arange(len(logs)), {}, _best_split(logs, configurations))]
    # What rounding leaves is no deviation.
    least = max(_SHARE * float(((logs - logs.mean()) ** 2).sum()), len(logs) * _ROUNDING**2)
    for _ in range(SPLITS):
        at = max(range(len(leaves)), key=lambda place: leaves[place][2][0])
        rows, conditions, (gain, option, chosen) = leaves[at]
        if gain <= least:
            break
        del leaves[at]
        inside = chosen[configurations.indices[rows, option]]
        for part, levels in ((rows[inside], chosen), (rows[~inside], ~chosen)):
            kept = {**conditions, option: levels & conditions.get(option, True)}
            leaves.append((part, kept, _best_split(logs[part], configurations[part])))
    found = []
    for rows, conditions, _ in leaves if len(leaves) > 1 else ():
        mean = float(logs[rows].mean())
        half = _QUANTILE * float(logs[rows].std(ddof=1)) / np.sqrt(len(rows))
        ratio, low, high = np.exp([mean, mean - half, mean + half]).tolist()
        text = ", ".join(_condition(configurations, option, conditions[option]) for option in sorted(conditions))
        found.append(Place(text, len(rows), ratio, low, high, float(errors[rows].mean())))
    return tuple(sorted(found, key=lambda place: -place.error))


def _best_split(values: Array, configurations: Configurations) -> tuple[float, int, Array]:
    """Return the squared deviations that the best condition explains (0: none does), its option, and its levels."""
    count, best = len(values), (0.0, 0, np.zeros(0, dtype=bool))
    centred = values - values.mean()
    for at, option in enumerate(configurations.system.options):
        levels, indices = value_table(option), configurations.indices[:, at]
        # The sums of levels are those of all conditions on them.
        counts, sums = np.bincount(indices, minlength=len(levels)), np.bincount(indices, centred, len(levels))
        for chosen in _conditions(levels, counts > 0):
            inside = int(counts[chosen].sum())
            if min(inside, count - inside) >= _FEWEST:
                between = float(sums[chosen].sum() ** 2 * count / (inside * (count - inside)))
                if between > best[0] * (1 + 1e-9):
                    best = between, at, chosen
    within = (float((centred**2).sum()) - best[0]) / max(count - 2, 1)
    return best if best[0] > _STANDARD_ERRORS**2 * within else (0.0, *best[1:])


def _conditions(levels: Array, occurs: Array) -> Iterator[Array]:
    """Yield the levels of an option that fulfil a condition on it, each of shape (levels,)."""
    seen = levels[occurs & ~np.isnan(levels)]
    cuts = min(len(seen), _MOST_VALUES)
    bounds = seen[np.linspace(0, len(seen) - 1, cuts).round().astype(int)][:-1]
    yield from (levels <= value for value in bounds.tolist())
    yield from (levels == value for value in seen[1:-1].tolist() if cuts == len(seen))
    if np.isnan(levels[occurs]).any():
        yield np.isnan(levels)


def _condition(configurations: Configurations, at: int, left: Array) -> str:
    """Return which values of an option are left, of those that occur: `px = 1`, `nx >= 8`, `8 <= nx <= 16`."""
    option = configurations.system.options[at]
    occurs = np.bincount(configurations.indices[:, at], minlength=len(left)) > 0
    values = value_table(option)[occurs].tolist()
    texts = np.array([DESELECTED if np.isnan(value) else short_number(value) for value in values])
    kept = np.flatnonzero(left[occurs])
    first, last = kept[0], kept[-1]
    if len(kept) == 1 or last - first >= len(kept) or texts[last] == DESELECTED:
        others = np.delete(texts, kept)
        few, word = (texts[kept], "=") if len(kept) <= len(others) else (others, "not")
        return f"{option.name} {word} {' or '.join(few)}"
    if last == len(texts) - 1:
        return f"{option.name} >= {texts[first]}"
    return f"{option.name} <= {texts[last]}" if first == 0 else f"{texts[first]} <= {option.name} <= {texts[last]}"
