"""SMG2000 and BoomerAMG: their models against the thesis' formulas, and measuring a case study again."""

from __future__ import annotations

import csv
import gzip
import math
import shlex
import subprocess
import sys
from collections import defaultdict
from functools import cache
from io import StringIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import gmean
from typer.testing import CliRunner

from casestudies import measure
from casestudies.drivers import level_columns
from sampling import Space
from splc import read_measurements, read_model, read_variability_model
from splc.cli.app import app
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.measurements.configurations import read_observed
from splc.formats.models.read import read_parameters
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity
from splc.models.text.reader import expand_text
from splc.project import Project
from tests import test_documentation as documentation
from tests.support.paths import BOOMERAMG, CASES, SMG2000
from tests.support.tracked import copy_tracked

DIMENSIONS = ("1d", "2d", "3d")
TOPOLOGY = {"1d": ("px",), "2d": ("px", "py"), "3d": ("px", "py", "pz")}
FILES = ("parameters.toml", "parameters-thesis.toml")

# Section 3.1.2 of the thesis, multiplied out, term by term as printed there.
PRINTED = {each: (Path(__file__).parent / f"thesis-{each}.txt").read_text(encoding="utf-8") for each in DIMENSIONS}
# What has to be added to the printed 3-D form, one correction per line.
CORRECTIONS = (
    "-4 * log2(nx) * alpha",  # the printed 8 log2(nx) alpha is 4 log2(nx) alpha
    "8 * log2(nx)^2 * log2(px) * alpha",  # missing
    "8 * nx^2 * log2(px) * beta - 8 * nx^2 * log2(px)",  # printed without beta
    "8 * nx^2 * log2(nx) * beta - 8 * nx^2 * log2(nx)",  # printed without beta
    "8 * nx^2 * log2(py) * beta - 8 * nx^2 * log2(py)",  # printed without beta
    "8 * nx^2 * log2(nx) * beta - 8 * nx^2 * log2(nx)",  # printed without beta, a second time
)
# Table 5.4 of the thesis: nodes, latency in ns, inverse bandwidth in ns per double.
TABLE_5_4 = (
    (1, 290, 9.15),
    (2, 7866, 39.21),
    (3, 6856, 57.55),
    (4, 11625, 60.60),
    (5, 12941, 65.57),
    (6, 13735, 68.37),
    (7, 13754, 70.79),
)


def formula(dimension: str, at: dict[str, float], alpha: float, beta: float, f: float) -> float:
    """Return the compact form of section 3.1.2 in plain Python."""
    n = at["nx"]
    lx, ly, lz = (math.log2(at.get(p, 1) * n) for p in ("px", "py", "pz"))
    if dimension == "1d":
        return 2 * lx * alpha + 2 * lx * beta + 6 * n * f
    if dimension == "2d":
        return 4 * ly * (lx + 1) * alpha + 4 * n * (lx + ly) * beta + 20 * n**2 * f
    return 4 * lz * (1 + 2 * ly * (lx + 1)) * alpha + 4 * n**2 * (lz + 2 * lx + 2 * ly) * beta + 48 * n**3 * f


def model_of(dimension: str, parameters: Parameters) -> InfluenceModel:
    """Return the analytical model of a folder with these parameters."""
    system = read_variability_model(SMG2000 / dimension / "system.xml")
    return read_model(SMG2000 / dimension / "analytical.txt", system, parameters=parameters)


def measured_in(dimension: str) -> Measurements:
    """Return the committed measurements of a folder."""
    system = read_variability_model(SMG2000 / dimension / "system.xml")
    return read_measurements(SMG2000 / dimension / "measurements.csv", system)


