"""The default learner for several parameters: one rule for all sets of points, dense, sparse or scattered.

1. *Terms*. For each parameter all PMNF terms are weighed along all of its lines (`splc.scaling.multi.terms`). Without a
   line of three points the shortlist comes from models of all parameters in which only its term is exchanged.
2. *Combinations*. Every plausible choice of one term per parameter is put into every combination of sums and products,
   of all parameters and of some of them, with a constant and without; all are fitted to all points and weighed by one
   rule (`splc.scaling.multi.posterior`). Combinations that fit equally (on a pure cross a + b, a + a·b and b + a·b)
   differ by their prior alone.
3. *Exchange*. Lines judge the term of each parameter on its own. Terms that fit together may be far down in their
   lists, such as those of a product, whose lines all have the same amplitude: they are found by exchanging one at a
   time.
4. *Choice*. First the parameters that have an effect are chosen, by the probability of all hypotheses with these
   parameters: where few points show little, a constant is more plausible than each of many functions, but not than all
   of them. Of their hypotheses the most plausible one is chosen, or, where several are about as plausible, the one
   whose value at four times the largest points is nearest to the median of all hypotheses: noise decides which one is
   best. Where no hypothesis is exact, all may have similar errors, so that their median is not informative, and the
   most plausible one is chosen. `splc.scaling.multi.plausible` keeps the plausible ones.

Sources: Ritter et al., Learning Cost-Effective Sampling Strategies, section III; the rule is that of `single.default`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from splc.scaling.evidence import NoiseEvidence, never_negative, noise_evidence
from splc.scaling.exponents import CONSTANT, Product
from splc.scaling.least_squares import fitted_exactly
from splc.scaling.multi.plausible import combination_shortlists, tempered
from splc.scaling.multi.posterior import (
    TEMPORARY,
    Choices,
    Hypotheses,
    choices,
    hypotheses,
    larger,
    shared,
    sizes,
    term_priors,
)
from splc.scaling.multi.terms import (
    LINE_BEHIND,
    ParameterTerms,
    falls,
    line_scores,
    most_terms,
    parameter_terms,
    product_columns,
    shortlists,
)
from splc.scaling.noise import Condensed, kinds_of_noise, scales
from splc.scaling.selection import FAR, Selection, nearest_to_median
from splc.types import Array

# Hypotheses with at least this share of the plausibility of the best are about as plausible.
LIKELY = 0.5


def default(points: Array, measured: Condensed, strong_scaling: bool | None, local: bool = True) -> Selection:
    """Choose a hypothesis for each quantity.

    `strong_scaling`: whether negative powers are considered; None: of parameters along which a quantity falls. `local`:
    whether points near the largest values count more where no hypothesis is exact.
    """
    bases, hypotheses, misfit = search(points, measured, strong_scaling, local)
    far = product_columns(bases, hypotheses.terms, hypotheses.products)(FAR * points.max(axis=0, keepdims=True))[
        :, :, 0
    ]
    with np.errstate(invalid="ignore", over="ignore"):
        parts = hypotheses.coefficients * far
        values = parts.sum(axis=1)
    chosen = _chosen(hypotheses, values, misfit)
    best = hypotheses[chosen]
    terms: dict[Product, int] = {}
    width = best.products.shape[1]
    places = np.full((width, len(best.model)), -1)
    coefficients = np.zeros((1 + width, len(best.model)))
    for row, size in enumerate(best.sizes.tolist()):
        for column, mask in enumerate(best.products[row, :size].tolist()):
            if mask == 0:
                coefficients[0, row] = best.coefficients[row, column]
                continue
            term, factor = _product(bases, best.terms[row].tolist(), mask)
            places[column, row] = terms.setdefault(term, len(terms))
            coefficients[1 + column, row] = best.coefficients[row, column] / factor
    log_weights = tempered(bases, hypotheses, points, misfit)
    certainty = lead_certainty(bases, hypotheses, chosen, log_weights, parts)
    shortlists = combination_shortlists(bases, hypotheses, log_weights, values, misfit)
    return Selection(tuple(terms), places, coefficients, certainty, best.floored, shortlists)


def _chosen(hypotheses: Hypotheses, values: Array, misfit: Array) -> Array:
    """Return the hypothesis that is chosen for each quantity, as a position; `values`: predictions far away."""
    starts, model = hypotheses.starts, hypotheses.model
    weights = np.exp(hypotheses.log_weights - hypotheses.log_weights[starts][model])
    highest = int(hypotheses.active.max()) + 1
    masses = np.bincount(model * highest + hypotheses.active, weights, len(starts) * highest).reshape(-1, highest)
    likely = hypotheses.active == masses.argmax(axis=1)[model]
    rows = np.flatnonzero(likely)
    best = rows[np.flatnonzero(np.diff(model[rows], prepend=-1))]
    likely &= weights >= (np.where(misfit > 0, 1.0, LIKELY) * weights[best])[model]
    defined = np.where(np.isfinite(values), weights, 0.0)
    return nearest_to_median(values, defined, likely, model, starts)


def _product(bases: tuple[ParameterTerms, ...], positions: list[int], mask: int) -> tuple[Product, float]:
    """Return the exponents of a product, and the divisor of its coefficient."""
    term, factor = [], 1.0
    for parameter, (basis, position) in enumerate(zip(bases, positions, strict=True)):
        used = bool(mask >> parameter & 1)
        term.append(basis.terms[position] if used else CONSTANT)
        factor *= float(basis.sizes[position]) if used else 1.0
    return tuple(term), factor


def lead_certainty(
    bases: tuple[ParameterTerms, ...], hypotheses: Hypotheses, chosen: Array, log_weights: Array, parts: Array
) -> Array:
    """Return the posterior probability of each quantity's lead term; `parts`: contributions of products far away."""
    with np.errstate(invalid="ignore"):
        sizes = np.where(hypotheses.products > 0, np.abs(parts), -1.0)
    column = sizes.argmax(axis=1)
    mask = np.where(sizes.max(axis=1) >= 0, hypotheses.products[np.arange(len(column)), column], 0)
    lead = np.zeros(len(mask), dtype=np.int64)
    for parameter, basis in enumerate(bases):
        lead = lead * (len(basis.terms) + 1) + np.where(mask >> parameter & 1, hypotheses.terms[:, parameter] + 1, 0)
    model = hypotheses.model
    weights = np.exp(log_weights - log_weights[hypotheses.starts][model])
    totals = np.bincount(model, weights)
    return np.asarray(np.bincount(model, np.where(lead == lead[chosen][model], weights, 0.0)) / totals)


