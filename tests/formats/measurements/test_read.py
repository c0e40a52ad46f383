"""Tests of contexts: rows of several versions or machines in one table."""

from __future__ import annotations

import csv
import io
import itertools
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc import read_measurements, read_measurements_by, read_variability_model
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import InputError, MeasurementError
from splc.formats.detect import format_named, written_formats
from splc.formats.measurements.csv import write_measurements_csv
from splc.formats.measurements.splconqueror_xml import write_measurements_xml
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.note import reading_notes
from tests.support.examples import examples
from tests.support.log_trees import write_log_tree
from tests.support.real_data import DATA

SYSTEM = VariabilityModel("s", (BinaryOption("fast", optional=True), NumericOption("n", (1.0, 2.0, 3.0))))
HEADER = "version,fast,n,seconds"


def write(folder: Path, text: str, name: str = "m.csv") -> Path:
    """Write a table."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def same(one: Measurements, other: Measurements) -> bool:
    """Return whether two measurements have the same configurations, values and contexts."""
    return (
        one.configurations.indices.tolist() == other.configurations.indices.tolist()
        and one.contexts == other.contexts
        and one.values.keys() == other.values.keys()
        and all(np.array_equal(one.values[name], other.values[name], equal_nan=True) for name in one.values)
    )


def test_a_warning_names_what_seems_to_be_a_context(tmp_path: Path) -> None:
    """Without a name it is a property, and a warning says that its rows are averaged."""
    text = f"{HEADER}\n1.9,0,1,10\n1.8,0,1,20\n1.9,1,2,30\n1.8,1,2,60\n"
    (warning,) = reading_notes(read_measurements(write(tmp_path, text), SYSTEM, nfp="seconds").report)
    assert warning.warning
    assert "--context version" in str(warning)


class TestFormats:
    @pytest.mark.parametrize("writer", [write_measurements_csv, write_measurements_xml])
    def test_round_trip(self, tmp_path: Path, writer: object) -> None:
        """A written table has the contexts of the measurements."""
        path = write(tmp_path, "host,version,fast,n,seconds\na b,v1,0,1,1\na b,v1,0,1,3\na b,v1,1,2,2\n")
        found = read_measurements(path, SYSTEM)
        assert callable(writer)
        writer(found, tmp_path / "again")
        assert same(read_measurements(tmp_path / "again", SYSTEM), found)
        assert found.contexts == {"host": "a b", "version": "v1"}
        assert found[:1].contexts == found.measured("seconds").contexts == found.contexts

    @pytest.mark.parametrize("form", written_formats("measurements"))
    def test_what_a_file_does_not_state_is_said(self, tmp_path: Path, form: str) -> None:
        """A writer returns a note on everything that is not read back from its file, and no other note."""
        table = write(tmp_path, "host,fast,n,cost\na,0,1,1\na,0,1,3\na,1,2,2\n")
        found = read_measurements(table, SYSTEM)
        found = replace(found, units={"cost": "J"}, report=replace(found.report, deviation=2.5))
        notes = format_named("measurements", form).write(found, tmp_path / "again")
        again = read_measurements(tmp_path / "again", SYSTEM)
        assert again["cost"].tolist() == found["cost"].tolist()
        facts: dict[str, Callable[[Measurements], object]] = {
            "contexts": lambda read: read.contexts,
            "repetitions": lambda read: read.repetitions("cost").shape,
            "deviation": lambda read: read.report.deviation,
            "units": lambda read: read.units,
        }
        lost = [name for name, fact in facts.items() if fact(again) != fact(found)]
        assert [name for name in facts for note in notes if name in note] == lost
        assert len(notes) == len(lost)


ROW = st.tuples(
    st.sampled_from(["v1", "v2", "v10", "w x"]),
    st.sampled_from(["0", "1"]),
    st.sampled_from(["1", "2", "3"]),
    st.one_of(st.integers(1, 50).map(str), st.just("timeout")),
)


@examples(24)
@given(rows=st.lists(ROW, min_size=1, max_size=20))
def test_a_part_is_the_filtered_file(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]]) -> None:
    """The measurements of each value equal those of a file with the rows of this value only, by `by` and by `where`."""
    folder = tmp_path_factory.mktemp("contexts")
    rows = [("v1", "0", "1", "1"), *rows, ("v1", "1", "1", "2"), ("v1", "1", "2", "2")]
    parts = read_measurements_by(write(folder, table(rows)), SYSTEM, "version")
    assert set(parts) == {row[0] for row in rows}
    for value, part in parts.items():
        own = [row for row in rows if row[0] == value]
        filtered = write(folder, table([*own, (value, "0", "1", "nan")]), "own.csv")
        whole = write(folder, table([*rows, (value, "0", "1", "nan")]))
        expected = read_measurements(filtered, SYSTEM, nfp="seconds")
        selected = read_measurements(whole, SYSTEM, where={"version": value}, nfp="seconds")
        assert same(selected, expected)
        assert part.contexts == {"version": value}
        assert part.report.rows == len(own)
        assert same(part, read_measurements_by(write(folder, table(own)), SYSTEM, "version")[value])


def table(rows: list[tuple[str, ...]]) -> str:
    """Return a table with these rows."""
    text = io.StringIO()
    csv.writer(text).writerows([HEADER.split(","), *rows])
    return text.getvalue()


@pytest.mark.real_data
def test_versions_of_real_measurements(tmp_path: Path) -> None:
    """Real measurements with a factor per version are read as they were before they were combined."""
    system = read_variability_model(DATA / "x264" / "FeatureModel.xml")
    measured = read_measurements(DATA / "x264" / "measurements.xml", system)
    write_measurements_csv(measured, tmp_path / "one.csv")
    header, *lines = (tmp_path / "one.csv").read_text().splitlines()
    factors = {"0.9": 1.0, "0.10": 1.5, "1.0-rc": 0.7}
    at = header.split(",").index("Performance")
    rows = []
    for version, factor in factors.items():
        for line in lines:
            cells = line.split(",")
            cells[at] = repr(float(cells[at]) * factor)
            rows.append(",".join([version, *cells]))
    path = write(tmp_path, "\n".join([f"version,{header}", *rows]))
    parts = read_measurements_by(path, system, "version")
    assert list(parts) == list(factors)
    for version, factor in factors.items():
        assert np.array_equal(parts[version].configurations.indices, measured.configurations.indices)
        np.testing.assert_allclose(parts[version]["Performance"], measured["Performance"] * factor, rtol=1e-12)


XML_ROW = '<row><data columname="Configuration">{}</data><data columname="Variable Features">{}</data>{}</row>'


MULTIPLE = '<row multipleMeasurements="true">'


def value(text: object, name: str = "Performance") -> str:
    """Return a data element."""
    return f'<data columname="{name}">{text}</data>'


def row(names: str, numbers: str = "x;1", rest: str = value(10)) -> str:
    """Return a row."""
    return XML_ROW.format(names, numbers, rest)


def read(folder: Path, model: VariabilityModel, *rows: str, root: str = "<results>", **options: Any) -> Measurements:
    """Read a file of these rows, one per line from line 2 on."""
    path = folder / "m.xml"
    path.write_text("\n".join([root, *rows, "</results>"]), encoding="utf-8")
    return read_measurements(path, model, **options)


class TestReading:
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


class TestWriting:
    def test_the_deviation_is_kept(self, tmp_path: Path, system: VariabilityModel) -> None:
        """The deviation that a file states is written again."""
        path = tmp_path / "n.xml"
        write_measurements_xml(read(tmp_path, system, row("left"), root='<results deviation="2.5">'), path)
        assert read_measurements(path, system).report.deviation == 2.5


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
