"""`splc calibrate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from splc.formats.models.parameters import read_parameters
from splc.models.parameters import ParameterTable, Quantity
from tests.cli.conftest import Run

# time = 1 + 10 * cache * 1 + x * 1 on the nine configurations of conftest, nearly.
MODEL = "t = base * 1\nt + 10 * cache * alpha + x * beta\n"
PARAMETERS = 'alpha = 2\nbase = 1\nunused = 7\nnodes = "ceil(x / 2)"\n'
TABLE = '[beta]\nby = "x"\n1 = 0\n2 = 1\n4 = 2\n'


@pytest.mark.parametrize("table", [True, False])
def test_fitted_parameters_are_parameters(run: Run, folder: Path, table: bool) -> None:
    """The output has the estimates with intervals and all else unchanged, and gives the printed predictions."""
    (folder / "analytical.txt").write_text(MODEL, encoding="utf-8")
    (folder / "parameters.toml").write_text(PARAMETERS + (TABLE if table else "beta = 0.5\n"), encoding="utf-8")
    options = ("--property", "time", "--json")
    content = json.loads(run("calibrate", "--free", "alpha,beta", "-o", "fitted.toml", *options).stdout)
    before, after = read_parameters(folder / "parameters.toml"), read_parameters(folder / "fitted.toml")
    assert after.expressions == before.expressions
    assert list(after.quantities) == list(before.quantities)
    alpha, beta = content["parameters"]
    for one in content["parameters"][: 1 if table else 2]:
        assert after.quantities[one["name"]] == Quantity(one["estimate"], one["low"], one["high"], 0.95)
    if table:
        found = after.quantities["beta"]
        assert isinstance(found, ParameterTable)
        (_, zero), shown, (_, last) = found.rows
        assert zero == Quantity.exactly(0.0)
        assert shown == (2.0, Quantity(beta["estimate"], beta["low"], beta["high"], 0.95))
        assert last.value == pytest.approx(2 * beta["estimate"])
    for name in ("base", "unused"):
        assert after.quantities[name] == before.quantities[name]
    arguments = ("predict", "analytical.txt", "measurements.csv", "--parameters", "fitted.toml")
    assert json.loads(run(*arguments, *options).stdout)["error"] == pytest.approx(content["error_after"], rel=1e-12)
    again = json.loads(run("calibrate", "--free", "alpha,beta", "--parameters", "fitted.toml", *options).stdout)
    assert [one["ratio"] for one in again["parameters"]] == pytest.approx([1, 1])
    assert alpha["benchmarked"] == 2