_BATCH = 64
# Exchanging terms converges after one or two rounds.
_ROUNDS = 3


def search(
    points: Array, measured: Condensed, strong_scaling: bool | None, local: bool = True
) -> tuple[tuple[ParameterTerms, ...], Hypotheses, Array]:
    """Return the terms of each parameter, each quantity's plausible hypotheses, and its share of misfit."""
    bases = parameter_terms(points)
    parts, misfit = [], np.zeros(len(measured.values))
    for start in range(0, len(measured.values), _BATCH):
        batch = np.arange(start, min(start + _BATCH, len(measured.values)))
        candidates = _ideas(points, bases, measured[batch], strong_scaling, np.ones((len(batch), len(points))))
        if local:
            misfit[batch] = shared(points, _residuals(bases, candidates, measured[batch]))
        wrong = np.flatnonzero(misfit[batch] > 0)
        if len(wrong):
            size = sizes(points, points, misfit[batch[wrong]])
            refitted = _ideas(points, bases, measured[batch[wrong]], strong_scaling, size)
            candidates = candidates[np.flatnonzero(~np.isin(candidates.model, wrong))]
            candidates = Hypotheses.joined([candidates, replace(refitted, model=wrong[refitted.model])])
        parts.append(replace(candidates, model=batch[candidates.model]))
    return bases, Hypotheses.joined(parts), misfit


def _residuals(bases: tuple[ParameterTerms, ...], candidates: Hypotheses, measured: Condensed) -> Array:
    """Return the weighted residuals of the most plausible hypotheses, shape (models, n)."""
    best = candidates[candidates.starts]
    values = np.zeros(measured.values.shape)
    for position in range(best.products.shape[1]):
        column = best.coefficients[:, position, None] * np.ones(values.shape)
        for parameter, basis in enumerate(bases):
            used = (best.products[:, position] >= 0) & (best.products[:, position] >> parameter & 1 == 1)
            if used.any():
                column[used] *= basis.columns[best.terms[used, parameter]]
        values += column
    size = np.where(best.floored[:, None], scales(measured.values, True), scales(measured.values, False))
    return np.asarray((measured.values - values) / size)


def _ideas(
    points: Array, bases: tuple[ParameterTerms, ...], measured: Condensed, strong_scaling: bool | None, size: Array
) -> Hypotheses:
    """Weigh hypotheses for a batch under every kind of noise that it needs; `size`: the size of the misfit."""

    def weigh(rows: Array, floored: bool) -> Hypotheses:
        enlarged = larger(noise_evidence(measured[rows], scales(measured.values[rows], floored)), size[rows])
        return _weighed(points, bases, measured[rows], strong_scaling, enlarged)

    def best(candidates: Hypotheses) -> tuple[Array, Array]:
        first = candidates.starts
        return candidates.squares[first], candidates.sizes[first]

    parts = []
    for candidates, floored, rows, log_share in kinds_of_noise(measured, weigh, best):
        log_weights = candidates.log_weights + log_share[candidates.model]
        absolute = np.full(len(log_weights), floored)
        parts.append(replace(candidates, model=rows[candidates.model], log_weights=log_weights, floored=absolute))
    candidates_of_batch = Hypotheses.concatenated(parts)
    return candidates_of_batch[candidates_of_batch.order(candidates_of_batch.plausible_rows())]


