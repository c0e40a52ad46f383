"""The preset `explanations`: what `splc explain` says, judged by completely measured systems.

The true effect of a value of an option is the mean change of the measured value where this option alone changes, from
its first value to this one; the true interaction of two options is the mean change of such a change.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy import explanation_tables, systems
from casestudies.accuracy.flips import choices_of, interaction, mean_change, total_share
from casestudies.accuracy.learners import DEFAULT, code_of
from casestudies.accuracy.real_systems import rounded
from casestudies.evaluation.evaluation import Evaluation, Row
from sampling import Space
from splc.data.measurements import Measurements
from splc.errors import SplcError
from splc.io.tables import Table
from splc.learning import LearningResult, learn
from splc.study.records import reason_of
from splc.types import Array
from splc.workflows.explain_overview import Overview, overview

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
class ExplanationEvaluation(Evaluation):
    """The default learner's explanations of completely measured systems.

    Attributes:
        path: None.
        systems: names of systems.
        most: the number of samples of each system.
    """

    preset: ClassVar[str] = "explanations"

    systems: tuple[str, ...] = tuple(name for name in ROWS if not systems.absent(name))
    most: int = SAMPLES

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for system in self.systems:
            for sample in range(self.most):
                cell = {"system": system, "rows": ROWS[system], "sample": sample, "code": code_of(DEFAULT)}
                yield f"{system}, sample {sample}", cell

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the row of a sample."""
        return [explanation_row(cell["system"], cell["rows"], cell["sample"])]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return explanation_tables.tables_of(rows)

    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return no pictures."""
        return {}

    def picture_names(self) -> tuple[str, ...]:
        """Return no names."""
        return ()


def explanation_row(name: str, size: int, sample: int) -> dict[str, Any]:
    """Return the row of a sample: learn from it, explain the model, and compare with all measured values."""
    system = systems.load(name)
    measured = system.measurements
    rows = np.random.RandomState(100 + sample).permutation(len(measured))[:size]
    row: dict[str, Any] = {"system": name, "rows": size, "sample": sample}
    try:
        result = learn(measured, system.nfp, learner=DEFAULT, learning_set=rows, seed=sample)
        explained = overview(result.model, Space(measured.system))
    except SplcError as error:
        return {**row, "reason": reason_of(error)}
    values = measured.column(system.nfp)
    others = np.setdiff1d(np.arange(len(measured)), rows)
    found = {
        "form": result.model.link,
        **effects(result, explained, measured, values),
        **first_options(explained, measured, values),
        **explained_variance(result, measured[others], values[others]),
    }
    return {**row, **{key: rounded(value) for key, value in found.items()}}


def effects(result: LearningResult, explained: Overview, measured: Measurements, values: Array) -> dict[str, Any]:
    """Return how far stated effects and those of the full model are from the true ones, and how many are covered.

    Errors and sizes are root mean squares over the standard deviation of the measured values, in percent. Of a
    product, effects are about logarithms.
    """
    scale = np.log if result.model.link == "log" else np.asarray
    truth, full = scale(values), scale(result.predict(measured.configurations))
    choices = choices_of(measured.configurations)
    known = {option.name: {value.label: value for value in option.values} for option in explained.options}
    found: list[tuple[float, float, float]] = []
    covered: list[bool] = []
    for choice in choices:
        of_values = known.get(choice.name, {})
        # An option that is not named has no effect.
        first = next(iter(of_values), choice.labels[0])
        for label in choice.labels:
            true, learned = (mean_change(choice, each, first, label) for each in (truth, full))
            if label == first or true is None or learned is None:
                continue
            value = of_values.get(label)
            change = 0.0 if value is None or value.change is None else float(scale(value.change))
            found.append((true, change, learned))
            low, high = (getattr(value, end, None) for end in ("low", "high"))
            if low is not None and high is not None:
                covered.append(bool(scale(low) <= true <= scale(high)))
    pairs = [
        [interaction(*pair, each) for each in (truth, full)] for pair in itertools.combinations(choices, 2)
    ]  # fmt: skip
    together = [(true, learned) for true, learned in pairs if true is not None and learned is not None]
    deviation = float(np.std(truth)) / 100
    return {
        "effects": len(found),
        "effect size": root_mean_square([true for true, _, _ in found]) / deviation,
        "effect error": root_mean_square([change - true for true, change, _ in found]) / deviation,
        "full effect error": root_mean_square([learned - true for true, _, learned in found]) / deviation,
        "with intervals": len(covered),
        "covered": sum(covered),
        "interactions": len(together),
        "interaction size": root_mean_square([true for true, _ in together]) / deviation,
        "full interaction error": root_mean_square([learned - true for true, learned in together]) / deviation,
    }


def first_options(explained: Overview, measured: Measurements, values: Array) -> dict[str, Any]:
    """Return how many of the first options have no effect in the measured values, and which."""
    shares = {choice.name: total_share(choice, values) for choice in choices_of(measured.configurations)}
    first = [option.name for option in explained.options[:FIRST_OPTIONS] if option.share >= NO_EFFECT]
    useless = [name for name in first if shares.get(name, 0.0) < NO_EFFECT]
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
