"""Models that are used in the folder of another project: their own system is used, and nothing of the folder."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

TOML = 'system = "system.xml"\nmeasurements = "measurements.csv"\nproperty = "time"\n'


@pytest.fixture
def elsewhere(run: Run, folder: Path) -> Path:
    """Return a project folder with a model and tables of another system, which is learned without a description."""
    other = folder / "other"
    other.mkdir()
    rows = [*itertools.product((0, 1), (1, 5))]
    lines = [f"{mode},{pan},{10 + 3 * pan + 2 * mode}" for mode, pan in rows]
    (other / "train.csv").write_text("\n".join(["mode,pan,seconds", *lines * 3, ""]), encoding="utf-8")
    (other / "test.csv").write_text("mode,pan,seconds\n1,9,39\n0,9,37\n", encoding="utf-8")
    assert run("learn", "--system", "other/train.csv", "-o", "m.json", "-q").exit_code == 0
    (folder / "splc.toml").write_text(TOML, encoding="utf-8")
    return folder


COMMANDS = {
    "predict": ["m.json", "other/test.csv"],
    "explain": ["m.json"],
    "explain one": ["m.json", "mode,pan=5"],
    "optimize": ["m.json"],
    "optimize with measurements": ["m.json", "--measurements", "other/test.csv"],
    "compare": ["m.json", "m.json"],
    "compare with measurements": ["m.json", "m.json", "--measurements", "other/test.csv"],
    "report": ["m.json", "-o", "r.html"],
    "learn from it": ["other/test.csv", "--from", "m.json", "-o", "new.json"],
    "suggest from it": ["--from", "m.json", "--budget", "1", "--measurements", "other/test.csv"],
    "convert": ["m.json", "-o", "m.py"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands(run: Run, elsewhere: Path, name: str) -> None:
    """Every command that takes a model uses its own system."""
    done = run(name.split(maxsplit=1)[0], *COMMANDS[name])
    assert done.exit_code == 0, done.stderr
    assert "the options are those of system.xml" not in done.stderr
    if name.split(maxsplit=1)[0] != "convert":
        assert "the system is that of the model" in done.stderr


def test_a_named_description_is_used(run: Run, elsewhere: Path) -> None:
    """`--system` names the system to use instead."""
    assert "unknown option 'pan'" in run("explain", "m.json", "--system", "system.xml").stderr


def test_own_folder(run: Run, elsewhere: Path) -> None:
    """A model of the system of the folder is used with what else is in the folder."""
    run("learn", "-o", "own.json", "-q")
    assert json.loads(run("optimize", "own.json", "--json").stdout)["best_measured"] is not None


def test_described_tables(run: Run, elsewhere: Path) -> None:
    """The options of a table of another system are inferred, those of a table of the folder's system are described."""
    assert json.loads(run("describe", "other/train.csv", "--json").stdout)["numeric_options"] == ["pan"]
    assert json.loads(run("describe", "measurements.csv", "--json").stdout)["binary_options"] != []


MORE = [
    f"{pan},{extra},{mode},{10 + 3 * pan + 2 * mode}"
    for mode, pan in itertools.product((0, 1), (1, 9))
    for extra in (0, 1)
]
TABLES = {
    "more": "\n".join(["pan,extra,mode,seconds", *MORE, ""]),
    "another": "a,b,seconds\n0,1,2\n1,2,3\n",
    "a part": "pan,seconds\n1,2\n5,9\n",
    "numbers": "pan,mode,seconds\n1,2,2\n5,0,9\n9,3,4\n",
}
LINES = {
    "predict": ["m.json", "x.csv"],
    "explain": ["m.json", "--measurements", "x.csv"],
    "explain one": ["m.json", "mode,pan=5", "--measurements", "x.csv"],
    "optimize": ["m.json", "--measurements", "x.csv"],
    "compare": ["m.json", "m.json", "--measurements", "x.csv"],
    "report": ["m.json", "--measurements", "x.csv", "-o", "r.md"],
    "suggest": ["--from", "m.json", "--measurements", "x.csv", "--budget", "1"],
    "calibrate": ["m.json", "--measurements", "x.csv", "--free", "scale"],
}


@pytest.fixture
def other(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the tables, with the model and without a description; it is the current one."""
    (elsewhere / "m.json").rename(elsewhere / "other" / "m.json")
    monkeypatch.chdir(elsewhere / "other")
    return elsewhere / "other"


@pytest.mark.parametrize("table", ["another", "a part"])
def test_measurements_of_another_system(run: Run, other: Path, table: str) -> None:
    """Measurements that lack options of the model are refused."""
    (other / "x.csv").write_text(TABLES[table], encoding="utf-8")
    for name, line in LINES.items():
        assert run(name.split(maxsplit=1)[0], *line).exit_code == 2


@pytest.mark.parametrize("table", ["more", "numbers"])
@pytest.mark.parametrize("name", ["explain", "compare", pytest.param("report", marks=pytest.mark.slow)])
def test_measurements_with_more_options(run: Run, other: Path, table: str, name: str) -> None:
    """Measurements of a system with more options, other values, and columns in another order can be used."""
    (other / "x.csv").write_text(TABLES[table], encoding="utf-8")
    done = run(name, *LINES[name])
    assert done.exit_code == 0, done.stderr
    if name == "explain":
        # The model was learned from all combinations of both.
        assert "always change together in the 4 configurations" not in done.stderr
