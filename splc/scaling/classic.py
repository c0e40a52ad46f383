"""The searches of the papers for one parameter: a fixed set of exponents, and iterative refinement.

The first takes the hypothesis with the smallest error, of all with up to n terms from a set; errors are those in
sample, or with one point left out. Source: Reisert et al., Following the Blind Seer, section 2.1, and, for `basic`,
Extra-P 4.2.5.

The second refines exponents along four slices of the search space. Source: the same, sections 3.2 and 3.3
(`PAPER_RULE`), and its form in Extra-P 4.2.5 (`EXTRAP_RULE`): candidates are judged by the SMAPE of points left out,
not by the residual sum of squares in sample; the threshold for accepting finer exponents grows with every rejection; a
model needs to be only 1.3 times as good as the constant; and terms that contribute less than 0.05 % are no candidates.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Literal

import numpy as np

from splc.data.accuracy import smape
from splc.scaling.exponents import EXTRAP, Exponents, columns, usable
from splc.scaling.selection import Selection, batch_size
from splc.types import Array

# Extra-P 4.2.5: constants below this part of the smallest value count as 0 when a point is left out.
_NO_CONSTANT = 0.0005
_NO_FREEDOM = 1e-10


def line(columns: Array, values: Array) -> tuple[Array, Array]:
    """Return constant and slope of values by columns, both (n, …), by least squares; NaN where a column is constant."""
    level, mean = columns.mean(axis=0), values.mean(axis=0)
    centered = columns - level
    squares = (centered**2).sum(axis=0)
    flat = squares <= (1e-13 * np.abs(columns).max(axis=0)) ** 2
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        slope = np.where(flat, np.nan, (centered * (values - mean)).sum(axis=0) / squares)
        return mean - slope * level, slope


def left_out(columns: Array, values: Array) -> Array:
    """Return the SMAPE of predicting each point from all others, as Extra-P 4.2.5 does, shape (…); inf where undefined.

    A constant that is small relative to the smallest of the other values (or in itself, if that is 0) counts as 0. The
    fits without a point follow from the fit to all points, by the point's residual and leverage.
    """
    points = values.shape[0]
    level, mean = columns.mean(axis=0), values.mean(axis=0)
    centered = columns - level
    squares = (centered**2).sum(axis=0)
    constant, slope = line(columns, values)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        residuals = values - mean - slope * centered
        # One less the leverage; at 0 the other points do not determine the fit.
        free = 1 - 1 / points - centered**2 / squares
        step = np.where(free > _NO_FREEDOM, residuals / free, np.nan)
        without = constant - step * (1 / points - centered * level / squares)
        ordered = np.sort(values, axis=0)[:2]
        smallest = np.where(values == ordered[0], ordered[-1], ordered[0])
        small = np.abs(without / np.where(smallest == 0, 1.0, smallest)) < _NO_CONSTANT
        errors = smape(values - step - np.where(small, without, 0.0), values)
    return np.where(np.isfinite(errors), errors, np.inf)


def contributes(slope: Array, columns: Array, values: Array) -> Array:
    """Return where a term contributes to some value (Extra-P 4.2.5: at least 0.05 % of it, and more than 0)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.abs(slope * columns / values)
    part = np.where(np.isnan(part), 0.0, part)
    return np.asarray((part.max(axis=0) >= _NO_CONSTANT) & (slope != 0))


Criterion = Literal["rss", "loo"]
CRITERIA = ("rss", "loo")

_ROUNDING = 1e-26  # smaller improvements, relative to the squares of the values, are rounding


def classic(x: Array, values: Array, candidates: Sequence[Exponents], number: int, criterion: Criterion) -> Selection:
    """Choose the hypothesis with the smallest error, with at most `number` terms beside the constant.

    `criterion`: 'rss', the residual sum of squares in sample, as in the paper; or 'loo', the SMAPE at points left out,
    as in later versions, which does not always prefer a second term.
    """
    return _in_batches(x, values, candidates, number, partial(_smallest, number=number, criterion=criterion))


def basic(x: Array, values: Array) -> Selection:
    """Choose one of 42 terms as Extra-P 4.2.5 does by default: the smallest SMAPE at points left out."""
    return _in_batches(x, values, EXTRAP, 1, _leave_one_out)


