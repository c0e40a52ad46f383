from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SPLCONQUEROR = ("--preset", "splconqueror")

# Of all measured configurations; the second level is there from x = 2 on.
LEVELS = """cache,left,right,x,level,C
0,1,0,1,0,10
0,1,0,2,0,20
0,1,0,2,1,3
0,1,0,4,0,40
0,1,0,4,1,5
0,0,1,1,0,10
0,0,1,2,0,20
0,0,1,2,1,3
0,0,1,4,0,40
0,0,1,4,1,5
1,1,0,1,0,10
1,1,0,2,0,20
1,1,0,2,1,3
1,1,0,4,0,40
1,1,0,4,1,5
"""
PARTS = """cache,left,right,x,time,first,second
0,1,0,1,21,21,0
0,1,0,2,48,41,7
0,1,0,4,92,81,11
0,0,1,1,21,21,0
0,0,1,2,48,41,7
0,0,1,4,92,81,11
1,1,0,1,21,21,0
1,1,0,2,48,41,7
1,1,0,4,92,81,11
"""


@pytest.fixture
def observed(folder: Path) -> Path:
    """Return the project folder with levels that were observed."""
    (folder / "levels.csv").write_text(LEVELS, encoding="utf-8")
    (folder / "measurements.csv").write_text(PARTS, encoding="utf-8")
    (folder / "splc.toml").write_text('nfp = "time"\nobserved = "levels.csv"\n', encoding="utf-8")
    (folder / "model.txt").write_text("2 * C_0 + 1 + 2 * C_1 + level_1\n", encoding="utf-8")
    return folder


class TestDescribe:
    def test_observed_variables_are_listed_as_such(self, run: Run, observed: Path) -> None:
        """Describe lists observed variables apart from the options, and the options are as they were."""
        found = json.loads(run("describe", "--json").stdout)
        assert found["observed"] == ["level_0", "level_1", "C_0", "C_1"]
        assert (found["numeric_options"], found["valid_configurations"]) == (["x"], 9)
        assert "Observed variables (not options" in run("describe").stdout

    def test_levels_are_shown_as_ranges(self, run: Run, observed: Path) -> None:
        """More than two levels of a variable are shown by the first and the last."""
        (observed / "levels.csv").write_text(LEVELS + "1,1,0,4,2,5\n", encoding="utf-8")
        assert "level_0 … level_2, C_0 … C_2" in run("describe").stdout

    def test_without_any_nothing_is_said(self, run: Run, folder: Path) -> None:
        """A system of which nothing was observed is described without observed variables."""
        assert "bserved" not in run("describe").stdout
        assert json.loads(run("describe", "--json").stdout)["observed"] == []


class TestModels:
    def test_predict(self, run: Run, observed: Path) -> None:
        """A model of observed variables predicts configurations that were observed."""
        found = json.loads(run("predict", "model.txt", "measurements.csv", "--json").stdout)
        assert found["error"] == pytest.approx(0, abs=1e-12)

    def test_a_stored_full_model(self, run: Run, observed: Path) -> None:
        """The full model of observed variables is stored, and predicts where they were observed."""
        learned = json.loads(run("learn", "--learner", "projection", "--observed", "C_*", "--json").stdout)
        for file in ("learned.json", "learned.log"):
            found = json.loads(run("predict", file, "measurements.csv", "--interval", "--json").stdout)
            assert found["full_model"] is True
            assert found["error"] == pytest.approx(learned["error_all"], rel=1e-12)
            assert found["intervals"]["covered"] == 1
        (observed / "splc.toml").write_text('nfp = "time"\n', encoding="utf-8")
        result = run("predict", "learned.json", "measurements.csv")
        assert result.exit_code == 2
        assert "C_0" in result.stderr

    def test_predict_what_was_not_observed(self, run: Run, observed: Path) -> None:
        """A configuration that was not observed is an error that names variable and configuration."""
        rows = LEVELS.splitlines(keepends=True)
        (observed / "levels.csv").write_text("".join(rows[:-2]), encoding="utf-8")
        result = run("predict", "model.txt", "measurements.csv")
        assert result.exit_code == 2
        assert "was not observed for configuration 8 (cache, left, x=4)" in result.stderr

    def test_sampling_does_not_need_observations(self, run: Run, observed: Path) -> None:
        """A sample is the same with and without observations, even with a file of them that is not there yet."""
        before = run("sample", "--sampling", "random:4").stdout
        (observed / "levels.csv").unlink()
        assert run("sample", "--sampling", "random:4").stdout == before

    def test_suggestions_do_not_need_observations(self, run: Run, observed: Path) -> None:
        """Suggestions are the same with and without observations, even with a file of them that is not there yet."""
        (observed / "measurements.csv").write_text("".join(PARTS.splitlines(keepends=True)[:6]), encoding="utf-8")
        before = run("suggest", "--budget", "2", "--json")
        assert before.exit_code == 0
        (observed / "levels.csv").unlink()
        assert run("suggest", "--budget", "2", "--json").stdout == before.stdout

    def test_compare(self, run: Run, observed: Path) -> None:
        """An analytical and a learned model of observed variables are compared by their terms and predictions."""
        assert run("learn", *SPLCONQUEROR, "--observed", "C_*", "--observed", "level_1").exit_code == 0
        found = json.loads(run("compare", "model.txt", "learned.log", "--json").stdout)
        assert found["semantic"]["error_rate"] == pytest.approx(0, abs=1e-6)
        everywhere = json.loads(run("compare", "model.txt", "learned.log", "--on", "all", "--json").stdout)
        assert everywhere["semantic"]["configurations"] == 9

    def test_optimize(self, run: Run, observed: Path) -> None:
        """Observed variables have no optimum."""
        result = run("optimize", "model.txt")
        assert result.exit_code == 2
        assert "is an observed variable, not an option" in result.stderr


