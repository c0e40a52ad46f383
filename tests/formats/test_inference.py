"""Inference of systems from tables: files, data frames and dicts of columns."""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc import Measurements, infer_system, read_measurements, read_variability_model
from splc.errors import InputError
from splc.formats.column_choice import ColumnChoice
from splc.formats.inference import MAX_CHILDREN, inference_of
from splc.formats.measurements.csv import write_measurements_csv
from splc.io.files import read_source
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_messages, check_prompts
from tests.support.inferred_tables import grid, inferred, inferred_lines, kinds, rows, table
from tests.support.paths import BOOMERAMG, ROOT, SMG2000
from tests.support.real_data import real

Draw = Callable[[st.SearchStrategy[Any]], Any]


def test_cases() -> None:
    """What is inferred from each table is what the sentence before it says."""
    check_prompts("../inference/options", inferred_lines)


def test_source() -> None:
    """An inferred system knows the table that it is from."""
    assert inferred(rows("fast,px,time", grid((0, 1), (1, 2)))).system.source == "table.csv"


def test_many_columns() -> None:
    """Columns with more combinations than a floating-point number can be are options."""
    cells = np.random.default_rng(0).integers(0, 2, (8, 1_100))
    names = [f"o{number}" for number in range(cells.shape[1])]
    table = rows(",".join([*names, "time"]), [[*row, value] for value, row in enumerate(cells.tolist())])
    varying = [name for name, column in zip(names, cells.T, strict=True) if len(set(column.tolist())) > 1]
    assert set(varying) <= set(inferred(table, nfp="time").system.names)


@pytest.mark.parametrize("crossed", ["mode", "size"])
def test_crossed_samples(crossed: str) -> None:
    """A sample that is measured with each value of another column is no evidence of functions."""
    rng = np.random.default_rng(1)
    levels = (5, 3, 5, 2, 2, 3)
    sample = [[rng.integers(1, size + 1) ** 2 for size in levels] for _ in range(16)]
    cells = [
        [value, *row, f"{rng.uniform():.9f}"] for value in {"mode": "xyz", "size": (1, 4, 6)}[crossed] for row in sample
    ]
    choice = ColumnChoice(options=("mode",) if crossed == "mode" else ())
    found = inferred(rows(f"{crossed},a,b,c,d,e,f,time", cells), choice=choice)
    assert not found.ignored
    assert set("abcdef") < set(found.system.names)


def test_functions_that_are_no_products() -> None:
    """A function of any kind is ignored if each combination occurs in several configurations of a sample, too."""
    rng = np.random.default_rng(2)
    points = {tuple(point) for point in rng.integers(1, 4, (40, 5)).tolist()}
    many = [[*point, min(point[0] * point[1], 4), f"{rng.uniform():.9f}"] for point in sorted(points)]
    assert inferred(rows("px,py,a,b,c,cores,time", many)).ignored == {"cores": "it is a function of px, py"}


def test_sparse_samples() -> None:
    """In a sample in which every row differs anyway, nothing is a function of other options."""
    rng = np.random.default_rng(3)
    cells = [[*rng.integers(2, 9, 4), f"{rng.uniform():.9f}"] for _ in range(30)]
    assert inferred(rows("a,b,c,d,time", cells)).system.names == ("a", "b", "c", "d")


def test_options_of_text() -> None:
    """A column of text becomes a mandatory option with a child for each text, which prints it."""
    text = rows("preset,px,time", grid(("very fast", "slow", "-O2"), (2, 3)))
    system = inferred(text, options=("preset", "px")).system
    assert system.alternative_groups == (("preset_O2", "preset_slow", "preset_very_fast"),)
    printed = [option.presentation.output_string for option in system.binary_options]
    assert printed == [None, "-O2", "slow", "very fast"]
    assert {option.parent for option in system.binary_options} == {None, "preset"}
    assert "preset" in system.mandatory


