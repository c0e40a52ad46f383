"""Tables of configurations that are still to be measured, among tables of measurements."""

from __future__ import annotations

import csv
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
from splc.errors import InputError, SplcError
from splc.formats.column_choice import ColumnChoice
from splc.formats.detect import kind_of
from splc.formats.experiments.read import read_experiment
from splc.formats.inference import Inference, infer_system, inference_of
from splc.formats.measurements.configurations import read_configurations
from splc.formats.measurements.read import read_measurements
from splc.formats.measurements.selections import truth_words
from splc.formats.measurements.tables import read_file_columns, read_table
from splc.formats.roles import option_columns
from splc.io.csv_rows import plain_columns
from splc.io.files import Source, read_source
from tests.support.inferred_tables import inferred, rows
from tests.support.real_data import real
from tests.support.refusal import check_read_or_refused

TABLES = {
    "options": ({"mode": "abab", "x": "1122", "y": "1111"}, ("mode", "x", "y")),
    "the last one too": ({"x": "123123", "y": "111222"}, ("x", "y")),
    "numbered rows": ({"id": "123456", "x": "111222", "y": "123123"}, ("x", "y")),
    "empty column": ({"x": "112233", "y": "121212", "remark": "      "}, ("x", "y")),
    "a measured name": ({"x": "112233", "time": "121212"}, None),
    "a setting": ({"x": "112233", "time_limit": "121212"}, ("x", "time_limit")),
    "repeated rows": ({"x": "112233", "y": "111222"}, None),
}


@pytest.mark.parametrize(("cells", "options"), TABLES.values(), ids=TABLES.keys())
def test_evidence(cells: dict[str, str], options: tuple[str, ...] | None) -> None:
    """All columns are options but those that number rows, unless one has the evidence of a measured value."""
    columns = {name: [*texts] for name, texts in cells.items()}
    assert option_columns(columns, ColumnChoice(), measured=None) == options
    assert option_columns(columns, ColumnChoice(), measured=True) is None


def test_fractions() -> None:
    """Fractions that differ in nearly every row are measured, unless they are named as options."""
    columns = {"x": [*"112233"], "y": [f"{at}.{at}3" for at in range(6)]}
    assert option_columns(columns, ColumnChoice(), measured=None) is None
    assert option_columns(columns, ColumnChoice(options=("y",)), measured=None) == ("x", "y")
    assert option_columns(columns, ColumnChoice(), measured=False) == ("x", "y")
    assert option_columns(columns, ColumnChoice(ignore=("y",)), measured=None) == ("x",)
    assert option_columns({**columns, "z": [*"121212"]}, ColumnChoice(ignore=("y",)), measured=None) == ("x", "z")


