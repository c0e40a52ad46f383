"""Statements of commands about data and models: errors, outliers, failed runs, intervals, and zeros."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from splc.formats.models.json import learned_json_text
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.learning.full_predictor import CLASSES
from splc.workflows.prediction_notes import ExpectedError
from tests.cli.conftest import Run
from tests.support.learning_results import Band, small_system, uncertain_result
from tests.support.paths import ROOT


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[tuple[int, int, int], float]:
    """Return the values of 80 configurations with a scatter of 5 %; the folder is the current one."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    return {
        (a, b, n): (10 + 5 * a + 2 * b * n + n) * float(np.exp(0.05 * draw.standard_normal()))
        for n in range(1, 21)
        for a in (0, 1)
        for b in (0, 1)
    }


def test_measured_and_expected_errors_agree(made: dict[tuple[int, int, int], float], run: Run) -> None:
    """The error of folds is near the error at other configurations, and 9 of 10 of these are within the factor."""
    rows = (f"{a},{b},{n},{value:.9g}\n" for (a, b, n), value in made.items())
    Path("table.csv").write_text("a,b,n,time\n" + "".join(rows), encoding="utf-8")
    # There are no new configurations.
    text = run("learn", "table.csv", "--options", "a,b,n").stdout
    assert text.startswith("every configuration is measured: cross-validated error ")
    expected = ExpectedError.of_values(json.loads(Path("learned.json").read_text(encoding="utf-8"))["expected_error"])
    assert expected.source == "cross-validated"
    found = json.loads(run("learn", "table.csv", "--options", "a,b,n", "--sampling", "random:40", "--json").stdout)
    measured = ExpectedError.of_values(found["expected_error"])
    assert (measured.source, measured.configurations) == ("measured", 40)
    assert measured.percent == pytest.approx(found["error"])
    assert 0.5 < (expected.percent or 0) / (measured.percent or 1) < 2
    assert 0.8 < ((expected.factor or 0) - 1) / ((measured.factor or 0) - 1) < 2.5


Row = tuple[int, int, int, float]
OPTIONS = ("a", "b", "n")
# The place of the failed run.
FAILED = 10


def rows() -> list[Row]:
    """Return 20 runs, one of which failed."""
    rng = random.Random(5)
    cells = rng.sample([(a, b, n) for a in (0, 1) for b in (0, 1) for n in range(1, 21)], 20)
    found = [(a, b, n, (10 + 5 * a + 2 * n + b * n) * rng.gauss(1, 0.03)) for a, b, n in cells]
    found[FAILED] = (*found[FAILED][:3], 99999.0)
    return found


