"""The trials of an Optuna study: `study.trials_dataframe().to_csv("study.csv")` (https://optuna.org)."""

from __future__ import annotations

from splc.errors import plural
from splc.formats.benchmarks.hyperfine import rows_of
from splc.formats.benchmarks.table import MeasuredRun, TableSource, number, table_of
from splc.io.files import Source

_PREFIX = "params_"


def read_csv(source: Source) -> TableSource:
    """Read the complete trials: parameters are options, the objectives are properties.

    Raises:
        InputError: if it is no such file, or no trial is complete.
    """
    rows = rows_of(source)
    complete = [row for row in rows if row.get("state", "COMPLETE").rpartition(".")[2] == "COMPLETE"]
    runs = [
        MeasuredRun(
            {name.removeprefix(_PREFIX): text for name, text in row.items() if name.startswith(_PREFIX)},
            {name: number(text) for name, text in row.items() if name == "value" or name.startswith("values_")},
        )
        for row in complete
    ]
    incomplete = len(rows) - len(complete)
    notes = [f"{plural(incomplete, 'trial that is', 'trials that are')} not complete left out"] if incomplete else []
    return table_of(source, runs, notes=notes, hint="the study has no parameters: trial.suggest_int and the like")
