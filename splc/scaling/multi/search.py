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

    The third result is the share of the misfit in the variance, shape (models,).

    `points`: distinct points, shape (n, parameters). `measured`: values without gaps, shape (models, n), none larger
    than about 1. `strong_scaling`: whether negative powers are considered; None: of parameters along which a quantity
    falls. `local`: whether points near the largest values count more where no hypothesis is exact.
    """
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
    """Weigh hypotheses for a batch under every kind of noise that it needs.

    `size`: the size of the misfit, see `splc.scaling.multi.misfit.sizes`.
    """

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
