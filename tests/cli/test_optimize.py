"""`splc optimize`."""

from __future__ import annotations

import json
from collections.abc import Callable
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

Refused = Callable[..., str]


@pytest.fixture(autouse=True)
def _model(folder: Path) -> None:
    """Put a model into the project folder."""
    (folder / "model.txt").write_text("20 - 10 * cache + x * right - 2 * x\n", encoding="utf-8")


def optimal(run: Run, *arguments: str) -> Any:
    """Return the JSON object of a run."""
    result = run("optimize", "--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_a_learned_log(run: Run) -> None:
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


class TestGroups:
    """A column of text as an alternative group."""

    ARGUMENTS = ("--measurements", "table.csv", "--options", "codec,x")

    @pytest.fixture(autouse=True)
    def _table(self, folder: Path) -> None:
        rows = [f"{codec},{x},{x}" for codec in ("bz2", "lzma", "zlib") for x in (1, 2)]
        (folder / "table.csv").write_text("\n".join(["codec,x,time", *rows]), encoding="utf-8")
        (folder / "system.xml").unlink()
        (folder / "model.txt").write_text("3 * codec_bz2 + 2 * codec_lzma + codec_zlib + x", encoding="utf-8")

    def test_what_is_in_all(self, run: Run, folder: Path) -> None:
        """The options in all configurations are listed without those that are always selected, or not at all."""
        lines = run("optimize", "model.txt", "--top", "6", *self.ARGUMENTS).stdout.splitlines()
        assert lines[2].split() == ["1", "2", "1", "codec=zlib,", "x=1"]
        assert not any(line.startswith("in all") for line in lines)
        lines = run("optimize", "model.txt", "--top", "2", "--fix", "codec=bz2", *self.ARGUMENTS).stdout.splitlines()
        assert "in all: codec=bz2" in lines
        lines = run("optimize", "model.txt", "--top", "2", "--property", "time", *self.ARGUMENTS).stdout.splitlines()
        assert lines[-1].startswith("best measured: ")
        assert lines[-1].partition("): ")[2].split(",")[0].startswith("codec=")


class TestMeasurements:
    def test_measurements_that_cannot_be_used(self, run: Run, refused: Refused, folder: Path) -> None:
        """A note says why measured values are missing; it is an error if they were asked for."""
        result = run("optimize", "model.txt")
        assert "measured values are not shown: there are several properties: time, energy; choose one" in result.stderr
        assert "the property 'power' was not measured" in refused("optimize", "model.txt", "--property", "power")
        (folder / "measurements.csv").write_text("nonsense", encoding="utf-8")
        assert "measured values are not shown: " in run("optimize", "model.txt").stderr
        assert "measurements.csv" in refused("optimize", "model.txt", "--measurements", "measurements.csv")


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
