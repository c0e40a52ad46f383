"""SPL Conqueror's XML of measurements."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import InputError, MeasurementError
from splc.formats.measurements.read import read_measurements
from splc.formats.measurements.splconqueror_xml import write_measurements_xml
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.format_strategies import measurements, mutated
from tests.support.log_trees import write_log_tree
from tests.support.refusal import check_read_or_refused

ROW = '<row><data columname="Configuration">{}</data><data columname="Variable Features">{}</data>{}</row>'


def value(text: object, name: str = "Performance") -> str:
    """Return a data element."""
    return f'<data columname="{name}">{text}</data>'


def row(names: str, numbers: str = "x;1", rest: str = value(10)) -> str:
    """Return a row."""
    return ROW.format(names, numbers, rest)


def read(folder: Path, model: VariabilityModel, *rows: str, root: str = "<results>", **options: Any) -> Measurements:
    """Read a file of these rows, one per line from line 2 on."""
    path = folder / "m.xml"
    path.write_text("\n".join([root, *rows, "</results>"]), encoding="utf-8")
    return read_measurements(path, model, **options)


def first(folder: Path, model: VariabilityModel, *rows: str, **options: Any) -> dict[str, float]:
    """Return the first configuration of a file of these rows."""
    return read(folder, model, *rows, **options).configurations.assignment(0)


class TestConfigurations:
    @pytest.mark.parametrize(
        ("names", "numbers"),
        [
            ("rc-lookahead,left", "x;5,tile-size;8"),
            ("\n\t root, rclookahead ,\n left,\n", " x 5 , tilesize;8, "),
            ("left,rc-lookahead,Enabledtile-size", "tile-size;8.0,x;5e0"),
        ],
    )
    def test_lists(self, tmp_path: Path, system: VariabilityModel, names: str, numbers: str) -> None:
        """Names may be in any order, with spaces, a trailing comma and the root, in both spellings."""
        expected = {"rc-lookahead": 1, "fast": 0, "left": 1, "right": 0, "x": 5, "tile-size": 8}
        assert first(tmp_path, system, row(names, numbers)) == expected

    @pytest.mark.parametrize("names", ["columname", "column", "anything"])
    def test_the_first_attribute_counts(self, tmp_path: Path, system: VariabilityModel, names: str) -> None:
        """The value of the first attribute of a data element states its content, regardless of the attribute's name."""
        text = row("left").replace("columname=", f"{names}=").replace("<data", "<cell").replace("</data", "</cell")
        assert read(tmp_path, system, text)["Performance"].tolist() == [10]

    def test_other_names_of_the_columns(self, tmp_path: Path, system: VariabilityModel) -> None:
        """BinaryOptions and NumericOptions are other names of Configuration and Variable Features."""
        text = row("left", "x;9").replace("Configuration", "BinaryOptions")
        text = text.replace("Variable Features", "NumericOptions")
        assert first(tmp_path, system, text)["x"] == 9

    @pytest.mark.parametrize(
        "identifier", ["left%;%x5%;%tilesize16", "root%;%left%;%x;5%;%tile-size;16%;%", '"left%;%x5.0%;%tile-size16"']
    )
    def test_config_id(self, tmp_path: Path, system: VariabilityModel, identifier: str) -> None:
        """A ConfigID lists binary names and numeric names with their values."""
        text = f"<row>{value(identifier, 'ConfigID')}{value(3)}</row>"
        found = first(tmp_path, system, text)
        assert (found["left"], found["right"], found["x"], found["tile-size"]) == (1, 0, 5, 16)

    def test_deselected_numeric_options(self, tmp_path: Path, system: VariabilityModel) -> None:
        """An optional numeric option is deselected by its flag, by nan, by Disabled…, or when it is not listed."""
        rows = (
            row("left", "x;1"),
            row("left,fast", "x;1,tile-size;-1"),
            row("left,Disabledtilesize", "x;5"),
            row("left", "x;9,tile-size;nan"),
        )
        tiles = read(tmp_path, system, *rows).configurations.value("tile-size")
        assert np.isnan(tiles).all()

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            (row("left,lefd"), "unknown option 'lefd', did you mean 'left'"),
            (row("left,left"), "'left' is named twice"),
            (row("rc-lookahead,rclookahead"), "'rc-lookahead' is named twice"),
            (row("left,x"), "the numeric option 'x' is in the list of binary options"),
            (row("left", "x;2"), "x cannot be 2; its values are 1, 5, 9"),
            (row("left", "x;1,x;5"), "'x' is named twice"),
            (row("left", "x;one"), "x: 'one' is not a number"),
            (row("left", "x"), "'x' is not an option with a value"),
            (row("left", ""), "no value for 'x'"),
            (row("left", "x;1,y;3"), "unknown option 'y'"),
            (row("left", "x;1,left;2"), "the binary option 'left' has the value '2'"),
            (row("left,Disabledtile-size", "x;1,tile-size;8"), "'tile-size' is both enabled and disabled"),
            (row("left,Enabledtile-size", "x;1"), "'tile-size' is both enabled and disabled"),
            (row("left", "x;1", value(1) + value(2)), "the property 'Performance' is given twice"),
            (row("left", "x;1", "<data>3</data>"), "a data element has no name"),
            (f"<row>{value(1)}</row>", "the row has no Configuration; no value for 'x'"),
            (f"<row>{value('left%;%y5', 'ConfigID')}{value(1)}</row>", "unknown option 'y'"),
        ],
    )
    def test_unknown_configurations(self, tmp_path: Path, system: VariabilityModel, text: str, reason: str) -> None:
        """A row with an unknown configuration is an error with line and reason, or is dropped and reported."""
        kept = read(tmp_path, system, row("right"), text, invalid="drop")
        assert len(kept) == 1
        ((line, recorded),) = kept.report.invalid
        assert (line, reason in recorded) == (3, True)

    def test_only_the_first_twenty_are_listed(self, tmp_path: Path, system: VariabilityModel) -> None:
        """Of many invalid rows the first 20 are listed and the rest is counted."""
        with pytest.raises(MeasurementError) as caught:
            read(tmp_path, system, *[row("nobody")] * 50)
        assert len(caught.value.problems) == 22
        assert "and 30 more rows" in str(caught.value)
        assert "50 of 50 rows" in str(caught.value)

    def test_invalid_ones(self, tmp_path: Path, system: VariabilityModel) -> None:
        """Rows that fail the check are invalid, with an explanation if one is available."""

        def check(configurations: Configurations) -> Any:
            return configurations.value("left") != configurations.value("right")

        def explain(configurations: Configurations, at: int) -> list[str]:
            return [f"left and right are both {configurations.value('left')[at]:g}"]

        rows = (row("left"), row("left,right"), row("right"), row("fast"))
        with pytest.raises(
            MeasurementError,
            match=r"m\.xml:3: the configuration violates: left and right are both 1\n.*m\.xml:5: .* both 0\n",
        ):
            read(tmp_path, system, *rows, check=check, explain=explain)
        kept = read(tmp_path, system, *rows, check=check, invalid="drop")
        assert len(kept) == 2
        assert [line for line, _ in kept.report.invalid] == [3, 5]
        assert "constraints" in kept.report.invalid[0][1]
        with pytest.raises(MeasurementError, match="no row has a valid configuration"):
            read(tmp_path, system, rows[1], check=check, invalid="drop")


