"""`splc learn`."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from splc import read_model, read_variability_model
from tests.cli.conftest import Run
from tests.support.paths import SMG2000
from tests.support.real_data import real

Refused = Callable[..., str]
SPLCONQUEROR = ("--preset", "splconqueror")


@pytest.fixture(autouse=True)
def _nothing_left_behind(folder: Path) -> None:
    """Give every test a project folder of its own, with time as the property."""
    (folder / "splc.toml").write_text('nfp = "time"\n', encoding="utf-8")


def files(folder: Path) -> set[str]:
    """Return the names of the files in a folder."""
    return {path.name for path in folder.iterdir()}


def learned(run: Run, *arguments: str) -> Any:
    """Return the JSON object of a run."""
    result = run("learn", "--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


class TestOutput:
    def test_without_sampling_nothing_judges_the_model(self, run: Run, folder: Path) -> None:
        """Without a sampling everything measured is learned from, which the output says; error is null."""
        assert run("learn").stdout.startswith("every configuration is measured")
        content = learned(run)
        assert content["learning_configurations"] == 9
        assert content["error"] is None
        assert content["error_all"] == content["learning_error"]
        assert content["sampling"] == "measured"

    def test_errors_of_rounds_are_percentages(self, run: Run, folder: Path) -> None:
        """A round's error is a percentage, whatever loss its candidate was selected by."""
        content = learned(run, *SPLCONQUEROR, "--set", "lossFunction=LEASTSQUARES", "--set", "abortError=0")
        last = content["rounds"][-1]
        assert last["error"] == last["learning_error"] == pytest.approx(content["learning_error"])
        assert last["selection_error"] != last["error"]

    def test_shares_sum_to_the_whole(self, run: Run, folder: Path) -> None:
        """The shares of the terms sum to 100 percent of the mean prediction."""
        assert sum(term["share"] for term in learned(run)["model"]["terms"]) == pytest.approx(100)

    @pytest.mark.parametrize("name", ["learned.log", "model.json", "model.json.gz", "model.log.gz", "model"])
    def test_every_file_is_the_model(self, run: Run, folder: Path, name: str) -> None:
        """The file of -o, a log or JSON, compressed or not, reads back as the model that was printed."""
        content = learned(run, *SPLCONQUEROR, "--sampling", "random:6", "-o", name)
        model = read_model(name, read_variability_model("system.xml"))
        assert {term.text(model.order): influence for term, influence in model.terms} == {
            term["term"]: term["influence"] for term in content["model"]["terms"]
        }

    def test_json_file_has_provenance(self, run: Run, folder: Path) -> None:
        """The JSON file names the schema, the sampling, the seed and the hashes of the inputs."""
        run("learn", "--sampling", "random:6", "--seed", "7", "-o", "m.json")
        content = json.loads((folder / "m.json").read_text(encoding="utf-8"))
        assert (content["schema"], content["seed"]) == ("splc.model/1", 7)
        assert content["provenance"]["sampling"] == "random:6"
        assert set(content["provenance"]["files"]) == {"system", "measurements"}
        assert len(content["provenance"]["files"]["measurements"]["sha256"]) == 64


