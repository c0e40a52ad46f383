"""Values of properties that cannot be read: with a unit, with separators of thousands."""

from __future__ import annotations

from pathlib import Path

import pytest

from splc.errors import MeasurementError
from splc.formats.measurements.read import read_measurements
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel


@pytest.mark.parametrize(
    ("cells", "note"),
    [
        (("3", "8s"), "'8s' (write numbers without the unit 's'; the name of the column can state it)"),
        (
            ("8 ms", "7", "7", "9 ms"),
            "'8 ms', '9 ms' (write numbers without the unit 'ms'; the name of the column can state it)",
        ),
        (("1", "8s", "fast", "2"), "'8s', 'fast'"),
        (("3", "timeout"), None),
        (("3", ""), None),
    ],
)
def test_values_with_a_unit(tmp_path: Path, cells: tuple[str, ...], note: str | None) -> None:
    """A note shows the values that are neither numbers nor words for a missing value, and their unit."""
    file = tmp_path / "m.csv"
    file.write_text("a,seconds\n" + "".join(f"1,{cell}\n" for cell in cells), encoding="utf-8")
    report = read_measurements(file, VariabilityModel("s", (BinaryOption("a"),))).report
    assert report.notes == (() if note is None else (f"values of seconds that are not numbers: {note}",))
    assert report.missing["seconds"] == sum(not cell.isdigit() for cell in cells)


ROW = "<row{}><data columname='Configuration'>{}</data><data columname='t'>{}</data></row>"
SEVERAL = " multipleMeasurements='true'"
# Files of two rows with these values; the last one has repetitions.
FORMS = {
    "table": "a;t\n1;{}\n0;{}\n",
    "quoted": 'a,t\n1,"{}"\n0,"{}"\n',
    "SPL Conqueror's table": "root;a;t\n1;1;{}\n1;0;{}\n",
    "without a header": "a;{}\nroot;{}\n",
    "XML": f"<results>{ROW.format('', 'a', '{}')}{ROW.format('', 'root', '{}')}</results>",
    "XML with repetitions": (
        f"<results separator='@'>{ROW.format(SEVERAL, 'a', '1@{}')}{ROW.format('', 'root', '{}')}</results>"
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("values", [("1,234,567", "2,345,678"), ("1,234,567", "5"), ("12 apples", "5")])
def test_values_that_cannot_be_read_are_named(tmp_path: Path, form: str, values: tuple[str, str]) -> None:
    """In every form of file, values that are not numbers are an error or counted, and the message names them."""
    file = tmp_path / "m"
    file.write_text(FORMS[form].format(*values), encoding="utf-8")
    said = ""
    try:
        report = read_measurements(file, VariabilityModel("s", (BinaryOption("a"),)), nfp="t").report
    except MeasurementError as error:
        said = str(error)
    else:
        said = " ".join(report.notes)
        assert report.missing == {"t": sum(not value.isdigit() for value in values)}
    assert all(repr(value) in said for value in values if not value.isdigit())
    assert ("separators of thousands" in said) == ("," in values[0])
