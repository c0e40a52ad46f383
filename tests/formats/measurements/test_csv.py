"""CSV of measurements."""

from __future__ import annotations

import gzip
import io
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from splc.data.measurements import Measurements
from splc.errors import MeasurementError
from splc.formats.measurements.csv import write_measurements_csv, write_measurements_splconqueror_csv
from splc.formats.measurements.read import read_measurements
from splc.formats.table import NOTE
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.format_strategies import measurements, mutated
from tests.support.refusal import check_read_or_refused

HEADER = "rc-lookahead,fast,left,right,x,tile-size,seconds\n"


def read(folder: Path, model: VariabilityModel, text: str, **options: Any) -> Measurements:
    """Read a file with this content."""
    path = folder / "m.csv"
    path.write_text(text, encoding="utf-8")
    return read_measurements(path, model, **options)


class TestPlainTables:
    def test_rows_of_one_configuration_are_repetitions(self, tmp_path: Path, system: VariabilityModel) -> None:
        """Configurations are in order of first appearance; their rows are repetitions in order."""
        text = HEADER + "1,0,1,0,5,8,3\n0,0,0,1,1,,7\n1,0,1,0,5,8,4\n1,0,1,0,5,8,8\n"
        kept = read(tmp_path, system, text)
        np.testing.assert_array_equal(kept.repetitions("seconds"), [[3, 4, 8], [7, np.nan, np.nan]])
        assert kept["seconds"].tolist() == [5, 7]
        assert kept.report.rows == 4
        assert kept.report.duplicates == ()
        assert kept.report.missing == {}
        assert read(tmp_path, system, text, aggregate="median")["seconds"].tolist() == [4, 7]

    def test_columns_in_any_order_and_spelling(self, tmp_path: Path, system: VariabilityModel) -> None:
        """Columns are found by name, also in SPL Conqueror's spelling; every other column is a property."""
        text = "a;seconds;x;tilesize;right;left;rclookahead;fast\n1;2;9;16;0;1;true;False\n"
        kept = read(tmp_path, system, text)
        assert kept.properties == ("a", "seconds")
        assert list(kept.configurations.assignment(0).values()) == [1, 0, 1, 0, 9, 16]

    @pytest.mark.parametrize("cell", ["", "-1", "nan", "-1.0"])
    def test_deselected(self, tmp_path: Path, system: VariabilityModel, cell: str) -> None:
        """The flag, nan or an empty cell in the column of an optional numeric option means deselected."""
        kept = read(tmp_path, system, HEADER + f"1,0,1,0,5,{cell},3\n")
        assert np.isnan(kept.configurations.value("tile-size")).all()

    @pytest.mark.parametrize("separator", [",", ";", "\t"])
    def test_separators(self, tmp_path: Path, system: VariabilityModel, separator: str) -> None:
        """The separator is detected from the option names, not from the most frequent character."""
        header = HEADER.replace(",", separator).replace("seconds", '"a,b;c,d;e,f;g,h;i,j;k"')
        kept = read(tmp_path, system, header + "1,0,1,0,5,8,3\n".replace(",", separator))
        assert len(kept) == 1
        assert kept.properties == ("a,b;c,d;e,f;g,h;i,j;k",)

    def test_a_given_separator(self, tmp_path: Path, system: VariabilityModel) -> None:
        """The separator can be given."""
        assert len(read(tmp_path, system, (HEADER + "1,0,1,0,5,8,3\n").replace(",", "|"), separator="|")) == 1

    def test_quotes_spaces_and_line_ends(self, tmp_path: Path, system: VariabilityModel) -> None:
        """Quoted fields, spaces after separators, CRLF line ends, blank lines and a byte order mark are read."""
        text = "\ufeff" + HEADER.replace("fast", '"fast"') + '\n"1", 0 ,1,0,"5",8,3\n   \n'
        assert read(tmp_path, system, text.replace("\n", "\r\n"))["seconds"].tolist() == [3]

    def test_missing_values(self, tmp_path: Path, system: VariabilityModel) -> None:
        """Values that cannot be read are missing for their property only, and counted."""
        text = HEADER.replace("seconds", "seconds,empty,energy")
        text += "1,0,1,0,5,8,3,,\n1,0,1,0,5,8,x,n/a,inf\n1,0,1,0,5,,nan,,4\n"
        kept = read(tmp_path, system, text)
        assert kept.report.missing == {"seconds": 2, "empty": 3, "energy": 2}
        assert kept["seconds"].tolist()[0] == 3
        assert len(kept.measured("seconds")) == len(kept.measured("energy")) == 1

    def test_columns_without_values(self, tmp_path: Path, system: VariabilityModel) -> None:
        """Columns of empty cells are left out with a note, unless they are wanted or there are no others."""
        text = HEADER.replace("seconds", "seconds,comment,energy") + "1,0,1,0,5,8,3,, \n0,0,1,0,5,8,4, ,\n"
        kept = read(tmp_path, system, text)
        assert (kept.properties, kept.report.missing) == (("seconds",), {})
        assert kept.report.notes == ("left out, without any value: comment, energy",)
        assert read(tmp_path, system, text, nfp="energy").properties == ("seconds", "energy")
        nothing = read(tmp_path, system, text.replace("8,3,", "8,,").replace("8,4,", "8,,"))
        assert (nothing.properties, nothing.report.notes) == (("seconds", "comment", "energy"), ())

    def test_decimal_commas(self, tmp_path: Path, system: VariabilityModel) -> None:
        """Decimal commas are read if requested or unambiguous; otherwise a note suggests them."""
        text = HEADER.replace(",", ";") + "1;0;1;0;5;8;3,5\n0;0;1;0;5;8;4,5\n"
        requested = read(tmp_path, system, text, decimal_delimiter=",")
        assert (requested["seconds"].tolist(), requested.report.notes) == ([3.5, 4.5], ())
        for table in (text, text.replace(";", "\t")):
            found = read(tmp_path, system, table)
            assert (found["seconds"].tolist(), found.report.notes) == ([3.5, 4.5], (NOTE,))
        quoted = HEADER + '1,0,1,0,5,8,"3,5"\n0,0,1,0,5,8,"4,5"\n'
        found = read(tmp_path, system, quoted)
        assert (found["seconds"].tolist(), found.report.notes) == ([3.5, 4.5], (NOTE,))
        thousands = read(tmp_path, system, quoted.replace(',5"', ',500"'))
        assert thousands.report.missing == {"seconds": 2}
        assert thousands.report.notes == ("seconds: no value can be read; its decimal delimiter seems to be a comma",)
        mixed = read(tmp_path, system, quoted.replace('"4,5"', "4.5"))
        assert mixed.report.notes == ("values of seconds that are not numbers: '3,5'",)

    def test_decimal_commas_without_a_header(self, tmp_path: Path) -> None:
        """Values of files without a header have decimal commas, too."""
        found = read(tmp_path, VariabilityModel("s", (BinaryOption("a"), BinaryOption("b"))), "a;3,5\na;b;4,25\n")
        assert (found["Performance"].tolist(), found.report.notes) == ([3.5, 4.25], (NOTE,))

    def test_options_with_one_value_need_no_column(self, tmp_path: Path) -> None:
        """An option that can only have one value is filled in; any other one needs its column."""
        model = VariabilityModel(
            "m", (BinaryOption("base", None, False), NumericOption("one", (7.0,)), NumericOption("n", (1.0, 2.0)))
        )
        kept = read(tmp_path, model, "n,time\n2,3\n")
        assert kept.configurations.assignment(0) == {"base": 1, "one": 7, "n": 2}

    @pytest.mark.parametrize(
        ("cells", "reason"),
        [
            ("2,0,1,0,5,8,3", "rc-lookahead is a binary option and cannot be 2"),
            ("1,0,1,0,5,8", "6 fields, but the header has 7"),
        ],
    )
    def test_invalid_rows(self, tmp_path: Path, system: VariabilityModel, cells: str, reason: str) -> None:
        """A row without a valid configuration can be dropped, and is reported."""
        text = HEADER + f"1,0,1,0,5,8,3\n\n{cells}\n0,0,1,0,5,8,3\n"
        kept = read(tmp_path, system, text, invalid="drop")
        assert kept.report.invalid == ((4, reason),)
        assert len(kept) == 2

    def test_values_in_a_column_without_a_name(self, tmp_path: Path) -> None:
        """A header that ends with a separator has no name for a last field, which has to be empty."""
        model = VariabilityModel("m", (BinaryOption("a"),))
        assert read(tmp_path, model, "a,t,\n1,2,\n0,4,\n")["t"].tolist() == [2.0, 4.0]

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
        monkeypatch.setattr("splc.data.repetitions.MAX_CELLS", 5)
        with pytest.raises(MeasurementError, match="3 repetitions, too many"):
            read(tmp_path, system, HEADER + "1,0,1,0,5,8,3\n" * 3 + "0,0,1,0,5,8,3\n")


