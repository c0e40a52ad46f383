"""Tables with units: values with the unit of measurement, and values in another unit than the description."""

from __future__ import annotations

from pathlib import Path

import pytest

from splc.formats.measurements.read import read_measurements
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel


@pytest.mark.parametrize(
    ("cells", "note"),
    [
        (("3", "8s"), "values of seconds that are not numbers: '8s' (write them without the unit 's')"),
        (
            ("8 ms", "7", "7", "9 ms"),
            "values of seconds that are not numbers: '8 ms', '9 ms' (write them without the unit 'ms')",
        ),
        (("1", "8s", "fast", "2"), "values of seconds that are not numbers: '8s', 'fast'"),
        (("3", "timeout"), None),
        (("3", ""), None),
    ],
)
def test_values_with_a_unit(tmp_path: Path, cells: tuple[str, ...], note: str | None) -> None:
    """A note shows the values that are neither numbers nor words for a missing value, and their unit."""
    file = tmp_path / "m.csv"
    file.write_text("a,seconds\n" + "".join(f"1,{cell}\n" for cell in cells), encoding="utf-8")
    report = read_measurements(file, VariabilityModel("s", (BinaryOption("a"),))).report
    assert report.notes == (() if note is None else (note,))
    assert report.missing["seconds"] == sum(not cell.isdigit() for cell in cells)
