"""Changes between the measurements of two contexts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import sem

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import RequestError
from splc.formats.models.read import read_model
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.learn import Request
from splc.workflows.learn.contexts import run
from splc.workflows.learn.effects import mean_ratio


def measured(values: list[float]) -> Measurements:
    """Return the measurements of the first values of `x`."""
    rows = np.arange(len(values), dtype=np.uint8)[:, np.newaxis]
    system = VariabilityModel("s", (NumericOption("x", (1, 2, 3, 4)),))
    return Measurements(Configurations(system, rows), {"time": np.array(values)})


def test_ratios() -> None:
    """The mean ratio of common configurations has its standard error; values of 0 have no ratio."""
    count, mean, error, shifted = mean_ratio(measured([1, 2, 4, 0]), measured([2, 4.2, 7.6, 9]), "time")
    ratios = [2, 2.1, 1.9]
    assert (count, shifted) == (4, True)
    assert mean == pytest.approx(np.mean(ratios))
    assert error == pytest.approx(sem(ratios))
    assert mean_ratio(measured([1, 2, 4]), measured([1.1, 1.8, 4.1]), "time")[3] is False
    assert mean_ratio(measured([2, 2]), measured([3]), "time") == (1, 1.5, None, False)
    assert mean_ratio(measured([0]), measured([3]), "time") == (1, None, None, False)


def test_shared_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that are learned together have weights, and a change of the joint model; what cannot share is refused."""
    monkeypatch.chdir(tmp_path)
    space = [(a, b, n) for a in (0, 1) for b in (0, 1) for n in (1, 2, 4)]
    noise = np.random.default_rng(0)

    def row(version: int, a: int, b: int, n: int) -> str:
        value = 3 * 1.5**version * 2**a * 1.5 ** (b * version) * n**0.5 * np.exp(noise.normal(0, 0.01))
        return f"v{version},{a},{b},{n},{value}"

    rows = [row(version, *each) for version in (0, 1) for each in space]
    (tmp_path / "m.csv").write_text("\n".join(["version,a,b,n,time", *rows]) + "\n", encoding="utf-8")
    asked: dict[str, Any] = {"by": "version", "share": True, "measurements": "m.csv"}
    found = run(Request(output="m-{}.log", plot="changes.svg", **asked))
    assert set(found.weights) == {"v0", "v1"}
    (change,) = found.changes
    assert change.contrast is not None
    assert [each.option for each in change.contrast.settled] == ["b"]
    # Changes are computed once.
    assert change.influences is None
    assert found.shared is not None
    assert found.options == {"v0": "version_v0", "v1": "version_v1"}
    assert 0 < found.differing < len(found.shared.result.terms)
    assert found.plot == "changes.svg"
    assert found.shared.output == "m-shared.log"
    points = {"a": [1, 1], "b": [1, 1], "n": [4.0, 4.0], "version": ["v0", "v1"]}
    system = found.shared.measured.system
    model = read_model("m-shared.log", system)
    predicted = model.predict(Configurations.from_columns(system, points))
    np.testing.assert_allclose(predicted, [12, 27], rtol=0.05)
    for refused in ({"learner": "forest"}, {"given_terms": "terms.txt"}):
        with pytest.raises(RequestError, match="alone"):
            run(Request(write=False, **(asked | refused)))
