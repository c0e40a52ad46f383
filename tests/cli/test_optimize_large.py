"""`splc optimize` of systems that are too large for decision diagrams, or have too many combinations to examine."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from sampling.space import satisfiability
from tests.cli.conftest import Run

needs_sat = pytest.mark.skipif(not satisfiability.is_installed(), reason="python-sat is not installed")
OPTIONS = 150


def clauses() -> list[list[int]]:
    """Return random clauses over all options, which no engine counts in a short time."""
    rng = np.random.default_rng(5)
    chosen = [rng.choice(OPTIONS, 3, replace=False) + 1 for _ in range(3 * OPTIONS)]
    return [(each * rng.choice([-1, 1], 3)).tolist() for each in chosen]


@pytest.fixture
def entangled(folder: Path) -> Path:
    """Return the project folder, whose system are options that random constraints connect."""
    rows = [" | ".join(f"{'!' * (literal < 0)}o{abs(literal)}" for literal in clause) for clause in clauses()]
    features = "".join(f"            o{number}\n" for number in range(1, OPTIONS + 1))
    constraints = "".join(f"    {row}\n" for row in rows)
    (folder / "system.xml").unlink()
    (folder / "measurements.csv").unlink()
    text = f"features\n    entangled\n        optional\n{features}constraints\n{constraints}"
    (folder / "entangled.uvl").write_text(text, encoding="utf-8")
    return folder


def optimum(influences: dict[tuple[int, ...], float]) -> float:
    """Return the least value of a model: each combination of its options is asked for."""
    from pysat.solvers import Cadical153

    used = sorted({option for options in influences for option in options})
    with Cadical153(bootstrap_with=clauses()) as solver:
        return min(
            sum(value for options, value in influences.items() if all(row[used.index(each)] > 0 for each in options))
            for row in itertools.product((-1, 1), repeat=len(used))
            if solver.solve(assumptions=[sign * option for sign, option in zip(row, used, strict=True)])
        )


@needs_sat
def test_the_optimum_is_exact(entangled: Path, run: Run) -> None:
    """The optimum of few terms over many connected options is found exactly, and the output says by what."""
    influences = {(1,): 3.0, (2, 3): -4.0, (4,): -1.5, (5, 6): 2.5, (7,): -2.0, (2,): 1.0, (3, 8): -2.5, (9, 1): -7.0}
    text = " + ".join(f"{value} * {' * '.join(f'o{each}' for each in key)}" for key, value in influences.items())
    (entangled / "model.txt").write_text(text, encoding="utf-8")
    found = run("optimize", "model.txt", "--json")
    assert found.exit_code == 0, found.stderr
    best = json.loads(found.stdout)
    assert best["predicted"] == pytest.approx(optimum(influences))
    assert (best["engine"], best["exhaustive"]) == ("MaxSAT (RC2)", True)
    row = {int(name[1:]) for name, value in best["configuration"].items() if value and name != "entangled"}
    assert all(any((each > 0) == (abs(each) in row) for each in clause) for clause in clauses())
    assert "exactly, by MaxSAT (RC2)" in run("optimize", "model.txt").stdout
    top = json.loads(run("optimize", "model.txt", "--top", "5", "--json").stdout)["top"]
    values = [each["predicted"] for each in top]
    assert values == sorted(values)
    used = sorted({option for options in influences for option in options})
    assert len({tuple(each["configuration"][f"o{number}"] for number in used) for each in top}) == 5


@needs_sat
def test_long_results_are_short(entangled: Path, run: Run) -> None:
    """Of hundreds of options the text has those of the model, and the next step no long command; `-v` lists all."""
    (entangled / "model.txt").write_text("2 * o1 - o2 * o3 - o4", encoding="utf-8")
    short = run("optimize", "model.txt")
    assert "more (-v lists all)" in short.stdout
    assert len(short.stdout.splitlines()) < 20
    assert "splc explain" not in short.stderr
    listed = run("optimize", "model.txt", "-v")
    assert len(listed.stdout.splitlines()) > 40
    # With few constraints: an engine would need seconds to count all of them.
    text = (entangled / "entangled.uvl").read_text(encoding="utf-8")
    (entangled / "entangled.uvl").write_text("\n".join(text.splitlines()[:-380]) + "\n", encoding="utf-8")
    described = run("describe")
    assert "-v lists all, --tree 3 shows the hierarchy" in described.stdout
    assert len(described.stdout.splitlines()) < 60
    assert len(run("describe", "-v").stdout.splitlines()) > OPTIONS