class TestSplConquerorTables:
    def test_root_column_and_hidden_options(self, tmp_path: Path, system: VariabilityModel) -> None:
        """The root and the hidden options of an optional numeric option are not properties."""
        header = "root;rclookahead;fast;left;right;x;tilesize;Enabledtilesize;Disabledtilesize;Performance\n"
        text = header + "1;1;0;1;0;5;8;1;0;3\n1;true;false;0;1;9;8;0;1;4\n"
        kept = read(tmp_path, system, text)
        assert kept.properties == ("Performance",)
        np.testing.assert_array_equal(kept.configurations.value("tile-size"), [8, np.nan])

    @pytest.mark.parametrize("row", ["1;0;1;0;5;8;3;", "1;0;1;0;5;8;3"])
    @pytest.mark.parametrize("header", [HEADER, HEADER.replace("\n", ",\n")])
    def test_trailing_separators(self, tmp_path: Path, system: VariabilityModel, header: str, row: str) -> None:
        """A trailing separator, which SPL Conqueror writes but cannot read, does not matter."""
        assert read(tmp_path, system, header.replace(",", ";") + row + "\n")["seconds"].tolist() == [3]


class TestRowsWithoutHeader:
    MODEL = VariabilityModel("m", (BinaryOption("a"), BinaryOption("b-c"), BinaryOption("d")))

    @pytest.mark.parametrize("separator", [";", ",", "\t"])
    def test_names_then_the_value(self, tmp_path: Path, separator: str) -> None:
        """Each row lists the selected options, followed by the value of the given property."""
        text = "root;a;bc;3.5\nd;4\n7;\n".replace(";", separator)
        kept = read(tmp_path, self.MODEL, text, nfp="time")
        assert kept["time"].tolist() == [3.5, 4, 7]
        assert kept.configurations.indices.tolist() == [[1, 1, 0], [0, 0, 1], [0, 0, 0]]
        assert read(tmp_path, self.MODEL, text).properties == ("Performance",)

    def test_a_first_value_that_is_missing(self, tmp_path: Path) -> None:
        """A first row whose value cannot be read is not a header."""
        kept = read(tmp_path, self.MODEL, "a;failed\nd;4\n")
        assert kept.report.missing == {"Performance": 1}

    def test_a_property_that_is_called_like_a_number(self, tmp_path: Path) -> None:
        """A header whose property is called 2019 is still a header: values follow, not names."""
        for text in ("a,b-c,d,2019\n1,0,1,7\n", "a,b-c,d,2019,\n1,0,1,7\n", "a,b-c,d,2019,,\n1,0,1,7,,\n"):
            assert read(tmp_path, self.MODEL, text)["2019"].tolist() == [7]
        kept = read(tmp_path, self.MODEL, "a,b-c,d,2019\n1,0,1,\n0,0,1,7\n")
        np.testing.assert_array_equal(kept["2019"], [np.nan, 7])

    NUMBERED = VariabilityModel("m", (BinaryOption("1"), BinaryOption("b")))

    @pytest.mark.parametrize(
        ("text", "name", "rows"),
        [
            ("1,b,time\n1,0,5\n0,1,6\n", "time", [[1, 0], [0, 1]]),
            ("b,1,time,\n1,0,5,\n0,1,6,\n", "time", [[0, 1], [1, 0]]),
            ("b;1;2019\n1;0;5\n0;1;6\n", "2019", [[0, 1], [1, 0]]),
            ("1;b;5\nb;6\n", "Performance", [[1, 1], [0, 1]]),
            ("b;1;5;\n1;6;\n", "Performance", [[1, 1], [1, 0]]),
            ("b;1;5;\nb;6\n", "Performance", [[1, 1], [0, 1]]),
        ],
    )
    def test_an_option_that_is_called_like_a_number(
        self, tmp_path: Path, text: str, name: str, rows: list[list[int]]
    ) -> None:
        """An option called `1` is a column of a header, or the name in a row; trailing separators do not matter."""
        kept = read(tmp_path, self.NUMBERED, text)
        assert kept.configurations.indices.tolist() == rows
        assert kept[name].tolist() == [5, 6]

    def test_trailing_separators(self, tmp_path: Path) -> None:
        """The empty cell after the value of a row does not count, also where the value is missing."""
        kept = read(tmp_path, self.MODEL, "a;d;1;\nd;2;\nb-c;;\n")
        assert kept.configurations.indices.tolist() == [[1, 0, 1], [0, 0, 1], [0, 1, 0]]
        np.testing.assert_array_equal(kept["Performance"], [1, 2, np.nan])

    def test_duplicates_and_unknown_names(self, tmp_path: Path) -> None:
        """A repeated configuration is a duplicate here, an unknown name an invalid row."""
        assert read(tmp_path, self.MODEL, "a;d;1\nd;a;2\n", duplicates="mean")["Performance"].tolist() == [1.5]


