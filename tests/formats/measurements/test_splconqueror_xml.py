"""SPL Conqueror's XML of measurements."""

from __future__ import annotations

import itertools
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


MULTIPLE = '<row multipleMeasurements="true">'


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


class TestReading:
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
        rows = (row("left", rest=value("1@2")).replace("<row>", MULTIPLE), row("right"))
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
            row("left", "x;5,tile-size;8", value("1@2")).replace("<row>", MULTIPLE),
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
