"""Tables as careless users write them: every reader reads them, or says what is wrong; no warning of numpy appears."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from splc.errors import InputError, SplcError
from splc.formats.experiments.read import read_experiment
from splc.formats.inference import infer_system
from splc.formats.measurements.configurations import read_configurations
from splc.formats.measurements.read import read_measurements
from splc.formats.measurements.tables import read_file_columns
from splc.formats.registry import kind_of
from splc.io.files import Source, read_source
from tests.support.refusal import check_read_or_refused

NUMBERS = ["0", "1", "2.5", "-1", "1e300", "1.8e308", "1e308", "-1e308", "1e-300", "4.9e-324", "1e155", "9" * 20]
CELLS = st.sampled_from([*NUMBERS, "", "nan", "inf", "a", "1,5", '"', "1|2"])
ROWS = st.lists(st.lists(CELLS, min_size=1, max_size=5), min_size=1, max_size=6)


def table(rows: Sequence[Sequence[str]], separator: str, quoting: bool) -> str:
    """Return a table as text."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL if quoting else csv.QUOTE_MINIMAL).writerows(rows)
    return text.getvalue()


def read_with_inferred_system(path: Path) -> None:
    """Read measurements and configurations of the system that the table shows."""
    system = infer_system(path)
    for reader in (read_measurements, read_configurations):
        refused_or_read(reader, path, system)


def refused_or_read(reader: Callable[..., object], *arguments: object) -> None:
    """Call a reader, which may refuse with a message."""
    with suppress(SplcError):
        reader(*arguments)


@pytest.mark.parametrize(
    "reader", [infer_system, read_with_inferred_system, read_experiment, lambda path: kind_of(read_source(path))]
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=ROWS,
    header=st.lists(st.sampled_from(["a", "b", "n", "time", "time (ms)", ""]), min_size=1, max_size=5),
    separator=st.sampled_from(",;\t|"),
    quoting=st.booleans(),
)
def test_ragged_rows_and_extreme_numbers(
    tmp_path: Path,
    reader: Callable[[Path], object],
    rows: list[list[str]],
    header: list[str],
    separator: str,
    quoting: bool,
) -> None:
    """Rows of any length, with any separator and number, are read or refused."""
    path = tmp_path / "table.csv"
    path.write_text(table([header, *rows], separator, quoting), encoding="utf-8")
    check_read_or_refused(lambda: (reader(path),))


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("quoting", [False, True])
def test_rows_that_are_all_too_short(separator: str, quoting: bool) -> None:
    """Rows with fewer fields than the header are refused with their first line if there are no others."""
    text = table([["a", "b", "time"], ["1"], ["2", "3"]], separator, quoting)
    with pytest.raises(InputError, match=r"t\.csv:2: every row has fewer fields than the header, which has 3"):
        read_file_columns(Source("t.csv", text.encode()))
    found = read_file_columns(Source("t.csv", f"{text}{separator.join('456')}\n".encode()))
    assert {name: list(cells) for name, cells in found.columns.items()} == {"a": ["4"], "b": ["5"], "time": ["6"]}
    assert found.remarks == ("2 rows that have fewer fields than the header left out",)


def test_quoted_decimal_commas() -> None:
    """Numbers with a decimal comma in quotes are read, unless others have points or the commas are of lists."""

    def columns(text: str) -> dict[str, list[str]]:
        found = read_file_columns(Source("t.csv", text.encode()))
        return {name: list(cells) for name, cells in found.columns.items()}

    assert columns('x,time\n1,"1,5"\n2,"0,25"\n') == {"x": ["1", "2"], "time": ["1.5", "0.25"]}
    assert columns('x,time\n"0,1","1,5"\n"0,1,2","0,25"\n') == {"x": ["0,1", "0,1,2"], "time": ["1.5", "0.25"]}
    for text in ('x,time\n0.5,"1,5"\n', 'x,time\n1,"1,500"\n'):
        assert columns(text)["time"] == [text.split('"')[1]]


@pytest.mark.parametrize("far", ["1e308", "-1e308", "1e62"])
def test_values_beyond_all_others_are_missing(tmp_path: Path, far: str) -> None:
    """A value that cannot be right beside the others is missing and named; all values may be in a large unit."""
    path = tmp_path / "t.csv"
    path.write_text(f"a,b,time\n0,0,1.5\n0,1,2.5\n1,0,{far}\n1,1,4.5\n", encoding="utf-8")
    found = read_measurements(path, infer_system(path))
    assert np.isnan(found["time"]).sum() == found.report.missing["time"] == 1
    assert any(f"{float(far):g}" in note for note in found.report.notes)
    path.write_text("a,time\n0,1.5e300\n1,2.5e301\n", encoding="utf-8")
    assert not read_measurements(path, infer_system(path)).report.missing