class TestDuplicates:
    ROWS = (row("left"), row("right"), row("left", rest=value(20)), row("left", rest=value(60) + value(1, "energy")))

    def test_first(self, tmp_path: Path, system: VariabilityModel) -> None:
        """With 'first' the first row is used, and the lines of the others are reported."""
        kept = read(tmp_path, system, *self.ROWS, duplicates="first")
        assert kept["Performance"].tolist() == [10, 10]
        assert kept.report.duplicates == (4, 5)

    def test_mean(self, tmp_path: Path, system: VariabilityModel) -> None:
        """With 'mean' the values of all rows are repetitions."""
        kept = read(tmp_path, system, *self.ROWS, duplicates="mean")
        assert kept["Performance"].tolist() == [30, 10]
        assert kept["energy"][0] == 1
        assert kept.report.duplicates == (4, 5)
        assert read(tmp_path, system, *self.ROWS, duplicates="mean", aggregate="median")["Performance"][0] == 20


class TestValues:
    MULTIPLE = '<row multipleMeasurements="true">'

    def test_repetitions(self, tmp_path: Path, system: VariabilityModel) -> None:
        """In a row whose first attribute is true, values are split at the separator into repetitions."""
        text = row("left", rest=value("10@20@90") + value(" 7 ", "energy")).replace("<row>", self.MULTIPLE)
        root = '<results decimalDelimiter="." separator="@">'
        kept = read(tmp_path, system, text, row("right"), root=root)
        assert kept.repetitions("Performance").tolist()[0] == [10, 20, 90]
        assert kept["Performance"].tolist() == [40, 10]
        assert kept.repetitions("energy").shape == (2, 1)
        assert read(tmp_path, system, text, root=root, aggregate="min")["Performance"].tolist() == [10]

    @pytest.mark.parametrize(
        ("root", "text", "expected"),
        [
            ("<results>", "1,5", 1.5),
            ("<results>", "\n\t1.5\n", 1.5),
            ('<results decimalDelimiter=".">', "1.5", 1.5),
            ('<results decimalDelimiter=".">', "342789,333333333", math.nan),
            ('<results decimalDelimiter=",">', "1.234,5", math.nan),
            ("<results>", "1E-05", 1e-5),
            ("<results>", "nan", math.nan),
            ("<results>", "-inf", math.nan),
            ("<results>", "1e999", math.nan),
            ("<results>", "", math.nan),
            ("<results>", "1_000", math.nan),
            ("<results>", "failed", math.nan),
            ("<results>", "٣", math.nan),
        ],
    )
    def test_numbers(self, tmp_path: Path, system: VariabilityModel, root: str, text: str, expected: float) -> None:
        """Numbers are read with the file's delimiter; texts that are not finite numbers are missing and counted."""
        rows = (row("left", rest=value(text)), row("right"))
        kept = read(tmp_path, system, *rows, root=root)
        assert kept["Performance"][0] == pytest.approx(expected, nan_ok=True)
        assert kept.report.missing == ({"Performance": 1} if math.isnan(expected) else {})

    def test_delimiters_can_be_given(self, tmp_path: Path, system: VariabilityModel) -> None:
        """Given delimiters override those of the file."""
        text = row("left", rest=value("1'5|2'5")).replace("<row>", self.MULTIPLE)
        kept = read(tmp_path, system, text, decimal_delimiter="'", separator="|")
        assert kept.repetitions("Performance").tolist() == [[1.5, 2.5]]

    def test_missing_values(self, tmp_path: Path, system: VariabilityModel) -> None:
        """Missing values are counted per property: unreadable parts, and rows without the property."""
        rows = (
            row("left", rest=value("1@x@3") + value(5, "energy")).replace("<row>", self.MULTIPLE),
            row("right", rest=value(4)),
        )
        kept = read(tmp_path, system, *rows, root='<results separator="@">')
        assert kept.report.missing == {"Performance": 1, "energy": 1}
        assert kept["Performance"].tolist() == [2, 4]
        assert len(kept.measured("energy")) == 1

    def test_deviation(self, tmp_path: Path, system: VariabilityModel) -> None:
        """The largest deviation of a file is kept; one that is not a number gives a note."""
        assert read(tmp_path, system, row("left"), root='<results deviation="2;3;9.13">').report.deviation == 9.13
        assert read(tmp_path, system, row("left")).report.deviation is None
        assert read(tmp_path, system, row("left"), root='<results deviation="a">').report.notes

    def test_comments_are_allowed_anywhere(self, tmp_path: Path, system: VariabilityModel) -> None:
        """Comments in rows and in values, with which SPL Conqueror crashes, are ignored."""
        text = row("left<!-- c -->,fast", rest="<!-- c -->" + value("1<!-- c -->0")).replace("<row>", "<row><!-- c -->")
        kept = read(tmp_path, system, text)
        assert kept["Performance"].tolist() == [10]
        assert kept.configurations.value("fast").tolist() == [1]

    def test_the_report_names_source_and_hash(self, tmp_path: Path, system: VariabilityModel) -> None:
        """The report has the file, the hash of its content and the number of its rows."""
        report = read(tmp_path, system, row("left"), row("right")).report
        assert report.source == str(tmp_path / "m.xml")
        assert len(report.sha256 or "") == 64
        assert report.rows == 2


