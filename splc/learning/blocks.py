"""Blocks of runs, such as those of one `mpirun`, day or node: a common factor makes them faster or slower.

ln y = f(x) + b + e. f is a Gaussian process with the covariance of the full model, b a random effect of the block, and
e one of the run. Configurations have a random effect, too, for what the process does not follow. Variances are those of
restricted maximum likelihood (Patterson and Thompson 1971), effects the best linear unbiased predictions (Henderson
1975). Values are adjusted by the effects before they are averaged and learned from.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements, offsets, same_width
from splc.errors import LearningError, listed, plural
from splc.io.numbers import percentage
from splc.learning.folds import FEWEST, Groups
from splc.models.basis.regression import t_quantile
from splc.types import Array

# Returns the prior covariance of ln y between configurations, by their positions, shape (n, m).
Covariance = Callable[[Array, Array], Array]
# Runs that variances are estimated from, the blocks that they are from if there are so many, and rows at a time.
RUNS, FROM, ROWS = 600, 20, 2048
# Steps of the search for variances: further ones change effects by at most 0.4 % of their deviation.
STEPS = 50
# A variance relative to that of all runs that is as good as none.
NONE = 1e-9
# An option whose values differ between blocks by this share of their variance, or more, is named.
BETWEEN = 0.5


@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks of the runs of measured configurations."""

    column: str  # the column of the table that names them
    labels: Array  # the block of each run, a position in `effects`, shape (n, repetitions); -1 where there is no run
    effects: Array  # the effect of each block on ln y, shape (blocks,); 0 of those that were not learned from
    number: int  # the number of blocks that were learned from
    variance: float  # the variance of ln y between blocks
    within: float  # that of runs around the model (or their configuration) within a block
    settings: int = 1  # the number of settings of options that are the same in all runs of a block

    def __getitem__(self, rows: Array) -> Blocks:
        """Return those of some of the configurations."""
        return replace(self, labels=self.labels[rows])

    @property
    def new_variance(self) -> float:
        """The variance of the difference between a new block and the mean of those that were learned from."""
        return self.variance * (1 + self.settings / self.number)

    def width(self, level: float) -> float:
        """Return the half width of an interval of the effect of a new block, at this level."""
        return math.sqrt(self.new_variance) * t_quantile(self.number - self.settings, (1 + level) / 2)

    @cached_property
    def deviations(self) -> Array:
        """The effects of blocks with the variance that those of new blocks have around the model, (n, repetitions)."""
        squares = float((self.effects**2).sum()) / self.number
        # The mean effect of blocks is in the model, and the rest of effects is in the errors of adjusted values.
        wanted = min(self.new_variance, squares + 2 * (self.new_variance - self.variance))
        return self._of_runs(self.effects * math.sqrt(wanted / squares) if squares else self.effects)

    def adjusted(self, values: Array) -> Array:
        """Return values of runs without the effects of their blocks, shape (n, repetitions)."""
        return np.asarray(values * np.exp(-self._of_runs(self.effects)))

    def _of_runs(self, effects: Array) -> Array:
        return np.where(self.labels >= 0, effects[self.labels], 0.0)

    @property
    def facts(self) -> dict[str, Any]:
        """The facts that are stated of them; the share of the variance and the deviations are in percent."""
        between, within = (100 * math.expm1(math.sqrt(each)) for each in (self.variance, self.within))
        shares = {"share": 100 * self.variance / (self.variance + self.within or 1.0), "deviation": between}
        return {"column": self.column, "number": self.number, **shares, "deviation_within": within}

    def text(self, around: str) -> str:
        """Return the facts as text; `around`: what runs differ from."""
        share, between, within = (percentage(self.facts[key], 3) for key in ("share", "deviation", "deviation_within"))
        values = f"{self.number} values of {self.column} (deviation {between}, within {within})"
        return f"{share} of the variance of runs around {around} is between {values}"


def with_labels(measurements: Measurements, nfp: str, column: str) -> tuple[Measurements, Array, tuple[str, ...]]:
    """Return the measurements with those values that have a block, the label of each, (n, repetitions), and notes."""
    values, numbers = same_width([measurements.repetitions(name) for name in (nfp, column)])
    known = ~np.isnan(values) & ~np.isnan(numbers)
    if not known.any() or values[known].min() <= 0:
        raise LearningError(f"effects of a {column} are those on ln y: all values of {nfp} must be positive")
    labels = np.full(values.shape, -1)
    labels[known] = np.unique(numbers[known], return_inverse=True)[1]
    lost = int((~np.isnan(values) & ~known).sum())
    notes = (f"left out, without a {column}: {plural(lost, 'run', 'runs')}",) if lost else ()
    return replace(measurements, values={**measurements.values, nfp: np.where(known, values, np.nan)}), labels, notes


def groups_of(labels: Array, column: str) -> Groups:
    """Return the groups that folds keep together: blocks, and each configuration with runs in several of them alone."""
    last = labels.max(axis=1)
    several = ((labels >= 0) & (labels != last[:, None])).any(axis=1)
    return Groups(np.where(several, last.max() + 1 + np.arange(len(last)), last), column=column)


def around_configurations(measurements: Measurements, nfp: str, column: str) -> Blocks:
    """Return the blocks of runs around their configuration, without a model."""
    table, labels, _ = with_labels(measurements, nfp, column)
    if (groups_of(labels, column).labels <= labels.max()).all():
        raise LearningError(f"no configuration has runs in two values of {column}; splc learn --block compares all")
    return estimated(column, table.repetitions(nfp), labels, np.arange(len(table)), np.arange(len(table)))


