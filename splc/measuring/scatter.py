"""The scatter of repetitions and the reasons of failures of a measurement."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from splc.measuring.plan import relative_deviation
from splc.measuring.run_results import RunResults


@dataclass(frozen=True)
class Scatter:
    """The scatter of a property.

    Attributes:
        name: the property.
        configurations: the number of configurations with at least two values.
        median: the median of their relative standard deviations (0.01: 1 %).
        largest: the largest of them.
        row: the configuration with the largest one.
    """

    name: str
    configurations: int
    median: float
    largest: float
    row: int


def scatters(recorded: RunResults) -> tuple[Scatter, ...]:
    """Return the scatter of each property that was measured repeatedly; warm-ups and failed runs do not count."""
    values: dict[str, dict[int, list[float]]] = {name: {} for name in recorded.properties}
    for (row, repetition), result in sorted(recorded.results.items()):
        if repetition >= 0 and result.reason is None:
            for name, rows in values.items():
                rows.setdefault(row, []).append(result.values[name])
    results = []
    for name, rows in values.items():
        deviations = {row: relative_deviation(row_values) for row, row_values in rows.items() if len(row_values) > 1}
        if deviations:
            worst = max(deviations, key=deviations.__getitem__)
            median = float(np.median(list(deviations.values())))
            results.append(Scatter(name, len(deviations), median, deviations[worst], worst))
    return tuple(results)


def failure_reasons(recorded: RunResults) -> tuple[tuple[str, int], ...]:
    """Return the reasons why runs failed, each with the number of runs, most frequent first."""
    reasons = Counter(recorded.results[run].reason or "" for run in recorded.failed)
    return tuple(sorted(reasons.items(), key=lambda reason_count: (-reason_count[1], reason_count[0])))