def learned(run: Run, folder: Path, cells: Sequence[Sequence[float]], names: Sequence[str] = (*OPTIONS, "time")) -> str:
    """Learn a table; return what is said on standard error."""
    folder.mkdir()
    lines = [",".join(names), *(",".join(f"{cell:.17g}" for cell in row) for row in cells)]
    (folder / "measurements.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = run("learn", "--property", "time")
    assert result.exit_code == 0, result.stderr
    return result.stderr


def outliers(said: str) -> list[str]:
    """Return the places of outliers in messages."""
    return re.findall(r"warning: measurements\.csv:(\d+): .* an outlier\?", said)


VARIANTS: dict[str, Callable[[list[Row]], tuple[list[Sequence[float]], Sequence[str], int]]] = {
    "same": lambda cells: ([*cells], (*OPTIONS, "time"), FAILED),
    "rows": lambda cells: ([*reversed(cells)], (*OPTIONS, "time"), len(cells) - 1 - FAILED),
    "columns": lambda cells: ([(n, b, a, y) for a, b, n, y in cells], ("n", "b", "a", "time"), FAILED),
    "names": lambda cells: ([*cells], ("tls", "cache", "threads", "time"), FAILED),
    "unit": lambda cells: ([(*row[:3], 1000 * row[3]) for row in cells], (*OPTIONS, "time"), FAILED),
    "small unit": lambda cells: ([(*row[:3], 1e-9 * row[3]) for row in cells], (*OPTIONS, "time"), FAILED),
    "constant": lambda cells: ([(1, *row) for row in cells], ("always", *OPTIONS, "time"), FAILED),
    "repetitions": lambda cells: (
        [*((*row[:3], 20.0) if at == FAILED else row for at, row in enumerate(cells)), *cells],
        (*OPTIONS, "time"),
        len(cells) + FAILED,
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_failed_run_is_named(run: Run, tmp_path: Path, name: str) -> None:
    """A value of 99,999 among 20 is named with its line, however the measurements are told."""
    cells, names, place = VARIANTS[name](rows())
    # The first line has the names.
    assert outliers(learned(run, tmp_path / "here", cells, names)) == [str(place + 2)]


GRID = list(itertools.product((1, 2, 4, 8), (1, 2, 3, 4), (16, 32, 64)))


def write(header: str, cells: Sequence[Sequence[object]]) -> None:
    """Write the table of the current folder."""
    Path("table.csv").write_text("\n".join([header, *(",".join(map(str, row)) for row in cells)]) + "\n")


def times(seed: int = 0) -> list[float]:
    """Return a time of each configuration of the grid."""
    noise = np.random.default_rng(seed).normal(0, 0.1, len(GRID))
    return [round(float(10 + 2 * a + 3 * b * c + add), 3) for (a, b, c), add in zip(GRID, noise, strict=True)]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an empty folder be the current one."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("repeated", [3, *(pytest.param(each, marks=pytest.mark.slow) for each in (2, 5))])
def test_repetitions(run: Run, repeated: int) -> None:
    """Repetitions are no averaged options: results differ in them, at random, or not at all."""
    rng = np.random.default_rng(repeated)
    cells = [
        (a, b, c, time + round(float(rng.normal()), 4), rng.integers(3, 7), round(float(rng.normal()), 3), 2 * a, 7)
        for (a, b, c), time in zip(GRID, times(), strict=True)
        for _ in range(repeated)
    ]
    write("a,b,c,time,faults,load,messages,levels", cells)
    done = run("learn", "--measurements", "table.csv", "--property", "time", "--learner", "stepwise")
    assert (done.exit_code, "averaged" in done.stderr) == (0, False)


@pytest.mark.parametrize(
    ("wrong", "asked"),
    [
        # Zeros and -1 among run times, a repeated value of the other sign, and round ones far beyond all others.
        *(((-1, 0, 0, -1), True), ((1e9, 1e9), True), ((99999, -1), True), ((-2.137, -2.137), True)),
        ((2147483647,), True),
        # Scores that differ are results.
        *(((-0.5, -2.25), False), ((-1, -2, -3), False), ((), False)),
    ],
)
@pytest.mark.parametrize(("name", "sign"), [("time", 1), ("score", 1), ("score", -1)])
def test_failed_runs(run: Run, wrong: tuple[float, ...], asked: bool, name: str, sign: int) -> None:
    """Values that seem to be of failed runs are asked about once, with their lines; no time is negative."""
    asked = asked or (name == "time" and bool(wrong))
    values = [sign * time for time in (*times(), *times(1))]
    for at, value in enumerate(wrong):
        values[10 * at + 3] = sign * value
    write(f"a,b,c,{name}", [(*row, value) for row, value in zip([*GRID, *GRID], values, strict=True)])
    commands = (("describe",), ("learn", "--measurements"), ("convert", "-o", "x.xml"))
    lines = ", ".join(str(10 * at + 5) for at in range(len(wrong)))
    said = f"{len(wrong)} of 96 values of {name} are unlike the others (line{'s' * (len(wrong) > 1)} {lines})"
    for command in commands if (len(wrong), sign) == (4, 1) else commands[:1]:
        shown = run(*command, "table.csv").stderr
        assert (said in shown, shown.count("unlike the others")) == (asked, int(asked)), shown


# Properties that short models explain exactly, but for rounding: positive, of any sign, and a product.
PROPERTIES = {
    "positive": lambda a, b, n: 0.1 + 0.2 * a + 0.7 * b + 1.3 * n,
    "signed": lambda a, b, n: -3.3 + 0.1 * a + 0.7 * b + 1.1 * n,
    "product": lambda a, b, n: 0.1 * 1.7**a * 1.3**b * n,
}
COMMANDS = (
    "learn t.csv --sampling measured:14",
    "learn t.csv -o second.log",
    "learn t.csv --learner stepwise --folds 4 -o third.log",
    "predict learned.log t.csv -o p.csv",
    "explain learned.log --measurements t.csv",
    "optimize learned.log --measurements t.csv",
    "compare second.log learned.log --measurements t.csv",
)
TINY = re.compile(r"[^\s,]*\d+e-1\d(?: %)?")


@pytest.mark.parametrize("name", [pytest.param("positive", marks=pytest.mark.slow), "signed", "product"])
def test_exact_models(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """No command prints an error or a difference of a model that is exact but for rounding."""
    monkeypatch.chdir(tmp_path)
    rows = [(a, b, n, PROPERTIES[name](a, b, n)) for a, b, n in product((0, 1), (0, 1), (1, 2, 3, 5, 7))]
    text = "".join(",".join(map(repr, row)) + "\n" for row in rows)
    Path("t.csv").write_text("a,b,n,time\n" + text)
    for command in COMMANDS:
        result = run(*command.split(), "-v")
        assert result.exit_code == 0, result.stderr
        lines = [line for line in (result.stdout + result.stderr).splitlines() if TINY.search(line)]
        # The constant of a model is no difference.
        assert [line for line in lines if not re.match(r"(\(constant\) +)?1 ", line)] == [], command


def test_percentages_are_printed_by_one_function() -> None:
    """A percentage that was computed is formatted by `percentage`, which knows rounding."""
    own = re.compile(r"\.\d+g\} ?%|\{(rounded_text|short_number)\([^{}]*\)\} ?%")
    files = [*(ROOT / "splc").rglob("*.py"), *(ROOT / "comparison").rglob("*.py")]
    found = [str(file) for file in files if own.search(file.read_text(encoding="utf-8"))]
    assert found == [str(ROOT / "splc" / "io" / "numbers.py")]


class TestPredictionsOutsideOfTheirIntervals:
    """A short model may be far from the full model, whose intervals the file has."""

    CONFIGURATION = "base,gvn,x=4,y=1"

    @pytest.fixture(params=[0.125, -0.125], ids=["inside", "outside"])
    def inside(self, request: pytest.FixtureRequest, empty: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
        """Write a model into a project folder, and return whether its intervals contain its predictions."""
        result = uncertain_result()
        result = replace(result, intervals=Band(result.model, request.param))
        monkeypatch.setitem(CLASSES, "band", (Band.__module__, "Band"))
        write_variability_model(small_system(), empty / "system.xml")
        (empty / "m.json").write_text(learned_json_text(result), encoding="utf-8")
        (empty / "c.csv").write_text("base,gvn,rc-lookahead,x,y\n1,1,0,4,1\n1,0,0,4,1\n", encoding="utf-8")
        return bool(request.param > 0)

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            (("explain", "m.json", CONFIGURATION), "the prediction is outside of its interval"),
            (("explain", "m.json", CONFIGURATION, "--against", "base,x=1,y=1"), "2 of 2 predictions are outside"),
            (("optimize", "m.json"), "the prediction is outside of its interval"),
            (("optimize", "m.json", "--top", "3"), "3 of 3 predictions are outside"),
            (("predict", "m.json", "c.csv", "--interval"), "2 of 2 predictions are outside"),
        ],
    )
    def test_note(self, run: Run, inside: bool, arguments: tuple[str, ...], text: str) -> None:
        """A note has the number of such predictions."""
        result = run(*arguments)
        assert result.exit_code == 0, result.stderr
        assert (text in result.stderr) is not inside
        assert ("intervals are those of the full model" in result.stderr) is not inside
