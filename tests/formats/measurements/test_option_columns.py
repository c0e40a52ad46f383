"""Tables with one column for an alternative group."""

from __future__ import annotations

from pathlib import Path

import pytest

from splc.data.measurements import Measurements
from splc.formats.column_choice import ColumnChoice
from splc.formats.inference import inference_of
from splc.formats.measurements.option_columns import is_text
from splc.formats.measurements.read import read_measurements
from splc.io.files import read_source
from splc.system.options import BinaryOption, Presentation
from splc.system.variability import VariabilityModel


def group(*, optional: bool = False, output: str | None = None) -> VariabilityModel:
    """Return a system with the group `preset` of `preset_slow` and `preset_fast`, and the option `x`."""
    slow = BinaryOption("preset_slow", "preset", False, excluded=(("preset_fast",),))
    fast = BinaryOption("preset_fast", "preset", False, excluded=(("preset_slow",),))
    slow = BinaryOption(slow.name, slow.parent, False, excluded=slow.excluded, presentation=Presentation(output))
    return VariabilityModel("s", (BinaryOption("preset", optional=optional), slow, fast, BinaryOption("x")))


def read(folder: Path, text: str, system: VariabilityModel) -> Measurements:
    """Return the measurements in a table."""
    file = folder / "table.csv"
    file.write_text(text, encoding="utf-8")
    return read_measurements(file, system)


def selected(found: Measurements) -> list[list[str]]:
    """Return the selected options of each configuration."""
    rows = range(len(found))
    return [[name for name, value in found.configurations.assignment(row).items() if value] for row in rows]


def test_other_columns_before_the_group(tmp_path: Path) -> None:
    """The column of a group is found behind those of options whose names are before and after its own."""
    system = VariabilityModel("s", (*group().options, BinaryOption("after"), BinaryOption("zlib")))
    found = read(tmp_path, "after,zlib,x,preset,time\n1,0,0,fast,3\n0,1,1,slow,4\n", system)
    assert selected(found) == [["preset", "preset_fast", "after"], ["preset", "preset_slow", "x", "zlib"]]


def test_spellings(tmp_path: Path) -> None:
    """A cell names a child by its output string, its name, or its name without the group's."""
    found = read(tmp_path, "preset,x,time\n-p 1,0,1\nfast,0,2\npreset_slow,1,3\nslow, 0,4\n", group(output="-p 1"))
    assert selected(found) == [["preset", "preset_slow"], ["preset", "preset_fast"], ["preset", "preset_slow", "x"]]
    assert found.repetitions("time")[0].tolist() == [1, 4]


def test_optional_group(tmp_path: Path) -> None:
    """An empty cell of an optional group selects no child."""
    found = read(tmp_path, "preset,x,time\n,0,1\nfast,0,2\n", group(optional=True))
    assert selected(found) == [[], ["preset", "preset_fast"]]


def test_columns_of_children(tmp_path: Path) -> None:
    """With columns of the children, the column of their parent has zeros and ones."""
    found = read(tmp_path, "preset,preset_slow,preset_fast,x,time\n1,0,1,0,1\n", group())
    assert selected(found) == [["preset", "preset_fast"]]


def test_inferred(tmp_path: Path) -> None:
    """A table of text is read with the system inferred from it, also if its texts are numbers or signs."""
    file = tmp_path / "table.csv"
    file.write_text("mode,x,time\n0,0,1.5\n1,0,2.5\nauto,1,3.5\n+a,1,4.5\n-a,1,5.5\n", encoding="utf-8")
    system = inference_of(read_source(file), choice=ColumnChoice(options=("mode", "x"))).system
    assert selected(read_measurements(file, system)) == [
        ["mode", "mode_0"],
        ["mode", "mode_1"],
        ["mode", "mode_auto", "x"],
        ["mode", "mode_a", "x"],
        ["mode", "mode_a_2", "x"],
    ]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        *((cell, False) for cell in ("", "nan", "NaN", "0", "1", "0.0", "1.0", "true", "False")),
        *((cell, True) for cell in ("gcc", "-1", "2", "0.5", "nano", "yes and no")),
    ],
)
def test_values_of_binary_options_are_no_names(cell: str, text: bool) -> None:
    """Empty cells, 0 and 1 in any notation, and truth values select or deselect the parent; others are names."""
    assert is_text(cell) == text
