"""Noise of the computing time: what the rows of one `mpirun` share, and errors where whole runs of it are held out.

One `mpirun` measured all grids of a topology once, so that what slowed it down is in all its rows. The noise of a row
is ln y minus its mean over the repetitions of the configuration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from casestudies.report.facts import COMPUTED, dimension, error, topology
from casestudies.report.studies import Case
from splc.data.measurements import Measurements
from splc.io.tables import Cell, Table
from splc.learning.features import feature_table, random_folds
from splc.learning.learner import one_thread
from splc.study.specification import StudyLearner
from splc.types import Array
from splc.workflows.learn.request import learn_rows

FOLDS = 10
# The mean of |x| of a normal distribution with the standard deviation 1.
MEAN_ABSOLUTE = np.sqrt(2 / np.pi)


@dataclass(frozen=True, eq=False)
class Noise:
    """The noise of a case."""

    rows: Array  # the noise, shape (topologies, grids, repetitions); grids in the order in which they were measured

    @classmethod
    def of(cls, case: Case) -> Noise:
        """Return the noise of the measurements of a case, which are the same grids on every topology."""
        group = topologies(case)
        logarithms = np.log(case.loaded.inputs.measurements.repetitions(COMPUTED))
        by_topology = logarithms[np.argsort(group, kind="stable")].reshape(group.max() + 1, -1, logarithms.shape[1])
        return cls(by_topology - by_topology.mean(axis=2, keepdims=True))

    @property
    def deviation(self) -> float:
        """The standard deviation of a row."""
        return float(np.sqrt((self.rows**2).sum() / self._degrees(self.rows.size)))

    @property
    def shared(self) -> float:
        """The share of the variance that is the same for all rows of an `mpirun` (one-way analysis of variance)."""
        means = self.rows.mean(axis=1, keepdims=True)
        grids = self.rows.shape[1]
        between = grids * (means**2).sum() / self._degrees(means.size)
        within = ((self.rows - means) ** 2).sum() / self._degrees(self.rows.size - means.size)
        variance = (between - within) / grids
        return float(variance / (variance + within))

    @property
    def neighbours(self) -> float:
        """The correlation of rows that were measured one after the other by the same `mpirun`."""
        return float(np.corrcoef(self.rows[:, :-1].ravel(), self.rows[:, 1:].ravel())[0, 1])

    @property
    def drift(self) -> Array:
        """The mean of each repetition, shape (repetitions,)."""
        found: Array = self.rows.mean(axis=(0, 1))
        return found

    def _degrees(self, values: int) -> float:
        # The mean over the repetitions was subtracted.
        return values * (1 - 1 / int(self.rows.shape[2]))


def topologies(case: Case) -> Array:
    """Return the topology of each configuration as a number, shape (n,)."""
    configurations = case.loaded.inputs.measurements.configurations
    values = np.stack([configurations.value(name) for name in topology(case)], axis=1)
    return np.unique(values, axis=0, return_inverse=True)[1].ravel()


def shared_noise(cases: Sequence[Case]) -> Table:
    """Return the noise of a row, the part that an `mpirun` shares, and the errors of perfect models."""
    rows: list[tuple[Cell, ...]] = []
    for case in cases:
        noise = Noise.of(case)
        topology_count, grids, repetitions = noise.rows.shape
        perfect = 100 * MEAN_ABSOLUTE * noise.deviation / np.sqrt(repetitions)
        drift = " / ".join(f"{100 * np.expm1(each):+.0f}" for each in noise.drift)
        rows.append(
            (
                dimension(case),
                topology_count * repetitions,
                grids,
                f"{100 * noise.deviation:.0f}",
                f"{100 * noise.shared:.0f}",
                f"{noise.neighbours:.2f}",
                drift,
                f"{perfect:.1f}",
                f"{perfect * np.sqrt(1 - noise.shared):.1f}",
            )
        )
    columns = (
        "",
        "runs of mpirun",
        "grids in each",
        "standard deviation of a row (%)",
        "of its variance, shared by an mpirun (%)",
        "correlation of neighbouring grids",
        "repetition 1 / 2 / 3 (%)",
        "error of a perfect model (%)",
        "with what mpiruns share (%)",
    )
    return Table(columns, tuple(rows), "Noise of solve_compute_seconds")


def held_out(cases: Sequence[Case]) -> Table:
    """Return errors of cross-validation by what is held out: configurations, or whole runs of `mpirun`."""
    rows: list[tuple[Cell, ...]] = []
    with one_thread():
        for case in cases:
            measurements = case.loaded.inputs.measurements
            learner = next(each for each in case.loaded.learners if each.name == case.kind.options)
            folds = random_folds(feature_table(measurements.configurations, case.loaded.inputs.measured), FOLDS, 0)
            means = [
                _error(measurements, learner, each, measurements.column(COMPUTED))
                for each in (folds, _topology_folds(topologies(case)))
            ]
            single = [f"{each:.1f}" for each in _by_repetition(measurements, learner, folds)]
            rows.append((dimension(case), *(f"{each:.1f}" for each in means), *single))
    columns = ("", "configurations", "topologies", "one repetition, same mpirun", "one repetition, others")
    return Table(columns, tuple(rows), "SPL Conqueror's learner: error (%) by what is held out")


def _topology_folds(topology_of: Array) -> Array:
    """Return the fold of each configuration where whole topologies are held out."""
    count = int(topology_of.max()) + 1
    found: Array = (np.random.default_rng(0).permutation(count) % min(FOLDS, count))[topology_of]
    return found


def _by_repetition(measurements: Measurements, learner: StudyLearner, folds: Array) -> tuple[float, float]:
    """Return the errors of models of one repetition, at configurations held out: in it, and in the others."""
    values = measurements.repetitions(COMPUTED)
    own, others = [], []
    for at in range(values.shape[1]):
        predicted = _predictions(replace(measurements, values={COMPUTED: values[:, [at]]}), learner, folds)
        own.append(error(values[:, at], predicted))
        others += [error(values[:, each], predicted) for each in range(values.shape[1]) if each != at]
    return float(np.mean(own)), float(np.mean(others))


def _error(measurements: Measurements, learner: StudyLearner, folds: Array, measured: Array) -> float:
    return error(measured, _predictions(measurements, learner, folds))


def _predictions(measurements: Measurements, learner: StudyLearner, folds: Array) -> Array:
    """Return the prediction of each configuration by a model of the other folds."""
    predicted = np.empty(len(measurements))
    for fold in range(int(folds.max()) + 1):
        held = folds == fold
        learned = learn_rows(measurements, COMPUTED, learner.resolved(), np.flatnonzero(~held))[0].model
        predicted[held] = learned.predict(measurements.configurations[held])
    return predicted
