"""One error for each model: the first line, the table, the JSON, `compare` and the page state the same numbers."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splc.io.numbers import percentage
from tests.cli.conftest import Run

ROWS = [(a, b, c, n) for a, b, c in product((0, 1), repeat=3) for n in (1, 2, 4, 8, 16)]
BY_MODELS = re.compile(r"error (?:on new configurations )?(\S+ %)[^(]*\(full model; printed (\S+ %)[;)]")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a table of 40 configurations with a scatter of 8 %; the folder is the current one."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(4)
    values = [(20 + 9 * a + n * (1 + b)) * (1 + 0.08 * draw.standard_normal()) for a, b, _, n in ROWS]
    lines = [",".join(map(str, (*row, f"{value:.5g}"))) for row, value in zip(ROWS, values, strict=True)]
    Path("table.csv").write_text("\n".join(["a,b,c,n,time", *lines]) + "\n", encoding="utf-8")
    Path("expert.txt").write_text("20 + 9 * a + n\n", encoding="utf-8")


def learned(run: Run, *arguments: str) -> tuple[str, dict[str, Any]]:
    """Return what learning prints, and its JSON file."""
    done = run("learn", "table.csv", "--options", "a,b,c,n", "-o", "model.json", *arguments)
    assert done.exit_code == 0, done.stderr
    return done.stdout, json.loads(Path("model.json").read_text(encoding="utf-8"))


def test_configurations_not_learned_from(run: Run) -> None:
    """Errors of the full and of the printed model: stated by learning, in its table and its file, and by compare."""
    text, content = learned(run, "--sampling", "random:24")
    errors = [content["error"], content["printed"]["error"]]
    expected = content["expected_error"]
    assert [expected["percent"], expected["printed"]] == pytest.approx(errors)
    first = BY_MODELS.search(text)
    assert first is not None
    stated = [percentage(error, 2) for error in errors]
    assert [*first.groups()] == stated
    row = next(line for line in text.splitlines() if line.startswith("error elsewhere"))
    assert [percentage(error) for error in reversed(errors)] == re.findall(r"\S+ %", row)
    compared = run("compare", "expert.txt", "model.json", "--measurements", "table.csv", "--options", "a,b,c,n").stdout
    shown = f"model.json {stated[1]} (printed model; its full model {stated[0]})"
    assert shown in compared.splitlines()[0]
    assert compared.startswith("error on 16 configurations not learned from: ")


@pytest.mark.slow
def test_page(run: Run) -> None:
    """The page of a model states its errors as learning does."""
    text, _ = learned(run, "--sampling", "random:24")
    assert run("report", "model.json", "--measurements", "table.csv", "-o", "page.md").exit_code == 0
    stated = text.split(";")[0].removeprefix("t")
    assert stated in Path("page.md").read_text(encoding="utf-8")


def test_held_out_folds(run: Run) -> None:
    """Where all is learned from, the errors are those of held-out folds; compare says that nothing is new."""
    text, content = learned(run)
    errors = [content["cross_validated"]["mean"], content["printed"]["cross_validated"]["mean"]]
    first = BY_MODELS.search(text)
    assert first is not None
    assert [*first.groups()] == [percentage(error, 2) for error in errors]
    compared = run("compare", "expert.txt", "model.json", "--measurements", "table.csv", "--options", "a,b,c,n")
    assert compared.stdout.startswith("error against the measurements: ")
    assert "model.json was learned from all: expect larger errors on new ones" in compared.stderr


def test_no_influence(run: Run) -> None:
    """Where the model is a constant, no setting is recommended but the best measured one."""
    draw = np.random.default_rng(1)
    values = np.exp(0.3 * draw.standard_normal(len(ROWS)))
    lines = [",".join(map(str, (*row, f"{value:.5g}"))) for row, value in zip(ROWS, values, strict=True)]
    Path("table.csv").write_text("\n".join(["a,b,c,n,time", *lines]) + "\n", encoding="utf-8")
    learned(run)
    for option, best in (("--maximize", values.max()), ("--printed", values.min()), ("", values.min())):
        arguments = ("optimize", "model.json", "--measurements", "table.csv", *filter(None, [option]))
        first, configuration = run(*arguments).stdout.splitlines()
        assert first.startswith(f"no setting is better than the noise; best measured: {best:.5g}; predicted: ")
        assert f"n={ROWS[int(np.flatnonzero(values == best)[0])][3]}" in configuration
    assert run("optimize", "model.json").stdout.startswith("no setting is better than the noise; predicted: ")