def _in_batches(
    x: Array,
    values: Array,
    candidates: Sequence[Exponents],
    number: int,
    search: Callable[[Array, Array], tuple[Array, Array]],
) -> Selection:
    """Choose by a search: columns of terms and values (n, models) → up to `number` terms, and coefficients."""
    terms = usable(candidates, x) if len(x) > 1 else ()
    places, coefficients = np.full((number, len(values)), -1), np.zeros((1 + number, len(values)))
    size = batch_size(len(x), len(terms) ** number)
    for start in range(0, len(values), size):
        part = slice(start, start + size)
        places[:, part], coefficients[:, part] = search(columns(terms, x), values[part].T)
    return Selection.of_exponents(terms, places, coefficients)


def _smallest(terms: Array, values: Array, number: int, criterion: Criterion) -> tuple[Array, Array]:
    """Return the terms and the coefficients of the hypotheses with the smallest error."""
    points, models = values.shape
    places, coefficients = np.full((number, models), -1), np.zeros((1 + number, models))
    coefficients[0] = values.mean(axis=0)
    residuals = values - coefficients[0]
    if criterion == "loo":
        # The mean of the others differs from a value by n / (n - 1) times its residual.
        lowest = smape(values - residuals * (points / max(points - 1, 1)), values)
        rounding = np.full(models, 1e-9)
    else:
        lowest = (residuals**2).sum(axis=0)
        rounding = _ROUNDING * (values**2).sum(axis=0)
    for size in range(1, number + 1):
        # With as many coefficients as points every hypothesis fits.
        if size + 1 >= points:
            break
        chosen = np.array(list(itertools.combinations(range(len(terms)), size)), dtype=int).reshape(-1, size)
        if not len(chosen):
            break
        fits, errors = _fitted(np.moveaxis(terms[chosen], 1, 2), values, criterion)
        best, at = errors.argmin(axis=0), np.arange(models)
        better = (errors[best, at] < lowest - rounding) & (lowest > rounding)
        lowest = np.where(better, errors[best, at], lowest)
        coefficients[: size + 1, better] = fits[:, best, at][:, better]
        places[:size, better] = chosen[best].T[:, better]
    return places, coefficients


def _fitted(designs: Array, values: Array, criterion: Criterion) -> tuple[Array, Array]:
    """Fit a constant beside each design (hypotheses, n, k); return coefficients, and errors, inf where collinear."""
    level = designs.mean(axis=1, keepdims=True)
    mean = values.mean(axis=0)
    centered = designs - level
    norms = np.sqrt((centered**2).sum(axis=1, keepdims=True))
    q, r = np.linalg.qr(centered / norms)
    ample = (np.abs(np.diagonal(r, axis1=1, axis2=2)) > 1e-10).all(axis=1)
    r[~ample] = np.eye(r.shape[1])
    steps = np.swapaxes(q, 1, 2) @ (values - mean)
    residuals = values - mean - q @ steps
    if criterion == "loo":
        # A point's residual without it is its residual by one less its leverage; at 1 it cannot be predicted.
        free = 1 - 1 / len(values) - (q**2).sum(axis=2, keepdims=True)
        ample &= (free > 1e-9).all(axis=(1, 2))
        errors = smape(values - residuals / np.maximum(free, 1e-9), values[None], axis=1)
    else:
        errors = (residuals**2).sum(axis=1)
    slopes = np.linalg.solve(r, steps) / np.swapaxes(norms, 1, 2)
    constant = mean - (np.swapaxes(level, 1, 2) * slopes).sum(axis=1)
    errors[~ample] = np.inf
    return np.concatenate([constant[None], np.moveaxis(slopes, 1, 0)]), errors


def _leave_one_out(terms: Array, values: Array) -> tuple[Array, Array]:
    """Return the terms with the smallest error at points left out, as Extra-P's basic modeler finds them."""
    models = values.shape[1]
    places, coefficients = np.full((1, models), -1), np.zeros((2, models))
    coefficients[0] = values.mean(axis=0)
    lowest = smape(np.broadcast_to(coefficients[0], values.shape), values)
    if len(values) < 3 or not len(terms):
        return places, coefficients
    design = terms.T[:, :, None]
    constant, slope = line(design, values[:, None])
    scores = np.where(contributes(slope, design, values[:, None]), left_out(design, values[:, None]), np.inf)
    best, at = scores.argmin(axis=0), np.arange(models)
    better = scores[best, at] < lowest
    places[0, better] = best[better]
    coefficients[:, better] = constant[best, at][better], slope[best, at][better]
    return places, coefficients


_ROUNDS = 10  # Extra-P 4.2.5 stops here at the latest; the paper needs one to three rounds
_POWERS, _LOGS = 6, 3
# Positions in the arrays of hypotheses, after constant and slope.
_SCORE, _SMAPE = 2, 3