class TestWriting:
    @examples(30)
    @given(measurements())
    def test_reads_back_equal(self, tmp_path_factory: pytest.TempPathFactory, measured: Measurements) -> None:
        """Measurements that were written read back equal, repetitions included."""
        path = tmp_path_factory.getbasetemp() / "written.xml"
        write_measurements_xml(measured, path)
        again = read_measurements(path, measured.system)
        assert again.configurations == measured.configurations
        assert set(again.properties) == set(measured.properties)
        for name in measured.properties:
            expected = measured.values[name]
            width = again.values[name].shape[1]
            np.testing.assert_array_equal(again.values[name], expected[:, :width])
            assert np.isnan(expected[:, width:]).all()

    def test_as_spl_conqueror_reads_it(self, tmp_path: Path, system: VariabilityModel) -> None:
        """The root is listed, deselected options are flags, and only rows with repetitions are marked."""
        path = tmp_path / "m.xml"
        rows = (row("left", rest=value("1@2")).replace("<row>", TestValues.MULTIPLE), row("right"))
        write_measurements_xml(read(tmp_path, system, *rows, separator="@"), path)
        text = path.read_text()
        assert text.count("multipleMeasurements") == 1
        assert '<data columname="Configuration">root,left</data>' in text
        assert '<data columname="Variable Features">x;1,tile-size;-1</data>' in text

    def test_the_deviation_is_kept(self, tmp_path: Path, system: VariabilityModel) -> None:
        """The deviation that a file states is written again."""
        path = tmp_path / "n.xml"
        write_measurements_xml(read(tmp_path, system, row("left"), root='<results deviation="2.5">'), path)
        assert read_measurements(path, system).report.deviation == 2.5

    def test_reserved_names(self, tmp_path: Path, system: VariabilityModel) -> None:
        """A property cannot have the name of an element that describes the configuration."""
        measured = read(tmp_path, system, row("left"))
        renamed = Measurements(measured.configurations, {"ConfigID": measured["Performance"]})
        with pytest.raises(MeasurementError, match="a property cannot be called 'ConfigID'"):
            write_measurements_xml(renamed, tmp_path / "n.xml")
        context = Measurements(measured.configurations, {"time": measured["Performance"]}, contexts={"ConfigID": "7"})
        with pytest.raises(MeasurementError, match="a context cannot be called 'ConfigID'"):
            write_measurements_xml(context, tmp_path / "n.xml")