def estimated(
    column: str, values: Array, labels: Array, rows: Array, settings: Array, covariance: Covariance | None = None
) -> Blocks:
    """Return the blocks of runs, values and labels of shape (n, repetitions), with their effects.

    `rows`: the configurations to learn from; effects depend on their order only where there are many. `settings`: what
    has a mean value of its own, for each of these. `covariance`: that around these means, of positions in `rows`.
    """
    row, slot = np.nonzero(labels[rows] >= 0)
    t, labels_of_runs = np.log(values[rows[row], slot]), labels[rows[row], slot]
    learned, first, block, sizes = np.unique(labels_of_runs, return_index=True, return_inverse=True, return_counts=True)
    # Some runs of each block in turn, until there are enough.
    kept = offsets(block, np.ones_like(block), len(learned))[0] < RUNS // min(len(learned), FROM)
    turn = np.argsort(first, kind="stable")
    kept &= np.isin(block, turn[np.cumsum(np.bincount(block[kept])[turn]) <= RUNS])
    at, own = row[kept], block[kept]
    parts = [np.eye(len(at)), np.equal.outer(own, own).astype(float)]
    if covariance is not None:
        parts.append(covariance(at, at))
        if len(np.unique(at)) < len(at):
            parts.append(np.equal.outer(at, at).astype(float))
    kinds = np.unique(settings[at])
    variances, means, weights = variance_components(t[kept], parts, np.equal.outer(settings[at], kinds).astype(float))
    between, within = float(variances[1]), float(variances[0] + variances[3:].sum())
    effects = between * np.bincount(own, weights, len(learned))
    if covariance is not None and not kept.all():
        f = np.concatenate([covariance(row[i : i + ROWS], at) @ weights for i in range(0, len(row), ROWS)])
        # Without a run of a setting, nothing tells its mean.
        found = np.minimum(np.searchsorted(kinds, settings[row]), len(kinds) - 1)
        residuals = np.where(kinds[found] == settings[row], t - means[found] - variances[2] * f, 0.0)
        partly, sums = np.bincount(own, minlength=len(learned)) < sizes, np.bincount(block, residuals)
        effects = np.where(partly, between * sums / np.maximum(between * sizes + within, NONE), effects)
    every = np.bincount(learned, effects, labels.max() + 1)
    return Blocks(column, labels, every, len(learned), between, within, len(kinds))


def variance_components(t: Array, parts: list[Array], fixed: Array) -> tuple[Array, Array, Array]:
    """Return the variances of random effects with these covariance matrices, (n, n), the fixed effects, and P t.

    Each step multiplies a variance by the sum of squares of its effect over the expectation of that (Harville 1977).
    `fixed`: the columns of the fixed effects, shape (n, k).
    """
    variances = np.full(len(parts), float(t.var()) / len(parts))
    least = NONE * float(t.var()) or NONE
    for step in range(STEPS + 1):
        matrix = sum(variance * part for variance, part in zip(variances, parts, strict=True))
        matrix.flat[:: len(t) + 1] += least
        inverse = np.linalg.inv(matrix)
        columns = inverse @ fixed
        solution = np.linalg.solve(fixed.T @ columns, columns.T)
        inverse -= columns @ solution
        weights = inverse @ t
        if step < STEPS:
            squares = np.array([weights @ part @ weights for part in parts])
            variances = np.maximum(variances * squares / [float((inverse * part).sum()) for part in parts], least)
    return np.where(variances > least, variances, 0.0), solution @ t, weights


def settings_of(column: str, labels: Array, configurations: Configurations) -> tuple[Array, tuple[str, ...]]:
    """Return the setting of options that do not vary in blocks, for each configuration, (n,), and notes on options."""
    row, slot = np.nonzero(labels >= 0)
    learned, block, sizes = np.unique(labels[row, slot], return_inverse=True, return_counts=True)
    if len(learned) < 2:
        raise LearningError(f"all runs are of one {column}: at least two are needed to tell its effect")
    if len(learned) == len(row):
        raise LearningError(f"each run has a {column} of its own: its effect cannot be told from noise")
    x = configurations.indices[row].astype(float)
    means = np.array([np.bincount(block, each) for each in x.T]).T / sizes[:, None]
    total, within = x.var(axis=0), ((x - means[block]) ** 2).mean(axis=0)
    constant = (total > 0) & (within <= NONE * total)
    # Unbiased variances: options that are drawn at random have as much within blocks as in all.
    left = within * (len(x) - 1) / (len(x) - len(learned))
    mostly = (total > 0) & ~constant & (left <= (1 - BETWEEN) * total)
    kinds, settings = np.unique(configurations.indices[:, constant], axis=0, return_inverse=True)
    names, freedom = np.array(configurations.system.names), len(learned) - len(kinds)
    same, most = listed(names[constant].tolist(), 5), listed(names[mostly].tolist(), 5)
    if not freedom:
        hint = "measure these options in several of them, in random order (splc measure --block N)"
        raise LearningError(f"each {column} has values of its own of {same}: effects cannot be told apart", hint=hint)
    notes = []
    if len(kinds) > 1:
        each = f"{len(learned) / len(kinds):.2g} of {len(learned)}"
        notes.append(f"{same} do not vary within a {column}: their influences have the mean effects of {each} in them")
    if most:
        notes.append(f"most of the variance of {most} is between values of {column}: effects are hardly told apart")
    if freedom < FEWEST - 1:
        notes.append(f"{len(learned)} values of {column} hardly tell the variance between them")
    return settings.reshape(-1), tuple(notes)