def random_table(rng: np.random.Generator) -> tuple[str, list[str]]:
    """Return a table with columns of all kinds in random order, and the names of its columns that are no times."""
    count = int(rng.integers(3, 40))
    kinds: dict[str, Callable[[], list[object]]] = {
        "switch": lambda: list(rng.integers(0, 2, count)),
        "small": lambda: list(rng.integers(1, 5, count)),
        "large": lambda: list(rng.integers(1, 200, count)),
        "share": lambda: [value / 4 for value in rng.integers(1, 5, count).tolist()],
        "word": lambda: list(rng.choice(["x", "y", "z"], count)),
        "gap": lambda: ["" if value == 4 else value for value in rng.integers(1, 5, count).tolist()],
        "time": lambda: [f"{value:.6f}" for value in rng.uniform(1, 2, count)],
    }
    columns = {f"{kind}{at}": kinds[kind]() for at, kind in enumerate(rng.choice([*kinds], int(rng.integers(3, 8))))}
    if "small0" in columns:
        columns["twice"] = [2 * int(str(value)) for value in columns["small0"]]
    names = [name for name in columns if not name.startswith("time")]
    return rows(",".join(columns), list(zip(*columns.values(), strict=True))), names


@pytest.mark.parametrize("seed", range(20))
def test_names_of_options_add_options(seed: int) -> None:
    """Options remain options if others are named, but for their twins."""
    rng = np.random.default_rng(seed)
    text, names = random_table(rng)
    try:
        before = inferred(text).columns
    except InputError:
        before = ()
    named = tuple(rng.permutation(names)[: int(rng.integers(1, 4))].tolist())
    found = None
    with suppress(InputError):
        found = inferred(text, options=named)
    if found is None:
        # No column is left that could be measured.
        assert "time" not in text
        return
    twins = {name for name, reason in found.ignored.items() if reason.startswith("it says the same")}
    lost = set(before) - set(found.columns) - twins
    assert set(named) <= set(found.columns)
    assert not lost


@pytest.mark.parametrize("seed", range(40))
def test_answer(seed: int) -> None:
    """The answer to the question about roles states the other ones, and leaves no doubt about these columns."""
    rng = np.random.default_rng(seed)
    header, *lines = random_table(rng)[0].splitlines()
    text = rows(f"a,{header},seconds", [[at % 3, line, f"{rng.uniform(1, 2):.6f}"] for at, line in enumerate(lines)])
    before = inferred(text, nfp="seconds")
    flags = iter(shlex.split(before.answer))
    stated = {flag: tuple(names.split(",")) for flag, names in zip(flags, flags, strict=True)}
    choice = ColumnChoice(stated.get("--context", ()), stated.get("--ignore", ()), options=stated.get("--options", ()))
    after = inferred(text, nfp="seconds", choice=choice)
    roles = {"--options": after.columns, "--context": after.contexts, "--ignore": after.ignored}
    assert {*itertools.chain(*stated.values())} == {*before.doubts}
    assert all({*names} <= {*roles[flag]} for flag, names in stated.items())
    assert after.doubts.keys().isdisjoint(before.doubts)


@pytest.mark.parametrize("seed", range(10))
def test_rows_are_valid(seed: int) -> None:
    """All rows satisfy the constraints that are inferred from them, also those with an empty text."""
    rng = np.random.default_rng(seed)
    cells = []
    for kind, fast, n in rng.choice([0, 1, 2, 3], (120, 3)).tolist():
        part = "pqr"[n % 3] if kind else ""
        cells.append(["abcd"[kind], fast, (n * 7) % 4, part, f"{rng.uniform(1, 2):.6f}"])
    source = table(rows("kind,fast,n,part,time", cells))
    choice = ColumnChoice(options=("kind", "part"))
    system = inference_of(source, nfp="time", choice=choice).system
    assert system.constraints
    assert read_measurements(source, system).report.used == len(cells)


def test_many_texts() -> None:
    """A column of very many texts is no option."""
    text = rows("name,px,time", [[f"n{at}", at % 4, at + 0.5] for at in range(MAX_CHILDREN + 1)])
    with pytest.raises(InputError, match="the column 'name' has 1,001 different texts"):
        inferred(text, options=("name",))