@dataclass(frozen=True)
class Rule:
    """The thresholds of iterative refinement."""

    acceptance: float = 1.5  # how many times smaller the SMAPE has to become for finer exponents to be accepted
    termination: float = 2.0  # the search continues while some slice's SMAPE falls by this factor in a round
    non_constancy: float = 2.0  # how many times smaller than the constant model's the SMAPE has to be
    leave_one_out: bool = False  # judge hypotheses by the SMAPE of points left out, else by the residual sum of squares
    compounding: bool = False  # whether `acceptance` is multiplied by itself after every rejected round
    closed: bool = False  # whether the largest integers (power 5, logarithm 2) are upper bounds, else 6 and 3


PAPER_RULE = Rule()
EXTRAP_RULE = Rule(non_constancy=1.3, leave_one_out=True, compounding=True, closed=True)


def refined(x: Array, values: Array, rule: Rule) -> Selection:
    """Choose one term for each quantity by iterative refinement; `x`: distinct points, `values`: (models, n)."""
    models = len(values)
    powers, logs = np.zeros((2, models), dtype=int), np.zeros((2, models), dtype=int)
    powers[1] = logs[1] = 1
    coefficients = np.zeros((2, models))
    coefficients[0] = values.mean(axis=1)
    changes = np.flatnonzero(np.ptp(values, axis=1) > 0)
    # Two coefficients, and a point that is left out.
    if len(x) >= (3 if rule.leave_one_out else 2):
        size = batch_size(len(x), 4)
        for start in range(0, len(changes), size):
            rows = changes[start : start + size]
            search = _Search(x, values[rows].T, rule)
            search.run()
            accepted = rows[search.accepted]
            powers[:, accepted], logs[:, accepted] = search.power[:, search.accepted], search.log[:, search.accepted]
            coefficients[:, accepted] = search.coefficients[:, search.accepted]
    codes = np.concatenate([powers, logs]).T
    distinct, code_of = np.unique(codes, axis=0, return_inverse=True)
    terms = tuple(Exponents(Fraction(int(a), int(b)), Fraction(int(c), int(d))) for a, b, c, d in distinct)
    constant = np.array([term.is_constant for term in terms])
    first = np.where(constant[code_of], -1, code_of)
    return Selection.of_exponents(terms, first[None], coefficients)


