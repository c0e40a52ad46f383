"""The search for several parameters: one rule for all sets of points, dense, sparse or scattered.

1. *Terms*. For each parameter all PMNF terms are weighed along all of its lines (`splc.scaling.multi.terms`). Without a
   line of three points the shortlist comes from models of all parameters in which only its term is exchanged.
2. *Combinations*. Every plausible choice of one term per parameter is put into every combination of sums and products
   (`combinations`), of all parameters and of some of them, with a constant and without; all are fitted to
   all points and weighed by one rule (`splc.scaling.multi.posterior`), and the most plausible one is the model.

Combinations that fit equally (on a pure cross a + b, a + a·b and b + a·b) differ by their prior alone.

Sources: Ritter et al., Learning Cost-Effective Sampling Strategies, section III; the rule is that of `single.default`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from splc.scaling.evidence import NoiseEvidence, noise_evidence
from splc.scaling.multi.exchange import with_exchanged
from splc.scaling.multi.misfit import larger, shared, sizes
from splc.scaling.multi.posterior import Choices, Hypotheses, choices, hypotheses
from splc.scaling.multi.terms import ParameterTerms, falls, line_scores, parameter_terms, shortlists
from splc.scaling.noise import Condensed, kinds_of_noise, scales
from splc.types import Array

_BATCH = 64
# Exchanging terms converges after one or two rounds.
_ROUNDS = 3


def search(
    points: Array, measured: Condensed, strong_scaling: bool | None, local: bool = True
) -> tuple[tuple[ParameterTerms, ...], Hypotheses, Array]:
    """Return the terms of every parameter, and each quantity's plausible hypotheses, the most plausible one first.

    The third one is the share of the misfit in the variance, shape (models,).

    `points`: distinct points, shape (n, parameters). `measured`: values without gaps, shape (models, n), none larger
    than about 1. `strong_scaling`: whether negative powers are considered; None: of parameters along which a quantity
    falls. `local`: whether points near the largest values count more where no hypothesis is exact.
    """
    among = parameter_terms(points)
    parts, misfit = [], np.zeros(len(measured.values))
    for start in range(0, len(measured.values), _BATCH):
        some = np.arange(start, min(start + _BATCH, len(measured.values)))
        found = _ideas(points, among, measured[some], strong_scaling, np.ones((len(some), len(points))))
        if local:
            misfit[some] = shared(points, _residuals(among, found, measured[some]))
        wrong = np.flatnonzero(misfit[some] > 0)
        if len(wrong):
            size = sizes(points, points, misfit[some[wrong]])
            again = _ideas(points, among, measured[some[wrong]], strong_scaling, size)
            found = found[np.flatnonzero(~np.isin(found.model, wrong))]
            found = Hypotheses.joined([found, replace(again, model=wrong[again.model])])
        parts.append(replace(found, model=some[found.model]))
    return among, Hypotheses.joined(parts), misfit


def _residuals(among: tuple[ParameterTerms, ...], found: Hypotheses, measured: Condensed) -> Array:
    """Return the weighted residuals of the most plausible hypotheses, shape (models, n)."""
    best = found[np.flatnonzero(np.diff(found.model, prepend=-1))]
    values = np.zeros(measured.values.shape)
    for place in range(best.products.shape[1]):
        column = best.coefficients[:, place, None] * np.ones(values.shape)
        for at, each in enumerate(among):
            used = (best.products[:, place] >= 0) & (best.products[:, place] >> at & 1 == 1)
            if used.any():
                column[used] *= each.columns[best.terms[used, at]]
        values += column
    size = np.where(best.floored[:, None], scales(measured.values, True), scales(measured.values, False))
    return np.asarray((measured.values - values) / size)


def _ideas(
    points: Array, among: tuple[ParameterTerms, ...], measured: Condensed, strong_scaling: bool | None, size: Array
) -> Hypotheses:
    """Weigh hypotheses for a batch under every kind of noise that it calls for.

    `size`: of the misfit, see `splc.scaling.multi.misfit.sizes`.
    """

    def weigh(rows: Array, floored: bool) -> Hypotheses:
        own = larger(noise_evidence(measured[rows], scales(measured.values[rows], floored)), size[rows])
        return _weighed(points, among, measured[rows], strong_scaling, own)

    def best(found: Hypotheses) -> tuple[Array, Array]:
        first = np.flatnonzero(np.diff(found.model, prepend=-1))
        return found.squares[first], found.sizes[first]

    parts = []
    for found, floored, rows, log_share in kinds_of_noise(measured, weigh, best):
        log_weights = found.log_weights + log_share[found.model]
        absolute = np.full(len(log_weights), floored)
        parts.append(replace(found, model=rows[found.model], log_weights=log_weights, floored=absolute))
    whole = Hypotheses.concatenated(parts)
    return whole[whole.order(whole.plausible_rows())]


def _weighed(
    points: Array,
    among: tuple[ParameterTerms, ...],
    measured: Condensed,
    strong_scaling: bool | None,
    noise: NoiseEvidence,
) -> Hypotheses:
    """Weigh hypotheses for a batch under one kind of noise."""
    z = measured.values * noise.weights
    scores, missing = [], []
    for at, each in enumerate(among):
        own = line_scores(points, at, each, z, noise)
        if own is None:
            missing.append(at)
            own = np.tile(each.log_prior, (len(z), 1))
        falling = falls(points, measured.values, at) if strong_scaling is None else np.full(len(z), strong_scaling)
        scores.append(np.where(each.falling & ~falling[:, None], -np.inf, own))
    for _ in range(_ROUNDS if missing else 0):
        for at in missing:
            scores[at] = _exchanged(at, scores, among, z, noise)
    found = hypotheses(among, choices(*shortlists(scores)), z, noise)
    if len(among) > 2:
        found = with_exchanged(among, scores, found, z, noise)
    return replace(found, log_weights=found.log_weights + noise.density[found.model])


def _exchanged(
    parameter: int,
    scores: list[Array],
    among: tuple[ParameterTerms, ...],
    z: Array,
    noise: NoiseEvidence,
) -> Array:
    """Return new scores of a parameter's terms: those of the best models with them, the others keeping their best."""
    models, number = scores[parameter].shape
    best = np.array([each.argmax(axis=1) for each in scores]).T
    terms = np.repeat(best, number, axis=0)
    terms[:, parameter] = np.tile(np.arange(number), models)
    chosen = Choices(np.repeat(np.arange(models), number), terms, np.zeros_like(terms))
    found = hypotheses(among, chosen, z, noise, only_full=True)
    result = np.full((models, number), -np.inf)
    np.maximum.at(result, (found.model, found.terms[:, parameter]), found.log_weights)
    return np.where(np.isneginf(scores[parameter]), -np.inf, result)
