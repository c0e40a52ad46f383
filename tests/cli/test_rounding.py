"""Values that are zero but for rounding."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from splc.io.numbers import percentage, signed_percentage, without_rounding
from tests.cli.conftest import Run
from tests.support.paths import ROOT

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


def test_percentages() -> None:
    """A percentage that is 0 but for rounding is `0 %`; a small one of data is not."""
    expected = {3.36e-14: "0 %", -1e-13: "0 %", 0.0: "0 %", 1e-9: "1e-09 %", 2.5: "2.5 %"}
    assert {value: percentage(value) for value in expected} == expected
    assert [signed_percentage(value) for value in expected] == [*["0 %"] * 3, "+1e-09 %", "+2.5 %"]
    assert without_rounding(1e-13, 1.0) == 0.0 != without_rounding(1e-13, 1e-6)


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
