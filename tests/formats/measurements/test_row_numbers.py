"""Columns of row numbers, which have no name."""

from __future__ import annotations

from pathlib import Path

import pytest

from splc.data.measurements import Measurements
from splc.formats.inference import infer_system
from splc.formats.measurements.read import read_measurements
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel


def read(folder: Path, first: int, second: int) -> Measurements:
    """Read a table of two rows with these numbers."""
    path = folder / "m.csv"
    path.write_text(f",x,b,time\n{first},1,yes,5\n{second},2,no,6\n", encoding="utf-8")
    return read_measurements(path, VariabilityModel("s", (NumericOption("x", (1, 2)), BinaryOption("b"))))


@pytest.mark.parametrize("first", [0, 1])
def test_first_column_without_a_name(tmp_path: Path, first: int) -> None:
    """A first column without a name is left out if it numbers the rows, from 0 or 1 on."""
    found = read(tmp_path, first, first + 1)
    assert found.configurations.value("b").tolist() == [1, 0]


@pytest.mark.parametrize("header", ["", "Unnamed: 0", "Unnamed: 0.1"])
def test_index_of_a_data_frame(tmp_path: Path, header: str) -> None:
    """The index of a data frame is left out, also if its rows were mixed, and if it was read and written again."""
    path = tmp_path / "m.csv"
    path.write_text(f"{header},x,b,time\n7,1,yes,5\n3,2,no,6\n", encoding="utf-8")
    system = VariabilityModel("s", (NumericOption("x", (1, 2)), BinaryOption("b")))
    assert read_measurements(path, system).properties == ("time",)
    assert infer_system(path).names == ("b", "x")
