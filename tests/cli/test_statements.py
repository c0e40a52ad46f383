"""Statements of commands about data and models: failed runs, errors of exact models, and intervals."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from splc.formats.models.json import learned_json_text
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.learning.result import CLASSES
from tests.cli.conftest import Run
from tests.support.learning_results import Band, small_system, uncertain_result
from tests.support.paths import ROOT

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
        monkeypatch.setitem(CLASSES, "band", f"{Band.__module__}:Band")
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
