"""Fits of the full model: the first search, the refits, and what evidence decides about them.

In: the columns and values of the rows (`Data`). Out: the most probable model on a scale (`first_fit`); models with the
hyperparameters of each fold, and predictions outside of the folds (`refits`), on the best scale (`best_refits`);
whether influences can be distinguished from noise (`permutation_test`), and whether numbers in the names of members
have a meaning (`with_supported_numbers`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.folds import drawn_folds
from splc.learning.projection import constants
from splc.learning.projection.basis import OptionBasis
from splc.learning.projection.kernel import KernelDesign
from splc.learning.projection.posterior import KernelPosterior
from splc.learning.projection.scales import Scale, general_scales, positive_scale
from splc.learning.projection.search import SearchResult, search_hyperparameters, start_of
from splc.learning.projection.variables import MIN_GROUP, Variable, without_numbers
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
        means[out] = known.means(design.rows(out))
    return means


def refits(data: Data, firsts: Sequence[FirstFit]) -> Refits:
    """Return the refits of a full model, which start in turn from fits on one scale; the first one is kept."""
    first, posterior, fold_of = firsts[0], firsts[0].posterior, data.folds
    means, deviations, baseline = np.empty((3, len(data.y)))
    parts, folds = [], []
    for fold in range(int(fold_of.max()) + 1):
        out, training = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        first_model = firsts[fold % len(firsts)]
        kind = first_model.posterior.kind
        t, noise, design = posterior.t[training], first.noise[training], data.designs[kind].rows(training)
        mean, deviation = float(t.mean()), float(t.std())
        if deviation <= 1e-9 * posterior.deviation:
            deviation = posterior.deviation
        rows, start = slice(constants.ROWS_OF_REFIT), first_model.optimum.logarithms
        z = (t[rows] - mean) / deviation
        optimum = search_hyperparameters(design.rows(rows), z, noise[rows], start, constants.REFIT_ITERATIONS)
        logarithms = optimum.logarithms
        data.on_fit(constants.REFIT_ITERATIONS)
        held_out = KernelPosterior(logarithms, design, t, noise, mean, deviation, kind)
        folds.append(held_out)
        parts.append(replace(first_model.posterior, logarithms=logarithms))
        means[out], variances = held_out.moments(data.designs[kind].rows(out))
        deviations[out] = np.sqrt(variances + held_out.noise_variance * first.noise[out])
        baseline[out] = mean
    missed = float(np.mean((means - posterior.t) ** 2))
    explained = 1 - missed / float(np.mean((baseline - posterior.t) ** 2))
    return Refits(first, tuple(parts), tuple(folds), means, deviations, explained)


def best_refits(data: Data, variables: int, setting: str, *, positive: bool) -> Refits:
    """Return the refits on the best scale; `setting`: that of a positive property, or `auto`."""
    return _positive(data, variables, setting) if positive else _general(data, variables)


def _positive(data: Data, variables: int, setting: str) -> Refits:
    """Return the refits of a positive property on the scale of ln y, or of y where it is better ("Scale")."""
    scale = positive_scale("log", data.y)
    log = first_fit(data, variables, scale)
    unfit = len(data.y) < constants.ROWS_OF_SCALE or float(data.y.max() / scale.unit) > constants.LARGEST
    if setting == "log" or (setting == "auto" and unfit):
        return _refits(data, variables, log)
    fitted = np.exp(log.posterior.means(data.designs[0]))
    raw = first_fit(data, variables, positive_scale("raw", data.y), fitted)
    if setting == "auto" and raw.evidence - log.evidence <= constants.SCALE_EVIDENCE:
        return _refits(data, variables, log)
    return _refits(data, variables, raw, fitted)


def _refits(data: Data, variables: int, first: FirstFit, fitted: Array | None = None) -> Refits:
    """Return the refits, in turn with each kind of columns."""
    others = (first_fit(data, variables, first.scale, fitted, kind) for kind in range(1, len(data.designs)))
    return refits(data, [first, *others])


def _general(data: Data, variables: int) -> Refits:
    """Return the refits of a property with values of any sign, on the scale with the smallest error."""
    best: tuple[float, Refits] | None = None
    fitted = None
    for scale in general_scales(data.y):
        if float(abs(scale.forward(data.y / scale.unit)).max()) > constants.LARGEST:
            continue
        grown = fitted if scale.grows else None
        first = first_fit(data, variables, scale, grown)
        if fitted is None:
            fitted = first.posterior.means(data.designs[0])
        refits = _refits(data, variables, first, grown)
        error = float(abs(scale.backward(refits.means) - data.y / scale.unit).mean())
        if best is None or error < best[0] * (1 - 1e-9):
            best = error, refits
    assert best is not None
    return best[1]


def permutation_test(data: Data, variables: int, found: Refits) -> bool:
    """Return whether the influences of a full model can be distinguished from noise."""
    first, rows = found.first, len(data.y)
    if is_certain(rows, first.gain, found.explained):
        return True
    searched = slice(constants.ROWS_OF_SEARCH)
    design, t = data.designs[0].rows(searched), first.posterior.t[searched]
    columns, permutations, margin = constants.GUARD_SINGLE
    if design.distinct > columns and has_large_correlation(design.columns, t, permutations, margin):
        return True
    return is_rare(rows, first.gain, permuted_gains(data, variables, first))


def is_certain(rows: int, gain: float, explained: float) -> bool:
    """Return whether a gain of evidence, or the share of explained variance with few rows, needs no permutations."""
    has_few_rows = rows < constants.GUARD_ROWS
    return gain >= constants.GUARD_CERTAIN or (has_few_rows and explained >= constants.GUARD_EXPLAINED)


def is_rare(rows: int, gain: float, gains: Iterable[float]) -> bool:
    """Return whether few of the gains for permuted values are as large; no more of them are read than necessary."""
    permutations, allowed = constants.GUARD_FEW_ROWS if rows < constants.GUARD_ROWS else constants.GUARD_PERMUTATIONS
    larger = 0
    for permuted_gain in islice(gains, permutations):
        larger += permuted_gain >= gain
        if larger > allowed:
            return False
    return True


def permuted_gains(data: Data, variables: int, first: FirstFit) -> Iterator[float]:
    """Yield gains of evidence for permuted values, without end."""
    searched, posterior = slice(constants.ROWS_OF_SEARCH), first.posterior
    design, noise = data.designs[0].rows(searched), first.noise[searched]
    z = (posterior.t[searched] - posterior.mean) / posterior.deviation
    start = start_of(design.distinct, variables)
    draws = np.random.default_rng(0)
    while True:
        order = draws.permutation(len(z))
        # The noise is permuted with the values, since it may depend on the value.
        optimum = search_hyperparameters(design, z[order], noise[order], start, constants.ITERATIONS)
        yield float(z @ z) / 2 - optimum.evidence


def has_large_correlation(columns: Array, values: Array, permutations: int, margin: float) -> bool:
    """Return whether a column correlates more with the values, by a margin, than any does with permuted values."""
    z = (values - values.mean()) / values.std()
    centered = columns - columns.mean(axis=0)
    norms = np.linalg.norm(centered, axis=0)
    centered = centered[:, norms > 0] / norms[norms > 0]
    permuted = np.random.default_rng(0).permuted(np.tile(z, (permutations, 1)), axis=1)
    return bool(abs(z @ centered).max(initial=0.0) > margin * abs(permuted @ centered).max(initial=0.0))


def with_supported_numbers(
    variables: tuple[Variable, ...], configurations: Configurations, y: Array, repetitions: Array, scale: Scale
) -> tuple[Variable, ...]:
    """Return variables without those numbers in the names of groups' members that the evidence is not for."""
    groups = {variable.name: variable for variable in variables if variable.kind == "group" and variable.values}
    if not groups:
        return variables
    some = slice(constants.ROWS_OF_NUMBERING)
    rows, values, counts = configurations[some], y[some], repetitions[some]
    margins = {name: constants.EVIDENCE_PER_MEMBER * (len(group.members) - MIN_GROUP) for name, group in groups.items()}

    @cache
    def evidence(numbered: frozenset[str], shared: frozenset[str] = frozenset()) -> float:
        """Return the evidence with the numbers of some groups, and others whose members share one relevance."""
        members = (replace(variable, values=()) if variable.name in shared else variable for variable in variables)
        basis = OptionBasis(without_numbers(members, numbered))
        data = Data(basis.designs(rows)[:1], values, counts)
        return first_fit(data, len(variables), scale).evidence

    def supported(added: frozenset[str], numbered: frozenset[str], min_gain: float) -> bool:
        """Return whether the evidence is for the numbers of new groups besides those that are kept."""
        found, margin = evidence(numbered | added), sum(margins[name] for name in added)
        return found > evidence(numbered, added) + min_gain and found > evidence(numbered) - margin

    all_groups, numbered = frozenset(groups), frozenset[str]()
    single = len(groups) * len(variables) <= constants.SINGLE_GROUPS
    if supported(all_groups, frozenset(), constants.NUMBER_EVIDENCE):
        if not single:
            return variables
        return without_numbers(
            variables, [name for name in groups if supported(frozenset((name,)), all_groups - {name}, 0.0)]
        )
    if not single:
        return without_numbers(variables)
    # If the numbers of one group are supported, those of the other groups need less evidence.
    for min_gain in (constants.NUMBER_EVIDENCE, constants.FURTHER_NUMBER_EVIDENCE):
        numbered |= {name for name in all_groups - numbered if supported(frozenset((name,)), numbered, min_gain)}
        if not numbered or numbered == all_groups:
            break
    return without_numbers(variables, numbered)