def _weighed(
    points: Array,
    bases: tuple[ParameterTerms, ...],
    measured: Condensed,
    strong_scaling: bool | None,
    noise: NoiseEvidence,
) -> Hypotheses:
    """Weigh hypotheses for a batch under one kind of noise."""
    z = measured.values * noise.weights
    scores, missing = [], []
    for parameter, basis in enumerate(bases):
        log_scores = line_scores(points, parameter, basis, z, noise)
        if log_scores is None:
            missing.append(parameter)
            log_scores = np.tile(basis.log_prior, (len(z), 1))
        falling = (
            falls(points, measured.values, parameter) if strong_scaling is None else np.full(len(z), strong_scaling)
        )
        scores.append(np.where(basis.falling & ~falling[:, None], -np.inf, log_scores))
    for _ in range(_ROUNDS if missing else 0):
        for parameter in missing:
            scores[parameter] = _exchanged(parameter, scores, bases, z, noise)
    candidates = hypotheses(bases, choices(*shortlists(scores)), z, noise)
    if len(bases) > 2:
        candidates = with_exchanged(bases, scores, candidates, z, noise)
    return replace(candidates, log_weights=candidates.log_weights + noise.density[candidates.model])


def _exchanged(
    parameter: int, scores: list[Array], bases: tuple[ParameterTerms, ...], z: Array, noise: NoiseEvidence
) -> Array:
    """Return new scores of a parameter's terms: those of the models with the best terms of the other parameters."""
    models, number = scores[parameter].shape
    best = np.array([scores_of.argmax(axis=1) for scores_of in scores]).T
    terms = np.repeat(best, number, axis=0)
    terms[:, parameter] = np.tile(np.arange(number), models)
    chosen = Choices(np.repeat(np.arange(models), number), terms, np.zeros_like(terms))
    candidates = hypotheses(bases, chosen, z, noise, only_full=True)
    result = np.full((models, number), -np.inf)
    np.maximum.at(result, (candidates.model, candidates.terms[:, parameter]), candidates.log_weights)
    return np.where(np.isneginf(scores[parameter]), -np.inf, result)


# Rounds, hypotheses of each quantity whose terms are exchanged in a round, and the new choices of terms that are then
# put into all combinations.
_EXCHANGES, EXPANDED, _COMBINED = 2, 6, 8


def with_exchanged(
    bases: tuple[ParameterTerms, ...], scores: Sequence[Array], candidates: Hypotheses, z: Array, noise: NoiseEvidence
) -> Hypotheses:
    """Return hypotheses and those that exchanges of their terms lead to, ordered as `Hypotheses.joined` does."""
    allowed = [_near_best(line_scores) for line_scores in scores]
    cut = np.zeros(len(z), dtype=bool)
    for is_plausible in allowed:
        cut |= False if is_plausible is None else is_plausible.sum(axis=1) > most_terms(len(bases))
    if not cut.any():
        return candidates
    uncut, candidates = (candidates[np.flatnonzero(cut[candidates.model] == is_cut)] for is_cut in (False, True))
    expanded = np.zeros(0, dtype=np.int64)
    combined = _choice_keys(candidates.model, candidates.terms)
    positive = never_negative(z)
    for _ in range(_EXCHANGES):
        rows = expanded_rows(candidates, len(bases))
        keys = _keys(candidates[rows])
        new_ones = ~np.isin(keys, expanded)
        rows, expanded = rows[new_ones], np.append(expanded, keys[new_ones])
        new = [
            part.weighed_by_sign(bases, positive) for part in _neighbours(bases, allowed, candidates[rows], z, noise)
        ]
        if not new:
            break
        candidates = _distinct([candidates, *new])
    keys = _choice_keys(candidates.model, candidates.terms)
    _, first = np.unique(keys, return_index=True)
    rows = np.sort(first[~np.isin(keys[first], combined)])
    rows = rows[_first(candidates.model[rows], _COMBINED)]
    if len(rows) == 0:
        return Hypotheses.joined([uncut, candidates])
    chosen = Choices(candidates.model[rows], candidates.terms[rows], np.ones_like(candidates.terms[rows]))
    recombined = hypotheses(bases, chosen, z, noise, only_full=True)
    return Hypotheses.joined([uncut, _distinct([candidates, recombined])])


