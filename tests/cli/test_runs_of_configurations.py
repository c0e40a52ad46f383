"""Commands on tables whose runs of one configuration differ: what they say holds for a run."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run

# The factor of each block of rows that has one run of each configuration.
BLOCKS = (1.0, 1.7, 1.3, 2.0, 1.1)


@pytest.fixture
def blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a table of 16 configurations in five workloads, whose column is missing; its folder is the current one."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    rows = ["p,q,n,seconds"]
    for factor in BLOCKS:
        for p, q, n in product((0, 1), (0, 1), (1, 2, 4, 8)):
            rows.append(f"{p},{q},{n},{(3 + p + 2 * q + n) * factor * np.exp(0.003 * rng.normal()):.5f}")
    (tmp_path / "table.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path / "table.csv"


def test_learn_states_the_error_of_a_run(run: Run, blocks: Path) -> None:
    """The first line has the error of a single run; the first warning names blocks and the command for a context."""
    result = run("learn", str(blocks), "-o", "m.json")
    assert "for a single run" in result.stdout.splitlines()[0]
    warning = result.stderr.partition("\nnote:")[0]
    assert "in blocks of 16 rows" in warning
    assert "--by COLUMN" in warning
    expected = json.loads(Path("m.json").read_text(encoding="utf-8"))["expected_error"]
    assert expected["percent"] < 2
    assert expected["run"] > 15
    # 9 of 10 runs, not means, are within the factor.
    assert expected["factor"] > 1.3


def test_coverage_is_counted_on_runs(run: Run, blocks: Path) -> None:
    """`predict --interval` counts rows of the table, and `optimize` states the interval of a run."""
    run("learn", str(blocks), "-o", "m.json")
    found = json.loads(run("predict", "m.json", str(blocks), "--interval", "--json").stdout)
    table = [line.split(",") for line in blocks.read_text(encoding="utf-8").splitlines()[1:]]
    places = {key: at for at, key in enumerate(dict.fromkeys(tuple(row[:3]) for row in table))}
    low, high = (np.array(found["intervals"][end]) for end in ("low", "high"))
    at = np.array([places[tuple(row[:3])] for row in table])
    values = np.array([float(row[3]) for row in table])
    share = float(np.mean((low[at] <= values) & (values <= high[at])))
    assert found["intervals"]["covered"] == pytest.approx(share)
    assert 0.8 <= share <= 1
    assert found["run_error"] > 15 > found["error"]
    best = json.loads(run("optimize", "m.json", "--json").stdout)
    assert best["interval"]["high"] > 1.3 * best["predicted"]


@pytest.mark.parametrize("command", ["describe", "replay", "optimize", "compare"])
def test_other_commands_name_the_pattern(run: Run, blocks: Path, command: str) -> None:
    """`describe` and replays of tuning say that runs move together; a replay that its regret is one of means."""
    if command == "describe":
        found = json.loads(run("describe", str(blocks), "--json").stdout)["measurements"]["properties"][0]["pattern"]
        assert "in blocks of 16 rows" in found
        return
    if command in ("optimize", "compare"):
        models = ["model.txt", "other.txt"][: 1 + (command == "compare")]
        for model in models:
            Path(model).write_text("3 + p + 2 * q + n\n", encoding="utf-8")
        assert "in blocks of 16 rows" in run(command, *models, "--measurements", str(blocks)).stderr
        return
    result = run("tune", "--replay", str(blocks), "--budget", "6", "--seeds", "1")
    assert "in blocks of 16 rows" in result.stderr
    assert "regrets are those of means" in result.stderr


def test_a_front_names_both_errors_and_keeps_its_points(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Pareto front states the error of each model, and no command that leaves one of its points out."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    rows = ["a,b,c,n,time,energy"]
    for a, b, c, n in product((0, 1), (0, 1), (0, 1), (1, 2, 4, 8)):
        good = 0.1 if (a, b, c, n) == (0, 0, 0, 1) else 1
        rows.append(f"{a},{b},{c},{n},{(3 + a + n * (1 + b / 2)) * good:.4f},{rng.lognormal(1, 1):.4f}")
    Path("table.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    single = run("learn", "table.csv", "--property", "time")
    assert "sed 2d" in single.stderr
    result = run("optimize", "--measurements", "table.csv", "--property", "time", "--property", "energy")
    assert "an outlier?" in result.stderr
    assert "sed" not in result.stderr
    first = result.stdout.splitlines()[0]
    assert re.search(r"expected errors: time 3\d %, energy 12\d %$", first)
    for name in ("time", "energy"):
        run("learn", "table.csv", "--property", name, "-o", f"{name}.json")
    assert run("optimize", "time.json", "energy.json").stdout.splitlines()[0] == first
