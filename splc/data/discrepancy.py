"""The factor by which predictions miss values, and the configurations at which they miss them most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from splc.data.accuracy import relative_errors
from splc.data.configurations import Configurations, value_table
from splc.io.numbers import short_number
from splc.types import Array

# A condition is stated if its configurations differ by as many standard errors: some hundreds of conditions are tried.
_STANDARD_ERRORS = 4.0
_TIMES_WORSE = 1.5
_FEWEST = 3
# Without as large a share of positive ratios there is no factor.
_MOST = 0.9
# Options with more values are only cut in two, at so many places.
_MOST_VALUES = 10


@dataclass(frozen=True)
class Place:
    """Configurations that are missed by more than the others."""

    text: str  # what they have in common, such as `px = 1`
    error: float  # their mean error in percent


@dataclass(frozen=True)
class Discrepancy:
    """The factor by which predictions miss values, and their errors with and without it."""

    ratio: float  # the geometric mean of value / prediction, where it is positive
    factor: float  # the factor on all predictions with the least mean relative error
    error: float  # the mean relative error with this factor, in percent
    unscaled: float  # the mean relative error without a factor, in percent
    place: Place | None = None  # where the error with this factor is greatest, None if it depends on no single option

    @property
    def by_factor(self) -> bool:
        """True if predictions are wrong mainly by a factor: of 2 at least, or one that halves an error of 10 %."""
        return not 0.5 < self.ratio < 2 or self.error <= self.unscaled / 2 >= 5


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
        ratio = float(np.exp(np.average(np.log(ratios[positive]), weights=weights[positive])))
        errors, unscaled = (100 * relative_errors(times * predicted, values) for times in (factor, 1))
        if not (factor > 0 and np.isfinite([errors, unscaled]).all()):
            return None
    place = None if configurations is None else worst_place(errors, configurations[used])
    mean, mean_unscaled = (float(np.average(each, weights=weights)) for each in (errors, unscaled))
    return Discrepancy(ratio, factor, mean, mean_unscaled, place)


def worst_place(errors: Array, configurations: Configurations) -> Place | None:
    """Return the value or range of one option that explains most of the errors, None if none does.

    `errors`: in percent, shape (n,), signed or not.
    """
    count, best, found = len(errors), 0.0, None
    # Squares of huge errors would overflow.
    size = float(np.abs(errors).max(initial=0.0))
    scaled = errors / size if size else errors
    total, spread = scaled.sum(), float(((scaled - scaled.mean()) ** 2).sum()) if count else 0.0
    for at, option in enumerate(configurations.system.options):
        levels, indices = value_table(option), configurations.indices[:, at]
        # The sums of levels are those of all conditions on them.
        counts, sums = np.bincount(indices, minlength=len(levels)), np.bincount(indices, scaled, len(levels))
        for text, there in _conditions(option.name, levels, counts > 0):
            inside = int(counts[there].sum())
            if min(inside, count - inside) < _FEWEST:
                continue
            here = sums[there].sum() / inside
            others = (total - here * inside) / (count - inside)
            between = inside * (count - inside) / count * (here - others) ** 2
            if between > best and abs(here) > _TIMES_WORSE * abs(others):
                best, found = between, Place(text, float(here * size))
    within = (spread - best) / max(count - 2, 1)
    return found if best > _STANDARD_ERRORS**2 * within else None


def _conditions(name: str, levels: Array, occurs: Array) -> Iterator[tuple[str, Array]]:
    """Yield (condition on an option, the levels that fulfil it), each of shape (levels,)."""
    seen = levels[occurs & ~np.isnan(levels)]
    cuts = min(len(seen), _MOST_VALUES)
    yield from ((f"{name} = {short_number(value)}", levels == value) for value in seen.tolist() if cuts == len(seen))
    for value in seen[np.linspace(0, len(seen) - 1, cuts).round().astype(int)][1:-1].tolist():
        yield f"{name} <= {short_number(value)}", levels <= value
        yield f"{name} >= {short_number(value)}", levels >= value