class TestDamagedFiles:
    TEXT = "\n".join(
        [
            '<?xml version="1.0"?><results separator="@" deviation="3">',
            row("left", "x;5,tile-size;8", value("1@2")).replace("<row>", TestValues.MULTIPLE),
            f"<row>{value('right%;%x9', 'ConfigID')}{value(1)}</row>",
            "</results>",
        ]
    )

    def test_truncated_anywhere(self, tmp_path: Path, system: VariabilityModel) -> None:
        """A file that is truncated at any position is an error with its name."""
        path = tmp_path / "m.xml"
        for length in range(len(self.TEXT)):
            path.write_text(self.TEXT[:length])
            with pytest.raises(InputError, match=r"m\.xml"):
                read_measurements(path, system)

    @given(mutated(TEXT))
    def test_changed_anywhere(
        self, tmp_path_factory: pytest.TempPathFactory, system: VariabilityModel, data: bytes
    ) -> None:
        """Mutated files are read, or refused with an error of the error tree."""
        path = tmp_path_factory.getbasetemp() / "changed.xml"
        path.write_bytes(data)
        for invalid in ("error", "drop"):
            check_read_or_refused(partial(read_measurements, path, system, invalid=invalid, duplicates="mean"))


def test_memory_of_large_files(tmp_path: Path) -> None:
    """Reading takes a few times the size of the file: rows are read one by one, not as a tree of elements."""
    write_log_tree(tmp_path, 0, groups=(5, 5, 3, 3), optional=5)
    table = tmp_path / "measurements.xml"
    with table.open() as whole, (tmp_path / "few.xml").open("w") as few:
        few.writelines([*itertools.islice(whole, 401), "</results>"])
    code = (
        "import re\n"
        "from pathlib import Path\n"
        "from splc import read_measurements, read_variability_model\n"
        "def peak(): return int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]) * 1024\n"
        "system = read_variability_model('FeatureModel.xml')\n"
        "read_measurements('few.xml', system)\n"
        "before = peak()\n"
        "read_measurements('measurements.xml', system)\n"
        "print(peak() - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    size = table.stat().st_size
    assert size > 1.5e6
    assert int(done.stdout) < 6 * size
