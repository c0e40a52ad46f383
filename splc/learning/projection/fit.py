"""Fits of the full model on one scale: the first search, the refits, and predictions outside of the folds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from splc.learning.folds import drawn_folds
from splc.learning.projection import constants
from splc.learning.projection.kernel import KernelDesign
from splc.learning.projection.posterior import KernelPosterior
from splc.learning.projection.scales import Scale
from splc.learning.projection.search import SearchResult, search_hyperparameters, start_of
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Data:
    """The learning set of a full model, in hash order."""

    # the columns of the n configurations, of one or two kinds (`OptionBasis.designs`)
    designs: tuple[KernelDesign, ...]
    y: Array  # the measured values, shape (n,)
    repetitions: Array  # the number of measurements of each, shape (n,)
    # called after each search for hyperparameters, with its number of iterations at most
    on_fit: Callable[[int], None] = lambda iterations: None
    # the fold of each row, shape (n,), where rows of several contexts are divided alike; None: the rows in turn
    given_folds: Array | None = None
    # the group of each row, shape (n,), which folds keep together; None: each row is a group
    groups: Array | None = None

    @property
    def folds(self) -> Array:
        """The fold of each row, shape (n,); each row is a fold of its own if there are few."""
        if self.given_folds is not None:
            return self.given_folds
        return drawn_folds(np.arange(len(self.y)), constants.FOLDS, self.groups)

    @property
    def independent(self) -> int:
        """The number of groups."""
        return len(self.y) if self.groups is None else len(np.unique(self.groups))


@dataclass(frozen=True, eq=False)
class FirstFit:
    """The most probable full model on one scale."""

    scale: Scale  # the scale
    noise: Array  # multiples of the noise of each row, shape (n,)
    noise_unit: float  # the mean multiple that `Scale.noise` is divided by
    posterior: KernelPosterior  # the posterior given all rows
    optimum: SearchResult  # the hyperparameters
    evidence: float  # the logarithm of the evidence with priors, comparable across scales
    gain: float  # the logarithm of the evidence minus that of a constant with noise


def first_fit(data: Data, variables: int, scale: Scale, fitted: Array | None = None, kind: int = 0) -> FirstFit:
    """Return the most probable full model on a scale."""
    y = data.y / scale.unit
    t = scale.forward(y)
    mean, deviation = float(t.mean()), float(t.std())
    multiples = np.ones(len(y)) if fitted is None else scale.noise(fitted)
    unit = float(multiples.mean())
    noise = multiples / unit / data.repetitions
    search_rows = slice(constants.ROWS_OF_SEARCH)
    design, z = data.designs[kind].rows(search_rows), (t[search_rows] - mean) / deviation
    start = start_of(design.distinct, variables)
    optimum = search_hyperparameters(design, z, noise[search_rows], start, constants.ITERATIONS)
    data.on_fit(constants.ITERATIONS)
    evidence = -optimum.value - len(z) * math.log(deviation)
    if scale.name == "log":
        evidence -= float(np.log(y[search_rows]).sum())
    gain = float(z @ z) / 2 - optimum.evidence
    posterior = KernelPosterior(optimum.logarithms, data.designs[kind], t, noise, mean, deviation, kind)
    return FirstFit(scale, noise, unit, posterior, optimum, evidence, gain)


@dataclass(frozen=True, eq=False)
class Refits:
    """The refits of a full model, one per fold."""

    first: FirstFit  # the fit that they started from
    parts: tuple[KernelPosterior, ...]  # the posteriors given all rows, with the hyperparameters of each refit
    folds: tuple[KernelPosterior, ...]  # the posteriors given the rows outside of each fold
    means: Array  # predictions of each row without its fold, on the scale of the model, shape (n,)
    deviations: Array  # their standard deviations with noise, shape (n,)
    explained: float  # the share of the variance that they explain

    @property
    def searched(self) -> Array:
        """The positions of the blocks of columns that a search was about, ascending."""
        posteriors = [self.first.posterior, *self.parts]
        return np.array(sorted({block for part in posteriors for block in part.searched.tolist()}), dtype=int)

    def of_blocks(self, blocks: Array) -> Refits:
        """Return the refits with some of the blocks only; the others are without influence."""
        return replace(
            self,
            first=replace(self.first, posterior=self.first.posterior.of_blocks(blocks)),
            parts=tuple(part.of_blocks(blocks) for part in self.parts),
            folds=tuple(fold.of_blocks(blocks) for fold in self.folds),
        )


def means_by_rows(data: Data, refits: Refits) -> Array:
    """Return predictions of each row from all but an eighth of the rows, whatever their groups, shape (n,).

    The hyperparameters are those of the refits.
    """
    means, fold_of = np.empty(len(data.y)), drawn_folds(np.arange(len(data.y)), constants.FOLDS)
    for fold in range(int(fold_of.max()) + 1):
        out, training = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        part = refits.parts[fold % len(refits.parts)]
        design, t = data.designs[part.kind], part.t[training]
        known = replace(part, design=design.rows(training), t=t, noise=part.noise[training])
        means[out] = known.moments(design.rows(out), variances=False)[0]
    return means


def log_errors(scale: Scale, means: Array, y: Array) -> Array:
    """Return the absolute errors of ln y for predictions on a scale."""
    return np.asarray(abs(scale.residual(scale.backward(means), y / scale.unit)))


def refits(data: Data, firsts: Sequence[FirstFit]) -> Refits:
    """Return the refits of a full model.

    `firsts`: the fits that refits start from in turn, on one scale; the first one is kept.
    """
    all_refits = refits_below(data, firsts, math.inf)
    assert all_refits is not None
    return all_refits


def refits_below(data: Data, firsts: Sequence[FirstFit], limit: float) -> Refits | None:
    """Return the refits of a full model of a positive property; None if their error is at least the limit.

    The error is the mean of `log_errors`; no further folds are fitted when it is known to be too large.
    """
    first = firsts[0]
    total = 0.0
    posterior = first.posterior
    fold_of = data.folds
    means, deviations, baseline = np.empty(len(data.y)), np.empty(len(data.y)), np.empty(len(data.y))
    parts, folds = [], []
    for fold in range(int(fold_of.max()) + 1):
        out = np.flatnonzero(fold_of == fold)
        training = np.flatnonzero(fold_of != fold)
        first_model = firsts[fold % len(firsts)]
        kind = first_model.posterior.kind
        t, noise, design = posterior.t[training], first.noise[training], data.designs[kind].rows(training)
        mean, deviation = float(t.mean()), float(t.std())
        if deviation <= 1e-9 * posterior.deviation:
            deviation = posterior.deviation
        refit_rows = slice(constants.ROWS_OF_REFIT)
        z = (t[refit_rows] - mean) / deviation
        start = first_model.optimum.logarithms
        logarithms = search_hyperparameters(
            design.rows(refit_rows), z, noise[refit_rows], start, constants.REFIT_ITERATIONS
        ).logarithms
        data.on_fit(constants.REFIT_ITERATIONS)
        held_out = KernelPosterior(logarithms, design, t, noise, mean, deviation, kind)
        folds.append(held_out)
        parts.append(replace(first_model.posterior, logarithms=logarithms))
        means[out], variances = held_out.moments(data.designs[kind].rows(out))
        deviations[out] = np.sqrt(variances + held_out.noise_variance * first.noise[out])
        baseline[out] = mean
        if math.isfinite(limit):
            total += float(log_errors(first.scale, means[out], data.y[out]).sum())
            if total >= limit * len(data.y):
                return None
    missed = float(np.mean((means - posterior.t) ** 2))
    explained = 1 - missed / float(np.mean((baseline - posterior.t) ** 2))
    return Refits(first, tuple(parts), tuple(folds), means, deviations, explained)
