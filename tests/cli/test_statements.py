"""What commands state about tables and systems: failed runs, notes, entangled systems, large and compressed tables."""

from __future__ import annotations

import gzip
import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import pytest

from sampling.space import solutions
from splc.formats.measurements import csv
from splc.formats.models.json import learned_json_text
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.learning.result import CLASSES
from splc.workflows import learn
from tests.cli.conftest import MEASUREMENTS, Run, description
from tests.support.learning_results import Band, small_system, uncertain_result
from tests.support.paths import ROOT
from tests.support.strategies import random_clauses

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
    """Values that seem to be of failed runs are asked about once, with their lines; what no time is is left out."""
    asked = asked or (name == "time" and bool(wrong))
    values = [sign * time for time in (*times(), *times(1))]
    for at, value in enumerate(wrong):
        values[10 * at + 3] = sign * value
    write(f"a,b,c,{name}", [(*row, value) for row, value in zip([*GRID, *GRID], values, strict=True)])
    commands = (("describe",), ("learn", "--measurements"), ("convert", "-o", "x.xml"))
    lost = [at for at, value in enumerate(wrong) if name == "time" and value <= 0 and len({*wrong}) <= 2]
    doubtful = [at for at in range(len(wrong)) if at not in lost and asked]

    def stated(rows: list[int]) -> str:
        return f"(line{'s' * (len(rows) > 1)} {', '.join(str(10 * at + 5) for at in rows)})"

    said = {
        f"{len(doubtful)} of 96 values of {name} are unlike the others {stated(doubtful)}": doubtful,
        f"{len(lost)} of 96 runs have no positive value of {name} {stated(lost)}, as failed runs": lost,
    }
    for command in commands if (len(wrong), sign) == (4, 1) else commands[:1]:
        shown = run(*command, "table.csv").stderr
        for text, rows in said.items():
            assert (text in shown) == bool(rows), shown
        assert (shown.count("unlike the others"), shown.count("no positive value")) == (bool(doubtful), bool(lost))


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


LEFT = "<configurationOption><name>left</name><optional>True</optional>{}</configurationOption>\n"


def described(run: Run, *arguments: str) -> dict[str, Any]:
    """Return the JSON object."""
    result = run("describe", *arguments, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def test_too_entangled_to_count(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A space that cannot be counted is described all the same, and it is said why."""
    compiled = solutions.compiled
    monkeypatch.setattr(solutions, "compiled", lambda a, b, c, _: compiled(a, b, c, (2**8,)))
    names = "".join(LEFT.replace("left", f"o{at}").format("") for at in range(80))
    constraints = "".join(f"<constraint>{escape(each)}</constraint>" for each in random_clauses(80, 150, 0))
    (folder / "system.xml").write_text(description(names, constraints=constraints), encoding="utf-8")
    result = run("describe")
    assert result.exit_code == 0
    assert "valid configurations: not counted" in result.stdout
    assert "transitions in every variable order" in result.stderr
    assert described(run)["valid_configurations"] is None


def test_the_validation_set_is_disjoint_from_the_learning_set(folder: Path) -> None:
    """No configuration is in both, also where sampled configurations are replaced by the nearest measured ones."""
    lines = (folder / "measurements.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "measurements.csv").write_text("".join(lines[:1] + lines[3:]), encoding="utf-8")
    for missing in ("drop", "nearest"):
        request = learn.Request(
            nfp="energy", sampling="all+random:2", validation="all+ff", missing=missing, write=False, seed=3
        )
        found = learn.run(request)
        assert found.evaluated is not None
        assert found.evaluated.learned_from == 0
        assert found.evaluated.configurations + len(found.rows) <= 8


def test_large_tables_are_written_piece_by_piece(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pieces in which a large table is written make no difference."""
    whole = run("sample", "--sampling", "all+ff").stdout
    monkeypatch.setattr(csv, "CELLS", 8)
    assert run("sample", "--sampling", "all+ff").stdout == whole


def test_compressed_streams(run: Run, folder: Path) -> None:
    """`-` is standard input and output; what comes in may be compressed, and so is a file by its name."""
    stream = gzip.compress(MEASUREMENTS.encode())
    assert run("convert", "-", "-o", "-", "--to", "csv", stdin=stream).stdout == MEASUREMENTS
    (folder / "model.txt").write_text("10 * cache + x\n", encoding="utf-8")
    assert run("predict", "model.txt", "-", "-o", "p.csv.gz", "--property", "time", stdin=stream).stdout == ""
    assert gzip.decompress((folder / "p.csv.gz").read_bytes()).startswith(b"cache,left,right,x,time,predicted\n")
