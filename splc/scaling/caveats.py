"""Caveats about scaling models: few points, poor fits, uncertain terms."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from splc.errors import plural
from splc.models.basis.regression import independent
from splc.scaling.data import Condensed, lines
from splc.scaling.evidence import never_negative
from splc.scaling.exponents import Exponents, column
from splc.scaling.methods import FitSettings
from splc.scaling.multi.terms import falls as falls_along
from splc.scaling.selection import FAR, Selection
from splc.scaling.single import falls
from splc.types import Array

ENOUGH_POINTS = 5
_SURE = 0.5
POOR = 10.0  # percent of the measured values
_RARE = 1e-3  # differences between values are no noise if noise has such ones this rarely
_NOTHING = 1e-12  # relative differences this small are rounding
_DISTINCT = 1e-7  # a product of two terms is a sum of these and a constant if less of it is orthogonal to them


def about_fits(
    names: Sequence[str], points: Array, measured: Condensed, chosen: Selection, settings: FitSettings, errors: Array
) -> list[tuple[str, ...]]:
    """Return caveats about how the chosen models of quantities fit, the gravest first; `errors`: their SMAPEs."""
    values, parameters = measured.values, len(names)
    largest = points.max(axis=0)
    with np.errstate(all="ignore"):
        ends_below = never_negative(values) & (chosen.values(FAR * largest[None])[:, 0] < 0)
    far = ", ".join(f"{name} = {FAR * value:g}" for name, value in zip(names, largest.tolist(), strict=True))
    along = [falls_along(points, values, p) for p in range(parameters)] if parameters > 1 else [falls(values)]
    falling = np.stack(along, axis=1)
    negative = falling
    if falling.any():
        powers = np.array([[factor.power < 0 for factor in term] for term in chosen.terms], dtype=bool)
        negative = chosen.having(powers.reshape(len(chosen.terms), parameters))
    zeros, positive = (values == 0).sum(axis=1), values.min(axis=1) > 0
    constant = chosen.places.max(axis=0) < 0
    caveats_of = []
    for row, (error, outliers, certainty) in enumerate(
        zip(errors.tolist(), measured.outliers.tolist(), chosen.certainty.tolist(), strict=True)
    ):
        caveats = []
        if ends_below[row]:
            caveats.append(f"no measured value is negative, but the model falls below 0 before {far}")
        if outliers:
            advice = ", with little or no weight" if settings.aggregate == "robust" else ": try aggregate='robust'"
            caveats.append(f"{plural(outliers, 'repetition', 'repetitions')} far from the others{advice}")
        if error > POOR:
            caveats.append(f"the model misses the measured values by {error:.0f} % on average")
        if chosen.has_misfit(row):
            caveats.append(
                "residuals of neighbouring points are alike: the model fits the points near the largest values best"
            )
        if zeros[row]:
            caveats.append(f"{plural(int(zeros[row]), 'value is', 'values are')} 0: no relative error there")
        if chosen.floored[row] and positive[row]:
            caveats.append("noise looks as large for small values as for large ones, and small ones count less")
        searched = [name for name, *is_so in zip(names, falling[row], negative[row], strict=True) if all(is_so)]
        if searched:
            caveats.append(f"{_fall(searched)}, so that negative powers were searched")
        all_falling = [name for name, falls_there in zip(names, falling[row], strict=True) if falls_there]
        if all_falling and not settings.searches_falling and (not constant[row] or error > POOR):
            caveats.append(f"{_fall(all_falling)}, but negative powers were not searched (strong_scaling=True)")
        # Of a method without probabilities it is NaN.
        if certainty < _SURE:
            caveats.append(f"the lead term is not certain (probability {certainty:.2f}); others fit about as well")
        caveats_of.append(tuple(caveats))
    return caveats_of


def _fall(names: Sequence[str]) -> str:
    return f"values fall as {' and '.join(names)} {'grows' if len(names) == 1 else 'grow'}"


def about_points(names: Sequence[str], points: Array) -> tuple[str, ...]:
    """Return caveats about the points: parameters with one value, with short lines, and that change together."""
    caveats = []
    for parameter, name in enumerate(names):
        values = len(np.unique(points[:, parameter]))
        line = max((len(rows) for rows in lines(points, parameter)), default=1)
        if values == 1:
            caveats.append(f"only one value of {name} was measured: nothing is known about how it scales")
        elif values < ENOUGH_POINTS:
            caveats.append(
                f"only {values} values of {name} were measured: exponents are guesses; measure at least {ENOUGH_POINTS}"
            )
        elif line < ENOUGH_POINTS:
            fact = f"no more than {line} points differ" if line > 1 else "no two points differ"
            caveats.append(
                f"{fact} in {name} alone: its exponents are less certain than with a line of {ENOUGH_POINTS}"
            )
    for p, q in itertools.combinations(range(len(names)), 2):
        pairs = len(np.unique(points[:, [p, q]], axis=0))
        if pairs == len(np.unique(points[:, p])) == len(np.unique(points[:, q])) > 1:
            caveats.append(
                f"{names[p]} and {names[q]} change together at all points, so that their effects cannot be told "
                "apart: measure points at which only one differs"
            )
    return tuple(caveats)


def ambiguous(names: Sequence[str], points: Array, terms: Sequence[Sequence[Exponents]]) -> tuple[str, ...]:
    """Return a caveat for each pair of parameters in a model whose sum and product cannot be told apart.

    On a pure cross the product of two terms is a sum of a constant and both terms: a + b, a + a·b and b + a·b fit the
    same.
    """
    if len(names) < 2:
        return ()
    factors = [(parameter, exponents) for term in terms for parameter, exponents in enumerate(term)]
    exponents_of = {parameter: exponents for parameter, exponents in factors if not exponents.is_constant}
    caveats = []
    for p, q in itertools.combinations(sorted(exponents_of), 2):
        if is_distinct(points[:, [p, q]].tobytes(), exponents_of[p], exponents_of[q]):
            continue
        places = []
        for parameter in (p, q):
            # The smallest value that is not the one with most points.
            distinct, counts = np.unique(points[:, parameter], return_counts=True)
            places.append(f"{names[parameter]} = {np.delete(distinct, int(counts.argmax()))[0]:g}")
        caveats.append(
            f"a sum and a product of the terms of {names[p]} and {names[q]} cannot be told apart, both fit a cross: "
            f"measure one point off the cross, such as {' and '.join(places)}"
        )
    return tuple(caveats)


def hidden(
    names: Sequence[str], points: Array, terms: Sequence[Sequence[Exponents]], measured: Condensed, row: int
) -> tuple[str, ...]:
    """Return a caveat for each parameter without effect in the model of a row that was varied on a single line.

    Either the line shows none, since a product with other parameters may be too small there, or no plausible function
    fits what it shows.
    """
    if len(names) < 2:
        return ()
    caveats = []
    for parameter, name in enumerate(names):
        if any(not term[parameter].is_constant for term in terms):
            continue
        varied = lines(points, parameter)
        varying = [other for other in range(len(names)) if other != parameter and np.ptp(points[:, other]) > 0]
        if len(varied) != 1 or not varying:
            continue
        location = " and ".join(f"{names[other]} = {points[varied[0][0], other]:g}" for other in varying)
        if _differ(measured, row, varied[0]):
            caveats.append(
                f"the model has no effect of {name}, although values differ along {name} by more than repetitions do, "
                f"where {location}: no plausible function fits them; measure more values of {name} there"
            )
        else:
            caveats.append(
                f"{name} shows no effect on its only line, where {location}: it may have one elsewhere; measure other "
                f"values of {name} there"
            )
    return tuple(caveats)


def _differ(measured: Condensed, row: int, line: Array) -> bool:
    """Return whether values on a line differ by more than their repetitions do (analysis of variance)."""
    from scipy.special import fdtrc

    values, counts, squares = measured.values[row, line], measured.counts[row, line], measured.squares[row, line]
    within = int((counts - 1).sum())
    if within < 1 or len(line) < 2 or not values.any():
        return False
    # Noise is relative; a square of less than rounding is none.
    size = np.maximum(np.abs(values), np.abs(values).max() * _NOTHING)
    mean = np.average(values, weights=counts)
    between = (counts * (values - mean) ** 2).sum() / (len(line) - 1)
    noise = max(float((squares / size**2).sum()) / within * mean**2, (_NOTHING * mean) ** 2)
    return bool(noise > 0 and fdtrc(len(line) - 1, within, between / noise) < _RARE)


# The quantities of a profile are measured at the same points, and many have the same terms.
@lru_cache(maxsize=4096)
def is_distinct(points: bytes, first: Exponents, second: Exponents) -> bool:
    """Return whether the product of two terms is no sum of them and a constant, at points of two parameters."""
    pairs = np.unique(np.frombuffer(points).reshape(-1, 2), axis=0)
    own, other = column(first, pairs[:, 0]), column(second, pairs[:, 1])
    design = np.column_stack([np.ones_like(own), own, other, own * other])
    return len(pairs) > 3 and 3 in independent(design, _DISTINCT)
