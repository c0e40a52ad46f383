"""The command learn on every real system, and its full model."""

from __future__ import annotations

import csv
import importlib.util
import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sampling import Space
from splc.formats.detect import read_variability_model
from splc.formats.models.read import read_model, read_stored_model
from splc.learning.projection.predictor import Ensemble
from tests.cli.conftest import MEASUREMENTS, SYSTEM, Run
from tests.support.shared_systems import SYSTEMS, VERSIONS, small_table

Refused = Callable[..., str]


def test_without_matplotlib(run: Run, refused: Refused, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib PNG is refused before anything is written, and SVG is written."""
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "matplotlib" else found(name))
    message = refused("learn", "--plot", "a.png")
    assert "pip install 'splc[plot]'" in message
    assert ".svg" in message
    assert not (models / "learned.log").exists()
    assert run("learn", "--plot", "a.svg").exit_code == 0
    assert (models / "a.svg").exists()


KINDS = {
    "default": (),
    "readable": ("--readable",),
    "product": ("--form", "product"),
    "splconqueror": ("--preset", "splconqueror"),
}
CASES = list(itertools.product(SYSTEMS, (True, False), KINDS, (True, False)))
REST = len(CASES) // len(SYSTEMS)


def chosen(at: int) -> bool:
    """Return whether a case belongs to the usual run: every fifth system with one of the rest, in turn."""
    system, rest = divmod(at, REST)
    return system % 5 == 1 and rest == system - 1


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "described", "kind", "versions"),
    [
        pytest.param(
            *case,
            id=f"{case[0]}-{'description' if case[1] else 'table'}-{case[2]}{'-by' if case[3] else ''}",
            marks=() if chosen(at) else pytest.mark.slow,
        )
        for at, case in enumerate(CASES)
    ],
)
def test_matrix(
    name: str, described: bool, kind: str, versions: bool, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Learning ends with a model, or refuses with a message."""
    monkeypatch.chdir(tmp_path)
    nfp = small_table(name, tmp_path, versions=versions)
    description = tmp_path / "system.xml"
    if described and not description.exists():
        result = run("init", "--property", nfp, "-o", "system.xml")
        assert result.exit_code == 0, result.stderr
    if not described:
        description.unlink(missing_ok=True)
    by = ("--by", "version") if versions else ()
    context = ("--context", "version") if versions else ()
    result = run("learn", "--property", nfp, *KINDS[kind], *by, *context)
    assert result.exit_code in (0, 2), result.stderr
    written = [file for file in tmp_path.glob("learned*.log") if file.stat().st_size]
    if result.exit_code == 0:
        assert result.stdout
        assert len(written) == (len(VERSIONS) if versions else 1)
    else:
        assert result.stderr.strip()
        assert not written


def test_the_usual_run_is_representative() -> None:
    """The usual run has described and other systems, every kind of model, with and without versions."""
    usual = [case for at, case in enumerate(CASES) if chosen(at)]
    assert [set(each) for each in zip(*usual, strict=True)][1:] == [{True, False}, set(KINDS), {True, False}]


TABLE = "cache,left,right,x\n0,1,0,1\n1,1,0,4\n0,0,1,2\n"


@pytest.fixture(scope="module")
def once(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project folder with a learned model and a table of configurations."""
    folder = tmp_path_factory.mktemp("learned")
    for name, text in (("system.xml", SYSTEM), ("measurements.csv", MEASUREMENTS), ("new.csv", TABLE)):
        (folder / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run("learn", "--property", "time").exit_code == 0
    return folder


@pytest.fixture
def learned(once: Path, folder: Path) -> Path:
    """Return a copy of this folder, which is the current folder."""
    shutil.copytree(once, folder, dirs_exist_ok=True)
    return folder


def changed(file: Path, **values: Any) -> None:
    """Change the content of a JSON file; None removes a key."""
    content = {**json.loads(file.read_text(encoding="utf-8")), **values}
    file.write_text(json.dumps({key: value for key, value in content.items() if value is not None}), encoding="utf-8")


def test_the_full_model_predicts(learned: Path, run: Run) -> None:
    """Predictions are those of the result in Python; --printed predicts with the formula of the log."""
    system = read_variability_model("system.xml")
    stored = read_stored_model("learned.json", system)
    configurations = Space(system).enumerate()
    assert isinstance(stored.full, Ensemble)
    assert stored.predictor is stored.full
    assert stored.printed.predictor == stored.model == read_model("learned.log", system)
    assert not np.allclose(stored.full.predict(configurations), stored.model.predict(configurations), rtol=1e-3)
    for more, model in (((), stored.full), (("--printed",), stored.model)):
        found = [*csv.DictReader(run("predict", "learned.log", "new.csv", *more).stdout.splitlines())]
        asked = {name: [float(row[name]) for row in found] for name in ("cache", "left", "right", "x")}
        expected = model.predict(type(configurations).from_columns(system, asked))
        assert [float(row["predicted"]) for row in found] == pytest.approx(expected, rel=1e-12)


def test_files_of_earlier_versions(learned: Path, run: Run) -> None:
    """A file without a description, and without intervals of the printed model, is read with the folder's system."""
    new = run("predict", "learned.json", "new.csv", "--interval").stdout
    changed(learned / "learned.json", description=None, printed=None, observed=None, log=None, forms=None)
    assert run("predict", "learned.json", "new.csv", "--interval").stdout == new
    assert run("predict", "learned.json", "new.csv", "--interval", "--printed").exit_code == 2
    changed(learned / "learned.json", intervals=None)
    printed = run("predict", "learned.json", "new.csv").stdout
    assert printed == run("predict", "learned.log", "new.csv", "--printed").stdout
