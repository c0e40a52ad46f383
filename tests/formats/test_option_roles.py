"""Roles of columns by what the rows show: what was set is an option, what was counted or measured is none."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from splc.data.property_unit import is_count_name, is_measurement_name
from splc.formats.column_choice import ColumnChoice
from splc.formats.inference import Inference, inference_of
from splc.formats.measurements.tables import read_table
from splc.io.files import Source
from tests.support.inferred_tables import inferred, rows
from tests.support.real_data import real

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

    @pytest.mark.parametrize(
        ("name", "nfp", "expected"),
        [
            ("PRED40+", "ACC+", True),
            ("layers", "ACC+", False),
            ("train_gain", "test_gain", True),
            ("cache_size", "binary_size", False),
            ("wait_ms", "time_ms", False),
            ("user_ms", "cost", True),
            ("block_1", "gain_1", False),
        ],
    )
    def test_names_built_like_the_property(self, name: str, nfp: str, *, expected: bool) -> None:
        """A score beside a score is measured, and so is what has a unit of time."""
        assert is_measurement_name(name, nfp) is expected

    @pytest.mark.parametrize(("name", "expected"), [("page_faults", True), ("max_retries", False), ("threads", False)])
    def test_names_of_counts(self, name: str, *, expected: bool) -> None:
        """Names of events are those of counts, unless another word makes them a setting."""
        assert is_count_name(name) is expected


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