def test_counts() -> None:
    """Whole numbers with many values that the other columns make unnecessary are measured."""
    rows = range(60)
    columns = {
        "x": [str(at % 10) for at in rows],
        "y": [str(at // 10) for at in rows],
        "n": [str(at**2) for at in rows],
    }
    assert option_columns(columns, ColumnChoice(), measured=None) is None
    assert option_columns(columns, ColumnChoice(ignore=("n",)), measured=None) == ("x", "y")


WORDS = [
    ("yes no yes", ("no", "yes")),
    ("True False", ("False", "True")),
    ("ON ON", ("OFF", "ON")),
    ("off", ("off", "on")),
    ("0 yes", ("0", "yes")),
    ("1 0", None),
    ("1", None),
    ("yes Yes no", None),
    ("yes maybe", None),
]


@pytest.mark.parametrize(("texts", "words"), WORDS)
def test_words(texts: str, words: tuple[str, str] | None) -> None:
    """The words of a column of a binary option, the missing one is the opposite; mixed spellings have none."""
    assert truth_words(texts.split()) == words


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


RNG = np.random.default_rng(5)


def searched(count: int = 40) -> list[dict[str, object]]:
    """Return the runs of a random search over two texts, a few numbers, and two continuous options."""
    runs = []
    for _ in range(count):
        run: dict[str, object] = {"mode": RNG.choice(["a", "b"]), "threads": int(RNG.choice([1, 2, 4]))}
        run |= {"ratio": round(float(RNG.uniform(0, 1)), 6), "depth": int(RNG.integers(1, 1000))}
        run["seconds"] = round(float(RNG.uniform(1, 2)), 4)
        runs.append(run | {"worker": int(RNG.integers(1, 5))})
    return runs


def written(runs: Sequence[Mapping[str, object]], names: Sequence[str] = ()) -> str:
    """Return runs as a table."""
    names = names or [*runs[0]]
    return rows(",".join(names), [[run[name] for name in names] for run in runs])


class TestLeftOfTheProperty:
    @pytest.mark.parametrize("nfp", [None, "seconds"])
    def test_continuous_options(self, nfp: str | None) -> None:
        """What is left of a stated property is an option, whatever its values; what is right of it has to be proven."""
        found = inferred(written(searched()), nfp=nfp)
        assert set(found.columns) == {"mode", "threads", "ratio", "depth"}
        assert "worker" in found.properties

    def test_property_without_a_telling_name(self) -> None:
        """The name of the property that the user states is enough."""
        text = written(searched()).replace("seconds", "gain")
        assert set(inferred(text, nfp="gain").columns) == {"mode", "threads", "ratio", "depth"}

    def test_first_column(self) -> None:
        """All columns to the right of a property that is the first one are options if nothing else is."""
        text = written(searched(), ("seconds", "ratio"))
        assert inferred(text, nfp="seconds").columns == ("ratio",)

    def test_continuous_options_that_are_deselected(self) -> None:
        """An option whose cells are empty where another option says so is deselected there, also one of fractions."""
        cells = [[algo, dropout if algo else "", f"{RNG.uniform(8, 9):.5f}"] for algo, dropout in DROPOUT * 2]
        found = inferred(rows("algo,dropout,seconds", cells), nfp="seconds")
        assert (set(found.columns), found.warnings) == ({"algo", "dropout"}, ())
        assert inferred(rows("algo,dropout,seconds", cells)).columns == found.columns


DROPOUT = [*itertools.product((0, 1), (0.1, 0.25, 0.5))]
SOLVER = [*itertools.product((1, 2, 3, 4), (0, 1), range(3))]


def solved(name: str, count: Sequence[object], header: str = "tol,precond") -> Inference:
    """Return the roles of a table of a solver with a count to the left of its options."""
    cells = [
        [value, tol, pre, f"{tol + pre + RNG.uniform():.5f}"]
        for value, (tol, pre, _) in zip(count, SOLVER, strict=True)
    ]
    return inferred(rows(f"{name},{header},time_s", cells))


class TestCounted:
    @pytest.mark.parametrize("name", ["steps_done", "iterations"])
    def test_nearly_a_function_of_options(self, name: str) -> None:
        """A count that depends on options, with noise, is left out, with what it depends on."""
        found = solved(name, [10 * tol - 3 * pre + int(RNG.integers(0, 4)) for tol, pre, _ in SOLVER])
        assert set(found.columns) == {"tol", "precond"}
        assert "tol" in found.ignored[name]

    def test_count_by_name(self) -> None:
        """The name of counted events is enough, but for a column that is crossed with the options."""
        assert "retries" in solved("retries", RNG.integers(0, 4, len(SOLVER)).tolist()).ignored
        assert "retries" in solved("retries", [turn for _, _, turn in SOLVER]).columns

    @pytest.mark.parametrize("nfp", [None, "seconds"])
    @pytest.mark.parametrize("header", ["cache,threads,seconds,swapped,fast", "swapped,threads,cache,seconds,fast"])
    def test_observed_flags(self, header: str, nfp: str | None) -> None:
        """Zeros and ones that differ among repetitions are none of the options, on both sides of the property."""
        cells = [
            {"cache": cache, "threads": threads, "fast": fast, "seconds": f"{RNG.uniform(1, 2):.4f}"}
            | {"swapped": int(RNG.uniform() < 0.3)}
            for cache, threads, fast, _ in itertools.product((0, 1), (1, 2, 4), (0, 1), range(4))
        ]
        found = inferred(written(cells, header.split(",")), nfp=nfp)
        assert set(found.columns) == {"cache", "threads", "fast"}
        assert "swapped" in found.differing


class TestFunctionsOfGrids:
    @pytest.mark.parametrize("scale", [1, 1000])
    @pytest.mark.parametrize("others", [{"threads": (1, 2, 4)}, {"run": (1, 2, 3)}])
    def test_results_of_options(self, scale: int, others: Mapping[str, Sequence[int]]) -> None:
        """A size that options decide, of a wide range or with fractions, is left out if these are a complete grid."""
        ((repeated, values),) = others.items()
        sizes = dict(
            zip(itertools.product(("O1", "O2", "O3"), (0, 1), (2, 4)), RNG.permutation(12).tolist(), strict=True)
        )
        runs = [
            {"opt": opt, "lto": lto, "unroll": unroll, repeated: value}
            | {"binary_size": (18_000 + 617 * size) / scale, "symbols": (31_000 - 411 * size) / scale}
            | {"gain": f"{RNG.uniform(1, 2):.4f}"}
            for ((opt, lto, unroll), size), value in itertools.product(sizes.items(), values)
        ]
        found = inferred(written(runs), nfp="gain")
        assert set(found.columns) == {"opt", "lto", "unroll", "threads"} & {*runs[0]}
        assert set(found.ignored) >= {"binary_size", "symbols"}
        assert found.ignored["binary_size"] == "it is a function of opt, lto, unroll"
        # A design has few values of an option, each as often.
        for run in runs:
            run["binary_size"] = 1000 * (sizes[run["opt"], run["lto"], run["unroll"]] % 4)
        assert "binary_size" in inferred(written(runs), nfp="gain").columns

    @pytest.mark.parametrize(
        "names", [("a", "b", "moves", "gain"), ("moves", "gain", "b", "a"), ("moves", "a", "gain", "b")]
    )
    def test_results_with_few_values(self, names: Sequence[str]) -> None:
        """A count of few values that options decide is left out, wherever it stands, since some occur more often."""
        runs = [
            {"a": a, "b": b, "moves": min(a * b, 6), "gain": f"{RNG.uniform(1, 2):.4f}"}
            for a, b, _ in itertools.product((1, 2, 3, 4), (1, 2, 3, 5), range(2))
        ]
        assert set(inferred(written(runs, names), nfp="gain").columns) == {"a", "b"}


class TestTexts:
    @pytest.mark.parametrize("text", ["run {}: ok", "/tmp/{}/out.log", "[{}.5; 1.25]"])
    def test_texts_of_rows(self, text: str) -> None:
        """A text that differs in nearly every row is left out, and so is one that says the same as the options."""
        runs = [(block, tile, at) for at, (block, tile) in enumerate(itertools.product((16, 32, 64), (1, 2)))] * 2
        cells = [[block, tile, 1.5 + at / 7, text.format(row)] for row, (block, tile, at) in enumerate(runs)]
        assert set(inferred(rows("block,tile,time,log", cells)).ignored) == {"log"}
        cells = [[block, tile, 1.5 + at / 7, f"{block}/{tile}"] for block, tile, at in runs]
        assert set(inferred(rows("block,tile,time,label", cells)).ignored) == {"label"}


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


def test_words_that_are_values_or_settings() -> None:
    """`none` is a value of an option, `build_type` is set; numbers of jobs and many days explain nothing."""
    points = itertools.product(("none", "1.2", "1.3"), ("Debug", "Release"), (1, 2, 4), range(2))
    runs = [
        {"job_id": 900 + 3 * at, "date": f"2026-10-{1 + at % 28:02}", "tls": tls, "build_type": build, "n": n}
        | {"duration_s": f"{10 + n + at / 7:.3f}"}
        for at, (tls, build, n, _) in enumerate(points)
    ]
    found = inferred(written(runs, [*runs[0]]))
    assert set(found.columns) >= {"tls", "build_type", "n"}
    assert found.contexts == ()
    assert found.properties == ("duration_s",)
    assert set(found.ignored) == {"job_id", "date"}
