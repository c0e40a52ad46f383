"""CSV of measurements."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.data.table import assignment_texts, is_text
from splc.errors import MeasurementError
from splc.formats.column_choice import ColumnChoice
from splc.formats.detect import format_named
from splc.formats.inference import inference_of
from splc.formats.measurements.csv import write_measurements_csv, write_measurements_splconqueror_csv
from splc.formats.measurements.read import read_measurements
from splc.formats.measurements.selections import assignment_text, parse_assignments, parse_configuration
from splc.io.files import read_source
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.format_strategies import measurements
from tests.support.golden_messages import check_calls
from tests.support.inferred_tables import inferred
from tests.support.strategies import models

HEADER = "rc-lookahead,fast,left,right,x,tile-size,seconds\n"


def read(folder: Path, model: VariabilityModel, text: str, **options: Any) -> Measurements:
    """Read a file with this content."""
    path = folder / "m.csv"
    path.write_text(text, encoding="utf-8")
    return read_measurements(path, model, **options)


class TestFiles:
    def test_a_property_spelled_like_a_stripped_option(self, tmp_path: Path) -> None:
        """If run-time is an option, the column runtime is a property, and reads back as one."""
        model = VariabilityModel("m", (BinaryOption("run-time"),))
        kept = read(tmp_path, model, "run-time,runtime\n1,7\n")
        assert kept["runtime"].tolist() == [7]
        write_measurements_csv(kept, tmp_path / "w.csv")
        assert read_measurements(tmp_path / "w.csv", model)["runtime"].tolist() == [7]

    def test_compressed_and_from_standard_input(
        self, tmp_path: Path, system: VariabilityModel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The content decides the format of a file, regardless of its name, compression and origin."""
        content = (HEADER + "1,0,1,0,5,8,3\n").encode()
        path = tmp_path / "measurements.xml.gz"
        path.write_bytes(gzip.compress(content))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read_measurements(path, system)["seconds"].tolist() == [3]
        assert read_measurements("-", system).report.source == "<stdin>"

    def test_too_many_repetitions(self, tmp_path: Path, system: VariabilityModel, monkeypatch: Any) -> None:
        """A file whose table of repetitions would not fit into memory is refused."""
        monkeypatch.setattr("splc.data.measurements.MAX_CELLS", 5)
        with pytest.raises(MeasurementError, match="3 repetitions, too many"):
            read(tmp_path, system, HEADER + "1,0,1,0,5,8,3\n" * 3 + "0,0,1,0,5,8,3\n")


class TestWriting:
    @pytest.mark.parametrize("form", ["csv", "xml"])
    @examples(30)
    @given(measured=measurements())
    def test_reads_back_equal(
        self, tmp_path_factory: pytest.TempPathFactory, form: str, measured: Measurements
    ) -> None:
        """A file that was written reads back equal: configurations, properties, and every repetition in its place."""
        path = tmp_path_factory.getbasetemp() / f"written.{form}"
        format_named("measurements", form).write(measured, path)
        again = read_measurements(path, measured.system)
        assert again.configurations == measured.configurations
        assert set(again.properties) == set(measured.properties)
        assert form == "xml" or again.properties == measured.properties
        for name in measured.properties:
            width = again.values[name].shape[1]
            np.testing.assert_array_equal(again.values[name], measured.values[name][:, :width])
            assert np.isnan(measured.values[name][:, width:]).all()

    @examples(30)
    @given(measurements())
    def test_spl_conquerors_table_reads_back(
        self, tmp_path_factory: pytest.TempPathFactory, measured: Measurements
    ) -> None:
        """SPL Conqueror's table has the aggregated value of each configuration and no empty cells."""
        with np.errstate(over="ignore"):
            # Infinite means are refused.
            assume(not any(np.isinf(np.nansum(values, axis=1)).any() for values in measured.values.values()))
        path = tmp_path_factory.getbasetemp() / "spl.csv"
        write_measurements_splconqueror_csv(measured, path)
        again = read_measurements(path, measured.system)
        assert again.configurations == measured.configurations
        for name in measured.properties:
            np.testing.assert_array_equal(again[name], measured[name])
        assert all(";;" not in line and not line.endswith(";") for line in path.read_text("utf-8").splitlines())

    def test_text_of_the_file(self, tmp_path: Path, system: VariabilityModel) -> None:
        """Options are in model order, numbers are as short as possible, deselected options are flags."""
        text = HEADER + "1,0,1,0,5,8,3.50\n0,0,0,1,1,,1e-3\n1,0,1,0,5,8,0.1\n"
        write_measurements_csv(read(tmp_path, system, text), tmp_path / "w.csv")
        expected = HEADER + "1,0,1,0,5,8,3.5\n1,0,1,0,5,8,0.1\n0,0,0,1,1,-1,0.001\n"
        assert (tmp_path / "w.csv").read_text() == expected
        write_measurements_splconqueror_csv(read(tmp_path, system, text), tmp_path / "s.csv")
        assert (tmp_path / "s.csv").read_text().splitlines() == [
            "root;rclookahead;fast;left;right;x;tilesize;Enabledtilesize;Disabledtilesize;seconds",
            "1;1;0;1;0;5;8;1;0;1.8",
            "1;0;0;0;1;1;-1;0;1;0.001",
        ]

    def test_an_option_that_spl_conqueror_reads_as_a_number(self, tmp_path: Path) -> None:
        """SPL Conqueror's table has no option whose name is a number: the header would be taken for values."""
        model = VariabilityModel("m", (BinaryOption("2019"),))
        measured = read(tmp_path, model, "2019,t\n1,5\n0,6\n")
        with pytest.raises(MeasurementError, match="cannot have a column '2019': the name is a number") as caught:
            write_measurements_splconqueror_csv(measured, tmp_path / "out.csv")
        assert caught.value.problems[0].hint == "write plain CSV or XML"
        assert not (tmp_path / "out.csv").exists()

    def test_a_property_with_the_name_of_an_option(self, tmp_path: Path, system: VariabilityModel) -> None:
        """A property cannot have the name of an option in a table."""
        measured = read(tmp_path, system, HEADER + "1,0,1,0,5,8,3\n")
        renamed = Measurements(measured.configurations, {"left": measured["seconds"]})
        for write in (write_measurements_csv, write_measurements_splconqueror_csv):
            with pytest.raises(MeasurementError, match="cannot be called 'left'"):
                write(renamed, tmp_path / "w.csv")


