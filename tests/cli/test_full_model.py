"""Full models in files: what predicts, also of earlier versions."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sampling import Space
from splc.formats.detect import read_variability_model
from splc.formats.models.read import read_model, read_stored_model
from splc.learning.projection.predictor import Ensemble
from tests.cli.conftest import MEASUREMENTS, SYSTEM, Run

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
