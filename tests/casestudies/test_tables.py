"""The tables of evaluations, of rows by hand, and the numbers in their cells."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from casestudies.ablation.ablation import NOTHING, changes_table, worth_of
from casestudies.ablation.switches import SWITCHES
from casestudies.accuracy.printed_models import jaccard
from casestudies.accuracy.printed_tables import cells_table, figures_of, goals_table, printed_tables
from casestudies.accuracy.real_tables import prototype_table, spread_of, verdict
from casestudies.changes.tables import detection_table, false_alarm_table, names_table
from casestudies.contexts.tables import METHODS, PUBLISHED_METHODS, few_table, published_table
from casestudies.inferred_constraints.systems import violated
from casestudies.inferred_constraints.tables import inference_table, learning_table
from casestudies.published_logs.logs import mean_or_none
from casestudies.published_logs.strategies import strategies_of
from casestudies.sampling_strategies.tables import groups_of, own_table, ratio_table
from casestudies.scaling_evaluation.target import cost_of
from casestudies.suggestion.tables import error_tables, optimum_table, ratios
from casestudies.tuning.models_afterwards import WAYS, models_table
from casestudies.tuning.rank import BUDGETS
from casestudies.tuning.reported_values import bias_table
from casestudies.tuning.summaries import summary_tables
from sampling import Space
from splc.io.tables import Spread, Table, markdown_text
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import Lines, check_calls, shown


def text(found: Table | Iterable[Table]) -> Lines:
    """Return tables as Markdown."""
    tables = [found] if isinstance(found, Table) else found
    return Lines("\n".join(markdown_text(table, 4) for table in tables))


def violations(*constraints: str) -> list[bool]:
    """Return which constraints of a description all configurations without any violate."""
    columns = {"a": bool, "b": bool, "x": [1, 2]}
    return list(violated(VariabilityModel.of(columns, constraints), Space(VariabilityModel.of(columns)).enumerate()))


def names(*commands: str) -> list[str]:
    """Return the names of the strategies of single commands."""
    return [strategies_of([(each,) for each in commands])[each,] for each in commands]


def row(run: int, **changed: Any) -> dict[str, Any]:
    """Return a row of the default learner."""
    same = {"system": "s", "size": 10, "learner": "projection", "run": run, "printed": 4.0, "full": 2.0, "stated": 4.0}
    same |= {"predicted": 2.02, "terms": 5, "covered": 90.0, "inside": 100.0, "not positive": 0, "large": '[["a"]]'}
    return same | changed


def changed(package: str) -> list[str]:
    """Return the line of a switch without which the errors of two cells, 10 and 20, are 20 in half of the time."""
    rows = [{"switch": NOTHING, "cell": cell, "error": error, "cpu": 2.0} for cell, error in enumerate((10.0, 20.0))]
    switch = next(iter(SWITCHES[package]))
    rows += [{**each, "switch": switch, "error": 20.0, "cpu": 1.0} for each in rows]
    return [shown(line[1:-1]) for line in changes_table(rows, package).rows]


def test_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of rows by hand are those of the golden file, with means, medians, ratios and shares as they say."""
    # Published runs are no part of the project.
    monkeypatch.setattr("casestudies.tuning.summaries.PUBLISHED", tmp_path / "published.csv")
    check_calls(
        "evaluation-tables",
        *(text, violations, names, row, shown, changed, worth_of, jaccard, prototype_table, spread_of, verdict),
        *(figures_of, goals_table, cells_table, printed_tables),
        *(detection_table, false_alarm_table, names_table, few_table, published_table, inference_table, learning_table),
        *(mean_or_none, strategies_of, groups_of, own_table, ratio_table, cost_of, error_tables, optimum_table, ratios),
        *(models_table, bias_table, summary_tables, Spread),
        **{"METHODS": METHODS, "PUBLISHED": PUBLISHED_METHODS, "WAYS": WAYS, "BUDGETS": BUDGETS},
    )
