"""Iterative refinement of exponents along four slices of the search space.

Source: Reisert et al., Following the Blind Seer, sections 3.2 and 3.3 (`PAPER`), and its form in Extra-P 4.2.5
(`EXTRAP`): candidates are judged by the SMAPE of points left out, not by the residual sum of squares in sample; the
threshold for accepting finer exponents grows with every rejection; a model needs to be only 1.3 times as good as the
constant; and terms that contribute less than 0.05 % are no candidates.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from splc.data.accuracy import smape
from splc.scaling.exponents import Exponents
from splc.scaling.selection import Selection, batch_size
from splc.scaling.single.classic import contributes, left_out, line
from splc.types import Array

# Extra-P 4.2.5 stops here at the latest; the paper needs one to three rounds.
_ROUNDS = 10
_POWERS, _LOGS = 6, 3
# Positions in the arrays of hypotheses, after constant and slope.
_SCORE, _SMAPE = 2, 3


@dataclass(frozen=True)
class Rule:
    """The thresholds of iterative refinement."""

    acceptance: float = 1.5  # how many times smaller the SMAPE has to become for finer exponents to be accepted
    # the search continues while the SMAPE of some slice becomes smaller by this factor in a round
    termination: float = 2.0
    non_constancy: float = 2.0  # how many times smaller than the constant model's the SMAPE has to be
    leave_one_out: bool = False  # judge hypotheses by the SMAPE of points left out, else by the residual sum of squares
    compounding: bool = False  # whether `acceptance` is multiplied by itself after every rejected round
    # whether the largest integers (power 5, logarithm 2) are the upper bounds of exponents, else 6 and 3
    closed: bool = False


PAPER = Rule()
EXTRAP = Rule(non_constancy=1.3, leave_one_out=True, compounding=True, closed=True)


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

    def columns(self, numerators: Array, denominators: Array) -> Array:
        """Return the columns of exponents along each slice, shape (n, slices, models)."""
        exponents = numerators / denominators
        columns = np.empty((len(self.x), *exponents.shape))
        for piece in range(self.slices):
            if piece == 3:
                columns[:, piece] = self.log_x[:, None] ** exponents[piece]
            else:
                logs = self.log_x**piece if piece else np.ones_like(self.x)
                columns[:, piece] = self.x[:, None] ** exponents[piece] * logs[:, None]
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
        """Search; the result is in `power`, `log` (numerator and denominator), `coefficients` and `accepted`."""
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
            best = _pick(winner, judged)
            # The better mediant becomes the middle, its neighbours the bounds; else both mediants become bounds.
            tops, bottoms = [lower, middle, upper], [lower_bound, lower, middle]
            ends = [middle, upper, upper_bound]
            lower_bound, middle, upper_bound = (
                (_pick(winner, [bound[0] for bound in group]), _pick(winner, [bound[1] for bound in group]))
                for group in (bottoms, tops, ends)
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
        if not hasattr(self, "power"):
            self.power, self.log = np.ones((2, len(leader)), dtype=int), np.ones((2, len(leader)), dtype=int)
            self.coefficients, self.column = np.zeros((2, len(leader))), np.zeros(self.values.shape)
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


def _pick(which: Array, choices: list[Array]) -> Array:
    return np.asarray(np.choose(which, choices))


def _ratio(before: Array, after: Array) -> Array:
    """Return the factor by which an error fell; 1 where it was 0 before and is 0 now."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((before == after) | ~np.isfinite(after), 1.0, before / after)