class TestSettings:
    def test_precedence(self, run: Run, folder: Path) -> None:
        """A setting of --set comes before splc.toml's, which comes before the preset's."""
        toml = 'nfp = "time"\n[learning]\nabortError = 5\nnumberOfRounds = 3\n'
        (folder / "splc.toml").write_text(toml, encoding="utf-8")
        settings = learned(run, *SPLCONQUEROR, "--set", "aborterror=2")["settings"]
        assert (settings["abortError"], settings["numberOfRounds"]) == (2.0, 3)
        assert settings["minImprovementPerRound"] == 0.1

    def test_project_file_has_settings_of_both_learners(self, run: Run, folder: Path) -> None:
        """Each learner takes its own settings of splc.toml; an option comes before --set and splc.toml."""
        toml = 'nfp = "time"\n[learning]\nabortError = 5\nterms = 4\norder = 2\n'
        (folder / "splc.toml").write_text(toml, encoding="utf-8")
        settings = learned(run, "--set", "terms=3", "--terms", "2")["settings"]
        assert settings == {"terms": 2, "readable": False, "form": "auto", "scale": "auto", "order": 2}
        assert learned(run, *SPLCONQUEROR)["settings"]["abortError"] == 5
        (folder / "splc.toml").write_text(toml + 'preset = "splconqueror"\n', encoding="utf-8")
        assert learned(run)["settings"]["abortError"] == 5
        assert learned(run, "--learner", "projection")["settings"]["terms"] == 4

    def test_options_are_settings_of_the_default_learner(self, run: Run, refused: Refused, folder: Path) -> None:
        """Each option sets the setting of its name; other learners do not have them."""
        given = learned(run, "--terms", "1", "--readable", "--form", "sum", "--scale", "raw", "--order", "1")
        assert given["settings"] == {"terms": 1, "readable": True, "form": "sum", "scale": "raw", "order": 1}
        assert len(given["model"]["terms"]) == 1
        assert "no setting 'terms'" in refused("learn", *SPLCONQUEROR, "--terms", "2")
        assert "'terms'" in refused("learn", "--learner", "forest", "--terms", "2")
        assert "--form" in refused("learn", "--form", "root")

    def test_the_deviation_of_a_file_ends_learning(self, run: Run, folder: Path) -> None:
        """The deviation that a measurement file states is abortError, unless that is set."""
        run("convert", "measurements.csv", "-o", "m.xml")
        text = (folder / "m.xml").read_text(encoding="utf-8").replace("<results", '<results deviation="2;40"')
        (folder / "m.xml").write_text(text, encoding="utf-8")
        result = run("learn", *SPLCONQUEROR, "--measurements", "m.xml", "--json")
        assert json.loads(result.stdout)["settings"]["abortError"] == 40
        assert "abortError is 40" in result.stderr
        assert (
            learned(run, *SPLCONQUEROR, "--measurements", "m.xml", "--set", "aborterror=1")["settings"]["abortError"]
            == 1
        )


class TestLearningSet:
    def test_missing_configurations(self, run: Run, refused: Refused, folder: Path) -> None:
        """A sampled configuration that was not measured is an error, left out, or replaced, as --missing says."""
        lines = (folder / "measurements.csv").read_text(encoding="utf-8").splitlines()
        (folder / "measurements.csv").write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
        message = refused("learn", "--sampling", "all+ff")
        assert "1 of 9 sampled configurations was not measured" in message
        assert "cache, left, x=4" in message
        missing = (*SPLCONQUEROR, "--sampling", "all+ff", "--missing")
        assert "left out" in run("learn", *missing, "drop").stderr
        assert learned(run, *missing, "nearest")["learning_configurations"] == 8

    def test_missing_values_are_left_out(self, run: Run, folder: Path) -> None:
        """Configurations without a value of the property are neither learned from nor judged by."""
        text = (folder / "measurements.csv").read_text(encoding="utf-8").replace("1,1,0,4,14,40", "1,1,0,4,,40")
        (folder / "measurements.csv").write_text(text, encoding="utf-8")
        content = learned(run, *SPLCONQUEROR)
        assert (content["learning_configurations"], content["measured_configurations"]) == (8, 8)
        assert learned(run, *SPLCONQUEROR, "--nfp", "energy")["learning_configurations"] == 9

    def test_an_evaluation_set(self, run: Run, refused: Refused, folder: Path) -> None:
        """With --evaluate-on the error is that on the other file; it must have the property."""
        (folder / "other.csv").write_text("cache,left,right,x,time\n0,1,0,1,100\n", encoding="utf-8")
        content = learned(run, *SPLCONQUEROR, "--evaluate-on", "other.csv")
        assert content["error"] > 90
        assert content["error_all"] < 50
        assert content["rounds"][-1]["test_error"] == content["error"]
        assert "on other.csv" in run("learn", *SPLCONQUEROR, "--evaluate-on", "other.csv").stdout
        assert f"Prediction Error: {content['error']:.6g}"[:20] in (folder / "learned.log").read_text(encoding="utf-8")
        message = refused("learn", "--nfp", "energy", "--evaluate-on", "other.csv")
        assert message.startswith("other.csv: the property 'energy' was not measured")

    def test_the_same_seed_gives_the_same_model(self, run: Run, folder: Path) -> None:
        """The same seed gives the same model, another seed another learning set."""
        one = learned(run, "--sampling", "random:5", "--seed", "1")
        assert one["model"] == learned(run, "--sampling", "random:5", "--seed", "1")["model"]
        seeds = map(str, range(2, 6))
        assert any(learned(run, "--sampling", "random:5", "--seed", seed)["model"] != one["model"] for seed in seeds)


