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


class TestText:
    TEXT = f"{HEADER}\n{ROWS.replace('1.9', 'v1').replace('1.10', 'v2')}"

    def test_missing_values_of_the_chosen_rows(self, tmp_path: Path) -> None:
        """The report counts the missing values of the rows that `where` chooses, not those of others."""
        text = f"{HEADER}\nv1,0,1,\nv1,0,2,10\nv2,0,1,20\nv2,0,2,30\nv1,0,3,\n"
        counts = [read_measurements(write(tmp_path, text), SYSTEM, where={"version": each}).report.missing
                  for each in ("v1", "v2")]  # fmt: skip
        assert counts == [{"seconds": 2}, {}]

    def test_one_value_is_a_note(self, tmp_path: Path) -> None:
        """A context with one value is kept, and a note states it."""
        found = read_measurements(write(tmp_path, f"{HEADER}\nv1,0,1,10\nv1,0,1,12\n"), SYSTEM)
        assert found.contexts == {"version": "v1"}
        assert found["seconds"].tolist() == [11]
        assert found.report.notes == ("the context 'version' is 'v1'",)

    def test_where_and_by_and_ignore(self, tmp_path: Path) -> None:
        """`where` selects rows, `by` separates them, `ignore` makes repetitions of them."""
        path = write(tmp_path, self.TEXT)
        found = read_measurements(path, SYSTEM, where={"version": "v2"})
        assert (found["seconds"].tolist(), found.contexts) == ([20, 60], {"version": "v2"})
        assert found.report.notes == ("2 of 4 rows have version = 'v2'",)
        parts = read_measurements_by(path, SYSTEM, "version")
        assert {value: part["seconds"].tolist() for value, part in parts.items()} == {"v1": [10, 30], "v2": [20, 60]}
        ignored = read_measurements(path, SYSTEM, ignore=["version"])
        assert (ignored["seconds"].tolist(), dict(ignored.contexts)) == ([15, 45], {})
        assert found[:1].contexts == found.measured("seconds").contexts == {"version": "v2"}

    def test_empty_values_are_values(self, tmp_path: Path) -> None:
        """An empty cell of a context is a value of its own, since its rows are not those of another one."""
        path = write(tmp_path, f"{HEADER}\nv1,0,1,10\n,0,1,20\n")
        assert read_measurements(path, SYSTEM, where={"version": ""})["seconds"].tolist() == [20]

    def test_another_context_may_depend_on_the_selected_one(self, tmp_path: Path) -> None:
        """A release date per version is constant after a selection."""
        path = write(tmp_path, "date,version,fast,n,seconds\nMay 3,v1,0,1,1\nMay 9,v2,0,1,2\n")
        assert read_measurements(path, SYSTEM, where={"version": "v2"}).contexts == {"date": "May 9", "version": "v2"}
        assert list(read_measurements_by(path, SYSTEM, "version")) == ["v1", "v2"]

    def test_malformed_rows_are_refused_whatever_is_selected(self, tmp_path: Path) -> None:
        """A row with too few fields is an error in every selection, since its context is unknown."""
        path = write(tmp_path, f"{self.TEXT}v2,0\n")
        for value in ("v1", "v2"):
            found = read_measurements(path, SYSTEM, where={"version": value}, invalid="drop")
            assert [line for line, _ in found.report.invalid] == [6]


class TestNumbers:
    def test_a_named_column_of_numbers_is_a_context(self, tmp_path: Path) -> None:
        """Versions 1.9 and 1.10 are different texts in natural order, and the column is no property."""
        path = write(tmp_path, f"{HEADER}\n{ROWS}")
        parts = read_measurements_by(path, SYSTEM, "version")
        assert list(parts) == ["1.9", "1.10"]
        assert parts["1.10"].properties == ("seconds",)
        assert read_measurements(path, SYSTEM, where={"version": 1.9})["seconds"].tolist() == [10, 30]

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

    def test_xml(self, tmp_path: Path) -> None:
        """A data element with text is a context, so that the same configuration in two versions is no duplicate."""
        row = (
            '<row><data columname="Configuration">root</data><data columname="Variable Features">n;1</data>'
            '<data columname="version">{}</data><data columname="seconds">{}</data></row>'
        )
        path = write(tmp_path, f"<results>{row.format('v1', 1)}{row.format('v2', 2)}</results>", "m.xml")
        assert read_measurements(path, SYSTEM, where={"version": "v2"})["seconds"].tolist() == [2]

    def test_repetitions_in_xml(self, tmp_path: Path) -> None:
        """Rows of one version keep their own numbers of repetitions."""
        row = (
            '<row multipleMeasurements="true"><data columname="Configuration">root</data>'
            '<data columname="Variable Features">n;{}</data><data columname="version">{}</data>'
            '<data columname="seconds">{}</data></row>'
        )
        rows = row.format(1, "v1", 1) + row.format(1, "v2", "2@4") + row.format(2, "v2", "1@2@3")
        path = write(tmp_path, f'<results separator="@">{rows}</results>', "m.xml")
        found = read_measurements(path, SYSTEM, where={"version": "v2"})
        assert found.repetitions("seconds")[:, :2].tolist() == [[2, 4], [1, 2]]
        assert found["seconds"].tolist() == [3, 2]

    def test_semicolons(self, tmp_path: Path) -> None:
        """SPL Conqueror's tables may have contexts, too."""
        text = f"root;{HEADER.replace(',', ';')}\n" + "".join(
            f"1;{line}\n" for line in ROWS.replace(",", ";").replace("1.9", "a").replace("1.10", "b").split()
        )
        assert list(read_measurements_by(write(tmp_path, text), SYSTEM, "version")) == ["a", "b"]


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
