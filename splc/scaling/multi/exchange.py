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
    among: tuple[ParameterTerms, ...], scores: Sequence[Array], found: Hypotheses, z: Array, noise: NoiseEvidence
) -> Hypotheses:
    """Return hypotheses and those that exchanges of their terms lead to, ordered as `Hypotheses.joined` does.

    `scores`: per parameter the log plausibility of its terms along its lines, shape (models, terms). `found`: of every
    quantity, ordered. `z`: weighted values, shape (models, n).
    """
    allowed = [np.isfinite(each) & (each > each.max(axis=1, keepdims=True) - LINE_BEHIND) if each.shape[1] else None
               for each in scores]  # fmt: skip
    cut = np.zeros(len(z), dtype=bool)
    for each in allowed:
        cut |= False if each is None else each.sum(axis=1) > most_terms(len(among))
    if not cut.any():
        return found
    whole, found = (found[np.flatnonzero(cut[found.model] == each)] for each in (False, True))
    done = np.zeros(0, dtype=np.int64)
    combined = _choice_keys(found.model, found.terms)
    positive = never_negative(z)
    for _ in range(_ROUNDS):
        rows = expanded_rows(found, len(among))
        keys = _keys(found[rows])
        new_ones = ~np.isin(keys, done)
        rows, done = rows[new_ones], np.append(done, keys[new_ones])
        new = [each.weighed_by_sign(among, positive) for each in _neighbours(among, allowed, found[rows], z, noise)]
        if not new:
            break
        found = _distinct([found, *new])
    keys = _choice_keys(found.model, found.terms)
    _, first = np.unique(keys, return_index=True)
    rows = np.sort(first[~np.isin(keys[first], combined)])
    rows = rows[_first(found.model[rows], _COMBINED)]
    if len(rows) == 0:
        return Hypotheses.joined([whole, found])
    chosen = Choices(found.model[rows], found.terms[rows], np.ones_like(found.terms[rows]))
    more = hypotheses(among, chosen, z, noise, only_full=True)
    return Hypotheses.joined([whole, _distinct([found, more])])


def _neighbours(
    among: tuple[ParameterTerms, ...], allowed: list[Array | None], some: Hypotheses, z: Array, noise: NoiseEvidence
) -> Iterator[Hypotheses]:
    """Fit all hypotheses in which one parameter's term is another plausible one of its list."""
    active = some.active
    origins, terms = [], []
    for at, each in enumerate(allowed):
        if each is None:
            continue
        rows = np.flatnonzero(active >> at & 1)
        which, term = np.nonzero(each[some.model[rows]])
        new = some.terms[rows[which]]
        changed = new[:, at] != term
        new[:, at] = term
        origins.append(rows[which[changed]])
        terms.append(new[changed])
    origin, found = np.concatenate(origins), np.concatenate(terms)
    forms = some.sizes * 2 + (some.products[:, 0] == 0)
    step = max(TEMPORARY // (z.shape[1] * (some.products.shape[1] + 1)), 1)
    for form in np.unique(forms[origin]).tolist():
        own = np.flatnonzero(forms[origin] == form)
        for start in range(0, len(own), step):
            part = own[start : start + step]
            yield _refitted(among, some[origin[part]], found[part], form // 2, z, noise)


def _refitted(
    among: tuple[ParameterTerms, ...], origin: Hypotheses, terms: Array, size: int, z: Array, noise: NoiseEvidence
) -> Hypotheses:
    """Fit hypotheses of one size, and all with or all without a constant, with other terms."""
    masks = origin.products[:, :size]
    weights = noise.weights[origin.model]
    columns = np.repeat(weights.T[:, None], size + 1, axis=1)
    for at, each in enumerate(among):
        for place in range(size):
            used = np.flatnonzero(masks[:, place] >> at & 1)
            columns[:, place, used] *= each.columns[terms[used, at]].T
    norms = np.sqrt((columns[:, :size] ** 2).sum(axis=0))
    norms = np.where(norms > 0, norms, 1.0)
    columns[:, :size] /= norms
    columns[:, size] = z[origin.model].T
    fits = fitted_exactly(columns, bool(masks[0, 0] == 0), noise, origin.model)
    coefficients = np.zeros(origin.coefficients.shape)
    coefficients[:, :size] = (np.array(fits.coefficients) / norms).T
    priors = origin.log_priors + term_priors(among, terms, np.bitwise_or.reduce(masks, axis=1))
    return Hypotheses(
        origin.model, terms, origin.products, coefficients, fits.squares, origin.sizes, fits.log_weights + priors,
        origin.log_priors, origin.floored,
    )  # fmt: skip


def expanded_rows(found: Hypotheses, parameters: int) -> Array:
    """Return the rows of the best hypotheses of every quantity, and of the best ones with each parameter, and all."""
    active = found.active
    every = np.bitwise_or.reduce(active)
    rows = [_first(found.model, EXPANDED)]
    for wanted in {*(1 << at for at in range(parameters)), int(every)}:
        having = np.flatnonzero(active & wanted == wanted)
        rows.append(having[_first(found.model[having], 1)])
    return np.unique(np.concatenate(rows))


def _first(models: Array, number: int) -> Array:
    """Return the first rows of each quantity; `models`: ascending."""
    starts = np.searchsorted(models, models)
    return np.flatnonzero(np.arange(len(models)) - starts < number)


def _distinct(parts: list[Hypotheses]) -> Hypotheses:
    """Return the plausible hypotheses, ordered, and of equal ones the first."""
    whole = Hypotheses.concatenated([each.plausible() for each in parts])
    rows = whole.order(whole.plausible_rows())
    _, first = np.unique(_keys(whole)[rows], return_index=True)
    return whole[rows[np.sort(first)]]


def _keys(found: Hypotheses) -> Array:
    """Return a number for each hypothesis, that equal ones share."""
    active = found.active
    parameters = np.arange(found.terms.shape[1])
    terms = np.where(active[:, None] >> parameters & 1, found.terms, -1)
    return _choice_keys(found.model, np.hstack([terms, found.products]))


def _choice_keys(model: Array, numbers: Array) -> Array:
    """Return a number for each row of a quantity: a hash of 64 bits."""
    key = model.astype(np.int64)
    for each in numbers.T:
        key = key * np.int64(6364136223846793005) + each + np.int64(1442695040888963407)
        key ^= key >> np.int64(29)
    return key
