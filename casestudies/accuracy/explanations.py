"""The preset `explanations`: what `splc explain` says, judged by completely measured systems.

The true effect of a value of an option is the mean change of the measured value where this option alone changes, from
its first value to this one; the true interaction of two options is what their combinations change beyond their effects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy import explanation_tables, flips, systems
from casestudies.accuracy.flips import choices_of, interaction_share, mean_change, total_share
from casestudies.accuracy.learners import DEFAULT, code_of
from casestudies.accuracy.real_systems import rounded
from casestudies.evaluation.evaluation import Evaluation, Row, hash_of
from sampling import Space
from splc.data.measurements import Measurements
from splc.errors import SplcError
from splc.io.tables import Table
from splc.learning import LearningResult, learn
from splc.study.tasks import reason_of
from splc.types import Array, Link
from splc.workflows import notebook
from splc.workflows.explain.importance import Overview

# Completely measured system → number of rows that are learned from.
ROWS: Mapping[str, int] = {
    "x264": 48,
    "LLVM": 44,
    "Dune": 78,
    f"Dune{systems.NUMERIC}": 78,
    systems.EXASTENCILS: 100,
    **dict.fromkeys(systems.TABLES, 100),
    **{f"{case}, solve_compute_seconds": 50 for case in systems.FOLDERS},
}
SAMPLES = 5
# An option has no effect if the others leave less than this share of the variance of the measured values.
NO_EFFECT = 0.005
FIRST_OPTIONS, FIRST_TERMS = 5, 10


@dataclass(frozen=True)
class Judged:
    """A statement of an explanation, and the truth."""

    true: float  # the true number
    stated: float  # the stated one
    low: float | None  # the lower end of its interval, None if there is none
    high: float | None  # the upper end

    @property
    def covered(self) -> bool | None:
        """True if the truth is in the interval; None without one."""
        return None if self.low is None or self.high is None else self.low <= self.true <= self.high


@dataclass(frozen=True)
class ExplanationEvaluation(Evaluation):
    """The default learner's explanations of completely measured systems."""

    preset: ClassVar[str] = "explanations"

    systems: tuple[str, ...] = tuple(name for name in ROWS if not systems.absent(name))  # names of systems
    most: int = SAMPLES  # the number of samples of each system

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for system in self.systems:
            for sample in range(self.most):
                cell = {"system": system, "rows": ROWS[system], "sample": sample, "code": code_of(DEFAULT)}
                yield f"{system}, sample {sample}", cell

    def shared(self) -> dict[str, Any]:
        """Return what decides the truth: the source of changes, and of this file."""
        return {"explanations": hash_of(Path(__file__), Path(flips.__file__))}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the row of a sample."""
        return [explanation_row(cell["system"], cell["rows"], cell["sample"])]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return explanation_tables.tables_of(rows)


def explanation_row(name: str, size: int, sample: int) -> dict[str, Any]:
    """Return the row of a sample: learn from it, explain the model, and compare with all measured values."""
    system = systems.load(name)
    measured = system.measurements
    rows = np.random.RandomState(100 + sample).permutation(len(measured))[:size]
    row: dict[str, Any] = {"system": name, "rows": size, "sample": sample}
    try:
        result = learn(measured, system.nfp, learner=DEFAULT, learning_set=rows, seed=sample)
        explained = notebook.explain(result, Space(measured.system))
    except SplcError as error:
        return {**row, "reason": reason_of(error)}
    values = measured.column(system.nfp)
    others = np.setdiff1d(np.arange(len(measured)), rows)
    found = {
        "form": result.model.link,
        **effects(explained, result.model.link, measured, values),
        **first_options(explained, measured, values),
        **explained_variance(result, measured[others], values[others]),
    }
    return {**row, **{key: rounded(value) for key, value in found.items()}}


def effects(explained: Overview, link: Link, measured: Measurements, values: Array) -> dict[str, Any]:
    """Return how far stated effects and interactions are from the true ones, and how many are in their 90 % intervals.

    Effects, of a product about logarithms, are in percent of the standard deviation of the measured values,
    interactions in percent of their variance; errors and sizes are root mean squares.
    """
    scale: Callable[[Any], Any] = np.log if link == "log" else np.asarray
    truth = scale(values)
    configurations = measured.configurations
    choices = {choice.name: choice for choice in choices_of(configurations)}
    options = {option.name: option for option in explained.options}
    changes = []
    for name, choice in choices.items():
        stated = {value.label: value for value in options[name].values} if name in options else {}
        # An option that is not named has no effect.
        first = next(iter(stated), choice.labels[0])
        for label in choice.labels:
            true = mean_change(choice, truth, first, label)
            value = stated.get(label)
            if label != first and true is not None:
                ends = (0.0, None, None) if value is None else (value.change, value.low, value.high)
                change, low, high = (None if end is None or value is None else float(scale(end)) for end in ends)
                changes.append(Judged(true, change or 0.0, low, high))
    together = []
    for each in explained.interactions:
        pair = [choices[name] for name in each.names if name in choices]
        if len(pair) != 2 or len(each.names) != 2:
            continue
        true = interaction_share(configurations, pair[0], pair[1], truth)
        if true is not None:
            together.append(Judged(true, each.share, each.low, each.high))
    deviation = float(np.std(truth))
    return {**judged("effect", changes, 100 / deviation), **judged("interaction", together, 100.0)}


def judged(name: str, found: Sequence[Judged], unit: float) -> dict[str, Any]:
    """Return size and error of some statements, the number of those with intervals, and how many are right."""
    covered = [each.covered for each in found if each.covered is not None]
    return {
        f"{name}s": len(found),
        f"{name} size": unit * root_mean_square([each.true for each in found]),
        f"{name} error": unit * root_mean_square([each.stated - each.true for each in found]),
        f"{name}s with intervals": len(covered),
        f"{name}s covered": sum(covered),
    }


def first_options(explained: Overview, measured: Measurements, values: Array) -> dict[str, Any]:
    """Return how many of the first options have no effect in the measured values, and which."""
    shares = {choice.name: total_share(choice, values) for choice in choices_of(measured.configurations)}
    first = [option.name for option in explained.options[:FIRST_OPTIONS] if option.share >= NO_EFFECT]
    useless = [name for name in first if (found := shares.get(name)) is not None and found < NO_EFFECT]
    return {"first": len(first), "useless": len(useless), "useless options": " ".join(useless)}


def explained_variance(result: LearningResult, others: Measurements, values: Array) -> dict[str, Any]:
    """Return the share of the variance of other measured values that each model explains, in percent.

    `ten`: the terms of the printed model with the largest deviations, all others having their mean.
    """
    model = result.model
    contributions = model.contributions(others.configurations)
    order = np.argsort(-contributions.std(axis=0), kind="stable")[FIRST_TERMS:]
    contributions[:, order] = contributions[:, order].mean(axis=0)
    total = contributions.sum(axis=1)
    models = {
        "full": result.predict(others.configurations),
        "printed": model.predict(others.configurations),
        "ten": np.exp(total) if model.link == "log" else total,
    }
    return {f"{name} explains": 100 * (1 - np.var(values - each) / np.var(values)) for name, each in models.items()}


def root_mean_square(values: Sequence[float]) -> float:
    """Return the root of the mean square, 0 without values."""
    return float(np.sqrt(np.mean(np.square(values)))) if values else 0.0