class TestErrorPositions:
    @pytest.mark.parametrize("option", ["-o", "--plot"])
    def test_unwritable_outputs_are_noticed_first(self, refused: Refused, folder: Path, option: str) -> None:
        """An output that cannot be written is refused before anything is learned."""
        (folder / "folder.svg").mkdir()
        # Learning fails.
        table = "cache,left,right,x,time\n0,1,0,1,0\n0,1,0,2,0\n1,1,0,4,0\n"
        (folder / "measurements.csv").write_text(table, encoding="utf-8")
        learn = ("learn", *SPLCONQUEROR)
        assert "all values are 0" in refused(*learn)
        assert "there is no folder 'nowhere'" in refused(*learn, option, "nowhere/a.svg")
        assert "folder.svg: this is a folder" in refused(*learn, option, "folder.svg")
        assert "cannot be written" in refused(*learn, option, "measurements.csv/a.svg")


class TestPlot:
    def test_without_matplotlib(
        self, run: Run, refused: Refused, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Without matplotlib PNG is refused before anything is written, and SVG is written."""
        found = importlib.util.find_spec
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "matplotlib" else found(name))
        message = refused("learn", "--plot", "a.png")
        assert "pip install 'splc[plot]'" in message
        assert ".svg" in message
        assert "learned.log" not in files(folder)
        assert run("learn", "--plot", "a.svg").exit_code == 0
        assert "a.svg" in files(folder)


@pytest.mark.parametrize("learner", [("--learner", "stepwise"), pytest.param((), marks=pytest.mark.slow)])
@pytest.mark.parametrize("dimension", ["1d", "2d", "3d"])
@pytest.mark.parametrize("sampling", ["ff", "pb:9,3", "pb:25,5", "pb:125,5", "pb:49,7", "cci", "random:50,seed=5"])
def test_the_case_study(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dimension: str, sampling: str, learner: tuple[str, ...]
) -> None:
    """Every sampling of the thesis works in the case study's folder as written there."""
    monkeypatch.chdir(SMG2000 / dimension)
    if dimension == "1d" and sampling.startswith("random"):
        sampling = "random:20,seed=5"
    result = run("learn", "--sampling", sampling, *learner, "-o", str(tmp_path / "learned.log"))
    assert result.exit_code == 0, result.stderr
    assert "model of solve_compute_seconds" in result.stdout
    assert (tmp_path / "learned.log").exists()


@pytest.mark.real_data
@pytest.mark.parametrize(("system", "error"), [("LLVM", 2.234), ("x264", 3.599)])
def test_the_published_errors(run: Run, tmp_path: Path, system: str, error: float) -> None:
    """With all measurements and the program's defaults the log has the published error."""
    files = ("--system", str(real(system, "FeatureModel.xml")), "--measurements", str(real(system, "measurements.xml")))
    result = run("learn", "--preset", "splconqueror", "--nfp", "Performance", "-o", str(tmp_path / "a.log"), *files)
    assert result.exit_code == 0, result.stderr
    text = (tmp_path / "a.log").read_text(encoding="utf-8")
    found = re.search(r"^Prediction Error: (\S+) %$", text, re.MULTILINE)
    assert found is not None
    assert float(found[1]) == pytest.approx(error, abs=5e-4)


class TestErrorSets:
    def test_configurations_of_the_evaluation_set_that_were_learned_from(self, run: Run, folder: Path) -> None:
        """The number of configurations of the error, and how many of them were learned from, is printed."""
        text = "cache,left,right,x,time\n0,1,0,1,5\n0,1,0,2,0\n0,0,1,1,\n1,1,0,1,9\n0,1,0,4,2\n"
        (folder / "other.csv").write_text(text, encoding="utf-8")
        arguments = ("learn", *SPLCONQUEROR, "--nfp", "time", "--evaluate-on", "other.csv")
        result = run(*arguments, "--json")
        assert json.loads(result.stdout)["evaluation"] == {"configurations": 3, "learned_from": 3}
        assert "note: 3 of the 3 configurations of other.csv were learned from" in result.stderr
        assert "on other.csv, 3 configurations" in run(*arguments).stdout
        assert learned(run, *SPLCONQUEROR)["evaluation"] is None