CASES = (*(SMG2000 / dimensions for dimensions in ("1d", "2d", "3d")), BOOMERAMG)


@pytest.mark.parametrize(
    "folder", [pytest.param(case, id=case.name, marks=pytest.mark.slow if case.name == "3d" else ()) for case in CASES]
)
def test_case_studies(folder: Path) -> None:
    """The options of the tables of case studies are those of their descriptions."""
    found = inference_of(read_source(folder / "measurements.csv"), nfp="solve_compute_seconds").system
    assert kinds(found) == kinds(read_variability_model(folder / "system.xml"))


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("file", "names", "choice"),
    [
        *((f"smg{n}d", names, None) for n, names in enumerate(("px,nx", "px,py,nx", "px,py,pz,nx"), 1)),
        ("amg7", "px,py,pz,nx,ny,nz", None),
        # The named columns are options; columns that do not vary, and no others, are options as well.
        ("smg2d", "px,py,nx", ColumnChoice(options=("px", "py", "nx"), ignore=("rep",))),
    ],
)
def test_raw_tables(file: str, names: str, choice: ColumnChoice | None) -> None:
    """Raw tables of a benchmark have its varying options; ranks and equal sizes are functions of them."""
    found = inference_of(read_source(real("hypre", f"{file}.csv")), nfp="solve_s", choice=choice)
    system = found.system
    assert [option.name for option in system.numeric_options if option.size > 1] == names.split(",")
    assert set(system.mandatory) == {option.name for option in system.binary_options}
    assert choice is None or found.contexts == ("bench",)


PUBLISHED = ["x264", "LLVM", "Dune", "splc_examples"]


def published(system: str, folder: Path) -> tuple[VariabilityModel, Path, Path]:
    """Return a published system, its measurements in XML, and as a plain table."""
    name = "VariabilityModel.xml" if system == "splc_examples" else "FeatureModel.xml"
    described, measurements = read_variability_model(real(system, name)), real(system, "measurements.xml")
    write_measurements_csv(read_measurements(measurements, described), folder / "table.csv")
    return described, measurements, folder / "table.csv"


@pytest.mark.real_data
@pytest.mark.parametrize("system", PUBLISHED)
def test_published_systems(system: str, tmp_path: Path) -> None:
    """Tables and XML of measured systems give the options and groups of their descriptions, and values that occur.

    Constraints and parents are not inferred.
    """
    described, *files = published(system, tmp_path)
    configurations = read_measurements(files[0], described).configurations
    for file in files:
        found = inference_of(read_source(file), nfp="Performance").system
        assert set(found.names) == set(described.names)
        for option in found.options:
            assert type(option) is type(described.option(option.name)), option.name
            if isinstance(option, NumericOption):
                assert set(option.values) == set(configurations.value(option.name).tolist())
        groups, known = ({frozenset(group) for group in each.alternative_groups} for each in (found, described))
        assert groups == known
        assert found.mandatory == described.mandatory
        assert len(read_measurements(file, found, duplicates="mean")) > 0


@pytest.mark.real_data
@pytest.mark.parametrize("count", [40, 100, 400])
@pytest.mark.parametrize("system", PUBLISHED[:3])
def test_published_samples(system: str, count: int, tmp_path: Path) -> None:
    """Also some of the rows give the options of the description, and no group that it does not have."""
    described, _, table = published(system, tmp_path)
    header, *lines = table.read_text(encoding="utf-8").splitlines()
    chosen = np.random.default_rng(count).permutation(len(lines))[:count]
    table.write_text("\n".join([header, *(lines[at] for at in chosen)]), encoding="utf-8")
    found = inference_of(read_source(table), nfp="Performance").system
    assert set(found.names) == set(described.names)
    for group in found.alternative_groups:
        assert any(set(group) <= set(other) for other in described.alternative_groups), group
    assert len(found.alternative_groups) == len(described.alternative_groups)


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize("nfp", [None, "Compile-performance-"])
def test_large_table(nfp: str | None) -> None:
    """The options of a table of 86,058 rows have the names of its description, whichever property is named."""
    described = read_variability_model(real("exastencils", "FeatureModel.xml"))
    found = inference_of(read_source(real("exastencils", "SS-X.csv.gz")), nfp=nfp).system
    assert set(found.names) == set(described.names)
    # An option with the values 0 and 1 may be binary or numeric.
    assert {o.name for o in found.numeric_options} ^ {o.name for o in described.numeric_options} == {"no_explorationId"}


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