class _Search:
    """The search for a batch of quantities: slices are powers with log^0, log^1, log^2, and logarithms alone.

    Hypotheses are arrays of constants, slopes, scores and SMAPEs, shape (4, slices, models).
    """

    def __init__(self, x: Array, values: Array, rule: Rule) -> None:
        self.x, self.values, self.rule = x, values, rule
        self.slices = 4 if bool((x >= 1).all()) else 1
        with np.errstate(divide="ignore"):
            self.log_x = np.log2(x)
        # Of each quantity: numerator and denominator of the exponents, constant and slope, and the term's values.
        self.power, self.log = np.ones((2, 2, values.shape[1]), dtype=int)
        self.coefficients, self.column = np.zeros((2, values.shape[1])), np.zeros(values.shape)

    def columns(self, numerators: Array, denominators: Array) -> Array:
        """Return the columns of exponents along each slice, shape (n, slices, models)."""
        exponents = numerators / denominators
        columns = np.empty((len(self.x), *exponents.shape))
        for piece in range(self.slices):
            base = self.log_x if piece == 3 else self.x
            columns[:, piece] = base[:, None] ** exponents[piece]
            if piece in (1, 2):
                columns[:, piece] *= (self.log_x**piece)[:, None]
        return columns

    def judged(self, numerators: Array, denominators: Array, *, filtered: bool) -> Array:
        """Fit one exponent per slice and quantity."""
        columns = self.columns(numerators, denominators)
        values = self.values[:, None]
        constant, slope = line(columns, values)
        fitted = constant + slope * columns
        if self.rule.leave_one_out:
            score = left_out(columns, values)
            error = score
            if filtered:
                score = np.where(contributes(slope, columns, values), score, np.inf)
        else:
            score, error = ((fitted - values) ** 2).sum(axis=0), smape(fitted, values)
        known = np.isfinite(slope) & np.isfinite(score)
        return np.stack([constant, slope, np.where(known, score, np.inf), np.where(known, error, np.inf)])

    def run(self) -> None:
        """Search; `accepted` says for which quantities the term found is better than the constant."""
        rule, models = self.rule, self.values.shape[1]
        slices, quantities = np.arange(self.slices)[:, None], np.arange(models)
        center, best = self.integers()
        low = np.maximum(center - 1, 0)
        most = np.array([_POWERS, _POWERS, _POWERS, _LOGS])[: self.slices, None] - int(rule.closed)
        lower_bound, upper_bound = (low, np.ones_like(low)), (np.minimum(center + 1, most), np.ones_like(low))
        middle = (center, np.ones_like(center))
        leader = best[_SCORE].argmin(axis=0)
        self.keep(leader, middle, best, quantities)
        current = best[_SMAPE, leader, quantities]
        threshold = np.full(models, rule.acceptance)
        active = np.isfinite(current)
        for _ in range(_ROUNDS):
            if not active.any():
                break
            lower, upper = _mediant(lower_bound, middle), _mediant(middle, upper_bound)
            judged = [self.judged(*lower, filtered=True), best, self.judged(*upper, filtered=True)]
            scores = np.array([hypothesis[_SCORE] for hypothesis in judged])
            winner = np.where(scores[1] <= np.minimum(scores[0], scores[2]), 1, np.where(scores[0] <= scores[2], 0, 2))
            before = best[_SMAPE]
            best = np.choose(winner, judged)
            # The better mediant becomes the middle, its neighbours the bounds; else both mediants become bounds.
            tops, bottoms = [lower, middle, upper], [lower_bound, lower, middle]
            ends = [middle, upper, upper_bound]
            lower_bound, middle, upper_bound = (
                (np.choose(winner, top), np.choose(winner, bottom))
                for top, bottom in (zip(*group, strict=True) for group in (bottoms, tops, ends))
            )
            leader = best[_SCORE].argmin(axis=0)
            error = best[_SMAPE, leader, quantities]
            accepted = active & (_ratio(current, error) >= threshold)
            rows = quantities[accepted]
            self.keep(leader, middle, best, rows)
            current = np.where(accepted, error, current)
            threshold = np.where(accepted | (not rule.compounding), rule.acceptance, threshold * rule.acceptance)
            active = active & (_ratio(before, best[_SMAPE])[slices, quantities].max(axis=0) >= rule.termination)
        level = self.values.mean(axis=0)
        constant_error = smape(np.broadcast_to(level, self.values.shape), self.values)
        self.accepted = np.isfinite(current) & (_ratio(constant_error, current) >= rule.non_constancy)
        if rule.leave_one_out:
            self.accepted &= contributes(self.coefficients[1], self.column, self.values)

    def integers(self) -> tuple[Array, Array]:
        """Return the best integer of each slice and its hypothesis."""
        models = self.values.shape[1]
        center = np.zeros((self.slices, models), dtype=int)
        best = np.empty((4, self.slices, models))
        for integer in range(_POWERS):
            # A power of 0 without a logarithm, and a logarithm to the power of 0, are the constant.
            allowed = np.array([integer > 0, True, True, 0 < integer < _LOGS])[: self.slices, None]
            numerators = np.full((self.slices, models), integer)
            judged = self.judged(numerators, np.ones_like(numerators), filtered=integer > 1)
            judged[_SCORE:] = np.where(allowed, judged[_SCORE:], np.inf)
            better = (judged[_SCORE] < best[_SCORE]) | (integer == 0)
            center = np.where(better, integer, center)
            best = np.where(better, judged, best)
        return center, best

    def keep(self, leader: Array, middle: tuple[Array, Array], best: Array, rows: Array) -> None:
        """Store the leading slice's hypothesis of some quantities."""
        at = leader[rows]
        top, bottom = middle[0][at, rows], middle[1][at, rows]
        logs = at == 3
        self.power[0, rows], self.power[1, rows] = np.where(logs, 0, top), np.where(logs, 1, bottom)
        self.log[0, rows], self.log[1, rows] = np.where(logs, top, at), np.where(logs, bottom, 1)
        self.coefficients[:, rows] = best[:2, at, rows]
        self.column[:, rows] = self.columns(*middle)[:, at, rows]


def _mediant(first: tuple[Array, Array], second: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the mediants of fractions, in lowest terms."""
    top, bottom = first[0] + second[0], first[1] + second[1]
    common = np.gcd(top, bottom)
    return top // common, bottom // common


def _ratio(before: Array, after: Array) -> Array:
    """Return the factor by which an error fell; 1 where it was 0 before and is 0 now."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((before == after) | ~np.isfinite(after), 1.0, before / after)