def oracle(dimension: str, configurations: Configurations, name: str) -> list[float]:
    """Return the predictions at configurations by the plain formula, with what a file of parameters should hold."""
    predicted = []
    processes = np.prod([configurations.value(name) for name in TOPOLOGY[dimension]], axis=0)
    for row, p in enumerate(processes):
        alpha, beta, f = 0.144e-6, 1.28e-9, 0.0195e-9
        if name == "parameters-thesis.toml":
            nodes = min(7, math.ceil(p / 4))
            alpha, beta, f = TABLE_5_4[nodes - 1][1] * 1e-9, TABLE_5_4[nodes - 1][2] * 1e-9, 0.039e-9
        if p == 1:
            alpha = beta = 0.0
        predicted.append(formula(dimension, configurations.assignment(row), alpha, beta, f))
    return predicted


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_expansion_is_the_one_of_the_thesis(dimension: str) -> None:
    """The models, multiplied out, are the thesis' expanded forms term by term, of the 3-D one without its misprints."""
    ours = expand_text((SMG2000 / dimension / "analytical.txt").read_text(encoding="utf-8"), None)
    theirs = expand_text(
        "(" + "\n+ ".join((PRINTED[dimension], *(CORRECTIONS if dimension == "3d" else ()))) + ")", None
    )
    assert ours.keys() == theirs.keys()
    assert {term: ours[term] for term in ours} == pytest.approx(dict(theirs), rel=1e-12, abs=0)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_parameters_of_the_thesis_are_those_of_its_table(dimension: str) -> None:
    """The thesis' parameters are table 5.4 in seconds, 0 for sequential runs, and the middle row is 4 nodes."""
    parameters = read_parameters(SMG2000 / dimension / "parameters-thesis.toml")
    found = parameters.quantities
    assert found["f"] == Quantity.exactly(0.039e-9)
    for name, column in (("alpha", 1), ("beta", 2)):
        table = found[name]
        assert isinstance(table, ParameterTable)
        assert table.by == "nodes"
        assert [key for key, _ in table.rows] == [0, 1, 2, 3, 4, 5, 6, 7]
        values = [0.0, *(row[column] * 1e-9 for row in TABLE_5_4)]
        assert [quantity.value for _, quantity in table.rows] == pytest.approx(values, rel=1e-15, abs=0)
    tabled = model_of(dimension, parameters).parameters
    assert {each.name: each.keys[each.middle] for each in tabled} == {"alpha": 4, "beta": 4}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_every_measured_configuration_is_predicted(dimension: str, name: str) -> None:
    """Predictions of all measured configurations are those of the plain formula with the machine's numbers."""
    configurations = measured_in(dimension).configurations
    predicted = model_of(dimension, read_parameters(SMG2000 / dimension / name)).predict(configurations)
    assert predicted == pytest.approx(oracle(dimension, configurations, name), rel=1e-12, abs=0)


def test_readme_shows_what_its_commands_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of the README runs and prints what is shown below it."""
    documentation.test_commands_give_what_the_page_shows(SMG2000 / "README.md", tmp_path, monkeypatch)


OPTIONS = ("px", "py", "pz", "nx", "ny", "nz")
ALPHA, BETA, T = 1.44e-7, 1.28e-9, 5.77e-10
LEVELS = 8

Key = tuple[int, ...]
Level = dict[str, float]


@cache
def measured() -> Measurements:
    """Return the measurements of the case, checked against its constraints."""
    project = Project.load(BOOMERAMG)
    model = project.variability_model()
    return project.measurements(model, Space(model))


def levels_and_iterations() -> tuple[dict[Key, list[Level]], dict[Key, int]]:
    """Return the levels and the iterations of every configuration, read without the library."""
    levels: dict[Key, list[Level]] = defaultdict(list)
    for row in table(gzip.decompress((BOOMERAMG / "levels.csv.gz").read_bytes()).decode()):
        numbers = {name: float(row[name] or 0) for name in ("C", "s", "sh", "p", "n", "ph", "nh")}
        levels[tuple(int(row[name]) for name in OPTIONS)].append(numbers)
    rows = table((BOOMERAMG / "observed.csv").read_text(encoding="utf-8"))
    return levels, {tuple(int(row[name]) for name in OPTIONS): int(row["iterations"]) for row in rows}


def solve(levels: list[Level], ranks: int, convention: str) -> float:
    """Return the time of one cycle: the cases of section 3.2.2, or the three formulas of section 5.4.2."""
    last = len(levels) - 1
    total = 0.0
    for i, level in enumerate(levels):
        total += 6 * level["C"] / ranks * level["s"] * T + 3 * (level["p"] * ALPHA + level["n"] * BETA)
        if i < last:
            total += 2 * levels[i + 1]["C"] / ranks * level["sh"] * T + level["ph"] * ALPHA + level["nh"] * BETA
        if i > 0:
            of = levels[i - 1] if convention == "5.4.2" else level
            total += 2 * levels[i - 1]["C"] / ranks * of["sh"] * T + of["ph"] * ALPHA + of["nh"] * BETA
    return total


def predicted(file: str) -> dict[Key, float]:
    """Return what one of the case's models predicts for every configuration."""
    some = measured().configurations
    model = read_model(BOOMERAMG / file, some.system, parameters=Project.load(BOOMERAMG).parameters())
    keys = zip(*(some.value(name).astype(int).tolist() for name in OPTIONS), strict=True)
    return dict(zip(keys, model.predict(some).tolist(), strict=True))


