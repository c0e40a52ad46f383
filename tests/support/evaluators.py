"""Predictions of the programs of a model by the languages that they are written in."""

from __future__ import annotations

import json
import math
import runpy
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.formats.detect import model_writers
from splc.formats.models.stored_model import ModelFile, StoredModel
from splc.types import Array
from tests.support.paths import ROOT

EVALUATOR = ROOT / "splc" / "report" / "assets" / "predict.js"
_READ = """
const splc = require(process.argv[1]);
const [program, rows_] = require("fs").readFileSync(0, "utf8").split("\\n").map(line => line && JSON.parse(line));
const rows = rows_.map(x => [splc.predict(program, x)[0], splc.printed(program.printed, x)[0]]);
console.log(JSON.stringify(rows.map(row => row.map(String))));
"""


def assignments(configurations: Configurations) -> list[dict[str, float | None]]:
    """Return configurations as option → value, with observed variables; None where it is deselected."""
    system = configurations.system
    columns = {name: configurations.column(name).tolist() for name in (*system.names, *system.observed)}
    return [
        {name: None if math.isnan(column[row]) else column[row] for name, column in columns.items()}
        for row in range(len(configurations))
    ]


def written(stored: StoredModel, suffix: str) -> str:
    """Return the text of a file of a model."""
    text: str = model_writers()[suffix].write(ModelFile([stored]))
    return text


def python_module(stored: StoredModel, folder: Path) -> Mapping[str, Any]:
    """Return the names of the Python module of a model."""
    file = folder / "exported.py"
    file.write_text(written(stored, ".py"), encoding="utf-8")
    return runpy.run_path(str(file))


def javascript_predictions(stored: StoredModel, rows: Sequence[Mapping[str, float | None]]) -> Array:
    """Return predictions of the evaluator in JavaScript, shape (n, 2)."""
    text = json.dumps(json.loads(written(stored, ".program.json"))) + "\n" + json.dumps(rows)
    return np.array([[float(each) for each in row] for row in json.loads(in_node(_READ, text))])


def in_node(code: str, text: str) -> str:
    """Return what a script prints that is given the file of the evaluator and a text; skip the test without node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    command = [node, "-e", code, str(EVALUATOR)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
