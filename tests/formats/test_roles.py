"""Roles of columns: by names, contents and order, and in tables of configurations that are still to be measured."""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from splc.data.table import TRUTH
from splc.errors import SplcError
from splc.formats.coded_columns import CodedColumns
from splc.formats.column_choice import ColumnChoice
from splc.formats.detect import kind_of
from splc.formats.experiments.read import read_experiment
from splc.formats.inference import infer_system, inference_of
from splc.formats.labels import left_out
from splc.formats.measurements.configurations import read_configurations
from splc.formats.measurements.read import read_measurements
from splc.formats.measurements.selections import truth_words
from splc.formats.measurements.tables import read_table
from splc.formats.roles import option_columns
from splc.io.csv_rows import plain_columns
from splc.io.files import Source, read_source
from tests.support.golden_messages import check_calls
from tests.support.inferred_tables import inferred, rows
from tests.support.real_data import real
from tests.support.refusal import check_read_or_refused


@given(st.lists(st.sampled_from(["yes", "no", " yes", "no ", "Yes", "NO", "1", "0", "on", "maybe", ""]), min_size=1))
def test_words_of_each_cell(cells: list[str]) -> None:
    """The words are those of one cell after the other, stripped, for texts and for the cells of a file."""
    values: dict[str, int | None] = {}
    for cell in cells:
        if cell.strip():
            values[cell.strip()] = TRUTH.get(cell.strip().lower())
    words = {value: word for word, value in values.items()}
    clear = bool(values) and None not in words and len(words) == len(values) and not {"0", "1"}.issuperset(values)
    table = plain_columns("".join(f"x,{cell}\n" for cell in cells).encode(), ",")
    assert table is not None
    for texts in (cells, table[1]):
        found = truth_words(texts)
        assert (found is not None) == clear
        if found is not None:
            assert {TRUTH[word.lower()] for word in found} == {0, 1}
            assert all(found[value] == word for value, word in words.items() if value is not None)


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


def written(runs: Sequence[Mapping[str, object]], names: Sequence[str] = ()) -> str:
    """Return runs as a table."""
    names = names or [*runs[0]]
    return rows(",".join(names), [[run[name] for name in names] for run in runs])


SPACE = {"a": (0, 1), "b": (0, 1), "mode": ("x", "y", "z"), "n": (1, 2, 4, 8), "m": (10, 20, 30)}


class TestOrder:
    @pytest.mark.parametrize("design", ["grid", "sample", "repeated"])
    @pytest.mark.parametrize("seed", range(4))
    def test_any_order(self, design: str, seed: int) -> None:
        """Where the property is named, the options do not depend on the order of the columns."""
        rng = np.random.default_rng(seed)
        points = [dict(zip(SPACE, point, strict=True)) for point in itertools.product(*SPACE.values())]
        if design != "grid":
            points = [points[at] for at in rng.permutation(len(points))[:70]]
        points = [point for point in points for _ in range(1 + 2 * (design == "repeated"))]
        runs = [{**point, "gain": f"{rng.uniform():.6f}"} for point in points]
        for _ in range(6):
            names = [str(name) for name in rng.permutation([*SPACE, "gain"])]
            assert set(inferred(written(runs, names), nfp="gain").columns) == {*SPACE}, names

    def test_sample_with_repetitions(self) -> None:
        """A switch to the right of the property that few configurations need is an option if all have as many runs."""
        rng = np.random.default_rng(3)
        points = [[at >> bit & 1 for bit in range(10)] for at in rng.permutation(1024)[:120].tolist()]
        runs = [[*point, f"{rng.uniform():.6f}"] for point in points for _ in range(3)]
        names = [f"s{bit}" for bit in range(10)]
        table = [dict(zip((*names, "gain"), run, strict=True)) for run in runs]
        for name in names[:3]:
            order = [*(other for other in names if other != name), "gain", name]
            assert name in inferred(written(table, order), nfp="gain").columns

    @pytest.mark.parametrize("repetitions", [1, 3])
    def test_long_tables(self, repetitions: int) -> None:
        """The roles in a long table are those in its first rows."""
        rng, count = np.random.default_rng(5), 120_000 // repetitions
        columns = {
            name: np.array(values, dtype=str)[rng.integers(0, len(values), count)] for name, values in SPACE.items()
        }
        columns["size"] = np.where(columns["a"] == "1", columns["n"], columns["m"])
        repeated = {name: values.repeat(repetitions).tolist() for name, values in columns.items()}
        repeated["gain"] = [f"{value:.6f}" for value in rng.uniform(1, 2, count * repetitions).tolist()]
        lines = [",".join(line) for line in ([*repeated], *zip(*repeated.values(), strict=True))]
        long, short = (inferred("\n".join(part)) for part in (lines, lines[:3001]))
        for kind in ("columns", "properties", "contexts", "ignored", "differing", "decided"):
            assert getattr(long, kind) == getattr(short, kind), kind
        assert [*long.doubts] == [*short.doubts]

    @pytest.mark.real_data
    @pytest.mark.parametrize("file", ["tuning/HSQLDB", "tuning/kernels/pnpoly_3090", "contexts/sqlite"])
    def test_real_tables(self, file: str) -> None:
        """The options of real tables do not depend on the order of the columns."""
        source = read_table(real(f"{file}.csv.gz"))
        header, *lines = [line.split(",") for line in source.text().splitlines()]
        nfp, rng = header[-1], np.random.default_rng(1)
        constant = {name for at, name in enumerate(header) if len({line[at] for line in lines}) == 1}
        found = []
        for order in (range(len(header)), rng.permutation(len(header)), rng.permutation(len(header))):
            text = "\n".join(",".join(line[at] for at in order) for line in (header, *lines))
            choice = ColumnChoice(constraints=False)
            columns = inference_of(Source("t.csv", text.encode()), nfp=nfp, choice=choice).columns
            found.append({*columns} - constant)
        assert found[0] == found[1] == found[2]


