"""Plausible hypotheses beyond the shortlists: those that differ from a plausible one in the term of one parameter.

Lines judge the term of each parameter on its own. Terms that fit together may be far down in their lists, such as
those of a product, whose lines all have the same amplitude. Shortlists of several parameters are short, so these terms
are found by exchanging one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from splc.scaling.evidence import NoiseEvidence, never_negative
from splc.scaling.multi.least_squares import fitted_exactly
from splc.scaling.multi.posterior import TEMPORARY, Choices, Hypotheses, hypotheses, term_priors
from splc.scaling.multi.terms import LINE_BEHIND, ParameterTerms, most_terms
from splc.types import Array

# Rounds, hypotheses of each quantity whose terms are exchanged in a round, and the new choices of terms that are then
# put into all combinations.
_ROUNDS, EXPANDED, _COMBINED = 2, 6, 8


def with_exchanged(
    bases: tuple[ParameterTerms, ...], scores: Sequence[Array], candidates: Hypotheses, z: Array, noise: NoiseEvidence
) -> Hypotheses:
    """Return hypotheses and those that exchanges of their terms lead to, ordered as `Hypotheses.joined` does.

    `scores`: per parameter the log plausibility of its terms along its lines, shape (models, terms).
    `candidates`: the hypotheses of every quantity, ordered. `z`: weighted values, shape (models, n).
    """
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
    for _ in range(_ROUNDS):
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
    forms = parents.sizes * 2 + (parents.products[:, 0] == 0)
    step = max(TEMPORARY // (z.shape[1] * (parents.products.shape[1] + 1)), 1)
    for form in np.unique(forms[origin]).tolist():
        members = np.flatnonzero(forms[origin] == form)
        for start in range(0, len(members), step):
            part = members[start : start + step]
            yield _refitted(bases, parents[origin[part]], exchanged[part], form // 2, z, noise)


def _refitted(
    bases: tuple[ParameterTerms, ...], origin: Hypotheses, terms: Array, size: int, z: Array, noise: NoiseEvidence
) -> Hypotheses:
    """Fit hypotheses of one size, and all with or all without a constant, with other terms."""
    masks = origin.products[:, :size]
    weights = noise.weights[origin.model]
    columns = np.repeat(weights.T[:, None], size + 1, axis=1)
    for parameter, basis in enumerate(bases):
        for column in range(size):
            used = np.flatnonzero(masks[:, column] >> parameter & 1)
            columns[:, column, used] *= basis.columns[terms[used, parameter]].T
    norms = np.sqrt((columns[:, :size] ** 2).sum(axis=0))
    norms = np.where(norms > 0, norms, 1.0)
    columns[:, :size] /= norms
    columns[:, size] = z[origin.model].T
    fits = fitted_exactly(columns, bool(masks[0, 0] == 0), noise, origin.model)
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
