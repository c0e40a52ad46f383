"""Predictions of the programs of a model by the languages that they are written in."""

from __future__ import annotations

import ctypes
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
from splc.formats.models.programs.c_program import c_program
from splc.formats.models.programs.program import program_of
from splc.formats.models.programs.program_text import program_text
from splc.formats.models.programs.python_program import python_program
from splc.formats.models.stored_model import StoredModel
from splc.types import Array
from tests.support.paths import ROOT

EVALUATOR = ROOT / "splc" / "report" / "assets" / "predict.js"
WARNINGS = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror")
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


def python_module(stored: StoredModel, folder: Path) -> Mapping[str, Any]:
    """Return the names of the Python module of a model."""
    file = folder / "exported.py"
    file.write_text(python_program(program_of(stored)), encoding="utf-8")
    return runpy.run_path(str(file))


def compiler() -> str:
    """Return the compiler of C; skip the test where there is none."""
    found = shutil.which("gcc") or shutil.which("cc")
    if found is None:
        pytest.skip("there is no compiler of C")
    return found


def c_predictions(stored: StoredModel, rows: Sequence[Mapping[str, float | None]], folder: Path) -> Array:
    """Return the predictions of the C of a model, shape (n, 2): of what predicts, and of the printed model."""
    program = program_of(stored)
    # Loaded libraries stay loaded: each needs a name of its own.
    file = folder / f"exported{len(list(folder.iterdir()))}.c"
    file.write_text(c_program(program), encoding="utf-8")
    library = file.with_suffix(".so")
    command = [compiler(), *WARNINGS, "-shared", "-fPIC", str(file), "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = ctypes.CDLL(str(library))
    functions = [loaded.predict, getattr(loaded, "predict_printed", loaded.predict) if program.full else loaded.predict]
    found = np.empty((len(rows), 2))
    for at, row in enumerate(rows):
        values = [row[each.name] for each in program.options]
        array = (ctypes.c_double * max(len(values), 1))(*(math.nan if each is None else each for each in values))
        for place, function in enumerate(functions):
            function.restype = ctypes.c_double
            found[at, place] = function(array)
    return found


def javascript_predictions(stored: StoredModel, rows: Sequence[Mapping[str, float | None]]) -> Array:
    """Return predictions of the evaluator in JavaScript, shape (n, 2); skip the test without node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    text = json.dumps(json.loads(program_text(program_of(stored)))) + "\n" + json.dumps(rows)
    command = [node, "-e", _READ, str(EVALUATOR)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return np.array([[float(each) for each in row] for row in json.loads(done.stdout)])
