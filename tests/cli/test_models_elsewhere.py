"""Models that are used in the folder of another project: their own system is used, and nothing of the folder."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from splc.io.files import Source, read_source
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


def test_described_table_is_read_once(run: Run, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of a folder with a description is read once, beside the look at its beginning."""
    names: list[str] = []

    def counted(path: str | Path) -> Source:
        names.append(str(path))
        return read_source(path)

    monkeypatch.setattr("splc.formats.benchmarks.read.read_source", counted)
    run("describe", "measurements.csv")
    assert names == ["measurements.csv"]