@pytest.mark.parametrize(
    ("file", "convention", "ratio", "error"),
    [("analytical.txt", "5.4.2", 1.54, 33.8), ("analytical_3.2.2.txt", "3.2.2", 1.53, 33.3)],
)
def test_the_models_are_the_formulas_of_the_thesis(file: str, convention: str, ratio: float, error: float) -> None:
    """For every configuration a model is `iterations` times the sum of the formulas over its own levels.

    The geometric mean of measured by predicted, and the mean relative error, are those in the README.
    """
    levels, iterations = levels_and_iterations()
    found = predicted(file)
    assert set(found) == set(levels)
    for key, value in found.items():
        ranks = key[0] * key[1] * key[2]
        assert value == pytest.approx(iterations[key] * solve(levels[key], ranks, convention), rel=1e-12)
    values, expected = measured()["solve_compute_seconds"], np.array(list(found.values()))
    assert gmean(values / expected) == pytest.approx(ratio, abs=0.005)
    assert 100 * np.mean(np.abs(values - expected) / values) == pytest.approx(error, abs=0.05)


def test_every_valid_configuration_was_measured_and_observed() -> None:
    """The measurements are all configurations of the description, three times each, with observations of all.

    The time of a level is above 0 in all repetitions where the level exists, and 0 elsewhere. The times of the levels,
    each the maximum over the ranks, add up to somewhat more than that of the whole.
    """
    some = measured()
    assert len(some) == Space(some.system).count == 1728
    assert some.configurations.observed is not None
    assert some.configurations.observed.known.all()
    assert all(some.repetitions(name).shape == (1728, 3) for name in some.properties)
    assert not any(np.isnan(some.repetitions(name)).any() for name in some.properties)
    for level in range(LEVELS):
        times = some.repetitions(f"level_{level}_compute_seconds")
        there = some.configurations.column(f"level_{level}") == 1
        assert (times[there] > 0).all()
        assert (times[~there] == 0).all()
    total = sum(some[f"level_{level}_compute_seconds"] for level in range(LEVELS))
    assert gmean(total / some["solve_compute_seconds"]) == pytest.approx(1.085, abs=0.005)


