"""`splc run`: scripts of SPL Conqueror."""

from __future__ import annotations

import csv
import json
import signal
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from splc.formats.scripts.commands import COMMANDS
from splc.formats.scripts.strategies import STRATEGIES
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


class TestStudies:
    @pytest.mark.slow
    def test_the_same_models(self, folder: Path, run: Run) -> None:
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

    def test_inputs_of_another_script(self, folder: Path, run: Run) -> None:
        """A script that is called gives the inputs; all configurations are the sampling `measured`."""
        (folder / "inputs.a").write_text(INPUTS, encoding="utf-8")
        learn = "script inputs.a\nbinary optionwise\nselect-all-measurements true\nlearn-splconqueror\n"
        (folder / "a.a").write_text(learn, encoding="utf-8")
        assert run("run", "--to-study", "a.a").stdout == "study.toml: 1 sampling, 1 learner, 1 run\n"
        study = tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))
        stated = {name: study[name] for name in ("system", "measurements", "property", "samplings")}
        assert stated == {
            "system": "system.xml",
            "measurements": "measurements.csv",
            "property": "time",
            "samplings": ["measured"],
        }

    def test_what_cannot_be_expressed(self, folder: Path, run: Run) -> None:
        """Commands that a study has nothing for are listed, and so are combinations that the script does not have."""
        text = (
            f"{INPUTS}binary optionwise\nlearn-splconqueror\nprintconfigs a.csv\nbinary pairwise\nlearn-splconqueror\n"
            "clean-sampling\nmlsettings abortError:3\nbinary pairwise\nlearn-splconqueror\n"
        )
        (folder / "a.a").write_text(text, encoding="utf-8")
        result = run("run", "--to-study", "a.a", "-o", "s.toml", "--json")
        found = json.loads(result.stdout)
        assert found["not_expressed"] == [
            "a.a:6: printconfigs a.csv",
            "a.a:8: a study joins no two binary samplings",
        ]
        assert (found["runs"], found["learnings"]) == (4, 3)
        assert "the scripts learn 2 of the 4 combinations" in result.stderr
        assert "abortError = 3.0" in (folder / "s.toml").read_text(encoding="utf-8")


def test_the_page_names_everything() -> None:
    """The page about SPL Conqueror names every command and every strategy."""
    page = (ROOT / "docs" / "howto" / "spl-conqueror.md").read_text(encoding="utf-8")
    names = [name for each in COMMANDS for name in (each.name, *each.aliases)]
    for name in (*names, *(name for each in STRATEGIES for name in (each.name, each.design))):
        assert f"`{name}" in page or f" {name}" in page, name
