"""Commands with a table in which options never occur together: it is said, and marked where it matters."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run


@pytest.fixture
def table(folder: Path) -> Path:
    """Return a project folder of one table: `num` and `gen` never together, `a` only with `b`, at most one `e`."""
    rng = np.random.default_rng(3)
    (folder / "system.xml").unlink()
    with (folder / "measurements.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["num", "gen", "a", "b", "e1", "e2", "e3", "threads", "time"])
        for _ in range(60):
            num, group = rng.random() < 0.35, int(rng.integers(4))
            gen, a = not num and rng.random() < 0.5, rng.random() < 0.4
            b = a or rng.random() < 0.5
            row = [num, gen, a, b, *(group == each for each in (1, 2, 3))]
            threads = int(rng.choice([1, 2, 4, 8]))
            time = 6 - 1.5 * num - 1.2 * gen + 2 * a - b - 0.1 * threads + rng.normal(0, 0.02)
            writer.writerow([*map(int, row), threads, f"{time:.4f}"])
    return folder


def test_pairs_that_no_row_has_are_told(table: Path, run: Run) -> None:
    """They are no constraints, but listed, with the constraint that would exclude them."""
    found = json.loads(run("describe", "measurements.csv", "--json").stdout)["inferred"]
    assert found["constraints"] == []
    unseen = {each["text"] for each in found["unseen"]}
    assert {"num excludes gen", "a => b", "e1 excludes e2", "e1 excludes e3", "e2 excludes e3"} == unseen
    shown = run("describe", "measurements.csv")
    assert "num with gen (!num | !gen would exclude it)" in shown.stdout
    assert "no row has" in shown.stderr
    assert "splc init measurements.csv writes one" in shown.stderr
    run("init", "measurements.csv", "-o", "written.xml")
    assert "!num | !gen" in (table / "written.xml").read_text(encoding="utf-8")


def test_what_was_never_measured_together_is_marked(table: Path, run: Run) -> None:
    """An optimum, a prediction and a suggestion with such a pair have a note, also where the model is all there is."""
    run("learn")
    best = run("optimize", "learned.log")
    assert "the best configuration has num with gen" in best.stderr
    assert "together in no measured configuration" in best.stderr
    assert "suggested configurations have" in run("suggest", "--budget", "5").stderr
    (table / "measurements.csv").unlink()
    (table / "new.csv").write_text("num,gen,a,b,e1,e2,e3,threads\n1,1,0,0,0,0,0,1\n0,1,0,0,0,0,0,1\n", encoding="utf-8")
    assert "the best configuration has num with gen" in run("optimize", "learned.json").stderr
    assert "1 of 2 configurations has num with gen: together" in run("predict", "learned.json", "new.csv").stderr
    (table / "new.csv").write_text("num,gen,a,b,e1,e2,e3,threads\n0,1,0,0,0,0,0,1\n", encoding="utf-8")
    assert "together" not in run("predict", "learned.json", "new.csv").stderr


def test_no_constraints(table: Path, run: Run) -> None:
    """`--no-constraints` is refused where nothing is inferred: for a description, and for the system of a model."""
    run("learn", "--learner", "stepwise", "-o", "model.json")
    refused = run("predict", "model.json", "measurements.csv", "--no-constraints")
    assert refused.exit_code == 2
    assert "learn the model again with --no-constraints" in refused.stderr
    run("init", "measurements.csv", "-o", "system.xml")
    refused = run("describe", "--no-constraints")
    assert refused.exit_code == 2
    assert "the system is described" in refused.stderr


def test_a_violated_inferred_constraint_of_a_model(table: Path, run: Run) -> None:
    """A configuration that violates a constraint, which the table of a model led to, is refused with what to do."""
    rng = np.random.default_rng(0)
    a, *others = rng.integers(2, size=(6, 100))
    b = (1 - a) * rng.integers(2, size=100)
    header = ",".join(["a", "b", *(f"o{number}" for number in range(len(others)))])
    rows = np.stack([a, b, *others], axis=1)
    times = 3 + a - b + others[0] + rng.normal(0, 0.1, 100)
    lines = [f"{','.join(map(str, row))},{time:.3f}" for row, time in zip(rows.tolist(), times.tolist(), strict=True)]
    (table / "measurements.csv").write_text("\n".join([f"{header},time", *lines]) + "\n", encoding="utf-8")
    assert "1 inferred" in run("describe", "measurements.csv").stderr
    run("learn", "--learner", "stepwise", "-o", "model.json")
    (table / "new.csv").write_text(f"{header}\n1,1{',0' * len(others)}\n", encoding="utf-8")
    refused = run("predict", "model.json", "new.csv")
    assert refused.exit_code == 2
    assert "constraints are inferred from a table" in refused.stderr
