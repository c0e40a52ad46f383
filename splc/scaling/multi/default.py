"""The default learner for several parameters: one rule for all sets of points, dense, sparse or scattered.

1. *Terms*. For each parameter all PMNF terms are weighed along all of its lines (`splc.scaling.multi.terms`); without a
   line of three points, by models of all parameters in which only its term is exchanged.
2. *Combinations*. Every plausible choice of one term per parameter is put into every combination of sums and products,
   with a constant and without; all are fitted to all points and weighed by one rule (`splc.scaling.multi.posterior`).
   Combinations that fit equally (on a pure cross a + b, a + a·b and b + a·b) differ by their prior alone.
3. *Exchange*. Terms that fit together may be far down in the lists of their lines, such as those of a product, whose
   lines all have the same amplitude: they are found by exchanging one at a time.
4. *Choice*. First the parameters that have an effect, by the probability of all hypotheses with these: where few points
   show little, a constant is more plausible than each of many functions, but not than all of them. Then the most
   plausible of their hypotheses, or, where several are about as plausible, the one whose value at four times the
   largest points is nearest to the median of all: noise decides which one is best. Where no hypothesis is exact, all
   may have similar errors, and the most plausible one is chosen. `splc.scaling.multi.plausible` keeps the others.

Sources: Ritter et al., Learning Cost-Effective Sampling Strategies, section III; the rule is that of `single.default`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from splc.scaling import evidence
from splc.scaling.data import Condensed
from splc.scaling.exponents import CONSTANT, Product
from splc.scaling.least_squares import fitted_exactly
from splc.scaling.multi.plausible import combination_shortlists, tempered
from splc.scaling.multi.posterior import TEMPORARY, Choices, Hypotheses, choices, hypotheses, larger, shared, sizes
from splc.scaling.multi.terms import (
    LINE_BEHIND,
    Bases,
    falls,
    line_scores,
    most_terms,
    parameter_terms,
    product_columns,
)
from splc.scaling.selection import FAR, Selection, nearest_to_median
from splc.types import Array

LIKELY = 0.5  # hypotheses with at least this share of the plausibility of the best are about as plausible


def default(points: Array, measured: Condensed, strong_scaling: bool | None, local: bool = True) -> Selection:
    """Choose a hypothesis for each quantity.

    `strong_scaling`: whether negative powers are considered; None: of parameters along which a quantity falls. `local`:
    whether points near the largest values count more where no hypothesis is exact.
    """
    bases, hypotheses, misfit = search(points, measured, strong_scaling, local)
    columns = product_columns(bases, hypotheses.terms, hypotheses.products)
    far = columns(FAR * points.max(axis=0, keepdims=True))[:, :, 0]
    with np.errstate(invalid="ignore", over="ignore"):
        parts = hypotheses.coefficients * far
        values = parts.sum(axis=1)
    chosen = _chosen(hypotheses, values, misfit)
    log_weights = tempered(bases, hypotheses, points, misfit)
    return Selection.of_models(
        [_model(bases, hypotheses, row) for row in chosen.tolist()],
        lead_certainty(bases, hypotheses, chosen, log_weights, parts),
        hypotheses.floored[chosen],
        combination_shortlists(bases, hypotheses, log_weights, values, misfit),
    )


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


def _model(bases: Bases, hypotheses: Hypotheses, row: int) -> tuple[float, list[tuple[Product, float]]]:
    """Return the constant of a hypothesis, and its products with their coefficients."""
    constant, products = 0.0, []
    masks, coefficients = hypotheses.products[row].tolist(), hypotheses.coefficients[row].tolist()
    places = list(enumerate(zip(bases, hypotheses.terms[row].tolist(), strict=True)))
    for mask, coefficient in zip(masks, coefficients, strict=True):
        if mask == 0:
            constant = coefficient
        elif mask > 0:
            used = [(basis, at) if mask >> parameter & 1 else None for parameter, (basis, at) in places]
            product = tuple(CONSTANT if each is None else each[0].terms[each[1]] for each in used)
            divisor = math.prod(float(basis.sizes[at]) for each in used if each is not None for basis, at in [each])
            products.append((product, coefficient / divisor))
    return constant, products


def lead_certainty(bases: Bases, hypotheses: Hypotheses, chosen: Array, log_weights: Array, parts: Array) -> Array:
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
_ROUNDS = 3  # exchanging terms converges after one or two rounds


def search(
    points: Array, measured: Condensed, strong_scaling: bool | None, local: bool = True
) -> tuple[Bases, Hypotheses, Array]:
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


def _residuals(bases: Bases, candidates: Hypotheses, measured: Condensed) -> Array:
    """Return the weighted residuals of the most plausible hypotheses, shape (models, n)."""
    best = candidates[candidates.starts]
    columns = np.repeat(best.coefficients.T[:, None], measured.values.shape[1], axis=1)
    values = _multiplied(columns, bases, best.terms, best.products).sum(axis=0).T
    size = np.where(
        best.floored[:, None],
        *(evidence.noise_scales(measured.values, kind) for kind in (evidence.FLOORED, evidence.RELATIVE)),
    )
    return np.asarray((measured.values - values) / size)


def _ideas(points: Array, bases: Bases, measured: Condensed, strong_scaling: bool | None, size: Array) -> Hypotheses:
    """Weigh hypotheses for a batch under every kind of noise that it needs; `size`: the size of the misfit."""

    def weigh(rows: Array, kind: int) -> Hypotheses:
        noise = larger(evidence.noise_of(measured[rows], kind), size[rows])
        return _weighed(points, bases, measured[rows], strong_scaling, noise)

    parts = []
    for candidates, kind, rows, log_share in evidence.kinds_of_noise(measured, weigh):
        log_weights = candidates.log_weights + log_share[candidates.model]
        absolute = np.full(len(log_weights), kind == evidence.FLOORED)
        parts.append(replace(candidates, model=rows[candidates.model], log_weights=log_weights, floored=absolute))
    return Hypotheses.joined(parts, only_plausible=True)


def _weighed(
    points: Array, bases: Bases, measured: Condensed, strong_scaling: bool | None, noise: evidence.NoiseEvidence
) -> Hypotheses:
    """Weigh hypotheses for a batch under one kind of noise."""
    z = measured.values * noise.weights
    scores, missing = [], []
    for parameter, basis in enumerate(bases):
        log_scores = line_scores(points, parameter, basis, z, noise)
        if log_scores is None:
            missing.append(parameter)
            log_scores = np.tile(basis.log_prior, (len(z), 1))
        falling = falls(points, measured.values, parameter) if strong_scaling is None else np.array([strong_scaling])
        scores.append(np.where(basis.falling & ~falling[:, None], -np.inf, log_scores))
    for _ in range(_ROUNDS if missing else 0):
        for parameter in missing:
            scores[parameter] = _exchanged(parameter, scores, bases, z, noise)
    candidates = hypotheses(bases, choices(scores), z, noise)
    if len(bases) > 2:
        candidates = with_exchanged(bases, scores, candidates, z, noise)
    return replace(candidates, log_weights=candidates.log_weights + noise.density[candidates.model])


def _exchanged(parameter: int, scores: list[Array], bases: Bases, z: Array, noise: evidence.NoiseEvidence) -> Array:
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
    bases: Bases, scores: Sequence[Array], candidates: Hypotheses, z: Array, noise: evidence.NoiseEvidence
) -> Hypotheses:
    """Return hypotheses and those that exchanges of their terms lead to, ordered as `Hypotheses.joined` does."""
    best = (own.max(axis=1, keepdims=True, initial=-np.inf) for own in scores)
    allowed = [(own > top - LINE_BEHIND) & np.isfinite(own) for own, top in zip(scores, best, strict=True)]
    cut = np.any([near.sum(axis=1) > most_terms(len(bases)) for near in allowed], axis=0)
    if not cut.any():
        return candidates
    uncut, candidates = (candidates[np.flatnonzero(cut[candidates.model] == is_cut)] for is_cut in (False, True))
    expanded = np.zeros(0, dtype=np.int64)
    combined = _choice_keys(candidates.model, candidates.terms)
    positive = evidence.never_negative(z)
    for _ in range(_EXCHANGES):
        rows = expanded_rows(candidates, len(bases))
        keys = _keys(candidates[rows])
        new_ones = ~np.isin(keys, expanded)
        rows, expanded = rows[new_ones], np.append(expanded, keys[new_ones])
        neighbours = _neighbours(bases, allowed, candidates[rows], z, noise)
        new = [part.weighed_by_sign(bases, positive).plausible() for part in neighbours]
        if not new:
            break
        candidates = _distinct([candidates, *new])
    keys = _choice_keys(candidates.model, candidates.terms)
    _, first = np.unique(keys, return_index=True)
    rows = np.sort(first[~np.isin(keys[first], combined)])
    rows = rows[_first(candidates.model[rows], _COMBINED)]
    if len(rows):
        chosen = Choices(candidates.model[rows], candidates.terms[rows], np.ones_like(candidates.terms[rows]))
        candidates = _distinct([candidates, hypotheses(bases, chosen, z, noise, only_full=True)])
    return Hypotheses.joined([uncut, candidates])


def _neighbours(
    bases: Bases, allowed: list[Array], parents: Hypotheses, z: Array, noise: evidence.NoiseEvidence
) -> Iterator[Hypotheses]:
    """Fit all hypotheses in which one parameter's term is another plausible one of its list."""
    active, width = parents.active, parents.products.shape[1]
    origins, all_terms = [], []
    for parameter, is_allowed in enumerate(allowed):
        rows = np.flatnonzero(active >> parameter & 1)
        positions, term = np.nonzero(is_allowed[parents.model[rows]])
        new = parents.terms[rows[positions]]
        changed = new[:, parameter] != term
        new[:, parameter] = term
        origins.append(rows[positions[changed]])
        all_terms.append(new[changed])
    origin, exchanged = np.concatenate(origins), np.concatenate(all_terms)
    step = max(TEMPORARY // (z.shape[1] * (width + 1)), 1)
    for size in np.unique(parents.sizes[origin]).tolist():
        members = np.flatnonzero(parents.sizes[origin] == size)
        for start in range(0, len(members), step):
            part = members[start : start + step]
            own, terms = parents[origin[part]], exchanged[part]
            masks = own.products[:, :size]
            columns = _multiplied(np.repeat(noise.weights[own.model].T[None], size, axis=0), bases, terms, masks)
            norms = np.sqrt((columns**2).sum(axis=1))
            norms = np.where(norms > 0, norms, 1.0)
            fits = fitted_exactly(list(columns / norms[:, None]), z[own.model].T, noise, own.model)
            yield Hypotheses.of_fits(bases, own.model, terms, masks, width, fits, norms.T, own.log_priors)


def _multiplied(columns: Array, bases: Bases, terms: Array, masks: Array) -> Array:
    """Return columns, (coefficients, n, hypotheses), times products of terms: those of `masks`."""
    for parameter, basis in enumerate(bases):
        for mask, column in zip(masks.T, columns, strict=True):
            used = np.flatnonzero(mask >> parameter & 1)
            column[:, used] *= basis.columns[terms[used, parameter]].T
    return columns


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
    candidates = Hypotheses.joined(parts, only_plausible=True)
    _, first = np.unique(_keys(candidates), return_index=True)
    return candidates[np.sort(first)]


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