@pytest.mark.parametrize("first", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_the_commands_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    """The commands of the README run as they stand."""
    lines = (BOOMERAMG / "README.md").read_text(encoding="utf-8").splitlines()
    commands = [line.strip() for line in lines if line.startswith("    splc ")]
    copy_tracked(BOOMERAMG, tmp_path / "boomeramg")
    monkeypatch.chdir(tmp_path / "boomeramg")
    assert len(commands) == 4
    for command in commands[:first]:
        result = CliRunner().invoke(app, shlex.split(command)[1:], catch_exceptions=False)
        assert result.exit_code == 0, result.stderr


# Stands for mpirun and amg: prints a row per configuration, and its levels after it; the second one may have too few.
FAKE = """
import sys
levels = open(sys.argv[-1], "w")
works = ["smoothing", "residual", "restriction", "interpolation"]
names = ["C", "s", "shat", "p", "n", "phat", "nhat", *(w + "_compute_seconds" for w in works)]
print("px,nx,levels,load_average", flush=True)
levels.write("px,nx,level," + ",".join(names) + "\\n")
for number, row in enumerate(sys.stdin.read().split()[1:]):
    print(f"{row},{number + 1},0.5", flush=True)
    for level in range(number + 1 - (number == 1 and "--short" in sys.argv)):
        cells = [*range(10 * level, 10 * level + 7), 0.25, 0.5, 1, level]
        levels.write(f"{row},{level}," + ",".join(map(str, cells)) + "\\n")
    levels.flush()
sys.exit(int("--fail" in sys.argv))
"""


def table(text: str) -> list[dict[str, str]]:
    """Return the rows of a CSV table."""
    return list(csv.DictReader(StringIO(text)))


def joined(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Return what the program that joins rows and levels does with the stand-in for `amg`."""
    (folder / "fake.py").write_text(FAKE, encoding="utf-8")
    program = [sys.executable, str(CASES / "drivers" / "level_columns.py"), sys.executable, str(folder / "fake.py")]
    return subprocess.run(
        [*program, *options], input="px,nx\n1,8\n2,8\n1,16\n", capture_output=True, text=True, check=False
    )


def test_levels_join_their_row(tmp_path: Path) -> None:
    """Each row gets the variables and the computing time of its own levels, and zeros for all others."""
    done = joined(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    rows = table(done.stdout)
    assert [(row["px"], row["nx"], row["levels"]) for row in rows] == [
        ("1", "8", "1"),
        ("2", "8", "2"),
        ("1", "16", "3"),
    ]
    for count, row in enumerate(rows, 1):
        for level in range(level_columns.LEVELS):
            found = [float(row[name]) for name in level_columns.columns(level)]
            there = [*range(10 * level, 10 * level + 7), 1.75 + level]
            assert found == (there if level < count else [0.0] * 8)


def test_failure_is_handed_on(tmp_path: Path) -> None:
    """The exit code is that of the program, and levels that are missing are an error that names the row."""
    assert joined(tmp_path, "--fail").returncode == 1
    done = joined(tmp_path, "--short")
    assert done.returncode == 3
    assert "level 1 of {'px': '2'" in done.stderr
    assert len(table(done.stdout)) == 1


@cache
def committed() -> list[dict[str, str]]:
    """Return the rows that measuring BoomerAMG would have to give for its committed files."""
    levels: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in table(gzip.decompress((BOOMERAMG / "levels.csv.gz").read_bytes()).decode()):
        levels.setdefault(tuple(row[name] for name in measure.OPTIONS), []).append(row)
    rows = []
    for row in table((BOOMERAMG / "measurements.csv").read_text(encoding="utf-8")):
        own = levels[tuple(row[name] for name in measure.OPTIONS)]
        for number in range(level_columns.LEVELS):
            for name in level_columns.VARIABLES.values():
                row[f"{name}_{number}"] = (own[number][name] or "0") if number < len(own) else "0"
        rows.append({**row, "levels": str(len(own))})
    return rows


def test_split_gives_the_committed_form(tmp_path: Path) -> None:
    """From what is measured come the committed files, to the last character."""
    found = measure.split(committed())
    assert found["levels"] == gzip.decompress((BOOMERAMG / "levels.csv.gz").read_bytes()).decode()
    assert found["observed"] == (BOOMERAMG / "observed.csv").read_text(encoding="utf-8")
    assert found["measurements"] == (BOOMERAMG / "measurements.csv").read_text(encoding="utf-8")
    for name in ("observed", "levels"):
        (tmp_path / f"{name}.csv").write_text(found[name], encoding="utf-8")
    model = Project.load(BOOMERAMG).variability_model(observed=False)
    assert len(read_observed([tmp_path / "observed.csv", tmp_path / "levels.csv"], model)) == 1728


def test_observations_that_differ_are_refused() -> None:
    """Levels that are not the same in all repetitions are an error, for they could not be an observed variable."""
    rows = [*committed()]
    rows[1] = {**rows[1], "C_1": "7"}
    with pytest.raises(ValueError, match="differ between repetitions"):
        measure.split(rows)


@pytest.mark.parametrize("name", measure.CASES)
def test_command(name: str, tmp_path: Path) -> None:
    """All configurations are measured three times, into a new file, unless something else is asked for.

    A journal is continued.
    """
    case = measure.CASES[name]
    assert case.output in ("measurements.new.csv", "measured.new.csv")
    own = measure.arguments(case, tmp_path, [])
    assert own.count("--output") == 1
    options = list(pairwise(own))
    assert ("--sampling", "ff") in options
    assert ("--repeat", "3") in options
    assert f"--property=load_average{'=csv:load_average' * case.blocks}" in own
    assert ("--block" in own, "--batch" in own) == (case.blocks, not case.blocks)
    assert "--resume" not in own
    further = ["--configurations", "few.csv", "--repeat=5", "--timeout", "9"]
    other = measure.arguments(case, tmp_path, further)
    assert other[-len(further) :] == further
    assert not {"--sampling", "--repeat"} & set(other)
    assert other.count("--timeout") == 1
    (tmp_path / case.output.replace(".csv", ".journal")).touch()
    assert measure.arguments(case, tmp_path, []).count("--resume") == 1
    assert measure.arguments(case, tmp_path, ["--resume"]).count("--resume") == 1


@pytest.mark.parametrize("given", [[], ["smg2000"], ["smg2000/4d", "--dry-run"]])
def test_unknown_case(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A case that cannot be measured is exit code 2, and the message names those that can."""
    assert measure.main(given) == 2
    assert "smg2000/1d, smg2000/2d, smg2000/3d, boomeramg" in capsys.readouterr().err
