"""Inference of systems from data frames and dicts of columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from splc import Measurements, infer_system
from tests.support.golden_messages import check_messages
from tests.support.paths import ROOT

TABLE = {
    "id": [1, 2, 3, 4],
    "n": [1 / 3, 2, None, 4],
    "a,b": [True, False, True, False],
    "mode": ["x y", "z", "z", "x y"],
    "time": [1.5, 2.5, 3.25, 4.0],
}


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame])
def test_options_of_tables(frame: Callable[[Mapping[str, Any]], Any]) -> None:
    """Binary, numeric and text columns become options; a missing number means deselected; the table can be read."""
    table = frame(TABLE)
    system = infer_system(table, options=["n", "a,b", "mode"])
    assert system.names == ("a,b", "mode", "mode_x_y", "mode_z", "n")
    assert list(system.numeric_options[0].values) == [1 / 3, 2, 4]
    assert list(system.alternative_groups) == [("mode_x_y", "mode_z")]
    assert any("alternative group mode" in note for note in system.notes)
    measured = Measurements.from_frame(system, table, ignore=["id"])
    np.testing.assert_array_equal(measured.configurations.value("n"), [1 / 3, 2, np.nan, 4])
    assert measured["time"].tolist() == TABLE["time"]


def test_a_file_and_its_frame_have_the_same_options() -> None:
    """A data frame gives the description that its file gives."""
    file = ROOT / "casestudies" / "smg2000" / "2d" / "measurements.csv"
    from_file = infer_system(file, nfp="solve_seconds")
    from_frame = infer_system(pd.read_csv(file), nfp="solve_seconds")
    assert replace(from_frame, name=from_file.name) == from_file
    assert from_file.names == ("px", "py", "nx")


def test_choices() -> None:
    """Contexts and ignored columns are no options."""
    table = {"n": [1, 2, 3, 4], "revision": [1, 1, 2, 2], "k": [5, 6, 5, 6], "time": TABLE["time"]}
    assert infer_system(table, nfp="time").names == ("n", "revision", "k")
    assert infer_system(table, nfp="time", contexts=["revision"], ignore=["k"]).names == ("n",)


def test_tables_without_a_system() -> None:
    """Files that are not tables, and tables without the named columns, are refused."""

    def reject(text: str) -> None:
        table, settings = json.loads(text)
        infer_system(table, **settings)

    check_messages("tables", reject)