def _near_best(line_scores: Array) -> Array | None:
    """Return which terms are nearly as plausible as the best one, shape (models, terms); None without terms."""
    if not line_scores.shape[1]:
        return None
    near: Array = line_scores > line_scores.max(axis=1, keepdims=True) - LINE_BEHIND
    return near & np.isfinite(line_scores)


def _neighbours(
    bases: tuple[ParameterTerms, ...], allowed: list[Array | None], parents: Hypotheses, z: Array, noise: NoiseEvidence
) -> Iterator[Hypotheses]:
    """Fit all hypotheses in which one parameter's term is another plausible one of its list."""
    active = parents.active
    origins, terms = [], []
    for parameter, is_allowed in enumerate(allowed):
        if is_allowed is None:
            continue
        rows = np.flatnonzero(active >> parameter & 1)
        positions, term = np.nonzero(is_allowed[parents.model[rows]])
        new = parents.terms[rows[positions]]
        changed = new[:, parameter] != term
        new[:, parameter] = term
        origins.append(rows[positions[changed]])
        terms.append(new[changed])
    origin, exchanged = np.concatenate(origins), np.concatenate(terms)
    step = max(TEMPORARY // (z.shape[1] * (parents.products.shape[1] + 1)), 1)
    for size in np.unique(parents.sizes[origin]).tolist():
        members = np.flatnonzero(parents.sizes[origin] == size)
        for start in range(0, len(members), step):
            part = members[start : start + step]
            yield _refitted(bases, parents[origin[part]], exchanged[part], size, z, noise)


def _refitted(
    bases: tuple[ParameterTerms, ...], origin: Hypotheses, terms: Array, size: int, z: Array, noise: NoiseEvidence
) -> Hypotheses:
    """Fit hypotheses of one size with other terms."""
    masks = origin.products[:, :size]
    columns = np.repeat(noise.weights[origin.model].T[None], size, axis=0)
    for parameter, basis in enumerate(bases):
        for mask, column in zip(masks.T, columns, strict=True):
            used = np.flatnonzero(mask >> parameter & 1)
            column[:, used] *= basis.columns[terms[used, parameter]].T
    norms = np.sqrt((columns**2).sum(axis=1))
    norms = np.where(norms > 0, norms, 1.0)
    fits = fitted_exactly(list(columns / norms[:, None]), z[origin.model].T, noise, origin.model)
    coefficients = np.zeros(origin.coefficients.shape)
    coefficients[:, :size] = (np.array(fits.coefficients) / norms).T
    priors = origin.log_priors + term_priors(bases, terms, np.bitwise_or.reduce(masks, axis=1))
    return Hypotheses(
        origin.model, terms, origin.products, coefficients, fits.squares, origin.sizes, fits.log_weights + priors,
        origin.log_priors, origin.floored,
    )  # fmt: skip


def expanded_rows(candidates: Hypotheses, parameters: int) -> Array:
    """Return the rows of the best hypotheses of every quantity: of all, with each parameter, and with all of them."""
    active = candidates.active
    every = np.bitwise_or.reduce(active)
    rows = [_first(candidates.model, EXPANDED)]
    for mask in {*(1 << parameter for parameter in range(parameters)), int(every)}:
        members = np.flatnonzero(active & mask == mask)
        rows.append(members[_first(candidates.model[members], 1)])
    return np.unique(np.concatenate(rows))


def _first(models: Array, number: int) -> Array:
    """Return the first rows of each quantity; `models`: ascending."""
    starts = np.searchsorted(models, models)
    return np.flatnonzero(np.arange(len(models)) - starts < number)


def _distinct(parts: list[Hypotheses]) -> Hypotheses:
    """Return the plausible hypotheses, ordered, and of equal ones the first."""
    candidates = Hypotheses.concatenated([part.plausible() for part in parts])
    rows = candidates.order(candidates.plausible_rows())
    _, first = np.unique(_keys(candidates)[rows], return_index=True)
    return candidates[rows[np.sort(first)]]


def _keys(candidates: Hypotheses) -> Array:
    """Return one number per hypothesis, the same for equal ones."""
    active = candidates.active
    parameters = np.arange(candidates.terms.shape[1])
    terms = np.where(active[:, None] >> parameters & 1, candidates.terms, -1)
    return _choice_keys(candidates.model, np.hstack([terms, candidates.products]))


def _choice_keys(model: Array, numbers: Array) -> Array:
    """Return a number for each row of a quantity: a hash of 64 bits."""
    key = model.astype(np.int64)
    for column in numbers.T:
        key = key * np.int64(6364136223846793005) + column + np.int64(1442695040888963407)
        key ^= key >> np.int64(29)
    return key
