"""Inference of systems from tables of measurements."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.formats.columns import ColumnChoice
from splc.formats.inference import inference_of
from splc.io.files import read_source
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.inferred_tables import grid, inferred, kinds, rows, table
from tests.support.paths import BOOMERAMG, SMG2000
from tests.support.real_data import real

Draw = Callable[[st.SearchStrategy[Any]], Any]


class TestOptions:
    def test_kinds(self) -> None:
        """Zeros and ones are binary options, other numbers have the values that occur."""
        found = inferred(rows("fast,px,tol,time", grid((0, 1), (1, 2, 4), (0.1, 0.01))))
        assert kinds(found.system) == {"fast": None, "px": (1, 2, 4), "tol": (0.01, 0.1)}
        assert found.properties == ("time",)
        assert found.system.name == "table"
        assert found.assumptions == (
            "1 binary option: fast",
            "2 numeric options: px (1, 2, 4), tol (0.01, 0.1)",
            "property: time",
        )

    @pytest.mark.parametrize(
        ("count", "shown"), [(5, "2, 4, 6, 8, 10"), (6, "2, 4, 6, 8, 10, 12"), (7, "2, 4, 6, … 14")]
    )
    def test_long_domains(self, count: int, shown: str) -> None:
        """Up to six values are listed; of more, the first three and the last."""
        found = inferred(rows("px,time", grid(range(2, 2 * count + 1, 2))))
        assert f"1 numeric option: px ({shown})" in found.assumptions

    def test_assumptions(self) -> None:
        """Each kind of column has a line, in the singular or plural."""
        told = "(columns of text are options if --options names them)"
        one = inferred(rows("fast,px,machine,time", grid((0, 1), (2, 4), ("a", "b"))))
        assert one.assumptions == (
            "1 binary option: fast",
            "1 numeric option: px (2, 4)",
            "property: time",
            f"context: machine {told}",
        )
        cells = [
            [*row, f"{number / 7:.5f}"]
            for number, row in enumerate(grid((0, 1), (1, 0), (2, 4), ("a", "b"), ("c", "d")))
        ]
        two = inferred(rows("fast,safe,px,machine,host,time,work", cells))
        assert two.assumptions == (
            "2 binary options: fast, safe",
            "1 numeric option: px (2, 4)",
            "properties: time, work",
            f"contexts: machine, host {told}",
        )

    def test_source(self) -> None:
        """An inferred system knows the table that it is from."""
        assert inferred(rows("fast,px,time", grid((0, 1), (1, 2)))).system.source == "table.csv"

    def test_true_and_false(self) -> None:
        """The words true and false are ones and zeros."""
        assert kinds(inferred(rows("fast,px,time", grid(("True", "false"), (1, 2)))).system) == {
            "fast": None,
            "px": (1, 2),
        }

    def test_words(self) -> None:
        """Yes and no, on and off are ones and zeros, too."""
        found = inferred(rows("cache,tls,px,time", grid(("yes", "no"), ("on", "off"), (1, 2))))
        assert kinds(found.system) == {"cache": None, "tls": None, "px": (1, 2)}

    def test_row_numbers(self) -> None:
        """A first column without a name that numbers the rows, as data frames are written, is left out."""
        found = inferred(rows(",px,time", [[at, *row] for at, row in enumerate(grid((1, 2, 4)))]))
        assert found.system.names == ("px",)

    def test_decimal_commas(self) -> None:
        """Numbers with decimal commas are a property, not a context."""
        found = inferred("px;fast;time\n1;0;3,5\n2;0;4,5\n1;1;2,5\n2;1;1,5\n")
        assert (found.system.names, found.properties) == (("fast", "px"), ("time",))

    def test_further_properties(self) -> None:
        """Numbers to the right of the first property are properties, whatever property is named."""
        cells = [
            [px, nx, f"{px * nx + 0.123 * at:.3f}", px * nx % 7, at]
            for at, (px, nx) in enumerate(itertools.product(range(1, 5), range(1, 7)))
        ]
        text = rows("px,nx,seconds,iterations,bytes", cells)
        for nfp in (None, "iterations", "bytes"):
            assert inferred(text, nfp=nfp).system.names == ("px", "nx")

    def test_many_values(self) -> None:
        """Fractions with more values than options have are a property, although many rows have each."""
        cells = [[at % 4, f"{at * 7 % 61 / 2:.1f}", at % 3] for at in range(200)]
        found = inferred(rows("px,load,iterations", cells))
        assert (found.system.names, found.properties) == (("px",), ("load", "iterations"))

    def test_named_property(self) -> None:
        """A property of few whole numbers is one if it is named, also to the left of the options."""
        assert inferred("time,px\n3,1\n4,2\n3,3\n", nfp="time").system.names == ("px",)
        assert inferred("time,px,fast\n3,2,0\n4,2,0\n3,3,1\n5,3,1\n", nfp="time").system.names == ("fast", "px")
        assert inferred("px,time,size\n1,3,2\n2,4,2\n3,3,2\n", nfp="time").properties == ("time", "size")

    def test_last_column(self) -> None:
        """Without a column that looks measured, the last one is the property."""
        found = inferred("fast,px,time\n0,1,3\n1,1,4\n0,2,3\n1,2,5\n")
        assert (found.system.names, found.properties) == (("fast", "px"), ("time",))

    def test_many_counted_values(self) -> None:
        """Whole numbers that differ almost everywhere, and that configurations do not need, are a property."""
        cells = [[a, b, 1000 + 7 * at, 3] for at, (a, b) in enumerate(itertools.product(range(2, 12), range(2, 12)))]
        assert inferred(rows("px,nx,bytes,time", cells), nfp="time").system.names == ("px", "nx")

    def test_functions_of_others(self) -> None:
        """A function of other options is ignored, and the user learns of what."""
        cells = [[px, py, nx, px * py, time] for px, py, nx, time in grid((1, 2, 3), (1, 2, 3), (5, 6, 7))]
        found = inferred(rows("px,py,nx,ranks,time", cells))
        assert found.system.names == ("px", "py", "nx")
        assert found.ignored == {"ranks": "it is a function of px, py"}
        assert found.properties == ("time",)
        assert "ignored: ranks (it is a function of px, py)" in found.assumptions

    @pytest.mark.parametrize("crossed", ["mode", "size"])
    def test_crossed_samples(self, crossed: str) -> None:
        """A sample that is measured with each value of another column is no evidence of functions."""
        rng = np.random.default_rng(1)
        levels = (5, 3, 5, 2, 2, 3)
        sample = [[rng.integers(1, size + 1) ** 2 for size in levels] for _ in range(16)]
        cells = [
            [value, *row, f"{rng.uniform():.9f}"]
            for value in {"mode": "xyz", "size": (1, 4, 6)}[crossed]
            for row in sample
        ]
        choice = ColumnChoice(options=("mode",) if crossed == "mode" else ())
        found = inferred(rows(f"{crossed},a,b,c,d,e,f,time", cells), choice=choice)
        assert not found.ignored
        assert set("abcdef") < set(found.system.names)

    def test_functions_that_are_no_products(self) -> None:
        """A function of any kind is ignored if each combination occurs in several configurations, else it is kept."""
        few = [[px, py, nx, min(px * py, 4), time] for px, py, nx, time in grid((1, 2, 3), (1, 2, 3), (5, 6))]
        assert inferred(rows("px,py,nx,cores,time", few)).system.names == ("px", "py", "nx", "cores")
        rng = np.random.default_rng(2)
        points = {tuple(point) for point in rng.integers(1, 4, (40, 5)).tolist()}
        many = [[*point, min(point[0] * point[1], 4), f"{rng.uniform():.9f}"] for point in sorted(points)]
        assert inferred(rows("px,py,a,b,c,cores,time", many)).ignored == {"cores": "it is a function of px, py"}

    def test_functions_of_texts(self) -> None:
        """A number that differs with a text is no sum or product, and is kept without enough evidence."""
        cells = [[mode, px, nx, ord(mode) * px, time] for mode, px, nx, time in grid("abc", (1, 2, 3), (5, 6))]
        found = inferred(rows("mode,px,nx,k,time", cells), options=("mode",))
        assert not found.ignored
        assert {"mode_a", "px", "nx", "k"} < set(found.system.names)

    def test_small_values(self) -> None:
        """Small numbers are functions of others only if they deviate little in relation to their size."""
        tolerances = [1e-10, 3e-10, 2e-10, 7e-10, 5e-10]
        cells = [[px, py, tolerances[px - 1], time] for px, py, time in grid((1, 2, 3, 4, 5), (1, 2))]
        assert "tol" in inferred(rows("px,py,tol,time", cells)).system.names

    def test_sparse_samples(self) -> None:
        """In a sample in which every row differs anyway, nothing is a function of other options."""
        rng = np.random.default_rng(3)
        cells = [[*rng.integers(2, 9, 4), f"{rng.uniform():.9f}"] for _ in range(30)]
        assert inferred(rows("a,b,c,d,time", cells)).system.names == ("a", "b", "c", "d")

    def test_zeros_and_ones_right_of_the_property(self) -> None:
        """They are options if the rows of a configuration differ in them, results if they agree."""
        apart = [[px, f"{at + px / 7:.6f}", fast] for at in range(2) for px in (2, 3, 4) for fast in (0, 1)]
        assert inferred(rows("px,time,fast", apart)).system.names == ("fast", "px")
        once = [[px, f"{px / 7:.6f}", int(px > 4)] for px in range(2, 10)]
        assert inferred(rows("px,time,fast", once)).system.names == ("fast", "px")
        same = [[px, f"{at + px / 7:.6f}", int(px > 2)] for at in range(4) for px in (2, 3, 4)]
        assert inferred(rows("px,time,converged", same)).system.names == ("px",)

    @pytest.mark.parametrize(
        ("row", "repetition"),
        [
            ("id", "rep"),
            ("run no", "Run ID"),
            ("Config-ID", "run_id"),
            ("experiment #", "run id"),
            ("Unnamed: 0", "Seed"),
        ],
    )
    def test_counters(self, row: str, repetition: str) -> None:
        """Columns that count rows or repetitions are ignored, however their names are spelled."""
        cells = [[at, *cells] for at, cells in enumerate(grid((2, 3), (0, 1)))]
        found = inferred(rows(f"{row},px,{repetition},time", cells))
        assert found.system.names == ("px",)
        assert set(found.ignored) == {row, repetition}

    @pytest.mark.parametrize("name", ["no index", "row_id", "test_run", "number of rows", "codec id"])
    def test_options_with_words_of_counters(self, name: str) -> None:
        """Zeros and ones count no rows, and a name with other words is none of a counter."""
        assert inferred(rows(f"{name},px,time", grid((0, 1), (2, 3, 4)))).system.names == (name, "px")

    def test_never_varying(self) -> None:
        """Options that never vary keep their only value."""
        found = inferred(rows("on,off,px,n,time", grid((1,), (0,), (2, 3), (7,))))
        system = found.system
        assert system.mandatory == {"on"}
        assert [constraint.text for constraint in system.constraints] == ["!off"]
        assert kinds(system) == {"on": None, "off": None, "px": (2, 3), "n": (7,)}
        assert "the same in all rows: on, n = 7" in found.assumptions
        assert "selected in no row, taken as never selectable: off" in found.assumptions

    def test_gaps(self) -> None:
        """A column of numbers with gaps is a property."""
        assert inferred("px,mem,time\n1,,3\n2,5,4\n3,5,3.5\n").properties == ("mem", "time")

    def test_differing(self) -> None:
        """Whole numbers right of the property that are crossed with the options are options."""
        cells = [[px, f"{px + n / 7:.6f}", n] for px in (2, 3, 4) for n in (5, 6, 7)]
        assert inferred(rows("px,time,size", cells)).system.names == ("px", "size")

    def test_empty_columns(self) -> None:
        """Columns without any value are ignored."""
        found = inferred("px,comment,time,mem\n1,,3.5,n/a\n2,,4.5,\n3, ,5.5,n/a\n")
        assert (found.properties, found.contexts) == (("time",), ())
        assert found.ignored == {"comment": "it has no values", "mem": "it has no values"}

    @pytest.mark.parametrize(
        ("texts", "doubtful"),
        [
            (("1.9", "1.10"), "1.10 as 1.1"),
            (("1.1", "1.10"), "1.10 as 1.1"),
            (("0.25", "0.5", "1.0"), None),
            (("0.10", "0.25"), None),
            (("1.10", "2"), None),
        ],
    )
    def test_versions(self, texts: tuple[str, ...], doubtful: str | None) -> None:
        """Numbers such as 1.10 beside 1.9 may be versions; numbers of a program are not."""
        text = rows("program,px,time", grid(texts, (1, 2)))
        found = inferred(text).warnings
        expected = f"program is read as numbers, {doubtful}; if it is a version, use --context program"
        assert found == ((expected,) if doubtful else ())
        assert inferred(text, options=("program",)).warnings == ()

    def test_names_of_contexts(self) -> None:
        """A numeric option with the name of a context is pointed out, unless the user named it or it never varies."""
        text = rows("px,Year,version,time", grid((1, 2), (2019, 2020), (7,)))
        assert inferred(text).warnings == (
            "Year is taken as a numeric option; if it is a context, use --context Year, else --options Year",
        )
        for choice in (ColumnChoice(contexts=("Year",)), ColumnChoice(options=("Year",))):
            assert inferred(text, choice=choice).warnings == ()

    def test_contexts(self) -> None:
        """Columns of text, and the columns that the user named, are contexts."""
        cells = [["v1", *row] for row in grid((2, 3), (2020, 2021))]
        choice = ColumnChoice(contexts=("year",))
        found = inferred(rows("version,px,year,time", cells), choice=choice)
        assert (found.system.names, found.contexts) == (("px",), ("version", "year"))
        assert inferred(rows("version,px,year,time", cells), choice=ColumnChoice(ignore=("year",))).system.names == (
            "px",
        )


class TestFiles:
    def test_separators(self) -> None:
        """The separator is the one with the most columns, and the root is no option."""
        assert inferred("root;px;time\n1;2;3.5\n1;3;4.5\n").system.names == ("px",)
        assert inferred("px\ttime\n2\t3.5\n3\t4.5\n").system.names == ("px",)

    def test_xml(self) -> None:
        """XML separates options from properties; a numeric option without a value is deselected."""
        text = (
            "<results><row><data columname='Configuration'>root,a,</data><data columname='Variable Features'>x;4</data>"
            "<data columname='time'>1</data></row><row><data columname='Configuration'>root,b,</data>"
            "<data columname='Variable Features'/><data columname='time'>2</data></row></results>"
        )
        found = inferred(text)
        assert kinds(found.system) == {"a": None, "b": None, "x": (4,)}
        option = found.system.option("x")
        assert isinstance(option, NumericOption)
        assert option.deselected_flag == 0
        assert found.properties == ("time",)


@pytest.mark.parametrize("dimensions", ["1d", "2d", pytest.param("3d", marks=pytest.mark.slow)])
def test_smg2000(dimensions: str) -> None:
    """The options of SMG2000's tables are those of its descriptions."""
    from splc import read_variability_model

    folder = SMG2000 / dimensions
    found = inference_of(read_source(folder / "measurements.csv"), nfp="solve_compute_seconds").system
    assert kinds(found) == kinds(read_variability_model(folder / "system.xml"))