def options(
    cells: Mapping[str, str | Sequence[str]], measured: bool | None = None, **choice: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Return the options of a table that may be of configurations that are still to be measured."""
    columns = {name: [*texts] for name, texts in cells.items()}
    assert option_columns(columns, ColumnChoice(**choice), measured=True) is None  # type: ignore[arg-type]
    return option_columns(columns, ColumnChoice(**choice), measured=measured)  # type: ignore[arg-type]


def words(texts: str) -> tuple[str, str] | None:
    """Return the words of a column of a binary option."""
    return truth_words(texts.split())


RNG = np.random.default_rng(1)
POINTS = [(threads, cache) for threads in (1, 2, 4, 8) for cache in (0, 1) for _ in range(2)]
TIMES = [round(10 / threads + cache + float(RNG.uniform(0, 0.1)), 5) for threads, cache in POINTS]


def beside(**columns: list[object]) -> str:
    """Return a table with two options, a time, and these columns."""
    names = ["threads", "cache", *columns]
    cells = [[*row, *more] for row, *more in zip(POINTS, *columns.values(), strict=True)]
    cells = [[*row[:2], *row[2:]] for row in cells]
    return "\n".join([",".join(names), *(",".join(map(str, row)) for row in cells)]) + "\n"


def numbers(scale: float = 1.0) -> list[object]:
    """Return a number for each row, all different."""
    return [round(scale * time + float(RNG.uniform(0, 0.1)), 5) for time in TIMES]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=60))
def test_groups_of_rows(rows: list[tuple[int, int, int]]) -> None:
    """Rows with equal values are one group, and a column differs in a group exactly if it divides one."""
    columns = {name: np.array(values, dtype=float) for name, values in zip("abc", zip(*rows, strict=True), strict=True)}
    coded = CodedColumns(columns, (), {})
    group = coded.groups("abc")
    pairs = {*zip(rows, group.tolist(), strict=True)}
    assert len(pairs) == len({*rows}) == len({*group.tolist()}) == group.max() + 1
    assert coded.differs("c", coded.groups("ab")) == (len({*rows}) > len({row[:2] for row in rows}))


def reason(name: str, cells: Sequence[object]) -> str | None:
    """Return why a column is left out, unless the user names it."""
    texts = [*map(str, cells)]
    assert left_out({name: texts}, {name}) == {}
    return left_out({name: texts}, ()).get(name)


def kept(*names: str) -> tuple[tuple[str, ...], list[str]]:
    """Return the properties among columns of these names beside two options, and the columns that are ignored."""
    found = inferred(beside(**{name: numbers(at + 1) for at, name in enumerate(names)}))
    assert (found.columns, found.decided) == (("cache", "threads"), True)
    return found.properties, sorted(found.ignored)


def without(*names: str) -> dict[str, str]:
    """Return the columns of whole numbers that are left out, and why."""
    return left_out({name: ["1", "2", "3", "4", "5"] for name in names}, ())


@pytest.mark.parametrize("other", ["time_std", "time_max", "energy_std"])
def test_values_of_several_runs(other: str) -> None:
    """A column of the deviations of runs says that each value is of several ones; other columns do not."""
    found = inferred(beside(**{"time_mean": numbers(1), other: numbers(2)}))
    assert found.spreads == (("time_std",) if other == "time_std" else ())


def test_calls() -> None:
    """Options without measurements, words of binary options, and evident columns are those of the golden file."""
    check_calls("options-without-properties", options, words)
    check_calls("evident-columns", reason, kept, without, hashlib=hashlib)
