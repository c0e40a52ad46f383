"""`splc run`: scripts of SPL Conqueror."""

from __future__ import annotations

import csv
import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from splc.formats.scripts.commands import COMMANDS, STRATEGIES
from tests.cli.conftest import Run
from tests.support.paths import ROOT

INPUTS = "vm system.xml\nall measurements.csv\nnfp time\n"


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_interrupted(folder: Path, run: Run, pressing: Callable[..., None], form: list[str]) -> None:
    """Ctrl-C ends the run after the round with exit code 130; the log has the round, and no command follows."""
    settings = "mlsettings abortError:0 minImprovementPerRound:0\n"
    learn = f"{INPUTS}{settings}binary featurewise\nlearn-splconqueror\n"
    (folder / "a.a").write_text(f"log a.log\n{learn}log b.log\n{learn}", encoding="utf-8")
    pressing(signal.SIGINT)
    result = run("run", "a.a", *form)
    assert result.exit_code == 130
    assert result.stderr.endswith("note: the run was interrupted; what was written until then is kept\n")
    assert "\n1;" in (folder / "a.log").read_text(encoding="utf-8")
    assert not (folder / "b.log").exists()
    if form:
        assert json.loads(result.stdout)["stopped"] is True


@pytest.mark.parametrize("arguments", [[], ["--check"], ["--to-study"], ["--json"]])
def test_errors_of_scripts(arguments: list[str], folder: Path, refused: Callable[..., str]) -> None:
    """A wrong script is refused with all its errors, whatever is to be done with it."""
    (folder / "a.a").write_text("log a.log\nvm system.xm\nbinary\x1b[31m parwise\n", encoding="utf-8")
    message = refused("run", "a.a", *arguments)
    assert "a.a:2: system.xm: there is no such file" in message
    assert "a.a:3: unknown command" in message
    assert not (folder / "a.log").exists()


@pytest.mark.slow
def test_the_study_of_a_script(folder: Path, run: Run) -> None:
    """The study of a script learns the same models."""
    text = (
        f"{INPUTS}mlsettings abortError:0 learn_logFunction:true\nbinary optionwise\nlearn-splconqueror\n"
        "clean-sampling\nselect-all-measurements true\nlearn-splconqueror\nselect-all-measurements false\n"
        "binary allbinary\nnumeric random numConfigs:2 seed:3\nlearn-splconqueror\n"
    )
    (folder / "a.a").write_text(text, encoding="utf-8")
    learned = json.loads(run("run", "a.a", "--json").stdout)["learnings"]
    result = run("run", "--to-study", "a.a")
    assert result.stdout == "study.toml: 3 samplings, 1 learner, 3 runs\n"
    assert result.stderr == ""
    assert run("study", "--no-pictures").exit_code == 0
    with (folder / "results" / "runs.csv").open(encoding="utf-8", newline="") as stream:
        found = sorted(float(row["error_all"]) for row in csv.DictReader(stream))
    assert found == pytest.approx(sorted(each["error"] for each in learned))
    assert len(found) == 3


def test_the_page_names_everything() -> None:
    """The page about SPL Conqueror names every command and every strategy."""
    page = (ROOT / "docs" / "howto" / "spl-conqueror.md").read_text(encoding="utf-8")
    names = [name for each in COMMANDS for name in (each.name, *each.aliases)]
    for name in (*names, *(name for each in STRATEGIES for name in (each.name, each.design))):
        assert f"`{name}" in page or f" {name}" in page, name
