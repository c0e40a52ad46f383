"""Options that change a computation: the answer with one of them differs from the answer without it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.paths import SMG2000
from tests.support.tracked import copy_tracked

POINTS = "measurements.csv --where py=2 --coordinates px,nx --metric solve_seconds"
SUGGEST = f"scale {POINTS} --suggest"
# A command, the key of its answer, and the options.
EFFECTS = {
    "calibrate --free alpha,beta": (
        "parameters",
        (
            "--bound alpha=0..1e-6 --bound beta=0..1e-12",
            *("--weights log", "--weights absolute", "--level 0.5", "--aggregate min"),
            "--context iterations --where iterations=7",
        ),
    ),
    "calibrate --free beta": ("error_cross_validated", ("--folds 3", "--seed 4")),
    "suggest --measurements few.csv --budget 2": (
        "next",
        ("--goal optimum", "--goal optimum --maximize", "--cost load_average", "--fix px=4", "--where iterations=8"),
    ),
    SUGGEST: ("next", ("--count 2", "--axis px=64,128")),
    f"{SUGGEST} ": ("spent", ("--cost px*value",)),
    f"{SUGGEST} --count 40": ("candidates", ("--extend 3",)),
    f"{SUGGEST} --target px=8,nx=800": ("next", ("--strategy cheapest", "--budget 1", "--repetitions 1", "--count 2")),
    "learn --preset splconqueror --sampling measured:30": (
        "model",
        ("--set numberOfRounds=2", "--seed 3", "--nfp messages", "--aggregate min", "--where iterations=7"),
    ),
    f"scale {POINTS}": ("model", ("--set method=extrap", "--set aggregate=median")),
    "compare analytical.txt other.txt": (
        "semantic",
        ("--on pb:9,3", "--reference second", "--weights measured", "--where iterations=7", "--parameter f=1e-6"),
    ),
    "compare analytical.txt other.txt --on ff": ("syntactic", ("--no-constant",)),
    "optimize analytical.txt": ("top", ("--top 2", "--maximize", "--fix px=4")),
    "optimize --measurements few.csv": ("top", ("--where iterations=8", "--aggregate min", "--nfp messages")),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of a case study with a second model and a table of few rows, which is the current folder."""
    folder = copy_tracked(SMG2000 / "2d", tmp_path / "2d")
    analytical = (folder / "analytical.txt").read_text(encoding="utf-8")
    (folder / "other.txt").write_text(f"{analytical}# another one\n".replace("20 *", "15 *"), encoding="utf-8")
    header, *rows = (folder / "measurements.csv").read_text(encoding="utf-8").splitlines()
    # Every 15th configuration, with its three runs.
    few = [row for index, row in enumerate(rows) if index // 3 % 15 == 0]
    (folder / "few.csv").write_text("\n".join([header, *few]), encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("command", EFFECTS)
@pytest.mark.usefixtures("project")
def test_options_change_the_answer(run: Run, command: str) -> None:
    """Each option changes what the command answers, not only what it says about its settings."""
    key, options = EFFECTS[command]

    def answer(option: str = "") -> object:
        result = run(*shlex.split(f"{command} {option} --json"))
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)[key]

    plain = answer()
    unchanged = [option for option in options if answer(option) == plain]
    assert not unchanged
