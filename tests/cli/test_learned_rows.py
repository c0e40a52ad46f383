"""An error on configurations that a model was learned from is stated as such."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run

CASES = {"seen": 20, "both": 20, "unseen": 0}


@pytest.fixture(scope="module")
def learned(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Write a table of 32 configurations, parts of it, and a model of 20 of them, into the current folder."""
    rng = np.random.default_rng(3)
    rows = [
        f"{a},{b},{n},{(2 + a + 3 * b * n) * rng.normal(1, 0.05):.6g}"
        for a in (0, 1)
        for b in (0, 1)
        for n in range(1, 9)
    ]
    rng.shuffle(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("learned"))
        for name, part in {"both": rows, "seen": rows[:20], "unseen": rows[20:]}.items():
            Path(f"{name}.csv").write_text("\n".join(["a,b,n,time", *part]) + "\n", encoding="utf-8")
        assert run("init", "both.csv", "--property", "time", "-o", "system.xml").exit_code == 0
        assert run("learn", "--measurements", "seen.csv").exit_code == 0
        yield


@pytest.mark.usefixtures("learned")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("model", ["learned.json", "learned.log"])
def test_judged_by_rows_learned_from(name: str, model: str, run: Run) -> None:
    """`predict` and `compare` count the configurations with an error that the model was learned from."""
    Path("formula.txt").write_text("2 + a + 3 * b * n\n", encoding="utf-8")
    for command in (
        ("predict", model, f"{name}.csv"),
        ("predict", model, f"{name}.csv", "--printed"),
        ("compare", "formula.txt", model, "--measurements", f"{name}.csv"),
        ("compare", "formula.txt", model, "--on", f"{name}.csv"),
    ):
        done = run(*command)
        assert done.exit_code == 0, done.stderr
        notes = [line for line in done.stderr.splitlines() if "learned from" in line]
        assert len(notes) == (CASES[name] > 0), (command, done.stderr)
        assert all(f"{model} was learned from" in line and "formula.txt" not in line for line in notes)
        assert all(("learned from all" if name == "seen" else "learned from 20") in line for line in notes)