TABLE = {
    "id": [1, 2, 3, 4],
    "n": [1 / 3, 2, None, 4],
    "a,b": [True, False, True, False],
    "mode": ["x y", "z", "z", "x y"],
    "time": [1.5, 2.5, 3.25, 4.0],
}


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame])
def test_options_of_tables(frame: Callable[[Mapping[str, Any]], Any]) -> None:
    """Binary, numeric and text columns become options; a missing number means deselected; the table can be read."""
    table = frame(TABLE)
    system = infer_system(table, options=["n", "a,b", "mode"])
    assert system.names == ("a,b", "mode", "mode_x_y", "mode_z", "n")
    assert list(system.numeric_options[0].values) == [1 / 3, 2, 4]
    assert list(system.alternative_groups) == [("mode_x_y", "mode_z")]
    assert any("alternative group mode" in note for note in system.notes)
    measured = read_measurements(table, system, ignore=["id"])
    np.testing.assert_array_equal(measured.configurations.value("n"), [1 / 3, 2, np.nan, 4])
    assert measured["time"].tolist() == TABLE["time"]


def test_a_file_and_its_frame_have_the_same_options() -> None:
    """A data frame gives the description that its file gives."""
    file = ROOT / "casestudies" / "smg2000" / "2d" / "measurements.csv"
    from_file = infer_system(file, nfp="solve_seconds")
    from_frame = infer_system(pd.read_csv(file), nfp="solve_seconds")
    assert replace(from_frame, name=from_file.name) == from_file
    assert from_file.names == ("px", "py", "nx")


def test_tables_without_a_system() -> None:
    """Files that are not tables, and tables without the named columns, are refused."""

    def reject(text: str) -> None:
        table, settings = json.loads(text)
        infer_system(table, **settings)

    check_messages("tables", reject)


BOOLEANS = ("off", "on", "yes", "no", "true", "false")


def written(folder: Path, values: tuple[str, ...], name: str) -> Path:
    """Return a table of an option with these values, another option, and a time."""
    rows = [f"{value},{other},{10 + 3 * at + other}" for at, value in enumerate(values) for other in (0, 1)]
    file = folder / "t.csv"
    file.write_text("\n".join([f"{name},cache,time", *rows, ""]), encoding="utf-8")
    return file


@pytest.mark.parametrize("other", ["full", "auto"])
@pytest.mark.parametrize("word", BOOLEANS)
def test_truth_values_beside_words(word: str, other: str, tmp_path: Path) -> None:
    """A truth value beside another word is a word; the rows of the table that the system is inferred from are valid."""
    file = written(tmp_path, (word, other), "sync")
    system = infer_system(file, options=["sync"])
    assert {f"sync_{word}", f"sync_{other}"} <= set(system.names)
    measured = read_measurements(file, system)
    assert isinstance(measured, Measurements)
    assert len(measured) == 4


def test_ignored_list_of_stated_options(tmp_path: Path) -> None:
    """`a,b` is two ignored columns, also of a file that states its options."""
    points = (dict(zip("abc", point, strict=True)) for point in itertools.product((0, 1), repeat=3))
    results = [
        {"command": "x", "times": [1 + sum(each.values())], "exit_codes": [0], "parameters": each} for each in points
    ]
    file = tmp_path / "h.json"
    file.write_text(json.dumps({"results": results}), encoding="utf-8")
    assert infer_system(file, ignore=["a,b"]).names == ("c",)
