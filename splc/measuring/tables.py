"""The tables of a measurement: measured values, and failed runs."""

from __future__ import annotations

import numpy as np

from splc.data.measurements import Measurements
from splc.formats.measurements.csv_table import option_texts, table_text
from splc.formats.measurements.group_columns import with_groups
from splc.measuring.run_results import RunResults
from splc.measuring.setup import Setup

FAILURE_COLUMNS = ("repetition", "reason", "exit_code", "stderr")


def measurements(setup: Setup, recorded: RunResults) -> Measurements | None:
    """Return the values of all successful repetitions, in the order of the configurations; None if there is none.

    They depend only on the results, not on when, in which order, or in how many sessions they were measured.
    """
    row_indices: list[int] = []
    runs: list[list[dict[str, float]]] = []
    for row in range(len(setup.configurations)):
        values = [dict(result.values) for _, result in recorded.of(row) if result.reason is None]
        if values:
            row_indices.append(row)
            runs.append(values)
    if not row_indices:
        return None
    width = max(map(len, runs))
    filled = {name: np.full((len(row_indices), width), np.nan) for name in setup.property_names}
    for position, values in enumerate(runs):
        for name, column in filled.items():
            column[position, : len(values)] = [run_values[name] for run_values in values]
    return Measurements(setup.configurations[np.array(row_indices)], filled, contexts=setup.contexts)


def failures_text(setup: Setup, recorded: RunResults) -> str | None:
    """Return a CSV table of the failed runs, None if no run failed."""
    failed = recorded.failed
    if not failed:
        return None
    texts = option_texts(setup.configurations[np.array([row for row, _ in failed])])
    header, columns = with_groups(setup.configurations.system, texts)
    results = [recorded.results[run] for run in failed]
    columns.append([str(repetition + 1) for _, repetition in failed])
    columns.append([result.reason or "" for result in results])
    columns.append(["" if result.exit_code is None else str(result.exit_code) for result in results])
    columns.append([result.stderr.strip() for result in results])
    return table_text([*header, *FAILURE_COLUMNS], columns)