def group(output: str | None = None) -> VariabilityModel:
    """Return a system with the group `preset` of `preset_slow` and `preset_fast`, and the option `x`."""
    slow = BinaryOption("preset_slow", "preset", False, excluded=(("preset_fast",),))
    fast = BinaryOption("preset_fast", "preset", False, excluded=(("preset_slow",),))
    slow = BinaryOption(slow.name, slow.parent, False, excluded=slow.excluded, presentation=Presentation(output))
    return VariabilityModel("s", (BinaryOption("preset", optional=False), slow, fast, BinaryOption("x")))


def read_options(folder: Path, text: str, system: VariabilityModel) -> Measurements:
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
    found = read_options(tmp_path, "after,zlib,x,preset,time\n1,0,0,fast,3\n0,1,1,slow,4\n", system)
    assert selected(found) == [["preset", "preset_fast", "after"], ["preset", "preset_slow", "x", "zlib"]]


def test_spellings(tmp_path: Path) -> None:
    """A cell names a child by its output string, its name, or its name without the group's."""
    found = read_options(tmp_path, "preset,x,time\n-p 1,0,1\nfast,0,2\npreset_slow,1,3\nslow, 0,4\n", group("-p 1"))
    assert selected(found) == [["preset", "preset_slow"], ["preset", "preset_fast"], ["preset", "preset_slow", "x"]]
    assert found.repetitions("time")[0].tolist() == [1, 4]


def test_inferred(tmp_path: Path) -> None:
    """A table of text is read_options with the system inferred from it, also if its texts are numbers or signs."""
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


MODES = ("fast", "safe, slow", "a,b,c")
SYSTEM = VariabilityModel(
    "system",
    (
        BinaryOption("base", optional=False),
        BinaryOption("cache"),
        BinaryOption("lru", parent="cache"),
        BinaryOption("a=b"),
        NumericOption("x", (1.0, 2.5, 4.0)),
        NumericOption("y", (8.0, 9.0), deselected_flag=-1.0),
        NumericOption("one", (7.0,)),
    ),
)


@examples(50)
@given(st.data())
def test_texts_of_values_are_read_back(data: st.DataObject) -> None:
    """Texts of `assignment_text` give the same values."""
    system = data.draw(models())
    names = data.draw(st.lists(st.sampled_from(system.names), unique=True))
    values = {name: data.draw(st.integers(0, system.option(name).size - 1)) for name in names}
    assert parse_assignments(assignment_text(values, system).split(","), system) == values


def test_texts_with_commas_are_read_back() -> None:
    """Configurations of a system with commas in names and in words are read from their own texts."""
    lines = [f'{a},{b},"{mode}",{x},{a + x}.5' for a in (0, 1) for b in (0, 1) for mode in MODES for x in (1, 2)]
    table = "\n".join(['"a,b",b,mode,"x, y",time', *lines]) + "\n"
    system = inferred(table, options=("mode",)).system
    every = Space(system).enumerate()
    assert len(every) == len(lines)
    for row in range(len(every)):
        text = ",".join(assignment_texts(system, every.assignment(row)).values())
        assert parse_configuration(text, system) == every[[row]], text


def test_configurations() -> None:
    """Options that are not named are deselected, but for mandatory ones and the parents of named ones."""
    found = parse_configuration("lru,x=4", SYSTEM)
    assert found == Configurations(SYSTEM, np.array([[1, 1, 1, 0, 2, 2, 0]]))
    assert parse_configuration("lru,cache=0,x=4", SYSTEM).indices.tolist() == [[1, 0, 1, 0, 2, 2, 0]]


def test_calls() -> None:
    """Texts of values are read as the golden file has it."""
    codecs = VariabilityModel.of({"codec": ["bz2", "l z", "1"], "x": [1, 2]})

    def assigned(text: str, system: VariabilityModel = SYSTEM) -> dict[str, int]:
        return parse_assignments([text], system)

    check_calls("assignments-of-values", is_text, assigned, codecs=codecs)
