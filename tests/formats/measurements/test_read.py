"""Tests of contexts: rows of several versions or machines in one table."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc import read_measurements, read_measurements_by, read_variability_model
from splc.data.measurements import Measurements
from splc.formats.measurements.csv import write_measurements_csv
from splc.formats.measurements.splconqueror_xml import write_measurements_xml
from splc.formats.registry import format_named, written_formats
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.note import reading_notes
from tests.support.examples import examples
from tests.support.real_data import DATA

SYSTEM = VariabilityModel("s", (BinaryOption("fast", optional=True), NumericOption("n", (1.0, 2.0, 3.0))))
HEADER = "version,fast,n,seconds"
ROWS = "1.9,0,1,10\n1.10,0,1,20\n1.9,1,2,30\n1.10,1,2,60\n"


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


class TestNumbers:
    def test_a_warning_names_what_seems_to_be_a_context(self, tmp_path: Path) -> None:
        """Without a name it is a property, and a warning says that its rows are averaged."""
        found = read_measurements(write(tmp_path, f"{HEADER}\n{ROWS}"), SYSTEM, nfp="seconds")
        assert found.report.mixed == ("version",)
        (warning,) = reading_notes(found.report)
        assert warning.warning
        assert "--context version" in str(warning)

    @pytest.mark.parametrize("column", ["seconds2", "repetition"])
    def test_other_columns_give_no_warning(self, tmp_path: Path, column: str) -> None:
        """Neither a measured property nor the number of a repetition seems to be a context."""
        values = ["1", "2", "1", "2"] if column == "repetition" else ["1.5", "2.5", "3.5", "4.5"]
        lines = [f"{value},{line.split(',', 1)[1]}" for value, line in zip(values, ROWS.split(), strict=True)]
        text = "\n".join([HEADER.replace("version", column), *lines])
        assert read_measurements(write(tmp_path, text), SYSTEM, nfp="seconds").report.mixed == ()


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