class TestLearn:
    def test_observed_variables_are_not_candidates_unless_asked_for(self, run: Run, observed: Path) -> None:
        """Without --observed the model is about options only."""
        found = json.loads(run("learn", "--json").stdout)
        assert not any("C_" in term["term"] for term in found["model"]["terms"])

    def test_a_sum_of_parts(self, run: Run, observed: Path) -> None:
        """The parts are learned one by one, and their sum is the model that is written."""
        parts = (*SPLCONQUEROR, "--sum", "first", "--sum", "second:level_1", "--observed", "C_*")
        found = json.loads(run("learn", *parts, "--json").stdout)
        assert found["termination"] == "parts"
        assert found["error_all"] == pytest.approx(0, abs=1e-9)
        assert json.loads(run("predict", "learned.log", "measurements.csv", "--json").stdout)["error"] < 1e-6
        assert "the models of the parts were added up" in run("learn", *parts).stdout
        assert run("learn", *parts, "-o", "learned.json").exit_code == 0
        assert json.loads(run("predict", "learned.json", "measurements.csv", "--json").stdout)["error"] < 1e-6

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("--observed", "D_*"), "no observed variable matches 'D_*'"),
            (("--sum", "third"), "the property 'third' was not measured"),
            (("--sum", "second:level_9"), "unknown option 'level_9'"),
            (("--sum", "first", "--evaluate-on", "measurements.csv"), "--evaluate-on"),
        ],
    )
    def test_what_cannot_be_learned(self, run: Run, observed: Path, arguments: tuple[str, ...], message: str) -> None:
        """Unknown variables, parts and conditions are refused, and nothing is written."""
        result = run("learn", *arguments)
        assert result.exit_code == 2
        assert message in result.stderr
        assert not (observed / "learned.log").exists()


class TestProjectFile:
    @pytest.mark.parametrize("value", ["3", "[]", '""', '["levels.csv", 3]'])
    def test_what_is_no_file_is_refused(self, run: Run, observed: Path, value: str) -> None:
        """`observed` is a path or a list of paths; anything else is an error with its line."""
        (observed / "splc.toml").write_text(f"observed = {value}\n", encoding="utf-8")
        result = run("describe")
        assert result.exit_code == 2
        assert "splc.toml:1: observed must be the path of a file" in result.stderr

    def test_a_file_that_does_not_exist(self, run: Run, observed: Path) -> None:
        """A missing file of observations is an error with the nearest name."""
        (observed / "splc.toml").write_text('observed = ["level.csv"]\n', encoding="utf-8")
        result = run("predict", "model.txt", "measurements.csv")
        assert result.exit_code == 2
        assert "observed: there is no such file" in result.stderr
        assert "levels.csv" in result.stderr

    def test_observations_are_not_overwritten(self, run: Run, observed: Path) -> None:
        """A file of observations is an input, which no output may replace."""
        result = run("learn", "-o", "levels.csv")
        assert result.exit_code == 2
        assert (observed / "levels.csv").read_text(encoding="utf-8") == LEVELS