def test_boomeramg() -> None:
    """The options of BoomerAMG's table are those of its description."""
    from splc import read_variability_model

    found = inference_of(read_source(BOOMERAMG / "measurements.csv"), nfp="solve_compute_seconds").system
    assert kinds(found) == kinds(read_variability_model(BOOMERAMG / "system.xml"))


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("file", "names"),
    [("smg1d", "px,nx"), ("smg2d", "px,py,nx"), ("smg3d", "px,py,pz,nx"), ("amg7", "px,py,pz,nx,ny,nz")],
)
def test_raw_tables(file: str, names: str) -> None:
    """Raw tables of a benchmark have its varying options; ranks and equal sizes are functions of them."""
    system = inference_of(read_source(real("hypre", f"{file}.csv")), nfp="solve_s").system
    varying = [option.name for option in system.numeric_options if option.size > 1]
    assert varying == names.split(",")
    assert set(system.mandatory) == {option.name for option in system.binary_options}


NAMES = st.lists(
    st.text("abcdefghijk", min_size=3, max_size=5), min_size=6, max_size=6, unique_by=lambda name: name[:2]
)


@st.composite
def systems(draw: Draw) -> tuple[VariabilityModel, str]:
    """A small system without further constraints, and a table of all its configurations, columns in any order."""
    names = draw(NAMES)
    columns: dict[str, list[str]] = {}
    options: list[BinaryOption | NumericOption] = []
    parts: list[list[dict[str, str]]] = []
    for name in names[: draw(st.integers(0, 3))]:
        options.append(BinaryOption(name))
        parts.append([{name: "0"}, {name: "1"}])
    for name in names[3 : 3 + draw(st.integers(0, 2))]:
        members = [f"{name}_{number}" for number in range(draw(st.integers(2, 3)))]
        below = draw(st.booleans())
        if below:
            options.append(BinaryOption(name, optional=False))
        options += [
            BinaryOption(one, name if below else None, False, excluded=tuple((o,) for o in members if o != one))
            for one in members
        ]
        base = {name: "1"} if below else {}
        parts.append([base | {one: str(int(one == chosen)) for one in members} for chosen in members])
    values = draw(st.lists(st.integers(2, 40), min_size=2, max_size=4, unique=True))
    options.append(NumericOption(names[5], tuple(map(float, sorted(values)))))
    parts.append([{names[5]: str(value)} for value in values])
    seed = draw(st.integers(0, 99))
    rng = np.random.default_rng(seed)
    chosen = [{key: cell for part in row for key, cell in part.items()} for row in itertools.product(*parts)]
    rng.shuffle(chosen)
    header = list(chosen[0])
    rng.shuffle(header)
    for name in header:
        columns[name] = [row[name] for row in chosen]
    lines = [[row[name] for name in header] + [f"{rng.uniform(1, 9):.12f}"] for row in chosen]
    ordered = sorted(options, key=lambda option: isinstance(option, NumericOption))
    return VariabilityModel("table", tuple(ordered)), rows(",".join([*header, "measured"]), lines)


@given(systems())
def test_random_systems(given_system: tuple[VariabilityModel, str]) -> None:
    """The system inferred from the table of all its configurations has the same options and groups."""
    system, text = given_system
    found = inference_of(table(text), nfp="measured").system
    assert kinds(found) == kinds(system)
    assert {frozenset(group) for group in found.alternative_groups} == set(map(frozenset, system.alternative_groups))
    parents = {option.name: option.parent for option in system.binary_options}
    assert {option.name: option.parent for option in found.binary_options} == parents
    assert found.mandatory == system.mandatory