class TestWriting:
    @examples(30)
    @given(measurements())
    def test_reads_back_equal(self, tmp_path_factory: pytest.TempPathFactory, measured: Measurements) -> None:
        """A table that was written reads back equal: configurations, properties, and every repetition in its place."""
        path = tmp_path_factory.getbasetemp() / "written.csv"
        write_measurements_csv(measured, path)
        again = read_measurements(path, measured.system)
        assert again.configurations == measured.configurations
        assert again.properties == measured.properties
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


class TestDamagedFiles:
    TEXT = HEADER + '1,0,1,0,5,8,3\n0,0,0,1,1,,"1e-3"\n1,0,1,0,5,8,0.1\n'

    @given(mutated(TEXT))
    def test_changed_anywhere(
        self, tmp_path_factory: pytest.TempPathFactory, system: VariabilityModel, data: bytes
    ) -> None:
        """Mutated files are read, or refused with an error of the error tree."""
        path = tmp_path_factory.getbasetemp() / "changed.csv"
        path.write_bytes(data)
        for invalid in ("error", "drop"):
            check_read_or_refused(partial(read_measurements, path, system, invalid=invalid, duplicates="mean"))

    @example(b'""')
    @given(st.one_of(st.binary(max_size=60), st.text(alphabet='a;,1.\n\t" x<', max_size=40).map(str.encode)))
    def test_any_bytes(self, tmp_path_factory: pytest.TempPathFactory, system: VariabilityModel, data: bytes) -> None:
        """Any bytes are read, or refused with an error of the error tree."""
        path = tmp_path_factory.getbasetemp() / "bytes.csv"
        path.write_bytes(data)
        check_read_or_refused(lambda: read_measurements(path, system, invalid="drop"))
