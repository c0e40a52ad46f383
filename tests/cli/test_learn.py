"""`splc learn`."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from splc import read_model, read_variability_model
from tests.cli.conftest import Run
from tests.support.paths import SMG2000
from tests.support.real_data import real

Refused = Callable[..., str]
SPLCONQUEROR = ("--preset", "splconqueror")


@pytest.fixture(autouse=True)
def _nothing_left_behind(folder: Path) -> None:
    """Give every test a project folder of its own, with time as the property."""
    (folder / "splc.toml").write_text('nfp = "time"\n', encoding="utf-8")


def files(folder: Path) -> set[str]:
    """Return the names of the files in a folder."""
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["learned.log", "model.json", "model.json.gz", "model.log.gz", "model"])
def test_every_file_is_the_model(run: Run, folder: Path, name: str) -> None:
    """The file of -o, a log or JSON, compressed or not, reads back as the model that was printed."""
    result = run("learn", "--json", *SPLCONQUEROR, "--sampling", "random:6", "-o", name)
    assert result.exit_code == 0, result.stderr
    model = read_model(name, read_variability_model("system.xml"))
    terms = {term.text(model.order): influence for term, influence in model.terms}
    assert terms == {term["term"]: term["influence"] for term in json.loads(result.stdout)["model"]["terms"]}


def test_json_file_has_provenance(run: Run, folder: Path) -> None:
    """The JSON file names the schema, the sampling, the seed, and the hashes of the inputs, also of models."""
    run("learn", "-o", "old.json")
    run("learn", "--sampling", "random:6", "--seed", "7", "--from", "old.json", "-o", "m.json")
    content = json.loads((folder / "m.json").read_text(encoding="utf-8"))
    assert (content["schema"], content["seed"]) == ("splc.model/1", 7)
    provenance = content["provenance"]
    assert provenance["sampling"] == "random:6"
    assert {*provenance["files"]} == {"system", "measurements"}
    assert [len(file["sha256"]) for file in (*provenance["files"].values(), *provenance["sources"])] == [64] * 3
    assert provenance["sources"][0]["path"] == "old.json"
    assert content["intervals"].get("joint", content["intervals"])["contexts"]["names"] == ["old.json", "measurements"]


@pytest.mark.parametrize("learner", [("--learner", "stepwise"), pytest.param((), marks=pytest.mark.slow)])
@pytest.mark.parametrize("dimension", ["1d", "2d", "3d"])
@pytest.mark.parametrize("sampling", ["ff", "pb:9,3", "pb:25,5", "pb:125,5", "pb:49,7", "cci", "random:50,seed=5"])
def test_the_case_study(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dimension: str, sampling: str, learner: tuple[str, ...]
) -> None:
    """Every sampling of the thesis works in the case study's folder as written there."""
    monkeypatch.chdir(SMG2000 / dimension)
    if dimension == "1d" and sampling.startswith("random"):
        sampling = "random:20,seed=5"
    result = run("learn", "--sampling", sampling, *learner, "-o", str(tmp_path / "learned.log"))
    assert result.exit_code == 0, result.stderr
    assert "model of solve_compute_seconds" in result.stdout
    assert (tmp_path / "learned.log").exists()


@pytest.mark.real_data
@pytest.mark.parametrize(("system", "error"), [("LLVM", 2.234), ("x264", 3.599)])
def test_the_published_errors(run: Run, tmp_path: Path, system: str, error: float) -> None:
    """With all measurements and the program's defaults the log has the published error."""
    files = ("--system", str(real(system, "FeatureModel.xml")), "--measurements", str(real(system, "measurements.xml")))
    result = run("learn", "--preset", "splconqueror", "--nfp", "Performance", "-o", str(tmp_path / "a.log"), *files)
    assert result.exit_code == 0, result.stderr
    text = (tmp_path / "a.log").read_text(encoding="utf-8")
    found = re.search(r"^Prediction Error: (\S+) %$", text, re.MULTILINE)
    assert found is not None
    assert float(found[1]) == pytest.approx(error, abs=5e-4)


def test_without_matplotlib(run: Run, refused: Refused, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib PNG is refused before anything is written, and SVG is written."""
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "matplotlib" else found(name))
    message = refused("learn", "--plot", "a.png")
    assert "pip install 'splc[plot]'" in message
    assert ".svg" in message
    assert "learned.log" not in files(folder)
    assert run("learn", "--plot", "a.svg").exit_code == 0
    assert "a.svg" in files(folder)
