"""`splc calibrate`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from splc import __version__
from splc.formats.models.parameters import read_parameters
from splc.models.parameters import ParameterTable, Quantity
from tests.cli.conftest import Run

MODEL = "t = base * 1\nt + 10 * cache * alpha + x * beta\n"
# time = 1 + 10 * cache * 1 + x * 1 on the nine configurations of conftest, nearly.
PARAMETERS = """# Measured with ping-pong.
alpha = 2          # seconds
beta = 0.5
base = 1
unused = 7
nodes = "ceil(x / 2)"
"""


@pytest.fixture(autouse=True)
def _model(folder: Path) -> None:
    """Put an analytical model and its parameters into the project folder, in which time is the property."""
    (folder / "analytical.txt").write_text(MODEL, encoding="utf-8")
    (folder / "parameters.toml").write_text(PARAMETERS, encoding="utf-8")
    (folder / "splc.toml").write_text('nfp = "time"\n', encoding="utf-8")


def test_fitted_parameters_are_parameters(run: Run, folder: Path) -> None:
    """The output has the estimates with intervals and all else unchanged, and gives the printed predictions."""
    content = json.loads(run("calibrate", "--free", "alpha", "--free", "beta", "-o", "fitted.toml", "--json").stdout)
    text = (folder / "fitted.toml").read_text(encoding="utf-8")
    assert text.startswith(f"# Estimated by splc {__version__}: alpha, beta\n# model: analytical.txt; measurements: ")
    assert "measurements.csv, time, 9 configurations" in text
    before, after = read_parameters(folder / "parameters.toml"), read_parameters(folder / "fitted.toml")
    assert after.expressions == before.expressions
    assert list(after.quantities) == list(before.quantities)
    for one in content["parameters"]:
        assert after.quantities[one["name"]] == Quantity(one["estimate"], one["low"], one["high"], 0.95)
    for name in ("base", "unused"):
        assert after.quantities[name] == before.quantities[name]
    arguments = ("predict", "analytical.txt", "measurements.csv", "--parameters", "fitted.toml", "--json")
    assert json.loads(run(*arguments).stdout)["error"] == pytest.approx(content["error_after"], rel=1e-12)
    again = json.loads(run("calibrate", "--free", "alpha,beta", "--parameters", "fitted.toml", "--json").stdout)
    assert [one["ratio"] for one in again["parameters"]] == pytest.approx([1, 1])
    printed = run("calibrate", "--free", "alpha,beta", "-o", "-").stdout
    assert printed == text


def test_nothing_but_the_model_and_the_measurements_is_needed(run: Run, folder: Path) -> None:
    """Without any parameters file, free parameters are guessed at first: no ratio, no error before; - is stdin."""
    expected = json.loads(run("calibrate", "--free", "alpha,beta,base", "--json").stdout)
    (folder / "parameters.toml").unlink()
    (folder / "analytical.txt").unlink()
    result = run("calibrate", "-", "--free", "alpha,beta,base", "--json", "-o", "f.toml", stdin=MODEL)
    content = json.loads(result.stdout)
    assert content["error_before"] is None
    for one, other in zip(content["parameters"], expected["parameters"], strict=True):
        assert one["estimate"] == pytest.approx(other["estimate"])
        assert (one["benchmarked"], one["ratio"], one["ratio_low"]) == (None, None, None)
    assert list(read_parameters(folder / "f.toml").quantities) == ["alpha", "beta", "base"]
    lines = run("calibrate", "-", "--free", "alpha,beta,base", stdin=MODEL).stdout.splitlines()
    assert lines[3].split() == ["parameter", "estimate", "low", "high"]
    assert lines[0].endswith("% on 9 configurations with time")


def test_a_table_is_written_with_its_rows(run: Run, folder: Path) -> None:
    """A table has one factor; its rows are written with their intervals, and the row shown is named."""
    text = 'alpha = 1\nbase = 1\n[beta]\nby = "x"\n1 = 0\n2 = 1\n4 = 2\n'
    (folder / "parameters.toml").write_text(text, encoding="utf-8")
    result = run("calibrate", "--free", "beta", "-o", "fitted.toml")
    assert "beta (x = 2)" in result.stdout
    [one] = json.loads(run("calibrate", "--free", "beta", "--json").stdout)["parameters"]
    assert one["table"] == {"by": "x", "row": 2.0, "factor": one["ratio"]}
    table = read_parameters(folder / "fitted.toml").quantities["beta"]
    assert isinstance(table, ParameterTable)
    assert table.rows[0] == (1.0, Quantity.exactly(0.0))
    assert table.rows[1] == (2.0, Quantity(one["estimate"], one["low"], one["high"], 0.95))
    assert table.rows[2][1].value == pytest.approx(2 * one["estimate"])


def test_a_learned_model_can_be_scaled(run: Run) -> None:
    """A log has no parameters, but a factor on the whole model is close to 1 where it was learned."""
    run("learn")
    [one] = json.loads(run("calibrate", "learned.log", "--free", "scale", "--json").stdout)["parameters"]
    assert one["estimate"] == pytest.approx(1, abs=0.1)


def test_what_is_not_determined_is_said(run: Run, folder: Path) -> None:
    """Collinear parameters, those without effect and those at bounds are named on stderr, in the table and as JSON."""
    text = "alpha * x + 2 * gamma * x + idle * (cache - cache) * x + idle * cache * right + base * left"
    (folder / "analytical.txt").write_text(text, encoding="utf-8")
    arguments = ("calibrate", "--free", "alpha,gamma,idle,base", "--bound", "base=..0.25", "--parameter", "gamma=1")
    result = run(*arguments, "-o", "fitted.toml")
    assert result.exit_code == 0
    assert "warning: interchangeable in your measurements: alpha, gamma" in result.stderr
    assert "note: known is alpha + 2 * gamma = " in result.stderr
    said = result.stderr
    assert "warning: idle is not determined: it changes none of the predictions; its value is only a start" in said
    assert "warning: base is at its upper bound, 0.25: its interval ends there" in said
    assert [line.split("  ")[-1].strip() for line in result.stdout.splitlines()[4:8]] == [
        *["not determined"] * 3,
        "at its upper bound",
    ]
    assert "# not determined by these measurements: alpha, gamma, idle\n" in (folder / "fitted.toml").read_text("utf-8")
    written = read_parameters(folder / "fitted.toml").quantities
    assert [written[name].determined for name in ("alpha", "gamma", "idle", "base")] == [False] * 3 + [True]  # type: ignore[union-attr]
    content = json.loads(run(*arguments, "--json").stdout)
    [group] = content["confounded"]
    assert group["parameters"] == ["alpha", "gamma"]
    assert group["determined"][0]["parts"] == pytest.approx({"alpha": 1.0, "gamma": 2.0})
    assert content["without_effect"] == ["idle"]
    assert [one["low"] for one in content["parameters"][:3]] == [None] * 3
    assert content["parameters"][3]["low"] < content["parameters"][3]["high"] == 0.25
    assert [one["at_bound"] for one in content["parameters"]] == [None, None, None, "high"]


def test_cross_validation_is_asked_for(run: Run) -> None:
    """The same seed gives the same folds, another one others; without folds nothing is said about them."""
    arguments = ("calibrate", "--free", "alpha,beta", "--folds", "3")
    one, same = run(*arguments).stdout, run(*arguments, "--seed", "0").stdout
    assert one == same
    assert one != run(*arguments, "--seed", "1").stdout
    assert "(3 folds, " in one
    assert "cross-validated" not in run("calibrate", "--free", "alpha,beta", "--folds", "0").stdout
    content = json.loads(run("calibrate", "--free", "alpha,beta", "--folds", "0", "--json").stdout)
    assert (content["error_cross_validated"], content["folds"]) == (None, 0)


def test_zeros_are_left_out_and_counted(run: Run, folder: Path) -> None:
    """Measured zeros have no relative error; they are counted, and kept with absolute residuals."""
    table = (folder / "measurements.csv").read_text(encoding="utf-8").replace("0,0,1,4,6,40", "0,0,1,4,0,40")
    (folder / "measurements.csv").write_text(table, encoding="utf-8")
    result = run("calibrate", "--free", "alpha")
    assert "note: 1 value of time is 0 and left out" in result.stderr
    content = json.loads(run("calibrate", "--free", "alpha", "--json").stdout)
    assert (content["configurations"], content["left_out"]) == (8, 1)
    content = json.loads(run("calibrate", "--free", "alpha", "--json", "--weights", "absolute").stdout)
    assert (content["configurations"], content["left_out"], content["weights"]) == (9, 0, "absolute")
    result = run("calibrate", "--free", "alpha", "--weights", "log")
    assert "note: 1 value of time is not positive and left out" in result.stderr


@pytest.mark.parametrize("repetitions", [1, 3])
@pytest.mark.parametrize(
    ("formula", "free", "at_fault"),
    [
        ("base + 10 * cache * alpha + x * beta", "alpha", False),
        ("base + 10 * cache * alpha + x * beta", "alpha,base,beta", False),
        ("base + x * beta", "base", True),
        ("base + x * beta", "base,beta", True),
    ],
)
def test_a_formula_is_told_from_a_parameter(
    formula: str, free: str, at_fault: bool, repetitions: int, run: Run, folder: Path
) -> None:
    """The formula is said to be at fault if no values of all its parameters help, whichever of them are free."""
    noise = np.random.default_rng(0).normal(1, 0.03, (9, repetitions))
    rows = ["cache,left,right,x,time"]
    for index, (cache, left, x) in enumerate((c, s, x) for c, s in ((0, 1), (0, 0), (1, 1)) for x in (1, 2, 4)):
        rows += [f"{cache},{left},{1 - left},{x},{(3 + 20 * cache + x) * factor}" for factor in noise[index]]
    (folder / "measurements.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "analytical.txt").write_text(formula, encoding="utf-8")
    result = run("calibrate", "--free", free, "--folds", "0")
    assert ("the formula is at fault" in result.stderr) == at_fault
    assert ("where cache = 1" in result.stderr) == at_fault
