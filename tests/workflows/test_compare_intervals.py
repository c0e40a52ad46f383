"""Intervals of compared models: notes about models without any, and the runs inside."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from comparison.compare import compared_model
from splc.data.configurations import Configurations
from splc.formats.models.text import parse_model_text
from splc.io.files import Source
from splc.models.parameters import Parameters, Quantity
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.compare.compare import Request as CompareRequest
from splc.workflows.compare.compare import run as compare
from splc.workflows.compare.compare import with_intervals
from splc.workflows.compare.models import Basis
from splc.workflows.learn import Request as LearnRequest
from splc.workflows.learn import run as learn
from splc.workflows.note import Note


@pytest.mark.parametrize(
    ("unknown", "text"), [("a", "a is not determined"), ("ab", "a, b are not determined")], ids=["one", "two"]
)
def test_parameters_that_are_not_determined(unknown: str, text: str) -> None:
    """A model with parameters that the measurements do not determine has no intervals and is not exact."""
    system = VariabilityModel("s", (NumericOption("x", (1.0, 2.0)), NumericOption("y", (1.0, 2.0))))
    everything = Configurations(system, np.array(list(itertools.product((0, 1), (0, 1))), dtype=np.uint8))
    values = {n: Quantity.undetermined(2.0) if n in unknown else Quantity(2.0, 1.0, 3.0, 0.9) for n in "ab"}
    model = parse_model_text(Source("m", b"a * x + b * y"), system, Parameters(values))
    notes: list[Note] = []
    (found,) = with_intervals([compared_model("m", model)], Basis(everything), 0.9, notes)
    assert (found.intervals, found.exact) == (None, False)
    assert [note.text for note in notes] == [f"m has no intervals: {text} (see splc calibrate)"]


@pytest.mark.parametrize("on", ["measured", "ff"])
def test_coverage_is_counted_on_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on: str) -> None:
    """Prediction intervals have the scatter of runs, and the runs inside are counted, not the means."""
    monkeypatch.chdir(tmp_path)
    noise = np.random.default_rng(2).normal(size=(10, 30))
    rows = [(x, 100 * x * math.exp(0.3 * each)) for x in range(1, 11) for each in noise[x - 1].tolist()]
    Path("t.csv").write_text("x,time\n" + "".join(f"{x},{time:.6g}\n" for x, time in rows))
    Path("analytical.txt").write_text("100 * x")
    learn(LearnRequest(measurements="t.csv", output="learned.log"))
    result = compare(
        CompareRequest(models=("analytical.txt", "learned.log"), measurements="t.csv", on=on, intervals=0.9)
    )
    covered = result.comparisons.judged[1].covered
    assert covered is not None
    assert 0.85 < covered < 0.97
    # Of the ten means, tenths would be inside.
    assert round(300 * covered) % 30 != 0
