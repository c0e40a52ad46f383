"""Tables with units: values with the unit of measurement, and values in another unit than the description."""

from __future__ import annotations

from pathlib import Path

import pytest

from splc.errors import ConfigurationError, MeasurementError
from splc.formats.measurements.configurations_csv import read_configurations
from splc.formats.measurements.read import read_measurements
from splc.system.options import BinaryOption, NumericOption
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


@pytest.mark.parametrize(
    "text",
    [
        "x,time\n64,1\n256,2\n",
        "<results><row><data columname='Configuration'>root</data><data columname='Variable Features'>x;256</data>"
        "<data columname='time'>1</data></row></results>",
    ],
)
def test_values_in_another_unit(tmp_path: Path, text: str) -> None:
    """The message about values that are off by a constant factor says so, in CSV and XML."""
    file = tmp_path / "measurements"
    file.write_text(text, encoding="utf-8")
    system = VariabilityModel("s", (NumericOption("x", (0.064, 0.256)),))
    with pytest.raises(MeasurementError, match=r"x: values are 1000 times .* \(256 instead of 0\.256\)"):
        read_measurements(file, system)


def test_one_message_per_column(tmp_path: Path) -> None:
    """Each column in another unit is one problem, with the number of its rows; other problems are as before."""
    (tmp_path / "t.csv").write_text("x,y,b,time\n64,0,1,1\n256,2000,1,2\n64,3000,1,2\n64,0,7,2\n", encoding="utf-8")
    system = VariabilityModel(
        "s", (BinaryOption("b"), NumericOption("x", (0.064, 0.256)), NumericOption("y", (0, 2, 3)))
    )
    with pytest.raises(MeasurementError) as refused:
        read_measurements(tmp_path / "t.csv", system)
    *problems, summary = refused.value.problems
    assert [(problem.line, problem.message) for problem in problems] == [
        (
            2,
            "x: values are 1000 times those of the description (256 instead of 0.256), as in another unit; divide "
            "the column by 1000, or multiply the values in the description (in 4 rows)",
        ),
        (
            3,
            "y: values are 1000 times those of the description (3000 instead of 3), as in another unit; divide "
            "the column by 1000, or multiply the values in the description (in 2 rows)",
        ),
        (5, "b is a binary option and cannot be 7"),
    ]
    assert summary.message == "4 of 4 rows have no valid configuration"
    with pytest.raises(ConfigurationError) as refused_configurations:
        read_configurations(tmp_path / "t.csv", system)
    assert [each.message for each in refused_configurations.value.problems] == [each.message for each in problems]
