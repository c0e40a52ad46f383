"""`splc optimize`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sampling import Space
from splc.formats.models.json_writer import learned_json_text
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.learning.intervals import READERS
from tests.cli.conftest import Run
from tests.support.learning_results import Band, small_system, uncertain_result
from tests.support.paths import SMG2000


def optimal(run: Run, *arguments: str) -> Any:
    """Return the JSON object of a run."""
    result = run("optimize", "--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_a_learned_log(run: Run, folder: Path) -> None:
    """The optimum of a learned log is predicted by it, too."""
    run("learn", "--property", "time")
    found = optimal(run, "learned.log")
    header = ",".join(found["configuration"])
    row = ",".join(str(value) for value in found["configuration"].values())
    table = run("predict", "learned.log", "-", stdin=f"{header}\n{row}\n").stdout
    assert float(table.splitlines()[1].rpartition(",")[2]) == pytest.approx(found["predicted"])


def test_the_case_study(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the case study the least predicted time is found among its configurations, and below the greatest."""
    monkeypatch.chdir(SMG2000 / "3d")
    log = str(tmp_path / "learned.log")
    run("learn", "--sampling", "pb:25,5", "-o", log)
    found = optimal(run, log)
    assert set(found["configuration"]) == {"px", "py", "pz", "nx"}
    assert found["predicted"] <= json.loads(run("optimize", log, "--json", "--maximize").stdout)["predicted"]


@pytest.mark.parametrize("maximize", [False, True])
def test_a_product_with_intervals(run: Run, folder: Path, maximize: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimum of a product is that of its sum; a stored model gives its interval."""
    result = uncertain_result("log")
    result_system = small_system()
    monkeypatch.setitem(READERS, "band", lambda content, _: Band(result.model, content["width"]))
    write_variability_model(result_system, folder / "small.xml")
    (folder / "m.json").write_text(learned_json_text(result), encoding="utf-8")
    arguments = ("m.json", "--system", "small.xml", *(["--maximize"] if maximize else []))
    found = optimal(run, *arguments)
    predicted = result.model.predict(Space(result_system).enumerate())
    best = predicted.max() if maximize else predicted.min()
    assert found["predicted"] == pytest.approx(best)
    assert found["interval"] == pytest.approx({"level": 0.9, "low": best * 0.875, "high": best * 1.125})
    first = run("optimize", *arguments).stdout.splitlines()[0]
    assert first.endswith(f", 90 % interval {best * 0.875:.6g} to {best * 1.125:.6g}")
