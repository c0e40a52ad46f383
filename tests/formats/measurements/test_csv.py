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
from splc.system.options import BinaryOption
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
        monkeypatch.setattr("splc.data.repetitions.MAX_CELLS", 5)
        with pytest.raises(MeasurementError, match="3 repetitions, too many"):
            read(tmp_path, system, HEADER + "1,0,1,0,5,8,3\n" * 3 + "0,0,1,0,5,8,3\n")


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
