"""The learner as one would write it down first: every candidate is refitted by itself with `lstsq`.

It is the oracle of the fast learner's tests and the yardstick of its benchmark. It knows the default functions
(options, interactions, squares) and log10, the relative loss, and the default stop rules.
"""

from __future__ import annotations

import numpy as np

from splc.learning.features import FeatureTable
from splc.learning.stepwise.candidates import BASE, Candidate
from splc.learning.stepwise.settings import Settings
from splc.models.terms import log_term, option_term
from splc.types import Array


def candidates_of(problem: FeatureTable, settings: Settings, model: list[Candidate]) -> list[Candidate]:
    """Return all candidates of a round: functions of one option, alone and times every term of the model."""
    atoms = []
    for feature in problem.features:
        atoms.append(Candidate(option_term(feature.name)))
        if feature.numeric and settings.quadraticFunctionSupport:
            atoms.append(Candidate(option_term(feature.name, 2)))
        if feature.numeric and settings.learn_logFunction and feature.minimum > 0:
            atoms.append(Candidate(log_term(feature.name)))
    found = dict.fromkeys(atoms)
    for term in model[1:]:
        found.update(dict.fromkeys(term.times(atom, problem.binary) for atom in atoms))
    return [candidate for candidate in found if candidate not in model]


def learn_naively(problem: FeatureTable, settings: Settings) -> tuple[list[Candidate], list[float]]:
    """Return the selected candidates (the constant first) and the relative error after each round, in percent."""
    y = problem.target
    model, columns = [BASE], [np.ones(len(y))]
    errors: list[float] = []

    def error_with(column: Array | None) -> float:
        matrix = np.column_stack([*columns, column] if column is not None else columns)
        coefficients, _, rank, _ = np.linalg.lstsq(matrix, y, rcond=None)
        if rank < matrix.shape[1]:
            return float("nan")
        counted = y >= settings.leastValue if settings.leastValue else y != 0
        return float(np.mean(np.abs(matrix @ coefficients - y)[counted] / np.abs(y)[counted]) * 100)

    while len(errors) < settings.numberOfRounds:
        before = errors[-1] if errors else error_with(None)
        trials = []
        for candidate in candidates_of(problem, settings, model):
            column = np.broadcast_to(candidate.evaluate(problem.column), y.shape)
            error = error_with(column)
            if not np.isnan(error):
                trials.append((candidate, column, error))
        # The first round counts from its worst candidate; where all are as good, from the constant.
        worst = max((error for _, _, error in trials), default=before)
        level = any(error < worst * (1 - 1e-9) for _, _, error in trials)
        reference = worst if not errors and level else before
        scored = [((reference - e) / (c.size if settings.candidateSizePenalty else 1), c, x, e) for c, x, e in trials]
        scored = [trial for trial in scored if trial[3] < reference * (1 - 1e-9)]
        best = max((score for score, _, _, _ in scored), default=0.0)
        if best <= 1e-9 * reference:
            break
        winners = [w for w in scored if w[0] >= best - 1e-9 * reference]
        least = min(w[1].size_key for w in winners)
        score, candidate, column, error = max(
            (w for w in winners if w[1].size_key == least), key=lambda w: w[1].order_key
        )
        model.append(candidate)
        columns.append(column)
        errors.append(error)
        if error <= 1e-9 or error < settings.abortError or score < settings.minImprovementPerRound:
            break
    return model, errors
