"""Suggestions from tables whose columns may be metrics or parameters."""

from __future__ import annotations

from pathlib import Path

import pytest

from splc.errors import InputError, MeasurementError
from splc.workflows.scale.points import suggested
from splc.workflows.scale.scale import Request


def test_the_metric_tells_which_columns_are_parameters(tmp_path: Path) -> None:
    """Columns before the metric are parameters; without a metric or coordinates the table is not clear."""
    rows = [f"{p},{n},{p * n},{p + n}" for p in (2, 4, 8, 16, 32) for n in (10, 20, 30)]
    file = tmp_path / "profile.csv"
    file.write_text("\n".join(["p,n,work,idle", *rows]) + "\n", encoding="utf-8")
    found = suggested(Request(profile=str(file), metrics=("work",), target={"p": 64.0, "n": 40.0}, count=1))
    assert found.suggestions.names == ("p", "n")
    with pytest.raises(InputError, match="the metric is not clear"):
        suggested(Request(profile=str(file)))


def test_call_paths_without_a_common_point(tmp_path: Path) -> None:
    """Call paths that are added up need points that all of them have; the message says what to do."""
    file = tmp_path / "profile.csv"
    rows = ["2,main,3", "4,main,5", "8,other,3", "16,other,4"]
    file.write_text("\n".join(["p,callpath,time", *rows]) + "\n", encoding="utf-8")
    with pytest.raises(MeasurementError, match=r"no point has values of all call paths\n +\S"):
        suggested(Request(profile=str(file)))
